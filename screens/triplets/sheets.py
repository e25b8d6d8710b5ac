"""Sheets over the Triplets screen: problems in the plane, a problem solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from engines.core.tree import Tree
from engines.mwp.problems.problem import read_equation
from screens.shell.export import FORMATS, Export, pick_columns, table_exports
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.screen import Sheet
from screens.shell.theme import format_percent, safe_text
from screens.triplets.columns import (
    align_edits,
    format_figure,
    grow_tree,
    mark_differences,
    node_lines,
    tree_of,
)
from screens.widgets.dialogs import frame_dialog
from screens.widgets.listing import Listing, failure_content
from screens.widgets.pane import Pane
from screens.widgets.scatter import Scatter, ScatterDot
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.tables import Column


class ProblemMap(Sheet):
    """A map of the problems with the most frequent equations, before and after training.

    Args:
        model: the model.
        data: the set's name and file.
        texts: the problems' texts, by id.
        go: called with the id of the problem that is opened.
    """

    DEFAULT_CSS = """
    ProblemMap Horizontal { height: 1fr; }
    ProblemMap Horizontal > Vertical { width: 1fr; }
    ProblemMap .side { height: 1; padding: 0 1; color: $quiet; }
    ProblemMap #lit { height: 2; padding: 0 1; border-top: solid $line; }
    """

    def __init__(
        self,
        model: Path,
        data: tuple[str, Path],
        texts: Mapping[str, str],
        go: Callable[[str], object],
    ) -> None:
        super().__init__()
        self.model, (self._name_of_set, self.data) = model, data
        self._texts, self._go = texts, go
        self._planes = {before: Scatter(id="before" if before else "after") for before in (True, False)}
        self._lit = Static(id="lit")
        # Two requests: of one, the newer question would take the place of the other.
        self._requests = {
            before: CachedRequest(self, "mwp.tsne", self._receive_points) for before in (True, False)
        }

    def compose(self) -> ComposeResult:
        names = {True: "before the training", False: "after it"}
        sides = (Vertical(Static(names[before], classes="side"), p) for before, p in self._planes.items())
        keys = "tab other side   enter go there   y command   e export   esc close"
        title = f"{self._name_of_set} by {self.model.name}, t-SNE"
        yield frame_dialog(title, keys, Horizontal(*sides), self._lit)

    def on_mount(self) -> None:
        for before, request in self._requests.items():
            self._planes[before].show_message(Content.styled("… arranging", "$quiet"))
            request.ask({"model": str(self.model), "data": str(self.data), "before": before}, before)
        self._planes[False].focus()

    def _receive_points(self, event: RequestAnswer) -> None:
        plane = self._planes[event.tag]
        if event.error is not None:
            plane.show_message(failure_content(self, event.error))
            return
        result = event.value
        dots = zip(result["ids"], result["points"], result["templates"], strict=True)
        plane.show_dots([ScatterDot(id_, x, y, template) for id_, (x, y), template in dots])
        self._describe_dot(plane)

    @on(Pane.Selected)
    def _report_move(self, event: Pane.Selected) -> None:
        if isinstance(event.control, Scatter) and event.control.has_focus:
            self._describe_dot(event.control)

    def _describe_dot(self, plane: Scatter) -> None:
        here = plane.here
        if here is None:
            return
        # The other side lights the same problem, so that it can be followed.
        for other in self._planes.values():
            if other is not plane and other.dots:
                other.lit = here.key
        words = f"{here.key}  {here.kind}  {self._texts.get(here.key, '')}"
        self._lit.update(safe_text(words).truncate(max(8, self._lit.size.width - 2), ellipsis=True))

    @on(Pane.Opened)
    def _go_to_problem(self, event: Pane.Opened) -> None:
        if isinstance(event.control, Scatter) and (here := event.control.here) is not None:
            self.dismiss(None)
            self._go(here.key)

    # What can be taken away

    def command_words(self) -> list[str] | None:
        side = ["--before"] if self._planes[True].has_focus else []
        return ["mwp", "tsne", str(self.model), str(self.data), *side]

    def exports(self) -> list[Export]:
        before = self._planes[True].has_focus
        if not (dots := self._planes[before].dots):
            return []
        facts = {"model": str(self.model), "problems": str(self.data), "before": before}
        heads = ("problem", "x", "y", "equation")
        points = lambda: (heads, ((dot.key, dot.x, dot.y, dot.kind) for dot in dots))  # noqa: E731
        return table_exports("points", "problems-plane", FORMATS, points, facts)


_STEP_S = 0.4
"""Between two steps of the tree, while nobody moves the cursor."""
_STEPS = (
    Column("step", "step", 4, "right"),
    Column("work", "work", show=lambda r: safe_text(r["work"], "$foreground")),
)
_EQUATIONS = (
    Column("answer", "answer", 14, "right", show=lambda r: f"{r['answer']:.10g}"),
    Column("probability", "probability", 11, "right", show=lambda r: format_percent(r["probability"], 1)),
    Column("filled", "filled", show=lambda r: safe_text(r["filled"], "$foreground")),
    Column("equation", "equation", 30, drop=1),
)
_EXPORTED = {name: name for name in ("equation", "filled", "answer", "probability")}


class SolveSheet(Sheet):
    """The solution of a problem by a model, step by step."""

    DEFAULT_CSS = """
    SolveSheet > Vertical { height: 28; max-height: 96%; }
    SolveSheet #problem { height: auto; max-height: 8; padding: 0 1; }
    SolveSheet Horizontal { height: 1fr; min-height: 4; }
    SolveSheet #steps { width: 1fr; height: 1fr; }
    SolveSheet #tree { width: 1fr; height: 1fr; padding: 0 1; border-left: solid $line; }
    SolveSheet #equations { height: 8; border-top: solid $line; }
    """

    def __init__(self, model: Path, text: str) -> None:
        super().__init__()
        self.model, self.text = model, text
        self.found: Mapping[str, Any] | None = None
        self._problem, self._tree = Static(id="problem"), Static(id="tree")
        self._steps = Listing(_STEPS, id="steps", empty=("It is a number of the text", ""))
        self._equations = Listing(_EQUATIONS, id="equations")
        self._growth: Timer | None = None

    def compose(self) -> ComposeResult:
        keys = "↓ next step   tab other equations   y command   e export   esc close"
        steps = Horizontal(self._steps, self._tree)
        yield frame_dialog(f"solved by {self.model.name}", keys, self._problem, steps, self._equations)

    def on_mount(self) -> None:
        self._problem.update(safe_text(self.text))
        params = {"model": str(self.model), "text": self.text}
        self.ask_for(self._equations, "mwp.solve", params, self._show_solution, f"asking {self.model.name}")

    def _show_solution(self, result: Mapping[str, Any]) -> None:
        self.found = result
        words = f"{result['equation']} = {result['answer']:.10g}"
        sign = f"   probability {format_percent(result['probability'])}"
        remarks = "".join(f"\n{remark}" for remark in result["remarks"])
        solution = Content.assemble("\n", (words, "bold"), (sign, "$quiet"), remarks)
        self._problem.update(mark_differences(result, None) + solution)
        best = {name: result[name] for name in (*_EXPORTED, "tree")}
        rows = [best, *result["alternatives"]]
        self._equations.load([{"id": index, **row} for index, row in enumerate(rows)])
        steps = enumerate(result["steps"], start=1)
        self._steps.load(
            [{"id": position, "step": position, "work": step["text"]} for position, step in steps]
        )
        self._steps.table.focus()
        self._draw_tree(result["tree"], 1)
        if len(result["steps"]) > 1:
            # The tree grows by itself until a key is pressed.
            self._growth = self.set_interval(_STEP_S, self._grow_step)

    # The tree

    def _grow_step(self) -> None:
        table = self._steps.table
        before = table.cursor
        table.cursor += 1
        # The cursor did not move: this was the last step.
        if table.cursor == before:
            self._stop_growth()

    def _stop_growth(self) -> None:
        if self._growth is not None:
            self._growth.stop()
            self._growth = None

    def on_key(self) -> None:
        self._stop_growth()

    @on(Table.Moved, "#steps-table")
    def _step_reached(self) -> None:
        self._draw_tree(self.found["tree"] if self.found else (), self._steps.table.cursor + 1)

    @on(Table.Moved, "#equations-table")
    def _equation_reached(self, event: Table.Moved) -> None:
        if event.table.has_focus and event.table.current is not None:
            self._draw_tree(event.table.current["tree"], None)

    def _draw_tree(self, labels: Sequence[str], steps: int | None) -> None:
        if self.found is not None:
            self._tree.update(grow_tree(tree_of(labels), self.found, steps))

    # What can be taken away

    def command_words(self) -> list[str] | None:
        return ["mwp", "solve", str(self.model), self.text]

    def exports(self) -> list[Export]:
        if self.found is None:
            return []
        rows = lambda: pick_columns(self._equations.table.visible_records(), _EXPORTED)  # noqa: E731
        facts = {"model": str(self.model), "text": self.text}
        return table_exports("equations", "solved", FORMATS, rows, facts)


def solver_for(text: str, solvers: Sequence[Path], chosen: str) -> Path | None:
    """Return the chosen solver, else the first for the text's language (`mwp-zh…`), else the first."""
    from engines.mwp.problems.numbers import language_of

    named = next((path for path in solvers if path.name == chosen), None)
    start = f"mwp-{language_of(text)}"
    own = next((path for path in solvers if path.name.startswith(start)), None)
    return named or own or next(iter(solvers), None)


