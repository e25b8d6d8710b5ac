"""Arbitrary constants, as of `x^2 + C` and `y = Ce^x`: such an answer is the set of all functions that its
constants give, and how a constant is called says nothing."""

from __future__ import annotations

from collections.abc import Set
from itertools import permutations

from engines.core.tree import ZERO, Tree
from engines.grading.verdicts import GradeVerdict
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable

VARIABLES = frozenset("rstuvwxyzθ")
"""What is integrated over has such a name."""
_CONSTANTS = ("C", "c", "K", "k")
_INDICES = ("", *"0123456789")
_CAPITALS = frozenset("ABCDK")
"""Constants beside an answer whose constants have the usual names."""


def is_constant_name(name: str) -> bool:
    """Return whether a name is that of an arbitrary constant: C, k, C_1."""
    base, _, index = name.partition("_")
    return name in ("constant", "const") or (base in _CONSTANTS and index in _INDICES)


def _may_be_constant(name: str) -> bool:
    """Return whether a name may be that of a constant beside one that certainly is: C, k, A, y_0."""
    return is_constant_name(name) or name in _CAPITALS or (name[1:] == "_0" and name[0].isalpha())


def _is_added_name(tree: Tree, name: str) -> bool:
    """Return whether a name stands in a sum alone, and nowhere else."""
    if not tree.children:
        return tree.label == name
    if tree.list_labels().count(name) != 1 or tree.label not in ("+", "-"):
        return False
    return any(
        _is_added_name(part, name) for part in (tree.children if tree.label == "+" else tree.children[:1])
    )


