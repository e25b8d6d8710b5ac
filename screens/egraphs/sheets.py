"""Sheets over the screen: a derivation, how a cluster was made, the mistakes of a model, and analogies."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from screens.egraphs.clusters import AT_ONCE, NOT_ENCODED, TOO_MANY, encoding_words
from screens.egraphs.columns import (
    VERDICTS,
    format_expression,
    list_variables,
    listing_arguments,
    read_expression,
    stop_words,
)
from screens.egraphs.sources import ListedCluster
from screens.keys import ANALOGY_KEYS, MISTAKE_KEYS
from screens.shell.export import FORMATS, Export, declared_exports
from screens.shell.keymap import SHEET_KEYS, bindings
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from screens.shell.screen import Sheet
from screens.shell.theme import format_count, format_quantity, safe_text, text_width
from screens.widgets.dialogs import Prompt, TextScreen, frame_dialog
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import TabStrip
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.papers.egen.evaluation_tables import MISTAKES
from workbench.papers.egen.tables import HITS
from workbench.tables import TableSpec

if TYPE_CHECKING:
    from screens.shell.frame import AppFrame

_Document = Mapping[str, Any]

Reports = dict[tuple[str, str, str], _Document]

# A cluster


_WORK = {
    "egen.map": "the encoding for the map",
    "egen.nearest": "the encoding for neighbours",
    "egen.generate": "the growth of a cluster",
    "egen.egraph": "the growth of an e-graph",
}
"""What the engine may be at while a sheet waits, by operation."""


class _ClusterSheet(TextScreen):
    """Lines that are `known` at once, and under them those that an operation answers; `y` copies the command
    of `words` that prints the same. `doing` is said while it is answered; `params` are None where nothing is
    asked."""

    BINDINGS = bindings([key for key in SHEET_KEYS if key.verb == "yank"])

    def __init__(
        self,
        title: str,
        known: Sequence[str],
        operation: str,
        params: Mapping[str, object] | None,
        *,
        doing: str,
        words: Sequence[str],
    ) -> None:
        super().__init__(title, [*known, *([f"… {doing}"] if params is not None else [])])
        self._known = known
        self._params = params
        self._doing = doing
        self._words = words
        self._since = 0.0
        self._request = CachedRequest(self, operation, self._show_answer)

    def on_mount(self) -> None:
        box = self.query_one(Vertical)
        box.border_subtitle = "/ filter   w wrap   y command   esc close"
        if self._params is not None:
            self._since = time.monotonic()
            # Seconds pass visibly, so that a long derivation does not look like a hang.
            self._clock = self.set_interval(0.25, self._show_waiting)
            # What it does is to be seen before the engine is begun, which may take a moment.
            self.call_after_refresh(self._request.ask, self._params)

    def _show_waiting(self) -> None:
        what, seconds = self._doing, int(time.monotonic() - self._since)
        if behind := self._request.behind:
            what = f"waiting for {_WORK.get(behind, behind)} to end (esc, then x, stops that)"
        self._show_lines([f"… {what}" + (f", {seconds} s" if seconds else "")])

    def _show_lines(self, lines: Iterable[str]) -> None:
        self.query_one(ReaderBox).reader.show_lines([*self._known, *lines], keep=True)

    @property
    def _command(self) -> str:
        return cast("AppFrame", self.app).command_line(*self._words)

    def action_yank(self) -> None:
        cast("AppFrame", self.app).copy_in_thread(self._command, "command line")

    def lines_of(self, answer: RequestAnswer) -> Iterable[str]:
        """Return the lines that show an answer; subclasses implement it."""
        raise NotImplementedError

    def _show_answer(self, answer: RequestAnswer) -> None:
        self._clock.stop()
        self._show_lines(self.lines_of(answer))


class DerivationSheet(_ClusterSheet):
    """The derivation of one expression from another; `named` formats them for reading."""

    def __init__(
        self,
        left: str,
        right: str,
        *,
        mode: str,
        assume: str = "",
        theory: str = "reals",
        named: Callable[[str], str] = format_expression,
    ) -> None:
        rules = f"rules    {mode}; each line is judged against the first"
        where = [f"where    {assume}"] if assume else []
        ends = (f"from     {named(left)}", f"to       {named(right)}", *where, rules, "")
        params = {"start": left, "target": right, "assume": assume, "theory": theory, "mode": mode}
        assuming = ["--assume", assume] if assume else []
        assuming += ["--theory", theory] if theory != "reals" else []
        words = ["egen", "derive", *assuming, "--mode", mode, "--", left, right]
        doing = "by decomposing both until two lines are equal, or by growing one e-graph from both"
        super().__init__("derivation", ends, "egen.derive", params, doing=doing, words=words)

    def lines_of(self, answer: RequestAnswer) -> Iterable[str]:
        """Return the lines of an answer."""
        if answer.error is not None:
            return ["no derivation:", f"  {answer.error}"]
        result = answer.value
        none = "No derivation was found within the bound; there may be a longer one."
        steps = _step_lines(result["steps"]) or [result.get("reason") or none]
        return [f"verdict  {_describe_verdict(result)}", "", *steps, "", self._command]


def _describe_verdict(document: _Document) -> str:
    """Return what the derivation, or the point where none can be, says of the pair."""
    from engines.mathematics.verification.verdicts import describe_point, format_distinguishable

    if example := document.get("counterexample"):
        if "said" in example:
            return f"✗ not equal: {example['said']}"
        both = format_distinguishable(example["head"], example["member"], example["difference"], digits=6)
        point = describe_point(example["x"], example.get("at"), digits=4)
        return f"✗ not equal at {point}: {' and '.join(both)}"
    if not document["steps"]:
        return "? not shown"
    outcome = document["steps"][-1].get("verdict") or "equal"
    return f"{VERDICTS[outcome][0]} {outcome}"


def read_pair(text: str) -> tuple[str, str] | None:
    """Read a head and a member, separated by a tab or by the only `=` outside brackets, or return None."""
    if "\t" in text:
        parts = text.split("\t")
    else:
        # Split at each `=` outside brackets; exactly one makes a pair.
        parts, depth = [""], 0
        for char in text:
            depth += (char in "([{") - (char in ")]}")
            if char == "=" and depth == 0:
                parts.append("")
            else:
                parts[-1] += char
    head, *members = (part.strip() for part in parts)
    return (head, members[0]) if head and len(members) == 1 and members[0] else None


def _step_lines(steps: Sequence[_Document]) -> list[str]:
    """Return one line a step: its verdict against the first, the expression, the rule (none for the start),
    single points at which it differs.
    """
    texts = [format_expression(step["prefix"]) for step in steps]
    # Aligned up to 64 cells; longer expressions push their rule to the right.
    cells = min(64, max(map(text_width, texts), default=0))
    lines = []
    for step, text in zip(steps, texts, strict=True):
        glyph = VERDICTS.get(step.get("verdict") or "", ("·", ""))[0]
        why = step.get("rule") or "start"
        but = f", except at {step['except']}" if step.get("except") else ""
        lines.append(f"{glyph} {text}{' ' * max(0, cells - text_width(text))}   {why}{but}")
    return lines


class ProvenanceSheet(_ClusterSheet):
    """The origin of a cluster, and the rules that fired when its e-graph was grown again.

    Args:
        graph: the answer of `egen.egraph` if it is known already.
    """

    def __init__(self, cluster: ListedCluster, graph: _Document | None) -> None:
        title = f"{cluster.source.title}, cluster {cluster.number}"
        known = [*_fact_lines(cluster), *(_rule_lines(graph) if graph is not None else [])]
        doing = "growing its e-graph again, to count the rules that fire"
        params = cluster.egraph_params if graph is None else None
        words = cluster.egraph_command
        super().__init__(title, known, "egen.egraph", params, doing=doing, words=words)

    def lines_of(self, answer: RequestAnswer) -> Iterable[str]:
        if answer.error is not None:
            return ["", f"the rules that fired are not known: {answer.error}"]
        return _rule_lines(answer.value)


def _rule_lines(graph: _Document) -> list[str]:
    fired: Mapping[str, int] = graph["fired"]
    most = max([len(format_count(number)) for number in fired.values()] + [1])
    ordered = sorted(fired.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"  {format_count(number):>{most}}  {name}" for name, number in ordered]
    return ["", f"rules that fired, {format_count(len(fired))} of them, by matches", *lines]


def _fact_lines(cluster: ListedCluster) -> Iterator[str]:
    row, facts, settings = cluster.row, cluster.source.get_facts(cluster.number), cluster.settings
    # First what the cluster is.
    yield f"head        {row.get('infix')}"
    yield f"prefix      {row['head']}"
    yield f"variables   {', '.join(list_variables(cluster.head)) or 'none'}"
    yield f"assumed     {cluster.assume or 'nothing'}"
    yield f"style       {settings['style']}, {settings.get('order', 'shortest')} first"
    if cluster.weights:
        yield f"weights     {cluster.weights}"
    # Then how its growth ended.
    yield f"stopped     {stop_words(row['stop'])}, after {format_quantity(row['iterations'], 'iteration')}"
    nodes, classes = (
        format_quantity(row["nodes"], "node"),
        format_quantity(row["classes"], "class", "classes"),
    )
    yield f"e-graph     {nodes} in {classes}"
    yield f"members     {format_count(row['size'] - 1)} of {int(row['total_members']):,} terms".replace(
        ",", " "
    )
    yield f"seed        {row['seed']}"
    if "rules" in facts:
        yield f"rule table  {facts['rules']}"
    # Then everything that was recorded about its making, as it is stored.
    for name in ("config", "source", "versions"):
        if name in facts:
            yield from ("", name)
            for key, value in facts[name].items():
                yield f"  {key:<12} {value if isinstance(value, str) else json.dumps(value)}"


# A model


class _ModelSheet(Sheet):
    """What a model says about a corpus: `answers`, a list that may have to wait until much is encoded."""

    def __init__(self, model: Path, folder: Path) -> None:
        super().__init__()
        self._model = model
        self._folder = folder

    answers: Listing
    waiting = "encoding"
    """What is said while it is encoded."""
    pending: object = None
    """The tag of what is asked for the list now."""

    def _show_progress(self, event: RequestProgress) -> None:
        words = encoding_words(event.event)
        if words and event.tag == self.pending:
            self.answers.show_loading(f"{self.waiting}: {words} · esc stops it")

    def export_list(
        self, what: str, table: TableSpec, rows: Sequence[Record], facts: _Document
    ) -> list[Export]:
        """Return the files that a list can be written to; none if it has no rows."""
        model, corpus = self._model.name, self._folder.name
        known = {"model": model, "corpus": corpus, **facts}
        stem = f"{corpus}-{model}-{what}"
        return declared_exports(table, "the list", stem, FORMATS, lambda: rows, known) if rows else []


# Mistakes

_EVALUATIONS = {
    "kmeans": "K-means",
    "semantic": "semantic",
    "mistakes": "mistake detection",
    "algebra": "algebra",
    "retrieval": "retrieval",
}
"""The paper's five, and the titles of their tabs."""
_LISTED = 200
_COUNTS = {"semantic": 200, "mistakes": 100}
"""So many items are built here, which takes seconds; the command line takes more unless told."""


