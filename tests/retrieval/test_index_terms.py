"""Terms: what becomes of words, formulas and stray dollar signs."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.retrieval import index_terms
from engines.retrieval.index_terms import (
    english_terms,
    extract_terms,
    formula_terms,
    make_snippet,
    split_pieces,
)


def test_the_examples_hold() -> None:
    assert doctest.testmod(index_terms).failed == 0


def test_commands_and_case_stay_whole() -> None:
    assert [term for term in extract_terms(r"$\Gamma\gamma\mathbb{R}R r$") if " " not in term] == [
        "\\Gamma",
        "\\gamma",
        "\\mathbb",
        "R",
        "R",
        "r",
    ]


def test_words_are_folded_and_formulas_are_not() -> None:
    assert extract_terms("The Groups of Order") == extract_terms("group order")
    assert extract_terms("$G$") != extract_terms("$g$")
    assert extract_terms("x") == extract_terms("$x$")


def test_words_in_formulas_are_words() -> None:
    assert formula_terms(r"\text{if primes}")[:1] == tuple(extract_terms("if primes"))
    assert formula_terms(r"\operatorname{Var}X") == ("var", "X", "var X")
    assert formula_terms(r"\text{d}x") == formula_terms("dx")
    assert formula_terms(r"\begin{pmatrix}a\end{pmatrix}") == ("pmatrix", "a", "pmatrix a")


def test_letters_however_they_are_encoded() -> None:
    """Accents that are characters of their own, ligatures, references of HTML."""
    for one, other in (
        ("Poincare\u0301", "Poincaré"),
        ("\ufb01eld", "field"),
        ("ﬁnite\u00a0group", "finite group"),
    ):
        assert extract_terms(one) == extract_terms(other)
        assert english_terms(one) == english_terms(other)
    for one, other in (
        ("e\u0301", "é"),
        ("x≤y", r"x\leq y"),
        ("a &lt; b", "a<b"),
        ("f&#39;", "f'"),
        ("\ufb01", "fi"),
    ):
        assert extract_terms(f"${one}$") == extract_terms(f"${other}$")
    assert "Poincaré" in make_snippet("of the " * 40 + "Poincare\u0301 group", "poincaré")


def test_spacing_and_sizes_mean_nothing() -> None:
    assert formula_terms(r"\left( a \, , \; b \right)\!") == formula_terms("a b")
    assert formula_terms("x^{2}") == formula_terms("x ^ 2")


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$a$$b$ c", ["a", "b"]),
        ("$$x$$ and $$y$$", ["x", "y"]),
        ("it costs 5$\nand $x$ is so", ["x"]),
        ("$", []),
        ("$$", []),
        (r"$x\$ and $y$", ["x\\", "y"]),
    ],
)
def test_where_formulas_are(text: str, formulas: list[str]) -> None:
    assert [piece for is_formula, piece in split_pieces(text) if is_formula] == formulas


@given(
    st.text(alphabet=st.sampled_from("ab A$\\{}^2.\n'Σé")), st.text(alphabet=st.sampled_from("xy $\\_5\n"))
)
def test_lines_do_not_touch_each_other(first: str, second: str) -> None:
    assert extract_terms(f"{first}\n{second}") == extract_terms(first) + extract_terms(second)


@given(st.text())
def test_any_text_has_terms_that_survive_a_line_file(text: str) -> None:
    for term in extract_terms(text):
        assert term
        assert "\n" not in term


def test_a_snippet_shows_what_was_asked_for() -> None:
    text = (
        "Nothing here. " * 40 + "Every cyclic group is abelian, since $a^n a^m = a^m a^n$. " + "More. " * 80
    )
    shown = make_snippet(text, "abelian cyclic groups", 100)
    assert "cyclic group is abelian" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= 106
    assert make_snippet("short\n text", "x") == "short text"
    assert make_snippet("word " * 50, "nothing", 20) == "word word word word …"


@given(st.lists(st.sampled_from(["a", "group", "$x + y$", "$\\frac{1}{n}$", "primes"])), st.integers(5, 60))
def test_a_snippet_is_part_of_the_text_and_holds_whole_formulas(words: list[str], width: int) -> None:
    line = " ".join(words)
    shown = make_snippet(line, "prime $x$", width)
    inner = shown.removeprefix("… ").removesuffix(" …")
    assert inner in line
    assert inner.count("$") % 2 == 0
    assert "prime" in inner or "$x" in inner or not {"primes", "$x + y$"} & set(words)
    assert len(inner) <= width + 14


@pytest.mark.slow
@pytest.mark.real_data
def test_formulas_of_real_posts_are_found_again(real_data: Path) -> None:
    from engines.forum.readers import Report, read_posts

    same = total = 0
    for post in read_posts(real_data / "arqmath" / "posts_mini.jsonl.gz", Report()):
        total += 1
        pieces = [piece for is_formula, piece in split_pieces(post.body.text) if is_formula]
        # An environment that stands alone in a post is a formula without an id.
        found = [piece for piece in pieces if not piece.startswith(r"\begin{")]
        same += found == [latex for _, latex in post.body.formulas if not latex.startswith(r"\begin{")]
    # The rest have dollar signs inside their formulas (\text{if $x>0$}), or formulas that are empty.
    assert same / total > 0.97
