"""Sines and cosines, circular and hyperbolic, as tables of formulas write them: by multiple and half angles,
without powers, as products, by one function, by conjugates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mpoly

from engines.core.tree import Tree
from engines.egen.algebra.atoms import Angles, Signs, bottom_up
from engines.egen.algebra.polynomial_forms import fraction, plus, scaled
from engines.egen.algebra.rational import (
    ONE,
    ZERO,
    Space,
    TooLargeError,
    added,
    divided,
    less,
    normal,
    number,
    power,
    rational,
    terms,
    times,
)

_CIRCULAR, _HYPERBOLIC = ("sin", "cos"), ("sinh", "cosh")
_MINUS, _TWO = Tree("-1"), Tree("2")
_LARGEST = 1_000
"""Nodes that taking apart one sine or cosine may give."""
_MOST_WAVES = 20_000
"""Waves that are added up for the powers and products of sines and cosines in an expression."""


def conjugate(tree: Tree, _: Signs) -> Iterator[Tree]:
    """A quotient multiplied by the conjugate of its denominator or of its numerator, by every root, sine and
    cosine in it."""
    space = Space([tree])
    result = space.of(tree)
    for place, atom in enumerate(space.atoms):
        square = _square_of(atom)
        if square is None:
            continue
        for side in (1, 0):
            rows = _by_power(result[side], place)
            if set(rows) != {0, 1}:
                continue
            p, q = (space.polynomial(rows[n]) for n in (0, 1))
            root = times(space.sum(q), atom)
            conjugate = less(space.sum(p), root)
            norm = normal(less(power(space.sum(p), 2), times(power(space.sum(q), 2), square)))
            norm = _fewer_squares(norm)
            if norm == ZERO:
                continue
            other = times(space.sum(result[1 - side]), conjugate)
            yield divided(other, norm) if side else divided(norm, other)


def _square_of(atom: Tree) -> Tree | None:
    if atom.label == "sqrt" or (atom.label == "pow" and rational(atom.children[1]) == Fraction(1, 2)):
        return atom.children[0]
    if atom.label in ("sin", "cos"):
        return less(ONE, power(Tree("cos" if atom.label == "sin" else "sin", atom.children), 2))
    return None


def _by_power(polynomial: fmpq_mpoly, place: int) -> dict[int, dict[tuple[int, ...], Any]]:
    rows: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, c in polynomial.to_dict().items():
        lower = tuple(0 if at == place else int(n) for at, n in enumerate(exponents))
        rows.setdefault(int(exponents[place]), {})[lower] = c
    return rows


def _sines(tree: Tree) -> set[Tree]:
    """The angles of sines and cosines in an expression."""
    return {node.children[0] for node in tree if node.label in (*_CIRCULAR, *_HYPERBOLIC)}


def multiple_angles(tree: Tree, _: Signs) -> Iterator[Tree]:
    yield from _apart(tree, 1)


def half_angles(tree: Tree, _: Signs) -> Iterator[Tree]:
    yield from _apart(tree, 2)


def _apart(tree: Tree, parts: int) -> Iterator[Tree]:
    """By sines and cosines of one angle, and further by only one of the two."""
    if not _sines(tree):
        return
    angles = Angles()
    angles.scan(tree)
    angles.units = {m: parts * unit for m, unit in angles.units.items()}
    whole = tree
    for change in (angles.addition, angles.negative, angles.multiple):
        whole = bottom_up(whole, partial(_bounded, change))
    if whole == tree:
        return
    whole = normal(whole)
    yield whole
    yield from _one_of_both(whole)


def _bounded(change: Callable[[Tree], Tree], node: Tree) -> Tree:
    """The node changed. Raises: TooLargeError: an angle of many terms doubles what is written with each."""
    result = change(node)
    if result is not node and next(islice(result, _LARGEST, None), None) is not None:
        raise TooLargeError("a sine or cosine has too many terms to take apart")
    return result


def squares(tree: Tree, _: Signs) -> Iterator[Tree]:
    if _sines(tree):
        yield from _one_of_both(tree)


def _one_of_both(tree: Tree) -> Iterator[Tree]:
    for name, other, sign in (
        ("cos", "sin", -1),
        ("sin", "cos", -1),
        ("cosh", "sinh", 1),
        ("sinh", "cosh", 0),
    ):
        result = _without_square(tree, name, other, sign)
        if result is not None and result != tree:
            yield result


def _without_square(tree: Tree, name: str, other: str, sign: int) -> Tree | None:
    """Even powers of one function by the other: cos² = 1 - sin², cosh² = 1 + sinh², sinh² = cosh² - 1."""
    space = Space([tree])
    if not any(atom.label == name for atom in space.atoms):
        return None

    def side(polynomial: fmpq_mpoly) -> Tree:
        total = ZERO
        for exponents, c in polynomial.to_dict().items():
            term = ONE
            for atom, n in zip(space.atoms, exponents, strict=False):
                n = int(n)
                if atom.label == name and n > 1:
                    square = power(Tree(other, atom.children), 2)
                    base = (
                        added(ONE, square) if sign > 0 else less(ONE, square) if sign else less(square, ONE)
                    )
                    term = times(term, power(base, n // 2))
                    n %= 2
                if n:
                    term = times(term, power(atom, n))
            total = plus(total, fraction(c), term)
        return normal(total) if total != ZERO else ZERO

    result = space.of(tree)
    if all(
        max(
            (int(row[p]) for row in side_.monoms() for p, a in enumerate(space.atoms) if a.label == name),
            default=0,
        )
        < 2
        for side_ in result
    ):
        return None
    below = side(result.bottom)
    return normal(divided(side(result.top), below)) if below != ZERO else None


def _fewer_squares(tree: Tree) -> Tree:
    """The shortest of a norm and its forms with one of the two functions."""
    forms = [tree, *_one_of_both(tree)]
    return min((form for form in forms for form in (form, _power_form(form))), key=len)


def _power_form(tree: Tree) -> Tree:
    """1 - cos² as sin²."""
    rows = {m: c for c, m in terms(tree)}
    for m, c in rows.items():
        square = m.label == "pow" and m.children[0].label in _CIRCULAR and m.children[1] == _TWO
        if square and len(rows) == 2 and rows.get(ONE) == -c:
            other = Tree("cos" if m.children[0].label == "sin" else "sin", m.children[0].children)
            return scaled(-c, power(other, 2))
    return tree


Vector = tuple[Fraction, ...]


def reduced_powers(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Without powers and products of sines and cosines: by those of multiple angles and sums."""
    for kind in (_CIRCULAR, _HYPERBOLIC):
        space = Space([tree])
        if not any(atom.label in kind for atom in space.atoms):
            continue
        result = space.of(tree)
        top, bottom = (_linear(space, side, kind) for side in result)
        if bottom == ZERO:
            continue
        yield divided(top, bottom)


