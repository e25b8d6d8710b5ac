"""What is said of a link: right, right if a hypothesis holds, follows, given, wrong …, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.proofreading.chains import ChainLink
from engines.proofreading.roles import StatementRole

LinkOutcome = Literal["right", "right if", "follows", "given", "loses domain", "wrong", "not shown", "unread"]
VERDICTS: tuple[LinkOutcome, ...] = (
    "right", "right if", "follows", "given", "loses domain", "wrong", "not shown", "unread",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkVerdict:
    """A link with its verdict, and why.

    Attributes: role: what the statement is for. statement: how it was understood. hypotheses: the
    inequalities
    that hold for its variables.
    """

    link: ChainLink
    outcome: LinkOutcome
    reason: str = ""
    role: StatementRole | Literal[""] = ""
    statement: str = ""
    hypotheses: tuple[str, ...] = ()
