"""What E-Gen generation makes: clusters of members with verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.core.errors import ExpressionError
from engines.core.shown import MOST, Tabular, Tex, chain
from engines.core.tree import Tree, parse_prefix
from engines.core.vocabulary import ARITY
from engines.egen.settings import (
    EgenConfig,
    StopReason,
)
from engines.mathematics.verification.verdicts import MemberVerdict


@dataclass(frozen=True, slots=True)
class Member:
    """An expression of a cluster, in generator prefix notation, with its verdict against the head. `by` names
    the family of classical forms that makes it; empty for what rules give."""

    prefix: str
    verdict: MemberVerdict
    by: str = ""

    @property
    def tree(self) -> Tree:
        """Of real functions and logic."""
        try:
            return parse_prefix(self.prefix.split(), lambda token: ARITY.get(token, 0))
        except ExpressionError as error:
            from engines.egen.theories.logic import LOGIC

            try:
                return LOGIC.tree(self.prefix.split())
            except ExpressionError:
                raise error from None

    @property
    def tokens(self) -> int:
        return self.prefix.count(" ") + 1


@dataclass(frozen=True, slots=True)
class Stats:
    """How a cluster came about. Seconds are wall time; `total_members` counts the grammar's terms within the
    token limit before deduplication; `dropped` counts sampled terms by the reason they were left out;
    `suspects` names the domain-changing rules that had fired when a `different` member was dropped."""

    stop_reason: StopReason
    iterations: int
    nodes: int
    classes: int
    grow_s: float
    sample_s: float
    verify_s: float
    total_members: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster(Tabular):
    """A head and expressions equal to it; the head itself is not among `members`."""

    head: Tree
    members: tuple[Member, ...]
    stats: Stats
    config: EgenConfig

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        verdicts = [(each, each.verdict) for each in self.members]
        rows = [
            (self._tex(each.prefix), one.outcome, one.exceptions, one.kept, each.tokens)
            for each, one in verdicts
        ]
        title = Tex(rf"{self._tex(' '.join(self.head.labels()))} = \dots \quad ({len(rows)})")
        return title, ("member", "verdict", "except at", "kept", "tokens"), rows

    def _repr_latex_(self) -> str:
        terms = [" ".join(self.head.labels()), *(each.prefix for each in self.members[:MOST])]
        return f"$${chain(map(self._tex, terms))}$$"

    def _tex(self, prefix: str) -> Tex:
        from engines.egen.theories.registry import theory_of

        theory = theory_of(self.config.theory, self.config.assume, self.head)
        return Tex(theory.row(theory.read(prefix, "prefix", head=False))["latex"])
