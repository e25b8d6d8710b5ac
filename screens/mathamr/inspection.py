"""The inspection of a formula, and the forms in which its parts are copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from screens.mathamr.contexts import Subject
from screens.shell.export import CommandLine, CopyForm, Export, PaneSelection, json_form, text_writer
from screens.widgets.table_columns import Record


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of an operator tree; `key` names its node in the graph, if it is in the graph."""

    key: str
    kind: str
    label: str
    children: tuple[DrawnNode, ...]

    @property
    def words(self) -> str:
        """The label with its kind: `U plus`."""
        return f"{self.kind} {self.label}" if self.kind else self.label

    def walk(self) -> Iterator[DrawnNode]:
        """Yield the node and all nodes below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


class Inspection:
    """The answer of `mathamr.inspect` for a `subject`.

    `rows` are the graph's nodes in the order written. Each has an `id`: its variable, or if it has none, its
    parent's id with a number.
    """

    def __init__(self, document: Mapping[str, Any], subject: Subject) -> None:
        self.document, self.subject = document, subject
        self.text: str = document["text"]
        self.formulas: Sequence[Record] = document["formulas"]
        self.rows: Sequence[Record] = _make_rows(document["nodes"], self.text)
        self._by_id = {row["id"]: row for row in self.rows}
        self._by_formula = {one["id"]: one for one in self.formulas}

    @property
    def query(self) -> Record | None:
        """Return the record of the formula that is searched for, or None."""
        return self._by_formula.get(self.document["query"])

    def get_row(self, key: str) -> Record | None:
        """Return the node with this id, or None."""
        return self._by_id.get(key)

    def resolve_reference(self, key: str) -> Record | None:
        """Return the node, or the node that it refers to."""
        row = self.get_row(key)
        return self.get_row(row["variable"]) if row is not None and row["kind"] == "reference" else row

    def formula_of(self, key: str) -> Record | None:
        """Return the formula whose tree contains a node, or else the query."""
        row = self.resolve_reference(key)
        return self._by_formula.get(row["formula"]) if row is not None and row["formula"] else self.query

    def text_span(self, key: str) -> tuple[int, int] | None:
        """Return the start and end of a node's text; inside a formula, with the braces that belong to it."""
        row = self.resolve_reference(key)
        if row is None or row["place"] is None:
            return None
        start, end = row["place"]
        formula = self._by_formula.get(row["formula"] or "")
        if formula is None or formula["place"] is None:
            return start, end
        first = formula["place"][0]
        return start, first + balance_end(formula["latex"], start - first, end - first)

    def node_at(self, position: int) -> str | None:
        """Return the node of the smallest part of the text around a position, or None."""
        results = [
            # The smallest stretch wins: a leaf inside of its operator.
            (span[1] - span[0], row["id"])
            for row in self.rows
            if row["kind"] != "reference"
            and (span := self.text_span(row["id"])) is not None
            and span[0] <= position < span[1]
        ]
        return min(results)[1] if results else None

    def node_text(self, key: str) -> str:
        """Return the text that a node comes from."""
        span = self.text_span(key)
        return "" if span is None else self.text[span[0] : span[1]]

    def operator_tree(self, formula: Record) -> DrawnNode:
        """Return the operator tree of a formula, from the graph if it is there, else from its LaTeX."""
        if formula["root"] is None or formula["root"] not in self._by_id:
            return _read_tree(formula["tree"])
        made: dict[str, list[DrawnNode]] = {}
        inside = [row for row in self.rows if row["formula"] == formula["id"] or row["kind"] == "reference"]
        # Children before parents, since each node needs its children when it is made.
        for row in reversed(inside):
            below = tuple(reversed(made.pop(row["id"], [])))
            kind = row["variable"][:1]
            node = DrawnNode(row["id"], kind, row["shown"], below)
            if row["id"] == formula["root"]:
                return node
            made.setdefault(row["home"], []).append(node)
        return _read_tree(formula["tree"])


def balance_end(latex: str, start: int, end: int) -> int:
    """Return the end of a part of a formula, extended by the braces that the part opens."""
    depth = 0
    for index in range(start, min(len(latex), end)):
        depth += {"{": 1, "}": -1}.get(latex[index], 0)
    # Go on to the brace that closes what the part has opened.
    while depth > 0 and end < len(latex):
        depth += {"{": 1, "}": -1}.get(latex[end], 0)
        end += 1
    return end


def _read_tree(tree: Mapping[str, Any]) -> DrawnNode:
    from engines.mathamr.graph.drawing import readable_label

    kind, mark, label = tree["label"].partition("!")
    children = tuple(_read_tree(child) for child in tree.get("children", ()))
    return DrawnNode("", kind if mark else "", readable_label(label if mark else kind), children)


