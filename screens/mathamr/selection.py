"""The forms in which parts of an inspection can be copied and written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from screens.mathamr.inspection import Inspection
from screens.shell.export import Export
from screens.shell.selection import CommandLine, Form, Selection
from screens.widgets.rows import Record

__all__ = [
    "NEAREST",
    "formula_selection",
    "graph_exports",
    "hit_selection",
    "node_selection",
    "text_selection",
]

NEAREST = 20
"""So many of the nearest formulas are asked for."""


def _forms(inspection: Inspection, line: CommandLine) -> list[Form]:
    document = inspection.document
    return [
        Form("p", "PENMAN", lambda: document["penman"]),
        Form("s", "string", lambda: document["strings"]["mathamr"]),
        Form("t", "triples", lambda: "\n".join("\t".join(one) for one in document["triples"])),
        Form("x", "text", lambda: inspection.text),
        Form("j", "JSON", lambda: json.dumps(document, ensure_ascii=False)),
        Form("J", "command line for JSON", lambda: _whole(inspection, line)),
    ]


def _whole(inspection: Inspection, line: CommandLine) -> str:
    """The command that prints all that is known of it."""
    words = inspection.subject.words
    return line(*words[:2], "--json", *words[2:])


def _selection(
    inspection: Inspection, line: CommandLine, first: Sequence[Form], address: str, title: str
) -> Selection:
    taken = {form.key for form in first}
    forms = (*first, *(form for form in _forms(inspection, line) if form.key not in taken))
    return Selection(address, title, line(*inspection.subject.words), forms)


def text_selection(inspection: Inspection, line: CommandLine, usual: str = "p") -> Selection:
    """The whole inspection; `usual` is the letter of the form that comes first. Triples are in JSON alone."""
    first = [form for form in _forms(inspection, line) if form.key == usual]
    subject = inspection.subject
    found = _selection(inspection, line, first, subject.address, f"graph of {subject.name}")
    return replace(found, command=_whole(inspection, line)) if usual == "t" else found


def node_selection(inspection: Inspection, row: Record | None, line: CommandLine) -> Selection:
    """A node of the graph; its PENMAN text is that of the graph."""
    subject = inspection.subject
    if row is None:
        return text_selection(inspection, line)
    first = [form for form in _forms(inspection, line) if form.key == "p"]
    first.append(Form("n", "concept", lambda: row["concept"]))
    if row["word"]:
        first.append(Form("w", "the text it comes from", lambda: row["word"]))
    address = f"{subject.address}/node/{row['id']}"
    return _selection(inspection, line, first, address, f"node {row['shown']} of {subject.name}")


def formula_selection(inspection: Inspection, formula: Record, line: CommandLine, tree: str) -> Selection:
    """A formula; `tree` is the operation that prints what is shown of it, `opt` or `slt`."""
    latex = formula["latex"]
    first = [
        Form("l", "LaTeX", lambda: latex),
        Form("u", "as it is read", lambda: formula["shown"]),
        Form("c", "command line", lambda: line("mathamr", tree, "--latex", latex)),
    ]
    return _selection(inspection, line, first, inspection.subject.address, f"formula {formula['shown']}")


def hit_selection(inspection: Inspection, row: Record, line: CommandLine, *, ranked: bool) -> Selection:
    """A formula that was found; only `--json` prints those that runs have `ranked`."""
    words = inspection.subject.words
    forms = (
        Form("l", "LaTeX", lambda: row["latex"]),
        Form("i", "id", lambda: row["formula"]),
        Form("u", "as it is read", lambda: row["shown"]),
        Form("j", "JSON", lambda: json.dumps(row, ensure_ascii=False)),
    )
    command = line(*words[:2], *(["--json"] if ranked else []), *words[2:], "-k", str(NEAREST))
    return Selection(inspection.subject.address, f"formula {row['formula']}", command, forms)


def graph_exports(inspection: Inspection) -> list[Export]:
    """The graph as SVG, DOT and PENMAN."""
    document, subject = inspection.document, inspection.subject
    facts = {**subject.params, "parser": document["parser"]}

    def write(path: Path) -> object:
        from engines.mathamr.graph.amr import read_graph
        from engines.mathamr.graph.drawing import to_dot, to_svg
        from workbench.export import write_document

        draw = {".svg": to_svg, ".dot": to_dot}.get(path.suffix)
        text = document["penman"] + "\n" if draw is None else draw(read_graph(document["penman"]))
        return write_document(path, text, provenance=facts)

    ways = (("s", "SVG", ".svg"), ("g", "DOT", ".dot"), ("p", "PENMAN", ".penman"))
    return [Export(key, f"graph as {name}", suffix, subject.stem, write) for key, name, suffix in ways]