def _linear(space: Space, polynomial: fmpq_mpoly, kind: tuple[str, str]) -> Tree:
    places = [place for place, atom in enumerate(space.atoms) if atom.label in kind]
    rows = [{m: c for c, m in terms(space.atoms[place].children[0])} for place in places]
    basis = sorted({m for row in rows for m in row}, key=lambda m: (len(m), m.labels()))
    vectors = [tuple(row.get(m, Fraction(0)) for m in basis) for row in rows]
    groups: dict[tuple[int, ...], dict[Vector, tuple[Fraction, Fraction]]] = {}
    waves = 0
    for exponents, c in polynomial.to_dict().items():
        series: dict[Vector, tuple[Fraction, Fraction]] = {
            tuple([Fraction(0)] * len(basis)): (fraction(c), Fraction(0))
        }
        for place, vector in zip(places, vectors, strict=True):
            for _ in range(int(exponents[place])):
                series = _times_series(series, vector, space.atoms[place].label, kind)
                waves += len(series)
                if waves > _MOST_WAVES:
                    raise TooLargeError("products of sines and cosines have too many waves")
        rest = tuple(0 if place in places else int(n) for place, n in enumerate(exponents))
        group = groups.setdefault(rest, {})
        for vector, (real, imaginary) in series.items():
            before = group.get(vector, (Fraction(0), Fraction(0)))
            group[vector] = before[0] + real, before[1] + imaginary
    total: list[tuple[Fraction, Tree]] = []
    for rest, group in groups.items():
        beside = space.sum(space.polynomial({rest: fmpq(1)}))
        for vector in sorted(group):
            opposite = tuple(-n for n in vector)
            if vector < opposite:
                continue
            for share, m in _waves(group, vector, opposite, basis, kind):
                total.append((share, times(m, beside) if beside != ONE else m))
    total = [(c, m) for c, m in total if c]
    if not total:
        return ZERO
    total.sort(key=lambda row: (len(row[1]), row[0] < 0))
    over = lcm(*(c.denominator for c, _ in total))
    first = next((place for place, (c, _) in enumerate(total) if c > 0), 0)
    total.insert(0, total.pop(first))
    tree = ZERO
    for share, m in total:
        tree = plus(tree, share * over, m)
    return divided(tree, number(over))


