"""Right pane: an expression in all its forms, how it was judged against its head, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.egraphs.columns import (
    VERDICT_SIGNS,
    fit_columns,
    format_condition,
    format_expression,
    infix,
    latex,
    listing_arguments,
    tree_lines,
    verdict_content,
)
from screens.shell.export import Export
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.theme import elide, format_count, format_quantity, safe_text, text_width
from screens.widgets.listing import Listing, ReaderBox, failure_content
from screens.widgets.pane import Page, Pane
from screens.widgets.plot import FormulaImage, PicturePlot, PlotWidget, Series
from screens.widgets.table import Table
from screens.widgets.table_columns import Record

# Points of a curve, as many as a wide plot has columns of dots.
_SAMPLES = 240
_QUICKLY = {"time_s": 1.0, "nodes": 2_000}
"""The bounds of a derivation that nobody asked for."""
_SHORT = 6
"""A derivation of more steps is left to `d`."""
_REACH = 8.0
"""Ends of domains farther from 0 than this do not widen the plot."""
_SLICED = 6
"""Through so many points there are slices."""

_Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExplainedMember:
    """An expression to judge against its head.

    `judged` is the stored verdict, empty if unknown; `seed` chooses the points, among those where the
    assumptions hold. An expression that is its own head is `alone`: there is nothing to judge.
    """

    title: str
    head: str
    member: str
    judged: str
    seed: int
    assume: str = ""
    mode: str = "strict"
    theory: str = "reals"

    @property
    def key(self) -> tuple[str, str, int, str, str]:
        """Return what identifies the case, whatever its title."""
        return self.head, self.member, self.seed, self.assume, self.theory

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of `egen.explain`."""
        return {"head": self.head, "member": self.member, "assume": self.assume, "seed": self.seed}

    @property
    def derivation(self) -> dict[str, Any]:
        """Return the parameters of `egen.derive`."""
        about = {"assume": self.assume, "theory": self.theory}
        return {"start": self.head, "target": self.member, **about, "mode": self.mode}

    @property
    def alone(self) -> bool:
        """Tell whether the expression is its own head."""
        return self.head == self.member


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice through a function of several variables: the variable that `runs`, and the others' values."""

    runs: str = "x"
    fixed: tuple[tuple[str, float], ...] = ()

    @property
    def words(self) -> str:
        """`over x at y = 1.3`."""
        values = ", ".join(f"{name} = {value:.3g}" for name, value in self.fixed)
        return f"over {self.runs}" + (f" at {values}" if values else "")


def list_slices(points: Sequence[Mapping[str, Any]]) -> tuple[Slice, ...]:
    """Return the slices through some points of `egen.explain`, those with values near 1 first.

    Points without other variables give the one slice of x.

    >>> [one.words for one in list_slices([{"at": {"x": 2.0, "y": -1.5}, "head_state": "defined"}])]
    ['over x at y = -1.5', 'over y at x = 2']
    """
    known = [point for point in points if "at" in point]

    def measure_remoteness(point: Mapping[str, Any]) -> tuple[bool, float]:
        # Points where the head is defined come first, and of those the ones with values near 1 or −1.
        return point["head_state"] != "defined", max(abs(abs(value) - 1) for value in point["at"].values())

    known.sort(key=measure_remoteness)
    result = (
        Slice(runs, tuple((name, value) for name, value in point["at"].items() if name != runs))
        for point in known[:_SLICED]
        for runs in point["at"]
    )
    return tuple(dict.fromkeys(result)) or (Slice(),)


