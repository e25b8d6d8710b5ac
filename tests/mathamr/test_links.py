"""Nodes of a graph beside the words that they come from; what an inspection reads."""

from __future__ import annotations

from collections import Counter

import pytest

from engines.core.system import asset
from engines.formula.lexer import Token, lex_latex
from engines.mathamr.graph.amr import read_graph
from engines.mathamr.inspection import Inspect, build_node_rows, inspect


def test_nodes_stand_at_their_words() -> None:
    """Pronouns in any case and modal verbs too; no word twice, and none of those within formulas."""
    text = "If I can, it takes my prover $they can$ away; we cannot."
    graph = read_graph(
        "(p / possible-01 :arg1 (t / take-01 :arg0 (ii / it) :arg1 (p2 / prove-01 :arg0 (i / i)))"
        " :arg2 (w / we) :arg3 (t2 / they) :arg4 (i3 / i))"
    )
    places = {row["variable"]: row["place"] for row in build_node_rows(graph, text, {})}
    said = {name: None if place is None else text[slice(*place)] for name, place in places.items()}
    expected = {
        "p": "can",
        "t": "takes",
        "ii": "it",
        "p2": "prover",
        "i": "I",
        "w": "we",
        "t2": None,
        "i3": "my",
    }
    assert said == expected


@pytest.mark.parametrize(
    "spec",
    [
        Inspect(text=r"Let $x^2+\frac{a}{b} \ge 0$ or $y<1$."),
        Inspect(folder=asset("sample/arqmath/sample-forum"), topic="B.901", k=0),
    ],
)
def test_an_inspection_reads_each_formula_once(spec: Inspect, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many trees, strings and places are made of it."""
    read: Counter[str] = Counter()

    def counted(latex: str) -> list[Token]:
        read[latex] += 1
        return lex_latex(latex)

    monkeypatch.setattr("engines.formula.lexer.lex_latex", counted)
    formulas = [row["latex"] for row in inspect(spec)["formulas"]]
    assert {latex: read[latex] for latex in formulas} == dict.fromkeys(formulas, 1)
