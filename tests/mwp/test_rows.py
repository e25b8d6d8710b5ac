"""The benchmark of solvers: votes, and accuracies over folds and seeds."""

from __future__ import annotations

import pytest

from benchmarks.mwp_rows import accuracy, against, vote
from engines.mwp.evaluations.comparisons import wilson_interval


def answers(*given: float | None) -> list[dict[str, object]]:
    """Of problems a, b, …, whose right answer is 7."""
    return [
        {"id": name, "answer": answer, "gold_answer": 7.0, "answer_right": answer == 7.0}
        for name, answer in zip("abcd", given, strict=False)
    ]


def test_most_answers_win_and_of_equally_many_the_first() -> None:
    found = vote([answers(7.0, 1.0, 7.0, None), answers(1.0, 7.0, 2.0, None), answers(1.0, 7.0, 3.0, 7.0)])
    assert found == {"a": False, "b": True, "c": True, "d": False}


def test_a_problem_that_cannot_be_told_otherwise_has_fewer_votes() -> None:
    assert vote([answers(7.0, 7.0), answers(1.0)]) == {"a": True, "b": True}


def test_folds_are_put_together_and_seeds_are_averaged() -> None:
    folds = accuracy([{"a": True, "b": False}, {"c": True, "d": True}])
    assert (folds["problems"], folds["answer_accuracy"], folds["by_run"]) == (4, 0.75, [0.5, 1.0])
    assert folds["ci95"] == pytest.approx(wilson_interval([True, False, True, True]), abs=1e-4)
    seeds = accuracy([{"a": True, "b": False}, {"a": False, "b": False}])
    assert (seeds["problems"], seeds["answer_accuracy"]) == (2, 0.25)
    low, high = seeds["ci95"]
    assert 0 <= low <= 0.25 <= high <= 0.5


def test_answers_of_several_seeds_are_one_unit_a_problem() -> None:
    one = dict.fromkeys("abcdef", True), dict.fromkeys("abcdef", False)
    assert against([one])["mcnemar_p"] == pytest.approx(2 / 2**6)
    found = against([one, one, one])
    assert (found["pairs"], found["right_here_alone"], found["difference"]) == (6, 6, 1.0)
    assert found["randomisation_p"] == pytest.approx(2 / 2**6, abs=0.01)
    folds = against([({"a": True}, {"a": False}), ({"b": False}, {"b": True})])
    assert (folds["pairs"], folds["right_here_alone"], folds["right_there_alone"]) == (2, 1, 1)
    assert folds["mcnemar_p"] == 1.0