def _make_rows(nodes: Sequence[Mapping[str, Any]], text: str) -> Sequence[Record]:
    """Return the nodes with `id`, `home` (the id of the parent), `word` (the text it comes from), `shown`
    (its concept in plain letters), `children` and `below` (how many nodes hang on it, at once and in all)
    and `last` (of each line of descent, whether it is the last of its siblings).
    """
    from engines.mathamr.graph.drawing import readable_label

    rows: list[dict[str, Any]] = []
    above: list[dict[str, Any]] = []
    taken: set[str] = set()
    for node in nodes:
        # The ancestors of this node are those that are less deep.
        del above[node["depth"] :]
        home = above[-1] if above else None
        # Other nodes, such as references, have no variable of their own; they are numbered below their
        # parent.
        key = node["variable"] if node["kind"] in ("concept", "operator") else ""
        if not key or key in taken:
            key = f"{home['id'] if home else ''}.{home['children'] + 1 if home else len(rows)}"
        taken.add(key)
        span = node["place"]
        row = {**node, "id": key, "home": home["id"] if home else "", "children": 0, "below": 0}
        row["word"] = text[span[0] : span[1]] if span is not None else ""
        # Terminals lack the letters of MathML; the plain ones are meant.
        row["shown"] = readable_label(node["concept"]) or node["variable"]
        for one in above:
            one["below"] += 1
        if home is not None:
            home["children"] += 1
            row["number"] = home["children"]
        above.append(row)
        rows.append(row)
    by_id = {row["id"]: row for row in rows}
    # Only now is it known which children are the last of their parents.
    for row in rows:
        home = by_id.get(row["home"])
        row["last"] = (*home["last"], row["number"] == home["children"]) if home is not None else ()
    return rows


NEAREST = 20


def _list_forms(inspection: Inspection, line: CommandLine) -> list[CopyForm]:
    document = inspection.document
    return [
        CopyForm("p", "PENMAN", lambda: document["penman"]),
        CopyForm("s", "string", lambda: document["strings"]["mathamr"]),
        CopyForm("t", "triples", lambda: "\n".join("\t".join(one) for one in document["triples"])),
        CopyForm("x", "text", lambda: inspection.text),
        json_form(lambda: document),
        CopyForm("J", "command line for JSON", lambda: _json_command(inspection, line)),
    ]


def _json_command(inspection: Inspection, line: CommandLine) -> str:
    words = inspection.subject.words
    return line(*words[:2], "--json", *words[2:])


def _make_selection(
    inspection: Inspection, line: CommandLine, first: Sequence[CopyForm], address: str, title: str
) -> PaneSelection:
    taken = {form.key for form in first}
    forms = (*first, *(form for form in _list_forms(inspection, line) if form.key not in taken))
    return PaneSelection(address, title, line(*inspection.subject.words), forms, lambda: inspection.text)


def text_selection(inspection: Inspection, line: CommandLine, usual: str = "p") -> PaneSelection:
    """Return the whole inspection as a selection; `usual` is the letter of its first form.

    Triples are printed only as JSON.
    """
    first = [form for form in _list_forms(inspection, line) if form.key == usual]
    subject = inspection.subject
    result = _make_selection(inspection, line, first, subject.address, f"graph of {subject.name}")
    return replace(result, command=_json_command(inspection, line)) if usual == "t" else result


def node_selection(inspection: Inspection, row: Record | None, line: CommandLine) -> PaneSelection:
    """Return a node as a selection; its PENMAN form is that of the whole graph."""
    subject = inspection.subject
    if row is None:
        return text_selection(inspection, line)
    first = [form for form in _list_forms(inspection, line) if form.key == "p"]
    first.append(CopyForm("n", "concept", lambda: row["concept"]))
    if row["word"]:
        first.append(CopyForm("w", "the text it comes from", lambda: row["word"]))
    address = f"{subject.address}/node/{row['id']}"
    return _make_selection(inspection, line, first, address, f"node {row['shown']} of {subject.name}")


def formula_selection(inspection: Inspection, formula: Record, line: CommandLine, tree: str) -> PaneSelection:
    """Return a formula as a selection; `tree` is the operation that prints what is shown, `opt` or `slt`."""
    latex = formula["latex"]
    first = [
        CopyForm("l", "LaTeX", lambda: latex),
        CopyForm("u", "as it is read", lambda: formula["shown"]),
        CopyForm("c", "command line", lambda: line("mathamr", tree, "--latex", latex)),
    ]
    return _make_selection(inspection, line, first, inspection.subject.address, f"formula {formula['shown']}")


def hit_selection(inspection: Inspection, row: Record, line: CommandLine, *, ranked: bool) -> PaneSelection:
    """Return a formula that was found as a selection; formulas `ranked` by runs are printed only as JSON."""
    words = inspection.subject.words
    forms = (
        CopyForm("l", "LaTeX", lambda: row["latex"]),
        CopyForm("i", "id", lambda: row["formula"]),
        CopyForm("u", "as it is read", lambda: row["shown"]),
        json_form(lambda: row),
    )
    command = line(*words[:2], *(["--json"] if ranked else []), *words[2:], "-k", str(NEAREST))
    return PaneSelection(inspection.subject.address, f"formula {row['formula']}", command, forms)


def graph_exports(inspection: Inspection) -> list[Export]:
    """Return the exports of a graph."""
    document, subject = inspection.document, inspection.subject
    facts, penman = {**subject.params, "parser": document["parser"]}, document["penman"]

    def render_graph(form: str) -> str:
        from engines.mathamr.graph.amr import read_graph
        from engines.mathamr.graph.drawing import to_dot, to_svg

        return penman + "\n" if form == "PENMAN" else {"SVG": to_svg, "DOT": to_dot}[form](read_graph(penman))

    ways = (("s", "SVG"), ("g", "DOT"), ("p", "PENMAN"))
    files = [(key, form, text_writer(partial(render_graph, form), facts)) for key, form in ways]
    stem = subject.stem
    return [Export(key, f"graph as {form}", f".{form.lower()}", stem, write) for key, form, write in files]
