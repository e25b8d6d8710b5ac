"""Rewriting by SymPy alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import engines.egen.corpus.build_semembed as sememb
from engines.core.expression_language import read_prefix, to_prefix
from engines.egen.models.datasets import read_labelled
from engines.mathematics.terms.canonical import canonical_key
from engines.mathematics.verification.verifier import Verifier
from tests.conftest import expect_error


def test_rewritings_are_other_forms_of_the_same() -> None:
    head = read_prefix("pow + * 2 x 3 2")
    found = sememb.list_rewritings(head)
    keys = [canonical_key(tree) for tree in [head, *found]]
    assert len(found) >= 1
    assert len(set(keys)) == len(keys)
    outcomes = {verdict.outcome for verdict in Verifier(head).judge_members(found)}
    assert "equal" in outcomes
    assert "different" not in outcomes
    expanded = "+ + * 4 pow x 2 * 12 x 9"
    assert canonical_key(expanded.split()) in keys


def test_a_rewriting_that_takes_too_long_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(sympy: object, name: str, start: object) -> object:
        while name == "expand":
            time.sleep(0.01)
        return start

    monkeypatch.setattr(sememb, "_apply_rewriting", forever)
    assert sememb.list_rewritings(read_prefix("sin x"), time_s=0.2) == []


def test_an_error_of_sympy_is_a_rewriting_less() -> None:
    assert sememb.list_rewritings(read_prefix("sec - - pi 2 sech pi")) == []


@pytest.mark.slow
def test_the_corpus_is_one_like_any_other(tmp_path: Path) -> None:
    heads = [read_prefix(text) for text in ("pow + x 3 2", "d x sin * 2 x", "x", "- sinh x 4")]
    reported = []
    built = sememb.build_from_rewritings(
        heads, tmp_path / "corpus", events=lambda event: reported.append(event.data["done"])
    )
    assert reported == [1, 2, 3, 4]
    assert (built.clusters, built.without) == (3, 1)
    data = read_labelled(tmp_path / "corpus")
    assert len(data.texts) == built.expressions
    assert [texts[0] for texts in data.clusters] == [to_prefix(heads[n]) for n in (0, 1, 3)]
    with expect_error("E646"):
        sememb.build_from_rewritings(heads, tmp_path / "other", stop=lambda: True)
