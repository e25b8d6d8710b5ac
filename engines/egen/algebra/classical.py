"""Classical forms of an expression: what a table of formulas would give for it, by named families.

A family takes an expression to others that are equal to it as a rule: multiplied out, factored, in partial
fractions, with the square completed, by multiple angles or without powers of sines. Nothing is said of their
domains here: who uses them verifies each (`egraph.member_selection`). Procedures stand here, what one pattern
gives in `assets/rules/classical.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import islice
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mpoly, fmpq_poly

from engines.core.expression_language import fold_numbers, unfold_numbers, variables_of
from engines.core.tree import Tree, differentiate
from engines.egen.rules.table import Rule, fill_pattern, load_families, match_pattern, may_hold
from engines.mathematics.algebra.atoms import Angles, Powers, Signs, bottom_up
from engines.mathematics.algebra.rational import (
    MINUS,
    ONE,
    TWO,
    ZERO,
    Space,
    TooLargeError,
    add_multiple,
    add_terms,
    common_denominator,
    divide_terms,
    expand_tree,
    factored_form,
    factored_forms,
    iterate_expanded,
    iterate_horner,
    multiply_terms,
    number_tree,
    partial_fractions,
    raise_to_power,
    rational_value,
    scale_term,
    split_terms,
    square_completed,
    subtract_terms,
    to_fraction,
    to_univariate,
)
from engines.mathematics.algebra.symmetric import iterate_symmetric
from engines.mathematics.terms.canonical import canonical_key

TABLE, OPENINGS = "rules/classical.toml", "rules/openings.toml"
_MOST = 120
"""Forms of one expression, at most."""
_AGAIN = 12
"""Forms, the shortest, that the families are applied to once more."""
_LONGER = 12
"""Tokens by which a form may be longer than its expression and be taken further."""
_CIRCULAR, _HYPERBOLIC = ("sin", "cos"), ("sinh", "cosh")
_LARGEST = 1_000
"""Nodes that taking apart one sine or cosine may give."""
_MOST_WAVES = 20_000
"""Waves that are added up for the powers and products of sines and cosines in an expression."""


def iterate_classical_forms(
    head: Tree, signs: Signs, families: Sequence[str], *, longest: int
) -> Iterator[tuple[str, Tree]]:
    """Yield classical forms of an expression with the family that makes each, none of them twice.

    First come the forms of the expression itself, then those of its shortest forms, then those with one of
    its operands in another form.

    Args:
        signs: Signs at points where the head is defined.
        families: Names of families (`settings.FORMS`).
        longest: The most tokens of a form.
    """
    if "multiplied out" in families:
        with suppress(TooLargeError):
            yield from (
                ("", form) for form in (expand_tree(head), factored_form(head)) if len(form) <= longest
            )
        return
    seen = {canonical_key(head)}
    given = 0

    def drop_repeated(named_forms: Iterable[tuple[str, Tree]]) -> Iterator[tuple[str, Tree]]:
        nonlocal given
        for family, form in named_forms:
            if len(form) <= longest and (key := canonical_key(form)) not in seen and given < _MOST:
                seen.add(key)
                given += 1
                yield family, form

    if "d" in head.list_labels():
        # What is made of a derivative as it stands would only be worked out later.
        head = _expand_if_shorter(bottom_up(head, _worked_out))
        if "derivative" in families:
            yield from drop_repeated([("derivative", head)])
    head_forms = list(drop_repeated(_iterate_forms(head, signs, families, whole=True)))
    yield from head_forms
    # Forms of short forms: two changes in a row reach what neither reaches alone.
    short_forms = sorted((form for _, form in head_forms if len(form) <= len(head) + _LONGER), key=len)[
        :_AGAIN
    ]
    yield from drop_repeated(
        named_form for form in short_forms for named_form in _iterate_forms(form, signs, families, whole=True)
    )
    # Then one sub-term at a time in another form.
    for subterm in dict.fromkeys(node for node in head if node != head and len(node) > 1):
        inside = _iterate_forms(subterm, signs, families, whole=False)
        yield from drop_repeated((family, _swap_subterm(head, subterm, form)) for family, form in inside)


def _iterate_forms(
    tree: Tree, signs: Signs, families: Sequence[str], *, whole: bool
) -> Iterator[tuple[str, Tree]]:
    for name, family in by_procedures(whole=whole).items():
        if name in families:
            with suppress(TooLargeError, RecursionError):
                for form in family(tree, signs):
                    yield name, _tidy_form(form)
    folded = fold_numbers(tree)
    for table in load_families(TABLE):
        for form in _by_patterns(table.rules, folded) if table.name in families else ():
            yield table.name, _tidy_form(form)


def _by_patterns(rules: Iterable[Rule], tree: Tree) -> Iterator[Tree]:
    for rule in rules:
        binding: dict[str, Tree] = {}
        if match_pattern(fold_numbers(rule.left), tree, binding) and all(
            may_hold(one, binding) for one in rule.when
        ):
            yield unfold_numbers(fill_pattern(rule.right, binding))


def iterate_openings(tree: Tree) -> Iterator[list[Tree]]:
    """Yield other ways to write what the rules give few other forms (`x`, `e^x`, `3x + 5`), for the caller to
    verify: some of the whole, then with each of its operands in another form, then what can be made of
    anything."""
    *families, anything = load_families(OPENINGS)

    def write_anew(node: Tree) -> Iterator[Tree]:
        return (form for family in families for form in _by_patterns(family.rules, fold_numbers(node)))

    yield list(write_anew(tree))
    for node in dict.fromkeys(node for node in tree if node != tree and node.children and variables_of(node)):
        yield [_swap_subterm(tree, node, form) for form in write_anew(node)]
    yield list(_by_patterns(anything.rules, fold_numbers(tree)))


def by_procedures(*, whole: bool = True) -> Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]]:
    """Return the families that are procedures, by name; `whole` adds those for whole expressions."""
    return {**_FAMILIES, **_WHOLE} if whole else _FAMILIES


def _worked_out(tree: Tree) -> Tree:
    return differentiate(tree.children[1], tree.children[0].label) if tree.label == "d" else tree


def _swap_subterm(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree == old:
        return new
    return Tree(tree.label, tuple(_swap_subterm(child, old, new) for child in tree.children))


def _tidy_form(tree: Tree) -> Tree:
    """As one writes it: operands of functions worked out, (e^u)^n as e^(n u), a + -1/b as a - 1/b."""

    def tidy_node(node: Tree) -> Tree:
        if len(node.children) == 1 and node.label not in ("sqrt", "ln", "abs"):
            return Tree(node.label, (_expand_if_shorter(node.children[0]),))
        if node.label == "pow" and node.children[0].label == "e":
            return Tree("pow", (node.children[0], _expand_if_shorter(node.children[1])))
        if (
            node.label == "pow"
            and node.children[0].label == "pow"
            and node.children[0].children[0].label == "e"
        ):
            inside = node.children[0].children[1]
            return Tree("pow", (Tree("e"), _expand_if_shorter(multiply_terms(node.children[1], inside))))
        if node.label in ("+", "-"):
            positive = _strip_minus(node.children[1])
            if positive is not None:
                return Tree("-" if node.label == "+" else "+", (node.children[0], positive))
        return node

    return bottom_up(tree, tidy_node)


def _expand_if_shorter(tree: Tree) -> Tree:
    """Return the expanded form of an operand, where that is no longer."""
    try:
        return min(tree, expand_tree(tree), key=len)
    except TooLargeError:
        return tree


def _strip_minus(tree: Tree) -> Tree | None:
    """u for -u, where it is written with a negative number in front."""
    if tree.label in ("*", "/"):
        first = _strip_minus(tree.children[0])
        return (
            None
            if first is None
            else (multiply_terms if tree.label == "*" else divide_terms)(first, tree.children[1])
        )
    value = rational_value(tree) if not tree.children else None
    return number_tree(-value) if value is not None and value < 0 else None


# Exponentials and logarithms


def _exponential_quotients(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """Yield a rational function of e^u: factored, divided through by a power of it, by tanh(u/2)."""
    powers = Powers(signs)
    # Write the powers of e as powers of a single z = e^u; with more than one atom there is no such u.
    powers.scan_tree(tree)
    whole = bottom_up(tree, powers.split_power)
    space = Space([whole])
    result = space.to_quotient(whole)
    if len(space.atoms) != 1 or space.atoms[0].label != "pow" or space.atoms[0].children[0] != Tree("e"):
        return
    atom = space.atoms[0]
    yield space.product_to_tree(result)
    yield space.to_tree(result)
    if result.bottom.is_constant():
        return
    top, bottom = to_univariate(result.top), to_univariate(result.bottom)
    inside = atom.children[1]
    most = max(top.degree(), bottom.degree())

    def lower_degree(polynomial: fmpq_poly, by: int) -> Tree:
        total = ZERO
        for index in range(polynomial.degree(), -1, -1):
            n = index - by
            term = Tree("pow", (Tree("e"), expand_tree(multiply_terms(number_tree(n), inside)))) if n else ONE
            total = add_multiple(total, to_fraction(polynomial[index]), term)
        return total

    # Divide above and below by the highest power of z, then by half of it, for forms such as e^u + e^-u.
    for by in dict.fromkeys((most, Fraction(most, 2) if most % 2 == 0 else most)):
        yield divide_terms(lower_degree(top, int(by)), lower_degree(bottom, int(by)))
    # e^u = (1 + tanh(u/2)) / (1 - tanh(u/2)).
    half = Tree("tanh", (expand_tree(divide_terms(inside, TWO)),))
    through = divide_terms(add_terms(ONE, half), subtract_terms(ONE, half))
    yield from iterate_expanded(_swap_subterm(space.to_tree(result), atom, through), signs)


def _rewrite_logarithms(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """Logarithms of products taken apart, sums of logarithms put together."""
    powers = Powers(signs)
    apart = bottom_up(bottom_up(tree, powers.split_power), powers.split_logarithm)
    if apart != tree:
        yield apart
        yield expand_tree(_roots_as_written(apart))
    rows = split_terms(tree)
    joined = [(c, m) for c, m in rows if m.label == "ln"]
    if not joined or (len(joined) == 1 and abs(joined[0][0]) == 1):
        return
    # c ln u is ln u^c: collect the powers above and below by the signs of their factors.
    above, below = ONE, ONE
    for c, m in joined:
        inside = m.children[0]
        part = Tree("sqrt", (inside,)) if abs(c) == Fraction(1, 2) else raise_to_power(inside, abs(c))
        above, below = (multiply_terms(above, part), below) if c > 0 else (above, multiply_terms(below, part))
    total = Tree("ln", (divide_terms(above, below),))
    for c, m in rows:
        if m.label != "ln":
            total = add_multiple(total, c, m)
    yield total


def _roots_as_written(tree: Tree) -> Tree:
    return bottom_up(
        tree,
        lambda node: (
            Tree("sqrt", node.children[:1])
            if node.label == "pow" and rational_value(node.children[1]) == Fraction(1, 2)
            else node
        ),
    )


def _rewrite_roots(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """Roots of products taken apart, and a square factor taken out."""
    if tree.label not in ("sqrt", "pow"):
        return
    powers = Powers(signs)
    powers.scan_tree(tree)
    apart = bottom_up(tree, powers.split_power)
    if apart != tree:
        yield _roots_as_written(_tidy_form(apart))


def _merge_arctangents(tree: Tree, _: Signs) -> Iterator[Tree]:
    """atan a ± atan b as one arctangent."""
    rows = split_terms(tree)
    if len(rows) != 2 or any(m.label != "atan" or abs(c) != abs(rows[0][0]) for c, m in rows):
        return
    (c, m), (d, n) = rows
    a, b = m.children[0], n.children[0]
    joined = (add_terms, subtract_terms) if c == d else (subtract_terms, add_terms)
    whole = expand_tree(divide_terms(joined[0](a, b), joined[1](ONE, multiply_terms(a, b))))
    yield scale_term(c, Tree("atan", (whole,)))


# Sines and cosines, circular and hyperbolic


def _multiply_by_conjugate(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield a quotient multiplied by the conjugate of its denominator or of its numerator, by every root,
    sine and cosine in it.
    """
    space = Space([tree])
    result = space.to_quotient(tree)
    for index, atom in enumerate(space.atoms):
        square = _square_of(atom)
        if square is None:
            continue
        for side in (1, 0):
            # The side has to be p + q r with a single root r: then (p + q r)(p - q
            # r) = p² - q² r² has none.
            rows = _by_power(result[side], index)
            if set(rows) != {0, 1}:
                continue
            p, q = (space.make_polynomial(rows[n]) for n in (0, 1))
            root = multiply_terms(space.polynomial_to_tree(q), atom)
            conjugate = subtract_terms(space.polynomial_to_tree(p), root)
            difference = subtract_terms(
                raise_to_power(space.polynomial_to_tree(p), 2),
                multiply_terms(raise_to_power(space.polynomial_to_tree(q), 2), square),
            )
            norm = expand_tree(bottom_up(expand_tree(difference), _square_root_power))
            forms = [norm, *_replace_even_powers(norm)]
            norm = min((one for form in forms for one in (form, _power_form(form))), key=len)
            if norm == ZERO:
                continue
            # Expand the quotient by the conjugate: the norm takes the place of this side.
            other = multiply_terms(space.polynomial_to_tree(result[1 - side]), conjugate)
            yield divide_terms(other, norm) if side else divide_terms(norm, other)