@dataclass(frozen=True, slots=True)
class _Range:
    """The range of the curves of a case, by whatever title, on a slice of it."""

    case: ExplainedMember
    over: Slice
    low: float
    high: float

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of the operation that samples the curves."""
        exprs = [self.case.head] if self.case.alone else [self.case.head, self.case.member]
        return {
            "exprs": exprs,
            "over": self.over.runs,
            "at": dict(self.over.fixed),
            "assume": self.case.assume,
            "low": self.low,
            "high": self.high,
            "count": _SAMPLES,
        }

    def inner_half(self) -> _Range:
        """Return the range from its first to its third quarter."""
        quarter = (self.high - self.low) / 4
        return replace(self, low=self.low + quarter, high=self.high - quarter)


class MemberPane(Pane):
    """The right pane: why a member is equal to its head, or where it is not."""

    DEFAULT_CSS = """
    MemberPane #case { height: auto; max-height: 16; padding: 0 1; }
    MemberPane PlotWidget { height: 1fr; min-height: 11; margin: 0 1; }
    MemberPane #derivation { height: auto; padding: 0 1; border-top: solid $line; display: none; }
    MemberPane #points { border-top: solid $line; height: 1fr; min-height: 5; }
    MemberPane #reason { height: auto; max-height: 3; padding: 0 1; color: $quiet; }
    MemberPane.-low PlotWidget { min-height: 4; }
    MemberPane.-low #points { height: 5; }
    MemberPane.-lowest #points { height: 1fr; }
    MemberPane.-lowest PlotWidget { display: none; }
    MemberPane.-low #case { max-height: 8; }
    MemberPane.-lowest #case { max-height: 5; }
    MemberPane.-lowest #reason { display: none; }
    """
    LEGEND = (
        *VERDICT_SIGNS,
        ("×", "under the curve: no value there"),
        ("–", "of a point: undefined"),
        ("?", "of a point: overflow, or rounding leaves no information"),
        ("about", "found by numerical search, not exactly"),
    )

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="member", id=id, share=share)
        self.case: ExplainedMember | None = None
        self._explain = CachedRequest(self, "egen.explain", self._receive_explanation)
        self._curve = CachedRequest(self, "egen.curve", self._receive_curves)
        self._derive = CachedRequest(self, "egen.derive", self._receive_derivation)
        self._why: _Document | None = None
        self._place = 0
        self._steps: Sequence[_Document] = ()
        """The derivation from the head, where it is short."""

    def compose(self) -> ComposeResult:
        points = Listing(**listing_arguments("points"))
        points.when_empty("No points", "")
        plot, forms = PicturePlot(), ReaderBox(id="forms")
        plot.empty = ""
        forms.reader.wrap = True
        derivation = Static(id="derivation")
        yield Page("why", Static(id="case"), plot, derivation, points, Static(id="reason"), id="why-page")
        yield Page("forms", FormulaImage(), forms, id="forms-page")
        yield from super().compose()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 30, "-low")
        self.set_class(event.size.height < 16, "-lowest")
        if self.case is not None and self._why is not None:
            self._show_lines(*_explanation_lines(self.case, self._why, short=self.has_class("-low")))
        self._say_steps()

    @on(Table.Moved, "#points-table")
    def _point_moved(self, event: Table.Moved) -> None:
        event.stop()
        row = event.table.current
        self.query_one("#reason", Static).update("" if row is None else _point_words(row))

    def show_case(self, case: ExplainedMember | None) -> None:
        """Explain an expression against its head."""
        if case == self.case:
            return
        self.case, self._why, self._place = case, None, 0
        forms = self.query_one("#forms", ReaderBox).reader
        self.title = "member" if case is None else case.title
        forms.show_lines([] if case is None else _form_lines(case.member))
        printed = ("", "") if case is None else (latex(case.member), format_expression(case.member))
        self.query_one(FormulaImage).show_formula(*printed)
        if case is None:
            # 1. Nothing is selected.
            self._clear_case()
            return
        # 2. Of a theory other than the reals there is only the derivation.
        judged = [verdict_content(case.judged)] if case.judged and not case.alone else []
        if case.theory != "reals":  # no values to draw: how it follows from the head
            self._clear_case(
                safe_text(format_expression(case.member), "bold"), safe_text(case.member, "$quiet"), *judged
            )
            self._ask_derivation(case)
        else:
            # 3. Of real functions the verdict with curves and points, asked for unless they are known.
            self._why = self._explain.get(case.params, case.key)
            if self._why is None or not self._show_slice(case, self._why):
                waiting = Content.assemble(("… ", "$accent"), ("computing", "$quiet"))
                self._clear_case(safe_text(format_expression(case.member), "bold"), *judged, waiting)

    def _clear_case(self, *lines: Content) -> None:
        self._show_lines(*lines)
        plot = self.query_one(PlotWidget)
        plot.series, plot.gaps, plot.caption, plot.empty = (), (), "", ""
        listing = self.query_one("#points", Listing)
        listing.load([], keep=False)
        listing.display = False
        self.query_one("#derivation").display = False

    def show_nothing(self) -> None:
        """Say what this pane is for."""
        self._show_lines(safe_text("This pane shows why a member is equal, or where it is not:"))
        self.query_one(PlotWidget).empty = "both curves, domains, points, and the derivation from the head"

    def _show_lines(self, *lines: Content) -> None:
        self.query_one("#case", Static).update(Content("\n").join(lines))

    def _receive_explanation(self, event: RequestAnswer) -> None:
        case = self.case
        if case is None or event.tag != case.key:
            return
        if event.error is not None:
            self._show_error(case, event.error)
        else:
            self._why = event.value
            self._show_slice(case, event.value)

    @property
    def slices(self) -> tuple[Slice, ...]:
        """Return the slices on which the curves can be drawn."""
        return list_slices(self._why["points"]) if self._why is not None else ()

    def turn_slice(self, steps: int) -> None:
        """Show the slice that is `steps` further on."""
        if self.case is not None and self._why is not None:
            self._place = (self._place + steps) % len(self.slices)
            self._show_slice(self.case, self._why)

    def _show_slice(self, case: ExplainedMember, why: _Document) -> bool:
        # Title and verdict are left out of the key, since they change nothing in the curves.
        over = _Range(replace(case, title="", judged=""), self._slice, *_choose_range(why, self._slice.runs))
        return self._show_curves(over)

    @property
    def _slice(self) -> Slice:
        return self.slices[self._place]

    def _show_curves(self, over: _Range) -> bool:
        curves: _Document | None = self._curve.get(over.params, over)
        if curves is None or self.case is None or self._why is None:
            return False
        # Try the inner half of the range until the curve can be seen.
        if over.high - over.low > 1 and _too_steep(curves["curves"][0]["y"]):
            # They span too much to be seen.
            return self._show_curves(over.inner_half())
        self._show_answer(self.case, self._why, curves)
        return True

    def _receive_curves(self, event: RequestAnswer) -> None:
        over: _Range = event.tag
        case = self.case
        if case is None or self._why is None or over.case.key != case.key or over.over != self._slice:
            return
        if event.error is not None:
            self._show_error(case, event.error)
        else:
            self._show_curves(over)

    def _show_error(self, case: ExplainedMember, error: EngineError) -> None:
        self._why = None
        self._show_lines(safe_text(format_expression(case.member), "bold"), failure_content(self, error))

    def _show_answer(self, case: ExplainedMember, why: _Document, curves: _Document) -> None:
        self._show_lines(*_explanation_lines(case, why, short=self.has_class("-low")))
        self._draw_curves(case, why, curves)
        listing = self.query_one("#points", Listing)
        listing.when_empty("No point could be decided", "")
        rows = [] if case.alone else _point_rows(why)
        several = any("at" in row for row in rows)
        listing.table.columns = fit_columns("points", rows, without=("x",) if several else ("where",))
        listing.load(rows, keep=False)
        listing.display = not case.alone
        self.query_one("#derivation").display = False
        if not self.has_class("-low"):
            self._ask_derivation(case)

    def _ask_derivation(self, case: ExplainedMember) -> None:
        if not case.alone:
            # An answer that is known is shown as if it had just arrived.
            self._receive_derivation(
                RequestAnswer(case.key, self._derive.get({**case.derivation, **_QUICKLY}, case.key))
            )

    def _receive_derivation(self, event: RequestAnswer) -> None:
        steps = event.value["steps"][1:] if event.value is not None else ()
        # A long derivation would push the points out of the pane; `d` shows it in a sheet.
        if self.case is None or event.tag != self.case.key or not 0 < len(steps) <= _SHORT:
            return
        self._steps = steps
        self._say_steps()
        self.query_one("#derivation").display = True

    def _say_steps(self) -> None:
        lines = [Content.styled("from the head", "$quiet")]
        for step in self._steps:
            rule = step.get("rule") or ""
            text = elide(format_expression(step["prefix"]), max(8, self.size.width - 8 - text_width(rule)))
            lines.append(safe_text(f"= {text}") + safe_text(f"  {rule}", "$quiet"))
        self.query_one("#derivation", Static).update(Content("\n").join(lines))

    def exports(self) -> Sequence[Export]:
        if self.case is None:
            return ()
        return self.query_one(PicturePlot).list_exports("curves", "x", "", self.case.params)

    def _draw_curves(self, case: ExplainedMember, why: _Document, curves: _Document) -> None:
        plot, xs = self.query_one(PlotWidget), curves["x"]
        # Nine digits: what rounding does to the last ones is no shape.
        ys = [[None if y is None else float(f"{y:.9g}") for y in curve["y"]] for curve in curves["curves"]]
        names = ("head", "member") if not case.alone else ("expression",)
        plot.series = tuple(Series(name, xs, values) for name, values in zip(names, ys, strict=True))
        plot.gaps = _find_gaps(xs, ys[-1], curves["outside"])
        apart = (
            "head and member" if _get_verdict(why) == "different" else "curves coincide, × member undefined"
        )
        if case.assume:
            apart = f"judged where {case.assume}"
        over = self._slice
        plot.caption = "over x, × undefined" if case.alone else apart
        plot.short_caption = "× undefined"
        if len(self.slices) > 1:
            plot.caption, plot.short_caption = f"{over.words}, × undefined, < > others", over.words
        plot.empty = "no value in this range"


def _get_verdict(why: _Document) -> str:
    return str(why["verdict"]["verdict"])


def _form_lines(prefix: str) -> list[str]:
    lines = ["infix", f"  {infix(prefix)}", "", "LaTeX", f"  {latex(prefix)}", ""]
    lines += ["prefix", f"  {prefix}", "", "tree"]
    return lines + [f"  {line}" for line in tree_lines(prefix)]


def _explanation_lines(case: ExplainedMember, why: _Document, *, short: bool) -> list[Content]:
    judged = why["verdict"]
    head_domain, domain = (format_condition(why[f"{of}_domain"]["text"]) for of in ("head", "member"))
    # 1. What the expression is, and where it is defined.
    lines = [safe_text(format_expression(case.member), "bold")]
    lines += [] if short else [safe_text(case.member, "$quiet")]
    known = [_label_text("where", case.assume)] if case.assume else []
    known += [_label_text("domain", _in_words(domain))] if domain else []
    if case.alone:
        return [*lines, *known]
    # 2. The verdict, and on how many points it rests.
    where = _describe_extent(_get_verdict(why), judged["kept"], judged["points"])
    lines.append(
        verdict_content(_get_verdict(why), judged.get("except") or "")
        + safe_text(f"  {where}" if where else "")
    )
    head_words = "" if head_domain == domain else f"   head: {_in_words(head_domain)}"
    lines += [*known[:-1], known[-1] + safe_text(head_words, "$quiet")] if known else []
    # 3. Why: sub-terms that fail, the judge's reason, and a verdict that was stored.
    failures = _list_failures(why)
    lines += [_label_text("fails in", text) for text in failures]
    # Of equal ones the verdict has said it.
    if not (short and failures) and not (
        _get_verdict(why) == "equal" and why["because"].startswith("equal at")
    ):
        lines.append(_label_text("because", format_condition(why["because"])))
    if case.judged and case.judged != _get_verdict(why):
        lines.append(_label_text("stored", f"as {case.judged}, judged at other points"))
    return lines


def _in_words(domain: str) -> str:
    """
    >>> _in_words("R"), _in_words("R, x ≠ 0"), _in_words("[0, inf)")
    ('every real x', 'every real x ≠ 0', '[0, inf)')
    """
    if domain.startswith("R, "):
        return f"every real {domain.removeprefix('R, ')}"
    return "every real x" if domain == "R" else domain


def _describe_extent(word: str, kept: float, points: int) -> str:
    """At how many of the points of the head's domain it is what its verdict says."""
    of = f"{format_count(points)} points of the head's domain"
    equal = round(kept * points)
    if word in ("equal", "extends"):
        return f"on all {of}"
    if word == "shrinks":
        return f"equal on {format_count(equal)} of {of}, undefined on {format_count(points - equal)}"
    return f"on all {of}" if word == "nowhere" else ""


