"""A sheet that solves a problem: its tree grows step by step, and other equations stand below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from screens.shell.export import Export, picked, table_exports
from screens.shell.frame import Frame
from screens.shell.request import Answer
from screens.shell.text import safe_text
from screens.triplets.drawing import grown, marked, tree_of
from screens.widgets.listing import Listing
from screens.widgets.rows import Column
from screens.widgets.sheet import Sheet
from screens.widgets.table import Table

__all__ = ["SolveSheet", "solver_for"]

_STEP_S = 0.4
"""Between two steps of the tree, while nobody moves the cursor."""
_STEPS = (
    Column("step", "step", 4, "right"),
    Column("work", "work", show=lambda r: safe_text(r["work"], "$foreground")),
)
_EQUATIONS = (
    Column("answer", "answer", 14, "right", show=lambda r: f"{r['answer']:.10g}"),
    Column(
        "probability", "probability", 11, "right", show=lambda r: f"{r['probability']:.1%}".replace("%", " %")
    ),
    Column("filled", "filled", show=lambda r: safe_text(r["filled"], "$foreground")),
    Column("equation", "equation", 30, drop=1),
)
_EXPORTED = {name: name for name in ("equation", "filled", "answer", "probability")}


class _Solved(Answer):
    """The problem is solved, or why not."""


class SolveSheet(Sheet):
    """Asks a solver and shows what it answers."""

    DEFAULT_CSS = """
    SolveSheet > Vertical { height: 28; max-height: 96%; }
    SolveSheet #told { height: auto; max-height: 8; padding: 0 1; }
    SolveSheet Horizontal { height: 1fr; min-height: 4; }
    SolveSheet #steps { width: 1fr; height: 1fr; }
    SolveSheet #tree { width: 1fr; height: 1fr; padding: 0 1; border-left: solid $line; }
    SolveSheet #equations { height: 8; border-top: solid $line; }
    """

    def __init__(self, workbench: Frame, model: Path, text: str) -> None:
        super().__init__(workbench)
        self.model, self.text = model, text
        self.found: Mapping[str, Any] | None = None
        self._told, self._tree = Static(id="told"), Static(id="tree")
        self._steps = Listing(_STEPS, id="steps", counts=False, empty=("It is a number of the text", ""))
        self._equations = Listing(_EQUATIONS, id="equations", counts=False)
        self._growth: Timer | None = None
        self._solve = self.request("mwp.solve", _Solved)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"solved by {self.model.name}")
            box.border_subtitle = "↓ next step   tab other equations   y command   e export   esc close"
            yield self._told
            with Horizontal():
                yield self._steps
                yield self._tree
            yield self._equations

    def on_mount(self) -> None:
        self._told.update(safe_text(self.text))
        self._equations.show_loading(f"asking {self.model.name}")
        self._solve.ask({"model": str(self.model), "text": self.text})

    @on(_Solved)
    def _solved(self, event: _Solved) -> None:
        if event.error is not None:
            self._equations.show_error(event.error)
            return
        self.found = found = event.value
        sign = f"{found['probability']:.0%}".replace("%", " %")
        words = f"{found['equation']} = {found['answer']:.10g}"
        self._told.update(
            marked(found, None)
            + Content("\n")
            + Content.assemble((words, "bold"), (f"   probability {sign}", "$quiet"))
            + Content("".join(f"\n{remark}" for remark in found["remarks"]))
        )
        best = {name: found[name] for name in (*_EXPORTED, "tree")}
        rows = [best, *found["alternatives"]]
        self._equations.load([{"id": place, **row} for place, row in enumerate(rows)])
        self._steps.load(
            [
                {"id": place, "step": place, "work": step["text"]}
                for place, step in enumerate(found["steps"], start=1)
            ]
        )
        self._steps.table.focus()
        self._draw(found["tree"], 1)
        if len(found["steps"]) > 1:
            self._growth = self.set_interval(_STEP_S, self._grow)

    # The tree

    def _grow(self) -> None:
        table = self._steps.table
        before = table.cursor
        table.cursor += 1
        if table.cursor == before:
            self._rest()

    def _rest(self) -> None:
        """It grows by itself no more."""
        if self._growth is not None:
            self._growth.stop()
            self._growth = None

    def on_key(self) -> None:
        """Whoever moves the cursor sets the pace."""
        self._rest()

    @on(Table.Moved, "#steps-table")
    def _step_reached(self) -> None:
        self._draw(self.found["tree"] if self.found else (), self._steps.table.cursor + 1)

    @on(Table.Moved, "#equations-table")
    def _equation_reached(self, event: Table.Moved) -> None:
        if event.table.has_focus and event.table.current is not None:
            self._draw(event.table.current["tree"], None)

    def _draw(self, labels: Sequence[str], steps: int | None) -> None:
        if self.found is not None:
            self._tree.update(grown(tree_of(labels), self.found, steps))

    # What can be taken away

    def command(self) -> list[str] | None:
        """The command that solves it."""
        return ["mwp", "solve", str(self.model), self.text]

    def exports(self) -> list[Export]:
        """The equations that were thought of."""
        if self.found is None:
            return []
        return table_exports(
            "equations",
            "solved",
            {".csv": "c", ".jsonl": "j"},
            lambda: picked(self._equations.table.visible_records(), _EXPORTED),
            {"model": str(self.model), "text": self.text},
        )


def solver_for(text: str, solvers: Sequence[Path], chosen: str) -> Path | None:
    """The solver that was chosen; else the first whose name is of the text's language, `mwp-zh…`; else the
    first."""
    from engines.mwp.problems.numbers import language_of

    named = next((path for path in solvers if path.name == chosen), None)
    start = f"mwp-{language_of(text)}"
    own = next((path for path in solvers if path.name.startswith(start)), None)
    return named or own or next(iter(solvers), None)
