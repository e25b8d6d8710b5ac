"""Formulas of a collection that are equal and look different: how many groups, and what finds them.

    .venv/bin/python -m benchmarks.equal_formulas COLLECTION --cache DIR [--into docs/measurements/mathamr.md]

A group holds visually distinct formulas that are terms or statements with variables, share a key of their
values, and are each judged equal to its first one, without a condition; and that differ by more than the
order of operands and how a sign is written: also what is read from them differs, sums and products flattened
and sorted. Statements that never hold are left out. The work is bounded: formulas of more than `NODES` nodes
are left out, one is compared with at most `CLASSES` others that share a key, and at most `PAIRS` are judged,
small formulas first, so that there are at least as many groups as are found.

Each group is checked without the judge: its formulas are evaluated by mpmath at random points. So are all
formulas that are read: those with the same values there are the pairs that could be found at all.

Each formula of a group is then a query for the others that do not look like it: recall, and precision,
within as many as there are and within ten, for `--how equal`, parts of trees, BM25 over the tokens and a
drawn order; and, among the formulas of the groups and `AMONG` drawn others alone, since vectors take long to
make, also for MiniLM, over LaTeX and over trees as `--how dense` has them.

On Task 2 the judged formulas of a topic are ranked by parts of trees, and once more with those that
`mathwb mathamr search` finds equal (as a whole, also in a part, with other letters) before the others, whose
order stays. All of these and the orders that any other is to beat rank the same formulas.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

from benchmarks._record import Record, parser_of, put_into, table
from benchmarks.mathamr import UNITS, YEARS, Measured
from engines.core.tree import Tree
from engines.formula.meaning import read
from engines.formula.operator_tree_parser import ParsedFormula
from engines.forum.topics import read_topic_files
from engines.mathamr import IndexFormulas, index
from engines.mathamr.retrieval.equal_formulas import Equality, EqualityKind, EqualLook
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.search import rank_formulas
from engines.mathamr.retrieval.task2 import JudgedUnit
from engines.mathamr.retrieval.texts import write_tree_string
from engines.mathematics.judging import judge
from engines.mathematics.judging.fingerprint import ValueFingerprints
from engines.mathematics.judging.names import free_variables
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.encoders import encoder
from engines.retrieval.significance import bootstrap_interval
from engines.retrieval.trec import TrecRun, read_qrels, read_run, write_run

FOUND = 10
DEPTH = 1_000
CLASSES = 3
NODES = 40
PAIRS = 1500
POINTS = 4
QUERIES = 100
AMONG = 5_000

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def plain(tree: Tree) -> str:
    """What is read of a formula, sums, products and the sides of equations in one order."""
    if tree.label in ("+", "*", "and", "or", "set"):
        pending, operands = list(tree.children), []
        while pending:
            one = pending.pop()
            if one.label == tree.label and one.label in ("+", "*"):
                pending += one.children
            else:
                operands.append(plain(one))
        return f"({tree.label} {' '.join(sorted(operands))})"
    if not tree.children:
        return tree.label
    label, parts = tree.label, [plain(child) for child in tree.children]
    if label in (">", ">="):
        label, parts = label.replace(">", "<"), parts[::-1]
    return f"({label} {' '.join(sorted(parts) if label in ('=', '!=') else parts)})"


# ---- values by mpmath, which nothing of the judge computes


class NoValueError(Exception):
    """The term has no real value there, or it is not one that is evaluated here."""


@cache
def _point(name: str, at: int) -> Any:
    drawn = random.Random(f"{name} {at}")
    # Sums and factorials have values at integers alone.
    return mpmath.mpf(drawn.randint(2, 9)) if at % 2 else mpmath.mpf(drawn.randint(200, 3000)) / 1009


def _whole(value: Any) -> int:
    if value != int(value):
        raise NoValueError
    return int(value)


def _power(base: Any, exponent: Any) -> Any:
    if (base == 0 and exponent <= 0) or (base < 0 and exponent != int(exponent)):
        raise NoValueError
    return mpmath.power(base, exponent)


def _nth_root(degree: Any, of: Any) -> Any:
    if of < 0 and degree == int(degree) and int(degree) % 2:
        return -mpmath.root(-of, int(degree))
    return _power(of, 1 / degree)


def _inverse(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: of(1 / value)


_VALUES: Mapping[str, Callable[..., Any]] = {
    "+": lambda u, v: u + v,
    "-": lambda u, v=None: -u if v is None else u - v,
    "neg": lambda u: -u,
    "*": lambda u, v: u * v,
    "/": lambda u, v: u / v,
    "pow": _power,
    "sqrt": mpmath.sqrt,
    "root": _nth_root,
    "ln": mpmath.log,
    "exp": mpmath.exp,
    "log": lambda base, of: mpmath.log(of) / mpmath.log(base),
    "abs": abs,
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "sec", "csc", "cot", "floor", "ceil")},
    **{name: getattr(mpmath, name) for name in ("sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh")},
    "sign": mpmath.sign,
    "factorial": mpmath.factorial,
    "gamma": mpmath.gamma,
    "binomial": mpmath.binomial,
    "mod": lambda u, v: u - v * mpmath.floor(u / v),
    "min": min,
    "max": max,
}


def value(tree: Tree, at: int, names: Mapping[str, Any]) -> Any:
    """A term at a point. Raises: NoValueError."""
    label, children = tree.label, tree.children
    if not children:
        if label in names:
            return names[label]
        if label in ("pi", "e"):
            return +getattr(mpmath, label)
        if label[:1].isdigit() or (label[:1] in "-." and len(label) > 1):
            top, _, bottom = label.partition("/")
            return mpmath.mpf(top) / mpmath.mpf(bottom or 1)
        if label in ("i", "inf") or not label[:1].isalpha():
            raise NoValueError
        return _point(label, at)
    if label in ("sum", "prod"):
        low, high = (_whole(value(one, at, names)) for one in children[1:3])
        if not low - 1 <= high <= low + 60:
            raise NoValueError
        total = mpmath.mpf(label == "prod")
        for index_ in range(low, high + 1):
            term = value(children[3], at, {**names, children[0].label: mpmath.mpf(index_)})
            total = total * term if label == "prod" else total + term
        return total
    if label == "call":
        given = [mpmath.nstr(value(child, at, names), 15) for child in children[1:]]
        seed = blake2b(" ".join([children[0].label, *given]).encode(), digest_size=6).digest()
        return mpmath.mpf(int.from_bytes(seed) + 1) / 2**48
    if label not in _VALUES:
        raise NoValueError
    result = _VALUES[label](*(value(child, at, names) for child in children))
    if not isinstance(result, mpmath.mpf) or not mpmath.isfinite(result):
        raise NoValueError
    return result


def values(tree: Tree) -> tuple[str, ...]:
    """What is known of a term or relation at the points: digits, or "" where it has no value. Of a relation
    the differences of its sides, as multiples of the first one."""
    found: list[str] = []
    unit = None
    order = -1 if tree.label in (">", ">=") else 1
    for at in range(POINTS):
        try:
            if tree.label in COMPARISONS:
                left, right = (value(side, at, {}) for side in tree.children)
                here = order * (left - right)
                if unit is None and abs(here) > 1e-20:
                    unit = here if tree.label in ("=", "!=") else abs(here)
                here = here / unit if unit is not None else here * 0
            else:
                here = value(tree, at, {})
            found.append(mpmath.nstr(here if abs(here) > 1e-20 else mpmath.mpf(0), 12))
        except (NoValueError, ArithmeticError, ValueError, TypeError, OverflowError):
            found.append("")
    label = tree.label.replace(">", "<") if tree.label in COMPARISONS else ""
    return (label, *found)


def checked(trees: Sequence[Tree]) -> str:
    """Whether terms have the same values wherever they all have some: "agree", "differ" or "no value"."""
    rows = [values(tree) for tree in trees]
    seen = [set(column) - {""} for column in zip(*rows, strict=True)]
    if any(len(column) > 1 for column in seen):
        return "differ"
    both = [column for column in zip(*(row[1:] for row in rows), strict=True) if "" not in column]
    return "agree" if both else "no value"


# ---- groups


def never(tree: Tree, judges: Any) -> bool:
    """Whether a statement certainly never holds: two of them say the same, and nothing."""
    return tree.label == "=" and judges.holds(Tree("!=", tree.children)).outcome == "equal"


def groups(opened: FormulaIndex, trees: Mapping[int, Tree]) -> tuple[list[list[int]], dict[str, int]]:
    """The groups, as looks, and how many pairs were judged how."""
    fingerprints, judges = ValueFingerprints(), judge()
    keys, of_looks, shares = opened.keys
    _, place, count = np.unique(keys[shares == 1], return_inverse=True, return_counts=True)
    known = sorted({*of_looks[shares == 1][count[place] > 1].tolist()} & trees.keys())
    sharing: dict[int, dict[Tree, list[int]]] = defaultdict(lambda: defaultdict(list))
    for look in sorted(known, key=lambda one: len(trees[one])):
        if len(trees[look]) <= NODES:
            for key in fingerprints.compute_fingerprint(trees[look]).whole:
                sharing[key][trees[look]].append(look)
    verdicts: dict[str, int] = defaultdict(int)
    home: dict[Tree, Tree] = {}
    judged: dict[tuple[Tree, Tree], str] = {}
    looks: dict[Tree, list[int]] = {}
    for by_tree in sorted(sharing.values(), key=lambda one: max(map(len, one))):
        looks.update(by_tree)
        firsts: list[Tree] = []
        for tree in by_tree:
            if tree in home:
                continue
            for first in firsts[:CLASSES]:
                if (tree, first) not in judged:
                    if len(judged) == PAIRS:
                        continue
                    judged[tree, first] = judges.equal(first, tree).outcome
                    verdicts[judged[tree, first]] += 1
                if judged[tree, first] == "equal":
                    home[tree] = first
                    break
            else:
                firsts.append(tree)
    found: dict[Tree, list[Tree]] = defaultdict(list)
    for tree in looks:
        first = tree
        while first in home:
            first = home[first]
        found[first].append(tree)
    made = []
    for alike in found.values():
        members = sorted(look for tree in alike for look in looks[tree])
        drawn = {str(ParsedFormula(opened.read_latex(look)).search_tree.sort_operands()) for look in members}
        if len({plain(tree) for tree in alike}) > 1 and len(drawn) > 1 and not never(alike[0], judges):
            made.append(members)
    return made, dict(verdicts)


def measured(
    found: Callable[[int], Sequence[int]], others: Mapping[int, set[int]], alike: Mapping[int, set[int]]
) -> dict[str, Any]:
    """Of each query: the share of the others within ten, with its 95 % interval over queries, and of as many
    places as there are others, those that the others take; what looks as the query does is passed over. Of
    all that is listed within ten, the share that is another."""
    recalls, precisions, listed = [], [], []
    for query, wanted in others.items():
        first = list(islice((look for look in found(query) if look not in alike[query]), FOUND))
        most = min(FOUND, len(wanted))
        recalls.append(len(wanted & set(first)) / most)
        precisions.append(len(wanted & set(first[:most])) / most)
        if first:
            listed.append(len(wanted & set(first)) / len(first))
    means = (float(np.mean(one)) if one else 0.0 for one in (recalls, precisions, listed))
    names = ("recall_at_10", "r_precision", "precision_of_listed")
    low, high = bootstrap_interval(recalls)
    return {
        **{name: round(mean, 4) for name, mean in zip(names, means, strict=True)},
        "recall_interval": [round(low, 4), round(high, 4)],
    }


def dense(texts: Mapping[int, str]) -> Callable[[int], Sequence[int]]:
    """The looks in the order of the cosines of their texts, by MiniLM."""
    looks, vectors = np.array(list(texts)), encoder("minilm").encode(list(texts.values()))
    row = {look: at for at, look in enumerate(texts)}
    return lambda look: looks[np.argsort(-(vectors @ vectors[row[look]]), kind="stable")].tolist()


def beyond(
    hits: Mapping[int, Sequence[EqualLook]], group: Mapping[int, set[int]], trees: Mapping[int, Tree]
) -> dict[str, int]:
    """How many are found equal to formulas and are not in their groups: with a condition, since one of the
    two has more than `NODES` nodes, or else."""
    result: dict[str, int] = defaultdict(int)
    for query, equal in hits.items():
        for one in equal:
            if one.look in group[query]:
                continue
            large = one.look in trees and len(trees[one.look]) > NODES
            why = "conditions" if one.judgement.outcome == "equal if" else "large" if large else "else"
            print("beyond its group:", why, trees[query], trees.get(one.look), one.judgement, sep="\n    ")
            result[why] += 1
    return dict(result)


# ---- Task 2

FIRST: Mapping[str, tuple[EqualityKind, float]] = {
    "whole": ("equal", 1),
    "part": ("equal", 0),
    "renamed": ("renamed", 1),
}
"""What is put first: how it is searched, and the least share of a formula that is equal."""
ROWS = {
    "paths": "parts of trees",
    "whole": "equal as a whole first",
    "part": "equal, also in a part, first",
    "renamed": "equal with other letters first",
    "exact": "the same LaTeX first, the others drawn",
    "bm25": "BM25 over LaTeX",
    "latex": "MiniLM over LaTeX",
    "random": "a drawn order",
}


def task2(given: Measured) -> dict[str, Any]:
    """By unit of the judgements and year: the measures of each of `ROWS`; and of what is put first, the
    topics with some that is judged, and its grades."""
    opened, runs = FormulaIndex(given.index), given.baselines()
    runs |= {name: given.judged(name, name) for name in ("paths", "latex")}
    topics = {one.id: one for one in read_topic_files([given.topics(year) for year in YEARS])}
    ranking = read_run(runs["paths"], task=2).rankings
    ways = {by: Equality(opened, by) for by, _ in FIRST.values()}
    equal = {
        by: {topic: way.find_equal(topics[topic].latex, DEPTH, blank=True) for topic in ranking}
        for by, way in ways.items()
    }
    first: dict[str, dict[str, list[int]]] = {}
    for name, (by, least) in FIRST.items():
        first[name] = {
            topic: [one.look for one in found if one.share >= least] for topic, found in equal[by].items()
        }
        rankings = {}
        for topic, formulas in ranking.items():
            place: dict[int | None, int] = {look: at for at, look in enumerate(first[name][topic])}
            order = sorted(
                (one for one, _ in formulas), key=lambda one: place.get(opened.look_of(one), DEPTH)
            )
            rankings[topic] = [(one, -float(at)) for at, one in enumerate(order)]
        runs[name] = given.place / f"{name}.tsv"
        write_run(TrecRun(name, rankings), runs[name])
    figures: dict[str, Any] = {unit: {} for unit in UNITS}
    for unit, year in product(UNITS, YEARS):
        qrels = read_qrels(given.qrels(year, unit)).grades
        figures[unit][year] = given.figures([runs[name] for name in ROWS], year, unit)
        figures[unit][year]["first"] = {}
        for name, of_topic in first.items():
            grades = {
                topic: [
                    grade for look in looks if (grade := graded(opened, look, unit, qrels[topic])) is not None
                ]
                for topic, looks in of_topic.items()
                if topic in qrels
            }
            figures[unit][year]["first"][name] = {
                "topics": sum(map(bool, grades.values())),
                "grades": {str(grade): n for grade, n in sorted(Counter(chain(*grades.values())).items())},
            }
    return figures


def graded(opened: FormulaIndex, look: int, unit: JudgedUnit, grades: Mapping[str, int]) -> int | None:
    """The highest grade of what looks so; None where none is judged."""
    names = (
        [opened.read_visual_id(look)]
        if unit == "visual"
        else [one["id"] for one in opened.list_members(look)]
    )
    return max((grades[name] for name in names if name in grades), default=None)


def markdown(figures: Mapping[str, Any]) -> str:
    """The tables of `docs/measurements/mathamr.md`."""
    lines: list[str] = []
    for unit in UNITS:
        of_year = figures[unit]
        years = [f"{year}, {of_year[year]['topics']} topics" for year in YEARS]
        heads = [f"nDCG'@10, judgements by {UNITS[unit]}"]
        heads += [head for year in years for head in (year, "against parts of trees")]
        rows = []
        for name, title in ROWS.items():
            cells = [title]
            for year in YEARS:
                tests = [one for one in of_year[year]["tests"] if one["run"] == name]
                tests = [one for one in tests if one["measure"] == "ndcg10_prime"]
                cells.append(f"{of_year[year][name]['ndcg10_prime']:.3f}")
                shown = "{:+.3f} ({:+.3f} to {:+.3f})"
                cells.append("".join(shown.format(one["difference"], *one["interval"]) for one in tests))
            rows.append(cells)
        lines += table(heads, rows)
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--into", type=Path, help="the page whose tables of Task 2 are replaced")
    arguments = parser.parse_args()
    record = Record("equal_formulas", arguments.out, collection=arguments.collection)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    of_task2 = Measured(arguments.collection, arguments.cache)
    place, began = of_task2.index, time.process_time()
    if not (place / "about.json").exists():
        index(IndexFormulas(arguments.collection, place, values=True))
    opened = FormulaIndex(place)
    trees: dict[int, Tree] = {}
    for look in range(len(opened)):
        tree = read(opened.read_latex(look)).tree
        if tree is not None and tree.children and free_variables(tree):
            trees[look] = tree
    every, verdicts = groups(opened, trees)
    lines = ("\t".join(" ".join(opened.read_latex(look).split()) for look in looks) + "\n" for looks in every)
    (arguments.cache / "groups.tsv").write_text("".join(lines))
    checks: dict[str, int] = defaultdict(int)
    with mpmath.workdps(40):
        for looks in every:
            said = checked([trees[look] for look in looks])
            checks[said] += 1
            if said == "differ":
                print("differ:", *(opened.read_latex(look) for look in looks), sep="\n    ")
        by_values: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for look, tree in trees.items():
            row = values(tree) if len(tree) <= NODES else ("",)
            if all(row[1:]) and len(set(row[1:])) > 1:
                by_values[row].add(look)
    written = {look: plain(tree) for look, tree in trees.items()}
    home = {look: number for number, looks in enumerate(every) for look in looks}
    pairs = certified = 0
    for same in by_values.values():
        one_each = list({written[look]: look for look in sorted(same)}.values())
        for at, one in enumerate(one_each):
            for other in one_each[at + 1 :]:
                pairs += 1
                certified += one in home and home[one] == home.get(other)
    print(
        "groups", len(every), dict(checks), verdicts, "pairs by values", pairs, "of them certified", certified
    )

    queries = [look for looks in every for look in looks]
    chosen = sorted(random.Random(0).sample(queries, min(QUERIES, len(queries))))
    alike = {look: {o for o in every[home[look]] if written[o] == written[look]} for look in chosen}
    others = {look: set(every[home[look]]) - alike[look] for look in chosen}
    equality = Equality(opened, "equal")
    depth = FOUND + max(map(len, alike.values()))
    drawn = random.Random(0).sample(range(len(opened)), AMONG)
    pool = dict.fromkeys([*queries, *drawn])
    texts = opened.looks["latex"].to_pylist()
    build_lexical([TermPart.from_texts(f"${one}$" for one in texts)], arguments.cache / "bm25")
    lexical, drawn_from = LexicalIndex(arguments.cache / "bm25"), random.Random(0)

    def by_bm25(look: int) -> list[int]:
        return np.argsort(-lexical.score_documents(f"${opened.read_latex(look)}$"), kind="stable").tolist()

    hits = {
        look: [
            one for one in equality.find_equal(opened.read_latex(look), depth, blank=True) if one.share == 1
        ]
        for look in chosen
    }

    ways: dict[str, Callable[[int], Sequence[int]]] = {
        "equal": lambda look: [one.look for one in hits[look]],
        "paths": lambda look: [
            one for one, _ in rank_formulas(opened, ParsedFormula(opened.read_latex(look)), len(opened))
        ],
        "bm25": by_bm25,
        "random": lambda _: drawn_from.sample(range(len(opened)), len(opened)),
    }
    of_trees = {look: write_tree_string(ParsedFormula(opened.read_latex(look))) for look in pool}
    among = {
        name: lambda look, way=way: [one for one in way(look) if one in pool] for name, way in ways.items()
    } | {"latex": dense({look: opened.read_latex(look) for look in pool}), "trees": dense(of_trees)}
    figures = {
        "looks": len(opened),
        "with_keys": opened.about["values"]["looks"],
        "keys": opened.about["values"]["keys"],
        "groups": len(every),
        "formulas_in_groups": len(queries),
        "distinct_readings_in_groups": len({written[look] for look in queries}),
        "pairs_judged": verdicts,
        "groups_by_mpmath": dict(checks),
        "pairs_with_the_same_values": pairs,
        "pairs_certified": certified,
        "queries": len(chosen),
        "found": {name: measured(way, others, alike) for name, way in ways.items()},
        "among": len(pool),
        "found_among": {name: measured(way, others, alike) for name, way in among.items()},
        "equal_beyond_groups": beyond(hits, {look: set(every[home[look]]) for look in chosen}, trees),
        "task2": task2(of_task2),
        "processor_s": round(time.process_time() - began, 1),
    }
    print(figures)
    record.write(figures, libraries=["python-flint", "numpy", "mpmath"])
    if arguments.into:
        put_into(arguments.into, markdown(figures["task2"]), "task2")


if __name__ == "__main__":
    main()
