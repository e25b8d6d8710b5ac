"""`mathwb data overlap`: what of one data set is in another."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import DataError
from workbench.overlap import overlap


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_expressions_and_functions_are_found_in_other_forms(tmp_path: Path) -> None:
    ours = _file(
        tmp_path / "a.jsonl",
        '{"head": "+ x 1", "exprs": ["+ x 1", "* 1 + x 1"]}\n'
        '{"head": "sin * 2 x", "exprs": ["sin * 2 x", "* 2 * sin x cos x"]}\n'
        '{"head": "ln x", "exprs": ["ln x"]}\n',
    )
    theirs = _file(tmp_path / "b.txt", "1 + x\n2*cos(x)*sin(x)\ncosh(x)\n")
    expressions, functions = overlap(ours, theirs).found
    # Canonically: 1 + x in two members (1·u is u), and the product of sine and cosine.
    assert (expressions.count_a, expressions.count_b, expressions.shared) == (5, 3, 3)
    assert (functions.count_a, functions.count_b, functions.shared) == (3, 3, 2)
    assert ("sin * 2 x", "* * 2 cos x sin x") in functions.examples
    assert not overlap(_file(tmp_path / "c.txt", "tanh(x)\n"), theirs).any


def test_texts_are_compared_without_markup_and_with_any_numbers(tmp_path: Path) -> None:
    ours = _file(
        tmp_path / "a.jsonl",
        '{"body": "<p>Tom has 5 books.</p>", "question": "How many, then?"}\n'
        '{"text": "Ann has 3 cats"}\n{"original_text": "小明有3个苹果．"}\n',
    )
    theirs = _file(
        tmp_path / "b.jsonl",
        '{"text": "tom HAS 5 books. How many, then"}\n{"text": "Ann has 1,200 cats."}\n'
        '{"text": "小明有7个苹果"}\n',
    )
    same, masked = overlap(ours, theirs).found
    assert (same.shared, masked.shared) == (1, 3)


def test_different_kinds_and_damage_are_explained(tmp_path: Path) -> None:
    texts = _file(tmp_path / "t.jsonl", '{"text": "Tom has 5 books"}\n')
    expressions = _file(tmp_path / "e.txt", "sin x\n")
    with pytest.raises(DataError, match="other side is texts") as caught:
        overlap(texts, expressions)
    assert caught.value.code == "E323"
    bad = _file(tmp_path / "bad.jsonl", '{"text": "a b c"}\n{"id": 4}\n')
    with pytest.raises(DataError, match="has no text") as caught:
        overlap(bad, texts)
    assert caught.value.line == 2


@pytest.mark.real_data
def test_real_word_problems_share_nothing(real_data: Path) -> None:
    found = overlap(real_data / "mwp/svamp_half_a.jsonl", real_data / "mwp/asdiv_a_folds0-3.jsonl")
    assert [each.count_a for each in found.found] == [500, 500]
    itself = overlap(real_data / "mwp/svamp_half_a.jsonl", real_data / "mwp/svamp_half_a.jsonl")
    assert itself.found[0].shared == 500
