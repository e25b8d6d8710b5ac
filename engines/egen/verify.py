"""Does an expression equal its head on the reals, and where is each of them defined?

Head and members are evaluated at seeded points of several ranges with error bounds (`engines.core.numeric`).
The points depend on head and seed only: from some thousand candidates those are taken that represent every
combination of signs and sizes of the head's sub-terms, because it is there that other forms gain or lose
domain. A verdict is a statement about these points: it cannot see isolated points (x/x at 0) nor a loss on
intervals that no candidate hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.domain import Interval, draw, gaps, intervals
from engines.core.errors import ExpressionError
from engines.core.numeric import Expression, Programs, balls, compile_many, compile_valid
from engines.core.numeric_kernel import signatures
from engines.egen.language import read_prefix
from engines.egen.records import Counterexample, Outcome, Verdict

__all__ = ["MIN_POINTS", "RANGES", "Judged", "Verifier", "verdict_row", "verify_lines"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

RANGES: tuple[Interval, ...] = (
    *((-0.1, 0.1), (-1.0, 1.0), (-6.0, 6.0), (-30.0, 30.0), (-120.0, 120.0)),
    (25.0, 75.0),  # where E-Gen looked
)
POOL_PER_RANGE = 256
MAX_INSIDE, MAX_OUTSIDE = 72, 24
MIN_POOL = 64
"""With fewer candidates inside the head's domain, or at its other side, its intervals are searched for."""
LEVELS = np.array([0.54, 0.84, 1.0, 1.19, 1.56])
"""Sizes of a sub-term of the head at which members gain or lose domain: about cos 1, sin 1, 1, their
reciprocals and pi/2. An inverse function of the sub-term, or of another inverse of it, ends there."""
MIN_POINTS = 8
"""Fewer points than this decide nothing."""
TOLERANCE = 1e-9
"""Relative difference that is forgiven beyond the error bounds."""
SAFETY = 8.0
"""Multiple of the error bounds that is forgiven."""
SHARP = 1e-6
"""Agreement counts as evidence where the bounds are below this share of the value, or of
`TOLERANCE` times the head's usual size."""
_BATCH = 512


@cache
def _pool(seed: int) -> Floats:
    """Candidates of all ranges in turn: (ranges x points per range,)."""
    random = np.random.default_rng(seed)
    return np.stack([draw(random, *ends, POOL_PER_RANGE) for ends in RANGES], axis=1).ravel()


