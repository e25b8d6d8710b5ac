"""Classical forms of an expression: what a table of formulas would give for it, by named families.

A family takes an expression to others that are equal to it as a rule: multiplied out, factored, in partial
fractions, with the square completed, by multiple angles or without powers of sines. Nothing is said of their
domains here: who uses them verifies each (`egraph.members`). Procedures stand here, what one pattern gives in
`assets/rules/classical.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache

from flint import fmpq_poly

from engines.core.assets import asset
from engines.core.tree import Tree, derivative
from engines.egen.algebra.atoms import Powers, Signs, bottom_up
from engines.egen.algebra.polynomial_forms import (
    common_denominator,
    dense,
    expanded,
    factored_forms,
    fraction,
    nested,
    partial_fractions,
    plus,
    scaled,
    square_completed,
)
from engines.egen.algebra.rational import (
    ONE,
    ZERO,
    Space,
    TooLargeError,
    added,
    divided,
    factored,
    less,
    normal,
    number,
    power,
    rational,
    terms,
    times,
)
from engines.egen.algebra.relations import filled, fits, meets
from engines.egen.algebra.trigonometric_forms import (
    conjugate,
    double_angle,
    half_angles,
    multiple_angles,
    quotients,
    reduced_powers,
    squares,
    sum_to_product,
    tangents,
)
from engines.egen.expressions.forms import canonical_key
from engines.egen.expressions.language import fold, unfolded
from engines.egen.rules.table import Rule, parse_families

TABLE = "rules/classical.toml"
_MOST = 120
"""Forms of one expression, at most."""
_AGAIN = 12
"""Forms, the shortest, that the families are applied to once more."""
_LONGER = 12
"""Tokens by which a form may be longer than its expression and be taken further."""
_TWO = Tree("2")


def classical(
    head: Tree, signs: Signs, families: Sequence[str], *, longest: int
) -> Iterator[tuple[str, Tree]]:
    """Forms of an expression with the family that makes each, none of them twice: first its own, then those
    of its shortest forms, then those with one of its operands in another form.

    Args: signs: at points where the head is defined. families: by name (`records.FORMS`). longest: no forms
    of more tokens.
    """
    if "multiplied out" in families:
        with suppress(TooLargeError):
            yield from (("", form) for form in (normal(head), factored(head)) if len(form) <= longest)
        return
    seen = {canonical_key(head)}
    given = 0

    def fresh(found: Iterable[tuple[str, Tree]]) -> Iterator[tuple[str, Tree]]:
        nonlocal given
        for family, form in found:
            if len(form) <= longest and (key := canonical_key(form)) not in seen and given < _MOST:
                seen.add(key)
                given += 1
                yield family, form

    if "d" in head.labels():
        # What is made of a derivative as it stands would only be worked out later.
        head = _simpler(bottom_up(head, _worked_out))
        if "derivative" in families:
            yield from fresh([("derivative", head)])
    own = list(fresh(_forms(head, signs, families, whole=True)))
    yield from own
    short = sorted((form for _, form in own if len(form) <= len(head) + _LONGER), key=len)[:_AGAIN]
    yield from fresh(found for form in short for found in _forms(form, signs, families, whole=True))
    for place in dict.fromkeys(node for node in head if node != head and len(node) > 1):
        inside = _forms(place, signs, families, whole=False)
        yield from fresh((family, _swapped(head, place, form)) for family, form in inside)


def _forms(tree: Tree, signs: Signs, families: Sequence[str], *, whole: bool) -> Iterator[tuple[str, Tree]]:
    for name, family in by_procedures(whole=whole).items():
        if name in families:
            with suppress(TooLargeError, RecursionError):
                for form in family(tree, signs):
                    yield name, _tidy(form)
    folded = fold(tree)
    for name, rules in by_patterns().items():
        for rule in rules if name in families else ():
            binding: dict[str, Tree] = {}
            if fits(fold(rule.left), folded, binding) and all(meets(one, binding) for one in rule.when):
                yield name, _tidy(unfolded(filled(rule.right, binding)))


def by_procedures(*, whole: bool = True) -> Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]]:
    return {**_FAMILIES, **_WHOLE} if whole else _FAMILIES


@cache
def by_patterns() -> Mapping[str, tuple[Rule, ...]]:
    text = asset(TABLE).read_text(encoding="utf-8")
    return {family.name: family.rules for family in parse_families(text, TABLE)}


def _swapped(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree == old:
        return new
    return Tree(tree.label, tuple(_swapped(child, old, new) for child in tree.children))


def _worked_out(tree: Tree) -> Tree:
    return derivative(tree.children[1], tree.children[0].label) if tree.label == "d" else tree


def _tidy(tree: Tree) -> Tree:
    """As one writes it: operands of functions worked out, (e^u)^n as e^(n u), a + -1/b as a - 1/b."""

    def change(node: Tree) -> Tree:
        if len(node.children) == 1 and node.label not in ("sqrt", "ln", "abs"):
            return Tree(node.label, (_simpler(node.children[0]),))
        if node.label == "pow" and node.children[0].label == "e":
            return Tree("pow", (node.children[0], _simpler(node.children[1])))
        if (
            node.label == "pow"
            and node.children[0].label == "pow"
            and node.children[0].children[0].label == "e"
        ):
            inside = node.children[0].children[1]
            return Tree("pow", (Tree("e"), _simpler(times(node.children[1], inside))))
        if node.label in ("+", "-"):
            positive = _opposite(node.children[1])
            if positive is not None:
                return Tree("-" if node.label == "+" else "+", (node.children[0], positive))
        return node

    return bottom_up(tree, change)


def _simpler(tree: Tree) -> Tree:
    """The expanded form of an operand, where that is no longer."""
    try:
        return min(tree, normal(tree), key=len)
    except TooLargeError:
        return tree


def _opposite(tree: Tree) -> Tree | None:
    """u for -u, where it is written with a negative number in front."""
    if tree.label in ("*", "/"):
        first = _opposite(tree.children[0])
        return None if first is None else (times if tree.label == "*" else divided)(first, tree.children[1])
    value = rational(tree) if not tree.children else None
    return number(-value) if value is not None and value < 0 else None


# Exponentials and logarithms


def _exponential_quotients(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """A rational function of e^u: factored, divided through by a power of it, by tanh(u/2)."""
    powers = Powers(signs)
    powers.scan(tree)
    whole = bottom_up(tree, powers.power)
    space = Space([whole])
    result = space.of(whole)
    if len(space.atoms) != 1 or space.atoms[0].label != "pow" or space.atoms[0].children[0] != Tree("e"):
        return
    atom = space.atoms[0]
    yield space.product(result)
    yield space.tree(result)
    if result.bottom.is_constant():
        return
    top, bottom = dense(result.top), dense(result.bottom)
    inside = atom.children[1]
    most = max(top.degree(), bottom.degree())

    def lowered(polynomial: fmpq_poly, by: int) -> Tree:
        total = ZERO
        for place in range(polynomial.degree(), -1, -1):
            n = place - by
            term = Tree("pow", (Tree("e"), normal(times(number(n), inside)))) if n else ONE
            total = plus(total, fraction(polynomial[place]), term)
        return total

    for by in dict.fromkeys((most, Fraction(most, 2) if most % 2 == 0 else most)):
        yield divided(lowered(top, int(by)), lowered(bottom, int(by)))
    half = Tree("tanh", (normal(divided(inside, _TWO)),))
    through = divided(added(ONE, half), less(ONE, half))
    yield from expanded(_swapped(space.tree(result), atom, through), signs)


def _logarithms(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """Logarithms of products taken apart, sums of logarithms put together."""
    powers = Powers(signs)
    apart = bottom_up(bottom_up(tree, powers.power), powers.logarithm)
    if apart != tree:
        yield apart
        yield normal(_roots_as_written(apart))
    rows = terms(tree)
    joined = [(c, m) for c, m in rows if m.label == "ln"]
    if not joined or (len(joined) == 1 and abs(joined[0][0]) == 1):
        return
    above, below = ONE, ONE
    for c, m in joined:
        part = _raised(m.children[0], abs(c))
        above, below = (times(above, part), below) if c > 0 else (above, times(below, part))
    total = Tree("ln", (divided(above, below),))
    for c, m in rows:
        if m.label != "ln":
            total = plus(total, c, m)
    yield total


def _raised(base: Tree, exponent: Fraction) -> Tree:
    return Tree("sqrt", (base,)) if exponent == Fraction(1, 2) else power(base, exponent)


def _roots_as_written(tree: Tree) -> Tree:
    return bottom_up(
        tree,
        lambda node: (
            Tree("sqrt", node.children[:1])
            if node.label == "pow" and rational(node.children[1]) == Fraction(1, 2)
            else node
        ),
    )


def _roots(tree: Tree, signs: Signs) -> Iterator[Tree]:
    """Roots of products taken apart, and a square factor taken out."""
    if tree.label not in ("sqrt", "pow"):
        return
    powers = Powers(signs)
    powers.scan(tree)
    apart = bottom_up(tree, powers.power)
    if apart != tree:
        yield _roots_as_written(_tidy(apart))


def _arctangents(tree: Tree, _: Signs) -> Iterator[Tree]:
    """atan a ± atan b as one arctangent."""
    rows = terms(tree)
    if len(rows) != 2 or any(m.label != "atan" or abs(c) != abs(rows[0][0]) for c, m in rows):
        return
    (c, m), (d, n) = rows
    a, b = m.children[0], n.children[0]
    joined = (added, less) if c == d else (less, added)
    whole = normal(divided(joined[0](a, b), joined[1](ONE, times(a, b))))
    yield scaled(c, Tree("atan", (whole,)))


_FAMILIES: Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]] = {
    "expand": expanded,
    "factor": factored_forms,
    "square completed": square_completed,
    "partial fractions": partial_fractions,
    "multiple angles": multiple_angles,
    "powers reduced": reduced_powers,
    "sum to product": sum_to_product,
    "double angle": double_angle,
    "squares": squares,
    "logarithms": _logarithms,
    "roots": _roots,
}
"""Of a whole expression and of its operands."""
_WHOLE: Mapping[str, Callable[[Tree, Signs], Iterator[Tree]]] = {
    "common denominator": common_denominator,
    "conjugate": conjugate,
    "Horner": nested,
    "half angles": half_angles,
    "tangent": tangents,
    "sines and cosines": quotients,
    "exponential form": _exponential_quotients,
    "arctangents": _arctangents,
}
"""Of a whole expression."""
