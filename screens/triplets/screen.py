"""The Triplets screen: anchors on the left, a triplet side by side, and below it why it was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from textual import on

from screens.keys import TRIPLETS_SCREEN
from screens.shell.export import Command, Export, Lookup
from screens.shell.keymap import bindings
from screens.shell.request import RequestAnswer, RequestProgress
from screens.shell.screen import BrowserScreen
from screens.shell.theme import format_count
from screens.triplets.columns import (
    ShownTriplet,
    TripletChoice,
    all_triplets,
    anchor_records,
    ask_choice,
    ask_label,
    plain_text,
)
from screens.triplets.panes import AnchorsPane, ProblemPane, WhyPane, provenance_lines
from screens.widgets.dialogs import Chooser, Prompt, number_choices
from screens.widgets.dialogs import MenuChoice as Line
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from screens.triplets.evaluation import EvaluationState
    from workbench.papers.mwp.data import TripletLabels


_SIZES = ("-one", "-two", "-three")
_MANY = 3_000
"""Triplets of more anchors than this are found only when they are asked for."""


class TripletsScreen(BrowserScreen):
    """The Triplets screen: anchors, a triplet, and why it was chosen."""

    MODE = "triplets"
    SOURCE = "problems"
    SOURCES = "sets of problems"
    FIND_SOURCE = "Show a set of problems."
    BINDINGS = bindings(TRIPLETS_SCREEN)
    DEFAULT_CSS = """
    TripletsScreen > #panes { layout: grid; grid-size: 4 2; grid-columns: 34 1fr 1fr 1fr; grid-rows: 1fr 13; }
    TripletsScreen #why { column-span: 4; }
    TripletsScreen.-wide > #panes { grid-columns: 44 1fr 1fr 1fr; grid-rows: 1fr 18; }
    TripletsScreen.-two > #panes { grid-size: 2 2; grid-columns: 30 1fr; grid-rows: 1fr 13; }
    TripletsScreen.-two.-low > #panes { grid-rows: 1fr 9; }
    TripletsScreen.-two #why { column-span: 2; }
    TripletsScreen.-one > #panes { grid-size: 1 1; grid-columns: 1fr; grid-rows: 1fr; }
    TripletsScreen.-one #why { column-span: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.choice = TripletChoice()
        self.labels: TripletLabels | None = None
        self.solvers: Sequence[Path] = ()
        self.solver = ""
        """The name of the solver that was chosen; nothing: the text's language says which."""
        self._solved_text = ""
        self.pool: Mapping[str, Any] | None = None
        """What `mwp.anchors` said of the set that is shown."""
        self._before: TripletChoice | None = None
        self._stopped = False
        self._evaluations: dict[Path, EvaluationState] = {}
        """What was evaluated, by the file of the set."""
        self._anchors = self.request("mwp.anchors", self._anchors_read)
        self._explanations = self.request("mwp.explain", self._receive_explanation, size=256)
        self._triplets = self.slow_request(
            "mwp.triplets", self._triplets_read, self._triplets_progress, size=6, read=self._all_triplets
        )
        self.anchors = AnchorsPane(id="left")
        self.problems = tuple(ProblemPane(role, id=role) for role in ("anchor", "positive", "negative"))
        self.why = WhyPane(id="why")

    def panes(self) -> Iterable[Pane]:
        return self.anchors, *self.problems, self.why

    # Layout

    def on_resize(self, event: Any) -> None:
        """Show three problems side by side, or one at a time with the others as tabs."""
        super().on_resize(event)
        self.set_class(event.size.width >= 180, "-wide")
        self.set_class(event.size.height < 32, "-low")

    def _group_panes(self) -> list[tuple[Pane, ...]]:
        everything = (self.anchors, *self.problems, self.why)
        shape = 1 if self.full else max(1, self.columns)
        # The class decides the grid of the panes; see `DEFAULT_CSS`.
        for index, name in enumerate(_SIZES, start=1):
            self.set_class(index == shape, name)
        if shape == 1:
            return [everything]
        if shape == 2:
            return [(self.anchors,), self.problems, (self.why,)]
        return [(pane,) for pane in everything]

    # Sets

    async def restore(self, state: Mapping[str, object]) -> None:
        self.choice = TripletChoice.from_name(str(state.get("choice"))) or self.choice
        self.solver = str(state.get("solver") or "")
        await super().restore(state)

    def state(self) -> dict[str, object]:
        return {**super().state(), "choice": self.choice.name, "solver": self.solver}

    def find_sources(self) -> Any:
        from workbench.papers.mwp.data import TripletLabels, list_sets, list_solvers

        workspace = self.workbench.workspace
        labels = TripletLabels(workspace.make_folder("problems") / "labels.jsonl")
        return list_sets(workspace), labels, list_solvers(workspace)

    def sources_found(self, answer: RequestAnswer) -> None:
        if answer.error is None:
            sets, self.labels, self.solvers = answer.value
            for problem in self.labels.problems:
                self.workbench.report(problem)
            answer = replace(answer, value=sets)
        super().sources_found(answer)

    def show_no_source(self) -> None:
        self._show_triplet(None)

    def open_source(self, name: str) -> None:
        self.source, self.pool, self._before = name, None, None
        self.anchors.show_sources(list(self.sources), name)
        self.anchors.show_loading(f"reading {name}")
        self._show_triplet(None)
        self._explanations.clear()
        self._triplets.clear()
        self._ask_anchors()
        self._describe_panes()

    @property
    def path(self) -> Path:
        """Return the file or folder of the set that is shown."""
        path: Path = self.sources[self.source]
        return path

    @property
    def _way(self) -> tuple[Path, TripletChoice]:
        return self.path, self.choice

    def _is_shown(self, tag: tuple[Any, ...]) -> bool:
        return bool(self.source) and tag[:2] == self._way

    def _ask_anchors(self) -> None:
        self._anchors.ask({"data": str(self.path), "pool": self.choice.pool}, self._way)

    def _anchors_read(self, event: RequestAnswer) -> None:
        if not self._is_shown(event.tag):
            return
        if event.error is not None:
            self.pool = None
            self.anchors.show_error(event.error)
        else:
            self.pool = event.value
            self._show_anchors()
        self.why.show_pool(self.source, self.pool)
        self._describe_panes()
        self.refresh_bindings()

    def _show_anchors(self) -> None:
        if self.pool is None:
            return
        rows = self.pool["anchors"]
        result = self._triplets.known.get(self._way)
        before = self._triplets.known.get((self.path, self._before))
        labels = {}
        if self.labels is not None:
            of = partial(self.labels.label_of, self.source)
            labels = {id_: label for id_, row in (result or {}).items() if (label := of(row))}
        self.anchors.show_anchors(self.source, self.choice, anchor_records(rows, result, before, labels))

    def _triplets_progress(self, event: RequestProgress) -> None:
        data = event.event.data
        if event.event.kind == "progress" and self._is_shown(event.tag):
            done, total = (format_count(int(str(data[name]))) for name in ("done", "total"))
            self.anchors.footnote = f"triplets: {done} of {total}"
            self.refresh_bindings()

    def _all_triplets(self, result: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the triplets by their anchors; those that gave way to another choice are asked for again."""
        # An answer that was cut short is remembered only if the user wanted it so.
        whole = result["complete"] or self._stopped
        return {row["anchor"]: row for row in result["triplets"]} if whole else None

    def _triplets_read(self, event: RequestAnswer) -> None:
        if self._is_shown(event.tag):
            if event.error is not None:
                self.workbench.report(event.error)
            else:
                self._show_anchors()
        self._describe_panes()
        self.refresh_bindings()

    # A triplet

    @on(Pane.Selected, "#left")
    def _anchor_moved(self) -> None:
        anchor = self.anchors.anchor_id
        if not anchor or self.pool is None:
            self._show_triplet(None)
        else:
            params = {**self.choice.to_params(self.path), "anchor": anchor}
            if (known := self._explanations.get(params, (*self._way, anchor))) is not None:
                self._show_triplet(known)
                self._ask_triplets()
        self._describe_panes()
        self.refresh_bindings()

    def _receive_explanation(self, event: RequestAnswer) -> None:
        if not self._is_shown(event.tag) or event.tag[2] != self.anchors.anchor_id:
            return
        if event.error is not None:
            self._show_triplet(None)
            for pane in self.problems[1:]:
                pane.show_error(event.error)
        else:
            self._show_triplet(event.value)
        self._ask_triplets()
        self.refresh_bindings()

    def _ask_triplets(self, *, wanted: bool = False) -> None:
        """Ask for the triplets of all anchors, behind the one that is looked at."""
        if self.pool is None:
            return
        small = len(self.pool["anchors"]) <= _MANY
        # Small sets are computed without being asked for, once for each choice.
        if wanted or (
            small and self._way not in self._triplets.known and self._way != self._triplets.pending
        ):
            # The question for another choice is given up.
            self._triplets.stop()
            self._stopped = False
            self._triplets.get(self.choice.to_params(self.path), self._way)
        self._describe_panes()

    def _show_triplet(self, explanation: Mapping[str, Any] | None) -> None:
        shown = (
            ShownTriplet(self.source, self.path, self.choice, explanation)
            if explanation is not None
            else None
        )
        before = None
        if shown is not None and self._before is not None:
            # The triplet of the choice before, if it was looked at.
            old = self._explanations.known.get((self.path, self._before, shown.anchor))
            before = ShownTriplet(self.source, self.path, self._before, old) if old is not None else None
        self.anchors.shown = shown
        for pane in self.problems:
            pane.show_triplet(shown)
        self.why.show_triplet(shown, before)

    @property
    def shown(self) -> ShownTriplet | None:
        """Return the triplet that is shown, or None."""
        return self.anchors.shown

    def _describe_panes(self) -> None:
        words = f"{self.choice.short} · {self.choice.pool}" if self.source else ""
        if self.pool is not None and self._way not in self._triplets.known:
            large = len(self.pool["anchors"]) > _MANY
            if self._triplets.running:
                words = f"finding triplets   {words}"
            elif large:
                words += "   A finds all"
        self.anchors.footnote = words

    # Another choice

    def change_choice(self, choice: TripletChoice) -> None:
        """Choose triplets in another way."""
        if choice == self.choice or not self.source:
            return
        self._before, before = self.choice, self.choice
        self.choice = choice
        # Another pool has other anchors; another strategy only other triplets.
        if choice.pool != before.pool:
            self.pool = None
            self._ask_anchors()
        else:
            self._show_anchors()
        self._anchor_moved()

    def action_next_choice(self) -> None:
        self.change_choice(self.choice.next_choice(bertsim=self.bertsim))

    @property
    def bertsim(self) -> bool:
        """Whether a model is there that compares texts: the built-in one reads English."""
        return self.pool is not None and set(self.pool["languages"]) <= {"en"}

    def action_choose_run(self) -> None:
        ask_choice(self.app, self.choice, bertsim=self.bertsim, done=self.change_choice)

    # What can be done

    def why_not(self, verb: str) -> str:
        if verb in ("next_choice", "choose_run", "all", "inspect") and self.pool is None:
            return "no set of problems is shown"
        if verb == "evaluate" and not self.source:
            return "no set of problems is shown"
        if verb in ("add", "model") and not self.solvers:
            return "there is no solver; the recipe mwp/solver-tiny trains one"
        if verb == "judge" and self.shown is None:
            return "no triplet is shown"
        if verb == "all" and self._way in self._triplets.known:
            return "all triplets are loaded; r reads the set again"
        if verb == "stop" and not self._triplets.running:
            return "nothing is running here"
        return super().why_not(verb)

    def action_open(self) -> None:
        pane, shown = self.active_pane, self.shown
        if shown is None or not isinstance(pane, ProblemPane):
            return
        role = "positive" if pane.role == "positive" else "negative"
        problem = shown.found["problems"][role]
        self._open_path(f"{role} {problem['id']}", problem["template"])

    def _open_path(self, name: str, template: str) -> None:
        from screens.triplets.sheets import EditPath

        shown = self.shown
        if shown is not None:
            anchor = shown.found["problems"]["anchor"]
            left = f"anchor {anchor['id']}", anchor["template"]
            self.app.push_screen(EditPath(left, (name, template)))

    @on(Pane.Opened, "#left")
    def _anchor_opened(self) -> None:
        self.show_pane("negative")

    @on(Pane.Opened, "#why")
    def _candidate_opened(self) -> None:
        if (row := self.why.candidate) is not None:
            self._open_path(str(row["id"]), row["equation"])

    @on(Pane.AskedFor, "#why")
    async def _equation_asked_for(self, event: Pane.AskedFor) -> None:
        await self.anchors.listing.set_query(f'template="{event.name}"')
        self.show_pane("left")

    def action_all(self) -> None:
        self._ask_triplets(wanted=True)

    def action_stop(self) -> None:
        self._stopped = True
        self._triplets.stop()

    def action_judge(self) -> None:
        shown, labels = self.shown, self.labels
        if shown is not None and labels is not None:
            now = labels.label_of(self.source, shown.found["triplet"])
            ask_label(self.app, shown.anchor, now, lambda label: self._label_triplet(shown, label))

    def _label_triplet(self, shown: ShownTriplet, label: str) -> None:
        assert self.labels is not None
        before = self.labels.label_of(shown.set, shown.found["triplet"])
        with self.workbench.report_errors():
            self._put_label(shown, label)
            said = f"labelled {label}" if label else "no longer labelled"
            self.workbench.say(
                f"triplet of {shown.anchor} {said}; {format_count(len(self.labels))} labels in all"
            )
            back = partial(self._put_label, shown, before)
            self.workbench.remember_change(f"triplet of {shown.anchor} {said}", back)

    def _put_label(self, shown: ShownTriplet, label: str) -> None:
        assert self.labels is not None
        self.labels.set_label(shown.set, shown.found["triplet"], label)
        self._show_anchors()

    def action_inspect(self) -> None:
        if self.pool is not None:
            labels = len(self.labels) if self.labels is not None else 0
            self.show_text(
                f"problems {self.source}", provenance_lines(self.path, self.pool, self.choice, labels)
            )

    # Solving

    def action_add(self) -> None:
        shown = self.shown
        text = self._solved_text or (
            plain_text(shown.found["problems"]["anchor"]) if shown is not None else ""
        )

        def solve_text(text: str) -> None:
            from screens.triplets.sheets import SolveSheet, solver_for

            self._solved_text = text.strip()
            solver = solver_for(text, self.solvers, self.solver)
            if self._solved_text and solver is not None:
                self.app.push_screen(SolveSheet(solver, self._solved_text))

        hint = "a problem with its numbers;  enter solves it, esc cancels"
        Prompt("solve", text, hint=hint).ask(self.app, solve_text)

    def action_model(self) -> None:
        first = Line("", "by the language", "the first solver for the problem's language")
        lines = number_choices((first, *(Line(path.name, path.name, str(path)) for path in self.solvers)), 0)
        Chooser("solve with", lines).ask(self.app, lambda name: setattr(self, "solver", name))

    def show_map(self) -> None:
        """Open the map of the problems."""
        from screens.triplets.sheets import ProblemMap, solver_for

        if self.pool is None:
            return
        texts = {row["id"]: row["text"] for row in self.pool["anchors"]}
        solver = solver_for(next(iter(texts.values()), ""), self.solvers, self.solver)
        if solver is not None:
            go = self.anchors.listing.go_to
            self.app.push_screen(ProblemMap(solver, (self.source, self.path), texts, go))

    # Evaluating

    def action_evaluate(self) -> None:
        self.show_evaluation()

    def show_evaluation(self, tab: str = "") -> None:
        """Open the evaluation of the set, on one of its tabs or on the one shown last."""
        from screens.triplets.evaluation import EvaluationSheet, EvaluationState

        state = self._evaluations.setdefault(self.path, EvaluationState())
        if tab:
            state.tab = tab
        go = self.anchors.listing.go_to
        data = self.source, self.path
        self.app.push_screen(EvaluationSheet(data, self.solvers, state, self.get_slow_engine, go))

    # What others ask

    def lookups(self) -> Sequence[Lookup]:
        """Return `:problems NAME`, `:strategy nn-bibleu-train` and `:triplet 12`; slashes are quoted."""

        def go_to_choice(name: str) -> bool:
            choice = TripletChoice.from_name(unquote(name))
            if choice is None or self.pool is None:
                return False
            self.change_choice(choice)
            return True

        sets, *remaining = (replace(one, go=partial(_go_unquoted, one.go)) for one in super().lookups())
        words = "Choose triplets by a strategy, such as nn-bibleu-train."
        return [sets, Lookup("strategy", words, go_to_choice), *remaining]

    def list_commands(self) -> Sequence[Command]:
        words = "problems in the plane, by a solver's vectors before and after its training"
        none = "" if self.pool is not None else "no set of problems is shown"
        plane = Command("map of the problems", words, self.show_map, none or self.why_not("add"))
        tabs = {
            "solutions": ("solutions of the problems", "each problem's solution as steps and as a tree"),
            "audit": ("audit of the problems", "faults of the set: equations, answers, numbers, duplicates"),
            "wrong": ("wrong answers", "the wrong answers of a solver, grouped by kind"),
            "flips": ("flipped problems", "the problems that only one of two solvers gets right"),
        }
        evaluations = (
            Command(name, said, partial(self.show_evaluation, tab), self.why_not("evaluate"))
            for tab, (name, said) in tabs.items()
        )
        return [plane, *evaluations]

    def exports(self) -> Sequence[Export]:
        result = list(super().exports())
        if self.pool is not None:
            engine, facts = self.workbench.engine, {"solver": self.solver}
            result.append(all_triplets(engine, self.source, self.path, self.choice, facts))
        if self.labels is not None and len(self.labels):
            result.append(Export("l", "your labels", ".jsonl", "triplet-labels", self.labels.export_labels))
        return result


def _go_unquoted(go: Callable[[str], bool], wanted: str) -> bool:
    return go(unquote(wanted))
