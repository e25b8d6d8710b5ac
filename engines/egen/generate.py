"""From a head to its cluster: grow, read the grammar, choose members, verify each of them.

Every length that the grammar offers gets the same share of the members, short lengths in full; what a
length cannot fill goes to the others. Terms are drawn uniformly within a length; padded terms and second
forms of a member are left out; what remains is judged against the head on the reals. Drawing goes on in
rounds until there are enough members or no length has more to offer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.tree import Tree
from engines.egen.canonical import canonical_key, has_padding
from engines.egen.egraph import EGraph, with_padding
from engines.egen.grammar import Grammar
from engines.egen.growth import Grower, Progress, paddings
from engines.egen.language import ARITY, prefix
from engines.egen.records import Cluster, EgenConfig, Member, Mode, Outcome, Stats
from engines.egen.sampling import Sampler
from engines.egen.verify import Verifier

__all__ = ["ACCEPTED", "generate"]

ACCEPTED: dict[Mode, frozenset[Outcome]] = {
    "strict": frozenset({"equal", "extends"}),
    "common": frozenset({"equal", "extends", "shrinks"}),
    "paper": frozenset({"equal", "extends", "shrinks", "nowhere", "undecided"}),
}
"""Which verdicts make a member, by mode; `shrinks` needs a common point."""
_DRAWN_TOGETHER = 32
_ROUND = 500
"""Members of one length, at most, between two looks at the stop flag."""
_DRAWS = 20
"""A length is given up when it took this many times its first share of the members, and 200 draws more."""


def generate(
    head: Tree,
    config: EgenConfig | None = None,
    *,
    grower: Grower | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> Cluster:
    """The cluster of a head.

    Args: grower: rules already loaded, of the same mode. events: told of every iteration and of members as
    they arrive (kind `progress`; `data["members"]` lists them). stop: keeps what there is, after one round of
    drawing at least: growth that was stopped has members too. Raises: EngineError in `strict`, where it means
    that a rule is wrong: E211 when a member differs from the head, E210 when two constants were proved equal
    although the head is defined somewhere.
    """
    config = config or EgenConfig()
    grower = grower or Grower(config.mode)
    if grower.mode != config.mode:
        raise ValueError(f"the grower's rules are of mode {grower.mode}, not {config.mode}")

    def grown(progress: Progress) -> None:
        data = {"nodes": progress.nodes, "classes": progress.classes, "seconds": progress.seconds}
        events(Event("progress", {"stage": "grow", **data}, step=progress.iteration))

    egraph = grower.grow(head, config.limits, on_iteration=None if events is ignore else grown, stop=stop)
    if config.padding:
        egraph = with_padding(egraph, paddings(grower.rules, config.mode))
    return _Selection(head, config, egraph, grower, events, stop).cluster()


class _Selection:
    """The members of one head, as they come."""

    def __init__(
        self, head: Tree, config: EgenConfig, egraph: EGraph, grower: Grower, events: Sink, stop: Stop
    ) -> None:
        self.head = head
        self.config = config
        self.egraph = egraph
        self.stop_reason = egraph.stop_reason
        self.grower = grower
        self.events = events
        self.stop = stop
        self.seconds = {"sample": 0.0, "verify": 0.0}
        self.dropped: Counter[str] = Counter()
        self.members: list[Member] = []
        self.suspects: set[str] = set()

    def cluster(self) -> Cluster:
        started = time.perf_counter()
        grammar = Grammar(self.egraph, padding=self.config.padding)
        sampler = Sampler(grammar, self.config.max_tokens, self.config.seed)
        counts = grammar.counts(self.config.max_tokens)
        self.seconds["sample"] += time.perf_counter() - started
        self.select(sampler, counts)
        self.members.sort(key=lambda member: (member.tokens, member.prefix))
        stats = Stats(
            stop_reason=self.stop_reason,
            iterations=self.egraph.iterations,
            nodes=self.egraph.nodes,
            classes=len(self.egraph.classes),
            grow_s=self.egraph.seconds,
            sample_s=self.seconds["sample"],
            verify_s=self.seconds["verify"],
            total_members=sum(counts),
            dropped=dict(sorted(self.dropped.items())),
            suspects=tuple(sorted(self.suspects)),
        )
        return Cluster(self.head, tuple(self.members), stats, self.config)

    def select(self, sampler: Sampler, counts: list[int]) -> None:
        """Fill the quotas of the lengths, round by round."""
        verifier = Verifier(self.head, seed=self.config.seed)
        if (
            self.egraph.stop_reason == "contradiction"
            and self.config.mode == "strict"
            and not verifier.reason
        ):
            raise EngineError(
                f"the rules prove two constants equal for {prefix(self.head)}, so a rule is wrong",
                remedy=f"Check these, which had fired: {', '.join(sorted(self.egraph.fired))}.",
                code="E210",
            )
        if verifier.reason:
            self.events(Event("warning", {"message": verifier.reason}))
            if "undecided" not in ACCEPTED[self.config.mode]:
                return
        keys = {canonical_key(self.head)}
        open_lengths = [length for length, count in enumerate(counts) if count]
        patience = 200 + _DRAWS * (self.config.members // max(1, len(open_lengths)))
        streams = {length: _stream(sampler, length, patience) for length in open_lengths}
        drawn = False
        while open_lengths and len(self.members) < self.config.members:
            if drawn and self.stop():
                self.stop_reason = "stopped"
                return
            drawn = True
            started = time.perf_counter()
            wanted = self.config.members - len(self.members)
            share = min(-(-wanted // len(open_lengths)), 8 if self.stop() else _ROUND)
            fresh: list[tuple[str, ...]] = []
            for length in list(open_lengths):
                new = list(islice(self.distinct(streams[length], keys), share))
                fresh += new
                if len(new) < share:
                    open_lengths.remove(length)
            self.seconds["sample"] += time.perf_counter() - started
            self.judge(verifier, fresh, wanted)

    def distinct(self, terms: Iterable[tuple[str, ...]], keys: set[str]) -> Iterator[tuple[str, ...]]:
        """Terms that are neither padded nor another form of one already seen."""
        for term in terms:
            if not self.config.padding and has_padding(term):
                self.dropped["padding"] += 1
                continue
            key = canonical_key(term)
            if key in keys:
                self.dropped["same form"] += 1
                continue
            keys.add(key)
            yield term

    def judge(self, verifier: Verifier, terms: list[tuple[str, ...]], wanted: int) -> None:
        """Verify candidates, shortest first, and keep those that the mode accepts."""
        started = time.perf_counter()
        accepted: list[Member] = []
        verdicts = verifier.check(terms)
        for term, verdict in zip(terms, verdicts, strict=True):
            if verdict.outcome not in ACCEPTED[self.config.mode] or (
                verdict.outcome == "shrinks" and not verdict.kept
            ):
                self.dropped[verdict.outcome] += 1
                if verdict.outcome == "different":
                    self.contradicted(term)
            elif len(accepted) < wanted:
                accepted.append(Member(_tree(term), verdict))
        self.members += accepted
        self.seconds["verify"] += time.perf_counter() - started
        if accepted:
            data = {
                "stage": "members",
                "done": len(self.members),
                "total": self.config.members,
                "unit": "members",
            }
            self.events(Event("progress", {**data, "members": [member.prefix for member in accepted]}))

    def contradicted(self, term: tuple[str, ...]) -> None:
        """A member differs from the head: the rules that may be at fault."""
        fired = self.egraph.fired
        if self.config.mode == "strict":
            raise EngineError(
                f"{' '.join(term)} is not equal to {prefix(self.head)}, so a rule is wrong",
                remedy=f"Check these, which had fired: {', '.join(sorted(fired))}.",
                code="E211",
            )
        changing = {rule.name for rule in self.grower.rules if rule.claim != "sound"}
        self.suspects.update(changing & fired.keys())


def _stream(sampler: Sampler, length: int, patience: int) -> Iterator[tuple[str, ...]]:
    """Terms of one length, until there are none or `patience` of them were given."""
    given = 0
    while given < patience:
        terms = sampler.draw(length, _DRAWN_TOGETHER)
        if not terms:
            return
        given += len(terms)
        yield from terms


def _tree(term: tuple[str, ...]) -> Tree:
    """A term of the grammar as a tree; it needs no checking."""
    waiting: list[Tree] = []
    for token in reversed(term):
        arity = ARITY.get(token, 0)
        waiting.append(Tree(token, tuple(waiting.pop() for _ in range(arity))))
    return waiting[0]
