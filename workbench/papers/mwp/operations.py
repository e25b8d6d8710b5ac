"""Operations on math word problems, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Operation

__all__ = ["OPERATIONS"]

_ENGINE = "engines.mwp"
_TEXT = "workbench.papers.mwp.text"

OPERATIONS = (
    Operation(
        "mwp.problems",
        "What files of problems hold, and what is wrong with them.",
        spec=f"{_ENGINE}.problems.describe:DescribeProblems",
        call=f"{_ENGINE}.problems.describe:described_problems",
        text=f"{_TEXT}:problems",
    ),
)