class MistakesSheet(_ModelSheet):
    """The mistakes of a model in one evaluation at a time, the costliest first.

    An evaluation runs when it is first shown.

    Args:
        reports: the results of earlier evaluations; new ones are added.
    """

    BINDINGS = bindings(MISTAKE_KEYS)
    waiting = "measuring"

    def __init__(self, model: Path, folder: Path, reports: Reports) -> None:
        super().__init__(model, folder)
        self._reports = reports
        self._at = 0
        self._eval = CachedRequest(self, "egen.eval", self._receive_report, self._show_progress)
        self.answers = Listing(**listing_arguments("wrong"))

    def compose(self) -> ComposeResult:
        title = f"mistakes of {self._model.name} on {self._folder.name}"
        keys = "enter open   [ ] tasks   / filter   y command   e export   esc close"
        yield frame_dialog(title, keys, TabStrip(), Static(classes="figures"), self.answers)

    def on_mount(self) -> None:
        self._show_evaluation(0)

    def _show_evaluation(self, at: int) -> None:
        self._at = at % len(_EVALUATIONS)
        # The report is identified by evaluation, model and corpus.
        self.pending = key = self._evaluation, str(self._model), str(self._folder)
        self.query_one(TabStrip).show_tabs(tuple(_EVALUATIONS.values()), self._at)
        # What is measured for another tab is not waited for.
        self._eval.stop()
        report = self._reports.get(key)
        self.query_one(".figures", Static).update(Content("\n").join(_figure_lines(report) if report else ()))
        if report is None:
            self.answers.show_loading("measuring")
            params = {**dict(zip(("task", "model", "data"), key, strict=True)), "worst": _LISTED}
            self._eval.ask({**params, **({"count": _COUNTS[key[0]]} if key[0] in _COUNTS else {})}, key)
        else:
            self.answers.when_empty("Nothing was wrong", "")
            rows = [{"id": str(number), **each} for number, each in enumerate(report["mistakes"])]
            self.answers.load(rows, keep=False)
            self.answers.table.focus()

    @property
    def _evaluation(self) -> str:
        return list(_EVALUATIONS)[self._at]

    def _receive_report(self, event: RequestAnswer) -> None:
        if event.error is None:
            self._reports[event.tag] = event.value
        if event.tag != self.pending:
            return
        if event.error is None:
            self._show_evaluation(self._at)
        else:
            self.answers.show_error(event.error)

    def action_next_tab(self) -> None:
        self._show_evaluation(self._at + 1)

    def action_previous_tab(self) -> None:
        self._show_evaluation(self._at - 1)

    @on(TabStrip.Picked)
    def _show_picked_tab(self, event: TabStrip.Picked) -> None:
        self._show_evaluation(event.index)

    @on(Table.Opened)
    def _open_mistake(self) -> None:
        if (record := self.answers.table.current) is not None:
            self.app.push_screen(TextScreen("mistake", list(_mistake_lines(record))))

    def command_words(self) -> list[str]:
        words = ["egen", "eval", self._evaluation, self._model.name, "--data", str(self._folder)]
        if self._evaluation in _COUNTS:
            words += ["--count", str(_COUNTS[self._evaluation])]
        return [*words, "--worst", str(_LISTED)]

    def exports(self) -> list[Export]:
        report = self._reports.get((self._evaluation, str(self._model), str(self._folder)))
        if report is None:
            return []
        facts = {"task": self._evaluation, "setting": report["setting"], "figures": report["figures"]}
        return self.export_list(self._evaluation, MISTAKES, report["mistakes"], facts)


