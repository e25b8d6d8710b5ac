"""The evaluation of a set over the Triplets screen: solutions as steps, audit, wrong answers, flips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.css.query import NoMatches
from textual.widgets import Static

from screens.keys import EVALUATION_KEYS
from screens.shell.export import FORMATS, Export, declared_exports
from screens.shell.keymap import bindings
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from screens.shell.screen import Sheet
from screens.shell.theme import format_count, format_percent, format_quantity, safe_text
from screens.triplets.columns import mark_differences, tree_drawing
from screens.triplets.panes import ProblemScroll
from screens.widgets.dialogs import Chooser, MenuChoice, Prompt, frame_dialog, number_choices
from screens.widgets.listing import Listing
from screens.widgets.pane import TabStrip
from screens.widgets.table import Table, TableRows
from screens.widgets.table_columns import Record
from workbench.papers.mwp.tables import FINDINGS, FLIPS, SOLUTIONS, WRONG_ANSWERS
from workbench.tables import TableSpec

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess

_Document = Mapping[str, Any]


def _quiet_cell(name: str, style: str = "$foreground") -> Callable[[Record], Content]:
    return lambda record: safe_text("" if record[name] is None else str(record[name]), style)


_RIGHT = {"here": "$success", "there": "$warning"}


@dataclass(frozen=True, slots=True)
class EvaluationTab:
    """A tab of an evaluation: its name, the table of its rows, cells with colours, and what no row means."""

    name: str
    table: TableSpec
    cells: Mapping[str, Callable[[Record], Content]]
    none: str


TABS = (
    EvaluationTab(
        "solutions",
        SOLUTIONS,
        {"wrong": _quiet_cell("wrong", "$error"), "chain": _quiet_cell("chain")},
        "The set has no problems",
    ),
    EvaluationTab("audit", FINDINGS, {"what": _quiet_cell("what")}, "The audit found nothing"),
    EvaluationTab(
        "wrong",
        WRONG_ANSWERS,
        {"kind": _quiet_cell("kind", "$warning"), "equation": _quiet_cell("equation")},
        "Nothing was wrong",
    ),
    EvaluationTab(
        "flips",
        FLIPS,
        {"right": lambda record: safe_text(record["right"], _RIGHT[record["right"]])},
        "No problem flipped: both solvers get the same ones right",
    ),
)
_NAMES = tuple(tab.name for tab in TABS)


@dataclass
class EvaluationState:
    """What is evaluated on a set, and the answers so far: they outlive the sheet.

    Args:
        subject: A solver's folder, or a file of answers; None before one is chosen.
        against: The solver to compare with.
        tab: The name of the tab shown last.
        reports: What operations answered, by operation and what was asked.
    """

    subject: Path | None = None
    against: Path | None = None
    tab: str = "solutions"
    reports: dict[tuple[Any, ...], _Document] = field(default_factory=dict)

    @property
    def params(self) -> dict[str, Any]:
        """The settings of `mwp.eval` besides the problems."""
        if self.subject is None:
            return {}
        by = "model" if self.subject.is_dir() else "answers"
        against = {"against": [str(self.against)]} if self.against is not None else {}
        return {by: str(self.subject), **against}


class EvaluationSheet(Sheet):
    """The solutions of a set as steps, its audit, a solver's wrong answers by kind, and the flips.

    Each tab is a list; what is under the cursor stands beside it with its steps and its tree.

    Args:
        data: The set's name and file.
        solvers: The solvers that can be evaluated.
        state: What was evaluated before.
        engine: Gives the process for slow questions.
        go: Called with the id of the problem that is opened; returns whether it has a triplet.
    """

    BINDINGS = bindings(EVALUATION_KEYS)
    DEFAULT_CSS = """
    EvaluationSheet > Vertical { width: 96%; max-width: 190; height: 94%; }
    EvaluationSheet .figures { max-height: 3; }
    EvaluationSheet #evaluation { layout: horizontal; height: 1fr; }
    EvaluationSheet #evaluation > Listing { width: 3fr; height: 1fr; display: none; }
    EvaluationSheet #evaluation > Listing.-shown { display: block; }
    EvaluationSheet #evaluation > ProblemScroll { width: 2fr; height: 1fr; border-left: solid $line; }
    EvaluationSheet.-narrow #evaluation { layout: vertical; }
    EvaluationSheet.-narrow #evaluation > Listing { width: 1fr; }
    EvaluationSheet.-narrow #evaluation > ProblemScroll {
        width: 1fr; height: 55%; border-left: none; border-top: solid $line;
    }
    """

    def __init__(
        self,
        data: tuple[str, Path],
        solvers: Sequence[Path],
        state: EvaluationState,
        engine: Callable[[], EngineProcess],
        go: Callable[[str], bool],
    ) -> None:
        super().__init__()
        self._name_of_set, self._data = data
        self._solvers, self._state, self._go = solvers, state, go
        self._lists = {
            tab.name: Listing(
                tab.table.screen_columns(**tab.cells), id=f"{tab.name}-rows", fields=tab.table.fields
            )
            for tab in TABS
        }
        self._detail = Static()
        self._steps = CachedRequest(self, "mwp.steps", self._receive_steps, size=256)
        # One for each operation: wrong answers and flips are parts of one report.
        self._requests = {
            operation: CachedRequest(
                self, operation, self._receive_report, self._show_progress, engine=engine
            )
            for operation in set(_OPERATIONS.values())
        }

    def compose(self) -> ComposeResult:
        title = f"{self._name_of_set} evaluated"
        keys = "[ ] tabs   p solver   b against   ⏎ triplet   / filter   y e   esc"
        body = Container(*self._lists.values(), ProblemScroll(self._detail), id="evaluation")
        yield frame_dialog(title, keys, TabStrip(), Static(classes="figures"), body)

    def on_mount(self) -> None:
        self._show_tab(self._state.tab)

    def on_unmount(self) -> None:
        # An evaluation takes minutes; nobody waits for it any more, and what comes next needs the process.
        self.action_stop()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < 120, "-narrow")

    # Tabs

    @property
    def _tab(self) -> EvaluationTab:
        return TABS[_NAMES.index(self._state.tab)]

    @property
    def _listing(self) -> Listing:
        return self._lists[self._state.tab]

    def _key(self, name: str) -> tuple[Any, ...]:
        """Return what identifies the report of a tab; wrong answers and flips are of one."""
        of = (self._state.subject, self._state.against) if _OPERATIONS[name] == "mwp.eval" else ()
        return _OPERATIONS[name], self._data, *of

    def _show_tab(self, name: str) -> None:
        self._state.tab = name
        self.query_one(TabStrip).show_tabs(_NAMES, _NAMES.index(name))
        for other, listing in self._lists.items():
            listing.set_class(other == name, "-shown")
        self._load_tab()
        self._listing.table.focus()

    def _load_tab(self) -> None:
        name, state, tab = self._state.tab, self._state, self._tab
        report = state.reports.get(self._key(name))
        figures = list(_figure_lines(name, state, report)) if report is not None else []
        self.query_one(".figures", Static).update(Content("\n").join(figures))
        # A report that is there is shown at once; otherwise what is missing is named, or asked for.
        if report is not None and (name != "flips" or "comparisons" in report):
            self._listing.when_empty(tab.none, "")
            self._listing.load(TableRows(_rows_of(name, report), "key"))
        elif name in ("wrong", "flips") and state.subject is None:
            self._show_nothing("No solver is evaluated yet", "p chooses a solver, or a file of answers.")
        elif name == "flips" and state.against is None:
            self._show_nothing(
                "Problems that only one of two solvers gets right", "b chooses the solver to compare with."
            )
        else:
            self._listing.show_loading(_WAITING[name])
            request, key = self._requests[_OPERATIONS[name]], self._key(name)
            if request.pending != key:
                # What another solver or another comparison is asked is no longer wanted.
                request.stop()
                request.ask(self._params_of(name), key)
        self._show_detail()

    def _show_nothing(self, what: str, advice: str) -> None:
        self._listing.when_empty(what, advice)
        self._listing.load([])

    def _params_of(self, name: str) -> dict[str, Any]:
        of = self._state.params if _OPERATIONS[name] == "mwp.eval" else {}
        return {"data": str(self._data), **of}

    def _receive_report(self, event: RequestAnswer) -> None:
        if event.error is None:
            self._state.reports[event.tag] = event.value
        # Another tab, solver or set may have been chosen meanwhile; the answer is kept for later.
        if event.tag != self._key(self._state.tab):
            return
        if event.error is None:
            self._load_tab()
        else:
            self._listing.show_error(event.error)

    def _show_progress(self, event: RequestProgress) -> None:
        progress = event.event.data
        if event.event.kind == "progress" and event.tag == self._key(self._state.tab):
            done, total = (format_count(int(str(progress[name]))) for name in ("done", "total"))
            self._listing.show_loading(f"{_WAITING[self._state.tab]}: {done} of {total}{_STOP_HINT}")

    def action_next_tab(self) -> None:
        self._step_tab(1)

    def action_previous_tab(self) -> None:
        self._step_tab(-1)

    def _step_tab(self, step: int) -> None:
        self._show_tab(_NAMES[(_NAMES.index(self._state.tab) + step) % len(_NAMES)])

    @on(TabStrip.Picked)
    def _show_picked_tab(self, event: TabStrip.Picked) -> None:
        self._show_tab(_NAMES[event.index])

    # What is evaluated

    def action_model(self) -> None:
        lines = [MenuChoice(path.name, path.name, str(path)) for path in self._solvers]
        lines = number_choices(lines)
        lines.append(
            MenuChoice("/", "a file of answers", "JSON Lines, CSV or TSV with id and answer", key="f")
        )
        Chooser("evaluate", lines).ask(self.app, self._choose_subject)

    def _choose_subject(self, name: str) -> None:
        if name != "/":
            self._evaluate(next(path for path in self._solvers if path.name == name))
            return

        def check_path(text: str) -> str:
            return "" if Path(text).expanduser().is_file() else "there is no such file"

        hint = "a file of answers: JSON Lines, CSV or TSV with id and answer (or text)"
        Prompt("answers", hint=hint, check=check_path).ask(
            self.app, lambda text: self._evaluate(Path(text).expanduser())
        )

    def _evaluate(self, subject: Path) -> None:
        # Nothing flips between a solver and itself.
        self._state.subject = subject
        if self._state.against == subject:
            self._state.against = None
        self._show_tab("wrong" if self._state.against is None else self._state.tab)

    def action_against(self) -> None:
        others = [path for path in self._solvers if path != self._state.subject]
        if not others:
            self.workbench.warn("there is no other solver to compare with; a recipe trains one")
            return
        lines = number_choices(MenuChoice(path.name, path.name, str(path)) for path in others)

        def compare_with(name: str) -> None:
            self._state.against = next(path for path in others if path.name == name)
            self._show_tab("flips")

        Chooser("compare with", lines).ask(self.app, compare_with)

    def action_stop(self) -> None:
        for request in self._requests.values():
            request.stop()

    # What is under the cursor

    @on(Table.Moved)
    def _row_reached(self, event: Table.Moved) -> None:
        if event.table is self._listing.table:
            self._show_detail()

    @property
    def _record(self) -> Record | None:
        return self._listing.table.current

    def _show_detail(self) -> None:
        record = self._record
        if record is None:
            self._detail.update("")
            return
        detail = self._steps.get({"data": str(self._data), "text": record["id"]}, (self._data, record["id"]))
        self._draw_detail(record, detail, None)

    def _receive_steps(self, event: RequestAnswer) -> None:
        # The cursor may have moved on before the steps of a problem are there.
        record = self._record
        if record is not None and event.tag == (self._data, record["id"]):
            self._draw_detail(record, event.value, event.error)

    def _draw_detail(self, record: Record, detail: _Document | None, error: object) -> None:
        parts = [[*_about_row(self._state.tab, record, self._state)]]
        if detail is not None:
            parts += _solution_parts(detail)
        elif error is not None:
            parts += [[safe_text(str(record.get("problem", "")))], [safe_text(str(error), "$quiet")]]
        # Blank lines between the parts where there is room.
        between = [] if self.has_class("-narrow") else [Content()]
        lines: list[Content] = []
        for part in filter(None, parts):
            lines += [*between, *part] if lines else part
        self._detail.update(Content("\n").join(lines))
        try:
            self.query_one(ProblemScroll).scroll_home(animate=False)
        except NoMatches:
            return

    @on(Table.Opened)
    def _open_triplet(self) -> None:
        if (record := self._record) is None:
            return
        if self._go(record["id"]):
            self.dismiss(None)
        else:
            self.workbench.warn(f"{record['id']} has no triplet: it has no equation")

    # What can be taken away

    def command_words(self) -> list[str] | None:
        name = self._state.tab
        if _OPERATIONS[name] != "mwp.eval":
            return ["mwp", name, str(self._data)]
        if self._state.subject is None:
            return None
        by = [str(self._state.subject)] if "model" in self._state.params else []
        by = by or ["--answers", str(self._state.subject)]
        against = ["--against", str(self._state.against)] if self._state.against is not None else []
        # A file of answers takes the place of the solver, so it stands behind the problems.
        first = [*by, str(self._data)] if "model" in self._state.params else [str(self._data), *by]
        return ["mwp", "eval", *first, *against]

    def exports(self) -> list[Export]:
        report = self._state.reports.get(self._key(self._state.tab))
        if report is None or not len(self._listing.table.rows):
            return []
        name, table = self._state.tab, self._tab.table
        facts = {"problems": str(self._data), **self._state.params}
        rows = self._listing.table.visible_records
        return declared_exports(table, "the list", f"{self._name_of_set}-{name}", FORMATS, rows, facts)


_OPERATIONS = {"solutions": "mwp.solutions", "audit": "mwp.audit", "wrong": "mwp.eval", "flips": "mwp.eval"}
_WAITING = {
    "solutions": "reading the solutions",
    "audit": "auditing the set",
    "wrong": "evaluating",
    "flips": "evaluating both",
}
_STOP_HINT = " · x or esc stops it"


def _rows_of(name: str, report: _Document) -> Sequence[dict[str, Any]]:
    """Return the rows of a tab in a report, each with its number as `key`: ids may be there twice."""
    if name == "wrong":
        rows: Sequence[dict[str, Any]] = report["mistakes"]["answers"]
    elif name == "flips":
        rows = report["comparisons"][0]["flips"]
    else:
        rows = report["solutions" if name == "solutions" else "findings"]
    for number, row in enumerate(rows):
        row["key"] = number
    return rows


def _figure_lines(name: str, state: EvaluationState, report: _Document) -> Iterator[Content]:
    """Return what the list of a tab says in figures."""
    if name == "solutions":
        with_steps, wrong = format_count(report["with_steps"]), format_count(report["wrong"])
        yield safe_text(
            f"{format_quantity(report['problems'], 'problem')}, {with_steps} with steps; "
            f"a step is wrong in {wrong}",
            "$quiet",
        )
    elif name == "audit":
        problem_count = format_count(report["problems_with_findings"])
        yield safe_text(
            f"{problem_count} of {format_quantity(report['problems'], 'problem')} with findings", "$quiet"
        )
        yield _count_content(report["kinds"])
    else:
        subject = state.subject.name if state.subject is not None else ""
        low, high = report["ci95"]["answer_accuracy"]
        yield Content.assemble(
            safe_text(f"{subject}  ", "$quiet"),
            (f"{100 * report['answer_accuracy']:.1f} %", "bold"),
            (f" [{100 * low:.1f}, {100 * high:.1f}] of ", "$quiet"),
            (format_quantity(report["problems"], "problem"), "$quiet"),
        )
        if name == "wrong":
            kinds = report["mistakes"]["kinds"]
            yield _count_content({kind: row["problems"] for kind, row in kinds.items()})
        elif "comparisons" in report:
            other = report["comparisons"][0]
            yield safe_text(
                f"{other['model']}  {format_percent(other['answer_accuracy'], 1)}; right only here "
                f"{format_count(other['right_here_alone'])}, only there "
                f"{format_count(other['right_there_alone'])}; McNemar p {other['mcnemar_p']:.3g}",
                "$quiet",
            )


def _count_content(counts: Mapping[str, int]) -> Content:
    parts = [
        Content.assemble(safe_text(f"{kind} ", "$quiet"), (format_count(count), "$warning"))
        for kind, count in counts.items()
    ]
    return Content("   ").join(parts)


def _about_row(name: str, record: Record, state: EvaluationState) -> Iterator[Content]:
    """Return what a row says of its problem."""
    if name == "audit":
        yield Content.assemble(safe_text(f"{record['kind']}: ", "$warning"), safe_text(record["what"]))
    elif name == "wrong":
        words = f"answered {record['answer'] or 'nothing'}, expected {record['expected']}"
        yield Content.assemble(safe_text(f"{record['kind']}: ", "$warning"), safe_text(words))
        if record["equation"]:
            yield safe_text(f"by {record['equation']}, expected {record['expected_equation']}", "$quiet")
    elif name == "flips":
        # The solver that is right comes first, whichever of the two it is.
        names = [path.name if path is not None else "" for path in (state.subject, state.against)]
        if record["right"] == "there":
            names.reverse()
        right, wrong = (
            (record["answer"], record["other_answer"])
            if record["right"] == "here"
            else (record["other_answer"], record["answer"])
        )
        yield Content.assemble((f"✓ {right}  ", "$success"), safe_text(names[0], "$quiet"))
        yield Content.assemble((f"✗ {wrong or 'no answer'}  ", "$error"), safe_text(names[1], "$quiet"))


def _solution_parts(solution: _Document) -> Iterator[list[Content]]:
    """Return a problem, the steps of its solution, and these as one tree."""
    yield [mark_differences(solution, None)]
    wrong = {step["step"]: step for step in solution["wrong_steps"]}
    steps = []
    for number, step in enumerate(solution["steps"], start=1):
        steps.append(Content.assemble((f"{number:>2}  ", "$quiet"), safe_text(step["text"])))
        if number in wrong:
            steps[-1] += safe_text(f"   ✗ {wrong[number]['text']}", "$error")
    yield steps
    tree = [safe_text(f"{solution['equation']} = {solution['answer']:.10g}", "bold")]
    tree += map(safe_text, tree_drawing(solution["tree"], solution))
    if solution["stated"]:
        tree.append(safe_text(f"answer of the file: {solution['stated']}", "$quiet"))
    if solution["unused"]:
        tree.append(safe_text(f"not used: {', '.join(solution['unused'])}", "$quiet"))
    yield tree