def _square_root_power(node: Tree) -> Tree:
    """Return u for sqrt(u)^2."""
    squared = (
        node.label == "pow" and node.children[0].label == "sqrt" and rational_value(node.children[1]) == 2
    )
    return node.children[0].children[0] if squared else node


def _square_of(atom: Tree) -> Tree | None:
    if atom.label == "sqrt" or (atom.label == "pow" and rational_value(atom.children[1]) == Fraction(1, 2)):
        return atom.children[0]
    if atom.label in ("sin", "cos"):
        return subtract_terms(
            ONE, raise_to_power(Tree("cos" if atom.label == "sin" else "sin", atom.children), 2)
        )
    return None


def _by_power(polynomial: fmpq_mpoly, index: int) -> dict[int, dict[tuple[int, ...], Any]]:
    rows: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, c in polynomial.to_dict().items():
        lower = tuple(0 if at == index else int(n) for at, n in enumerate(exponents))
        rows.setdefault(int(exponents[index]), {})[lower] = c
    return rows


def _find_trig_angles(tree: Tree) -> set[Tree]:
    """Return the angles of sines and cosines in an expression."""
    return {node.children[0] for node in tree if node.label in (*_CIRCULAR, *_HYPERBOLIC)}


def _multiple_angles(tree: Tree, _: Signs, parts: int = 1) -> Iterator[Tree]:
    """By sines and cosines of one angle, and further by only one of the two."""
    if not _find_trig_angles(tree):
        return
    angles = Angles()
    angles.scan_tree(tree)
    angles.units = {m: parts * unit for m, unit in angles.units.items()}
    whole = tree
    for change in (angles.expand_addition, angles.reflect_negative, angles.expand_multiple):
        whole = bottom_up(whole, partial(_change_within_limit, change))
    if whole == tree:
        return
    whole = expand_tree(whole)
    yield whole
    yield from _replace_even_powers(whole)