def _figure_lines(report: _Document) -> Iterator[Content]:
    # Figures by the paper's protocol, and others that add to them, such as another threshold.
    published = [figure for figure in report["figures"] if figure["protocol"] == "paper"]
    better = [figure for figure in report["figures"] if figure["protocol"] != "paper"]
    cells = max((len(figure["name"]) for figure in published), default=0)
    for figure in published:
        name = figure["name"]
        others = [_other_figure(name, other) for other in better if other["name"].startswith(name)]
        line = safe_text(f"{name.replace('_', ' '):<{cells}} ", "$quiet") + _figure_content(figure)
        if len(others) == 1:
            yield line + safe_text("   ") + others[0]
        else:
            yield line
            yield from (safe_text("  ") + other for other in others)
    wrong, rows = f"{format_count(report['wrong'])} wrong", len(report["mistakes"])
    costliest = f", the costliest {format_count(rows)} are listed" if report["wrong"] > rows else ""
    yield safe_text(wrong + costliest, "$quiet")


def _other_figure(name: str, other: _Document) -> Content:
    rest = other["name"].removeprefix(name).strip("_").replace("_", " ")
    return safe_text(f"{rest or 'other threshold'} ", "$quiet") + _figure_content(other)


def _figure_content(figure: _Document) -> Content:
    low, high = figure["interval"]
    interval = safe_text(f" [{low:.1f}, {high:.1f}]", "$quiet")
    return safe_text(f"{figure['value']:6.2f} %", "bold") + interval