def _point_words(point: Record) -> Content:
    from engines.mathematics.verification.verdicts import describe_point

    at = safe_text(f"{describe_point(point['x'], point.get('at'))}: ", "$quiet")
    if point["term"]:
        return (
            at
            + safe_text(point["why"], "$warning")
            + safe_text(f", in {format_expression(point['term'])}", "$quiet")
        )
    values = [point[name] for name in ("head", "member")]
    said = " and ".join("undefined" if value is None else f"{value:.10g}" for value in values)
    return at + safe_text(f"head and member are {said}", "$quiet")


def _list_failures(why: _Document) -> list[str]:
    """Return the sub-terms that have no value where the head has one, each with the reason; at most two."""
    result = Counter(
        (point["term"], point["why"].rpartition(": ")[2])
        for point in why["points"]
        if point["head_state"] == "defined" and point["member_state"] == "undefined"
    )
    return [
        f"{format_expression(term)}: {reason}, at {format_quantity(number, 'point')}"
        for (term, reason), number in result.most_common(2)
    ]


def _label_text(label: str, text: str) -> Content:
    return safe_text(f"{label} ", "$quiet") + safe_text(text)


def _point_rows(why: _Document) -> list[Record]:
    from engines.mathematics.verification.verdicts import describe_point

    rows = []
    for number, point in enumerate(why["points"]):
        head, member = point["head"], point["member"]
        both = head is not None and member is not None
        # Relative to the larger of the two values.
        near = both and abs(head - member) <= 1e-6 * max(abs(head), abs(member), 1e-300)
        agrees = near or not (both and _get_verdict(why) == "different")
        fails = point["member_state"] != "defined"
        worst = (fails and point["head_state"] == "defined") or not agrees
        point_text = describe_point(point["x"], point.get("at"), digits=4)
        row = {"term": "", "why": "", **point, "id": str(number), "agrees": agrees, "where": point_text}
        rows.append((not worst, not fails, row))
    # The points that speak against the pair first, then undefined ones, then by distance from 0.
    return [row for _, _, row in sorted(rows, key=lambda item: (item[0], item[1], abs(item[2]["x"])))]


