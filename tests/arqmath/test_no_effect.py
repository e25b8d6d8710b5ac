"""Settings that a command would pass over are refused, whichever of its ways was chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.arqmath import IndexCollection, Rank
from engines.arqmath.generation.generate import Generate
from engines.arqmath.ranking.compare import Compare
from engines.arqmath.ranking.evaluate import Evaluate
from engines.core.errors import EngineError

A, B = Path("a"), Path("b")
FIRST = {"topics": (A,), "rerank": False}


@pytest.mark.parametrize(
    ("spec", "given", "refused"),
    [
        (lambda **more: Evaluate(A, B, **more), {"answer_ids": A}, "--answer-ids"),
        (lambda **more: Evaluate(A, B, **more), {"visual_ids": A}, "--visual-ids"),
        (lambda **more: Evaluate(A, B, task=3, **more), {"topics_by": A}, "--topics-by"),
        (lambda **more: Compare((A, B), B, **more), {"visual_ids": A}, "--visual-ids"),
        (lambda **more: Generate(A, B, index=A, **more), {"no_repeat": 0}, "--no-repeat"),
        (lambda **more: Generate(A, B, model=A, **more), {"scorer": B}, "--scorer"),
        (lambda **more: Generate(A, B, shortest=(A,), **more), {"depth": 3}, "--depth"),
        (lambda **more: Rank(A, B, **FIRST, **more), {"weight": 0.5}, "--weight"),
        (lambda **more: Rank(A, B, **FIRST, qrels=(A,), **more), {"tune_topics": (A,)}, "--tune-topics"),
        (
            lambda **more: Rank(A, B, topics=(A,), model=A, qrels=(A,), tune_topics=(A,), **more),
            {"weight": 0.5},
            "--weight",
        ),
        (lambda **more: IndexCollection(A, B, **more), {"encoder": "a"}, "an encoder"),
    ],
)
def test_what_has_no_effect_is_refused(spec: Callable[..., Any], given: dict[str, Any], refused: str) -> None:
    spec()
    with pytest.raises(EngineError, match=refused) as caught:
        spec(**given)
    assert caught.value.code in ("E427", "E434")
    assert caught.value.exit_code == 2
    assert caught.value.remedy
