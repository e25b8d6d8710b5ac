"""Contexts: placeholders, punctuation, and the sentences around a formula."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import EngineError
from engines.mathamr.context import (
    PLACEHOLDER,
    ExtractContext,
    cut_window,
    extract_context,
    find_ids,
    mark_formulas,
    split_punctuation,
)
from tests.conftest import expect_error

TEXT = "First one. Let $a=1.$ Then $b<2$, so what? Nothing here. The last $c$."


@pytest.mark.parametrize(
    ("latex", "behind", "kept"),
    [("a+b=c.", ".", "a+b=c"), ("n!", "", "n!"), ("x ,", ",", "x"), (r"x\,", "", r"x\,"), ("?", "", "?")],
)
def test_punctuation_moves_behind_the_placeholder(latex: str, behind: str, kept: str) -> None:
    """The union of the paper's and the code's; a factorial and a thin space belong to the formula."""
    assert split_punctuation(latex, "7") == (f'"eqx7eqx"{behind}', kept)


def test_the_window_of_the_paper_and_of_the_released_contexts() -> None:
    found = extract_context(ExtractContext(TEXT, query="2", window=0))
    assert found["context"] == 'Then "eqx2eqx", so what?'
    assert found["formulas"] == {"2": "b<2"}
    found = extract_context(ExtractContext(TEXT, query="2"))
    assert found["context"] == 'Let "eqx1eqx". Then "eqx2eqx", so what? Nothing here.'
    assert extract_context(ExtractContext(TEXT))["formulas"] == {"1": "a=1", "2": "b<2", "3": "c"}


@pytest.mark.parametrize(
    ("text", "plain", "warned"),
    [
        ("No formula at all.", "No formula at all.", 0),
        (r"It costs \$5, \(x\) and \[y\]", 'It costs $5, "eqx1eqx" and "eqx2eqx"', 0),
        ("A lone $ sign", "A lone $ sign", 1),
        ('<p>Is <span class="math-container" id="q_9">a&lt;b,</span> so?</p>', 'Is "eqx9eqx", so?', 0),
    ],
)
def test_texts(text: str, plain: str, warned: int) -> None:
    found = mark_formulas(text)
    assert (found.text, len(found.warnings)) == (plain, warned)


@given(st.text(alphabet=r"ab $\()[].!?" + "\n", max_size=60))
def test_any_text_is_marked_and_windows_hold_their_formula(text: str) -> None:
    found = mark_formulas(text)
    assert find_ids(found.text) == list(found.formulas)
    for name in found.formulas:
        assert name in find_ids(cut_window(found.text, name, 0))


def test_formulas_of_one_id_are_both_kept() -> None:
    post = '<p>Let <span class="math-container" id="q_5">x</span> be <span class="math-container" id="q_5">'
    found = mark_formulas(post + 'y</span>, or <span class="math-container" id="q_5">x</span>.</p>')
    assert found.text == 'Let "eqx5eqx" be "eqx5_2eqx", or "eqx5eqx".'
    assert found.formulas == {"5": "x", "5_2": "y"}
    assert found.warnings == ("another formula has the id 5 too, and is 5_2",)
    odd = mark_formulas('<p>A <span class="math-container" id="a-b">x</span>.</p>')
    assert find_ids(odd.text) == list(odd.formulas) == ["a_b"]


@pytest.mark.parametrize("post", [False, True], ids=["dollar signs", "HTML"])
def test_a_word_of_the_text_is_no_placeholder(post: bool) -> None:
    formula = '<span class="math-container" id="q_1">x</span>' if post else "$x$"
    found = mark_formulas(f"Is eqx1eqx, EQX1EQX or eqx1 really {formula}?")
    assert found.text == 'Is eq x1eq x, EQ X1EQ X or eq x1 really "eqx1eqx"?'
    assert find_ids(found.text) == ["1"]
    assert ["5 times" in one for one in found.warnings] == [True]


def test_a_file_and_a_query_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text(json.dumps({"topic_id": "B.1", "text": "Find $x$.", "query": "q_1"}) + "\n")
    (row,) = extract_context(ExtractContext(file=file))
    assert (row["topic_id"], row["context"], row["query"]) == ("B.1", 'Find "eqx1eqx".', "1")
    with expect_error("E376"):
        extract_context(ExtractContext("Find $x$.", query="4"))


def test_either_a_text_or_a_file(tmp_path: Path) -> None:
    for named, code in (({}, "E402"), ({"text": "Find $x$.", "file": tmp_path}, "E427")):
        with pytest.raises(EngineError) as caught:
            ExtractContext(**named)
        assert (caught.value.code, caught.value.exit_code) == (code, 2)


@pytest.mark.real_data
def test_published_contexts_of_the_topics(real_data: Path) -> None:
    """The window of each topic's formula in its question or title, beside the published one: equal up to
    blanks and the punctuation that the authors' code does not move, in most topics."""
    from engines.forum.topics import read_topics
    from engines.mathamr.context import mark_cleaned_text

    published = {}
    for line in (real_data / "arqmath" / "context_topic.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        published[row["topic_id"]] = _plain(row["context"])
    same = seen = 0
    for topic in read_topics(real_data / "arqmath" / "topics_task2_2021.xml"):
        if topic.id not in published:
            continue
        query = topic.formula.removeprefix("q_")
        own = []
        for field in (topic.title, topic.question):
            found = mark_cleaned_text(field.text, field.formulas)
            if query in found.formulas:
                own.append(_plain(cut_window(found.text, query)))
        seen += 1
        same += published[topic.id] in own
    assert seen >= 90
    assert same / seen > 0.6


def _plain(text: str) -> str:
    return "".join(PLACEHOLDER.sub(lambda match: match[1], text).split()).strip(".,")
