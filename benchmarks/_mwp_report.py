"""Report of the solvers' rows: accuracies with their intervals, tests within a group, votes, and tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._mwp_runs import CHALLENGES, ORDERS, ROWS, Bench, facts, fold_name, judged, rows_of
from benchmarks._record import RESULTS, table


def vote(several: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, bool]:
    """By problem of the first whether the answer that most give is right; of those that tie, the first."""
    from engines.mwp.problems.equation import is_right

    given: dict[str, list[float | None]] = {row["id"]: [] for row in several[0]}
    for rows in several:
        for row in rows:
            given[row["id"]].append(None if row["answer"] is None else round(row["answer"], 3))
    found = {}
    for row in several[0]:
        # Of equally frequent ones `Counter` gives the one that it met first.
        most = Counter(given[row["id"]]).most_common(1)[0][0]
        found[row["id"]] = most is not None and is_right(most, row["gold_answer"])
    return found


def accuracy(runs: Sequence[Mapping[str, bool]]) -> dict[str, Any]:
    """The mean over runs and problems, with its interval. Runs of several seeds hold the same problems, those
    of several folds others."""
    from engines.mwp.evaluations.evaluate import interval
    from engines.retrieval.significance import bootstrap_interval

    by_problem: dict[str, list[bool]] = {}
    for run in runs:
        for name, right in run.items():
            by_problem.setdefault(name, []).append(right)
    means = [sum(rights) / len(rights) for rights in by_problem.values()]
    if all(len(rights) == 1 for rights in by_problem.values()):
        low, high = interval([rights[0] for rights in by_problem.values()])
    else:
        low, high = bootstrap_interval(means)
    return {
        "problems": len(means),
        "answer_accuracy": round(sum(means) / len(means), 4),
        "ci95": [round(low, 4), round(high, 4)],
        "by_run": [round(sum(run.values()) / len(run), 4) for run in runs],
    }


def report(bench: Bench) -> dict[str, Any]:
    """All finished rows by group."""
    from engines.retrieval.significance import holm

    found: dict[str, Any] = {}
    firsts: dict[str, str] = {}
    kept = RESULTS / "mwp_rows.json"
    reported = json.loads(kept.read_bytes())["figures"]["rows"] if kept.exists() else {}
    for name, row in ROWS.items():
        runs = list(bench.runs(name))
        measured = [(fold, seed, folder) for fold, seed, folder in runs if judged(folder, "asdiv-a")]
        first = firsts.setdefault(row.group, name) if measured or name in reported else ""
        if not measured:
            if first:
                found[name] = reported[name]
            continue
        document: dict[str, Any] = {
            "group": row.group,
            "title": row.title,
            "recipe": row.recipe,
            "settings": dict(row.settings),
            "begins_with": row.start,
            "runs": [{"fold": fold, "seed": seed, **facts(folder)} for fold, seed, folder in measured],
            "asdiv-a": accuracy([judged(folder, "asdiv-a") for _, _, folder in measured]),
        }
        for data in CHALLENGES:
            several = [answers for _, _, folder in measured if (answers := judged(folder, data))]
            if several:
                document[data] = accuracy(several)
        if votes := _votes(measured):
            document["votes"] = votes
        if name != first:
            for data in ("asdiv-a", *CHALLENGES):
                theirs = {(f, s): judged(folder, data) for f, s, folder in bench.runs(first)}
                pairs = [
                    (judged(folder, data), theirs[fold, seed])
                    for fold, seed, folder in measured
                    if theirs.get((fold, seed))
                ]
                if pairs:
                    document[data]["against"] = {"row": first, **against(pairs)}
        found[name] = document
    for group in firsts:
        tests = [
            row["asdiv-a"]["against"]
            for row in found.values()
            if row["group"] == group and "against" in row["asdiv-a"]
        ]
        for test, adjusted in zip(tests, holm([_p(test) for test in tests]), strict=True):
            test["holm_p"] = adjusted
    return found


def against(pairs: Sequence[tuple[Mapping[str, bool], Mapping[str, bool]]]) -> dict[str, Any]:
    """Runs of two rows on the same problems, run by run: which problems each gets right more often, and the
    p-value. A problem with several answers is one unit, since the answers of several seeds are not
    independent: then it is that of the randomisation test over problems, otherwise McNemar's."""
    from engines.mwp.evaluations.evaluate import mcnemar
    from engines.retrieval.significance import compare

    ours: dict[str, list[bool]] = {}
    theirs: dict[str, list[bool]] = {}
    for right, other in pairs:
        for problem in right:
            ours.setdefault(problem, []).append(right[problem])
            theirs.setdefault(problem, []).append(other[problem])
    found: dict[str, Any] = {"pairs": len(ours)}
    if len(pairs) == 1 or all(len(answers) == 1 for answers in ours.values()):
        return found | mcnemar([one for (one,) in ours.values()], [one for (one,) in theirs.values()])
    means = [{name: sum(rights) / len(rights) for name, rights in row.items()} for row in (theirs, ours)]
    tested = compare(*means)
    return found | {
        "right_here_alone": tested.wins,
        "right_there_alone": tested.losses,
        "difference": round(tested.difference, 4),
        "difference_ci95": [round(end, 4) for end in tested.interval],
        "randomisation_p": tested.randomisation_p,
    }


