"""Solvers of English word problems, trained by their recipes and measured where nothing was trained on.

    .venv/bin/python -m benchmarks.mwp_rows [ROW ...] --cache DIR --data DIR [--folds 0,1] [--seeds 0,1]
        [--challenges] [--report] [--into docs/measurements/mwp.md]

DATA is a folder with ASDiv-A (folds 0-3), MAWPS, one half of SVAMP and ParaMAWPS. A row is a recipe with
settings; each is trained on three folds of ASDiv-A and measured on the fourth, or, without ASDiv-A, measured
on all four. Everything goes through the command line, `mathwb train` and `mathwb mwp eval`, in a workspace in
the cache. A finished run is not done again, even if its recipe has changed since: then its folder has to go.
One that was broken off goes on, and several of these commands may fill one cache. `--challenges` measures on
the challenge sets too, `--votes` on the test problems with their question first and their sentences in other
orders, so that five answers can be put to the vote, as those of several seeds are. `--report` puts what the
cache holds into `results/mwp_rows.json`: right answers over all runs of a row, with the 95 % interval (Wilson
for one answer a problem, otherwise a bootstrap over problems), the mean of what chose the models on the
development splits, and each row against the first of its group on the same problems (McNemar, exact, or where
problems have several answers the randomisation test over problems; Holm's adjustment within the group). A row
that the cache does not hold stays as it was reported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks._record import RESULTS, Record, parser_of, put_into, table

if TYPE_CHECKING:
    from engines.mwp.problems.problem import Problem

FILES = {
    "asdiv-a": "asdiv_a_folds0-3.jsonl",
    "mawps": "mawps_5fold.jsonl.gz",
    "svamp": "svamp_half_a.jsonl",
    "paramawps": "paramawps_valid.jsonl.gz",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A recipe with settings.

    Args: group: rows that are compared with the first of it. mawps: it learns from MAWPS, so that ParaMAWPS
    is no challenge. whole: nothing of ASDiv-A is trained on, and all folds are the test. start: the row with
    whose run of the same fold and seed it begins, or a model that ships.
    """

    group: str
    title: str
    recipe: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    mawps: bool = False
    whole: bool = False
    start: str = ""


_ON: Mapping[str, Any] = {"train.epochs": 2, "lr": 3e-4, "warmup": 10, "eval_every": 41}
_CL = {**_ON, "model.alpha": 0.1}
_ALL = {**_CL, "model.pool": "train,qr,roda"}
TREE, DEDUCTIVE, SHIPPED = "tree decoder, ASDiv-A alone", "deductive head", "nothing of ASDiv-A"
_TREE, _FOLD, _WHOLE = "mwp/bert-gts-en-small", "mwp/solver-en-fold", "mwp/solver-en"
ROWS: Mapping[str, Row] = {
    "bert-gts": Row("the tree decoder that the rows below begin with", "8 epochs", _TREE),
    "bert-gts-on": Row(TREE, "BERT-GTS from MiniLM", _TREE, _ON, start="bert-gts"),
    "cl": Row(TREE, "+ supervised CL", _TREE, _CL, start="bert-gts"),
    "cl-qr": Row(TREE, "+ QR CL", _TREE, {**_CL, "model.pool": "train,qr"}, start="bert-gts"),
    "cl-roda": Row(TREE, "+ RODA CL", _TREE, {**_CL, "model.pool": "train,roda"}, start="bert-gts"),
    "cl-all": Row(TREE, "+ CL", _TREE, _ALL, start="bert-gts"),
    "cl-joint": Row(TREE, "+ CL, joint", _TREE, {**_ALL, "model.strategy": "joint"}, start="bert-gts"),
    "deductive": Row(DEDUCTIVE, "ASDiv-A alone", _FOLD, {"data.also": ""}),
    "tree": Row(DEDUCTIVE, "the tree decoder instead", _FOLD, {"data.also": "", "model.head": "tree"}),
    "deductive-mawps": Row(DEDUCTIVE, "with filtered MAWPS", _FOLD, mawps=True),
    "deductive-on": Row(
        DEDUCTIVE,
        "mwp-en, then ASDiv-A",
        _FOLD,
        {"data.also": "", "train.epochs": 4, "lr": 5e-4, "warmup": 20, "eval_every": 40},
        mawps=True,
        start="mwp-en",
    ),
    "solver-en-on": Row(
        SHIPPED,
        "mwp-en, then with reversed problems",
        _WHOLE,
        {
            **_ON,
            "eval_every": 100,
            "model.pool": "train,roda",
            "model.anchors": "all",
            "model.coherent": True,
        },
        mawps=True,
        whole=True,
        start="mwp-en",
    ),
}
_MADE = "model/solver.json"
CHALLENGES = ("svamp", "given-that", "paramawps")
ORDERS = ("order-0", "order-1", "order-2", "order-3")
"""The question first, then three random orders of the sentences."""


