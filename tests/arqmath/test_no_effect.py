"""Settings that a command would pass over are refused, whichever of its ways was chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.arqmath import IndexCollection, Rank
from engines.arqmath.generation.generate import Generate
from engines.arqmath.ranking.evaluate import Compare, Evaluate
from engines.arqmath.ranking.overview import ShowTopic
from engines.arqmath.ranking.rank import Fuse
from engines.arqmath.ranking.tune import Tune
from engines.arqmath.training.data_files import DrawPairs, PretrainData
from engines.core.errors import EngineError
from engines.mathamr.retrieval.formula_reranking import Rerank
from engines.mathamr.retrieval.search import SearchFormulas

A, B = Path("a"), Path("b")
FIRST: dict[str, Any] = {"topics": (A,), "rerank": False}
ALL: dict[str, Any] = {"topics": (A,), "model": A, "candidates": "judged", "qrels": (B,)}


@pytest.mark.parametrize(
    ("spec", "given", "refused"),
    [
        (lambda **more: Evaluate(A, B, **more), {"answer_ids": A}, "--answer-ids"),
        (lambda **more: Evaluate(A, B, **more), {"visual_ids": A}, "--visual-ids"),
        (lambda **more: Evaluate(A, B, task=3, **more), {"topics_by": A}, "--topics-by"),
        (lambda **more: Compare((A, B), (B,), **more), {"visual_ids": A}, "--visual-ids"),
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
        (lambda **more: Rank(A, B, **FIRST, **more), {"device": "cpu"}, "--device"),
        (lambda **more: Rank(A, B, **FIRST, **more), {"exact": True}, "--exact"),
        (lambda **more: Rank(A, B, **FIRST, **more), {"model": A}, "--model"),
        (lambda **more: Rank(A, B, **ALL, **more), {"first": "lexical"}, "--first"),
        (lambda **more: Rank(A, B, **ALL, **more), {"depth": 7}, "--depth"),
        (
            lambda **more: Rank(A, B, **{**ALL, "candidates": "all", "qrels": ()}, **more),
            {"depth": 7},
            "--depth",
        ),
        (lambda **more: Fuse((A, B), A, "weighted", (1.0, 2.0), **more), {"k": 60}, "--k"),
        (lambda **more: Tune(A, (A,), (B,), (A,), **more), {"folds": 5}, "--folds"),
        (lambda **more: DrawPairs(A, B, **more), {"hard_share": 0.5}, "--hard-share"),
        (lambda **more: DrawPairs(A, B, annotated=A, run=A, **more), {"per_question": 1}, "--per-question"),
        (lambda **more: Generate(A, B, model=A, **more), {"top_k": 3}, "--top-k"),
        (lambda **more: ShowTopic(A, "A.1", written=True, **more), {"run": "x"}, "--run"),
        (lambda **more: Rerank(A, A, B, **more), {"depth": 5}, "--depth"),
        (lambda **more: Rerank(A, A, B, kind="paths", **more), {"device": "cpu"}, "--device"),
        (lambda **more: Rerank(A, A, B, kind="opt", **more), {"window": 1}, "--window"),
        (lambda **more: PretrainData(A, "1", B, **more), {"backbone": "x"}, "--backbone"),
        (lambda **more: SearchFormulas(A, "x", **more), {"instances": 2}, "--instances"),
        (lambda **more: IndexCollection(A, B, **more), {"encoder": "a"}, "an encoder"),
        (lambda **more: IndexCollection(A, B, **more), {"exact": True}, "--exact"),
    ],
)
def test_what_has_no_effect_is_refused(spec: Callable[..., Any], given: dict[str, Any], refused: str) -> None:
    spec()
    with pytest.raises(EngineError, match=refused) as caught:
        spec(**given)
    assert caught.value.code in ("E427", "E434")
    assert caught.value.exit_code == 2
    assert caught.value.remedy
