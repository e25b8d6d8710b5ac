"""The right pane: an expression in all its forms, how it was judged against its head, and why."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.egraphs.forms import infix, latex, shown, tree_lines
from screens.egraphs.latest import Latest
from screens.egraphs.looks import POINT_COLUMNS, verdict
from screens.text import count, safe_text
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.notice import error_text
from screens.widgets.pane import Page, Pane
from screens.widgets.plot import Plot, Series
from screens.widgets.rows import Record

if TYPE_CHECKING:
    from screens.base import WorkbenchScreen

__all__ = ["Case", "MemberPane"]

_KEPT = 64
_SAMPLES = 240
_REACH = 8.0
"""Ends of domains farther from 0 than this do not widen the plot."""


@dataclass(frozen=True, slots=True)
class Case:
    """An expression against its head; one `alone` is its own head: there is nothing to judge.

    `judged` is the stored verdict, or nothing while it is not known; `seed` chooses the points.
    """

    title: str
    head: str
    member: str
    judged: str
    seed: int

    @property
    def alone(self) -> bool:
        """Whether there is nothing to compare with."""
        return self.head == self.member


@dataclass(frozen=True, slots=True)
class _Answer:
    explained: Mapping[str, Any]
    curve: Mapping[str, Any]


class MemberPane(Pane):
    """Shows one case; what the engine has to say comes when it is known."""

    DEFAULT_CSS = """
    MemberPane #case { height: auto; max-height: 12; padding: 0 1; }
    MemberPane Plot { height: 11; margin: 0 1; }
    MemberPane #points { border-top: solid $line; height: 1fr; }
    MemberPane.-low Plot { height: 7; margin: 0 1; }
    MemberPane.-lowest Plot { display: none; }
    MemberPane.-low #case { max-height: 6; }
    MemberPane.-lowest #case { max-height: 5; }
    """

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="member", id=id, share=share)
        self.case: Case | None = None
        self.explained: Mapping[str, Any] = {}
        self._answers: OrderedDict[tuple[str, str, int], _Answer] = OrderedDict()
        self._asked: Latest[Case] = Latest(self, self._ask)

    def compose(self) -> ComposeResult:
        points = Listing(POINT_COLUMNS, id="points", fields=("x", "head", "member", "why"), counts=False)
        points.when_empty("No points", "")
        plot, forms = Plot(), ReaderBox(id="forms")
        plot.empty = ""
        forms.reader.wrap = True
        yield Page("why", Static(id="case"), plot, points, id="why-page")
        yield Page("forms", forms, id="forms-page")
        yield from super().compose()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 30, "-low")
        self.set_class(event.size.height < 16, "-lowest")

    def show(self, case: Case | None) -> None:
        """Show this case, or that there is none."""
        self.case = case
        self.explained = {}
        if case is None:
            self.title = "member"
            self._asked.forget()
            self._clear("")
            self.query_one("#case", Static).update("")
            self.query_one("#forms", ReaderBox).reader.show([])
            return
        self.title = case.title
        self.query_one("#forms", ReaderBox).reader.show(_forms(case.member))
        known = self._answers.get((case.head, case.member, case.seed))
        if known is not None:
            self._show_answer(case, known)
            return
        head = safe_text(shown(case.member), "bold")
        judged = verdict(case.judged) if case.judged and not case.alone else Content()
        waiting = Content.assemble(("… ", "$accent"), ("asking the engine", "$quiet"))
        lines = [head, judged, waiting] if judged else [head, waiting]
        self.query_one("#case", Static).update(Content("\n").join(lines))
        self._clear("")
        self._asked.ask(case)

    def _clear(self, empty: str) -> None:
        plot = self.query_one(Plot)
        plot.series, plot.gaps, plot.caption, plot.empty = (), (), "", empty
        listing = self.query_one("#points", Listing)
        listing.load([], keep=False)
        listing.display = False

    # Asking

    async def _ask(self, case: Case) -> None:
        screen = cast("WorkbenchScreen", self.screen)
        try:
            about = {"expr": case.head, "member": case.member, "notation": "prefix", "seed": case.seed}
            explained = await screen.call("egen.explain", about)
            curve = await self._curve(screen, case, *_reach(explained))
        except EngineError as error:
            if self.case == case:
                title = safe_text(shown(case.member), "bold")
                self.query_one("#case", Static).update(title + Content("\n") + error_text(error))
            return
        answer = _Answer(explained, curve)
        self._answers[case.head, case.member, case.seed] = answer
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        if self.case == case:
            self._show_answer(case, answer)

    async def _curve(self, screen: WorkbenchScreen, case: Case, low: float, high: float) -> Any:
        """Values over a range that is halved while they span too much to be seen."""
        exprs = [case.head] if case.alone else [case.head, case.member]
        while True:
            drawn = {"exprs": exprs, "notation": "prefix", "low": low, "high": high, "count": _SAMPLES}
            curve = await screen.call("egen.curve", drawn)
            if high - low <= 1 or not _too_steep(curve["curves"][0]["y"]):
                return curve
            low, high = low + (high - low) / 4, high - (high - low) / 4

    # Showing

    def _show_answer(self, case: Case, answer: _Answer) -> None:
        explained = self.explained = answer.explained
        self.query_one("#case", Static).update(_words(case, explained))
        self._draw(case, answer)
        listing = self.query_one("#points", Listing)
        listing.when_empty("No point could be decided", "")
        listing.load([] if case.alone else point_rows(explained), keep=False)
        listing.display = not case.alone

    def _draw(self, case: Case, answer: _Answer) -> None:
        plot = self.query_one(Plot)
        xs: Sequence[float] = answer.curve["x"]
        # Nine digits: what rounding does to the last ones is no shape.
        curves = [
            [None if y is None else float(f"{y:.9g}") for y in curve["y"]] for curve in answer.curve["curves"]
        ]
        names = ("head", "member") if not case.alone else ("expression",)
        plot.series = tuple(Series(name, xs, ys) for name, ys in zip(names, curves, strict=True))
        plot.gaps = _gaps(xs, curves[-1])
        apart = answer.explained["verdict"]["verdict"] == "different"
        if case.alone:
            plot.caption = "over x, × undefined"
        else:
            plot.caption = "head and member" if apart else "curves coincide, × member undefined"
        plot.empty = "no value in this range"


def _forms(prefix: str) -> list[str]:
    lines = ["infix", f"  {infix(prefix)}", "", "LaTeX", f"  {latex(prefix)}", ""]
    lines += ["prefix", f"  {prefix}", "", "tree"]
    return lines + [f"  {line}" for line in tree_lines(prefix)]


def _words(case: Case, explained: Mapping[str, Any]) -> Content:
    """The expression, its verdict, the domains, and the reason in a sentence."""
    head_domain, domain = explained["head_domain"]["text"], explained["member_domain"]["text"]
    lines = [safe_text(shown(case.member), "bold"), safe_text(case.member, "$quiet")]
    if case.alone:
        return Content("\n").join([*lines, _labelled("domain", domain)])
    judged = explained["verdict"]
    points = judged["points"]
    good = round(judged["kept"] * points) if judged["verdict"] != "different" else None
    where = f"  on {count(good)} of {count(points)} points" if good is not None else ""
    lines.append(verdict(judged["verdict"]) + safe_text(where))
    if head_domain == domain:
        lines.append(_labelled("domain", domain))
    else:
        lines.append(_labelled("domain", domain) + safe_text(f"   head: {head_domain}", "$quiet"))
    lines += [_labelled("fails in", text) for text in _failures(explained)]
    lines.append(_labelled("because", explained["because"]))
    if case.judged and case.judged != judged["verdict"]:
        lines.append(_labelled("stored", f"as {case.judged}, judged at other points"))
    return Content("\n").join(lines)


def _failures(explained: Mapping[str, Any]) -> list[str]:
    """The sub-terms that have no value where the head has one, each with the reason; at most two."""
    found = Counter(
        (point["term"], point["why"].rpartition(": ")[2])
        for point in explained["points"]
        if point["head_state"] == "defined" and point["member_state"] == "undefined"
    )
    return [
        f"{shown(term)}: {why}, at {number} point{'s' if number > 1 else ''}"
        for (term, why), number in found.most_common(2)
    ]


def _labelled(label: str, text: str) -> Content:
    return safe_text(f"{label} ", "$quiet") + safe_text(text)


def point_rows(explained: Mapping[str, Any]) -> list[Record]:
    """The points as table rows: first those where the two part, then the nearest to 0."""
    different = explained["verdict"]["verdict"] == "different"
    rows = []
    for number, point in enumerate(explained["points"]):
        head, member = point["head"], point["member"]
        both = head is not None and member is not None
        near = both and abs(head - member) <= 1e-6 * max(abs(head), abs(member), 1e-300)
        agrees = near or not (both and different)
        fails = point["member_state"] != "defined"
        worst = (fails and point["head_state"] == "defined") or not agrees
        term, why = point.get("term", ""), point.get("why", "")
        row = {**point, "id": str(number), "term": term, "why": why, "agrees": agrees}
        rows.append((not worst, not fails, row))
    return [row for _, _, row in sorted(rows, key=lambda item: (item[0], item[1], abs(item[2]["x"])))]


def _reach(explained: Mapping[str, Any]) -> tuple[float, float]:
    """The range of x to draw: around the ends of the two domains, else around 0."""
    ends = [
        end
        for side in ("head_domain", "member_domain")
        for interval in explained[side]["intervals"]
        for end in interval
        if end is not None and abs(end) <= _REACH
    ]
    if not ends:
        return -5.0, 5.0
    low, high = min(ends), max(ends)
    margin = max(high - low, 0.05) / 2 if high - low > 1e-9 else 3.0
    open_ended = any(None in interval for interval in explained["head_domain"]["intervals"])
    if open_ended:
        margin = max(margin, 3.0)
    return low - margin, high + margin


def _too_steep(ys: Sequence[float | None]) -> bool:
    """Whether most of the curve lies flat at the bottom of a drawing that shows all of it."""
    sizes = sorted(abs(y) for y in ys if y is not None)
    return len(sizes) > 20 and sizes[len(sizes) * 9 // 10] > 1e4 * (1 + sizes[len(sizes) // 2])


def _gaps(xs: Sequence[float], ys: Sequence[float | None]) -> tuple[tuple[float, float], ...]:
    """The stretches of x without a value."""
    half = (xs[-1] - xs[0]) / max(1, len(xs) - 1) / 2
    gaps: list[tuple[float, float]] = []
    for x, y in zip(xs, ys, strict=True):
        if y is not None:
            continue
        if gaps and x - half <= gaps[-1][1] + half / 2:
            gaps[-1] = (gaps[-1][0], x + half)
        else:
            gaps.append((x - half, x + half))
    return tuple(gaps)
