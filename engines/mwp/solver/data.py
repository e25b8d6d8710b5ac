"""What a solver is trained on: problems, those that choose the model, variants, and what is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random

from engines.core.errors import DataError
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems

__all__ = ["ALIKE", "Material", "look_alikes", "marks", "material"]

ALIKE = 0.4
"""Two problems with this Jaccard index of their pairs of neighbouring words, numbers aside, count as one."""
_BLOCK = 512
"""Problems that are compared with all others at a time."""
_PLACE = re.compile(r"N_\d+")
_WORD = re.compile(r"[㐀-鿿]|[^\W\d_㐀-鿿]+")


@dataclass(frozen=True, slots=True)
class Material:
    """Args: train: problems with equations. development: those that choose the model. left_out: how many
    problems, by reason. alike: development problems that look like one to train on."""

    train: tuple[Problem, ...]
    development: tuple[Problem, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    alike: int = 0


def material(
    data: Mapping[str, Path], *, fold: int | None = None, development: float = 0.1, seed: int = 0
) -> Material:
    """The problems of a recipe's data.

    Args: data: problems; also, a second file, merged; development; unlike, a file whose problems,
    and whatever looks like one of them, are kept out. fold: of `problems`, kept out, with what looks like it
    in `also`. development: share drawn from `problems` where no file is given, of those that look like no
    other as long as there are enough. seed: of the draw.
    Raises: DataError E679 when nothing is left to train on, or a fold that there is not.
    """
    if "problems" not in data:
        remedy = "Name a file with --set data.problems=FILE."
        raise DataError("the recipe names no problems", code="E679", exit_code=3, remedy=remedy)
    left_out: Counter[str] = Counter()
    rows, held_out = _usable(data["problems"], left_out), list[Problem]()
    if fold is not None:
        held_out = [row for row in rows if row.fold == fold]
        rows = [row for row in rows if row.fold != fold]
        if not held_out:
            raise DataError(
                f"no problem is of fold {fold}",
                path=data["problems"],
                code="E679",
                remedy="Folds are named in the problems; look with: mathwb mwp problems FILE",
            )
        left_out[f"fold {fold}"] += len(held_out)
    also = _usable(data["also"], left_out) if "also" in data else []
    also = _unlike(also, held_out, "looks like a problem of the fold", left_out)
    if "unlike" in data:
        shut = read_problems(data["unlike"]).rows
        folds = ", ".join(map(str, sorted({row.fold for row in shut if row.fold is not None})))
        reason = "looks like a problem of data.unlike" + (f" (folds {folds} and no other)" if folds else "")
        rows, also = (_unlike(part, shut, reason, left_out) for part in (rows, also))
    if "development" in data:
        chosen, alike = _usable(data["development"], Counter()), 0
        rows, also = (
            _unlike(part, chosen, "looks like a development problem", left_out) for part in (rows, also)
        )
    else:
        drawn, alike = _drawn(rows, [*rows, *also], round(development * len(rows)), seed)
        chosen = [row for place, row in enumerate(rows) if place in drawn]
        rows = [row for place, row in enumerate(rows) if place not in drawn]
    train = (*rows, *_renamed(also, {row.id for row in (*rows, *chosen)}))
    if not train:
        raise DataError(
            "no problem is left to train on",
            path=data["problems"],
            code="E679",
            remedy="Look what was left out with: mathwb mwp problems FILE",
        )
    return Material(train, tuple(chosen), dict(left_out), alike)


def _drawn(rows: Sequence[Problem], others: Sequence[Problem], count: int, seed: int) -> tuple[set[int], int]:
    """Places of problems drawn by the seed, those first that look like no other, and how many do."""
    order = Random(seed).sample(range(len(rows)), len(rows))
    found: list[int] = []
    passed: list[int] = []
    for begin in range(0, len(order), max(1, count)):
        if len(found) >= count:
            break
        places = order[begin : begin + count]
        alike = look_alikes([rows[place] for place in places], others)
        for at, place in enumerate(places):
            (passed if at in alike else found).append(place)
    short = max(0, count - len(found))
    return {*found[:count], *passed[:short]}, short


def _usable(path: Path, left_out: Counter[str]) -> list[Problem]:
    read = read_problems(path)
    left_out["no problem"] += len(read.skipped)
    left_out["no equation"] += len(read.rows) - len(read.usable)
    return list(read.usable)


def _renamed(rows: Sequence[Problem], taken: set[str]) -> list[Problem]:
    """Rows of a second file; an id that the first has too gets the file's name before it."""
    from dataclasses import replace

    return [replace(row, id=f"{row.source}:{row.id}") if row.id in taken else row for row in rows]


def _unlike(
    rows: list[Problem], others: Sequence[Problem], reason: str, left_out: Counter[str]
) -> list[Problem]:
    alike = look_alikes(rows, others)
    if alike:
        left_out[reason] += len(alike)
    return [row for place, row in enumerate(rows) if place not in alike]


def look_alikes(rows: Sequence[Problem], others: Sequence[Problem]) -> set[int]:
    """Which rows have a Jaccard index of `ALIKE` or more with one of the others that is another problem."""
    import numpy as np
    from scipy.sparse import csr_matrix

    if not rows or not others:
        return set()
    names: dict[tuple[str, str], int] = {}
    tables = []
    for part in (rows, others):
        pairs = [sorted({names.setdefault(pair, len(names)) for pair in _pairs(row)}) for row in part]
        tables.append(pairs)

    def matrix(table: list[list[int]]) -> csr_matrix:
        ends = np.cumsum([0, *map(len, table)])
        flat = np.array([pair for row in table for pair in row], np.int64)
        return csr_matrix((np.ones(len(flat), np.float32), flat, ends), (len(table), len(names)))

    left, right = (matrix(table) for table in tables)
    sizes = [np.array([len(row) for row in table]) for table in tables]
    known = {id(row): place for place, row in enumerate(others)}
    itself = np.array([known.get(id(row), -1) for row in rows])
    found: set[int] = set()
    for begin in range(0, len(rows), _BLOCK):
        common = (left[begin : begin + _BLOCK] @ right.T).tocoo()
        row = common.row + begin
        union = sizes[0][row] + sizes[1][common.col] - common.data
        found.update(row[(common.data >= ALIKE * union) & (itself[row] != common.col)].tolist())
    return found


def _pairs(problem: Problem) -> set[tuple[str, str]]:
    return set(pairwise(_words(problem)))


def _words(problem: Problem) -> list[str]:
    """The words of a problem, numbers aside."""
    return [word.lower() for word in _WORD.findall(_PLACE.sub(" ", problem.text))]


def marks(problems: Iterable[Problem]) -> list[str]:
    """A mark for the words of each problem, numbers aside: by it one that was trained on is known again."""
    return [sha256(" ".join(_words(problem)).encode()).hexdigest()[:10] for problem in problems]
