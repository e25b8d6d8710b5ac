"""Two terms for the verifier, which differentiates by x alone: their variables take names that it can use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from engines.core.errors import ExpressionError
from engines.core.expression_language import BINDERS, VARIABLE, variables_of
from engines.core.tree import Tree
from engines.mathematics.assumptions import AssumedRelation, Assumptions
from engines.mathematics.verification.ball_verifier import BallVerifier
from engines.mathematics.verification.verdicts import MemberVerdict
from engines.mathematics.verification.verifier import Verifier, make_verifier, needs_rigorous_bounds


class RenamedTerms:
    """Two terms whose variables have names for the verifier, among which the one by which they are
    differentiated is x.

    Attributes:
        names: The names for the verifier, by the variables' own.
        own_names: The variables' own names, by those for the verifier.
    """

    def __init__(self, left: Tree, right: Tree, assumptions: Assumptions) -> None:
        slopes = {
            node.children[0].label
            for tree in (left, right)
            for node in tree
            if node.label == "d" and node.children
        }
        if len(slopes) > 1:
            raise ExpressionError("derivatives by several variables are not judged")
        names = sorted(variables_of(left, right) | assumptions.variables)
        bound = {node.children[0].label for tree in (left, right) for node in tree if node.label in BINDERS}
        # The verifier differentiates by x alone, so the variable of the derivatives takes this name.
        first = next(iter(slopes), VARIABLE if VARIABLE in names or len(names) != 1 else names[0])
        self.names = {first: VARIABLE}
        taken = {*names, *bound}
        # Another variable that is called x already gets a new name.
        new = (f"x_{number}'" for number in range(len(taken) + 1))
        for name in sorted(taken - {first}):
            self.names[name] = name if name != VARIABLE else next(one for one in new if one not in taken)
        self.own_names = {new: old for old, new in self.names.items()}
        self.left, self.right = (rename_variables(tree, self.names) for tree in (left, right))
        self.assumptions = Assumptions(
            tuple(self.names[name] for name in assumptions.integers),
            tuple(
                AssumedRelation(
                    rename_variables(one.left, self.names), one.sign, rename_variables(one.right, self.names)
                )
                for one in assumptions.relations
            ),
        )

    def verify_terms(self, assumptions: Assumptions, seed: int) -> tuple[MemberVerdict, str]:
        """Return what the verifier says under assumptions, and why it can decide nothing, or ""."""
        if needs_rigorous_bounds(self.left, self.right):
            judge = make_verifier(self.left, self.right, assumptions=assumptions, seed=seed)
        else:
            names = tuple(sorted(variables_of(self.left, self.right)))
            judge = _make_shared_verifier(self.left, names, assumptions, seed)
        (result,) = judge.judge_members([self.right])
        return result, judge.reason

    def exclude_exceptional_points(self, verdict: MemberVerdict) -> str:
        """Return the condition that excludes a verdict's exceptional points, in the variables' own names."""
        return verdict.exceptional_points.exclude_points(lambda tree: rename_variables(tree, self.own_names))


@lru_cache(32)
def _make_shared_verifier(
    head: Tree, names: tuple[str, ...], assumptions: Assumptions, seed: int
) -> Verifier | BallVerifier:
    """Return the verifier of a head that is compared with several members in turn, one after the other."""
    return make_verifier(head, *map(Tree, names), assumptions=assumptions, seed=seed)


def rename_variables(tree: Tree, names: Mapping[str, str]) -> Tree:
    """Return a tree with other names of variables, bound ones too."""
    if not tree.children:
        return Tree(names[tree.label]) if tree.label in names else tree
    return Tree(tree.label, tuple(rename_variables(child, names) for child in tree.children))
