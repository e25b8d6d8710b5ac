"""The tables of the screen, and the left pane: collections and their topics, texts of one's own, or what was
found in one's own files, which are added, indexed and searched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.content import Content

from engines.core.errors import EngineError
from engines.core.spec import describe_fields
from engines.core.tree import draw_branch
from screens.shell.export import CommandLine, CopyForm, Destination, Export, PaneSelection, declared_exports
from screens.shell.request import RequestAnswer, RequestProgress
from screens.shell.screen import BrowserScreen
from screens.shell.theme import format_quantity, grade_cell, safe_text
from screens.widgets.dialogs import Prompt
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.table_columns import Record
from workbench.papers.mathamr.data import formula_sets, index_place
from workbench.papers.mathamr.tables import EQUAL, NEAREST, TOPICS, topic_row
from workbench.tables import Column, TableSpec

if TYPE_CHECKING:
    from workbench.workspace import Workspace

STYLES: Mapping[str, str] = {"concept": "$foreground", "operator": "$warning", "constant": "$success"}
"""The colours of kinds of nodes; what refers to a node elsewhere has that node's."""


def shown_formula(latex: str, raw: bool) -> str:
    """Return a formula as LaTeX if `raw`, otherwise in Unicode."""
    from engines.formula.unicode import unicode_text

    return latex if raw else unicode_text(latex)


def _node_cell(record: Record) -> Content:
    """Return a node behind the lines that lead to it: `│ └ :math ▸ plus +4`."""
    role = safe_text(f"{record['role']} " if record["role"] else "", "$quiet")
    reference = record["kind"] == "reference"
    folded = not record["open"]
    sign = "↗ " if reference else "▸ " if folded else ""
    colour = STYLES.get(record["meant"], "$foreground")
    name = safe_text(record["shown"], f"{colour} italic" if reference else colour)
    more = safe_text(f" +{record['below']}", "$quiet") if folded else Content()
    lead = Content.styled(draw_branch(record["last"]), "$line")
    return lead + role + Content.styled(sign, "$accent") + name + more


def _make_quiet_cell(name: str) -> Callable[[Record], Content]:
    return lambda record: safe_text(record[name], "$quiet")


_DRAWN = "it draws role and concept, which are fields"
GRAPH_COLUMNS = (
    Column("node", "node", 80, show=_node_cell, sort=lambda r: r["depth"], unfiltered=_DRAWN),
    Column("variable", "variable", 8, show=_make_quiet_cell("variable"), drop=1),
    Column("word", "word", show=_make_quiet_cell("word"), drop=2),
)
GRAPH_FIELDS = ("role", "concept", "kind", "variable", "word", "depth", "formula")


TOPIC_COLUMNS = TOPICS.screen_columns(
    graph=lambda r: Content.styled(*(("✓", "$success") if r["graph"] == "yes" else ("–", "$quiet"))),
    formula=lambda r: safe_text(r["formula"], "$foreground"),
)


