"""The graph pane: a MathAMR graph as a tree that folds, and is edited as text."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.app import SuspendNotSupported

from engines.core.errors import EngineError
from screens.mathamr.contexts import GRAPH_COLUMNS, GRAPH_FIELDS
from screens.mathamr.inspection import Inspection, graph_exports, node_selection
from screens.mathamr.keys import GRAPH_KEYS
from screens.shell.export import CommandLine, Export, Lookup, Selection
from screens.shell.frame import Frame
from screens.shell.keymap import bindings
from screens.shell.theme import count
from screens.widgets.pane import ListPane, TreeListing
from screens.widgets.table import Record


def edit_graph(workbench: Frame, penman: str, inspection: Inspection) -> str | None:
    """What the user made of a graph in $VISUAL, $EDITOR or vi; None where nothing was changed."""
    program = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="mathwb-") as folder:
        path = Path(folder) / f"{inspection.subject.topic or 'text'}.penman"
        lines = inspection.text.splitlines()
        path.write_text("".join(f"# {line}\n" for line in lines) + penman + "\n", "utf-8")
        try:
            with workbench.suspend():
                subprocess.run([*shlex.split(program), str(path)], check=False)
        except SuspendNotSupported:
            workbench.warn(
                "this terminal cannot run another program", remedy="Give --graph to mathwb mathamr inspect."
            )
            return None
        except OSError as error:
            workbench.warn(f"{program} cannot be started: {error.strerror}", remedy="Set EDITOR.")
            return None
        text = path.read_text("utf-8", "replace")
    edited = "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()
    return None if edited in ("", penman.strip()) else edited


_ORIGINS = {
    "published": "published graph",
    "builtin": "built-in parser, approximate",
    "amrlib": "amrlib's model",
    "given": "edited by hand",
}


def origin(parser: str) -> str:
    return _ORIGINS.get(parser, parser)


class GraphListing(TreeListing):
    """The nodes that no folded one hides."""

    BINDINGS = bindings(GRAPH_KEYS)

    inspection: Inspection | None = None
    _folded: frozenset[str] = frozenset()

    def show_graph(self, inspection: Inspection | None) -> None:
        """Show another graph, unfolded; of the same topic the cursor stays where it is."""
        before, self.inspection = self.inspection, inspection
        keep = bool(before and inspection and before.subject.source == inspection.subject.source)
        self._folded, self._back = frozenset(), ()
        self._reload(keep=keep)
        if not keep:
            self.table.cursor = 0

    def _reload(self, *, keep: bool = True) -> None:
        rows, hidden = [], set()
        for row in self.inspection.rows if self.inspection is not None else ():
            if row["home"] in hidden:
                hidden.add(row["id"])
                continue
            if row["id"] in self._folded:
                hidden.add(row["id"])
            assert self.inspection is not None
            meant = self.inspection.meant(row["id"]) or row
            state = {
                "open": row["id"] not in self._folded,
                "leaf": not row["children"],
                "meant": meant["kind"],
            }
            rows.append({**row, **state})
        self.load(rows, keep=keep)

    def go_to(self, key: str) -> bool:
        """Put the cursor on a node; what hides it is unfolded, a filter that does is cleared."""
        row = self.inspection.row(key) if self.inspection is not None else None
        if row is None:
            return False
        assert self.inspection is not None
        above = set()
        home = self.inspection.row(row["home"])
        while home is not None:
            above.add(home["id"])
            home = self.inspection.row(home["home"])
        if above & self._folded:
            self._folded -= above
            self._reload()
        if not self.table.go_to(key):
            self.clear_filter()
            return self.table.go_to(key)
        return True

    def toggle(self, key: str) -> None:
        self._folded ^= {key}
        self._reload()

    def follow(self) -> bool:
        """From a reference to the node that it means; whether there was one."""
        row = self.table.current
        if row is None or row["kind"] != "reference":
            return False
        self._back = (*self._back, row["id"])
        return self.go_to(row["variable"])


class GraphPane(ListPane):
    def __init__(self, *, id: str, share: int) -> None:
        self.nodes = GraphListing(GRAPH_COLUMNS, id="graph", fields=GRAPH_FIELDS)
        self.stale = False
        """Whether another graph is awaited than the one that stands here."""
        self.nodes.when_empty("No graph yet", "enter on a topic shows its graph; a inspects any text.")
        super().__init__(self.nodes, title="graph", id=id, share=share)

    @property
    def key(self) -> str:
        return self.table.current_key or ""

    @property
    def inspection(self) -> Inspection | None:
        return self.nodes.inspection

    def show_graph(self, inspection: Inspection | None) -> None:
        self.nodes.home = f"{inspection.subject.address}/node" if inspection is not None else ""
        self.nodes.show_graph(inspection)
        if inspection is None:
            self.footnote = ""
            return
        document: Any = inspection.document
        again = sum(row["kind"] == "reference" for row in inspection.rows)
        words = [origin(document["parser"]), f"{count(again)} re-entrant" if again else ""]
        words.append(f"{len(document['warnings'])} warnings: i" if document["warnings"] else "")
        self.footnote = " · ".join(filter(None, words))

    def show_loading(self, what: str) -> None:
        self.footnote = ""
        self.nodes.inspection = None
        self.nodes.show_loading(what)

    def show_error(self, error: EngineError) -> None:
        self.show_loading("")
        self.nodes.show_error(error)

    def go_to(self, key: str) -> bool:
        return not self.stale and self.nodes.go_to(key)

    def light(self, key: str) -> None:
        """Put the cursor on a node where it is among the lines."""
        self.table.go_to(key)

    # What the screen asks

    def selection(self, line: CommandLine) -> Selection | None:
        row: Record | None = self.table.current
        return None if self.inspection is None else node_selection(self.inspection, row, line)

    def exports(self) -> Sequence[Export]:
        return () if self.inspection is None else graph_exports(self.inspection)

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup("node", "Go to a node of the graph by its variable.", self.go_to)]

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("▸", "folded: l unfolds it; +4: it has four nodes below"),
            ("↗", "occurs elsewhere in the graph: enter goes there, esc returns"),
            (":math", "the operator tree of a formula starts here"),
        )
