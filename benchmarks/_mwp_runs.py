"""Rows of the table of solvers, and their runs in a cache: each is trained and measured once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

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
    """The cache and its workspace."""

    def __init__(self, cache: Path, data: Path) -> None:
        self.cache, self._data = cache.absolute(), data.absolute()
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
        row = ROWS[name]
        folder = self._folder(name, fold, seed)
        if (folder / _MADE).exists():
            return folder
        settings = {**row.settings, "seed": seed, **({} if row.whole else {"model.fold": fold})}
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={_toml(value)}")]
        if row.start:
            words += ["--init-from", str(self._begun(row.start, fold, seed))]
        self.mathwb("train", row.recipe, "--headless", "--device", "cpu", "--out", folder, *words)
        return folder

    def _begun(self, start: str, fold: int | None, seed: int) -> Path:
        from engines.core.assets import asset

        return self.train(start, fold, seed) / "model" if start in ROWS else asset(f"models/{start}")

    def _folder(self, name: str, fold: int | None, seed: int) -> Path:
        return self.cache / f"{name}_{fold_name(None if ROWS[name].whole else fold)}_{seed}"

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
        found: dict[str, Any] = json.loads(kept.read_text())
        return found

    def _given_that(self, fold: int | None) -> Path:
        """A challenge set of the problems that the run was not trained on."""
        from engines.mwp.problems.describe import write_problems

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
        from engines.mwp.augmentation.reorder import reordered
        from engines.mwp.evaluations.scores import reordered_sentences
        from engines.mwp.problems.describe import write_problems

        out, made = self.cache / f"order-{number}-{fold_name(fold)}.jsonl", []
        if not out.exists():
            for row in self._tests(fold):
                if number:
                    told = reordered_sentences(row, Random(f"{number} {row.id}"))
                else:
                    variant = reordered(row)
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
