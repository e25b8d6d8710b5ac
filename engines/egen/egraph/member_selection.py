"""From a head to its cluster: grow, read the grammar, choose members, verify each of them.

Every length that the grammar offers gets the same share of the members, short lengths in full; what a
length cannot fill goes to the others. In the style `any` the last round ends when there are enough, before
the longest had their turn; in the others what is left over is spread evenly, unless there are more lengths
than members. Terms are drawn uniformly within a length, or by the weights of rule families; padded terms and
second forms of a member are left out; what remains is judged against the head by the theory's judge. Drawing
goes on in rounds until there are enough members or no length has more to offer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.expression_language import to_prefix
from engines.core.tree import Tree
from engines.egen.egraph.growth import EGraphRunner, list_paddings
from engines.egen.egraph.term_grammar import EGraph, Sampler, TermGrammar, with_padding
from engines.egen.records import Cluster, Member, Stats
from engines.egen.rules.table import Rule
from engines.egen.settings import ACCEPTED, FAMILIES, FEW, EgenConfig, read_weights
from engines.egen.theories.registry import theory_of
from engines.egen.theories.theory import Theory, TheoryChecker
from engines.mathematics.terms.arithmetic_normal_form import ArithmeticReader, tidy_expression
from engines.mathematics.terms.canonical import Subterms, canonical_key
from engines.mathematics.terms.novelty import order_by_novelty
from engines.mathematics.verification.verdicts import MemberVerdict

_DRAWN_TOGETHER = 32
_ROUND = 500
"""Members of one length in a round, at most."""
_JUDGED_TOGETHER = 250
"""So many members, or all of a round, are verified and reported together."""
_CHOSEN_FROM = 300
"""So many members at least are drawn where those that are wanted are chosen for their novelty."""
_FIRST_PAGE, _WRITTEN_ANEW = 20, 40
"""So many members there are where it can be done, by writing so many terms in other ways."""
_ATTEMPTS, _TRIED, _RARE, _MOST_PLACES = 6, 4, 20, 16
"""So often terms are tried for holes, so many of each length, until less than one in so many has one; so many
places are added each time."""
_DRAWS = 20
"""A length is given up when it took this many times its first share of the members, and 200 draws more."""


def grow_cluster(
    head: Tree,
    config: EgenConfig | None = None,
    *,
    grower: EGraphRunner | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> Cluster:
    """Return the cluster of a head.

    For a growth process, which callers ask through `process.GrowthProcess`: growth can neither be interrupted
    nor be trusted with memory.

    Args:
        grower: Rules already loaded, of the same mode.
        events: As `EGraphRunner.grow_egraph`, and of members as they arrive `progress` of stage `members`
            with done, total, unit, and as `members` those that came, in prefix notation and without verdicts.
        stop: Keeps what there is, after one round of drawing at least: growth that was stopped has members
            too.

    Raises:
        EngineError: In `strict`, where it means that a rule is wrong: E211 when a member differs from the
            head, E210 when two constants were proved equal although the head is defined somewhere.
    """
    config = config or EgenConfig()
    theory = theory_of(config.theory, config.assume, head, own=config.rules)
    grower = grower or EGraphRunner(config.mode, theory=theory)
    if (grower.mode, grower.theory.kind) != (config.mode, theory.kind):
        raise ValueError(
            f"the grower's rules are of mode {grower.mode}, not {config.mode}, or another theory"
        )

    verifier = theory.make_judge(head, seed=config.seed)
    forms: list[tuple[str, Tree]] = []
    if config.style != "any" and not verifier.reason:
        # Forms that theory knows are judged first, and those accepted are united with
        # the head before it grows.
        offers = list(theory.iterate_written_forms(head, verifier, config.forms, config.max_tokens))
        verdicts = verifier.judge_members([tree for _, tree in offers])
        forms = [one for one, verdict in zip(offers, verdicts, strict=True) if _is_accepted(verdict, config)]
    united = [tree for name, tree in forms if name]
    limits, direct = config.limits, config.style != "any"
    egraph = grower.grow_egraph(
        head, limits, theory=theory, forms=united, direct=direct, events=events, stop=stop
    )
    if config.padding:
        egraph = with_padding(egraph, list_paddings(grower.rules, config.mode))
    return _Selection(head, config, theory, verifier, forms, egraph, grower.rules, events, stop).to_cluster()


def _is_accepted(verdict: MemberVerdict, config: EgenConfig) -> bool:
    if verdict.outcome not in ACCEPTED[config.mode] or (
        verdict.outcome == "shrinks" and not verdict.kept_share
    ):
        return False
    return config.holes or not verdict.exceptional_points.has_holes


@dataclass
class _Selection:
    head: Tree
    config: EgenConfig
    theory: Theory
    verifier: TheoryChecker
    classical: list[tuple[str, Tree]]
    egraph: EGraph
    rules: tuple[Rule, ...]
    events: Sink
    stop: Stop

    def __post_init__(self) -> None:
        self.terms = Subterms(self.theory.arity)
        self.forms = self.theory.make_forms(self.terms, direct=self.config.style == "distinct")
        self.families = {to_prefix(tree): name for name, tree in self.classical}
        self.stop_reason = self.egraph.stop_reason
        self.seconds = {"sample": 0.0, "verify": 0.0}
        self.dropped: Counter[str] = Counter()
        self.members: list[Member] = []
        self.set_aside: dict[int, None] = {}
        self.fillers: set[str] = set()
        self.keys = {self.forms.key_of(self.terms.number_of(self.head.list_labels()))}
        interesting = self.config.order == "interesting"
        self.wanted = max(_CHOSEN_FROM, self.config.members) if interesting else self.config.members
        self.suspects: set[str] = set()

    def to_cluster(self) -> Cluster:
        if not self.config.holes and not self.verifier.reason:
            self.remove_holes()
        started = time.perf_counter()
        grammar = self.make_grammar()
        sampler = Sampler(grammar, self.config.max_tokens, self.config.seed)
        counts = grammar.count_terms(self.config.max_tokens)
        self.seconds["sample"] += time.perf_counter() - started
        # After a stop the members that have been verified so far are kept.
        try:
            self.select_terms(sampler, counts)
        except StoppedError:
            self.stop_reason = "stopped"
        self.members.sort(key=lambda member: (member.prefix.count(" "), member.prefix))
        if self.config.order == "interesting":
            self.members = self.choose_members()
        if self.config.style != "any":
            # A stable sort: members with holes go last and keep their order.
            self.members.sort(key=lambda member: member.verdict.exceptional_points.has_holes)
        stats = Stats(
            stop_reason=self.stop_reason,
            iterations=self.egraph.iterations,
            nodes=self.egraph.nodes,
            classes=len(self.egraph),
            grow_s=self.egraph.seconds,
            sample_s=self.seconds["sample"],
            verify_s=self.seconds["verify"],
            total_members=sum(counts),
            dropped=dict(sorted(self.dropped.items())),
            suspects=tuple(sorted(self.suspects)),
        )
        return Cluster(self.head, tuple(self.members), stats, self.config)

    def choose_members(self) -> list[Member]:
        """Return the members that are wanted, of those there are: each unlike those before it, and tidied."""
        reader = ArithmeticReader()
        # What is written where there are few members comes after all others.
        last = [member for member in self.members if member.prefix in self.fillers]
        drawn = [member for member in self.members if member.prefix not in self.fillers]
        others = [(tidy_expression(member.tree, reader), member) for member in drawn if not member.by]
        fitting = [tree for tree, _ in others if len(tree) <= self.config.max_tokens]
        verdicts = dict(zip(fitting, self.verifier.judge_members(fitting), strict=True))
        chosen = [member for member in drawn if member.by]
        for tree, verdict in verdicts.items():
            if _is_accepted(verdict, self.config):
                chosen.append(Member(tree, verdict))
        chosen += (member for _, member in others)
        # Tidied members come first, so that they take the place of what they were made of.
        once: dict[str, Member] = {}
        for member in chosen:
            once.setdefault(canonical_key(member.tree), member)
        once.pop(canonical_key(self.head), None)
        once = dict(sorted(once.items(), key=lambda row: (not row[1].by, row[1].tokens)))
        first = min(FEW, self.config.members)
        members = once.values()
        ordered = order_by_novelty(members, self.head, first, lambda one: (one.tree, bool(one.by)), reader)
        ordered += [member for member in last if canonical_key(member.tree) not in once]
        return ordered[: self.config.members]

    def remove_holes(self) -> None:
        """Take the terms out of the e-graph that have no value where the head has one.

        A few terms of every length are judged; where they have no value, all others are looked at. What is
        left is tried in the same way, until hardly a term has a hole.
        """
        started = time.perf_counter()
        places: dict[str, Mapping[str, float]] = {}
        for attempt in range(_ATTEMPTS):
            sampler = Sampler(self.make_grammar(), self.config.max_tokens, self.config.seed + attempt)
            lengths = [length for length in range(self.config.max_tokens + 1) if sampler.count_supply(length)]
            tables = sampler.tables
            codes = np.append(self.terms.label_codes(tables.names)[tables.labels], -1)
            rows = [row for length in lengths for row in codes[sampler.draw_rows(length, _TRIED)].tolist()]
            terms = [" ".join([self.terms.names[code] for code in row if code >= 0]) for row in rows]
            verdicts = self.verifier.judge_members([term.split() for term in terms])
            points = [
                point for verdict in verdicts for point in verdict.exceptional_points.points if point.lost
            ]
            holed = sum(verdict.exceptional_points.has_holes for verdict in verdicts)
            # Stop when no new hole appears, or when few terms still have one.
            new = {point.text: point.at for point in points if point.text not in places}
            if not new or holed * _RARE < len(verdicts):
                break
            places |= dict(islice(new.items(), _MOST_PLACES))
            self.egraph = self.theory.remove_holes(self.egraph, list(places.values()))
        self.seconds["sample"] += time.perf_counter() - started

    def make_grammar(self) -> TermGrammar:
        reduced = None if self.config.style == "any" else self.theory.remove_detours(self.egraph)
        egraph, origin = reduced or (self.egraph, None)
        weights = {
            label: weight
            for family, weight in read_weights(self.config.weights).items()
            for label in FAMILIES[family]
        }
        return TermGrammar(egraph, padding=self.config.padding, origin=origin, weights=weights)

    def judge_written_terms(self, terms: Iterable[Tree]) -> None:
        short = (term.list_labels() for term in terms)
        rows = (self.terms.encode_tokens(term) for term in short if len(term) <= self.config.max_tokens)
        self.judge_terms(list(self.iterate_distinct(self.terms.add_rows(row[None])[0] for row in rows)))

    def select_terms(self, sampler: Sampler, counts: list[int]) -> None:
        reason, strict = self.verifier.reason, self.config.mode == "strict"
        if self.egraph.stop_reason == "contradiction" and strict and not reason:
            what = f"the rules prove two constants equal for {to_prefix(self.head)}"
            raise self.wrong_rule(what, "E210")
        if reason:
            warn(self.events, reason)
            if "undecided" not in ACCEPTED[self.config.mode]:
                return
        if self.config.style != "any":
            self.judge_written_terms(tree for _, tree in self.classical)
        open_lengths = [length for length, count in enumerate(counts) if count]
        # At first each length has an equal share of the members.
        share = self.wanted // max(1, len(open_lengths))
        tables = sampler.tables
        codes = np.append(self.terms.label_codes(tables.names)[tables.labels], -1)  # -1 is behind the end
        streams = {length: self.iterate_drawn(sampler, length, share, codes) for length in open_lengths}
        # A few are the shortest ones; of more, no length goes without.
        even = self.config.style != "any" and self.wanted >= len(open_lengths)
        drawn = False
        while open_lengths and len(self.members) < self.wanted:
            hurried = self.stop()
            # When asked to stop, at least one round is still drawn, so that there are some members.
            if hurried and drawn:
                self.stop_reason = "stopped"
                return
            drawn = True
            wanted = self.wanted - len(self.members)
            most = 8 if hurried else _ROUND
            shares = _share_by_length(wanted, len(open_lengths), most, even=even)
            fresh: list[Tree] = []
            for length, share in zip(list(open_lengths), shares, strict=True):
                if (fresh or self.members) and not hurried and self.stop():
                    break
                started = time.perf_counter()
                new = list(islice(self.iterate_distinct(streams[length], drawn=True), share))
                fresh += new
                # A length that gives fewer than it was asked for has no more terms.
                if len(new) < share:
                    open_lengths.remove(length)
                self.seconds["sample"] += time.perf_counter() - started
                if len(fresh) >= _JUDGED_TOGETHER:
                    self.judge_terms(fresh)
                    fresh = []
            self.judge_terms(fresh)
        if self.config.style != "any":
            self.fill_first_page()
            self.take_set_aside()

    def take_set_aside(self) -> None:
        """Take terms that go a way round after all, where there are too few others."""
        waiting = iter(self.set_aside)
        terms = self.iterate_distinct(waiting)
        while len(self.members) < self.config.members and not self.stop():
            batch = list(islice(terms, min(_JUDGED_TOGETHER, 2 * (self.config.members - len(self.members)))))
            if not batch:
                break
            known = len(self.members)
            self.judge_terms(batch)
            self.fillers.update(member.prefix for member in self.members[known:])
        self.dropped["detour"] += sum(1 for _ in waiting)

    def fill_first_page(self) -> None:
        """Write the head, and what is equal to it, in other ways, where there are few members."""
        wanted = min(self.config.members, _FIRST_PAGE)
        waiting = [self.head, *(member.tree for member in self.members)]
        for tree in islice(iter(waiting), _WRITTEN_ANEW):
            for forms in self.theory.iterate_openings(tree):
                if len(self.members) >= wanted or self.stop():
                    return
                known = len(self.members)
                self.judge_written_terms(forms)
                waiting += (member.tree for member in self.members[known:])
                self.fillers.update(member.prefix for member in self.members[known:])

    def iterate_drawn(
        self, sampler: Sampler, length: int, share: int, codes: NDArray[np.int64]
    ) -> Iterator[int]:
        """Terms of one length, by number, until there are none or so many were given that hardly more will
        be new.

        Args: share: how many of them are wanted. codes: of the productions' labels.
        """
        given, patience = 0, 200 + _DRAWS * share
        together = _DRAWN_TOGETHER * (1 + min(3 * share, 100) // _DRAWN_TOGETHER)
        while given < patience:
            left = -(-(patience - given) // _DRAWN_TOGETHER) * _DRAWN_TOGETHER
            rows = codes[sampler.draw_rows(length, min(together, left))]
            if not len(rows):
                return
            given += len(rows)
            yield from self.terms.add_rows(rows)

    def iterate_distinct(self, terms: Iterable[int], *, drawn: bool = False) -> Iterator[Tree]:
        for term in terms:
            if not self.config.padding and self.forms.is_padded(term):
                self.dropped["padding"] += 1
                continue
            if self.config.style != "any" and self.forms.makes_detour(term):
                self.dropped["detour"] += 1
                continue
            if drawn and self.config.style != "any" and self.forms.goes_round(term):
                self.set_aside[term] = None
                continue
            key = self.forms.key_of(term)
            if key in self.keys:
                self.dropped["same form"] += 1
                continue
            self.keys.add(key)
            yield self.terms.tree_of(term)

    def judge_terms(self, terms: list[Tree]) -> None:
        started = time.perf_counter()
        wanted = self.wanted - len(self.members)
        accepted: list[Member] = []
        rows = [term.list_labels() for term in terms]
        for tree, row, verdict in zip(terms, rows, self.verifier.judge_members(rows), strict=True):
            if not _is_accepted(verdict, self.config):
                self.dropped["holes" if verdict.exceptional_points.has_holes else verdict.outcome] += 1
                # A member that differs from the head shows that a rule is wrong.
                if verdict.outcome == "different":
                    self.raise_contradiction(tree)
            elif len(accepted) < wanted:
                accepted.append(Member(tree, verdict, self.families.get(" ".join(row), "")))
        self.members += accepted
        self.seconds["verify"] += time.perf_counter() - started
        if accepted:
            data = {"stage": "members", "done": len(self.members), "total": self.wanted}
            prefixes = [member.prefix for member in accepted]
            self.events(Event("progress", {**data, "unit": "members", "members": prefixes}))

    def raise_contradiction(self, term: Tree) -> None:
        if self.config.mode == "strict":
            raise self.wrong_rule(f"{to_prefix(term)} is not equal to {to_prefix(self.head)}", "E211")
        changing = {rule.name for rule in self.rules if rule.claim != "sound"}
        self.suspects.update(changing & self.egraph.fired.keys())

    def wrong_rule(self, what: str, code: str) -> EngineError:
        remedy = f"Check these, which had fired: {', '.join(sorted(self.egraph.fired))}."
        return EngineError(f"{what}, so a rule is wrong", remedy=remedy, code=code)


def _share_by_length(wanted: int, lengths: int, most: int, *, even: bool) -> list[int]:
    """Return how many members each length is asked for; with `even` no more than are wanted in all.

    >>> [_share_by_length(wanted, 4, 500, even=even) for wanted, even in ((5, False), (5, True), (2, True))]
    [[2, 2, 2, 2], [1, 1, 1, 2], [0, 1, 0, 1]]
    """
    if not even:
        return [min(-(-wanted // lengths), most)] * lengths
    ends = [wanted * index // lengths for index in range(lengths + 1)]
    return [min(end - start, most) for start, end in pairwise(ends)]
