"""How fast and how faithfully LaTeX formulas are read into operator trees.

    .venv/bin/python -m benchmarks.formulas COLLECTION

COLLECTION holds `formulas_mini.tsv.gz` (a column `latex`) and `topic_opt_trees_<year>.jsonl.gz`, trees of the
topics' formulas that LaTeXML made. The rate is that of one core, in processor time, over all formulas of the
collection, the median of three passes. A tree counts as exact when it is the published one up to the order of
operands of commutative operators; edges are pairs of labels, parent and child.
"""

from __future__ import annotations

import csv
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks._record import Record, json_rows, parser_of
from engines.formula.operator_tree import OperatorTree
from engines.formula.operator_tree_parser import operator_tree


def formulas(path: Path) -> list[str]:
    """The LaTeX of every formula of the collection."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return [row["latex"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def edges(tree: OperatorTree) -> Iterator[tuple[str, str]]:
    """The edges of a tree, as labels; of a single node the node."""
    if not tree.children:
        yield "", tree.label
    for node in tree.walk_nodes():
        for child in node.children:
            yield node.label, child.label


def compared(path: Path) -> dict[str, float]:
    """How many published trees come out exactly, and how well their edges."""
    rows = list(json_rows(path))
    exact = clean = without = shared = all_edges = 0
    for row in rows:
        reference, found = OperatorTree.from_document(row["tree"]), operator_tree(row["latex"])
        exact += str(reference.sort_operands()) == str(found.sort_operands())
        without += not reference.list_errors()
        clean += not reference.list_errors() and not found.list_errors()
        wanted, made = Counter(edges(reference)), Counter(edges(found))
        shared += (wanted & made).total()
        all_edges += wanted.total() + made.total()
    return {
        "formulas": len(rows),
        "exact": round(exact / len(rows), 4),
        "without_error_where_reference_has_none": round(clean / without, 4),
        "edge_f1": round(2 * shared / all_edges, 4),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    arguments = parser.parse_args()
    folder = arguments.collection
    kept = Record("formulas", arguments.out, collection=folder)
    latex = formulas(folder / "formulas_mini.tsv.gz")
    operator_tree("x")
    rates = []
    for _ in range(3):
        began = time.process_time()
        trees = [operator_tree(one) for one in latex]
        rates.append(len(latex) / (time.process_time() - began))
    figures = {
        "formulas": len(latex),
        "formulas_per_cpu_s": round(statistics.median(rates)),
        "with_error_nodes": round(sum(bool(tree.list_errors()) for tree in trees) / len(latex), 4),
        **{
            year: compared(folder / f"topic_opt_trees_{year}.jsonl.gz")
            for year in ("2020", "2021")
            if (folder / f"topic_opt_trees_{year}.jsonl.gz").exists()
        },
    }
    kept.write(figures)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