def _times_series(
    series: Mapping[Vector, tuple[Fraction, Fraction]], vector: Vector, label: str, kind: tuple[str, str]
) -> dict[Vector, tuple[Fraction, Fraction]]:
    """A sum of exponentials times (z ± 1/z)/2, or (z - 1/z)/2i for a circular sine."""
    result: dict[Vector, tuple[Fraction, Fraction]] = {}
    odd = label == kind[0]
    for place, (real, imaginary) in series.items():
        if odd and kind is _CIRCULAR:
            real, imaginary = imaginary, -real
        for sign in (1, -1):
            at = tuple(n + sign * m for n, m in zip(place, vector, strict=True))
            before = result.get(at, (Fraction(0), Fraction(0)))
            factor = Fraction(-1 if odd and sign < 0 else 1, 2)
            result[at] = before[0] + factor * real, before[1] + factor * imaginary
    return result


def _waves(
    group: Mapping[Vector, tuple[Fraction, Fraction]],
    vector: Vector,
    opposite: Vector,
    basis: Sequence[Tree],
    kind: tuple[str, str],
) -> Iterator[tuple[Fraction, Tree]]:
    here, there = group[vector], group.get(opposite, (Fraction(0), Fraction(0)))
    if vector == opposite:
        yield here[0], ONE
        return
    angle = ZERO
    for n, m in zip(vector, basis, strict=True):
        angle = plus(angle, n, m)
    even, odd = here[0] + there[0], here[0] - there[0]
    if kind is _CIRCULAR:
        odd = there[1] - here[1]
    yield even, Tree(kind[1], (angle,))
    yield odd, Tree(kind[0], (angle,))


def sum_to_product(tree: Tree, _: Signs) -> Iterator[Tree]:
    """c (sin a ± sin b) and its like; 1 ± cos a; sin a ± cos a as one shifted sine."""
    rows = terms(tree)
    if len(rows) != 2 or abs(rows[0][0]) != abs(rows[1][0]):
        return
    (c, m), (d, n) = rows
    labels = {m.label, n.label}
    if labels == {"pow"} and m.children[0] == n.children[0] == Tree("e"):
        yield from two_exponentials(c, m.children[1], d, n.children[1])
        return
    if labels == {"pow", "1"}:
        exponential, plain = ((c, m), d) if m.label == "pow" else ((d, n), c)
        if exponential[1].children[0] == Tree("e"):
            yield from two_exponentials(exponential[0], exponential[1].children[1], plain, ZERO)
        return
    if ONE in (m, n):
        wave, sign = (m, d * c > 0) if n == ONE else (n, d * c > 0)
        scale = d if n == ONE else c
        if wave.label == "cos":
            half = normal(divided(wave.children[0], _TWO))
            yield scaled(2 * scale, power(Tree("cos" if sign else "sin", (half,)), 2))
        if wave.label == "cosh":
            half = normal(divided(wave.children[0], _TWO))
            yield scaled(2 * scale * (1 if sign else -1), power(Tree("cosh" if sign else "sinh", (half,)), 2))
        return
    if labels == set(_CIRCULAR) and m.children == n.children:
        (s, a), (t, __) = ((c, m), (d, n)) if m.label == "sin" else ((d, n), (c, m))
        root = Tree("sqrt", (_TWO,))
        quarter = Tree("/", (Tree("pi"), Tree("4")))
        angle = a.children[0]
        factor = times(number(abs(s)), root)
        sine = (added if s * t > 0 else less)(angle, quarter)
        cosine = (less if s * t > 0 else added)(angle, quarter)
        yield times(factor if s > 0 else times(_MINUS, factor), Tree("sin", (sine,)))
        yield times(factor if t > 0 else times(_MINUS, factor), Tree("cos", (cosine,)))
        return
    if len(labels) == 1 and m.label in (*_CIRCULAR, *_HYPERBOLIC):
        yield from _two_waves(m.label, c, m.children[0], d, n.children[0])


