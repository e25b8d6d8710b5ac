"""Rankings of formulas that any method has to beat: at random, the same first, BM25, overlap of paths."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.formula.features import features
from engines.formula.lexer import tokens
from engines.formula.parser import search_tree
from engines.forum.topics import Topic
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.run import Run, write_run

BASELINES = ("random", "exact", "bm25", "path-jaccard")
"""In a drawn order; the same tokens first; BM25 over the tokens and each two neighbours; the share of both
trees' paths that are in both. Equal scores are in the drawn order."""


def baseline(
    name: str, opened: FormulaIndex, topics: Mapping[str, Topic], pool: Mapping[str, Sequence[str]], out: Path
) -> None:
    """Write the run that orders each topic's formulas so."""
    scored = _bm25(opened) if name == "bm25" else _SCORES.get(name)
    drawn = random.Random(0)
    rankings = {}
    for topic, formulas in pool.items():
        order = drawn.sample(sorted(formulas), len(formulas))
        looks = {one: look for one in order if (look := opened.look_of(one)) is not None}
        written = {look: opened.latex(look) for look in looks.values()}
        scores = scored(topics[topic].latex, written) if scored else {}
        found = [(one, scores.get(look, 0.0)) for one, look in looks.items()]
        rankings[topic] = sorted(found, key=lambda pair: -pair[1])
    write_run(Run(name, rankings), out)


Scores = Mapping[int, float]
"""Of looks."""


def _exact(query: str, looks: Mapping[int, str]) -> Scores:
    return {look: float(tokens(latex) == tokens(query)) for look, latex in looks.items()}


def _jaccard(query: str, looks: Mapping[int, str]) -> Scores:
    wanted = _paths(query)
    return {
        look: len(wanted & own) / max(1, len(wanted | own))
        for look, own in ((look, _paths(latex)) for look, latex in looks.items())
    }


_SCORES = {"exact": _exact, "path-jaccard": _jaccard}


def _paths(latex: str) -> set[str]:
    return {name for name in features(search_tree(latex)) if name.startswith("p ")}


def _bm25(opened: FormulaIndex) -> Callable[[str, Mapping[int, str]], Scores]:
    with TemporaryDirectory() as folder:
        place = Path(folder) / "index"
        build_lexical([TermPart.of(f"${latex}$" for latex in opened.looks["latex"].to_pylist())], place)
        index = LexicalIndex(place)

        def scores(query: str, looks: Mapping[int, str]) -> Scores:
            found = index.scores(f"${query}$")
            return {look: float(found[look]) for look in looks}

    return scores