def _points_within(found: Sequence[Interval], random: np.random.Generator) -> Floats:
    """As many candidates as a range has, spread over intervals near 0; an unbounded one gives 100 units."""
    pieces = []
    for low, high in sorted(found, key=lambda ends: min(map(abs, ends)))[:POOL_PER_RANGE]:
        if low == -np.inf:
            low, high = (-100.0, 100.0) if high == np.inf else (high - 100.0, high)
        pieces.append((low, min(high, low + 100.0)))
    if not pieces:
        return np.empty(0)
    share = -(-POOL_PER_RANGE // len(pieces))
    return np.stack([draw(random, *ends, share) for ends in pieces], axis=1).ravel()


def _chosen(candidates: NDArray[np.intp], cells: NDArray[np.int64], count: int) -> NDArray[np.intp]:
    """Some of the candidates: one of each cell for half of them, rarest cells first, then in order."""
    _, first, sizes = np.unique(cells[candidates], return_index=True, return_counts=True)
    rare = first[np.argsort(sizes, kind="stable")][: count // 2]
    order = np.concatenate([rare, np.delete(np.arange(len(candidates)), rare)])
    return candidates[order[:count]]


class Verifier:
    """Judges expressions against one head.

    Attributes: points: (points,) those inside the head's domain first; inside: how many those are; reason:
    why nothing can be decided, or "".
    """

    def __init__(self, head: Expression, *, seed: int = 0) -> None:
        self.head = head
        self.seed = seed
        program = compile_many([head])
        places = _pool(seed)
        values, errors = balls(program, places, trace=True)
        inside, outside = np.isfinite(errors[0]), np.isnan(values[0])
        if inside.sum() < MIN_POOL or 0 < outside.sum() < MIN_POOL:
            found, random = intervals(program), np.random.default_rng([seed, 1])
            more = _points_within(found, random), _points_within(gaps(found), random)
            places = np.concatenate([places, *more])
            values, errors = balls(program, places, trace=True)
            inside, outside = np.isfinite(errors[0]), np.isnan(values[0])
        cells = signatures(values, errors, LEVELS)
        within = _chosen(np.flatnonzero(inside), cells, MAX_INSIDE)
        chosen = np.concatenate([within, _chosen(np.flatnonzero(outside), cells, MAX_OUTSIDE)])
        self.points: Floats = places[chosen]
        self.inside = len(within)
        self.values: Floats = values[0, within]
        self.errors: Floats = errors[0, within]
        size = float(np.median(np.abs(self.values))) if self.inside else 0.0
        self._fine = TOLERANCE * (size or 1.0)
        self.reason = ""
        if self.inside < MIN_POINTS:
            self.reason = (
                "the head overflows or is too ill-conditioned at almost all points"
                if np.sum(~inside & ~outside) > self.inside
                else "the head is defined at no more than isolated real points, as far as the search can see"
            )

    def check(self, members: Sequence[Expression]) -> list[Verdict]:
        """One verdict per member (trees or token lists).

        Raises: ExpressionError for the first that is no expression.
        """
        verdicts: list[Verdict] = []
        for start in range(0, len(members), _BATCH):
            verdicts.extend(self.judge(compile_many(members[start : start + _BATCH])))
        return verdicts

    def judge(self, programs: Programs) -> list[Verdict]:
        """One verdict per compiled program."""
        if self.reason:
            return [Verdict("undecided", 0.0)] * len(programs)
        values, errors = balls(programs, self.points)
        undefined = np.isnan(values)
        defined = np.isfinite(errors)
        lost, both, gained = undefined[:, : self.inside], defined[:, : self.inside], defined[:, self.inside :]
        values_in, noise = values[:, : self.inside], errors[:, : self.inside] + self.errors
        with np.errstate(invalid="ignore"):
            gap = np.abs(values_in - self.values)
            size = np.maximum(np.abs(values_in), np.abs(self.values))
            differs = gap > TOLERANCE * size + SAFETY * noise
            sharp = noise <= np.maximum(SHARP * size, self._fine)
        rows = zip(
            both.sum(1).tolist(),
            lost.sum(1).tolist(),
            (both & sharp).sum(1).tolist(),
            np.any(differs, axis=1).tolist(),
            np.any(gained, axis=1).tolist(),
            strict=True,
        )
        verdicts = []
        for k, (common, missing, agreeing, apart, more) in enumerate(rows):
            outcome = self._outcome(common, missing, agreeing, apart, more)
            kept = common / (common + missing) if common + missing else 0.0
            points = agreeing + missing
            witness = None
            if outcome == "different":
                with np.errstate(invalid="ignore", divide="ignore"):
                    witness = int(np.argmax(np.where(differs[k], gap[k] / size[k], -1.0)))
            elif outcome in ("shrinks", "nowhere"):
                witness = self._nearest(lost[k])
            elif outcome == "extends":
                witness = self.inside + self._nearest(gained[k], self.inside)
            example = None if witness is None else self._example(witness, values[k], defined[k])
            verdicts.append(Verdict(outcome, kept, more and outcome == "shrinks", points, example))
        return verdicts

    def _outcome(self, common: int, missing: int, agreeing: int, apart: bool, more: bool) -> Outcome:
        """The rules of judgement, from counts of points of the head's domain: where both are defined, where
        the member is not, where they agree to within sharp bounds; whether they differ anywhere; and whether
        the member is defined outside."""
        if apart:
            return "different"
        if common == 0:
            return "nowhere" if missing >= max(MIN_POINTS, self.inside / 3) else "undecided"
        if agreeing == 0 or agreeing + missing < MIN_POINTS:
            return "undecided"
        if missing:
            return "shrinks"
        return "extends" if more else "equal"

    def _nearest(self, mask: Mask, offset: int = 0) -> int:
        """The marked point nearest to 0."""
        far = np.abs(self.points[offset : offset + len(mask)])
        return int(np.argmin(np.where(mask, far, np.inf)))

    def _example(self, place: int, values: Floats, defined: Mask) -> Counterexample:
        head = float(self.values[place]) if place < self.inside else None
        return Counterexample(
            float(self.points[place]), head, float(values[place]) if defined[place] else None
        )


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict for JSON: verdict, kept, gained, points, counterexample."""
    example = verdict.counterexample
    return {
        "verdict": verdict.outcome,
        "kept": verdict.kept,
        "gained": verdict.gained,
        "points": verdict.points,
        "counterexample": example and {"x": example.x, "head": example.head, "member": example.member},
    }


@dataclass(frozen=True, slots=True)
class Judged:
    """A line of a file of pairs: its verdict, or why it could not be read."""

    line: int
    head: str
    member: str
    verdict: Verdict | None = None
    error: ExpressionError | None = None


def verify_lines(lines: Iterable[tuple[int, str]], *, seed: int = 0) -> Iterator[Judged]:
    """Judge lines `head<TAB>member` in generator prefix notation; blank lines are skipped.

    Lines are gathered by head, so they come back grouped by head, in the order heads first appear. A line
    that cannot be read comes back with its error; the rest is done.
    """
    groups: dict[str, list[tuple[int, str]]] = {}
    for number, line in lines:
        head, tab, member = line.strip("\r\n").partition("\t")
        if tab:
            groups.setdefault(head, []).append((number, member))
        elif head.strip():
            error = ExpressionError(
                "the line has no tab", text=line, remedy="Write: head, one tab, member, in prefix notation."
            )
            yield Judged(number, head, "", error=error)
    for head, members in groups.items():
        try:
            read_prefix(head)
            verifier = Verifier(head.split(), seed=seed)
        except ExpressionError as error:
            yield from (Judged(number, head, member, error=error) for number, member in members)
            continue
        rest = iter(members)
        while batch := list(islice(rest, _BATCH)):
            programs = compile_valid([member.split() for _, member in batch])
            verdicts = verifier.judge(programs)
            for (number, member), verdict, nesting in zip(
                batch, verdicts, programs.nesting.tolist(), strict=True
            ):
                if nesting >= 0:
                    yield Judged(number, head, member, verdict)
                else:
                    yield Judged(number, head, member, error=_why_unreadable(member))


def _why_unreadable(member: str) -> ExpressionError:
    try:
        read_prefix(member)
    except ExpressionError as error:
        return error
    return ExpressionError("the expression cannot be evaluated", text=member)
