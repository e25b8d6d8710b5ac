"""The verdicts on links, each with its reason: right, right if a hypothesis holds, follows, and so on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engines.proofreading.chains import ChainLink
from engines.proofreading.stated_facts import Fact
from engines.proofreading.statement_roles import StatementRole

LinkOutcome = Literal[
    "right", "right if", "follows", "given", "loses domain", "wrong", "doubtful", "not shown", "unread"
]
VERDICTS: tuple[LinkOutcome, ...] = (
    "right", "right if", "follows", "given", "loses domain", "wrong", "doubtful", "not shown", "unread",
)  # fmt: skip

EvidenceKind = Literal[
    "sides", "definition", "stated values", "last equation", "only statement", "near consequence", "copy",
    "odd one", "name",
]  # fmt: skip
"""What shows that a link fails: its sides alone, the definition of a function, values of its variables, the
equation right before it, the only statement of its kind nearby, what would follow from earlier statements but
for one change, a statement that it copies but for one change, others that hold where it does not, or a name
that the text has only there."""

CopyVariation = Literal["", "opposite", "value", "definition"]
"""How a text varies statements: a term with another sign, another value, a name that is defined anew."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows that a link fails.

    Attributes:
        kind: What it rests on.
        sources: The earlier statements that it uses.
        is_certain: Whether nothing else is known that would explain the link.
        is_confirmed: Whether the text says again, or goes on with, what a copy should be, or has another name
            nowhere near.
        variation: What a copy may be of the other on purpose.
    """

    kind: EvidenceKind = "sides"
    sources: tuple[Fact, ...] = ()
    is_certain: bool = True
    is_confirmed: bool = False
    variation: CopyVariation = ""


@dataclass(frozen=True, slots=True)
class Accusation:
    """Why a link fails, in words, and the evidence for it."""

    reason: str
    evidence: Evidence = Evidence()


@dataclass(frozen=True, slots=True)
class LinkVerdict:
    """A link with its verdict, and the reason of the verdict.

    Attributes:
        link: The link.
        outcome: The verdict.
        reason: Why it has this verdict, in words.
        role: What the statement is for in the text.
        statement: How the statement was understood, as a term.
        hypotheses: The inequalities that hold for its variables.
        evidence: What shows that it fails, if it is wrong or doubtful.
    """

    link: ChainLink
    outcome: LinkOutcome
    reason: str = ""
    role: StatementRole | Literal[""] = ""
    statement: str = ""
    hypotheses: tuple[str, ...] = ()
    evidence: Evidence = field(default=Evidence(), compare=False)

    @property
    def is_mistyped(self) -> bool:
        """Whether one change mends it."""
        return self.outcome in ("wrong", "doubtful") and "it holds with" in self.reason