def topic_records(topics: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    """Return the rows of topics."""
    return [{**topic_row(topic), "formula": shown_formula(topic["latex"], raw)} for topic in topics]


def _format_score(record: Record) -> str:
    return f"{record['score']:.3f}"[:5]


def _formula_cell(record: Record) -> Content:
    return safe_text(record["shown"], "$foreground")


_CELLS: Mapping[str, Callable[[Record], Content | str]] = {
    "score": _format_score,
    "grade": lambda record: grade_cell(record["grade"]),
    "latex": _formula_cell,
    "post": _make_quiet_cell("post"),
}
HIT_COLUMNS, EQUAL_COLUMNS = NEAREST.screen_columns(**_CELLS), EQUAL.screen_columns(**_CELLS)
RANKED = TableSpec(
    (
        *NEAREST.columns[:-1],
        Column("run", "run", 8, show=_make_quiet_cell("run")),
        Column("elsewhere", "elsewhere", 14, show=_make_quiet_cell("elsewhere"), drop=1),
    )
)
"""What runs rank, side by side."""
RANKED_COLUMNS = (
    HIT_COLUMNS[0],
    replace(HIT_COLUMNS[1], drop=2),
    *HIT_COLUMNS[2:4],
    *RANKED.columns[-2:],
)


def ranked_records(runs: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    """Return the rows of the formulas that several runs have ranked, run by run."""
    return [
        {
            **record,
            "id": f"{run['name']} {record['id']}",
            "run": run["name"],
            "elsewhere": _format_other_ranks(record),
        }
        for run in runs
        for record in hit_records(run["formulas"], raw=raw)
    ]


def _format_other_ranks(record: Record) -> str:
    """Return the formula's rank in each other run: further up there ↑, further down ↓, – where it is not."""
    parts = []
    for name, rank in record["elsewhere"].items():
        if rank is None:
            sign = "–"
        else:
            sign = "=" if rank == record["rank"] else f"{'↑↓'[rank > record['rank']]}{rank}"
        parts.append(f"{name} {sign}")
    return ", ".join(parts)


def hit_records(hits: Iterable[Mapping[str, Any]], *, raw: bool) -> list[Record]:
    """Return the rows of formulas that were found."""
    return [
        {"post": "", **one, "id": str(one["rank"]), "shown": shown_formula(one["latex"], raw)} for one in hits
    ]


TRIPLE_COLUMNS = (
    Column("source", "source", 8, show=_make_quiet_cell("source")),
    Column("role", "role", 16, show=_make_quiet_cell("role")),
    Column("target", "target"),
)


_TOPIC = re.compile(r'<Topic\s+number="([^"]+)"[^>]*>(.*?)</Topic>', re.DOTALL)
_LATEX = re.compile(r"<Latex>(.*?)</Latex>", re.DOTALL)

OWN = "own texts"
"""What the user's own texts are called beside the collections."""
FILES = "your files"
"""What is called the page that adds files whose formulas are to be searched."""
PLACES_COLUMNS = (
    Column("score", "score", 5, "right", show=_format_score, drop=2),
    Column("shown", "formula", show=_formula_cell),
    Column("place", "place", 18, show=_make_quiet_cell("place"), drop=1),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an inspection: a topic of a collection, or a text.

    Near formulas come from the collection at `folder`. `parser` names whose graph is shown, unless `graph`
    (PENMAN text edited by hand) is given.
    """

    collection: str
    folder: str = ""
    topic: str = ""
    text: str = ""
    parser: str = ""
    graph: str = ""

    @property
    def name(self) -> str:
        """The topic, or how the text begins."""
        return self.topic or self.text

    @property
    def source(self) -> dict[str, Any]:
        """Return the parameters that name the topic or text."""
        params = {"folder": self.folder} if self.folder else {}
        return {**params, "topic": self.topic} if self.topic else {**params, "text": self.text}

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of `mathamr.inspect`."""
        params = self.source
        if self.graph:
            params["graph"] = self.graph
        elif self.parser:
            params["parser"] = self.parser
        return params

    @property
    def words(self) -> list[str]:
        """Return the words of the `mathamr inspect` command."""
        words = ["mathamr", "inspect"]
        for name, value in self.params.items():
            words += [f"--{name}", str(value)] if name != "text" else []
        return [*words, *(["--", self.text] if self.text else [])]

    @property
    def address(self) -> str:
        """Return the prefix of the notes on the subject."""
        if self.topic:
            return f"mathamr/{self.collection}/topic/{self.topic}"
        # The text becomes part of an address, whose parts are separated by slashes.
        escaped = self.text.replace("%", "%25").replace("/", "%2F")
        return f"mathamr/{OWN}/text/{escaped}"

    @property
    def stem(self) -> str:
        """Return the beginning of the names of exported files."""
        return f"{self.collection}-{self.topic}" if self.topic else "text"

    def with_parser(self, parser: str) -> Subject:
        """Return the subject with the graph of a parser."""
        return replace(self, parser=parser, graph="")

    def with_graph(self, graph: str) -> Subject:
        """Return the subject with a graph edited by hand."""
        return replace(self, graph=graph)


def formula_collections(workspace: Workspace) -> dict[str, str]:
    """Return the folders of the workspace's collections that have topics of Task 2, by name."""
    from engines.forum.folder import ArqmathFolder
    from workbench.papers.arqmath.data import list_collections

    result = {}
    for one in list_collections(workspace):
        try:
            if ArqmathFolder.open(one.path).topics.get(2):
                result[one.name] = str(one.path)
        except EngineError:  # the ARQMath screen and `mathwb data check` say what is wrong with it
            continue
    return result


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """Return the collections of formulas, and their topics."""
    from engines.forum.folder import ArqmathFolder

    for name, folder in formula_collections(workspace).items():
        home = ("collection", name)
        yield Destination((home,), "a collection of formulas in context")
        try:
            files = ArqmathFolder.open(folder).topics.get(2, ())
        except EngineError:
            continue
        for path in files:
            try:
                text = path.read_text("utf-8", "replace")
            except OSError:
                continue
            for id_, inner in _TOPIC.findall(text):
                latex = _LATEX.search(inner)
                words = " ".join(unescape(latex[1]).split()) if latex else ""
                yield Destination((home, ("topic", id_)), f"formula {words}")


def list_parsers() -> tuple[str, ...]:
    """Return the names of the parsers."""
    from engines.mathamr.inspection import Inspect

    return next(
        tuple(map(str, field.choices)) for field in describe_fields(Inspect) if field.name == "parser"
    )


class ContextsPane(ListPane):
    """The left pane: topics of a collection, the user's texts, or formulas found in files."""

    def __init__(self, *, id: str, share: int) -> None:
        self._own = Listing(TOPIC_COLUMNS, id="topics", fields=TOPICS.fields)
        self._found = Listing(PLACES_COLUMNS, id="places", fields=("place", "formula", "score", "sentence"))
        super().__init__(self._own, self._found, title="topics", id=id, share=share)
        self._found.display = False
        self.raw = False
        self._hits: Sequence[Mapping[str, Any]] = ()
        self._query = ""
        self._folder = ""
        self._topics: Sequence[Mapping[str, Any]] = ()
        self._texts: Sequence[str] = ()

    def _show_listing(self, listing: Listing) -> None:
        focused = self.table.has_focus
        self.listing, self.table = listing, listing.table
        for one in (self._own, self._found):
            one.display = one is listing
        if focused:
            self.table.focus()

    def show_hits(self, query: str, hits: Sequence[Mapping[str, Any]], what: str, advice: str) -> None:
        """Show what a query found in files.

        Args:
            query: the query.
            hits: the formulas.
            what: the message where there are none.
            advice: what can be done about that.
        """
        self._hits, self._query, self._topics, self._texts = hits, query, (), ()
        self.title = f"formulas like {query}" if query else "formulas"
        self._show_listing(self._found)
        self._found.when_empty(what, advice)
        self.draw_content()

    @property
    def hit(self) -> Record | None:
        """Return the formula under the cursor if files were searched."""
        return self.table.current if self.listing is self._found else None

    def show_topics(self, folder: str, topics: Sequence[Mapping[str, Any]]) -> None:
        """Show the topics of the collection at `folder`."""
        self._folder, self._topics, self._texts = folder, topics, ()
        self._show_listing(self._own)
        self.title = "topics"
        self.listing.when_empty("No topics of Task 2", "A collection has them in topics_task2*.xml.")
        self.draw_content()

    def show_texts(self, texts: Sequence[str], folder: str = "") -> None:
        """Show the user's texts, the newest first; near formulas come from the collection at `folder`."""
        self._folder, self._topics, self._texts = folder, (), texts
        self._show_listing(self._own)
        self.title = "texts"
        self.listing.when_empty("No texts yet", "a inspects any text with $formulas$.")
        self.draw_content()

    def show_none(self) -> None:
        self.show_texts(())
        self.listing.when_empty(
            "No collection with topics of Task 2", "a inspects any text; mathwb data add arqmath FOLDER."
        )
        self.draw_content()

    def draw_content(self) -> None:
        """Draw the list again."""
        if self.listing is self._found:
            self._found.load([self._make_record(hit) for hit in self._hits], keep=False)
            return
        records = topic_records(self._topics, raw=self.raw)
        for number, text in enumerate(self._texts):
            # The last formula of a text, between its last two dollar signs.
            formula = shown_formula(text.split("$")[-2], self.raw) if text.count("$") > 1 else text
            record = {"id": text, "topic": str(len(self._texts) - number), "nodes": None, "judged": None}
            records.append({**record, "graph": "no", "formula": formula, "latex": text, "title": text})
        self.listing.home = f"mathamr/{OWN}/text" if self._texts else f"mathamr/{self.source}/topic"
        self.listing.load(records)

    def _make_record(self, hit: Mapping[str, Any]) -> Record:
        shown = shown_formula(hit["latex"], self.raw)
        location = f"{hit['post']}:{hit['line']}"
        return {**hit, "id": str(hit["rank"]), "shown": shown, "formula": shown, "place": location}

    @property
    def subject(self) -> Subject | None:
        """Return the topic or text under the cursor."""
        row = self.table.current
        if row is None:
            return None
        if self.listing is self._found:
            # The last formula of a text is its query.
            before, formula, _ = row["sentence"].partition(f"${row['latex']}$")
            return Subject(OWN, text=before + formula if formula else f"${row['latex']}$")
        if self._texts:
            return Subject(OWN, self._folder, text=row["id"])
        return Subject(self.source, self._folder, row["id"])

    # What the screen asks

    def selection(self, line: CommandLine) -> PaneSelection | None:
        row: Record | None = self.table.current
        subject = self.subject
        if row is None or subject is None:
            return None
        if self.listing is self._found:
            own = (
                CopyForm("l", "LaTeX", lambda: row["latex"]),
                CopyForm("p", "file and line", lambda: f"{row['file']}:{row['line']}"),
                CopyForm("x", "sentence", lambda: row["sentence"]),
            )
            command = line("mathamr", "search", self.source, self._query)
            return PaneSelection(subject.address, f"formula {row['shown']}", command, own)
        forms = [CopyForm("i", "id", lambda: row["id"]), CopyForm("l", "LaTeX", lambda: row["latex"])]
        if subject.topic:
            every = line("mathamr", "topics", self._folder)
            forms.append(CopyForm("a", "command line of all topics", lambda: every))
            forms.append(CopyForm("t", "title", lambda: row["title"]))
        title = f"topic {subject.topic}" if subject.topic else f"text {row['formula']}"
        about = partial(str, row.get("title") or subject.text)
        return PaneSelection(subject.address, title, line(*subject.words), tuple(forms), about)

    def exports(self) -> Sequence[Export]:
        if not self._topics:
            return ()
        stem, facts = f"{self.source}-formulas", {"collection": self._folder}
        keys = {".csv": "c", ".tex": "t"}
        return declared_exports(TOPICS, "topics", stem, keys, self.table.visible_records, facts)


MOST = 100
_HOW = "x^2 + y^2, sqrt(a*b) or LaTeX; ?a any part, ?? any operands; words and $formulas$"
_ADD = "a folder, document (.tex .md .ipynb .html .tar.gz) or table (.csv .tsv .jsonl .parquet)"


class FileSearch:
    """Search in files: `places` are the sets of files by name, `queries` the last query of each."""

    def __init__(self, screen: BrowserScreen, contexts: ContextsPane) -> None:
        self._screen, self._contexts = screen, contexts
        self.places: Mapping[str, Path] = {}
        self.queries: dict[str, str] = {}
        self._search = screen.request("mathamr.search", self._receive_hits)
        self._index = screen.slow_request("mathamr.index", self._finish_index, self._index_progress)

    def find_sets(self) -> list[str]:
        """Find the sets of files that were added; called in a thread."""
        self.places = formula_sets(self._screen.workbench.workspace)
        return list(self.places)

    def restore_queries(self, queries: object) -> None:
        """Restore the queries of a session."""
        if isinstance(queries, dict):
            self.queries = {str(name): str(query) for name, query in queries.items()}

    def open_set(self, name: str) -> None:
        """Show a set of files and update its index, or show how files are added."""
        if name == FILES:
            what = "Search the formulas of your notes, papers and tables"
            self._contexts.show_hits("", (), what, f"a adds {_ADD}")
            return
        self._contexts.show_hits("", (), "", "")
        self._contexts.show_loading(f"reading {name}")
        # The files may have changed since the index was made.
        self._index.clear()
        self._index.ask({"folder": str(self.places[name]), "out": self._index_path(name)}, name)

    def _index_path(self, name: str) -> str:
        return str(index_place(self._screen.workbench.workspace, name))

    def _index_progress(self, event: RequestProgress) -> None:
        done = event.event.data.get("done")
        if event.event.kind == "progress" and event.tag == self._screen.source:
            self._contexts.show_loading(f"reading {event.tag}: {done} {event.event.data['unit']}")

    def _finish_index(self, event: RequestAnswer) -> None:
        name = event.tag
        if name != self._screen.source:
            return
        if event.error is not None:
            self._contexts.show_error(event.error)
            return
        self._search.clear()
        if query := self.queries.get(name):
            self._search_formula(query)
        else:
            formulas = format_quantity(event.value["formulas"], "formula")
            what = f"{formulas} of {format_quantity(event.value['files'], 'file')}"
            self._contexts.show_hits("", (), what, f"a searches them: {_HOW}")

    def ask_user(self) -> None:
        """Ask for files to add, or for a formula to search."""
        screen = self._screen
        if screen.source == FILES:
            hint = f"{_ADD};  enter adds it, esc cancels"

            def check_path(text: str) -> str:
                here = not text.strip() or Path(text.strip()).expanduser().exists()
                return "" if here else "there is nothing of this name"

            Prompt("add", hint=hint, check=check_path).ask(screen.app, self._add_files)
        else:
            Prompt("search", self.queries.get(screen.source, ""), hint=_HOW).ask(
                screen.app, self._search_formula
            )

    def _search_formula(self, text: str) -> None:
        name, query = self._screen.source, text.strip()
        if not query:
            return
        self.queries[name] = query
        self._contexts.show_loading(f"searching {name}")
        known = self._search.get({"index": self._index_path(name), "latex": query, "k": MOST}, (name, query))
        if known is not None:
            self._show_hits(query, known)

    def _receive_hits(self, event: RequestAnswer) -> None:
        name, query = event.tag
        # Another set or another query is of interest by now.
        if name != self._screen.source or query != self.queries.get(name):
            return
        if event.error is not None:
            self._contexts.show_error(event.error)
        else:
            self._show_hits(query, event.value)

    def _show_hits(self, query: str, result: Mapping[str, Any]) -> None:
        self._contexts.show_hits(query, result["hits"], "No similar formula", "a asks for another")
        self._screen.refresh_bindings()

    def _add_files(self, text: str) -> None:
        path = Path(text.strip()).expanduser()
        if not text.strip():
            return
        workspace = self._screen.workbench.workspace

        def finish_adding(answer: RequestAnswer) -> None:
            if answer.error is not None:
                self._screen.workbench.report(answer.error)
                self._contexts.show_error(answer.error)
            else:
                self._screen.look_for_sources(answer.value)

        self._contexts.show_loading(f"reading {path.name}")
        work = lambda: workspace.data.add_entry("formulas", path).data.name  # noqa: E731
        self._screen.in_thread(work, finish_adding, group="add")