def _choose_range(why: _Document, runs: str) -> tuple[float, float]:
    """Return the range to draw of the variable that runs: of several, or where something is assumed, no wider
    than the judged points, which all lie where it holds; else around the ends of the two domains.
    """
    if values := [point["at"][runs] for point in why["points"] if "at" in point]:
        # The plot is ten wide, around 0 or around the nearest point if that is far away.
        near = min(values, key=abs)
        middle = near if abs(near) > 5 else 0.0
        low, high = max(min(values), middle - 5), min(max(values), middle + 5)
        return (low, high) if low < high else (-5.0, 5.0)
    intervals = [tuple(each) for name in ("head", "member") for each in why[f"{name}_domain"]["intervals"]]
    # Ends that are infinite or far away do not widen the plot.
    ends = [end for interval in intervals for end in interval if end is not None and abs(end) <= _REACH]
    if not ends:
        return -5.0, 5.0
    low, high = min(ends), max(ends)
    # Half of the distance between the ends on either side; 3 where the ends are one point.
    margin = max(high - low, 0.05) / 2 if high - low > 1e-9 else 3.0
    if any(None in interval for interval in why["head_domain"]["intervals"]):
        margin = max(margin, 3.0)
    return low - margin, high + margin


def _too_steep(ys: Sequence[float | None]) -> bool:
    """Return whether most of the curve lies flat at the bottom of a drawing that shows all of it."""
    sizes = sorted(abs(y) for y in ys if y is not None)
    # The ninth decile exceeds one plus the median ten thousand times.
    return len(sizes) > 20 and sizes[len(sizes) * 9 // 10] > 1e4 * (1 + sizes[len(sizes) // 2])


def _find_gaps(
    xs: Sequence[float], ys: Sequence[float | None], outside: Sequence[bool]
) -> tuple[tuple[float, float], ...]:
    """Return the stretches of x without a value, but for those outside of what is assumed."""
    # Half the distance between two points: a gap reaches halfway to its neighbours.
    half = (xs[-1] - xs[0]) / max(1, len(xs) - 1) / 2
    gaps: list[tuple[float, float]] = []
    for x in (x for x, y, beyond in zip(xs, ys, outside, strict=True) if y is None and not beyond):
        if gaps and x - half <= gaps[-1][1] + half / 2:
            gaps[-1] = (gaps[-1][0], x + half)
        else:
            gaps.append((x - half, x + half))
    return tuple(gaps)
