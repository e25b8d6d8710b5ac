r"""Answers that say of letters that they may be any real numbers: `y = Ae^x, A \in \mathbb{R}`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from engines.core.tree import Tree
from engines.grading.linear_terms import list_conjuncts
from engines.grading.solution_curves import compare_curves
from engines.grading.verdicts import GradeVerdict, with_policy
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import INTEGERS, REALS, free_variables, replace_variable

_MOST_LETTERS = 3
_ONE_SAYS = "only one of them says which numbers the letters are"
_ANY = "the letters stand for any numbers"


def split_declared(tree: Tree) -> tuple[Tree, tuple[str, ...]]:
    """Return what a text says without the ranges of letters that may be any numbers, and these letters."""
    if tree.label == "forall" and len(tree.children) == 3 and _is_real_range(tree.children[1]):
        core, letters = split_declared(tree.children[2])
        name = tree.children[0].label
        # `f(x) = x^2` for all x says what f is.
        return (tree, ()) if _is_argument(core, name) else (core, (name, *letters))
    if tree.label not in ("and", "such"):
        return tree, ()
    parts = [one for part in tree.children for one in list_conjuncts(part)]
    ranges = [one for one in parts if _is_real_range(one)]
    rest = [one for one in parts if one not in ranges]
    names = [one.children[0].label for one in ranges]
    labels = {label for one in rest for label in one.list_labels()}
    if not ranges or not rest or not labels.issuperset(names):
        return tree, ()
    if tree.label == "such" and len(rest) > 1:
        return tree, ()
    return (rest[0] if len(rest) == 1 else Tree("and", tuple(rest))), tuple(names)


def compare_declared(
    judge: Judge, gold: Tree, pred: Tree, compare: Callable[[Tree, Tree], GradeVerdict]
) -> GradeVerdict | None:
    """Compare answers of which at least one says that letters stand for any numbers; None where this decides
    nothing."""
    (one, own), (other, others) = split_declared(gold), split_declared(pred)
    # A letter that stands for any integer on the other side is none that stands for any number.
    if (not own and not others) or any(_is_integer_range(node) for node in (*one, *other)):
        return None
    verdict = compare(one, other)
    if verdict.outcome == "equal":
        return with_policy(verdict, _ANY if own and others else _ONE_SAYS)
    mine, theirs = own or _find_letters(one, other), others or _find_letters(other, one)
    if len(mine) == len(theirs) <= _MOST_LETTERS:
        for order in permutations(mine):
            if not {*order}.isdisjoint(free_variables(other) - {*theirs}):
                continue
            renamed = other
            for name, letter in zip(theirs, order, strict=True):
                renamed = replace_variable(renamed, name, Tree(f"{letter}'"))
            for letter in order:
                renamed = replace_variable(renamed, f"{letter}'", Tree(letter))
            if compare(one, renamed).outcome == "equal":
                return GradeVerdict("equal", reason=_ANY)
    return compare_curves(judge, one, other, (mine, theirs))


def _find_letters(tree: Tree, other: Tree) -> tuple[str, ...]:
    return tuple(sorted(free_variables(tree) - free_variables(other)))


def _is_real_range(tree: Tree) -> bool:
    return tree.label == "in" and not tree.children[0].children and tree.children[1].label in REALS


def _is_integer_range(tree: Tree) -> bool:
    return tree.label == "in" and tree.children[1].label in (*INTEGERS, "ℤ+", "ℕ*")


def _is_argument(tree: Tree, name: str) -> bool:
    return tree.label == "=" and tree.children[0].label == "call" and name in tree.children[0].list_labels()