class Bench:
    """The cache and its workspace, and the rows that are trained there, by name."""

    def __init__(self, cache: Path, data: Path, rows: Mapping[str, Row] = ROWS) -> None:
        self.cache, self._data, self.rows = cache.absolute(), data.absolute(), rows
        self._home = self.cache / "home"

    def mathwb(self, *words: object) -> Any:
        """What a command prints with `--json`. Raises: SystemExit with its message when it fails."""
        code = "import sys; from workbench.cli import main; sys.argv[0] = 'mathwb'; main()"
        command = [sys.executable, "-c", code, *map(str, words), "--json"]
        environment = {**os.environ, "MATHWB_HOME": str(self._home)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr[-2000:] or done.stdout[-2000:]}")
        return json.loads(done.stdout)

    def register(self) -> None:
        """The data that recipes name."""
        known = {entry["name"] for entry in self.mathwb("data", "list")}
        for name, file in FILES.items():
            if name not in known:
                self.mathwb("data", "add", "problems", self._data / file, "--name", name)

    def runs(self, name: str) -> Iterator[tuple[int | None, int, Path]]:
        """Fold, seed and folder of the finished runs of a row."""
        for folder in sorted(self.cache.glob(f"{name}_*")):
            if (folder / _MADE).exists():
                fold, seed = folder.name.removeprefix(f"{name}_").split("_")
                yield None if fold == "all" else int(fold), int(seed), folder

    def train(self, name: str, fold: int | None, seed: int) -> Path:
        """A run, finished."""
        row = self.rows[name]
        folder = self.cache / f"{name}_{fold_name(None if row.whole else fold)}_{seed}"
        if (folder / _MADE).exists():
            return folder
        settings = {**row.settings, "seed": seed, **({} if row.whole else {"model.fold": fold})}
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={_toml(value)}")]
        if row.start:
            from engines.core.system import asset

            ours = row.start in self.rows
            start = self.train(row.start, fold, seed) / "model" if ours else asset(f"models/{row.start}")
            words += ["--init-from", str(start)]
        self.mathwb("train", row.recipe, "--headless", "--device", "cpu", "--out", folder, *words)
        return folder

    def measured(self, folder: Path, data: str, fold: int | None) -> dict[str, Any]:
        """What `mathwb mwp eval` says of a run; its answers stand beside it.

        Args: fold: that of ASDiv-A whose problems, or what is made of them, are the test; None: all.
        """
        kept = folder / f"{data}.json"
        if not kept.exists():
            place: object = data
            words: list[object] = ["--out", folder / f"{data}.jsonl"]
            if data == "given-that":
                place = self._given_that(fold)
            elif data in ORDERS:
                place = self._ordered(ORDERS.index(data), fold)
            elif data == "asdiv-a" and fold is not None:
                words += ["--fold", fold]
            kept.write_text(json.dumps(self.mathwb("mwp", "eval", folder / "model", place, *words)))
        result: dict[str, Any] = json.loads(kept.read_text())
        return result

    def _given_that(self, fold: int | None) -> Path:
        from engines.mwp.problems.readers import write_problems

        out = self.cache / f"given-that-{fold_name(fold)}.jsonl"
        if not out.exists():
            own = self.cache / f"fold-{fold_name(fold)}.jsonl"
            write_problems(own, self._tests(fold))
            sizes = ("--draw", 239, "--keep", 239, "--seed", 0)
            self.mathwb("mwp", "challenge", own, "--how", "given-that", *sizes, "--out", out)
        return out

    def _tests(self, fold: int | None) -> list[Problem]:
        from engines.mwp.problems.readers import read_problems

        rows = read_problems(self._data / FILES["asdiv-a"]).usable
        return [row for row in rows if fold is None or row.fold == fold]

    def _ordered(self, number: int, fold: int | None) -> Path:
        from engines.mwp.augmentation.reordering import reorder_question, shuffle_facts
        from engines.mwp.problems.readers import write_problems

        out, made = self.cache / f"order-{number}-{fold_name(fold)}.jsonl", []
        if not out.exists():
            for row in self._tests(fold):
                if number:
                    told = shuffle_facts(row, Random(f"{number} {row.id}"))
                else:
                    variant = reorder_question(row)
                    told = None if isinstance(variant, str) else replace(variant.problem, id=row.id)
                made += [told] if told is not None else []
            write_problems(out, made)
        return out


