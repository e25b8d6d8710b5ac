"""Who judges whether two mathematical texts say the same: a protocol, lent to those that ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from engines.core.tree import Tree

Verdict = Literal["equal", "equal if", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of a claim.

    Attributes: condition: where the verdict is "equal if", what has to hold, as `n > 0`; witness: where it is
    "different", a point with both values, as `x = 2: 4 and 8`, and where it is "equal if", such a point if
    there is one: without a witness both are equal wherever both are defined; reason: why it is undecided, or
    what was settled on the way.
    """

    verdict: Verdict
    condition: str = ""
    witness: str = ""
    reason: str = ""


class Judge(Protocol):
    """Judges terms of the language of `engines.formula.meaning`.

    Neither method raises for what it cannot judge: that is undecided, with its reason.
    """

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        """Whether two terms are equal wherever both are defined and the statements assumed hold."""

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Judgement:
        """Whether a relation, or several joined by `and`, holds: "equal" stands for yes."""
