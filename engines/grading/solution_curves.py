r"""Solutions of differential equations with one constant, `x^2 + y^2 = C`, as families of curves.

Both families are written as the level lines H(x, y) = C. They are the same where one H is a multiple of the
other and a constant more, for all values of both constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from engines.core.tree import ONE, ZERO, Tree, differentiate
from engines.grading.constants import VARIABLES, is_constant_name
from engines.grading.verdicts import GradeVerdict, differ_by
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable


def compare_curves(
    judge: Judge, gold: Tree, pred: Tree, letters: tuple[Sequence[str], Sequence[str]]
) -> GradeVerdict | None:
    """Compare equations in two variables with a constant each; None for other statements.

    Args: letters: the names of each side that are said to be constants.
    """
    one, other = _read_levels(judge, gold, letters[0]), _read_levels(judge, pred, letters[1])
    if (one is None) != (other is None):
        levels, explicit, names = (one, pred, letters[1]) if one is not None else (other, gold, letters[0])
        assert levels is not None
        return _compare_explicit(judge, levels, explicit, names)
    if one is None or other is None:
        return None
    names = sorted(free_variables(one) | free_variables(other))
    if len(names) != 2 or not VARIABLES.issuperset(names) or free_variables(one) != free_variables(other):
        return None
    slopes = [[differentiate(level, name) for name in names] for level in (one, other)]
    crossed = Tree("-", (Tree("*", (slopes[0][0], slopes[1][1])), Tree("*", (slopes[0][1], slopes[1][0]))))
    aligned = judge.equal(crossed, ZERO)
    if aligned.outcome == "different":
        return differ_by("the curves of one have other directions")
    if not _holds(aligned.outcome):
        return None
    share = Tree("/", (slopes[1][0], slopes[0][0]))
    if all(_holds(judge.equal(differentiate(share, name), ZERO).outcome) for name in names):
        return GradeVerdict("equal", reason="the constants stand for any numbers")
    return GradeVerdict("equal if", condition="the constants have the values that give the same curves")


def _compare_explicit(judge: Judge, levels: Tree, tree: Tree, letters: Sequence[str]) -> GradeVerdict | None:
    """Compare level lines H(x, y) = C with an equation y = f(x, C), or with several, as of y = ±f(x, C).

    They are the same curves where H of each f is C, and one f of H is y: a root that gives some points only
    fails.
    """
    equations = tree.children if tree.label == "or" else (tree,)
    if any(one.label != "=" or _drop_argument(one.children[0]).children for one in equations):
        return None
    names = {_drop_argument(one.children[0]).label for one in equations}
    functions = [one.children[1] for one in equations]
    found = {name for function in functions for name in free_variables(function)}
    constants = [one for one in found if one in letters or is_constant_name(one)]
    name = min(names)
    if len(constants) != 1 or len(names) > 1 or name not in VARIABLES or name in found:
        return None
    constant = Tree(constants[0])
    across = [judge.equal(replace_variable(levels, name, function), constant) for function in functions]
    apart = [
        Tree("-", (Tree(name), replace_variable(function, constants[0], levels))) for function in functions
    ]
    back = judge.equal(reduce(lambda one, other: Tree("*", (one, other)), apart), ZERO)
    if not all(_holds(one.outcome) for one in across) or back.outcome != "equal":
        return None
    return GradeVerdict("equal", reason="the constants stand for any numbers")


def _holds(outcome: str) -> bool:
    return outcome in ("equal", "equal if")


def _read_levels(judge: Judge, tree: Tree, letters: Sequence[str]) -> Tree | None:
    """Return H of an equation that says the same as H(x, y) = C; None for others."""
    if tree.label != "=":
        return None
    left, right = map(_drop_argument, tree.children)
    names = free_variables(left) | free_variables(right)
    constants = [name for name in names if name in letters or is_constant_name(name)]
    if len(constants) != 1 or len(names) != 3:
        return None
    (constant,) = constants
    for difference in _list_differences(left, right):
        rest = replace_variable(difference, constant, ZERO)
        factor = Tree("-", (replace_variable(difference, constant, ONE), rest))
        linear = Tree("+", (rest, Tree("*", (Tree(constant), factor))))
        if (
            judge.equal(difference, linear).outcome == "equal"
            and judge.equal(factor, ZERO).outcome != "equal"
        ):
            return Tree("/", (Tree("-", (ZERO, rest)), factor))
    return None


def _drop_argument(tree: Tree) -> Tree:
    """Return `y` for `y(x)`."""
    parts = tree.children
    plain = tree.label == "call" and len(parts) == 2 and not parts[1].children and parts[0].label in VARIABLES
    if plain:
        return parts[0]
    return Tree(tree.label, tuple(map(_drop_argument, parts))) if parts else tree


def _list_differences(left: Tree, right: Tree) -> list[Tree]:
    """Return terms that are 0 where an equation holds: its difference, and that without the denominator."""
    result = [Tree("-", (left, right))]
    for one, other in ((left, right), (right, left)):
        fraction, sign = _take_sign(other)
        if fraction.label == "/":
            above, below = fraction.children
            result.append(Tree("-", (Tree("*", (one, below)), Tree("*", (sign, above)))))
    return result


def _take_sign(tree: Tree) -> tuple[Tree, Tree]:
    if tree.label == "*" and tree.children[0] == Tree("-1"):
        return tree.children[1], tree.children[0]
    return tree, ONE