def compare_with_constants(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare terms whose constants stand for any numbers; None where no such reading says more."""
    # A letter of both sides is given: A sin(t + φ) is another function than A cos(t + φ).
    given = free_variables(gold) & free_variables(pred)
    expanded = _expand_phase(gold, given), _expand_phase(pred, given)
    if expanded != (gold, pred):
        if judge.equal(*expanded).outcome == "equal":
            return GradeVerdict("equal", reason="the constants stand for any numbers")
        return compare_with_constants(judge, *expanded)
    verdict = _compare_antiderivatives(judge, gold, pred) or _compare_renamed(judge, gold, pred)
    if verdict is not None:
        return verdict
    if (permuted := _compare_permuted(judge, gold, pred)) is not None:
        return permuted
    names = [sorted(free_variables(tree) - VARIABLES) for tree in (gold, pred)]
    variables = {*free_variables(gold, pred)} & VARIABLES
    if len(variables) != 1 or len(names[0]) != len(names[1]) or len(names[0]) < 2:
        return None
    usual = [all(map(is_constant_name, each)) for each in names]
    if not any(usual) or not all(
        one or _CAPITALS.issuperset(each) for one, each in zip(usual, names, strict=True)
    ):
        return None
    from engines.grading.solution_spaces import compare_spaces  # loads NumPy

    (own, others), (variable,) = names, variables
    return compare_spaces(judge, (gold, own), (pred, others), variable)


def _expand_phase(tree: Tree, given: Set[str]) -> Tree:
    """Return `A cos(ωt - φ)` with any amplitude and phase as `C_8 cos ωt + C_9 sin ωt`; other terms as they
    are."""
    if tree.label in ("+", "-"):
        parts = tuple(_expand_phase(part, given) for part in tree.children)
        return (
            tree
            if sum(one != part for one, part in zip(tree.children, parts, strict=True)) != 1
            else Tree(tree.label, parts)
        )
    if tree.label != "*" or tree.children[1].label not in ("cos", "sin"):
        return tree
    factors, (argument,) = tree.children[0], tree.children[1].children
    amplitudes = [leaf for leaf in factors if _may_be_constant(leaf.label) or leaf.label in _AMPLITUDES]
    if len(amplitudes) != 1 or argument.label not in ("+", "-"):
        return tree
    phases = [part for part in argument.children if part.label in _PHASES or is_constant_name(part.label)]
    if len(phases) != 1 or phases[0] == amplitudes[0]:
        return tree
    usual = all(is_constant_name(one.label) for one in (phases[0], amplitudes[0]))
    if not usual and not given.isdisjoint((phases[0].label, amplitudes[0].label)):
        return tree
    bare = replace_variable(argument, phases[0].label, ZERO)
    if phases[0].label in free_variables(factors, bare) or _PAIR & free_variables(tree):
        return tree
    waves = (
        Tree("*", (replace_variable(factors, amplitudes[0].label, Tree(name)), Tree(function, (bare,))))
        for name, function in zip(sorted(_PAIR), ("cos", "sin"), strict=True)
    )
    return Tree("+", tuple(waves))


_AMPLITUDES = ("R", "a", "r")
_PHASES = ("φ", "ϕ", "δ", "α", "β", "θ", "ψ", "phi", "D", "B")
_PAIR = frozenset(("C_8", "C_9"))
"""Names for two constants in the place of an amplitude and a phase."""


def compare_solutions(gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare solutions of differential equations, `y = Ce^x`, that agree but for the name of a constant."""
    own, others = (free_variables(one) - free_variables(other) for one, other in ((gold, pred), (pred, gold)))
    constants = [name for one in (own, others) if len(one) == 1 for name in one if _may_be_constant(name)]
    if (
        len(constants) < 2
        or not any(map(is_constant_name, constants))
        or VARIABLES.isdisjoint(free_variables(gold))
    ):
        return None
    return GradeVerdict("equal", reason=f"{constants[1]} and {constants[0]} stand for any constant")


def _compare_renamed(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Terms that differ in what an arbitrary constant is called, as `x + C` and `x + K`."""
    own, others = free_variables(gold) - free_variables(pred), free_variables(pred) - free_variables(gold)
    if len(own) != 1 or len(others) != 1 or free_variables(gold) == own:
        return None
    (mine,), (theirs,) = own, others
    if not (_may_be_constant(mine) and _may_be_constant(theirs)):
        return None
    if judge.equal(gold, replace_variable(pred, theirs, Tree(mine))).outcome != "equal":
        return None
    is_added = _is_added_name(gold, mine) and _is_added_name(pred, theirs)
    is_added = is_added and (is_constant_name(mine) or is_constant_name(theirs))
    if is_added and not VARIABLES.isdisjoint(free_variables(gold)):
        return GradeVerdict("equal", reason=f"{theirs} and {mine} stand for any constant")
    return GradeVerdict("equal if", condition=f"{theirs} stands for {mine}")


def _compare_permuted(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Terms with several constants, which have other names on each side: `A cos ωt + B sin ωt`."""
    own, others = free_variables(gold) - free_variables(pred), free_variables(pred) - free_variables(gold)
    if not 1 < len(own) == len(others) <= _MOST_CONSTANTS or VARIABLES.isdisjoint(free_variables(gold)):
        return None
    usual = [all(map(is_constant_name, each)) for each in (own, others)]
    if not any(usual) or not all(map(_may_be_constant, own | others)):
        return None
    for order in permutations(sorted(own)):
        renamed = pred
        for name, letter in zip(sorted(others), order, strict=True):
            renamed = replace_variable(renamed, name, Tree(letter))
        if judge.equal(gold, renamed).outcome == "equal":
            return GradeVerdict("equal", reason="the constants stand for any numbers")
    return None


_MOST_CONSTANTS = 3


def _compare_antiderivatives(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Antiderivatives, each with a constant of its own: they differ by a constant."""
    bare = []
    for tree in (gold, pred):
        names = [
            name for name in free_variables(tree) if is_constant_name(name) and _is_added_name(tree, name)
        ]
        if len(names) != 1:
            return None
        bare.append(replace_variable(tree, names[0], ZERO))
    variables = {*free_variables(*bare)} & VARIABLES
    if len(variables) != 1 or free_variables(*bare) != variables:
        return None
    slopes = [Tree("d", (Tree(next(iter(variables))), tree)) for tree in bare]
    verdict = judge.equal(slopes[0], slopes[1])
    if verdict.outcome not in ("equal", "equal if") or verdict.witness:
        return None
    return GradeVerdict("equal", reason="up to an additive constant")
