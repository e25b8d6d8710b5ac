"""The e-graph as a list of classes that unfold into nodes, and nodes into the classes of their operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from textual.content import Content
from textual.message import Message

from screens.egraphs.forms import infix, over, shown
from screens.keys import bindings, scope
from screens.text import count, safe_text
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record

__all__ = ["GRAPH_KEYS", "Graph", "GraphListing", "dot"]

GRAPH_KEYS = scope(
    "egraph",
    left=("fold", "Fold the class or node; on a line inside one, go to what it belongs to."),
    right=("unfold", "Unfold the class into its nodes, or the node into the classes of its operands."),
)


class Graph:
    """What the task `egen.egraph` returned.

    `root`, `classes` (number to nodes, each a label and the numbers of its operands), `term(n)` (the smallest
    term of a class, prefix notation) and `made` (stop reason, iterations, nodes, seconds, rules fired).
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.root = int(found["root"])
        self.classes: dict[int, list[tuple[str, tuple[int, ...]]]] = {
            int(number): [(node[0], tuple(node[1:])) for node in nodes]
            for number, nodes in found["classes"].items()
        }
        self._terms = {int(number): term["prefix"] for number, term in found["terms"].items()}
        self.made = {name: found[name] for name in ("stop_reason", "iterations", "nodes", "seconds", "fired")}
        self.document = found
        kept = sum(map(len, self.classes.values()))
        self.words = f"{count(len(self.classes))} classes, {count(kept)} nodes"

    def term(self, number: int) -> str:
        """The smallest term of a class."""
        return str(self._terms[number])

    def node_term(self, number: int, node: int) -> str:
        """A node over the smallest terms of its operands."""
        label, children = self.classes[number][node]
        return over(label, tuple(self.term(child) for child in children))

    def order(self) -> list[int]:
        """The classes, the root first."""
        return [self.root, *(number for number in self.classes if number != self.root)]


@lru_cache(4096)
def _sign(label: str) -> str:
    return {"*": "·", "/": "/", "-": "−", "pow": "^"}.get(label, label)


def _node(label: str, children: Sequence[int]) -> str:
    return " ".join([_sign(label), *(f"c{child}" for child in children)])


