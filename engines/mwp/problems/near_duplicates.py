"""Problems that look alike: by their pairs of neighbouring words, numbers aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

from engines.mwp.problems.problem import Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ALIKE = 0.4
"""Two problems with this Jaccard index of their pairs of neighbouring words count as one."""
_BLOCK = 512
"""Problems that are compared with all others at a time."""
_PLACE = re.compile(r"N_\d+")
_WORD = re.compile(r"[㐀-鿿]|[^\W\d_㐀-鿿]+")


def find_look_alikes(rows: Sequence[Problem], others: Sequence[Problem]) -> dict[int, tuple[int, float]]:
    """Return, of the rows that look like another problem among the others, the nearest such one.

    Returns:
        By the index of a row: the index of the other problem, of equally near ones the first, and the Jaccard
        index of the two, which is `ALIKE` or more.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    if not rows or not others:
        return {}
    # Number each pair of neighbouring words once, over both sides, so that columns agree.
    names: dict[tuple[str, str], int] = {}
    tables = []
    for part in (rows, others):
        pairs = (set(pairwise(list_words(row))) for row in part)
        tables.append([sorted({names.setdefault(pair, len(names)) for pair in row}) for row in pairs])

    def to_incidence_matrix(table: list[list[int]]) -> csr_matrix:
        ends = np.cumsum([0, *map(len, table)])
        flat = np.array([pair for row in table for pair in row], np.int64)
        return csr_matrix((np.ones(len(flat), np.float32), flat, ends), (len(table), len(names)))

    left, right = (to_incidence_matrix(table) for table in tables)
    sizes = [np.array([len(row) for row in table]) for table in tables]
    # A row that is also among the others must not be compared with itself.
    known = {id(row): index for index, row in enumerate(others)}
    itself = np.array([known.get(id(row), -1) for row in rows])
    result: dict[int, tuple[int, float]] = {}
    # In blocks, because the product of all rows with all others may not fit into memory.
    for begin in range(0, len(rows), _BLOCK):
        common = (left[begin : begin + _BLOCK] @ right.T).tocoo()
        row = common.row + begin
        # Jaccard index: |A ∩ B| / |A ∪ B|.
        index = common.data / (sizes[0][row] + sizes[1][common.col] - common.data)
        kept = (index >= ALIKE) & (itself[row] != common.col)
        likenesses = zip(row[kept].tolist(), common.col[kept].tolist(), index[kept].tolist(), strict=True)
        for mine, theirs, alike in sorted(likenesses, key=lambda pair: (pair[0], -pair[2], pair[1])):
            result.setdefault(mine, (theirs, alike))
    return result


def list_words(problem: Problem) -> list[str]:
    """Return the words of a problem in lower case, single characters in Chinese, numbers aside."""
    return [word.lower() for word in _WORD.findall(_PLACE.sub(" ", problem.text))]


def fingerprint_problems(problems: Iterable[Problem]) -> list[str]:
    """Return a mark for the words of each problem, numbers aside: by it one that was trained on is known
    again.
    """
    return [sha256(" ".join(list_words(problem)).encode()).hexdigest()[:10] for problem in problems]
