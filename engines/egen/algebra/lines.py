"""Lines from two expressions to a common form, each made by a rule or a named procedure.

Both ends are taken apart by the same steps in the same order: derivatives are worked out, functions are
written by few others, sines of sums and multiples by those of their terms, powers and logarithms by those of
factors. Each pair of lines is then held against each other (`relations.equal`); where two are equal, the way
is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.egen.algebra.atoms import Angles, Powers, Signs, bottom_up
from engines.egen.algebra.rational import ZERO, TooLargeError, added, divided, integer, less, times
from engines.egen.algebra.relations import ARITHMETIC, equal, reduced
from engines.egen.expressions.language import VARIABLE, fold, is_number, unfolded, variables_of
from engines.egen.rules.table import Condition, Rule, is_variable

Lines = list[tuple[str, Tree]]
"""The name of a step and what it leads to."""

_MINUS = Tree("-1")
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


def meetings(start: Tree, target: Tree, rules: Mapping[str, Rule], signs: Signs) -> Iterator[Lines]:
    """Ways from one expression to the other, those with few lines first; the start is left out.

    Args: rules: by name. signs: at points where both are defined. Nothing is said of the lines' domains.
    """
    for exponentials in (False, True):
        ends = _Ends(rules, signs, exponentials)
        here, there = ends.apart(start, target)
        order = sorted(
            ((i, j) for i in range(len(here)) for j in range(len(there))), key=lambda pair: (sum(pair), pair)
        )
        for i, j in order:
            steps = equal(here[i][1], there[j][1], ends.powers)
            if steps:
                back = [(_back(there[k][0], rules), there[k - 1][1]) for k in range(j, 0, -1)]
                met = [] if here[i][1] == there[j][1] else [(" and ".join(steps), there[j][1])]
                yield [*here[1 : i + 1], *met, *back]


def _back(name: str, rules: Mapping[str, Rule]) -> str:
    """A step's name in the other direction: that of a procedure is the same."""
    if name not in rules:
        return name
    return name.removesuffix("~") if name.endswith("~") else f"{name}~"


class _Ends:
    def __init__(self, rules: Mapping[str, Rule], signs: Signs, exponentials: bool) -> None:
        self.rules = rules
        self.powers = Powers(signs)
        self.angles = Angles()
        self.exponentials = exponentials

    def apart(self, start: Tree, target: Tree) -> tuple[Lines, Lines]:
        sides: tuple[Lines, Lines] = [("", start)], [("", target)]
        powers, angles = self.powers, self.angles
        for _ in range(_ROUNDS):
            before = sides[0][-1][1], sides[1][-1][1]
            for side in sides:
                self._by_rules(side, ("log-to-ln",))
                while self._by_rules(side, _DERIVATIVES) or self._by_rules(side, _OTHER_DERIVATIVES):
                    pass
                self._by_rules(side, _WRITTEN_BY_OTHERS)
                if self.exponentials:
                    self._by_rules(side, _BY_EXPONENTIALS)
            self._everywhere(sides, "addition theorem", angles.addition)
            self._scan(sides, angles.scan)
            for side in sides:
                self._by_rules(side, [_HALVED[name] for name in _HALVED if angles.halves(name)])
            self._everywhere(sides, "negative angle", angles.negative)
            self._everywhere(sides, "multiple angle", angles.multiple)
            self._everywhere(sides, "exact value", angles.value)
            for side in sides:
                self._by_rules(side, _COMPOSED)
            self._everywhere(sides, "squares", _inside)
            self._everywhere(sides, "absolute value", powers.absolute)
            self._scan(sides, powers.scan)
            self._everywhere(sides, "powers", powers.power)
            self._everywhere(sides, "logarithms", powers.logarithm)
            if before == (sides[0][-1][1], sides[1][-1][1]):
                break
        return sides

    def _by_rules(self, side: Lines, names: Sequence[str]) -> bool:
        changed = False
        for name in names:
            if name not in self.rules:
                continue
            tree = fold(side[-1][1])
            new = self._rewritten(self.rules[name], tree)
            if new != tree and len(new) <= _LARGEST:
                worked_out = unfolded(tree)
                if worked_out != side[-1][1]:
                    side.append((ARITHMETIC, worked_out))
                side.append((name, unfolded(new)))
                changed = True
        return changed

    def _everywhere(self, sides: tuple[Lines, Lines], name: str, change: Callable[[Tree], Tree]) -> None:
        for side in sides:
            tree = side[-1][1]
            try:
                new = bottom_up(tree, change)
            except TooLargeError:
                continue
            if fold(new) != fold(tree) and len(new) <= _LARGEST:
                side.append((name, bottom_up(new, _without_neutral)))

    @staticmethod
    def _scan(sides: tuple[Lines, Lines], scan: Callable[[Tree], None]) -> None:
        for side in sides:
            try:
                scan(side[-1][1])
            except TooLargeError:
                continue

    def _rewritten(self, rule: Rule, tree: Tree) -> Tree:
        left, right = fold(rule.left), fold(rule.right)

        def change(node: Tree) -> Tree:
            binding: dict[str, Tree] = {}
            if not fits(left, node, binding):
                return node
            if left.label == "d" and any(one.label == "d" for bound in binding.values() for one in bound):
                return node
            if not all(meets(condition, binding) for condition in rule.when):
                return node
            return filled(right, binding)

        return bottom_up(tree, change) if left.label in tree.labels() else tree