class GraphListing(Listing):
    """The list. It says `Followed` when the cursor has gone along an operand, `Outside` when there is nothing
    more to fold on the left."""

    BINDINGS = bindings(GRAPH_KEYS)

    class Followed(Message):
        """The path to the class under the cursor changed."""

    class Outside(Message):
        """Left was pressed where nothing can be folded."""

    def __init__(self, *, id: str) -> None:
        columns = (
            Column("line", "class", show=_line),
            Column("term", "smallest term", show=_term),
            Column("nodes", "nodes", 5, "right", drop=1),
        )
        super().__init__(columns, id=id, fields=("class", "label", "infix", "term", "nodes"), counts=False)
        self.graph: Graph | None = None
        self.path: tuple[int, ...] = ()
        """The classes that were followed, the root first, without the one under the cursor."""
        self._back: list[str] = []
        self._open: set[str] = set()

    def show_graph(self, graph: Graph | None) -> None:
        """Show another e-graph, its root unfolded."""
        self.graph, self.path, self._back = graph, (), []
        self._open = {f"c{graph.root}"} if graph else set()
        self._reload(f"c{graph.root}" if graph else None, keep=False)

    @property
    def trail(self) -> tuple[int, ...]:
        """The classes that were followed, and the one under the cursor; of an operand also whose it is."""
        record = self.table.current
        if record is None:
            return self.path
        home = () if record["kind"] != "operand" else (int(record["home"][1:].split(".")[0]),)
        return (*self.path, *home, int(record["class_number"]))

    def _reload(self, key: str | None, *, keep: bool = True) -> None:
        self.load(list(self._records()), keep=keep)
        if key is not None:
            self.table.go_to(key)

    def _records(self) -> list[Record]:
        graph = self.graph
        if graph is None:
            return []
        rows: list[Record] = []
        for number in graph.order():
            key = f"c{number}"
            nodes = graph.classes[number]
            rows.append(
                _Line(
                    id=key,
                    kind="class",
                    class_number=number,
                    open=key in self._open,
                    root=number == graph.root,
                    label=[label for label, _ in nodes],
                    nodes=len(nodes),
                    prefix=graph.term(number),
                    short=", ".join(_node(label, children) for label, children in nodes[:6]),
                    **{"class": key},
                )
            )
            if key in self._open:
                for place in range(len(nodes)):
                    rows += self._node_records(graph, number, place)
        return rows

    def _node_records(self, graph: Graph, number: int, place: int) -> list[Record]:
        key = f"c{number}.{place}"
        label, children = graph.classes[number][place]
        opened = key in self._open
        node = _Line(
            id=key,
            kind="node",
            class_number=number,
            open=opened,
            leaf=not children,
            label=[label],
            nodes=None,
            prefix=graph.node_term(number, place),
            short=_node(label, children),
            operands=children,
            **{"class": f"c{number}"},
        )
        if not opened:
            return [node]
        return [
            node,
            *(
                _Line(
                    id=f"{key}.{at}",
                    kind="operand",
                    class_number=child,
                    home=key,
                    label=[],
                    nodes=len(graph.classes[child]),
                    prefix=graph.term(child),
                    **{"class": f"c{child}"},
                )
                for at, child in enumerate(children)
            ),
        ]

    # Walking

    def action_right(self) -> None:
        record = self.table.current
        if record is None or record["kind"] == "operand" or record.get("leaf"):
            return
        if record["id"] not in self._open:
            self._open.add(record["id"])
            self._reload(record["id"])
        else:
            self.table.cursor += 1

    def action_left(self) -> None:
        record = self.table.current
        if record is not None and record["id"] in self._open:
            self._open.discard(record["id"])
            self._reload(record["id"])
        elif record is not None and record["kind"] == "node":
            self.table.go_to(f"c{record['class_number']}")
        elif record is not None and record["kind"] == "operand":
            self.table.go_to(record["home"])
        else:
            self.post_message(self.Outside())

    def follow(self) -> None:
        """Enter: unfold a class or the operands of a node; along an operand, or an only one, go on."""
        record = self.table.current
        if record is None or self.graph is None:
            return
        if record["kind"] == "operand":
            self._go(record["id"], record["class_number"], int(record["home"][1:].split(".")[0]))
        elif record["kind"] == "node" and len(record["operands"]) == 1:
            self._go(record["id"], record["operands"][0], record["class_number"])
        else:
            self.action_right()
            if record["kind"] == "node" and record["operands"]:
                self.table.go_to(f"{record['id']}.0")

    def _go(self, start: str, number: int, origin: int) -> None:
        self._back.append(start)
        self.path = (*self.path, origin)
        self._open.add(f"c{number}")
        self._reload(f"c{number}")
        self.post_message(self.Followed())

    def go_back(self) -> bool:
        """To the line that was followed last; whether there was one."""
        if not self._back:
            return False
        self.path = self.path[:-1]
        self.table.go_to(self._back.pop())
        self.post_message(self.Followed())
        return True

    def go_to_class(self, number: int) -> bool:
        """Put the cursor on a class."""
        if self.graph is None or number not in self.graph.classes:
            return False
        return self.table.go_to(f"c{number}")


class _Line(dict[str, Any]):
    """A record whose readable forms are made when they are asked for."""

    def get(self, name: str, default: Any = None) -> Any:
        """The field, as `dict.get`."""
        if name in ("infix", "term"):
            return infix(self["prefix"]) if name == "infix" else self["prefix"]
        return super().get(name, default)


def _line(record: Record) -> Content:
    if record["kind"] == "operand":
        return Content.assemble(("      › ", "$accent"), (record["class"], "bold"))
    if record["kind"] == "node":
        glyph = " " if record["leaf"] else "▾" if record["open"] else "▸"
        return Content.assemble(("   ", ""), (f"{glyph} ", "$quiet"), safe_text(record["short"]))
    glyph = "▾" if record["open"] else "▸"
    named = Content.assemble((f"{glyph} ", "$quiet"), (record["class"], "bold"))
    if record["root"]:
        named += Content.styled(" root", "$accent")
    return named if record["open"] else named + safe_text(f" = {{{record['short']}}}", "$quiet")


def _term(record: Record) -> Content:
    return safe_text(shown(record["prefix"]), "$quiet" if record["kind"] == "node" else "")


def dot(graph: Graph) -> str:
    """The e-graph for Graphviz: a cluster per class, an edge per operand."""
    lines = ["digraph egraph {", "  compound=true; node [shape=box];"]
    for number, nodes in graph.classes.items():
        lines.append(f'  subgraph cluster_{number} {{ label="c{number}"; style=rounded;')
        lines += [f'    n{number}_{place} [label="{label}"];' for place, (label, _) in enumerate(nodes)]
        lines.append("  }")
    for number, nodes in graph.classes.items():
        for place, (_, children) in enumerate(nodes):
            lines += [f"  n{number}_{place} -> n{child}_0 [lhead=cluster_{child}];" for child in children]
    return "\n".join([*lines, "}", ""])
