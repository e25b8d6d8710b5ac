"""What a growth process is asked for, and the service that answers in it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.core.events import Sink, Stop
from engines.core.tree import Tree
from engines.egen.expressions.language import prefix
from engines.egen.records import EgenConfig, Limits, Mode
from engines.egen.theories.theory import Theory, theory_of

if TYPE_CHECKING:
    from engines.egen.egraph.derivation import Derivation
    from engines.egen.egraph.growth import Grower

__all__ = ["Answer", "ClusterRequest", "DerivationRequest", "GraphRequest", "Service", "growth"]

Answer = Callable[[Any, Sink, Stop], Any]
Service = Callable[[], Answer]
"""Called once in a growth process; what it returns answers one request after the other."""


_LOADED = 1
"""Sets of rules that are kept besides those in use: a corpus of several variables has heads of x too."""
_GRACE_S = 15.0
_MEMBERS_PER_S = 200
"""A tenth of what sampling and verification do at their slowest on one idle processor."""


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """The e-graph of a head; answered with an `EGraph`."""

    head: Tree
    mode: Mode
    limits: Limits
    theory: Theory

    @property
    def seconds(self) -> float:
        """Processor time that it may take: twice the limit of growth, which is looked at between steps only,
        and a grace."""
        return 2 * self.limits.time_s + _GRACE_S


@dataclass(frozen=True, slots=True)
class DerivationRequest(GraphRequest):
    """How `target` follows from the head, or the head's shortest form without one; answered with a
    `Derivation`."""

    target: Tree | None = None


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """The cluster of a head; answered with a `Cluster`."""

    head: Tree
    config: EgenConfig

    @property
    def mode(self) -> Mode:
        """That of its rules."""
        return self.config.mode

    @property
    def theory(self) -> Theory:
        """That of its configuration."""
        return theory_of(self.config.theory, self.config.assume, self.head)

    @property
    def limits(self) -> Limits:
        """Those of its growth."""
        return self.config.limits

    @property
    def seconds(self) -> float:
        """Processor time that it may take: growth as in `GraphRequest`, and its members."""
        return 2 * self.limits.time_s + _GRACE_S + self.config.members / _MEMBERS_PER_S


def growth() -> Answer:
    """The real service: the rules of the last modes and theories that were asked for are kept loaded."""
    from engines.egen.egraph.growth import Grower
    from engines.egen.egraph.members import generate

    first = Grower("strict")
    loaded: dict[Hashable, Grower] = {("strict", first.theory.kind): first}
    # What is there by now stays: the collector need not look through it again for every head.
    gc.collect()
    gc.freeze()

    def answer(request: ClusterRequest | GraphRequest, events: Sink, stop: Stop) -> object:
        theory = request.theory
        key = request.mode, theory.kind
        kept = loaded.pop(key, None) or Grower(request.mode, theory=theory)
        if len(loaded) > _LOADED:
            del loaded[next(iter(loaded))]
        loaded[key] = kept
        if isinstance(request, ClusterRequest):
            return generate(request.head, request.config, grower=kept, events=events, stop=stop)
        if isinstance(request, DerivationRequest):
            return _derive(request, kept, stop)
        return kept.grow(request.head, request.limits, theory=theory, events=events, stop=stop)

    return answer


def _derive(request: DerivationRequest, rules: Grower, stop: Stop) -> Derivation:
    from engines.egen.egraph.derivation import Derivation, derive

    target = request.target or _shortest(request, rules, stop)
    if request.target is None and target == request.head:
        return Derivation((), "No shorter form of it was found.")
    return derive(request.head, target, mode=request.mode, theory=request.theory, stop=stop)


def _shortest(request: DerivationRequest, rules: Grower, stop: Stop) -> Tree:
    """The shortest term of its e-graph's root, one without a derivative before any with one."""
    grown = rules.grow(request.head, request.limits, theory=request.theory, stop=stop)
    terms: list[Tree] = [request.head, *(grown.term(node) for node in grown.classes[grown.root])]

    def cost(tree: Tree) -> tuple[bool, int, str]:
        labels = tree.labels()
        return "d" in labels, len(labels), prefix(tree)

    return min(terms, key=cost)