def _two_waves(label: str, c: Fraction, a: Tree, d: Fraction, b: Tree) -> Iterator[Tree]:
    middle = normal(divided(added(a, b), _TWO))
    apart = normal(divided(less(a, b), _TWO))
    hyperbolic = label.endswith("h")
    sine, cosine = _HYPERBOLIC if hyperbolic else _CIRCULAR
    alike = c == d
    if label == sine:
        first, second = (sine, cosine) if alike else (cosine, sine)
        scale = 2 * c
    elif alike:
        first, second, scale = cosine, cosine, 2 * c
    else:
        first, second, scale = sine, sine, 2 * c if hyperbolic else -2 * c
    yield _signed(scale, [(first, middle), (second, apart)])


def _signed(scale: Fraction, waves: Iterable[tuple[str, Tree]]) -> Tree:
    """A product of sines and cosines whose angles begin without a minus."""
    found = ONE
    for label, angle in waves:
        rows = terms(angle)
        if rows and rows[0][0] < 0:
            angle = normal(times(_MINUS, angle))
            scale = -scale if label in ("sin", "sinh") else scale
        found = times(found, Tree(label, (angle,)))
    return scaled(scale, found)


def double_angle(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Products sin u cos u as sin(2u)/2."""
    space = Space([tree])
    for sine, cosine in (_CIRCULAR, _HYPERBOLIC):
        places = {atom: place for place, atom in enumerate(space.atoms)}
        for atom, place in places.items():
            other = places.get(Tree(cosine, atom.children)) if atom.label == sine else None
            if other is None:
                continue
            wave = Tree(sine, (normal(times(_TWO, atom.children[0])),))
            total, changed = ZERO, False
            result = space.of(tree)
            if not result.bottom.is_constant():
                continue
            for exponents, c in result.top.to_dict().items():
                both = min(int(exponents[place]), int(exponents[other]))
                changed = changed or both > 0
                rest = [int(n) - both * (at in (place, other)) for at, n in enumerate(exponents)]
                term = power(wave, both) if both else ONE
                for one, n in zip(space.atoms, rest, strict=False):
                    term = times(term, power(one, n)) if n else term
                total = plus(total, fraction(c) / 2**both, term)
            if changed:
                yield total


def tangents(tree: Tree, _: Signs) -> Iterator[Tree]:
    """By the tangent of half the angle: sin u = 2t/(1 + t²)."""
    angles = _sines(tree)
    if len(angles) != 1:
        return
    (angle,) = angles
    half = Tree("tan", (normal(divided(angle, _TWO)),))
    if any(node.label in _HYPERBOLIC for node in tree):
        half = Tree("tanh", half.children)
    sign = added if half.label == "tan" else less
    other = less if half.label == "tan" else added
    below = sign(ONE, power(half, 2))
    known = {
        _CIRCULAR[0]: divided(times(_TWO, half), below),
        _CIRCULAR[1]: divided(other(ONE, power(half, 2)), below),
    }
    known |= {_HYPERBOLIC[0]: known["sin"], _HYPERBOLIC[1]: known["cos"]}
    yield normal(bottom_up(tree, lambda node: known.get(node.label, node)))


def quotients(tree: Tree, _: Signs) -> Iterator[Tree]:
    """By sines and cosines alone, over a common denominator."""
    by = {
        "tan": lambda u: divided(Tree("sin", u), Tree("cos", u)),
        "cot": lambda u: divided(Tree("cos", u), Tree("sin", u)),
        "sec": lambda u: divided(ONE, Tree("cos", u)),
        "csc": lambda u: divided(ONE, Tree("sin", u)),
        "tanh": lambda u: divided(Tree("sinh", u), Tree("cosh", u)),
        "coth": lambda u: divided(Tree("cosh", u), Tree("sinh", u)),
        "sech": lambda u: divided(ONE, Tree("cosh", u)),
        "csch": lambda u: divided(ONE, Tree("sinh", u)),
    }
    if any(node.label in by for node in tree):
        yield normal(
            bottom_up(tree, lambda node: by[node.label](node.children) if node.label in by else node)
        )


def two_exponentials(c: Fraction, a: Tree, d: Fraction, b: Tree) -> Iterator[Tree]:
    """c (e^a ± e^b) as 2 c e^((a+b)/2) times a hyperbolic cosine or sine."""
    middle = normal(divided(added(a, b), _TWO))
    apart = normal(divided(less(a, b), _TWO))
    label = "cosh" if c == d else "sinh"
    if middle == ZERO:
        yield _signed(2 * c, [(label, apart)])
        return
    growth = times(number(2 * abs(c)), Tree("pow", (Tree("e"), middle)))
    yield times(growth, _signed(c / abs(c), [(label, apart)]))
