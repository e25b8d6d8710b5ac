"""Second stages without training: formulas by structure, and late interaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from engines.arqmath.ranking.rank import Rank
from engines.arqmath.ranking.scorers import FormulaScorer, InteractionScorer
from engines.core.errors import DataError, EngineError
from engines.core.events import Event
from tests.arqmath import tiny_models

ANSWERS = ("It is $x^2+y$.", "By $\\int_0^1 f$ and $y+x^2$ it follows.", "Nothing here.", "Take $a^2+b$.", "")


@dataclass(frozen=True)
class Post:
    title: str = "Squares"
    text: str = "the answer"
    question: str = "why"


def test_equal_formulas_are_nearest_in_any_order_of_a_sum() -> None:
    same, other, without, renamed, empty = FormulaScorer().score([("Why $x^2+y$?", a) for a in ANSWERS])
    assert same == pytest.approx(1.0)
    assert other == pytest.approx(1.0)
    assert 0.2 < renamed < 1.0
    assert without == empty == 0.0
    assert FormulaScorer().select_text(Post()) == "the answer"


def test_each_formula_of_the_topic_counts_once_and_small_ones_only_alone() -> None:
    score = FormulaScorer().score
    [both, twice, small, only] = score(
        [
            ("$x^2+y$ and $\\sqrt{u}+v=w$", "$x^2+y$"),
            ("$x^2+y$ and $\\sqrt{u}+v=w$, I say $x^2+y$", "$x^2+y$"),
            ("$x$ in $x^2+y$", "$x^2+y$"),
            ("$x$ and $y$", "$x$"),
        ]
    )
    assert both == twice
    assert 0.5 <= both < 1.0
    assert small == pytest.approx(1.0)
    assert 0.5 <= only < 1.0


def test_formulas_that_cannot_be_parsed_are_compared_all_the_same() -> None:
    found = FormulaScorer().score([("$\\frac{1}{$", "$\\frac{1}{$"), ("$$ $$", "$x$"), ("a $ b", "$x$")])
    assert found[0] == pytest.approx(1.0)
    assert found[1:].tolist() == [0.0, 0.0]


def test_interaction_is_the_mean_of_the_nearest_tokens(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = tiny_models.bert(tmp_path / "bert")
    pairs = [
        (q, a) for q in ("what is the sum", "prove the limit") for a in ("zero " * n for n in (1, 9, 500))
    ]
    scorer = InteractionScorer(folder, device="cpu", exact=True)
    heard: list[Event] = []
    found = scorer.score(pairs, events=heard.append)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()

    def states(text: str) -> np.ndarray:
        batch = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            rows = model(**batch).last_hidden_state[0].numpy()
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    for (question, answer), score in zip(pairs, found, strict=True):
        cosines = states(question) @ states(answer).T
        assert score == pytest.approx(cosines.max(axis=1).mean(), abs=1e-5)
    assert scorer.truncated == 2  # the two longest answers; the model reads 64 tokens
    assert heard[-1].data["done"] == len(pairs)
    assert InteractionScorer(folder, device="cpu").name == "interaction-bert"


def test_a_stop_leaves_the_rest_unscored_and_no_pairs_are_no_scores(tmp_path: Path) -> None:
    scorers = (FormulaScorer(), InteractionScorer(tiny_models.bert(tmp_path / "bert"), device="cpu"))
    for scorer in scorers:
        assert np.isnan(scorer.score([("$x$", "$y$")], stop=lambda: True)).all()
        assert scorer.score([]).shape == (0,)
    with pytest.raises(DataError) as caught:
        InteractionScorer(tmp_path)
    assert caught.value.code == "E380"


@pytest.mark.parametrize(
    "more",
    [
        {"by": "formulas", "model": Path("x")},
        {"by": "formulas", "rerank": False},
        {"by": "formulas", "exact": True},
        {"by": "formulas", "device": "cpu"},
        {"by": "interaction", "max_tokens": 256},
    ],
)
def test_what_has_no_effect_is_refused(more: dict[str, object]) -> None:
    with pytest.raises(EngineError) as caught:
        Rank(Path("index"), Path("run"), (Path("topics"),), **more)  # type: ignore[arg-type]
    assert caught.value.code == "E434"
