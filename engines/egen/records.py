"""What flows through E-Gen generation: limits in, clusters with verdicts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engines.core.tree import Tree
from engines.egen.language import prefix

__all__ = [
    "MAX_MEMBERS",
    "MAX_TOKENS",
    "Cluster",
    "Counterexample",
    "EgenConfig",
    "Limits",
    "Member",
    "Mode",
    "Outcome",
    "Stats",
    "StopReason",
    "Verdict",
]

MAX_MEMBERS = 1_000_000
"""More members of one head are refused: they would not fit into memory."""

MAX_TOKENS = 64
"""Longer members are refused: exact counts of the terms so long may outgrow the sampler's arithmetic."""

Mode = Literal["strict", "common", "paper"]
"""strict: members equal wherever the head is defined, up to isolated points. common: equal wherever both are
defined, and that is somewhere. paper: anything that does not disagree on the reals, as E-Gen published."""

Outcome = Literal["equal", "extends", "shrinks", "nowhere", "different", "undecided"]
StopReason = Literal[
    "saturated", "iteration_limit", "node_limit", "memory_limit", "time_limit", "contradiction", "stopped"
]


@dataclass(frozen=True, slots=True)
class Limits:
    """When growth ends. Iterations and nodes decide the result; time and memory are safety stops."""

    iterations: int = 12
    nodes: int = 3_000
    time_s: float = 10.0
    memory_bytes: int = 2 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class EgenConfig:
    """All that determines the cluster of a head, with the versions of rule table and libraries."""

    members: int = 1_000
    max_tokens: int = 25
    mode: Mode = "strict"
    padding: bool = False
    seed: int = 0
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point where head and member part: their values there, None where undefined."""

    x: float
    head: float | None
    member: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a member compares with its head on the reals.

    `kept` is the share (0 to 1) of the seeded points of the head's domain where the member is defined;
    `gained` says that a `shrinks` member is also defined where the head is not; `points` counts the points
    that decided.
    """

    outcome: Outcome
    kept: float
    gained: bool = False
    points: int = 0
    counterexample: Counterexample | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """An expression of a cluster with its verdict against the head."""

    tree: Tree
    verdict: Verdict

    @property
    def prefix(self) -> str:
        """Generator prefix notation."""
        return prefix(self.tree)

    @property
    def tokens(self) -> int:
        """Length in generator notation."""
        return len(self.tree)


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
class Cluster:
    """A head and expressions equal to it; the head itself is not among `members`."""

    head: Tree
    members: tuple[Member, ...]
    stats: Stats
    config: EgenConfig