_STYLES = {"keep": "$quiet", "rename": "$warning", "delete": "$error", "insert": "$success"}
_SIGNS = {"keep": "=", "rename": "→", "delete": "−", "insert": "+"}


def _step_cell(record: Record) -> Content:
    style = _STYLES[record["edit"]]
    word = "" if record["edit"] == "keep" else record["edit"]
    return Content.styled(f"{_SIGNS[record['edit']]} {word}", style)


def _make_node_cell(name: str) -> Any:
    def draw_node(record: Record) -> Content:
        return safe_text(record[name], "" if record["edit"] == "keep" else _STYLES[record["edit"]] + " bold")

    return draw_node


class EditPath(Sheet):
    """The edits that turn one equation into another; each is given with the name of its problem."""

    def __init__(self, left: tuple[str, str], right: tuple[str, str]) -> None:
        super().__init__()
        (self._left_name, self._left), (self._right_name, self._right) = left, right
        columns = (
            Column("left", self._left_name, 40, show=_make_node_cell("left"), unfiltered="it draws a tree"),
            Column("edit", "edit", 10, show=_step_cell),
            Column("right", self._right_name, show=_make_node_cell("right"), unfiltered="it draws a tree"),
        )
        self._listing = Listing(columns, id="edits")
        self._about = Static(classes="figures")

    def compose(self) -> ComposeResult:
        title = f"from {self._left_name} to {self._right_name}"
        yield frame_dialog(title, "y command   e export   esc close", self._about, self._listing)

    def on_mount(self) -> None:
        ends = {"left": self._left, "right": self._right}
        self.ask_for(self._listing, "mwp.similarity", ends, self._show_edits, "comparing")

    def _show_edits(self, edits: Mapping[str, Any]) -> None:
        lefts, rights = edits["nodes"]
        self._about.update(
            Content.assemble(
                safe_text(f"{edits['left']}  →  {edits['right']}", "bold"),
                "\n",
                safe_text(
                    f"similarity 1 − {edits['distance']}/({lefts} + {rights}) "
                    f"= {format_figure(edits['similarity'])}",
                    "$quiet",
                ),
            )
        )
        self._listing.load(edit_rows(edits))
        self._listing.table.focus()

    def command_words(self) -> list[str] | None:
        return ["mwp", "similarity", self._left, self._right]

    def exports(self) -> list[Export]:
        if not len(self._listing.table.rows):
            return []
        heads = {"left": self._left_name, "edit": "edit", "right": self._right_name}
        edits = lambda: pick_columns(self._listing.table.visible_records(), heads)  # noqa: E731
        ends = {"left": self._left, "right": self._right}
        return table_exports("edit path", "edit-path", FORMATS, edits, ends)


def edit_rows(similarity: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the nodes of both trees with their edits, as `mwp.similarity` reports them."""
    trees = {name: node_lines(read_equation(similarity[name], Tree)) for name in ("left", "right")}
    result = []
    for index, edit in enumerate(align_edits(similarity["edits"])):
        ends = {name: "" if edit[name] is None else tree[edit[name]] for name, tree in trees.items()}
        result.append({"id": index, "edit": edit["kind"], **ends})
    return result
