"""What E-Gen generation makes: clusters of members with verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.core.expression_language import to_prefix
from engines.core.notebook_display import MOST, Tabular, Tex, align_chain
from engines.core.tree import Tree
from engines.egen.settings import (
    EgenConfig,
    StopReason,
)
from engines.mathematics.verification.verdicts import Counterexample, MemberVerdict
from engines.moved import moved_verb


class _PrefixSlot:
    __slots__ = ("_prefix",)
    _prefix: str


@dataclass(frozen=True, slots=True)
class Member(_PrefixSlot):
    """An expression of a cluster with its verdict against the head. `by` names the family of classical forms
    that makes it; empty for what rules give."""

    tree: Tree
    verdict: MemberVerdict
    by: str = ""

    @property
    def prefix(self) -> str:
        """The expression in generator prefix notation."""
        try:
            known = self._prefix
        except AttributeError:
            known = to_prefix(self.tree)
            object.__setattr__(self, "_prefix", known)
        return known

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return len(self.tree)


@dataclass(frozen=True, slots=True)
class Stats:
    """How a cluster was grown.

    Seconds are wall time. `total_members` counts the grammar's terms within the token limit before
    deduplication, `dropped` the sampled terms that were left out, by reason. `suspects` names the
    domain-changing rules that had fired when a `different` member was dropped.
    """

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
class DerivationStep:
    """A line: the expression, what made it from the line before, its verdict against the first.

    What made it is a rule of the table, `~` behind its name when used backwards, one or more procedures
    (`algebra`) with " and " between them, or `assumed`.
    """

    tree: Tree
    rule: str
    verdict: MemberVerdict


@dataclass(frozen=True, slots=True)
class Derivation:
    """The lines from start to target; none, and why, when no way was found. `counterexample` is a point where
    the two differ, when they do."""

    steps: tuple[DerivationStep, ...]
    reason: str = ""
    counterexample: Counterexample | None = None


@dataclass(frozen=True, slots=True)
class Cluster(Tabular):
    """A head and expressions equal to it; the head itself is not among `members`."""

    head: Tree
    members: tuple[Member, ...]
    stats: Stats
    config: EgenConfig

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        """Return the title, the columns and the rows that a notebook shows."""
        verdicts = [(member, member.verdict) for member in self.members]
        rows = [
            (
                self._to_tex(member.tree),
                verdict.outcome,
                verdict.exceptional_text,
                verdict.kept_share,
                member.tokens,
            )
            for member, verdict in verdicts
        ]
        title = Tex(rf"{self._to_tex(self.head)} = \dots \quad ({len(rows)})")
        return title, ("member", "verdict", "except at", "kept", "tokens"), rows

    def _repr_latex_(self) -> str:
        terms = [self.head, *(each.tree for each in self.members[:MOST])]
        return f"$${align_chain(map(self._to_tex, terms))}$$"

    def _to_tex(self, tree: Tree) -> Tex:
        from engines.egen.theories.registry import theory_of

        theory = theory_of(self.config.theory, self.config.assume, self.head)
        return Tex(theory.to_row(tree)["latex"])


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)
