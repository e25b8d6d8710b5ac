"""Description of files of problems: what they hold, what is wrong with them, and all of them as one file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from engines.core.files import atomic_writer
from engines.core.spec import Arg
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import Problems, read_problems


@dataclass(frozen=True, slots=True)
class DescribeProblems:
    """Read and check files of problems, row by row; several files are merged."""

    data: Annotated[tuple[Path, ...], Arg("Files of problems, or registered names.", ref="problems")]
    words: Annotated[bool | None, Arg("Read number words as numbers.", shown="as usual for the format")] = (
        None
    )
    out: Annotated[
        Path | None, Arg("Write all problems that have an equation to this file.", writes=True)
    ] = None


def described_problems(spec: DescribeProblems) -> dict[str, Any]:
    """Counts and notes for each file, and the templates of all.

    Raises: DataError as `read_problems` does.

    >>> from engines.core.assets import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = described_problems(DescribeProblems((data,)))
    >>> found["problems"], found["usable"], next(iter(found["templates"].items()))
    (181, 181, ('N_0+N_1', 8))
    """
    read = [read_problems(path, words=spec.words) for path in spec.data]
    rows, renamed = merged(read)
    usable = [problem for problem in rows if problem.equation is not None]
    if spec.out:
        write_problems(spec.out, usable)
    templates = Counter(problem.template for problem in usable)
    return {
        "files": [
            {
                "path": str(found.path),
                "format": found.format,
                "languages": dict(Counter(problem.language for problem in found.rows)),
                **found.counts(),
                "notes": {
                    "skipped": [asdict(note) for note in found.skipped],
                    "disagreements": [asdict(note) for note in found.disagreements],
                    "remarks": [asdict(note) for note in found.remarks],
                },
            }
            for found in read
        ],
        "problems": len(rows),
        "usable": len(usable),
        "renamed": renamed,
        "templates": dict(templates.most_common()),
        "out": spec.out,
    }


def merged(files: Sequence[Problems]) -> tuple[list[Problem], int]:
    """The problems of several files, and how many had to be renamed: an id that an earlier file has becomes
    `file/id`."""
    rows: dict[str, Problem] = {}
    renamed = 0
    for found in files:
        name = found.path.name.partition(".")[0]
        for problem in found.rows:
            id_ = problem.id
            while id_ in rows:
                id_ = f"{name}/{id_}"
            renamed += id_ != problem.id
            rows[id_] = replace(problem, id=id_)
    return list(rows.values()), renamed


def write_problems(path: Path, problems: Sequence[Problem] | Iterator[Problem]) -> None:
    """Write problems as JSON Lines that `read_problems` takes back, whole or not at all."""
    with atomic_writer(path) as file:
        for problem in problems:
            file.write(json.dumps(problem.to_row(), ensure_ascii=False) + "\n")
