"""E-graph of a cluster: classes that unfold into nodes, and nodes into the classes of their operands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from screens.egraphs.clusters import Heading, TableView, cluster_footnote
from screens.egraphs.columns import GRAPH, list_copy_forms, listing_arguments
from screens.egraphs.member import ExplainedMember
from screens.egraphs.sources import ListedCluster
from screens.keys import EGRAPH_KEYS
from screens.shell.export import CommandLine, Export, Lookup, PaneSelection, text_writer
from screens.shell.keymap import bindings
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.theme import format_quantity
from screens.widgets.pane import Pane, TreeListing
from screens.widgets.table_columns import Record
from workbench.tables import LazyRow

_KEPT = 8
_SIGNS = {"*": "·", "-": "−", "pow": "^"}


class _Graph:
    """The document of `egen.egraph`: `root`, and `classes` (number to nodes, each a label and the numbers of
    its operands)."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.root = int(document["root"])
        self.classes: dict[int, list[tuple[str, tuple[int, ...]]]] = {
            int(number): [(label, tuple(children)) for label, *children in nodes]
            for number, nodes in document["classes"].items()
        }
        nodes = sum(map(len, self.classes.values()))
        self.words = (
            f"{format_quantity(len(self.classes), 'class', 'classes')}, {format_quantity(nodes, 'node')}"
        )
        self._terms = {int(number): term["prefix"] for number, term in document["terms"].items()}

    def smallest_term(self, number: int) -> str:
        """Return the smallest term of a class, as text."""
        return str(self._terms[number])

    def node_term(self, number: int, node: int) -> str:
        """Return a node over the smallest terms of its operands; the derivative has its body as only
        operand.
        """
        label, children = self.classes[number][node]
        return " ".join((label, *(("x",) if label == "d" else ()), *map(self.smallest_term, children)))