def fold_name(fold: int | None) -> str:
    """As names of files and cells have it."""
    return "all" if fold is None else str(fold)


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else json.dumps(value)


def rows_of(folder: Path, data: str) -> list[dict[str, Any]]:
    """A run's answers; none where it was not measured."""
    if not (folder / f"{data}.json").exists():
        return []
    return [json.loads(line) for line in (folder / f"{data}.jsonl").read_text("utf-8").splitlines()]


def judged(folder: Path, data: str) -> dict[str, bool]:
    """By problem whether a run's answer is right."""
    return {row["id"]: row["answer_right"] for row in rows_of(folder, data)}


def facts(folder: Path) -> dict[str, Any]:
    """How a run was trained: its length, what chose it, by which code, on which data."""
    facts = json.loads((folder / "model" / "training.json").read_bytes())
    result, commit = facts["result"], facts["environment"]["git"]
    return {
        "steps": result["step"],
        "best_step": result["best_step"],
        "examples": result["examples"],
        "seconds": round(result["seconds"]),
        "development": result["measures"],
        "commit": commit["commit"] + (", changed" if commit["changed"] else ""),
        "data": {key: value for key, value in facts["identity"].items() if key.startswith("data.")},
    }


def vote(several: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, bool]:
    """By problem of the first whether the answer that most give is right; of those that tie, the first."""
    from engines.mwp.problems.problem import is_right

    given: dict[str, list[float | None]] = {row["id"]: [] for row in several[0]}
    for rows in several:
        for row in rows:
            given[row["id"]].append(None if row["answer"] is None else round(row["answer"], 3))
    result = {}
    for row in several[0]:
        # Of equally frequent ones `Counter` gives the one that it met first.
        most = Counter(given[row["id"]]).most_common(1)[0][0]
        result[row["id"]] = most is not None and is_right(most, row["gold_answer"])
    return result


def accuracy(runs: Sequence[Mapping[str, bool]]) -> dict[str, Any]:
    """The mean over runs and problems, with its interval. Runs of several seeds hold the same problems, those
    of several folds others."""
    from engines.mwp.evaluations.comparisons import wilson_interval
    from engines.retrieval.significance import bootstrap_interval

    by_problem: dict[str, list[bool]] = {}
    for run in runs:
        for name, right in run.items():
            by_problem.setdefault(name, []).append(right)
    means = [sum(rights) / len(rights) for rights in by_problem.values()]
    if all(len(rights) == 1 for rights in by_problem.values()):
        low, high = wilson_interval([rights[0] for rights in by_problem.values()])
    else:
        low, high = bootstrap_interval(means)
    return {
        "problems": len(means),
        "answer_accuracy": round(sum(means) / len(means), 4),
        "ci95": [round(low, 4), round(high, 4)],
        "by_run": [round(sum(run.values()) / len(run), 4) for run in runs],
    }


def report(bench: Bench, reported: Mapping[str, Any]) -> dict[str, Any]:
    """All finished rows by group; one that the cache does not hold is that of an earlier report."""
    from engines.retrieval.significance import holm

    result: dict[str, Any] = {}
    firsts: dict[str, str] = {}
    for name, row in bench.rows.items():
        runs = list(bench.runs(name))
        measured = [(fold, seed, folder) for fold, seed, folder in runs if judged(folder, "asdiv-a")]
        first = firsts.setdefault(row.group, name) if measured or name in reported else ""
        if not measured:
            if first:
                result[name] = reported[name]
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
        result[name] = document
    for group in firsts:
        tests = [
            row["asdiv-a"]["against"]
            for row in result.values()
            if row["group"] == group and "against" in row["asdiv-a"]
        ]
        for test, adjusted in zip(tests, holm([_p(test) for test in tests]), strict=True):
            test["holm_p"] = adjusted
    return result


