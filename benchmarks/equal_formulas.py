"""Formulas of a collection that are equal and look different: how many groups, and what finds them.

    .venv/bin/python -m benchmarks.equal_formulas COLLECTION --cache DIR

A group holds visually distinct formulas that are terms with variables, share a key of their values, and are
each judged equal to its first one, without a condition; and whose operator trees, operands sorted, are not
all the same. Each formula of a group is then a query for the others: recall within the first ten for
`--how equal`, parts of trees, BM25 over the tokens and a drawn order.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of
from engines.core.tree import Tree
from engines.egen.judging import judge
from engines.egen.judging.fingerprint import ValueFingerprints
from engines.egen.judging.names import free
from engines.formula.formula import Formula
from engines.formula.meaning import read
from engines.mathamr import IndexFormulas, index
from engines.mathamr.retrieval.equality import Equality
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.search import ranked
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical

FOUND = 10


def groups(opened: FormulaIndex) -> tuple[list[list[int]], dict[str, int]]:
    """The groups, as looks, and how many pairs were judged how."""
    fingerprints, judges = ValueFingerprints(), judge()
    trees: dict[int, Tree] = {}
    sharing: dict[int, list[int]] = defaultdict(list)
    for look in range(len(opened)):
        tree = read(opened.latex(look)).tree
        if tree is not None and tree.children and free(tree):
            trees[look] = tree
            for key in fingerprints.of(tree).whole:
                sharing[key].append(look)
    verdicts: dict[str, int] = defaultdict(int)
    home: dict[int, int] = {look: look for look in trees}
    for looks in sharing.values():
        first = looks[0]
        for other in looks[1:]:
            if home[other] != other:
                continue
            verdict = judges.equal(trees[first], trees[other]).verdict
            if trees[first] != trees[other]:
                verdicts[verdict] += 1
            if verdict == "equal":
                home[other] = home[first]
    found: dict[int, list[int]] = defaultdict(list)
    for look, first in home.items():
        found[first].append(look)
    return [
        looks
        for looks in found.values()
        if len({str(Formula(opened.latex(look)).search_tree.sorted()) for look in looks}) > 1
    ], dict(verdicts)


def recall(found: Callable[[int], Sequence[int]], every: Sequence[Sequence[int]]) -> float:
    """The share of the others of a group within the first ten, averaged over all queries."""
    shares = []
    for looks in every:
        for query in looks:
            others = set(looks) - {query}
            first = [look for look in found(query) if look != query][:FOUND]
            shares.append(len(others & set(first)) / min(FOUND, len(others)))
    return round(float(np.mean(shares)), 4)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    record = Record("equal_formulas", arguments.out, formulas=arguments.collection / "formulas_mini.tsv.gz")
    arguments.cache.mkdir(parents=True, exist_ok=True)
    sizes, seconds = {}, {}
    for name, values in (("plain", False), ("values", True)):
        place, began = arguments.cache / name, time.process_time()
        spec = IndexFormulas(arguments.collection, place, values=values)
        index(spec, fingerprints=ValueFingerprints())
        seconds[name] = round(time.process_time() - began, 1)
        sizes[name] = sum(path.stat().st_size for path in place.rglob("*"))
    opened = FormulaIndex(arguments.cache / "values")
    every, verdicts = groups(opened)
    (arguments.cache / "groups.tsv").write_text(
        "".join(
            "\t".join(opened.latex(look).replace("\t", " ").replace("\n", " ") for look in looks) + "\n"
            for looks in every
        )
    )
    equality = Equality(opened, "equal", judge(), ValueFingerprints())
    build_lexical(
        [TermPart.of(f"${one}$" for one in opened.looks["latex"].to_pylist())], arguments.cache / "bm25"
    )
    lexical, drawn = LexicalIndex(arguments.cache / "bm25"), random.Random(0)

    def by_bm25(look: int) -> list[int]:
        return np.argsort(-lexical.scores(f"${opened.latex(look)}$"), kind="stable")[: FOUND + 1].tolist()

    ways: dict[str, Callable[[int], Sequence[int]]] = {
        "equal": lambda look: [one.look for one in equality.found(opened.latex(look), FOUND + 1, blank=True)],
        "paths": lambda look: [one for one, _ in ranked(opened, Formula(opened.latex(look)), FOUND + 1)],
        "bm25": by_bm25,
        "random": lambda _: drawn.sample(range(len(opened)), FOUND),
    }
    figures = {
        "looks": len(opened),
        "read": opened.about["values"]["read"],
        "keys": opened.about["values"]["keys"],
        "index_s": seconds,
        "index_bytes": sizes,
        "groups": len(every),
        "formulas_in_groups": sum(map(len, every)),
        "pairs_judged": verdicts,
        "recall_at_10": {name: recall(way, every) for name, way in ways.items()},
    }
    print(figures)
    record.write(figures, libraries=["python-flint", "numpy"])


if __name__ == "__main__":
    main()
