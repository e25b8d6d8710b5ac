"""Verdicts on expressions with sums, products, integrals, `sign` or `floor`, by rigorous values alone.

Both are evaluated with bounds at points of the region of the assumptions (`values`). That takes longer than
double precision does, so the points are fewer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import arb, ctx

from engines.core.precise import Value, agreement
from engines.core.tree import Tree, parse_prefix
from engines.egen.assumptions import NOTHING, Assumptions, ordered
from engines.egen.expressions.language import LETTERS, operands
from engines.egen.records import Agreed, Counterexample, Outcome, Verdict
from engines.egen.verification.recheck import SPARE
from engines.egen.verification.regions import Region
from engines.egen.verification.values import value

__all__ = ["Pointwise"]

_POINTS = 40
_FEWEST = 8
_BITS = 160
_AGREED = 48


class Pointwise:
    """Judges expressions against one head.

    Attributes: points: (variables, points) in general position, then special ones.
    """

    def __init__(
        self, head: Tree, names: set[str], assumptions: Assumptions = NOTHING, *, seed: int = 0
    ) -> None:
        self.variables = ordered(names)
        self.shown = [place for place, name in enumerate(self.variables) if name in names]
        region = Region(self.variables, assumptions, seed=seed)
        general = region.points[:, :_POINTS]
        special, self._singles = region.special()
        self._general = general.shape[1]
        self.points = np.concatenate([general, special], axis=1)
        self._heads = [self._at(head, point) for point in self.points.T.tolist()]
        known = sum(head is not None and head.is_finite() for head in self._heads[: self._general])
        self.reason = "" if known >= _FEWEST else f"the head has a value at {known} of {self._general} points"

    def check(self, members: Sequence[Tree | Sequence[str]]) -> list[Verdict]:
        """One verdict per member."""
        trees = [
            member
            if isinstance(member, Tree)
            else parse_prefix(member, lambda token: operands(token, LETTERS))
            for member in members
        ]
        return [self._verdict(tree) for tree in trees]

    def _at(self, tree: Tree, point: Sequence[float]) -> Value:
        with ctx.workprec(_BITS):
            return value(tree, dict(zip(self.variables, map(arb, point), strict=True)))

    def _verdict(self, tree: Tree) -> Verdict:
        """Special points show other values, and single ones where only one of the two has any."""
        if self.reason:
            return Verdict("undecided", 0.0)
        agreeing, lost, gained = 0, -1, -1
        inside = missing = 0
        singles: dict[str, list[str]] = {}
        for place, (head, point) in enumerate(zip(self._heads, self.points.T.tolist(), strict=True)):
            member = self._at(tree, point)
            general = place < self._general
            if head is None or member is None:
                kind = "" if head is member else "member" if member is None else "head"
                other = head if member is None else member
                if other is not None and not other.is_finite():
                    kind = ""
                if not general:
                    singles.setdefault(self._singles[place - self._general], []).append(kind)
                elif kind == "member":
                    inside, missing, lost = inside + 1, missing + 1, place if lost < 0 else lost
                elif kind == "head":
                    gained = place if gained < 0 else gained
                continue
            if not (head.is_finite() and member.is_finite()):
                continue
            with ctx.workprec(_BITS):
                bits = agreement(head, member)
            if bits is None:
                example = self._example(place, float(head), float(member), float(member - head))
                return Verdict("different", 1.0, points=agreeing + missing, counterexample=example)
            if general:
                inside += 1
                agreeing += bits >= _AGREED
            else:
                singles.setdefault(self._singles[place - self._general], []).append("")
        outcome: Outcome = "shrinks" if missing else "extends" if gained >= 0 else "equal"
        if agreeing + missing < _FEWEST:
            outcome = "undecided"
        elif not agreeing:
            outcome = "nowhere"
        shown = {"shrinks": lost, "nowhere": lost, "extends": gained}.get(outcome, -1)
        sides = [
            None if side is None else float(side)
            for side in (self._heads[shown], self._at(tree, self.points[:, shown].tolist()))
        ]
        wanted = {"equal": {"head", "member"}, "extends": {"member"}}.get(outcome, set())
        found = [at for at, kinds in singles.items() if len(set(kinds)) == 1 and kinds[0] in wanted]
        return Verdict(
            outcome,
            agreeing / inside if inside else 0.0,
            outcome == "shrinks" and gained >= 0,
            agreeing + missing,
            self._example(shown, *sides) if shown >= 0 else None,
            Agreed(_AGREED - SPARE, agreeing) if agreeing else None,
            ", ".join(found),
        )

    def _example(
        self, place: int, head: float | None, member: float | None, gap: float | None = None
    ) -> Counterexample:
        point = self.points[:, place].tolist()
        at = tuple((self.variables[i], point[i]) for i in self.shown)
        return Counterexample(point[0], head, member, gap, at)
