"""The MathAMR screen: a sentence on top, topics and graph on the left, the operator tree, and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from textual import events, on
from textual.app import ComposeResult

from engines.core.errors import EngineError
from screens.keys import MATHAMR_SCREEN
from screens.mathamr.contexts import (
    FILES,
    OWN,
    ContextsPane,
    FileSearch,
    Subject,
    formula_collections,
    list_parsers,
    shown_formula,
)
from screens.mathamr.graph import FormulaPane, GraphPane, describe_parser, edit_graph
from screens.mathamr.inspection import NEAREST, Inspection
from screens.mathamr.texts import SentenceView, StringsPane, alignment_lines
from screens.shell.export import Command, Lookup
from screens.shell.keymap import bindings
from screens.shell.request import RequestAnswer
from screens.shell.screen import BrowserScreen
from screens.widgets.dialogs import Chooser, MenuChoice, Prompt, number_choices
from screens.widgets.pane import Pane

_PATIENCE_S = 0.2
"""So long the graph before may stand there until the next one comes."""


class MathamrScreen(BrowserScreen):
    """The MathAMR screen: a text, its graph, its formula, and their linear forms."""

    MODE = "mathamr"
    BINDINGS = bindings(MATHAMR_SCREEN)

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.subject: Subject | None = None
        self.inspection: Inspection | None = None
        self._parser = ""
        self._edited: dict[str, str] = {}
        """Graphs that were edited, by the address of their topic."""
        self._near_texts = ""
        """The folder of the collection in which formulas near those of own texts are looked for."""
        self._topics = self.request("mathamr.topics", self._topics_read)
        self._inspections = self.request("mathamr.inspect", self._receive_inspection)
        # Nearest formulas take longer, and the index of a small collection is built on the way.
        self._near = self.slow_request("mathamr.inspect", self._near_found)
        self.sentence = SentenceView(id="sentence")
        self.contexts = ContextsPane(id="topics-pane", share=12)
        self.files = FileSearch(self, self.contexts)
        self.graph = GraphPane(id="graph-pane", share=12)
        self.formula = FormulaPane(id="formula-pane", share=12)
        self.strings = StringsPane(id="strings-pane", share=16)

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if widget.id == "panes":
                yield self.sentence
            yield widget

    def panes(self) -> Iterable[Pane]:
        return self.contexts, self.graph, self.formula, self.strings

    def _group_panes(self) -> list[tuple[Pane, ...]]:
        """Topics and graph share the left place, in narrow terminals tree and strings the right one."""
        panes = tuple(self._panes)
        if self.full or self.columns <= 1:
            return [panes]
        if self.size.width >= 160:
            return [(pane,) for pane in panes]
        if self.columns == 2:
            return [panes[:2], panes[2:]]
        return [panes[:2], panes[2:3], panes[3:]]

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self._arrange_panes()

    # Collections and texts

    async def restore(self, state: Mapping[str, object]) -> None:
        texts, edited = state.get("texts"), state.get("edited")
        if isinstance(texts, list):
            self.texts = [str(text) for text in texts]
        if isinstance(edited, dict):
            self._edited = {str(address): str(graph) for address, graph in edited.items()}
        self.files.restore_queries(state.get("queries"))
        parser = state.get("parser")
        self._parser = parser if isinstance(parser, str) and parser in list_parsers() else ""
        await super().restore(state)

    def state(self) -> dict[str, object]:
        own = {"texts": self.texts, "parser": self._parser, "edited": self._edited}
        return {**super().state(), **own, "queries": self.files.queries}

    def begin(self) -> None:
        # In ASCII a raised 2 would come out as a 2 like any other.
        self._write_raw(self.workbench.ascii)
        super().begin()

    def find_sources(self) -> Mapping[str, str]:
        """Return the folders of the collections by name, after the sets of files.

        Sets of files and the user's texts have an empty folder.
        """
        result = formula_collections(self.workbench.workspace)
        return {**dict.fromkeys(self.files.find_sets(), ""), **result, FILES: "", OWN: ""}

    def sources_found(self, answer: RequestAnswer) -> None:
        if answer.error is None:
            self._near_texts = self._near_texts or next(filter(None, answer.value.values()), "")
        super().sources_found(answer)

    def open_source(self, name: str) -> None:
        self.source = name
        self.contexts.show_sources(list(self.sources), name)
        if name == FILES or name in self.files.places:
            self.files.open_set(name)
        elif name != OWN:
            self._near_texts = folder = self.sources[name]
            self.contexts.show_loading(f"reading {name}")
            self._inspections.clear()
            self._near.clear()
            self._topics.ask({"folder": folder}, name)
        elif len(self.sources) > 1 or self.texts:
            self.contexts.show_texts(self.texts, self._near_texts)
        else:
            self.contexts.show_none()

    def _topics_read(self, event: RequestAnswer) -> None:
        if event.tag != self.source:
            return
        if event.error is not None:
            self.contexts.show_error(event.error)
        else:
            self.contexts.show_topics(self.sources[event.tag], event.value["topics"])
        self.refresh_bindings()

    # A topic or text

    @on(Pane.Selected, "#topics-pane")
    def _subject_moved(self) -> None:
        self.show_subject(self.contexts.subject)

    @on(Pane.Opened, "#topics-pane")
    def _subject_opened(self) -> None:
        self.show_pane("graph-pane")

    def show_subject(self, subject: Subject | None) -> None:
        """Show a topic or a text."""
        if subject is not None:
            edited = self._edited.get(subject.address)
            subject = subject.with_graph(edited) if edited else subject.with_parser(self._parser)
        if subject == self.subject and (self.inspection is not None or subject is None):
            return
        self.subject = subject
        self.graph.stale = subject is not None
        if subject is None:
            self._show_inspection(None)
        # Without nearest formulas, which take longer and are asked for separately.
        elif (known := self._inspections.get({**subject.params, "k": 0}, subject)) is not None:
            self._show_inspection(Inspection(known, subject))
        else:
            self.set_timer(_PATIENCE_S, lambda: self._still_waiting(subject))

    def _still_waiting(self, subject: Subject) -> None:
        # The answer has not arrived, and nothing else was chosen since.
        if self.graph.stale and self.subject == subject:
            self._show_inspection(None)
            self.graph.stale = True
            self.graph.show_loading(f"reading {subject.name}")

    def _receive_inspection(self, event: RequestAnswer) -> None:
        if event.tag != self.subject:
            return
        if event.error is not None:
            self._show_failure(event.error)
        else:
            self._show_inspection(Inspection(event.value, event.tag))

    def _show_failure(self, error: EngineError) -> None:
        subject = self.subject
        if subject is not None and subject.graph:
            # What was written by hand stays for the next edit; the graph before it is shown again.
            self.workbench.report(error)
            self._draft = (subject.address, self._edited.pop(subject.address, subject.graph))
            if self._readable[0] == subject.address and self._readable[1] != subject.graph:
                self._edited[subject.address] = self._readable[1]
            self._readable = ("", "")
            self.show_subject(self.contexts.subject)
            return
        self._show_inspection(None)
        self.graph.show_error(error)

    def _show_inspection(self, inspection: Inspection | None) -> None:
        self.inspection = inspection
        self.graph.stale = False
        said = describe_parser(inspection.document["parser"]) if inspection is not None else ""
        self.sentence.show_text(inspection, said)
        self.graph.show_graph(inspection)
        self.formula.show_inspection(inspection)
        self.strings.show_inspection(inspection)
        if inspection is not None:
            self.formula.show_near(self._near_formulas(inspection.subject))
        self._light_node(self.graph.key)
        self.refresh_bindings()

    def _near_formulas(self, subject: Subject) -> Mapping[str, Any] | None:
        """Return what is near the subject's formula, if it is known; it does not depend on the graph."""
        subject = subject.with_parser("")
        index = self._index_of(subject.folder)
        # An index that a job has built is used; that of a small collection is built on the way.
        known = {"index": str(index)} if index is not None and (index / "about.json").exists() else {}
        params = {**subject.params, **known, "k": NEAREST, "equal": True}
        result: Mapping[str, Any] | None = self._near.get(params, subject)
        return result

    def _index_of(self, folder: str) -> Path | None:
        from workbench.papers.mathamr.data import index_place

        name = next(
            (name for name, position in self.sources.items() if position and position == folder), None
        )
        return index_place(self.workbench.workspace, name) if name is not None else None

    def _near_found(self, event: RequestAnswer) -> None:
        if self.subject is not None and event.tag.source == self.subject.source:
            self.formula.show_near(event.value, event.error)

    # Links

    @on(Pane.Selected, "#graph-pane")
    def _node_moved(self) -> None:
        self._light_node(self.graph.key)
        self.refresh_bindings()

    @on(Pane.Opened, "#graph-pane")
    def _node_opened(self) -> None:
        if self.graph.nodes.follow_reference():
            return
        row = self.graph.table.current
        if row is not None and row["formula"]:
            self.show_pane("formula-pane")
        elif row is not None:
            self.graph.nodes.action_right()

    @on(Pane.Selected, "#tree")
    def _leaf_moved(self) -> None:
        if self.formula.key:
            self.graph.light_node(self.formula.key)
            self._light_node(self.formula.key)

    @on(Pane.Opened, "#tree")
    def _leaf_opened(self) -> None:
        self._go_to_node(self.formula.key)

    @on(Pane.Opened, "#strings-pane")
    def _triple_opened(self) -> None:
        self._go_to_node(self.strings.key)

    @on(SentenceView.Picked)
    def _word_picked(self, event: SentenceView.Picked) -> None:
        if self.inspection is not None and (key := self.inspection.node_at(event.position)) is not None:
            self._go_to_node(key)

    def _go_to_node(self, key: str) -> None:
        if self.graph.go_to(key):
            self.show_pane("graph-pane")

    def _light_node(self, key: str) -> None:
        self.sentence.light_node(key)
        self.formula.light_node(key)
        self.strings.light_node(key)

    # What can be done

    def why_not(self, verb: str) -> str:
        if verb == "edit" and self.active_pane is self.contexts and self.contexts.hit is not None:
            return ""
        if verb in ("inspect", "model", "again", "edit", "raw") and self.inspection is None:
            return "no graph is shown"
        if verb == "diff" and (reason := self._why_no_diff()):
            return reason
        return super().why_not(verb)

    @property
    def _runs_shown(self) -> bool:
        return self.active_pane is self.formula and self.formula.runs_shown and self.source != OWN

    @property
    def _equal_shown(self) -> bool:
        return self.active_pane is self.formula and self.formula.page_name == "equal"

    def _why_no_diff(self) -> str:
        if self._runs_shown:
            return ""
        if self._equal_shown:
            row = self.formula.equal_formula
            whole = row is not None and row["score"] == 1 and not row["renaming"]
            return "" if whole else "only a formula that is equal as a whole, by the same letters, is derived"
        if self.inspection is None:
            return "no graph is shown"
        own = self.inspection.document["parser"] == "builtin" and not self._published
        return "there is no other graph of it; o edits this one" if own else ""

    @property
    def _published(self) -> bool:
        row = self.contexts.table.current
        return row is not None and row.get("graph") == "yes"

    def go_back(self) -> bool:
        return self.active_pane is self.graph and self.graph.nodes.go_back()

    async def action_refresh(self) -> None:
        self.subject = self.inspection = None
        await super().action_refresh()

    def action_raw(self) -> None:
        self._write_raw(not self.sentence.raw)

    def _write_raw(self, raw: bool) -> None:
        for part in (self.sentence, self.contexts, self.formula, self.strings):
            part.raw = raw
            part.draw_content()

    def action_add(self) -> None:
        if self.source == FILES or self.source in self.files.places:
            self.files.ask_user()
            return
        hint = "words and $LaTeX$, the last formula is the query;  enter shows its graph, esc cancels"

        def check_text(text: str) -> str:
            if text.count("$") % 2:
                return "a formula goes between two dollar signs"
            return "" if "$" in text or not text.strip() else "put the formula between dollar signs"

        prompt = Prompt("inspect", hint=hint, check=check_text)
        prompt.ask(self.app, lambda text: text.strip() and self.inspect_text(text.strip()))

    def inspect_text(self, text: str) -> bool:
        """Add a text to the user's own, and show it."""
        self.texts = [text, *(one for one in self.texts if one != text)]
        self.open_source(OWN)
        self.contexts.go_to(text)
        self.show_pane("graph-pane")
        return True

    def action_model(self) -> None:
        choices = number_choices(MenuChoice(name, describe_parser(name)) for name in list_parsers())
        Chooser("show the graph of", choices, now=self._parser).ask(self.app, self.choose_parser)

    def choose_parser(self, name: str) -> None:
        """Show the graphs of a parser from now on, instead of an edited one."""
        self._parser = name
        if self.subject is not None:
            self._change_graph(self.subject, "")

    def action_again(self) -> None:
        self.choose_parser("builtin")

    def action_inspect(self) -> None:
        if (inspection := self.inspection) is not None:
            lines = list(alignment_lines(inspection, raw=self.sentence.raw))
            self.show_text(f"alignment of {inspection.subject.name}", lines)

    def action_diff(self) -> None:
        """Compare the graph that is shown with another one.

        The shown graph is compared with the parser's, and the parser's own with the published one. Where runs
        are shown they are compared, and for an equal formula its derivation is shown.
        """
        from screens.mathamr.comparisons import GraphComparison, StandingsSheet

        if self._equal_shown:
            self._derive_equal()
            return
        if self._runs_shown:
            self.app.push_screen(StandingsSheet(self.source, self.sources[self.source]))
            return
        if (inspection := self.inspection) is None:
            return
        subject, parser = inspection.subject, inspection.document["parser"]
        other = list_parsers()[0] if parser == "builtin" else "builtin"
        shown = describe_parser(parser), inspection.document["penman"]
        params = subject.with_parser(other).params
        self.app.push_screen(GraphComparison(subject.stem, shown, describe_parser(other), params))

    def _derive_equal(self) -> None:
        from screens.egraphs.sheets import DerivationSheet

        row, inspection = self.formula.equal_formula, self.inspection
        query = inspection.query if inspection is not None else None
        if row is not None and query is not None:
            ends = query["latex"], row["latex"]
            named = partial(shown_formula, raw=self.formula.raw)
            self.app.push_screen(DerivationSheet(*ends, mode="strict", named=named))

    def action_edit(self) -> None:
        if self.active_pane is self.contexts and (hit := self.contexts.hit) is not None:
            self.workbench.edit_file(Path(hit["file"]), hit["line"])
            return
        inspection = self.inspection
        if inspection is None:
            return
        address = inspection.subject.address
        draft = self._draft[1] if self._draft[0] == address else inspection.document["penman"]
        # An edit that could not be read is continued, and not begun again.
        if (text := edit_graph(self.workbench, draft, inspection)) is not None:
            self._draft = ("", "")
            self._readable = (address, self._edited[address]) if address in self._edited else ("", "")
            self._change_graph(inspection.subject, text)

    def _change_graph(self, subject: Subject, text: str) -> None:
        address, before = subject.address, self._edited.get(subject.address, "")
        if text != before:
            back = partial(self._put_graph, address, before)
            self.workbench.remember_change(f"the graph of {subject.name}", back)
        self._put_graph(address, text)

    def _put_graph(self, address: str, text: str) -> None:
        self._edited.pop(address, None)
        if text:
            self._edited[address] = text
        self.show_subject(self.contexts.subject)

    _draft: tuple[str, str] = ("", "")
    """An edited graph that could not be read, behind the address of its topic."""

    _readable: tuple[str, str] = ("", "")
    """The edited graph before the last edit, behind the address of its topic."""

    # What others ask

    def go_to_topic(self, topic: str) -> bool:
        """Put the cursor on a topic; return whether it exists."""
        if self.source == OWN or not self.contexts.go_to(topic):
            return False
        self.show_pane("graph-pane")
        return True

    def lookups(self) -> Sequence[Lookup]:
        return [
            Lookup("topic", "Go to a topic of this collection by its id.", self.go_to_topic),
            *super().lookups(),
            Lookup("text", "Inspect a text with $formulas$.", lambda text: self.inspect_text(unquote(text))),
        ]

    def list_commands(self) -> Sequence[Command]:
        here = self.contexts.subject if self.source == OWN else None
        reason = "" if here is not None else "no text of your own is shown"
        none = "" if self._near_texts else "there is no collection"
        return [
            Command("forget this text", "removes your own text from the list", self._forget_text, reason),
            Command(
                "index the formulas", "as a job, to find nearest and equal ones", self._index_formulas, none
            ),
        ]

    def _index_formulas(self) -> None:
        from workbench.recipes import resolved_recipe

        index_folder = str(self._index_of(self._near_texts))
        given = {"folder": self._near_texts, "out": index_folder, "values": True}
        does = "builds the index; r reads it when it has ended"
        self.submit_job(lambda: resolved_recipe("mathamr.index", given), does)

    def _forget_text(self) -> None:
        subject = self.contexts.subject
        if subject is not None and subject.text:
            self.texts = [text for text in self.texts if text != subject.text]
            self.open_source(OWN)
