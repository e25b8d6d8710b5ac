"""What a judge of equality adds to how equations of word problems are compared.

    .venv/bin/python -m benchmarks.mwp_equal DATA... [--solver mwp-en --problems FILE]

DATA are files of problems. Their distinct equations, normalised as in a pool, are grouped in two ways: by
their exact values at random numbers, as triplets and `mwp eval` compare them, and by the fingerprints of the
judge's values, where those that share one are judged. Counted are pairs that one of the two joins and the
other keeps apart. With a solver the first equation that it finds for each problem is compared with the
problem's own in three ways: at random numbers, by the judge, and by the judge where numbers of the text that
are worth the same stand for one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, table
from engines.core.tree import Tree
from engines.egen.judging import judge
from engines.egen.judging.fingerprint import ValueFingerprints
from engines.mwp.evaluations.scores import equivalent, signature
from engines.mwp.problems.equation import placeholders
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems


def term(tree: Tree) -> Tree:
    """An equation as the judge takes it: quantities are variables, constants numbers."""
    if not tree.children:
        label = tree.label
        return Tree(label.replace("N_", "n_") if label.startswith("N_") else label[2:].replace("_", "."))
    return Tree({"^": "pow"}.get(tree.label, tree.label), tuple(map(term, tree.children)))


def pairs(groups: Iterable[list[int]]) -> set[tuple[int, int]]:
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def groups_of(trees: list[Tree]) -> dict[str, Any]:
    """How many pairs of equations each comparison joins, and where they disagree."""
    arbiter, prints = judge(), ValueFingerprints()
    by_values: dict[Any, list[int]] = defaultdict(list)
    by_print: dict[Any, list[int]] = defaultdict(list)
    for place, tree in enumerate(trees):
        by_values[signature(tree)].append(place)
        for key in prints.of(term(tree)).whole or (f"#{place}",):
            by_print[key].append(place)
    now = pairs(by_values.values())
    verdicts = {
        pair: arbiter.equal(*(term(trees[place]) for place in pair))
        for pair in now | pairs(by_print.values())
    }
    joined = {pair for pair, found in verdicts.items() if found.verdict in ("equal", "equal if")}
    return {
        "equations": len(trees),
        "now": len(now),
        "judge": len(joined),
        "judge_only": [[str(trees[place]) for place in pair] for pair in sorted(joined - now)],
        "now_only": [
            [
                *(" ".join(trees[place].labels()) for place in pair),
                verdicts[pair].verdict,
                verdicts[pair].reason,
            ]
            for pair in sorted(now - joined)
        ],
    }


def merged(tree: Tree, problem: Problem) -> Tree:
    """With the first of the numbers that are worth the same in the place of all of them."""
    first: dict[Any, int] = {}
    names = {
        f"N_{at}": f"N_{first.setdefault(problem.values[at], at)}" for at in sorted({*placeholders(tree)})
    }
    return _renamed(tree, names)


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    return Tree(names.get(tree.label, tree.label), tuple(_renamed(child, names) for child in tree.children))


def answers_of(name: Path, file: Path) -> dict[str, int]:
    """Of the first equations of a solver, how many are equal to the problem's own by each comparison."""
    from engines.mwp.solver.solve import ready

    solver, arbiter = ready(name), judge()
    problems = [one for one in read_problems(file).rows if one.equation is not None]
    counts = dict.fromkeys(("problems", "right_answer", "now", "judge", "judge_only", "by_worth"), 0)
    for problem, found in zip(problems, solver.solve(problems), strict=True):
        counts["problems"] += 1
        if isinstance(found, str) or not found:
            continue
        best, gold = found[0].equation, problem.equation
        assert gold is not None
        counts["right_answer"] += abs(float(found[0].value or 0) - problem.answer) < 1e-3
        now = equivalent(best, gold)
        by_judge = arbiter.equal(term(best), term(gold)).verdict in ("equal", "equal if")
        worth = arbiter.equal(*(term(merged(tree, problem)) for tree in (best, gold)))
        counts["now"] += now
        counts["judge"] += by_judge
        counts["judge_only"] += by_judge and not now
        counts["by_worth"] += worth.verdict in ("equal", "equal if")
    return counts


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--solver", type=Path)
    parser.add_argument("--problems", type=Path)
    arguments = parser.parse_args()
    kept = Record("mwp_equal", arguments.out, **{file.name: file for file in arguments.data})
    figures: dict[str, Any] = {}
    for file in arguments.data:
        rows = (problem for problem in read_problems(file).rows if problem.normal is not None)
        trees = list(dict.fromkeys(problem.normal for problem in rows if problem.normal is not None))
        figures[file.name] = found = groups_of(trees)
        print(
            file.name,
            {name: len(value) if isinstance(value, list) else value for name, value in found.items()},
            flush=True,
        )
    if arguments.solver:
        figures["solver"] = answers_of(arguments.solver, arguments.problems)
    kept.write(figures)
    heads = ["file", "equations", "pairs joined at random numbers", "by the judge", "by the judge alone"]
    rows_ = [
        [
            name,
            *(
                str(len(v) if isinstance(v, list) else v)
                for v in (f["equations"], f["now"], f["judge"], f["judge_only"])
            ),
        ]
        for name, f in figures.items()
        if name != "solver"
    ]
    print("\n".join(table(heads, rows_)), figures.get("solver", ""))


if __name__ == "__main__":
    main()
