"""Verdicts: does an expression equal its head wherever assumptions hold, and where is each defined?

Head and members are evaluated with error bounds at points that depend on head and seed only (`points`).
Values that are equal in double precision are compared again by enclosures of several hundred bits
(`enclosures`), also next to the ends of the member's own domain, which are computed or, where that is not
possible, searched for (`domain_boundaries`); isolated points where only one of the two is defined are
listed. A verdict is a statement about these points, and names the region in which no point contradicts it.

`Verifier` judges expressions of x, `MultivariateVerifier` those of several variables, and `BallVerifier`
(`ball_verifier`) those that double precision does not evaluate; `make_verifier` chooses among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, isnan
from typing import Any, NamedTuple

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from engines.core.arrays import Floats
from engines.core.compiling import compile_kernel
from engines.core.errors import EngineError, ExpressionError
from engines.core.expression_language import FURTHER, LETTERS, VARIABLE, is_name, read_prefix, variables_of
from engines.core.tree import Tree
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions, order_variables
from engines.mathematics.numbers.numeric import (
    Expression,
    Programs,
    compile_many,
    compile_valid,
    evaluate_balls,
)
from engines.mathematics.numbers.precise import BITS, BallValue, agreed_bits
from engines.mathematics.verification.ball_verifier import BallVerifier
from engines.mathematics.verification.domain_boundaries import INNER, BoundarySearch
from engines.mathematics.verification.enclosures import (
    MAX_VISIBLE_SCALE,
    MOST_BITS,
    bits_for,
    compute_scales,
    too_large,
)
from engines.mathematics.verification.exceptional_points import (
    SpaceExceptionalPoints,
    select_exceptional_points,
    unite_exceptional_points,
)
from engines.mathematics.verification.points import (
    CLEAR_GAP_ERROR_MULTIPLE,
    CLEAR_GAP_SHARE,
    MAX_FAR,
    BoundaryLines,
    Region,
    choose_points,
    choose_telling,
    compare_at_points,
    exact_value_at,
    functions_at,
    share_region,
    values_of,
)
from engines.mathematics.verification.precision_recheck import (
    Recheck,
    ValueDifference,
    is_undefined,
    iterate_with_more_bits,
    measure_agreement,
)
from engines.mathematics.verification.verdicts import (
    NO_EXCEPTIONAL_POINTS,
    Counterexample,
    EqualityEvidence,
    ExceptionalPoints,
    MemberOutcome,
    MemberVerdict,
)

MIN_POINTS = 8
"""Fewer points than this decide nothing."""
# Agreement in double precision alone, without rigorous values, is reported as this many bits.
CLEAR_BITS = 30
SHARP_ERROR_SHARE = 1e-6
"""Values that agree are evidence where their error bounds are below this share of the value, or of
`CLEAR_GAP_SHARE` times the usual size of the head's values."""
_FIRST_SCALE_POINTS, _ALL_SCALE_POINTS = 2, 8
"""Points at which the sizes of terms are looked at: of all, and of those that the first do not settle."""
_BATCH = 512
_AGREEING_OUTCOMES = ("equal", "extends", "shrinks")
_WITNESSES: dict[MemberOutcome, str] = {
    "different": "differing_at",
    "shrinks": "missing_at",
    "nowhere": "missing_at",
    "extends": "gained_at",
}
"""The field of a `MemberCase` with the point that proves an outcome, by outcome."""
_BESIDE_END_COST = 1e9
"""Display cost that makes points next to a domain boundary the last choice as counterexample."""


