"""The verdicts on links, each with its reason: right, right if a hypothesis holds, follows, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.proofreading.chains import ChainLink
from engines.proofreading.roles import StatementRole

LinkOutcome = Literal[
    "right", "right if", "follows", "given", "loses domain", "wrong", "doubtful", "not shown", "unread"
]
VERDICTS: tuple[LinkOutcome, ...] = (
    "right", "right if", "follows", "given", "loses domain", "wrong", "doubtful", "not shown", "unread",
)  # fmt: skip


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
    """

    link: ChainLink
    outcome: LinkOutcome
    reason: str = ""
    role: StatementRole | Literal[""] = ""
    statement: str = ""
    hypotheses: tuple[str, ...] = ()

    @property
    def is_mistyped(self) -> bool:
        """Whether one change mends it."""
        return self.outcome in ("wrong", "doubtful") and "it holds with" in self.reason
