"""Links between a text, its formulas and the nodes of a MathAMR graph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from engines.mathamr.graph.amr import Graph, Node, kind_of
from engines.mathamr.parsing.words import MODALS, PRONOUNS

__all__ = ["formula_roots", "linked_formulas", "node_rows", "placed_text", "triples"]

_WORD = re.compile(r"[^\W\d_]+")
_STEM = 5
"""Letters that a concept and its word share at least; of shorter ones all."""


def formula_roots(graph: Graph, latex: Mapping[str, str]) -> dict[str, str]:
    """Which formula each `:math` tree of a graph is: by its string, else by its order."""
    from engines.mathamr.graph.linearize import linear
    from engines.mathamr.retrieval.strings import tree_string

    trees = [
        branch.target
        for node in graph.nodes()
        for branch in node.branches
        if branch.role == ":math" and isinstance(branch.target, Node)
    ]
    strings = [unicodedata.normalize("NFKC", linear(Graph(tree))) for tree in trees]
    found: dict[str, str] = {}
    free = list(range(len(trees)))
    for name, written in latex.items():
        wanted = tree_string(written)
        match = next((at for at in free if strings[at] == wanted), None)
        if match is not None:
            found[name] = trees[match].variable
            free.remove(match)
    for name in latex:
        if name not in found and free:
            found[name] = trees[free.pop(0)].variable
    return found


def placed_text(context: str, latex: Mapping[str, str]) -> tuple[str, dict[str, tuple[int, int]]]:
    """The context with `$latex$`, and where the LaTeX of each formula stands first."""
    from engines.mathamr.context.placeholders import PLACEHOLDER

    parts: list[str] = []
    places: dict[str, tuple[int, int]] = {}
    at = length = 0
    for match in PLACEHOLDER.finditer(context):
        written = latex.get(match[1])
        before = context[at : match.start()]
        shown = match[0] if written is None else f"${written}$"
        start = length + len(before) + 1
        if written is not None:
            places.setdefault(match[1], (start, start + len(written)))
        parts += [before, shown]
        length += len(before) + len(shown)
        at = match.end()
    return "".join([*parts, context[at:]]), places


def linked_formulas(
    latex: Mapping[str, str],
    query: str,
    graph: Graph,
    roots: Mapping[str, str],
    lost: Sequence[str],
    places: Mapping[str, tuple[int, int]],
) -> tuple[list[dict[str, Any]], dict[str, tuple[str, tuple[int, int] | None]]]:
    """The formulas; and of each node of their trees the formula and its place in the text."""
    from engines.formula.operator_tree import OperatorTree
    from engines.formula.parser import operator_tree
    from engines.formula.spans import node_spans
    from engines.formula.symbol_layout import layout_tree
    from engines.formula.unicode import unicode_text

    known = graph.by_variable()
    rows: list[dict[str, Any]] = []
    spans: dict[str, tuple[str, tuple[int, int] | None]] = {}
    for name, written in latex.items():
        root = known.get(roots.get(name, ""))
        if root is not None:
            nodes = list(Graph(root).nodes())
            trees: dict[str, OperatorTree] = {}
            written_again: set[int] = set()
            for node in reversed(nodes):
                below = []
                for branch in node.branches:
                    target = branch.target
                    if isinstance(target, Node):
                        below.append(trees[target.variable])
                    elif target in known:
                        below.append(OperatorTree(_label(known[target])))
                        written_again.add(id(below[-1]))
                trees[node.variable] = OperatorTree(_label(node), tuple(below))
            tree = trees[root.variable]
            start = places[name][0] if name in places else None
            spanned = zip(tree.walk(), node_spans(tree, written), strict=True)
            own = (span for one, span in spanned if id(one) not in written_again)
            for node, span in zip(nodes, own, strict=True):
                place = None if start is None or span is None else (start + span[0], start + span[1])
                spans[node.variable] = (name, place)
        rows.append(
            {
                "id": name,
                "latex": written,
                "shown": unicode_text(written),
                "query": name == query,
                "place": places.get(name),
                "root": None if root is None else root.variable,
                "lost": name in lost,
                "tree": operator_tree(written).document(),
                "slt": layout_tree(written).document(),
            }
        )
    return rows, spans


def _label(node: Node) -> str:
    return f"{node.variable[:1]}!{unicodedata.normalize('NFKC', node.concept)}"


def node_rows(
    graph: Graph, text: str, spans: Mapping[str, tuple[str, tuple[int, int] | None]]
) -> list[dict[str, Any]]:
    """The nodes in the order written, with constants and references where they stand."""

    outside = re.sub(r"\$[^$]*\$", lambda match: " " * len(match[0]), text)
    words = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(outside)]
    known, used = graph.by_variable(), set[int]()
    rows: list[dict[str, Any]] = []
    pending: list[tuple[Node | str, str, str, int]] = [(graph.root, "", "", 0)]
    while pending:
        target, role, parent, depth = pending.pop()
        row: dict[str, Any] = {"variable": "", "concept": "", "role": role, "parent": parent, "depth": depth}
        if isinstance(target, Node):
            formula, place = spans.get(target.variable, (None, None))
            kind = "operator" if formula is not None else kind_of(target.variable)
            if formula is None:
                place = _word(target.concept, words, used)
            row |= {"variable": target.variable, "concept": target.concept, "kind": kind}
            row |= {"formula": formula, "place": place}
            pending += [
                (branch.target, branch.role, target.variable, depth + 1)
                for branch in reversed(target.branches)
            ]
        else:
            there = known.get(target)
            row |= {
                "variable": target if there is not None else "",
                "kind": "reference" if there else "constant",
            }
            row |= {"concept": there.concept if there is not None else target, "formula": None, "place": None}
        rows.append(row)
    return rows


def _word(concept: str, words: list[tuple[str, int, int]], used: set[int]) -> tuple[int, int] | None:
    """Where the word of a concept stands: the first that begins like it, or is its pronoun or modal verb, and
    that no other concept has."""
    stem = re.sub(r"-\d+\Z", "", concept.lower()).partition("-")[0][:_STEM]
    for number, (word, start, end) in enumerate(words):
        meant = PRONOUNS.get(word) or MODALS.get(word, (word, ""))[0]
        alike = meant == concept or (word.startswith(stem) if len(stem) > 2 else word == stem)
        if number not in used and stem and alike:
            used.add(number)
            return start, end
    return None


def triples(graph: Graph) -> list[tuple[str, str, str]]:

    found = []
    for node in graph.nodes():
        found.append((node.variable, ":instance", node.concept))
        for branch in node.branches:
            target = branch.target.variable if isinstance(branch.target, Node) else branch.target
            found.append((node.variable, branch.role, target))
    return found