class Verifier:
    """Judge of expressions against one head.

    Attributes:
        points: (points,) the points of comparison, those inside the head's domain first.
        head_domain_count: The number of points inside the head's domain.
        reason: Why nothing can be decided about this head, or an empty text.
    """

    def __init__(self, head: Expression, *, seed: int = 0) -> None:
        self.head = head
        self.seed = seed
        self.variables: tuple[str, ...] = ("x",)
        self.named_indices: list[int] = []
        self._program = compile_many([head])
        points, is_mostly_unknown = choose_points(self._program, seed)
        self._evaluate_head_at(points)
        self._prepare_comparison(is_mostly_unknown)
        if not self.reason:
            self._recheck = Recheck(self._program, self.points[: self.head_domain_count])
            if ends := self._recheck.points_beside_domain_ends():
                self._evaluate_head_at(points, np.array(ends))

    def _prepare_comparison(self, is_mostly_unknown: bool) -> None:
        """Prepare what comparisons with the head need, or say in `reason` that it has too few points for any.

        Args:
            is_mostly_unknown: Whether the search could not tell if the head is defined at more candidate
                points than it is known to be defined at.
        """
        self.reason = ""
        self._verdicts: dict[Any, MemberVerdict] = {}
        self._precise_heads: dict[tuple[int, int], BallValue] = {}
        if self.head_domain_count < MIN_POINTS:
            self.reason = (
                "the head overflows or is too ill-conditioned at almost all points"
                if is_mostly_unknown
                else "the head is defined at no more than isolated real points, as far as the search can tell"
            )
            return
        # values that may be 0 within their bounds are: what is 0 everywhere is compared absolutely
        sizes = np.sort(np.where(np.abs(self.values) <= self.errors, 0.0, np.abs(self.values)))
        median = float(sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
        self._noise_floor = CLEAR_GAP_SHARE * (median or 1.0)
        positions = np.linspace(0, self.head_domain_count - 1, _ALL_SCALE_POINTS).astype(np.intp)
        self._indices_by_scale = positions[
            compute_scales(self._program, self.points[..., positions])[0].argsort(kind="stable")
        ]

    def _evaluate_head_at(self, points: Floats, beside_ends: Floats | None = None) -> None:
        """Evaluate the head at points and take them for the comparison, those inside its domain first; those
        where nothing can be told are left out.

        `beside_ends` are more of them, close to the ends of the domain, which are the last to be shown.
        """
        every = points if beside_ends is None else np.concatenate([points, beside_ends], axis=-1)
        values, errors = evaluate_balls(self._program, every)
        within = np.flatnonzero(np.isfinite(errors[0]))
        order = np.concatenate([within, np.flatnonzero(np.isnan(values[0]))])
        self.points: Floats = every[..., order]
        self.head_domain_count = len(within)
        sizes = np.atleast_2d(np.abs(self.points)).max(axis=0)
        # A counterexample is shown at the point of the least cost: the smallest, beside an end only if no
        # other shows it.
        self._display_costs: Floats = sizes + _BESIDE_END_COST * (order >= points.shape[-1])
        self.values: Floats = values[0, within]
        self.errors: Floats = errors[0, within]

    def judge_members(self, members: Sequence[Expression]) -> list[MemberVerdict]:
        """Return one verdict per member (trees or token lists).

        Raises:
            ExpressionError: For the first that is no expression.
        """
        verdicts: list[MemberVerdict] = []
        for start in range(0, len(members), _BATCH):
            batch = members[start : start + _BATCH]
            verdicts.extend(self.judge_programs(compile_many(batch, variables=self.variables)))
        return verdicts

    def judge_programs(self, programs: Programs) -> list[MemberVerdict]:
        """Judge the programs of members."""
        if self.reason:
            return [MemberVerdict("undecided", 0.0)] * len(programs)
        values, errors = evaluate_balls(programs, self.points)
        counts, telling_indices = _count_points(
            values, errors, self.values, self.errors, self._display_costs, self._noise_floor
        )
        cases = [
            MemberCase(index, self._decide_outcome(*counted), *counted, *telling)
            for index, (counted, telling) in enumerate(
                zip(counts.tolist(), telling_indices.tolist(), strict=True)
            )
        ]
        agreeing = [case for case in cases if case.outcome in _AGREEING_OUTCOMES]
        self._recheck_agreeing_cases(programs, agreeing)
        self._compare_with_needed_bits(
            programs, [case for case in agreeing if case.outcome in _AGREEING_OUTCOMES]
        )
        return [self._judge_case(case, values[case.index], errors[case.index]) for case in cases]

    def _decide_outcome(
        self, common: int, missing: int, agreeing: int, differing: int, gained: int
    ) -> MemberOutcome:
        """Decide the outcome from counts of points.

        Args:
            common: Points of the head's domain at which both are defined.
            missing: Points of the head's domain at which the member is not.
            agreeing: Points at which they agree to within sharp bounds.
            differing: Points at which they differ.
            gained: Points outside of the head's domain at which the member is defined.
        """
        if differing:
            return "different"
        if common == 0:
            return "nowhere" if missing >= max(MIN_POINTS, self.head_domain_count / 3) else "undecided"
        if agreeing == 0 or agreeing + missing < MIN_POINTS:
            return "undecided"
        if missing:
            return "shrinks"
        return "extends" if gained else "equal"

    def _recheck_agreeing_cases(self, programs: Programs, agreeing: list[MemberCase]) -> None:
        """Look at members that agree in double precision again: their values with rigorous bounds, then where
        they are defined."""
        chosen = [case.index for case in agreeing]
        node_functions = self._recheck.read_programs(programs, chosen)
        evidences = self._recheck.recheck_values(programs, node_functions, chosen)
        for case, evidence in zip(agreeing, evidences, strict=True):
            if case.suspect_at >= 0 and not isinstance(evidence, ValueDifference):
                closer = self._recheck.compare_with_more_bits(
                    programs, case.index, float(self.points[case.suspect_at])
                )
                evidence = closer if isinstance(closer, ValueDifference) else evidence or closer
            if evidence is None and case.sharp_at >= 0:
                evidence = self._recheck.compare_at(programs, case.index, float(self.points[case.sharp_at]))
            if isinstance(evidence, ValueDifference):
                case.outcome = "different"
                case.example = Counterexample(*evidence)
            else:
                case.evidence = evidence or EqualityEvidence(CLEAR_BITS, case.agreeing)
                if evidence is None and self._recheck.is_undefined_everywhere(
                    node_functions[programs.roots[case.index]]
                ):
                    self._withdraw_equality(case)
        candidates = [case for case in agreeing if case.outcome in ("equal", "extends")]
        self._search_domains(programs, node_functions, candidates)

    def _compare_with_needed_bits(self, programs: Programs, cases: Sequence[MemberCase]) -> None:
        """Compare members whose difference the usual number of bits would not show, since large terms cancel,
        with as many bits as that needs; where that is too many, nothing is decided."""
        exceeds = self._needed_scales(programs, _FIRST_SCALE_POINTS).min(axis=1) > MAX_VISIBLE_SCALE
        beyond_precision = [case for case in cases if exceeds[case.index]]
        if not beyond_precision:
            return
        needed = self._needed_scales(programs, _ALL_SCALE_POINTS)
        for case in beyond_precision:
            bits, least = bits_for(needed[case.index])
            if bits > MOST_BITS:
                case.outcome = "undecided"
            elif bits > BITS:
                self._compare_with_bits(programs, case, int(self._indices_by_scale[least]), bits)

    def _needed_scales(self, programs: Programs, count: int) -> Floats:
        """(programs, points) scales of programs and head, at so many points where the head's is least."""
        points = self.points[..., self._indices_by_scale[:count]]
        return np.maximum(compute_scales(programs, points), compute_scales(self._program, points))

    def _compare_with_bits(self, programs: Programs, case: MemberCase, index: int, bits: int) -> None:
        point = np.atleast_2d(self.points)[:, index]
        if (index, bits) not in self._precise_heads:
            self._precise_heads[index, bits] = exact_value_at(self._program, 0, point, bits)
        head, member = self._precise_heads[index, bits], exact_value_at(programs, case.index, point, bits)
        if head is None or member is None:
            self._withdraw_equality(case)
            return
        with ctx.workprec(bits):
            if agreed_bits(head, member) is None:
                case.outcome = "different"
                case.example = self._make_counterexample(
                    point, float(head), float(member), float(member - head)
                )

    @staticmethod
    def _withdraw_equality(case: MemberCase) -> None:
        """Take back that both are equal, where double precision has values of both and there are none, as of
        a negative base to a power that only seems an integer."""
        if case.outcome != "shrinks":
            case.outcome, case.exceptional_points = "undecided", NO_EXCEPTIONAL_POINTS

    def _search_domains(self, programs: Programs, node_functions: list[int], cases: list[MemberCase]) -> None:
        hole_masks, points, search_radii = self._recheck.recheck_domains(
            programs, node_functions, [case.index for case in cases]
        )
        self._compare_at_boundary_points(
            programs, [(cases[row], boundary_points) for row, boundary_points in points.items()]
        )
        searched: list[MemberCase] = []
        shared_evidence: dict[tuple[int, float], EqualityEvidence] = {}
        for case, search_radius in zip(cases, search_radii, strict=True):
            if search_radius is None:
                searched.append(case)
            elif case.evidence is not None and case.outcome in ("equal", "extends"):
                key = id(case.evidence), search_radius
                if key not in shared_evidence:
                    shared_evidence[key] = case.evidence._replace(
                        search_radius=search_radius, largest_missed_side=0.0
                    )
                case.evidence = shared_evidence[key]
        self._compare_beyond_boundaries(programs, searched)
        for case, hole_mask in zip(cases, hole_masks, strict=True):
            if case.outcome in ("equal", "extends"):
                case.exceptional_points = self._recheck.find_exceptional_points(
                    programs, case.index, hole_mask, both=case.outcome == "equal"
                )

    def _compare_at_boundary_points(
        self, programs: Programs, cases: Sequence[tuple[MemberCase, Floats]]
    ) -> None:
        result = compare_at_points(
            self._program, programs, [case.index for case, _ in cases], [points for _, points in cases]
        )
        for (case, points), (differing_at, missing_at, gained_at) in zip(cases, result, strict=True):
            position = -1 if case.gained else gained_at
            if differing_at >= 0:
                case.outcome, position = "different", differing_at
            elif missing_at >= 0:
                case.outcome, position = "shrinks", missing_at
                case.missing += 1
                case.gained += gained_at >= 0
            elif gained_at >= 0:
                case.outcome = "extends"
            if position >= 0:
                point = points[:, position]
                both = exact_value_at(self._program, 0, point), exact_value_at(programs, case.index, point)
                head, member = (None if value is None else float(value) for value in both)
                gap = None if head is None or member is None else member - head
                case.example = self._make_counterexample(point, head, member, gap)

    def _compare_beyond_boundaries(self, programs: Programs, cases: Sequence[MemberCase]) -> None:
        candidates = [case for case in cases if case.outcome in ("equal", "extends")]
        if not candidates:
            return
        result = self._boundaries.search_programs(programs, [case.index for case in candidates])
        # Programs with the same boundaries share one array of points, so that they are compared together, and
        # identity says which do without comparing arrays; `result` keeps the arrays alive meanwhile.
        cases_by_points: dict[int, list[tuple[MemberCase, Floats]]] = {}
        for case, (points, _) in zip(candidates, result, strict=True):
            cases_by_points.setdefault(id(points), []).append((case, points))
        for group in cases_by_points.values():
            self._compare_at_boundary_points(programs, group)
        for case, (_, side) in zip(candidates, result, strict=True):
            if side < inf and case.evidence is not None and case.outcome in ("equal", "extends"):
                case.evidence = case.evidence._replace(search_radius=INNER, largest_missed_side=side)

    @cached_property
    def _boundaries(self) -> BoundarySearch:
        functions, unsure = self._recheck.functions, self._recheck.may_have_other_places
        return BoundarySearch(
            self._program, Region(self.variables), [0], functions, self.points[:1], unsure=unsure
        )

    def _judge_case(self, case: MemberCase, values: Floats, errors: Floats) -> MemberVerdict:
        witness = _WITNESSES.get(case.outcome)
        index = getattr(case, witness) if witness else -1
        example = case.example
        if example is None and index >= 0:
            member = None
            head = float(self.values[index]) if index < self.head_domain_count else None
            if isfinite(errors[index]):
                member = float(values[index])
            gap = member - head if head is not None and member is not None else None
            example = self._make_counterexample(np.atleast_2d(self.points)[:, index], head, member, gap)
        decided = case.common + case.missing
        kept_share = case.common / decided if decided else 0.0
        also_gains = bool(case.gained) and case.outcome == "shrinks"
        point_count = case.agreeing + case.missing
        if example is not None:
            return self._make_verdict(case, kept_share, also_gains, point_count, example)
        key = case.outcome, kept_share, also_gains, point_count, case.evidence, id(case.exceptional_points)
        if key not in self._verdicts:
            self._verdicts[key] = self._make_verdict(case, kept_share, also_gains, point_count, None)
        return self._verdicts[key]

    @staticmethod
    def _make_verdict(
        case: MemberCase,
        kept_share: float,
        also_gains: bool,
        point_count: int,
        example: Counterexample | None,
    ) -> MemberVerdict:
        exceptional = case.exceptional_points
        return MemberVerdict(
            case.outcome,
            kept_share,
            also_gains,
            point_count,
            example,
            case.evidence,
            exceptional.describe_points(),
            exceptional,
        )

    def _make_counterexample(
        self, point: Floats, head: float | None, member: float | None, gap: float | None
    ) -> Counterexample:
        at = tuple((self.variables[index], float(point[index])) for index in self.named_indices)
        return Counterexample(float(point[0]), head, member, gap, at)


@dataclass(slots=True)
class MemberCase:
    """A member while it is judged: counts of points by kind, as for `_decide_outcome`.

    The fields that end in `_at` are the index of the point that shows the kind best, -1 if there is none.
    """

    index: int
    """Of the member's program among those judged together."""
    outcome: MemberOutcome
    common: int
    missing: int
    agreeing: int
    differing: int
    gained: int
    differing_at: int
    missing_at: int
    gained_at: int
    suspect_at: int
    """The point of the largest gap above the rounding errors that is too small to be a difference."""
    sharp_at: int
    """The first point where the rounding errors are a small share of the values (`SHARP_ERROR_SHARE`)."""
    example: Counterexample | None = None
    evidence: EqualityEvidence | None = None
    exceptional_points: ExceptionalPoints = NO_EXCEPTIONAL_POINTS


# Columns of what `_count_points` returns, which are the fields of `MemberCase`.
_COMMON, _MISSING, _AGREEING, _DIFFERING, _GAINED, _COUNTS = range(6)
_DIFFERING_AT, _MISSING_AT, _GAINED_AT, _SUSPECT_AT, _SHARP_AT, _TELLING_COUNT = range(6)


@compile_kernel
def _count_points(
    values: Floats,
    errors: Floats,
    head_values: Floats,
    head_errors: Floats,
    display_costs: Floats,
    noise_floor: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return counts of points by kind, (programs, `_COUNTS`), and the indices of the most telling ones,
    (programs, `_TELLING_COUNT`), both in the order of the fields of `MemberCase`.

    Args:
        values, errors: (programs, points).
        head_values, head_errors: (inside,).
        display_costs: (points,); the points of the least cost are shown.
    """
    counts = np.zeros((len(values), _COUNTS), np.int64)
    telling_indices = np.full((len(values), _TELLING_COUNT), -1, np.int64)
    for k in range(len(values)):
        # The best so far, in the order of `telling_indices`: a relative gap, the smallest |x| of a lost and
        # of a gained point, and a doubtful gap. A sharp point is the first that there is.
        best = np.array([-1.0, inf, inf, -1.0])
        for j in range(len(display_costs)):
            v, error, cost = values[k, j], errors[k, j], display_costs[j]
            # Points outside the head's domain: the member may be defined there.
            if j >= len(head_values):
                if isfinite(error):
                    counts[k, _GAINED] += 1
                    if cost < best[_GAINED_AT]:
                        best[_GAINED_AT], telling_indices[k, _GAINED_AT] = cost, j
                continue
            # Inside the domain: undefined there, equal there, or different there.
            if isnan(v):
                counts[k, _MISSING] += 1
                if cost < best[_MISSING_AT]:
                    best[_MISSING_AT], telling_indices[k, _MISSING_AT] = cost, j
            if not isfinite(error):
                continue
            counts[k, _COMMON] += 1
            noise, gap = error + head_errors[j], abs(v - head_values[j])
            size = max(abs(v), abs(head_values[j]))
            # Different beyond doubt: the gap is larger than rounding can explain.
            if gap > CLEAR_GAP_SHARE * size + CLEAR_GAP_ERROR_MULTIPLE * noise:
                counts[k, _DIFFERING] += 1
                if gap / size > best[_DIFFERING_AT]:
                    best[_DIFFERING_AT], telling_indices[k, _DIFFERING_AT] = gap / size, j
            elif gap > CLEAR_GAP_ERROR_MULTIPLE * noise and gap / size > best[_SUSPECT_AT]:
                best[_SUSPECT_AT], telling_indices[k, _SUSPECT_AT] = gap / size, j
            # Equal to many digits, or to the accuracy that the function's scale allows.
            if noise <= max(SHARP_ERROR_SHARE * size, noise_floor):
                counts[k, _AGREEING] += 1
                if telling_indices[k, _SHARP_AT] < 0 and noise <= SHARP_ERROR_SHARE * size:
                    telling_indices[k, _SHARP_AT] = j
    return counts, telling_indices


class JudgedLine(NamedTuple):
    """A line of a file of pairs: its verdict, or why it could not be read."""

    line: int
    head: str
    member: str
    verdict: MemberVerdict | None = None
    error: EngineError | None = None


VerifierFactory = Callable[[Tree, Sequence[Tree]], Any]
"""Makes the verifier of members from their head and terms that have every variable of the members."""


def verify_lines(
    lines: Iterable[tuple[int, str]], *, make_line_verifier: VerifierFactory = lambda head, _: Verifier(head)
) -> Iterator[JudgedLine]:
    """Judge lines `head<TAB>member` in generator prefix notation; blank lines are skipped.

    Lines come back grouped by the verifier that judges them, in the order in which each is first needed. A
    line that cannot be read comes back with its error; the rest is done.
    """
    # What a verifier tries depends on the variables, and whether it uses double precision on the functions:
    # members that differ in these are judged apart, so that no verdict depends on the other lines.
    groups: dict[tuple[str, frozenset[str], bool], list[tuple[int, str]]] = {}
    for number, line in lines:
        head, tab, member = line.strip("\r\n").partition("\t")
        if member.strip() and "\t" not in member.strip():
            tokens = {*member.split()}
            extra_variables = frozenset(name for name in tokens if name != VARIABLE and is_name(name))
            is_beyond_double = not tokens.isdisjoint(FURTHER)
            groups.setdefault((head, extra_variables, is_beyond_double), []).append((number, member))
        elif line.strip():
            what = "the line has no tab"
            if tab:
                what = "the line has more than one tab" if member.strip() else "nothing stands behind the tab"
            error = ExpressionError(what, text=line, remedy="Write: head, one tab, member.")
            yield JudgedLine(number, head, "", error=error)
    for (head, extra_variables, is_beyond_double), members in groups.items():
        try:
            tree = read_prefix(head, LETTERS)
            token_lists = [member.split() for _, member in members]
            verifier = make_line_verifier(
                tree, [*map(Tree, sorted(extra_variables)), *[_BEYOND_DOUBLE] * is_beyond_double]
            )
        except ExpressionError as error:
            yield from (JudgedLine(number, head, member, error=error) for number, member in members)
            continue
        if not isinstance(verifier, Verifier):
            yield from _judge_one_by_one(verifier, head, members)
            continue
        for start in range(0, len(members), _BATCH):
            batch = slice(start, start + _BATCH)
            programs = compile_valid(token_lists[batch], variables=verifier.variables)
            verdicts, nestings = verifier.judge_programs(programs), programs.nesting.tolist()
            # Numbers beyond double precision are judged again by rigorous values alone.
            for (number, member), verdict, nesting in zip(members[batch], verdicts, nestings, strict=True):
                if (
                    nesting >= 0
                    and verdict.outcome == "undecided"
                    and too_large(read_prefix(member, LETTERS))
                ):
                    rigorous = make_line_verifier(tree, [read_prefix(member, LETTERS)])
                    yield from _judge_one_by_one(rigorous, head, [(number, member)])
                elif nesting >= 0:
                    yield JudgedLine(number, head, member, verdict)
                else:
                    yield JudgedLine(number, head, member, error=_why_unreadable(member))


_BEYOND_DOUBLE = Tree("floor", (Tree("0"),))
"""Stands for every expression that double precision does not evaluate."""


def _judge_one_by_one(verifier: Any, head: str, members: Iterable[tuple[int, str]]) -> Iterator[JudgedLine]:
    for number, member in members:
        try:
            (verdict,) = verifier.judge_members([read_prefix(member, LETTERS)])
            yield JudgedLine(number, head, member, verdict)
        except ExpressionError as error:
            yield JudgedLine(number, head, member, error=error)


def _why_unreadable(member: str) -> ExpressionError:
    try:
        read_prefix(member, LETTERS)
    except ExpressionError as error:
        return error
    return ExpressionError("the expression cannot be evaluated", text=member)


_PROBES = 12
_LINES = 9
"""Lines on which the ends of the domain are worked out, shared among the variables; each has at least two."""


def make_verifier(
    head: Tree, *others: Tree, assumptions: Assumptions = NO_ASSUMPTIONS, seed: int = 0
) -> Verifier | BallVerifier:
    """Return the verifier that judges members against a head.

    It compares on the line for functions of x alone, in space for several variables, and point by point with
    rigorous bounds if a term has sums, integrals and the like, or is too large.

    Args:
        head: The head.
        others: Terms whose variables the members may also have.
        assumptions: What is assumed of the variables.
        seed: The same seed draws the same points.

    Raises:
        EngineError: E221 if no point is found where the assumptions hold.
    """
    variables = variables_of(head, *others) | assumptions.variables
    if needs_rigorous_bounds(head, *others):
        return BallVerifier(head, variables, assumptions, seed=seed)
    if variables <= {"x"} and not assumptions:
        return Verifier(head, seed=seed)
    return MultivariateVerifier(head, variables, assumptions, seed=seed)


def needs_rigorous_bounds(*trees: Tree) -> bool:
    """Return whether terms are compared point by point: they have sums, integrals and the like, or one is too
    large."""
    return any(node.label in FURTHER for tree in trees for node in tree) or any(map(too_large, trees))


class MultivariateVerifier(Verifier):
    """Judges expressions of several variables against one head.

    Points are drawn from the region of the assumptions, some of them far out along one variable, some beside
    ends of domains on lines parallel to the axes, and some beyond others (`domain_boundaries`). What double
    precision holds to be equal is looked at again with rigorous bounds, at points in general position and
    where one variable is 0, 1, -1 or 2: so single values of a variable are found at which only one of the two
    is defined.

    Attributes: points: (variables, points), those inside the head's domain first; named_indices: the places
    of the variables that are named; the others as `Verifier`'s.
    """

    def __init__(
        self,
        head: Expression,
        names: set[str],
        assumptions: Assumptions = NO_ASSUMPTIONS,
        *,
        seed: int = 0,
    ) -> None:
        self.head = head
        self.seed = seed
        self.variables = order_variables(names)
        self.named_indices = [index for index, name in enumerate(self.variables) if name in names]
        self._program = compile_many([head], variables=self.variables)
        region = share_region(tuple(self.variables), assumptions, seed)
        values, errors = evaluate_balls(self._program, region.points, trace=True)
        # Points that lie in different cells of the head's sub-terms tell more than others.
        near = region.points[:, choose_telling(values, errors)]
        far = (
            points[:, choose_telling(*evaluate_balls(self._program, points, trace=True), MAX_FAR, MAX_FAR)]
            for points in region.far_points
        )
        points = np.concatenate([near, *far, *region.integer_points()], axis=1)
        self._evaluate_head_at(points)
        defined_count, undefined_count = int(np.isfinite(errors[-1]).sum()), int(np.isnan(values[-1]).sum())
        unknown_count = region.points.shape[1] - defined_count - undefined_count
        self._prepare_comparison(unknown_count > defined_count)
        # With these points some heads cannot be decided at all.
        if self.reason:
            return
        lines_per_variable = max(2, _LINES // len(self.named_indices))
        self._lines = BoundaryLines(
            self._program,
            region,
            self.named_indices,
            self.points[:, : self.head_domain_count],
            lines_per_variable,
        )
        self._exceptional_points = SpaceExceptionalPoints(self._program, self._lines.lines)
        if (ends := self._lines.points_beside_head_ends()).size:
            self._evaluate_head_at(points, ends)
        self._tried = region.describe_tried(self.points)
        # The outermost points of each variable are among the probes: there one sees best what fades along it,
        # such as 1 - tanh x for x > 20.
        inside = self.points[self.named_indices, : self.head_domain_count]
        outermost = [*inside.argmin(axis=1).tolist(), *inside.argmax(axis=1).tolist()]
        self._probes = sorted(
            {*range(0, self.head_domain_count, max(1, self.head_domain_count // _PROBES)), *outermost}
        )
        self._general_functions = functions_at(
            self.variables, self.points[:, self._probes], merged=True, whole=assumptions.integers
        )
        self._boundaries = BoundarySearch(
            self._program, region, self.named_indices, self._general_functions, self.points[:, 0]
        )
        self._special_points, self._special_values = region.special_points
        self._special_functions = functions_at(self.variables, self._special_points)

    def _recheck_agreeing_cases(self, programs: Programs, agreeing: list[MemberCase]) -> None:
        """Look at members again as `Verifier` does, at points in space."""
        # Step 1: exact values at some of the points tried; where they agree too vaguely, decide at others.
        roots = programs.roots[[case.index for case in agreeing]]
        general_numbers = self._general_functions.read_programs(programs, roots)
        special_numbers = self._special_functions.read_programs(programs, roots)
        (general_heads,) = values_of(self._general_functions, self._program, [0])
        (special_heads,) = values_of(self._special_functions, self._program, [0])
        for case, root in zip(agreeing, roots.tolist(), strict=True):
            members = self._general_functions.values[general_numbers[root]]
            case.evidence, doubtful = measure_agreement(self._general_functions, general_heads, members)
            for position in (-1 if doubtful is None else self._probes[doubtful], case.suspect_at):
                if case.outcome != "different" and position >= 0:
                    self._compare_at_point(programs, case, position)
            if case.outcome != "different" and case.evidence is None and case.sharp_at >= 0:
                self._compare_at_point(programs, case, case.sharp_at)
            if case.outcome != "different":
                checked = case.evidence or EqualityEvidence(CLEAR_BITS, case.agreeing)
                if case.evidence is None and (is_undefined(general_heads) or is_undefined(members)):
                    self._withdraw_equality(case)
                case.evidence = checked._replace(integers_tried=self._tried)
        # Step 2: look at holes of the domain: beside single points and beyond the range of the points tried.
        candidates = [case for case in agreeing if case.outcome in ("equal", "extends")]
        points = self._lines.points_for_programs(programs, [case.index for case in candidates])
        self._compare_at_boundary_points(
            programs, [(case, own) for case, (own, _) in zip(candidates, points, strict=True)]
        )
        self._compare_beyond_boundaries(programs, candidates)
        # Step 3: values at the special points, whose coordinates exceptional points often have.
        for case in agreeing:
            if case.outcome != "different":
                self._compare_at_special_points(
                    case,
                    special_heads,
                    self._special_functions.values[special_numbers[programs.roots[case.index]]],
                )
        # Step 4: exceptional points, which a verdict of equal names.
        for case, (_, holes) in zip(candidates, points, strict=True):
            if case.outcome in ("equal", "extends"):
                exceptional = self._exceptional_points.find_exceptional_points(
                    programs, case.index, holes, both=case.outcome == "equal"
                )
                case.exceptional_points = unite_exceptional_points(exceptional, case.exceptional_points)

    def _compare_at_point(self, programs: Programs, case: MemberCase, index: int) -> None:
        """Compare a member with the head at a point, with more bits until they differ or half agree."""
        point = self.points[:, index]
        for bits, agreed, values in iterate_with_more_bits(self._program, programs, case.index, point):
            if agreed is None:
                case.outcome = "different"
                case.example = self._make_counterexample(point, *values)
                return
            if agreed >= bits // 2:
                case.evidence = case.evidence or EqualityEvidence(agreed, 1)
                return

    def _compare_at_special_points(
        self, case: MemberCase, heads: Sequence[BallValue], members: Sequence[BallValue]
    ) -> None:
        """Compare the values at the special points: one that differs refutes, and one that only one of the
        two has makes an exceptional point."""
        kinds: list[tuple[Mapping[str, float], str, Mapping[str, float]]] = []
        points = zip(self._special_points.T, self._special_values, heads, members, strict=True)
        for point, special, head, member in points:
            at = dict(zip(self.variables, point.tolist(), strict=True))
            if head is None or member is None:
                known = member if head is None else head
                kind = "" if known is None else "member" if member is None else "head"
                kinds.append((special, kind, at))
            elif head.is_finite() and member.is_finite():
                kinds.append((special, "", at))
                if not head.overlaps(member):
                    case.outcome = "different"
                    case.example = self._make_counterexample(
                        point, float(head), float(member), float(member - head)
                    )
                    return
        case.exceptional_points = ExceptionalPoints(select_exceptional_points(case.outcome, kinds))
