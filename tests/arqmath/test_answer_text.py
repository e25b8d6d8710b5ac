"""What Task 3 asks of an answer's text: one line, 1,200 characters, dollars in pairs, nothing said twice."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.arqmath.generation.answer_writers import (
    LIMIT,
    cut_to_limit,
    one_line,
    remove_repetition,
    split_answer_sentences,
    split_passages,
)

TEXTS = st.text(alphabet="ab .!?$x=1\n\t", max_size=400)


@given(TEXTS, st.integers(1, 60))
def test_a_fitted_answer_is_short_and_its_dollars_are_in_pairs(text: str, limit: int) -> None:
    short = cut_to_limit(text, limit)
    assert len(short) <= limit
    assert short.count("$") % 2 == 0
    assert "\n" not in short
    assert "\t" not in short


@given(TEXTS)
def test_what_fits_and_is_balanced_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    if line.count("$") % 2 == 0:
        assert cut_to_limit(text) == line


@given(TEXTS)
def test_no_sentence_is_lost_or_changed_by_dividing(text: str) -> None:
    line = one_line(text)
    assert "".join("".join(part.split()) for part in split_answer_sentences(line)) == "".join(line.split())


@given(TEXTS)
def test_no_sentence_is_said_twice(text: str) -> None:
    said = ["".join(part.lower().split()) for part in split_answer_sentences(remove_repetition(text))]
    assert len(said) == len(set(said)) or any(not re.search(r"\w", part) for part in said)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Note that this is true. " * 30, "Note that this is true."),
        ("$x=1$ and so on and so on and so on and so on", "$x=1$ and so on"),
        ("First. Second. first.", "First. Second."),
        ("1 + 1 = 2", "1 + 1 = 2"),
        ("We sum 1 + 2 + 3 + 4.", "We sum 1 + 2 + 3 + 4."),
    ],
)
def test_loops_of_a_generator_end(written: str, kept: str) -> None:
    assert remove_repetition(written) == kept


def test_the_limit_is_that_of_the_task() -> None:
    assert LIMIT == 1200
    assert len(cut_to_limit("word " * 1000)) <= 1200


@given(TEXTS, st.integers(5, 80))
def test_passages_are_whole_sentences_that_fit(text: str, limit: int) -> None:
    for passage in split_passages(text, limit):
        assert len(passage) <= limit
        assert passage.replace("$", "") in one_line(text).replace("$", "")


def test_passages_cover_a_text() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(100))
    found = split_passages(text, 300)
    for n in range(100):
        assert any(f"number {n} is" in passage for passage in found)
    assert found[0].startswith("Sentence number 0 ")
