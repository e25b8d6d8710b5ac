"""Known-item search in one's own documents: a formula is looked for by what is half remembered of it.

    .venv/bin/python -m benchmarks.known_items FOLDER... [--queries 300] [--seed 1]

FOLDER are LaTeX sources, such as a book's. Of the formulas with at least 12 nodes some are drawn; of each one
sub-expression of at least 6 nodes and at most 70 % of the formula is written as a query, all its letters
changed, each to another. `with it` asks for the first formula that has the sub-expression up to such letters,
`itself` for the very formula that was drawn, `only` for that where no other has the sub-expression; `ceiling`
is what `itself` can have at most, the mean where those that have it are in a drawn order. BM25 and its terms
are those of the text engine (tokens and pairs of them), with the query's letters changed too, and with the
letters as they were.
"""

from __future__ import annotations

import json
import random
import string
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from benchmarks._record import Record, parser_of
from engines.formula.operator_tree import OperatorTree, count_features
from engines.formula.operator_tree_parser import search_tree
from engines.formula.patterns import rename_variables
from engines.formula.render import to_latex as written
from engines.mathamr.retrieval import formula_query
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.significance import bootstrap_interval

DEPTH = 100


def half_remembered(tree: OperatorTree, rng: random.Random) -> tuple[OperatorTree, OperatorTree] | None:
    """A sub-expression, with other letters and with its own; None where there is none of this size."""
    size = tree.count_nodes()
    parts = [
        node
        for node in tree.walk_nodes()
        if 6 <= node.count_nodes() <= 0.7 * size and any(n.label.startswith("V!") for n in node.walk_nodes())
    ]
    if size < 12 or not parts or tree.list_errors():
        return None
    part = rng.choice(parts)
    letters = sorted({n.label for n in part.walk_nodes() if n.label.startswith("V!") and len(n.label) == 3})
    others = [f"V!{letter}" for letter in string.ascii_lowercase if letter not in "dei"]
    free = [one for one in others if one not in letters]
    names = dict(zip(letters, rng.sample(free, min(len(letters), len(free))), strict=False))
    return rename_variables(part, names), part


def canonical(tree: OperatorTree) -> str:
    """A tree up to consistent letters, operands of commutative operators as they are sorted."""
    names: dict[str, str] = {}
    nodes = []
    for node in tree.sort_operands().walk_nodes():
        variable = node.label.startswith("V!")
        label = names.setdefault(node.label, f"{len(names)}") if variable else node.label
        nodes.append(f"{label} {len(node.children)}")
    return " ".join(nodes)


def reciprocal(found: Sequence[int], wanted: Collection[int]) -> float:
    return next((1 / rank for rank, one in enumerate(found, start=1) if one in wanted), 0.0)


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
        build_lexical([TermPart.from_texts(f"${latex}$" for latex in texts)], Path(place) / "bm25")
        bm25 = LexicalIndex(Path(place) / "bm25")
        rng = random.Random(seed)
        asked: list[tuple[int, OperatorTree, OperatorTree]] = []
        for look in rng.sample(range(len(texts)), len(texts)):
            if (pair := half_remembered(search_tree(texts[look]), rng)) is not None:
                asked.append((look, *pair))
            if len(asked) == queries:
                break

        holders: dict[str, set[int]] = {canonical(part): {look} for look, _, part in asked}
        for look, latex in enumerate(texts):
            for node in search_tree(latex).walk_nodes():
                if node.children and (own := holders.get(canonical(node))) is not None:
                    own.add(look)
        having = [holders[canonical(part)] for _, _, part in asked]

        def words(tree: OperatorTree) -> list[int]:
            return bm25.search(f"${written(tree)}$", DEPTH)[1].tolist()

        def parts(tree: OperatorTree) -> list[int]:
            return [one.look for one in formula_query.find_nearest(opened, search_tree(written(tree)), DEPTH)]

        def plain(tree: OperatorTree) -> list[int]:
            return opened.search(count_features(search_tree(written(tree))), DEPTH)[1].tolist()

        ways: dict[str, tuple[Callable[[OperatorTree], list[int]], int]] = {
            "parts, consistent letters": (parts, 0),
            "parts": (plain, 0),
            "bm25": (words, 0),
            "bm25, own letters": (words, 1),
        }
        alone = [len(own) == 1 for own in having]
        ceiling = sum(sum(1 / n for n in range(1, len(own) + 1)) / len(own) for own in having) / len(asked)
        figures: dict[str, object] = {"formulas": made["formulas"], "distinct": made["looks"]}
        figures |= {"queries": len(asked), "only": sum(alone), "ceiling": round(ceiling, 4)}
        for name, (way, which) in ways.items():
            found = [way(cut if which else whole) for _, whole, cut in asked]
            itself = [reciprocal(one, {row[0]}) for one, row in zip(found, asked, strict=True)]
            only = [rank for rank, one in zip(itself, alone, strict=True) if one]
            within = [reciprocal(one, own) for one, own in zip(found, having, strict=True)]
            figures[name] = {
                of: {
                    "mrr": round(sum(ranks) / len(ranks), 4),
                    "interval": bootstrap_interval(ranks, seed=seed),
                }
                for of, ranks in (("with it", within), ("itself", itself), ("only", only))
            }
            print(folder.name, name, json.dumps(figures[name]), flush=True)
        return figures


if __name__ == "__main__":
    main()
