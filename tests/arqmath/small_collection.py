"""A collection of twelve posts, with a line that is broken and one that is there twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engines.forum.folder import ArqmathFolder


def row(id: int, kind: int, **fields: Any) -> dict[str, Any]:
    return {"id": str(id), "type": kind, "title": "", "body": "", "tags": [], "parent_id": "", **fields}


def formula(latex: str) -> str:
    return f'<span class="math-container" id="1">${latex}$</span>'


ROWS = [
    row(1, 1, title="Cyclic groups", body="Is it abelian?", tags=["group-theory"], duplicates=["2"]),
    row(10, 2, parent_id="1", body=f"Yes, since {formula('a^n a^m = a^m a^n')}", score=5),
    row(11, 2, parent_id="1", body="Look at a generator."),
    row(2, 1, title="Harmonic series", body=f"Does {formula(chr(92) + 'sum 1/n')} converge?"),
    *(
        row(20 + n, 2, parent_id="2", body=f"It diverges, comparison number {n} with an integral")
        for n in range(7)
    ),
    row(30, 2, parent_id="99", body="An orphan about primes"),
]


def small_collection(path: Path) -> ArqmathFolder:
    """Written into the new folder `path`."""
    path.mkdir()
    lines = [json.dumps(each) for each in ROWS]
    (path / "posts.jsonl").write_text("\n".join([*lines, "{broken", lines[1]]) + "\n")
    return ArqmathFolder(path, "small", posts=path / "posts.jsonl")