def meets(condition: Condition, binding: Mapping[str, Tree]) -> bool:
    """Whether a condition of a rule may hold: of numbers exactly, of functions as far as their form says; the
    rest is for whoever verifies the result."""
    tree = filled(condition.pattern, binding)
    if condition.name in OF_NUMBERS:
        return is_number(tree) and OF_NUMBERS[condition.name](Fraction(tree.label))
    if condition.name == "free":
        return VARIABLE not in tree.labels()
    return condition.name != "nonconst" or bool(variables_of(tree))


def _without_neutral(tree: Tree) -> Tree:
    """A sum without terms 0, a product without factors 0 or 1 and without two factors -1."""
    if tree.label == "*" and tree.children[0] == _MINUS and tree.children[1].children[:1] == (_MINUS,):
        return tree.children[1].children[1] if tree.children[1].label == "*" else tree
    return _SIMPLER[tree.label](*tree.children) if tree.label in _SIMPLER else tree


_SIMPLER: Mapping[str, Callable[[Tree, Tree], Tree]] = {
    "+": added,
    "-": lambda left, right: less(left, right) if left != ZERO else times(_MINUS, right),
    "*": times,
    "/": divided,
}


def _inside(tree: Tree) -> Tree:
    """A root, logarithm or absolute value of what is shorter by relations."""
    if tree.label not in ("sqrt", "ln", "abs") and not (
        tree.label == "pow" and integer(tree.children[1]) is None
    ):
        return tree
    return Tree(tree.label, (reduced(tree.children[0]), *tree.children[1:]))


OF_NUMBERS: Mapping[str, Callable[[Fraction], bool]] = {
    "const": lambda _: True,
    "int": lambda value: value.denominator == 1,
    "odd": lambda value: value.denominator == 1 and value % 2 == 1,
    "even": lambda value: value.denominator == 1 and value % 2 == 0,
    "posnum": lambda value: value > 0,
    "negnum": lambda value: value < 0,
}
"""Conditions of rules that numbers decide, by name."""


def fits(pattern: Tree, tree: Tree, binding: dict[str, Tree]) -> bool:
    """Whether a pattern is a tree with its variables filled in, which are then in the binding."""
    if is_variable(pattern):
        return binding.setdefault(pattern.label, tree) == tree
    return (
        pattern.label == tree.label
        and len(pattern.children) == len(tree.children)
        and all(fits(p, t, binding) for p, t in zip(pattern.children, tree.children, strict=True))
    )


def filled(pattern: Tree, binding: Mapping[str, Tree]) -> Tree:
    """A pattern with its variables filled in."""
    if is_variable(pattern):
        return binding[pattern.label]
    return Tree(pattern.label, tuple(filled(child, binding) for child in pattern.children))
