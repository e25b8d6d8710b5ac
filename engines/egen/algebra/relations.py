"""Whether two expressions are equal by algebra and relations of their atoms, and the lines between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from flint import fmpq_mpoly

from engines.core.expression_language import fold_numbers, unfold_numbers, variables_of
from engines.core.tree import Tree
from engines.egen.rules.table import Rule, fill_pattern, match_pattern, may_hold, reversed_rule
from engines.mathematics.algebra.atoms import Angles, Powers, Signs, bottom_up, is_algebraic, is_root, is_zero
from engines.mathematics.algebra.rational import (
    MINUS,
    ONE,
    ZERO,
    Space,
    TooLargeError,
    add_terms,
    divide_terms,
    integer_value,
    multiply_terms,
    raise_to_power,
    rational_value,
    split_terms,
    subtract_terms,
)

# Equality is decided by exact arithmetic: the numerator of the difference is reduced by sin^2 + cos^2 = 1,
# cosh^2 - sinh^2 = 1, (u^(1/n))^n = u and |u|^2 = u^2; what is left vanishes if every coefficient, an
# algebraic number, is 0. Sums of arctangents are multiplied out as complex numbers. What is found equal is
# equal wherever both are defined; nothing is said of where that is.

ARITHMETIC = "arithmetic"
# Bounds that keep the search short: a theorem that needs more is not found.
_MAX_REDUCTIONS = 40
_MAX_GROUPS = 60
_MAX_PRODUCT = 240


def find_equality_steps(left: Tree, right: Tree, powers: Powers) -> tuple[str, ...]:
    """Return the steps by which one expression is the other; none when they were not found to be equal."""
    if fold_numbers(left) == fold_numbers(right):
        return (ARITHMETIC,)
    try:
        space = _Closed([left, right])
        # Equal exactly if the numerator of the difference vanishes by the relations between the atoms.
        difference = space.combine_quotients("-", space.to_quotient(left), space.to_quotient(right)).top
        used = space.vanishes(difference)
        if used is not None:
            return used or (_name_algebra_step(left, right),)
        if _are_equal_roots(left, right, powers):
            return ("roots",)
        rows = split_terms(subtract_terms(left, right))
        if _are_equal_logarithms(rows):
            return ("logarithms",)
        return ("arctangents",) if _is_arctangent_sum_zero(rows, powers) else ()
    except TooLargeError:
        return ()


class _Closed(Space):
    def __init__(self, trees: Iterable[Tree]) -> None:
        known = list(trees)
        size = -1
        # Atoms of atoms are added until the space is closed: roots bring their radicands, cos brings sin.
        while True:
            super().__init__(known)
            if size == len(self.atoms):
                break
            size = len(self.atoms)
            for atom in self.atoms:
                result = is_root(atom)
                if result is not None:
                    known.append(result[0])
                elif atom.label == "abs":
                    known.append(atom.children[0])
                elif atom.label in ("cos", "cosh"):
                    known.append(Tree(_SINE[atom.label], atom.children))
        self._relations = [
            (index, *made) for index, atom in enumerate(self.atoms) if (made := self._find_relation(atom))
        ]

    def _find_relation(self, atom: Tree) -> tuple[int, fmpq_mpoly, str] | None:
        result = is_root(atom)
        if result is not None:
            base = self.to_quotient(result[0])
            return (result[1], base.top, "roots") if base.bottom.is_constant() else None
        if atom.label == "abs":
            inside = self.raise_quotient(self.to_quotient(atom.children[0]), 2)
            return (2, inside.top, "roots") if inside.bottom.is_constant() else None
        if atom.label in _SINE:
            square = self.to_quotient(raise_to_power(Tree(_SINE[atom.label], atom.children), 2)).top
            one = self.constant_polynomial(1)
            return 2, one - square if atom.label == "cos" else one + square, "squares"
        return None

    def vanishes(self, polynomial: fmpq_mpoly) -> tuple[str, ...] | None:
        """Return the relations by which a polynomial in the atoms is 0; None where it was not found to be."""
        left, used = self.lower_powers(polynomial)
        if left.is_zero():
            return used
        return (*used, "exact value") if self._numbers_vanish(left) else None

    def lower_powers(self, polynomial: fmpq_mpoly) -> tuple[fmpq_mpoly, tuple[str, ...]]:
        used: dict[str, None] = {}
        for _ in range(_MAX_REDUCTIONS):
            for index, exponent, value, name in self._relations:
                lower = self._lower_power(polynomial, index, exponent, value)
                if lower is not None:
                    polynomial = lower
                    used[name] = None
                    break
            else:
                break
        return polynomial, tuple(used)

    def _lower_power(
        self, polynomial: fmpq_mpoly, index: int, exponent: int, value: fmpq_mpoly
    ) -> fmpq_mpoly | None:
        """Return a polynomial without high powers of an atom; None where it has none."""
        if polynomial.degrees()[index] < exponent:
            return None
        groups: dict[int, dict[tuple[int, ...], object]] = {}
        for exponents, c in polynomial.to_dict().items():
            times_over, left = divmod(int(exponents[index]), exponent)
            lower = (*exponents[:index], left, *exponents[index + 1 :])
            groups.setdefault(times_over, {})[lower] = c
        total = self.constant_polynomial(0)
        for times_over, rows in groups.items():
            total += self.make_polynomial(rows) * value**times_over
            if len(total) > 2_000:
                raise TooLargeError("a polynomial has too many terms to be reduced")
        return total

    def _numbers_vanish(self, polynomial: fmpq_mpoly) -> bool:
        constant = [not variables_of(atom) and is_algebraic(atom) for atom in self.atoms]
        if not any(constant):
            return False
        groups: dict[tuple[int, ...], dict[tuple[int, ...], object]] = {}
        for exponents, c in polynomial.to_dict().items():
            key = tuple(0 if fixed else int(e) for fixed, e in zip(constant, exponents, strict=False))
            own = tuple(int(e) if fixed else 0 for fixed, e in zip(constant, exponents, strict=False))
            groups.setdefault(key, {})[own] = c
        if len(groups) > _MAX_GROUPS:
            return False
        return all(is_zero(self.polynomial_to_tree(self.make_polynomial(rows))) for rows in groups.values())


_SINE = {"cos": "sin", "cosh": "sinh"}
_PI = Tree("pi")


def _are_equal_roots(left: Tree, right: Tree, powers: Powers) -> bool:
    for first, second in ((left, right), (right, left)):
        result = is_root(first)
        if result is not None and powers.signs.sign_of(first) > 0 and powers.signs.sign_of(second) > 0:
            base, degree = result
            space = _Closed([base, second])
            difference = space.combine_quotients(
                "-", space.to_quotient(base), space.raise_quotient(space.to_quotient(second), degree)
            ).top
            return space.vanishes(difference) is not None
    return False


def _are_equal_logarithms(rows: Sequence[tuple[Fraction, Tree]]) -> bool:
    if not rows or any(m.label != "ln" for _, m in rows):
        return False
    counts = _count_terms(rows, rows)
    space = _Closed([m.children[0] for _, m in rows])
    product = space.to_quotient(ONE)
    for count, (_, m) in zip(counts, rows, strict=True):
        product = space.combine_quotients(
            "*", product, space.raise_quotient(space.to_quotient(m.children[0]), count)
        )
    return space.vanishes(product.top - product.bottom) is not None


def _is_arctangent_sum_zero(rows: Sequence[tuple[Fraction, Tree]], powers: Powers) -> bool:
    """Return whether a sum of arctangents, arcsines and parts of pi is 0 up to a part of pi: the product of 1
    + i u, each to the power of its number, is then real. Which part it is, the values say.
    """
    inverse = [(c, m) for c, m in rows if m != _PI]
    if not inverse or any(m.label not in ("atan", "asin") for _, m in inverse):
        return False
    counts = _count_terms(inverse, rows)
    sides = [_triangle_legs(m, powers) for _, m in inverse]
    space = _Closed([leg for pair in sides for leg in pair])
    zero = space.to_quotient(Tree("0"))
    # Multiply the complex numbers a + i b, whose arguments are the arctangents.
    real, imaginary = space.to_quotient(ONE), zero
    for count, (adjacent, opposite) in zip(counts, sides, strict=True):
        a, b = space.to_quotient(adjacent), space.to_quotient(opposite)
        # A negative count conjugates the number.
        if count < 0:
            b = space.combine_quotients("-", zero, b)
        for _ in range(abs(count)):
            real, imaginary = (
                space.combine_quotients(
                    "-", space.combine_quotients("*", real, a), space.combine_quotients("*", imaginary, b)
                ),
                space.combine_quotients(
                    "+", space.combine_quotients("*", real, b), space.combine_quotients("*", imaginary, a)
                ),
            )
    # The sum of the arguments is a multiple of pi exactly if the product is real.
    return space.vanishes(imaginary.top) is not None


def _count_terms(some: Sequence[tuple[Fraction, Tree]], rows: Sequence[tuple[Fraction, Tree]]) -> list[int]:
    whole = lcm(*(c.denominator for c, _ in rows))
    counts = [int(c * whole) for c, _ in some]
    if sum(map(abs, counts)) > _MAX_PRODUCT:
        raise TooLargeError("a sum has too large numbers before its terms")
    return counts


def _triangle_legs(inverse: Tree, powers: Powers) -> tuple[Tree, Tree]:
    u = inverse.children[0]
    if inverse.label == "atan":
        return ONE, u
    root = Tree("sqrt", (reduce_by_relations(subtract_terms(ONE, raise_to_power(u, 2))),))
    return bottom_up(root, powers.split_power), u


def reduce_by_relations(tree: Tree) -> Tree:
    """Return an expression with the relations of its atoms used, if that makes it shorter."""
    space = _Closed([tree])
    result = space.to_quotient(tree)
    lower = space.reduce_quotient(space.lower_powers(result.top)[0], space.lower_powers(result.bottom)[0])
    return min(tree, space.to_tree(lower), key=len)


def _name_algebra_step(left: Tree, right: Tree) -> str:
    before, after = _Shape(left), _Shape(right)
    if after.fractions and (after.fractions > 1 or after.sum) and after.fractions > before.fractions:
        return "partial fractions"
    if before.fractions and before.sum and not (after.sum and after.fractions):
        return "common denominator"
    if after.quotients < before.quotients:
        return "cancel"
    if before.products and not after.products:
        return "expand"
    if after.products and not before.products:
        return "factor"
    return "collect"


class _Shape:
    """What a term is made of: whether it is a sum, how many of its summands are fractions, how many quotients
    and products of sums it holds anywhere."""

    def __init__(self, tree: Tree) -> None:
        nodes = list(tree)
        summands = _list_summands(tree)
        self.sum = len(summands) > 1
        self.fractions = sum(map(_is_quotient, summands))
        self.quotients = sum(map(_is_quotient, nodes))
        self.products = sum(
            (node.label == "*" and any(map(_is_sum, node.children)))
            or (
                node.label == "pow"
                and _is_sum(node.children[0])
                and integer_value(node.children[1]) is not None
            )
            for node in nodes
        )


def _list_summands(tree: Tree) -> list[Tree]:
    return [part for child in tree.children for part in _list_summands(child)] if _is_sum(tree) else [tree]


def _is_sum(tree: Tree) -> bool:
    return tree.label in ("+", "-")


def _is_quotient(tree: Tree) -> bool:
    if tree.label == "/":
        return rational_value(tree.children[1]) is None
    return (
        tree.label == "pow"
        and rational_value(tree.children[0]) is None
        and (integer_value(tree.children[1]) or 0) < 0
    )


# Lines from two expressions to a common form, each made by a rule or a named procedure.
#
# Both ends are taken apart by the same steps in the same order: derivatives are worked out, functions are
# written by few others, sines of sums and multiples by those of their terms, powers and logarithms by those
# of factors. Each pair of lines is then held against each other (`find_equality_steps`); where two are equal,
# the way is closed.

TermLine = tuple[str, Tree]
"""The name of a step and what it leads to."""
TermLines = list[TermLine]

_ROUNDS = 5
_LARGEST = 900
"""Tokens; longer lines are not followed."""

_DERIVATIVES = (
    *("d-x", "d-parameter", "d-constant", "d-pi", "d-e", "d-multiple", "d-sum", "d-difference", "d-power"),
    *("d-exp", "d-quotient", "d-product", "d-sin", "d-cos", "d-tan", "d-csc", "d-sec", "d-cot", "d-asin"),
    *("d-acos", "d-atan", "d-acsc", "d-asec", "d-acot", "d-sinh", "d-cosh", "d-tanh", "d-csch", "d-sech"),
    *("d-coth", "d-asinh", "d-acosh", "d-atanh", "d-acsch", "d-asech", "d-acoth", "d-ln", "d-sqrt", "d-abs"),
)
_OTHER_DERIVATIVES = ("d-general-power",)
"""For what none of the others fits in the end."""
_WRITTEN_BY_OTHERS = (
    *("log-to-ln", "tan-to-sin-cos", "cot-to-cos-sin", "sec-reciprocal", "csc-reciprocal"),
    *("tanh-to-sinh-cosh", "coth-to-cosh-sinh", "sech-reciprocal", "csch-reciprocal"),
    *("asec-to-acos", "acsc-to-asin", "acos-to-asin", "acot-to-atan"),
    *("asech-to-acosh", "acsch-to-asinh", "asinh-to-ln", "acosh-to-ln", "atanh-to-ln", "acoth-to-ln"),
)
_HALVED = {"asin": "asin-half", "atan": "atan-half"}
"""How to write what half of an inverse function is taken of."""
_BY_EXPONENTIALS = ("sinh-to-exp", "cosh-to-exp")
_COMPOSED = ("sin-asin", "cos-asin", "sin-atan", "cos-atan")


def iterate_meetings(
    start: Tree, target: Tree, rules: Mapping[str, Rule], signs: Signs
) -> Iterator[TermLines]:
    """Yield ways from one expression to another, those with few lines first, without the start.

    Args:
        rules: By name.
        signs: At points where both are defined. Nothing is said of the lines' domains.
    """
    for exponentials in (False, True):
        ends = _Ends(rules, signs, exponentials)
        start_ends, target_ends = ends.split_ends(start, target)
        # Pairs of lines with the fewest lines before them come first.
        order = sorted(
            ((i, j) for i in range(len(start_ends)) for j in range(len(target_ends))),
            key=lambda pair: (sum(pair), pair),
        )
        for i, j in order:
            steps = find_equality_steps(start_ends[i][1], target_ends[j][1], ends.powers)
            if steps:
                # The lines from the target are walked backwards, with reversed rules.
                names = [reversed_rule(name) if name in rules else name for name, _ in target_ends]
                back = [(names[k], target_ends[k - 1][1]) for k in range(j, 0, -1)]
                met = (
                    []
                    if start_ends[i][1] == target_ends[j][1]
                    else [(" and ".join(steps), target_ends[j][1])]
                )
                yield [*start_ends[1 : i + 1], *met, *back]


class _Ends:
    def __init__(self, rules: Mapping[str, Rule], signs: Signs, exponentials: bool) -> None:
        self.rules = rules
        self.powers = Powers(signs)
        self.angles = Angles()
        self.exponentials = exponentials

    def split_ends(self, start: Tree, target: Tree) -> tuple[TermLines, TermLines]:
        sides: tuple[TermLines, TermLines] = [("", start)], [("", target)]
        powers, angles = self.powers, self.angles
        # A later step may make work for an earlier one, so all steps are repeated until nothing changes.
        for _ in range(_ROUNDS):
            before = sides[0][-1][1], sides[1][-1][1]
            # First work out derivatives, and write all functions by a few of them.
            for side in sides:
                self._by_rules(side, ("log-to-ln",))
                while self._by_rules(side, _DERIVATIVES) or self._by_rules(side, _OTHER_DERIVATIVES):
                    pass
                self._by_rules(side, _WRITTEN_BY_OTHERS)
                if self.exponentials:
                    self._by_rules(side, _BY_EXPONENTIALS)
            # Then the angles: sums, fractions, signs and multiples, until exact values can be read off.
            self._change_everywhere(sides, "addition theorem", angles.expand_addition)
            self._scan_sides(sides, angles.scan_tree)
            for side in sides:
                self._by_rules(
                    side, [_HALVED[name] for name in _HALVED if angles.is_fraction_of_inverse(name)]
                )
            self._change_everywhere(sides, "negative angle", angles.reflect_negative)
            self._change_everywhere(sides, "multiple angle", angles.expand_multiple)
            self._change_everywhere(sides, "exact value", angles.exact_value)
            for side in sides:
                self._by_rules(side, _COMPOSED)
            # Last come squares, absolute values, powers and logarithms.
            self._change_everywhere(sides, "squares", _strip_function)
            self._change_everywhere(sides, "absolute value", powers.resolve_absolute)
            self._scan_sides(sides, powers.scan_tree)
            self._change_everywhere(sides, "powers", powers.split_power)
            self._change_everywhere(sides, "logarithms", powers.split_logarithm)
            if before == (sides[0][-1][1], sides[1][-1][1]):
                break
        return sides

    def _by_rules(self, side: TermLines, names: Sequence[str]) -> bool:
        changed = False
        for name in names:
            if name not in self.rules:
                continue
            tree = fold_numbers(side[-1][1])
            new = self._rewrite_tree(self.rules[name], tree)
            if new != tree and len(new) <= _LARGEST:
                unfolded = unfold_numbers(tree)
                if unfolded != side[-1][1]:
                    side.append((ARITHMETIC, unfolded))
                side.append((name, unfold_numbers(new)))
                changed = True
        return changed

    def _change_everywhere(
        self, sides: tuple[TermLines, TermLines], name: str, change: Callable[[Tree], Tree]
    ) -> None:
        for side in sides:
            tree = side[-1][1]
            try:
                new = bottom_up(tree, change)
            except TooLargeError:
                continue
            if fold_numbers(new) != fold_numbers(tree) and len(new) <= _LARGEST:
                side.append((name, bottom_up(new, _without_neutral)))

    @staticmethod
    def _scan_sides(sides: tuple[TermLines, TermLines], scan: Callable[[Tree], None]) -> None:
        for side in sides:
            try:
                scan(side[-1][1])
            except TooLargeError:
                continue

    def _rewrite_tree(self, rule: Rule, tree: Tree) -> Tree:
        left, right = fold_numbers(rule.left), fold_numbers(rule.right)

        def rewrite_node(node: Tree) -> Tree:
            binding: dict[str, Tree] = {}
            if not match_pattern(left, node, binding):
                return node
            if left.label == "d" and any(one.label == "d" for bound in binding.values() for one in bound):
                return node
            if not all(may_hold(condition, binding) for condition in rule.when):
                return node
            return fill_pattern(right, binding)

        return bottom_up(tree, rewrite_node) if left.label in tree.list_labels() else tree


def _without_neutral(tree: Tree) -> Tree:
    """Return a sum without terms 0, a product without factors 0 or 1 and without two factors -1."""
    if tree.label == "*" and tree.children[0] == MINUS and tree.children[1].children[:1] == (MINUS,):
        return tree.children[1].children[1] if tree.children[1].label == "*" else tree
    return _SIMPLER[tree.label](*tree.children) if tree.label in _SIMPLER else tree


_SIMPLER: Mapping[str, Callable[[Tree, Tree], Tree]] = {
    "+": add_terms,
    "-": lambda left, right: subtract_terms(left, right) if left != ZERO else multiply_terms(MINUS, right),
    "*": multiply_terms,
    "/": divide_terms,
}


def _strip_function(tree: Tree) -> Tree:
    if tree.label not in ("sqrt", "ln", "abs") and not (
        tree.label == "pow" and integer_value(tree.children[1]) is None
    ):
        return tree
    return Tree(tree.label, (reduce_by_relations(tree.children[0]), *tree.children[1:]))