def _mistake_lines(record: Record) -> Iterator[str]:
    for title, name in (("asked", "query"), ("expected", "expected"), ("predicted", "predicted")):
        text = record[name]
        yield from (
            title,
            *(f"  {line}" for line in ([format_expression(text), text] if text else ["nothing"])),
            "",
        )
    yield f"cost {record['cost']:.6f}"
    if record["note"]:
        yield f"note {record['note']}"


# Analogies

_HITS = 20


def read_analogy(text: str) -> tuple[dict[str, str], str]:
    """Read a typed analogy, `x1 : y1 :: x2 = y2`, where `= y2` may be missing.

    Returns:
        The analogy in prefix notation and an empty string, or nothing and what is wrong.
    """
    # `x1 : y1 :: x2 = y2`: two halves, each of two parts.
    left, _, right = text.partition("::")
    x2, _, y2 = right.partition("=")
    x1, _, y1 = left.partition(":")
    result = {"family": "own"}
    for name, part in {"x1": x1, "y1": y1, "x2": x2, "y2": y2}.items():
        result[name], wrong = read_expression(part.strip()) if part.strip() else ("", "")
        if wrong:
            return {}, f"{name}: {wrong}"
        if not result[name] and name != "y2":
            return {}, f"{name} is missing: write x1 : y1 :: x2"
    return result, ""


