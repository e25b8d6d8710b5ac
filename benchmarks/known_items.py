"""Known-item search in one's own documents: a formula is looked for by what is half remembered of it.

    .venv/bin/python -m benchmarks.known_items FOLDER... [--queries 300] [--seed 1]

FOLDER are LaTeX sources, such as a book's. Of the formulas with at least 12 nodes some are drawn; of each one
sub-expression of at least 6 nodes and at most 70 % of the formula is written as a query, all its letters
changed, each to another. The formula is found where it is among the hits; another formula with the same
sub-expression counts as wrong. BM25 and its terms are those of the text engine (tokens and pairs of them),
with the query's letters changed too, and with the letters as they were.
"""

from __future__ import annotations

import json
import random
import string
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks._record import Record, parser_of
from engines.formula.operator_tree import OperatorTree
from engines.formula.parser import search_tree
from engines.formula.patterns import renamed
from engines.formula.render import latex as written
from engines.mathamr.retrieval import matching
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.measures import bootstrap_interval

DEPTH = 100


def half_remembered(tree: OperatorTree, rng: random.Random) -> tuple[OperatorTree, OperatorTree] | None:
    """A sub-expression, with other letters and with its own; None where there is none of this size."""
    size = sum(1 for _ in tree.walk())
    parts = [
        node
        for node in tree.walk()
        if 6 <= sum(1 for _ in node.walk()) <= 0.7 * size
        and any(n.label.startswith("V!") for n in node.walk())
    ]
    if size < 12 or not parts or tree.errors():
        return None
    part = rng.choice(parts)
    letters = sorted({n.label for n in part.walk() if n.label.startswith("V!") and len(n.label) == 3})
    others = [f"V!{letter}" for letter in string.ascii_lowercase if letter not in "dei"]
    free = [one for one in others if one not in letters]
    names = dict(zip(letters, rng.sample(free, min(len(letters), len(free))), strict=False))
    return renamed(part, names), part


def reciprocal(found: Sequence[int], wanted: int) -> float:
    return 1 / (list(found).index(wanted) + 1) if wanted in found else 0.0


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    kept = Record("known_items", given.out)
    kept.write({folder.name: measured(folder, given.queries, given.seed) for folder in given.folders})


def measured(folder: Path, queries: int, seed: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        made = index(IndexFormulas(folder, Path(place) / "index"))
        opened = FormulaIndex(Path(place) / "index")
        texts = opened.looks["latex"].to_pylist()
        build_lexical([TermPart.of(f"${latex}$" for latex in texts)], Path(place) / "bm25")
        bm25 = LexicalIndex(Path(place) / "bm25")
        rng = random.Random(seed)
        asked: list[tuple[int, OperatorTree, OperatorTree]] = []
        for look in rng.sample(range(len(texts)), len(texts)):
            if (pair := half_remembered(search_tree(texts[look]), rng)) is not None:
                asked.append((look, *pair))
            if len(asked) == queries:
                break

        def words(tree: OperatorTree) -> list[int]:
            return bm25.search(f"${written(tree)}$", DEPTH)[1].tolist()

        def parts(tree: OperatorTree) -> list[int]:
            return [one.look for one in matching.nearest(opened, search_tree(written(tree)), DEPTH)]

        def plain(tree: OperatorTree) -> list[int]:
            from engines.formula.features import features

            return opened.search(features(search_tree(written(tree))), DEPTH)[1].tolist()

        ways: dict[str, tuple[Callable[[OperatorTree], list[int]], int]] = {
            "parts, consistent letters": (parts, 0),
            "parts": (plain, 0),
            "bm25": (words, 0),
            "bm25, own letters": (words, 1),
        }
        figures: dict[str, object] = {"formulas": made["formulas"], "looks": made["looks"]}
        for name, (way, which) in ways.items():
            ranks = [reciprocal(way(row[1 + which]), row[0]) for row in asked]
            low, high = bootstrap_interval(ranks, seed=seed)
            mean = sum(ranks) / len(ranks)
            figures[name] = {
                "mrr": round(mean, 4),
                "interval": [round(low, 4), round(high, 4)],
                "first": round(sum(one == 1 for one in ranks) / len(ranks), 4),
            }
            print(folder.name, name, json.dumps(figures[name]), flush=True)
        return {**figures, "queries": len(asked)}


if __name__ == "__main__":
    main()