def _p(test: Mapping[str, Any]) -> float:
    return float(test["randomisation_p"] if "randomisation_p" in test else test["mcnemar_p"])


def _votes(runs: Sequence[tuple[int | None, int, Path]]) -> dict[str, Any]:
    from engines.mwp.evaluations.evaluate import mcnemar

    found: dict[str, Any] = {}
    by_fold: dict[int | None, list[list[dict[str, Any]]]] = {}
    for fold, _, folder in runs:
        by_fold.setdefault(fold, []).append(rows_of(folder, "asdiv-a"))
    ordered = [
        [rows_of(folder, data) for data in ("asdiv-a", *ORDERS)]
        for *_, folder in runs
        if rows_of(folder, ORDERS[-1])
    ]
    seeds = [several for several in by_fold.values() if len(several) > 2]
    for name, ballots in (("orders", ordered), ("seeds", seeds)):
        if ballots:
            voted = [vote(several) for several in ballots]
            alone = [{row["id"]: row["answer_right"] for row in several[0]} for several in ballots]
            pairs = [(one[key], other[key]) for one, other in zip(voted, alone, strict=True) for key in one]
            test = mcnemar([ours for ours, _ in pairs], [other for _, other in pairs])
            found[name] = {**accuracy(voted), "alone": accuracy(alone)["answer_accuracy"], **test}
    return found


def markdown(rows: Mapping[str, Any]) -> str:
    """The tables of `docs/measurements/mwp.md`, one a group."""
    lines: list[str] = []
    heads = ["row", "runs (fold/seed)", "development, %", "ASDiv-A, %", "against the first", "p (Holm)"]
    heads += ["SVAMP", "question first, “given that”", "ParaMAWPS"]
    for group in dict.fromkeys(row["group"] for row in rows.values()):
        lines += [f"**{group[0].upper()}{group[1:]}**", ""]
        cells = []
        for name, row in rows.items():
            if row["group"] != group:
                continue
            runs = ", ".join(f"{fold_name(run['fold'])}/{run['seed']}" for run in row["runs"])
            test = row["asdiv-a"].get("against")
            told = ["", ""]
            if test:
                told = [f"+{test['right_here_alone']} −{test['right_there_alone']} of {test['pairs']}"]
                told.append(f"{_p(test):.4f} ({test['holm_p']:.4f})")
            cells.append(
                [
                    f"{row['title']} (`{name}`)",
                    runs,
                    f"{100 * _development(row['runs']):.1f}",
                    _percent(row["asdiv-a"]),
                    *told,
                    *(_percent(row[data]) if data in row else "" for data in CHALLENGES),
                ]
            )
        lines += table(heads, cells)
    return "\n".join(lines)


def _development(runs: Sequence[Mapping[str, Any]]) -> float:
    return sum(run["development"]["development_answer_accuracy"] for run in runs) / len(runs)


def _percent(found: Mapping[str, Any]) -> str:
    low, high = found["ci95"]
    return f"{100 * found['answer_accuracy']:.1f} ({100 * low:.1f} to {100 * high:.1f})"