def _change_within_limit(change: Callable[[Tree], Tree], node: Tree) -> Tree:
    """Return the node changed.

    Raises:
        TooLargeError: An angle of many terms doubles what is written with each.
    """
    result = change(node)
    if result is not node and next(islice(result, _LARGEST, None), None) is not None:
        raise TooLargeError("a sine or cosine has too many terms to take apart")
    return result


def _replace_even_powers(tree: Tree, _: Signs | None = None) -> Iterator[Tree]:
    """With one of the two functions in the place of even powers of the other."""
    if not _find_trig_angles(tree):
        return
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
    indices = [index for index, atom in enumerate(space.atoms) if atom.label == name]
    if not indices:
        return None

    def to_side(polynomial: fmpq_mpoly) -> Tree:
        total = ZERO
        for exponents, c in polynomial.to_dict().items():
            term = ONE
            for atom, n in zip(space.atoms, exponents, strict=False):
                n = int(n)
                # f^n is (f²)^(n // 2) times f if n is odd; the square is then replaced.
                if atom.label == name and n > 1:
                    square = raise_to_power(Tree(other, atom.children), 2)
                    base = (
                        (add_terms if sign > 0 else subtract_terms)(ONE, square)
                        if sign
                        else subtract_terms(square, ONE)
                    )
                    term = multiply_terms(term, raise_to_power(base, n // 2))
                    n %= 2
                if n:
                    term = multiply_terms(term, raise_to_power(atom, n))
            total = add_multiple(total, to_fraction(c), term)
        return expand_tree(total) if total != ZERO else ZERO

    result = space.to_quotient(tree)
    if all(row[index] < 2 for half in result for row in half.monoms() for index in indices):
        return None
    below = to_side(result.bottom)
    return expand_tree(divide_terms(to_side(result.top), below)) if below != ZERO else None


def _power_form(tree: Tree) -> Tree:
    """1 - cos² as sin²."""
    rows = {m: c for c, m in split_terms(tree)}
    for m, c in rows.items():
        square = m.label == "pow" and m.children[0].label in _CIRCULAR and m.children[1] == TWO
        if square and len(rows) == 2 and rows.get(ONE) == -c:
            other = Tree("cos" if m.children[0].label == "sin" else "sin", m.children[0].children)
            return scale_term(-c, raise_to_power(other, 2))
    return tree


Vector = tuple[Fraction, ...]


def _reduced_powers(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Without powers and products of sines and cosines: by those of multiple angles and sums."""
    for kind in (_CIRCULAR, _HYPERBOLIC):
        space = Space([tree])
        if not any(atom.label in kind for atom in space.atoms):
            continue
        result = space.to_quotient(tree)
        top, bottom = (_build_linear(space, side, kind) for side in result)
        if bottom == ZERO:
            continue
        yield divide_terms(top, bottom)


def _build_linear(space: Space, polynomial: fmpq_mpoly, kind: tuple[str, str]) -> Tree:
    # Angles are linear combinations of `basis`; a vector holds the coefficients of one angle.
    wave_indices = [index for index, atom in enumerate(space.atoms) if atom.label in kind]
    rows = [{m: c for c, m in split_terms(space.atoms[position].children[0])} for position in wave_indices]
    basis = sorted({m for row in rows for m in row}, key=lambda m: (len(m), m.list_labels()))
    vectors = [tuple(row.get(m, Fraction(0)) for m in basis) for row in rows]
    groups: dict[tuple[int, ...], dict[Vector, tuple[Fraction, Fraction]]] = {}
    waves = 0
    # Expand products of waves into sums of waves, monomial by monomial; a wave is a complex coefficient for
    # exp(i · angle).
    for exponents, c in polynomial.to_dict().items():
        series: dict[Vector, tuple[Fraction, Fraction]] = {
            tuple([Fraction(0)] * len(basis)): (to_fraction(c), Fraction(0))
        }
        for position, vector in zip(wave_indices, vectors, strict=True):
            for _ in range(int(exponents[position])):
                series = _times_series(series, vector, space.atoms[position].label, kind)
                waves += len(series)
                if waves > _MOST_WAVES:
                    raise TooLargeError("products of sines and cosines have too many waves")
        rest = tuple(0 if index in wave_indices else int(n) for index, n in enumerate(exponents))
        group = groups.setdefault(rest, {})
        for vector, (real, imaginary) in series.items():
            before = group.get(vector, (Fraction(0), Fraction(0)))
            group[vector] = before[0] + real, before[1] + imaginary
    # Put opposite angles together: they are one sine or cosine.
    total: list[tuple[Fraction, Tree]] = []
    for rest, group in groups.items():
        cofactor = space.polynomial_to_tree(space.make_polynomial({rest: fmpq(1)}))
        for vector in sorted(group):
            opposite = tuple(-n for n in vector)
            if vector < opposite:
                continue
            for share, m in _iterate_waves(group, vector, opposite, basis, kind):
                total.append((share, multiply_terms(m, cofactor) if cofactor != ONE else m))
    total = [(c, m) for c, m in total if c]
    if not total:
        return ZERO
    total.sort(key=lambda row: (len(row[1]), row[0] < 0))
    # Take out the common denominator, and begin with a positive term.
    denominator = lcm(*(c.denominator for c, _ in total))
    first = next((index for index, (c, _) in enumerate(total) if c > 0), 0)
    total.insert(0, total.pop(first))
    tree = ZERO
    for share, m in total:
        tree = add_multiple(tree, share * denominator, m)
    return divide_terms(tree, number_tree(denominator))


def _times_series(
    series: Mapping[Vector, tuple[Fraction, Fraction]], vector: Vector, label: str, kind: tuple[str, str]
) -> dict[Vector, tuple[Fraction, Fraction]]:
    """Return a sum of exponentials times (z ± 1/z)/2, or (z - 1/z)/2i for a circular sine."""
    result: dict[Vector, tuple[Fraction, Fraction]] = {}
    odd = label == kind[0]
    for position, (real, imaginary) in series.items():
        if odd and kind is _CIRCULAR:
            real, imaginary = imaginary, -real
        for sign in (1, -1):
            at = tuple(n + sign * m for n, m in zip(position, vector, strict=True))
            before = result.get(at, (Fraction(0), Fraction(0)))
            factor = Fraction(-1 if odd and sign < 0 else 1, 2)
            result[at] = before[0] + factor * real, before[1] + factor * imaginary
    return result


def _iterate_waves(
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
        angle = add_multiple(angle, n, m)
    even, odd = here[0] + there[0], here[0] - there[0]
    if kind is _CIRCULAR:
        odd = there[1] - here[1]
    yield even, Tree(kind[1], (angle,))
    yield odd, Tree(kind[0], (angle,))


def _sum_to_product(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield sums of two waves as products: c (sin a ± sin b) and the like, 1 ± cos a, and sin a ± cos a as
    one shifted sine.
    """
    rows = split_terms(tree)
    if len(rows) != 2 or abs(rows[0][0]) != abs(rows[1][0]):
        return
    (c, m), (d, n) = rows
    # e^u ± e^v factor into a hyperbolic function.
    labels = {m.label, n.label}
    if labels == {"pow"} and m.children[0] == n.children[0] == Tree("e"):
        yield from _two_exponentials(c, m.children[1], d, n.children[1])
        return
    if labels == {"pow", "1"}:
        exponential, plain = ((c, m), d) if m.label == "pow" else ((d, n), c)
        if exponential[1].children[0] == Tree("e"):
            yield from _two_exponentials(exponential[0], exponential[1].children[1], plain, ZERO)
        return
    # 1 ± cos u = 2 cos²(u/2) or 2 sin²(u/2), and the same for cosh.
    if ONE in (m, n):
        wave, sign = (m, d * c > 0) if n == ONE else (n, d * c > 0)
        scale = d if n == ONE else c
        if wave.label == "cos":
            half = expand_tree(divide_terms(wave.children[0], TWO))
            yield scale_term(2 * scale, raise_to_power(Tree("cos" if sign else "sin", (half,)), 2))
        if wave.label == "cosh":
            half = expand_tree(divide_terms(wave.children[0], TWO))
            yield scale_term(
                2 * scale * (1 if sign else -1), raise_to_power(Tree("cosh" if sign else "sinh", (half,)), 2)
            )
        return
    # sin u ± cos u = √2 sin(u ± π/4).
    if labels == set(_CIRCULAR) and m.children == n.children:
        (s, a), (t, __) = ((c, m), (d, n)) if m.label == "sin" else ((d, n), (c, m))
        root = Tree("sqrt", (TWO,))
        quarter = Tree("/", (Tree("pi"), Tree("4")))
        angle = a.children[0]
        factor = multiply_terms(number_tree(abs(s)), root)
        sine = (add_terms if s * t > 0 else subtract_terms)(angle, quarter)
        cosine = (subtract_terms if s * t > 0 else add_terms)(angle, quarter)
        yield multiply_terms(factor if s > 0 else multiply_terms(MINUS, factor), Tree("sin", (sine,)))
        yield multiply_terms(factor if t > 0 else multiply_terms(MINUS, factor), Tree("cos", (cosine,)))
        return
    # Only sums of two equal functions are left, as in sin u ± sin v = 2 sin((u ± v)/2) cos((u ∓ v)/2).
    if len(labels) == 1 and m.label in (*_CIRCULAR, *_HYPERBOLIC):
        yield from _two_waves(m.label, c, m.children[0], d, n.children[0])


def _two_waves(label: str, c: Fraction, a: Tree, d: Fraction, b: Tree) -> Iterator[Tree]:
    middle = expand_tree(divide_terms(add_terms(a, b), TWO))
    apart = expand_tree(divide_terms(subtract_terms(a, b), TWO))
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
    yield _build_signed_product(scale, [(first, middle), (second, apart)])


def _build_signed_product(scale: Fraction, waves: Iterable[tuple[str, Tree]]) -> Tree:
    """Return a product of sines and cosines whose angles begin without a minus."""
    result = ONE
    for label, angle in waves:
        rows = split_terms(angle)
        if rows and rows[0][0] < 0:
            angle = expand_tree(multiply_terms(MINUS, angle))
            scale = -scale if label in ("sin", "sinh") else scale
        result = multiply_terms(result, Tree(label, (angle,)))
    return scale_term(scale, result)


def _double_angle(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Products sin u cos u as sin(2u)/2."""
    space = Space([tree])
    for sine, cosine in (_CIRCULAR, _HYPERBOLIC):
        positions = {atom: index for index, atom in enumerate(space.atoms)}
        for atom, position in positions.items():
            other = positions.get(Tree(cosine, atom.children)) if atom.label == sine else None
            if other is None:
                continue
            wave = Tree(sine, (expand_tree(multiply_terms(TWO, atom.children[0])),))
            total, changed = ZERO, False
            result = space.to_quotient(tree)
            if not result.bottom.is_constant():
                continue
            for exponents, c in result.top.to_dict().items():
                # sin^m u cos^n u contains the product (sin u cos u)^min(m, n) = (sin 2u / 2)^min(m, n).
                both = min(int(exponents[position]), int(exponents[other]))
                changed = changed or both > 0
                rest = [int(n) - both * (at in (position, other)) for at, n in enumerate(exponents)]
                term = raise_to_power(wave, both) if both else ONE
                for one, n in zip(space.atoms, rest, strict=False):
                    term = multiply_terms(term, raise_to_power(one, n)) if n else term
                total = add_multiple(total, to_fraction(c) / 2**both, term)
            if changed:
                yield total


def _use_half_angle(tree: Tree, _: Signs) -> Iterator[Tree]:
    """By the tangent of half the angle: sin u = 2t/(1 + t²)."""
    angles = _find_trig_angles(tree)
    if len(angles) != 1:
        return
    (angle,) = angles
    half = Tree("tan", (expand_tree(divide_terms(angle, TWO)),))
    if any(node.label in _HYPERBOLIC for node in tree):
        half = Tree("tanh", half.children)
    # tan and tanh have the same formulas up to the signs of t².
    sign = add_terms if half.label == "tan" else subtract_terms
    other = subtract_terms if half.label == "tan" else add_terms
    below = sign(ONE, raise_to_power(half, 2))
    known = {
        _CIRCULAR[0]: divide_terms(multiply_terms(TWO, half), below),
        _CIRCULAR[1]: divide_terms(other(ONE, raise_to_power(half, 2)), below),
    }
    known |= {_HYPERBOLIC[0]: known["sin"], _HYPERBOLIC[1]: known["cos"]}
    yield expand_tree(bottom_up(tree, lambda node: known.get(node.label, node)))


def _use_sines_and_cosines(tree: Tree, _: Signs) -> Iterator[Tree]:
    """By sines and cosines alone, over a common denominator."""
    by = {
        "tan": lambda u: divide_terms(Tree("sin", u), Tree("cos", u)),
        "cot": lambda u: divide_terms(Tree("cos", u), Tree("sin", u)),
        "sec": lambda u: divide_terms(ONE, Tree("cos", u)),
        "csc": lambda u: divide_terms(ONE, Tree("sin", u)),
        "tanh": lambda u: divide_terms(Tree("sinh", u), Tree("cosh", u)),
        "coth": lambda u: divide_terms(Tree("cosh", u), Tree("sinh", u)),
        "sech": lambda u: divide_terms(ONE, Tree("cosh", u)),
        "csch": lambda u: divide_terms(ONE, Tree("sinh", u)),
    }
    if any(node.label in by for node in tree):
        yield expand_tree(
            bottom_up(tree, lambda node: by[node.label](node.children) if node.label in by else node)
        )


def _two_exponentials(c: Fraction, a: Tree, d: Fraction, b: Tree) -> Iterator[Tree]:
    """c (e^a ± e^b) as 2 c e^((a+b)/2) times a hyperbolic cosine or sine."""
    middle = expand_tree(divide_terms(add_terms(a, b), TWO))
    apart = expand_tree(divide_terms(subtract_terms(a, b), TWO))
    label = "cosh" if c == d else "sinh"
    if middle == ZERO:
        yield _build_signed_product(2 * c, [(label, apart)])
        return
    growth = multiply_terms(number_tree(2 * abs(c)), Tree("pow", (Tree("e"), middle)))
    yield multiply_terms(growth, _build_signed_product(c / abs(c), [(label, apart)]))


_FAMILIES: Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]] = {
    "expand": iterate_expanded,
    "factor": factored_forms,
    "square completed": square_completed,
    "partial fractions": partial_fractions,
    "multiple angles": _multiple_angles,
    "powers reduced": _reduced_powers,
    "sum to product": _sum_to_product,
    "double angle": _double_angle,
    "squares": _replace_even_powers,
    "logarithms": _rewrite_logarithms,
    "roots": _rewrite_roots,
    "symmetric": iterate_symmetric,
}
"""Of a whole expression and of its operands."""
_WHOLE: Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]] = {
    "common denominator": common_denominator,
    "conjugate": _multiply_by_conjugate,
    "Horner": iterate_horner,
    "half angles": partial(_multiple_angles, parts=2),
    "tangent": _use_half_angle,
    "sines and cosines": _use_sines_and_cosines,
    "exponential form": _exponential_quotients,
    "arctangents": _merge_arctangents,
}
"""Of a whole expression."""