class AnalogiesSheet(_ModelSheet):
    """Analogies (x1 is to y1 as x2 is to what?), and the answers to the selected one.

    Args:
        own: analogies typed earlier; new ones are put in front.
    """

    BINDINGS = bindings(ANALOGY_KEYS)
    DEFAULT_CSS = """
    AnalogiesSheet #analogies { height: 2fr; }
    AnalogiesSheet .figures { border-top: solid $line; }
    AnalogiesSheet #hits { height: 3fr; }
    """

    def __init__(self, model: Path, folder: Path, own: list[dict[str, str]]) -> None:
        super().__init__(model, folder)
        self._own = own
        self._measured: list[dict[str, str]] = []
        self._solved: _Document | None = None
        self._solve = CachedRequest(self, "egen.analogy", self._show_hits, self._show_progress)
        self._analogies = Listing(**listing_arguments("analogies"))
        self.answers = Listing(**listing_arguments("hits"))

    def compose(self) -> ComposeResult:
        title = f"analogies by {self._model.name}, answers from {self._folder.name}"
        keys = "a new one   / filter   tab answers   y command   e export   esc close"
        yield frame_dialog(title, keys, self._analogies, Static(classes="figures"), self.answers)

    def on_mount(self) -> None:
        self.ask_for(self._analogies, "egen.analogies", {}, self._list_analogies, "listing the families")

    def _list_analogies(self, document: _Document) -> None:
        self._measured = sorted(document["analogies"], key=lambda each: str(each["family"]))
        self._load_analogies()
        self._analogies.table.focus()

    def _load_analogies(self) -> None:
        rows = [{"id": str(number), **row} for number, row in enumerate([*self._own, *self._measured])]
        self._analogies.load(rows, keep=False)

    @on(Table.Moved, "#analogies-table")
    def _solve_current(self) -> None:
        self.pending = record = self._analogies.table.current
        self._solved = None
        self.query_one(".figures", Static).update("")
        if record is None:
            self.answers.load([], keep=False)
            return
        self.answers.show_loading("computing")
        terms = {name: record[name] for name in ("x1", "y1", "x2")}
        expected: dict[str, Any] = {"expected": record["y2"]} if record["y2"] else {}
        params = {"model": str(self._model), "data": str(self._folder), "at_most": AT_ONCE}
        # The record itself is the tag, which `_show_hits` compares by identity.
        self._solve.ask({**params, **terms, **expected, "count": _HITS}, record)

    def _show_hits(self, event: RequestAnswer) -> None:
        if event.tag is not self._analogies.table.current:
            return
        if event.error is None:
            self._solved = solved = event.value
            self.query_one(".figures", Static).update(_summarise_answer(solved))
            hits = enumerate(solved["hits"], 1)
            rows = [HITS.make_row({**hit, "id": str(rank), "place": rank}) for rank, hit in hits]
            self.answers.load(rows, keep=False)
        elif event.error.code == TOO_MANY:
            self.answers.when_empty(*NOT_ENCODED)
            self.answers.load([], keep=False)
        else:
            self.answers.show_error(event.error)

    def action_add(self) -> None:
        def add_analogy(text: str) -> None:
            self._own.insert(0, read_analogy(text)[0])
            self._analogies.clear_filter()
            self._load_analogies()
            self._analogies.table.cursor = 0

        hint = "x1 : y1 :: x2, and if you know it = what is expected   enter solves it"
        Prompt("analogy:", hint=hint, check=lambda text: read_analogy(text)[1]).ask(self.app, add_analogy)

    def command_words(self) -> list[str] | None:
        if (record := self._analogies.table.current) is None:
            return None
        words = ["egen", "analogy", self._model.name, "--corpus", str(self._folder), "-k", str(_HITS)]
        words += ["--expected", record["y2"]] if record["y2"] else []
        return [*words, "--", record["x1"], record["y1"], record["x2"]]

    def exports(self) -> list[Export]:
        if (solved := self._solved) is None:
            return []
        facts = {name: solved[name] for name in ("x1", "y1", "x2", "expected", "place")}
        return self.export_list("analogy", HITS, solved["hits"], facts)


def _summarise_answer(solved: _Document) -> Content:
    x1, y1, x2 = (format_expression(solved[name]["prefix"]) for name in ("x1", "y1", "x2"))
    line = safe_text(f"{x1} : {y1} :: {x2} : ?   of {format_count(solved['candidates'])} candidates", "bold")
    if solved["expected"] is None:
        return line
    rank, other = solved["place"], solved["place_without_echo"]
    glyph, colour, words = "✗ ", "$warning", f"is answer {rank}"
    if rank == 1:
        glyph, colour, words = "✓ ", "$success", "is the first answer"
    elif rank is None:
        colour, words = "$error", f"is not among the first {len(solved['hits'])}"
    elif other not in (rank, None):
        words += f", {other} without forms of x2"
    what = format_expression(solved["expected"]["prefix"])
    return line + Content("\n") + Content.styled(glyph, colour) + safe_text(f"{what} {words}")
