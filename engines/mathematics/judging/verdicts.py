"""What is known of a claim: whether two texts say the same, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engines.mathematics.verification.verdicts import EqualityEvidence

Outcome = Literal["equal", "equal if", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge knows of a claim: whether two texts say the same, and why.

    Attributes:
        outcome: Whether the claim holds.
        condition: For "equal if", what has to hold, as `n > 0`.
        witness: For "different", a point with both values, as `x = 2: 4 and 8`. For "equal if", such a point
            if there is one: without a witness both are equal wherever both are defined.
        reason: Why it is undecided, or what was settled on the way.
        checked: How far values were compared, where they were.
    """

    outcome: Outcome
    condition: str = ""
    witness: str = ""
    reason: str = ""
    checked: EqualityEvidence | None = field(default=None, compare=False)