def against(pairs: Sequence[tuple[Mapping[str, bool], Mapping[str, bool]]]) -> dict[str, Any]:
    """Runs of two rows on the same problems, run by run: which problems each gets right more often, and the
    p-value. A problem with several answers is one unit, since the answers of several seeds are not
    independent: then it is that of the randomisation test over problems, otherwise McNemar's."""
    from engines.mwp.evaluations.comparisons import compare_mcnemar
    from engines.retrieval.significance import compare

    ours: dict[str, list[bool]] = {}
    theirs: dict[str, list[bool]] = {}
    for right, other in pairs:
        for problem in right:
            ours.setdefault(problem, []).append(right[problem])
            theirs.setdefault(problem, []).append(other[problem])
    found: dict[str, Any] = {"pairs": len(ours)}
    if len(pairs) == 1 or all(len(answers) == 1 for answers in ours.values()):
        return found | compare_mcnemar([one for (one,) in ours.values()], [one for (one,) in theirs.values()])
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
    from engines.mwp.evaluations.comparisons import compare_mcnemar

    result: dict[str, Any] = {}
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
            test = compare_mcnemar([ours for ours, _ in pairs], [other for _, other in pairs])
            result[name] = {**accuracy(voted), "alone": accuracy(alone)["answer_accuracy"], **test}
    return result


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
            development = sum(run["development"]["development_answer_accuracy"] for run in row["runs"])
            test = row["asdiv-a"].get("against")
            told = ["", ""]
            if test:
                told = [f"+{test['right_here_alone']} −{test['right_there_alone']} of {test['pairs']}"]
                told.append(f"{_p(test):.4f} ({test['holm_p']:.4f})")
            cells.append(
                [
                    f"{row['title']} (`{name}`)",
                    runs,
                    f"{100 * development / len(row['runs']):.1f}",
                    _percent(row["asdiv-a"]),
                    *told,
                    *(_percent(row[data]) if data in row else "" for data in CHALLENGES),
                ]
            )
        lines += table(heads, cells)
    return "\n".join(lines)


def _percent(found: Mapping[str, Any]) -> str:
    low, high = found["ci95"]
    return f"{100 * found['answer_accuracy']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", default="0")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--challenges", action="store_true", help="measure on the challenge sets too")
    parser.add_argument("--votes", action="store_true", help="measure on other orders of the sentences too")
    parser.add_argument("--report", action="store_true", help="write what the cache holds")
    parser.add_argument("--into", type=Path, help="the page whose table is replaced")
    arguments = parser.parse_args()
    kept = Record("mwp_rows", arguments.out, data=arguments.data) if arguments.report else None
    for name in set(arguments.rows) - ROWS.keys():
        parser.error(f"there is no row {name!r}")
    bench = Bench(arguments.cache, arguments.data)
    bench.register()
    for seed in map(int, arguments.seeds.split(",")):
        for name in arguments.rows:
            for fold in [None] if ROWS[name].whole else map(int, arguments.folds.split(",")):
                folder = bench.train(name, fold, seed)
                sets = ["asdiv-a", *(CHALLENGES if arguments.challenges else ())]
                sets += ORDERS if arguments.votes else ()
                if ROWS[name].mawps and "paramawps" in sets:
                    sets.remove("paramawps")
                for data in sets:
                    result = bench.measured(folder, data, fold)
                    print(
                        name, fold, seed, data, result["answer_accuracy"], result["ci95"]["answer_accuracy"]
                    )
    if kept:
        before = RESULTS / "mwp_rows.json"
        reported = json.loads(before.read_bytes())["figures"]["rows"] if before.exists() else {}
        rows = report(bench, reported)
        kept.write({"rows": rows}, libraries=("torch", "transformers"))
        if arguments.into:
            put_into(arguments.into, markdown(rows))


if __name__ == "__main__":
    main()
