"""The three segmentations against worked examples, and the lexer below them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.arqmath.training.corpora import (
    find_formulas,
    split_formula,
    split_natural_sentences,
    split_text_and_formulas,
)
from engines.formula.lexer import lex_latex, token_texts
from engines.forum.readers import Report, read_posts


def test_natural_sentences() -> None:
    text = "Find $x$. Is $x^2=4$ true? I tried $y$"
    assert split_natural_sentences(text) == ["Find $x$", "Is $x^2=4$ true", "I tried $y$"]


def test_the_title_is_the_first_segment_without_marks() -> None:
    assert split_natural_sentences("It is.", title="What: is $x$?") == ["What is $x$", "It is."]


def test_text_and_formulas() -> None:
    text = "Let $n$ be even, then $a^2+b^2=c^2$ holds for all of these numbers"
    assert split_text_and_formulas(text) == [
        "Let $n$ be even, then",
        "$a^2+b^2=c^2$",
        "holds for all of these numbers",
    ]


def test_short_text_stays_with_the_formula_before() -> None:
    assert split_text_and_formulas("We know $$a+b+c=d$$ is so") == ["We know", "$a+b+c=d$ is so"]


MAPS = "Let $f: A \\to B$ be; then $x!=a+b; y$ holds for everyone. So $n$"


def test_no_sentence_ends_inside_a_formula() -> None:
    assert split_natural_sentences(MAPS, title="Why $n!$: so?") == [
        "Why $n!$ so",
        r"Let $f: A \to B$ be",
        "then $x!=a+b; y$ holds for everyone",
        "So $n$",
    ]
    assert split_text_and_formulas(MAPS) == [
        "Let",
        r"$f: A \to B$ be",
        "then",
        "$x!=a+b; y$",
        "holds for everyone",
        "So $n$",
    ]


def test_as_published_a_formula_cut_in_two_turns_the_rest_round() -> None:
    assert split_natural_sentences(MAPS, title="Why $n!$?", split_inside_formulas=True)[:3] == [
        "Why $n$",
        "Let $f",
        r"A \to B$ be",
    ]
    found = split_text_and_formulas("Let $f: A \\to B$ be as we had it and $x$", split_inside_formulas=True)
    assert found == ["Let $f$", r"A \to B", "$ be as we had it and $ x", "$$"]


def test_known_formulas_leave_other_dollars_alone() -> None:
    text = "It costs $5 in all, but $x+y+z$ is more than $7"
    assert split_text_and_formulas(text, known=["x+y+z"]) == [
        "It costs $5 in all, but",
        "$x+y+z$",
        "is more than $7",
    ]


@pytest.mark.slow
@pytest.mark.real_data
def test_every_formula_segment_is_a_formula(real_data: Path) -> None:
    seen = 0
    for post in read_posts(real_data / "arqmath" / "posts_mini.jsonl.gz", Report()):
        known = [latex for _, latex in post.body.formulas]
        segments = split_text_and_formulas(post.body.text, known=known)
        own = [latex for latex in known if len(token_texts(latex)) > 3]
        begins = iter(segments)
        # Each stands at the beginning of a segment, in their order, and none is lost.
        assert all(any(segment.startswith(f"${latex}$") for segment in begins) for latex in own)
        assert sum(map(len, (s.replace(" ", "") for s in segments))) <= len(post.body.text)
        seen += len(own)
    assert seen > 30_000


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"a = b + c \le d", ["a =", r"b + c \le", "d"]),
        ("a = b", []),
        (r"a \in B \cap C", [r"a \in", r"B \cap", "C"]),
        (r"\left( x < y < z \right)", [r"\left( x <", "y <", r"z \right)"]),
    ],
)
def test_formula_parts(latex: str, parts: list[str]) -> None:
    assert split_formula(latex) == parts


def test_leq_is_not_cut_out_of_longer_commands() -> None:
    assert split_formula(r"\leftarrow \infty \inf \int") == []


def test_formulas_of_a_text() -> None:
    assert find_formulas("a $x$ b $$y+1$$ c $ $") == ["x", "y+1"]


def test_tokens_as_the_paper_counts_them() -> None:
    assert token_texts(r"\frac{12.5}{x_{1}} \,") == [r"\frac", "12.5", "x", "_", "1", r"\,"]


@given(st.text(max_size=200))
def test_lexing_never_fails_and_keeps_positions(text: str) -> None:
    for token in lex_latex(text):
        assert text.startswith(token.text, token.start) or token.text == "\\ "


@given(st.text(alphabet="ab$=<. \\le", max_size=60))
def test_parts_put_together_are_the_formula(text: str) -> None:
    parts = split_formula(text)
    assert not parts or "".join("".join(parts).split()) == "".join(text.split())
