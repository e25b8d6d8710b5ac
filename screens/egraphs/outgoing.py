"""What leaves the E-graphs screen: forms to copy, command lines, exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from screens.base import Export, Form
from screens.egraphs.forms import infix, latex, tree_lines, unicode
from screens.egraphs.graph import Graph, dot
from screens.widgets.rows import Record

__all__ = [
    "cluster_words",
    "expression_forms",
    "graph_exports",
    "grown_words",
    "map_words",
    "member_exports",
    "neighbour_exports",
]

_OPTIONS = {"members": "--members", "max_tokens": "--max-tokens", "mode": "--mode", "seed": "--seed"}
_MEMBER_COLUMNS = ("member", "prefix", "infix", "latex", "tokens", "verdict", "kept", "gained")


def expression_forms(prefix: str, more: Mapping[str, object]) -> tuple[Form, ...]:
    """What an expression can be copied as; `more` is known of it and goes into its JSON."""
    document = {**more, "prefix": prefix}
    return (
        Form("u", "Unicode infix", lambda: unicode(prefix)),
        Form("i", "infix", lambda: infix(prefix)),
        Form("p", "prefix", lambda: prefix),
        Form("l", "LaTeX", lambda: latex(prefix)),
        Form("t", "tree", lambda: "\n".join(tree_lines(prefix))),
        Form("j", "JSON", lambda: json.dumps({**document, "infix": infix(prefix)}, ensure_ascii=False)),
    )


def grown_words(head: str, settings: Mapping[str, Any], seed: int) -> list[str]:
    """The command that grows a cluster with these settings."""
    known = {**settings, "seed": seed}
    words = ["egen", "generate", "--notation", "prefix"]
    for name, option in _OPTIONS.items():
        if name in known:
            words += [option, str(known[name])]
    if known.get("padding"):
        words.append("--padding")
    return [*words, "--", head]


def cluster_words(folder: Path, number: int) -> list[str]:
    """The command that prints a stored cluster."""
    return ["egen", "show", str(folder), str(number)]


def map_words(model: str, folder: Path, arrangement: str) -> list[str]:
    """The command that prints a map of a corpus."""
    what = [] if arrangement == "families" else ["--clusters", "--method", arrangement]
    return ["egen", "map", model, *what, "--data", str(folder)]


def neighbour_exports(stem: str, rows: Sequence[Record], facts: Mapping[str, object]) -> list[Export]:
    """Neighbours as JSON lines and CSV."""
    columns = ("place", "cosine", "prefix", "cluster", "member", "same", "verdict")

    def write(path: Path) -> object:
        from workbench.export import write_table

        return write_table(path, columns, ([row[n] for n in columns] for row in rows), provenance=facts)

    return [
        Export("j", "neighbours as JSON lines", ".jsonl", f"{stem}-nearest", write),
        Export("c", "neighbours as CSV", ".csv", f"{stem}-nearest", write),
    ]


def member_exports(stem: str, rows: Sequence[Record], facts: Mapping[str, object]) -> list[Export]:
    """Members as JSON lines, CSV and a TeX table."""

    def write(path: Path) -> object:
        from workbench.export import write_table

        # Reading the forms of a thousand members takes a while; this runs in a thread.
        table = (
            [
                row["member"],
                row["prefix"],
                infix(row["prefix"]),
                latex(row["prefix"]),
                *(row[name] for name in ("tokens", "verdict", "kept", "gained")),
            ]
            for row in rows
        )
        if path.suffix == ".tex":
            return _tex(path, rows, facts)
        return write_table(path, _MEMBER_COLUMNS, table, provenance=facts)

    return [
        Export("j", "members as JSON lines", ".jsonl", stem, write),
        Export("c", "members as CSV", ".csv", stem, write),
        Export("t", "members as a TeX table", ".tex", stem, write),
    ]


def _tex(path: Path, rows: Sequence[Record], facts: Mapping[str, object]) -> Path:
    from workbench.export import write_document

    lines = [r"\begin{tabular}{rlrl}", r"\hline", r"\# & member & tokens & verdict \\", r"\hline"]
    lines += [
        rf"{row['member']} & ${latex(row['prefix'])}$ & {row['tokens']} & {row['verdict']} \\" for row in rows
    ]
    text = "\n".join([*lines, r"\hline", r"\end{tabular}", ""])
    return write_document(path, text, provenance=facts)


def graph_exports(stem: str, graph: Graph, facts: Mapping[str, object]) -> list[Export]:
    """The e-graph for Graphviz and as JSON."""

    def writer(make: Callable[[], str]) -> Callable[[Path], object]:
        def write(path: Path) -> object:
            from workbench.export import write_document

            return write_document(path, make(), provenance=facts)

        return write

    def document() -> str:
        return json.dumps(graph.document, ensure_ascii=False, indent=1) + "\n"

    return [
        Export("g", "e-graph as DOT", ".dot", f"{stem}-egraph", writer(lambda: dot(graph))),
        Export("J", "e-graph as JSON", ".json", f"{stem}-egraph", writer(document)),
    ]