class EgraphView(TableView):
    """The e-graph of a cluster."""

    of_cluster = True

    _listing: EgraphListing
    LEGEND = (
        ("c12", "a class: expressions that the rules prove equal"),
        ("▸", "folded: l unfolds it"),
        ("▾", "unfolded: h folds it"),
        ("›", "the class of an operand: enter follows it"),
        ("root", "the class of the cluster's head"),
    )

    def __init__(self) -> None:
        super().__init__(EgraphListing(**listing_arguments("graph")))
        self.request = CachedRequest(self, "egen.egraph", self._receive_graph, size=_KEPT, read=_Graph)

    def show_state(self) -> None:
        cluster = self.state.cluster
        if cluster is None:
            self._listing.show_graph(None)
        elif (graph := self.graph) is None:
            if self.ask_once(cluster.egraph_params, self._key):
                self._listing.graph = None
                self._listing.show_loading("growing the e-graph")
        elif self._listing.graph is not graph:
            self.mark_known()
            self._listing.home = f"{cluster.address}/class"
            self._listing.show_graph(graph)

    def _receive_graph(self, event: RequestAnswer) -> None:
        # The cursor is on another cluster by now; the answer is remembered for when it comes back.
        if event.tag != self._key:
            return
        if event.error is not None:
            self._listing.show_error(event.error)
        else:
            self.show_state()
            self.post_message(Pane.Selected(self))

    @property
    def graph(self) -> _Graph | None:
        """Return the e-graph of the cluster, or None until it has arrived."""
        return self.known.get(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        cluster = self.state.cluster
        return () if cluster is None else tuple(cluster.egraph_params.values())

    @property
    def _here(self) -> tuple[ListedCluster, _Graph, Record] | None:
        cluster, graph, row = self.state.cluster, self.graph, self._table.current
        return None if cluster is None or graph is None or row is None else (cluster, graph, row)

    def make_heading(self) -> Heading:
        cluster, graph = self.state.cluster, self.graph
        if cluster is None:
            return "e-graph", "", "", ()
        words = "".join(f"› c{number} " for number in self._listing.trail)
        words += ("· " if words else "") + graph.words if graph else ""
        return "e-graph", words, cluster_footnote(cluster), (f"cluster {cluster.number}",)

    def get_case(self) -> ExplainedMember | None:
        if self._here is None:
            return None
        cluster, graph, row = self._here
        # The root's class is explained from the cluster's head, any other class from a term of its own.
        at_root = row["class_number"] == graph.root and row["kind"] != "operand"
        head = cluster.head if at_root else row["prefix"]
        settled = (cluster.seed, cluster.assume, cluster.mode, cluster.theory)
        return ExplainedMember(f"class c{row['class_number']}", head, row["prefix"], "", *settled)

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self._here is None:
            return None
        cluster, _, row = self._here
        number = row["class_number"]
        *words, dashes, head = cluster.egraph_command
        words += ["--class", str(number), dashes, head]
        forms = list_copy_forms(row["prefix"], {"class": number, "head": cluster.head})
        return PaneSelection(f"{cluster.address}/class/c{number}", f"class c{number}", line(*words), forms)

    def exports(self) -> Sequence[Export]:
        cluster, graph = self.state.cluster, self.graph
        if cluster is None or graph is None:
            return ()
        facts, stem = cluster.facts, f"{cluster.stem}-egraph"
        whole = lambda: json.dumps(graph.document, ensure_ascii=False, indent=1) + "\n"  # noqa: E731
        return (
            Export("g", "e-graph as DOT", ".dot", stem, text_writer(lambda: _to_dot(graph), facts)),
            Export("J", "e-graph as JSON", ".json", stem, text_writer(whole, facts)),
        )

    def lookups(self) -> Sequence[Lookup]:
        def e_class(text: str) -> bool:
            graph, number = self._listing.graph, text.removeprefix("c")
            known = graph is not None and number.isdecimal() and int(number) in graph.classes
            return known and self._listing.go_to(f"c{int(number)}")

        return [Lookup("class", "Go to an e-class by its number.", e_class)]

    def go_back(self) -> bool:
        return self._listing.go_back()

    def open_row(self, row: Record) -> None:  # noqa: ARG002
        self._listing.follow_operand()


class EgraphListing(TreeListing):
    """The classes and nodes of an e-graph.

    `Selected` is posted when an operand is followed, `Left` when nothing is left to fold.
    """

    BINDINGS = bindings(EGRAPH_KEYS)

    graph: _Graph | None = None
    path: tuple[int, ...] = ()
    """The classes that were followed, the root first, without the one under the cursor."""
    _open: frozenset[str] = frozenset()

    def show_graph(self, graph: _Graph | None) -> None:
        """Show a graph with its root unfolded."""
        self.graph, self.path, self._back = graph, (), ()
        self._open = frozenset([f"c{graph.root}"] if graph else ())
        self._reload_records(f"c{graph.root}" if graph else None, keep=False)

    @property
    def trail(self) -> tuple[int, ...]:
        """The classes that were followed, and the one under the cursor; of an operand also whose it is."""
        record = self.table.current
        if record is None:
            return self.path
        return (*self.path, *record.get("origin", ()), record["class_number"])

    def _reload_records(self, key: str | None, *, keep: bool = True) -> None:
        self.load(list(self._make_records(self.graph)) if self.graph is not None else [], keep=keep)
        if key is not None:
            self.table.go_to(key)

    def _make_records(self, graph: _Graph) -> Iterator[Record]:
        # The root comes first. Sorting is stable, so the other classes keep the order of the document.
        for number in sorted(graph.classes, key=lambda number: number != graph.root):
            key, nodes = f"c{number}", graph.classes[number]
            more = {
                "open": key in self._open,
                "leaf": False,
                "home": "",
                "root": number == graph.root,
                "label": [label for label, _ in nodes],
                "nodes": len(nodes),
                "short": ", ".join(_node_text(label, children) for label, children in nodes[:6]),
            }
            yield _make_row("class", key, number, graph.smallest_term(number), more)
            if key in self._open:
                for index in range(len(nodes)):
                    yield from self._node_rows(graph, number, index)

    def _node_rows(self, graph: _Graph, number: int, index: int) -> Iterator[Record]:
        key = f"c{number}.{index}"
        label, children = graph.classes[number][index]
        state = {
            "home": f"c{number}",
            "open": key in self._open,
            "leaf": not children,
            "short": _node_text(label, children),
        }
        more = {**state, "label": [label], "nodes": None, "operands": children}
        yield _make_row("node", key, number, graph.node_term(number, index), more)
        if key in self._open:
            for at, child in enumerate(children):
                state = {"home": key, "open": False, "leaf": True}
                more = {**state, "origin": (number,), "label": [], "nodes": len(graph.classes[child])}
                yield _make_row("operand", f"{key}.{at}", child, graph.smallest_term(child), more)

    def toggle_node(self, key: str) -> None:
        self._open ^= {key}
        self._reload_records(key)

    def follow_operand(self) -> None:
        """Unfold a class or the operands of a node; follow an operand, or a node's only one, to its class."""
        record = self.table.current
        if record is None or self.graph is None:
            return
        if record["kind"] == "operand":
            self._go_to_class(record["id"], record["class_number"], record["origin"][0])
        elif record["kind"] == "node" and len(record["operands"]) == 1:
            self._go_to_class(record["id"], record["operands"][0], record["class_number"])
        else:
            self.action_right()
            if record["kind"] == "node" and record["operands"]:
                self.table.go_to(f"{record['id']}.0")

    def _go_to_class(self, start: str, number: int, origin: int) -> None:
        # `_back` has the lines to return to, `path` the classes in the heading; `go_back` shortens both.
        self._back = (*self._back, start)
        self.path = (*self.path, origin)
        self._open |= {f"c{number}"}
        self._reload_records(f"c{number}")
        self.post_message(Pane.Selected(self))

    def go_back(self) -> bool:
        if not self._back:
            return False
        self.path = self.path[:-1]
        super().go_back()
        self.post_message(Pane.Selected(self))
        return True


def _make_row(kind: str, key: str, number: int, term: str, more: Mapping[str, Any]) -> LazyRow:
    name = f"c{number}"
    return GRAPH.make_row(
        {"id": key, "kind": kind, "class_number": number, "class": name, "prefix": term, "term": term, **more}
    )


def _node_text(label: str, children: Sequence[int]) -> str:
    return " ".join([_SIGNS.get(label, label), *(f"c{child}" for child in children)])


def _to_dot(graph: _Graph) -> str:
    lines = ["digraph egraph {", "  compound=true; node [shape=box];"]
    for number, nodes in graph.classes.items():
        lines.append(f'  subgraph cluster_{number} {{ label="c{number}"; style=rounded;')
        lines += [f'    n{number}_{index} [label="{label}"];' for index, (label, _) in enumerate(nodes)]
        lines.append("  }")
    for number, nodes in graph.classes.items():
        for index, (_, children) in enumerate(nodes):
            # DOT draws edges between nodes only; `lhead` with `compound` ends one at the border of a class.
            lines += [f"  n{number}_{index} -> n{child}_0 [lhead=cluster_{child}];" for child in children]
    return "\n".join([*lines, "}", ""])
