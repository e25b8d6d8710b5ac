"""Search of the formulas of one's own files: they are added, indexed when they are shown, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from screens.browser import BrowserScreen
from screens.mathamr.contexts import FILES, ContextsPane
from screens.shell.request import Answer, Progress
from screens.shell.theme import some
from screens.widgets.dialogs import Prompt
from workbench.papers.mathamr.data import formula_sets, index_place

MOST = 100
_HOW = "x^2 + y^2, sqrt(a*b) or LaTeX; ?a any part, ?? any operands; words and $formulas$"
_ADD = "a folder, document (.tex .md .ipynb .html .tar.gz) or table (.csv .tsv .jsonl .parquet)"


class FileSearch:
    """What the screen knows of files: `places` by name, and `queries`, the last one of each."""

    def __init__(self, screen: BrowserScreen, contexts: ContextsPane) -> None:
        self._screen, self._contexts = screen, contexts
        self.places: Mapping[str, Path] = {}
        self.queries: dict[str, str] = {}
        self._search = screen.request("mathamr.search", self._found)
        self._index = screen.slow_request("mathamr.index", self._indexed, self._index_progress)

    def find(self) -> list[str]:
        """Look for the files that were added; called in a thread."""
        self.places = formula_sets(self._screen.workbench.workspace)
        return list(self.places)

    def restore(self, queries: object) -> None:
        if isinstance(queries, dict):
            self.queries = {str(name): str(query) for name, query in queries.items()}

    def open(self, name: str) -> None:
        """Show a set of files, its index made up to date; or how one is added."""
        if name == FILES:
            self._contexts.show_hits(
                "", (), "Search the formulas of your notes, papers and tables", f"a adds {_ADD}"
            )
            return
        self._contexts.show_hits("", (), "", "")
        self._contexts.show_loading(f"reading {name}")
        self._index.clear()
        self._index.ask({"folder": str(self.places[name]), "out": self._place(name)}, name)

    def _place(self, name: str) -> str:
        return str(index_place(self._screen.workbench.workspace, name))

    def _index_progress(self, event: Progress) -> None:
        done = event.event.data.get("done")
        if event.event.kind == "progress" and event.tag == self._screen.source:
            self._contexts.show_loading(f"reading {event.tag}: {done} {event.event.data['unit']}")

    def _indexed(self, event: Answer) -> None:
        name = event.tag
        if name != self._screen.source:
            return
        if event.error is not None:
            self._contexts.show_error(event.error)
            return
        self._search.clear()
        if query := self.queries.get(name):
            self._ask(query)
        else:
            what = f"{some(event.value['formulas'], 'formula')} of {some(event.value['files'], 'file')}"
            self._contexts.show_hits("", (), what, f"a searches them: {_HOW}")

    def ask(self) -> None:
        """Ask for a query, or for files to add."""
        screen = self._screen
        if screen.source == FILES:
            hint = f"{_ADD};  enter adds it, esc cancels"
            Prompt("add", hint=hint, check=_missing).ask(screen.app, self._add)
        else:
            Prompt("search", self.queries.get(screen.source, ""), hint=_HOW).ask(screen.app, self._ask)

    def _ask(self, text: str) -> None:
        name, query = self._screen.source, text.strip()
        if not query:
            return
        self.queries[name] = query
        self._contexts.show_loading(f"searching {name}")
        known = self._search.get({"index": self._place(name), "latex": query, "k": MOST}, (name, query))
        if known is not None:
            self._show(query, known)

    def _found(self, event: Answer) -> None:
        name, query = event.tag
        if name != self._screen.source or query != self.queries.get(name):
            return
        if event.error is not None:
            self._contexts.show_error(event.error)
        else:
            self._show(query, event.value)

    def _show(self, query: str, found: Mapping[str, object]) -> None:
        hits = found["hits"]
        assert isinstance(hits, list)
        self._contexts.show_hits(query, hits, "No formula is like this", "a asks for another")
        self._screen.refresh_bindings()

    def _add(self, text: str) -> None:
        path = Path(text.strip()).expanduser()
        if not text.strip():
            return
        workspace = self._screen.workbench.workspace

        def added(answer: Answer) -> None:
            if answer.error is not None:
                self._screen.workbench.report(answer.error)
                self._contexts.show_error(answer.error)
            else:
                self._screen.look_for_sources(answer.value)

        self._contexts.show_loading(f"reading {path.name}")
        work = lambda: workspace.data.add("formulas", path).data.name  # noqa: E731
        self._screen.in_thread(work, added, group="add")


def _missing(text: str) -> str:
    here = not text.strip() or Path(text.strip()).expanduser().exists()
    return "" if here else "there is nothing of this name"
