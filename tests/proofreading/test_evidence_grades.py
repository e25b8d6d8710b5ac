"""How strong the evidence against a link is: the same mistake is wrong, doubtful or not shown by it."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def judge_last(proofreader: TextProofreader, text: str) -> str:
    return list(proofreader.check_links(text))[-1].verdict


def write_apart(first: str, last: str, paragraphs: int) -> str:
    return "\n\n".join((first, *["All of this is smooth."] * paragraphs, last))


@pytest.mark.parametrize(
    ("paragraphs", "verdict"), [(0, "wrong"), (4, "wrong"), (8, "doubtful"), (14, "not shown")]
)
@pytest.mark.parametrize("claim", ["$g'(x) = 3x$", "$g'(x) = 2x + 5$"])
def test_a_definition_counts_less_the_further_away_it_stands(
    proofreader: TextProofreader, claim: str, paragraphs: int, verdict: str
) -> None:
    text = write_apart("Let $g(x) = x^2$.", f"Then {claim}.", paragraphs)
    assert judge_last(proofreader, text) == verdict


@pytest.mark.parametrize("paragraphs", [0, 4, 14])
def test_what_two_sides_show_by_themselves_is_wrong_everywhere(
    proofreader: TextProofreader, paragraphs: int
) -> None:
    text = write_apart("Let $g(x) = x^2$.", r"Then $\frac{d}{dx} x^2 = 3x$.", paragraphs)
    assert judge_last(proofreader, text) == "wrong"


@pytest.mark.parametrize(("paragraphs", "verdict"), [(0, "wrong"), (4, "doubtful")])
def test_a_near_consequence_is_wrong_beside_its_sources_only(
    proofreader: TextProofreader, paragraphs: int, verdict: str
) -> None:
    text = write_apart("We have $b = aq + r$.", "But then $r = b + aq$.", paragraphs)
    assert judge_last(proofreader, text) == verdict


def test_the_function_of_a_near_consequence_can_stand_before(proofreader: TextProofreader) -> None:
    lines = "Let $f(x) = ax + b$.\n\nIt is smooth.\n\nIt is steep.\n\n"
    text = (
        lines
        + "We have $a^2 b + ab + b = 21$. Taking $a = 2$ we get $4a + 2b + b = 21$, which is $f(f(b)) = 21$."
    )
    found = proofreader.check_links(text)
    assert next(each.verdict for each in found if each.left == "4a + 2b + b") == "wrong"


@pytest.mark.parametrize(
    ("lead", "verdict"),
    [("For it we are left with", "doubtful"), ("For (b) we are left with", "given"), ("Then", "wrong")],
)
def test_what_is_given_can_be_about_another_function(
    proofreader: TextProofreader, lead: str, verdict: str
) -> None:
    text = f"For (a) we let $g(x) = x^2$. It is smooth.\n\n{lead} $g'(x) = 3x$."
    assert judge_last(proofreader, text) == verdict


def test_what_is_defined_anew_says_nothing_of_the_old_definition(proofreader: TextProofreader) -> None:
    known = "Let $g(x) = x^2$. It is flat at $x = 0$.\n\n"
    # A new definition does not follow from a value of its argument, and one that is not read is one too.
    again = known + "Now let $g(x) = x^3 + 1$. Then $g'(x) = 3x^2$."
    assert [each.verdict for each in proofreader.check_links(again)][-2:] == ["given", "follows"]
    unread = known + r"Now let $g(x) = \foo{x \mid}$. Then $g'(x) = 3x^2$."
    assert [each.verdict for each in proofreader.check_links(unread)][-2:] == ["unread", "given"]
    bare = "Let $Q(x, y) = xy$.\n\nAnother one is $Q = x + y$. "
    assert judge_last(proofreader, bare + r"Then $\frac{\partial Q}{\partial x} = 1$.") != "wrong"


def test_a_high_power_of_what_is_known_is_looked_at(proofreader: TextProofreader) -> None:
    text = "Let $u = a + b + c + w$ and $v = u^{12} + c$. Then $|v| + |u + 1| = |u^{12} - c| + |u + 2|$."
    assert judge_last(proofreader, text) in ("wrong", "doubtful", "given", "not shown")


def test_a_definition_that_was_used_in_between_is_near(proofreader: TextProofreader) -> None:
    known = write_apart("Let $g(x) = x^3$.", "Clearly $g(2) = 8$.", 6)
    assert judge_last(proofreader, write_apart(known, "Then $g'(x) = 2x^2$.", 3)) == "wrong"
    assert judge_last(proofreader, write_apart(known, "Then $g'(x) = 3x^2$.", 3)) == "follows"
    unused = write_apart("Let $g(x) = x^3$.", "It grows.", 6)
    assert judge_last(proofreader, write_apart(unused, "Then $g'(x) = 2x^2$.", 3)) == "not shown"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("$p'(2) = 9$", "follows"),
        ("$p'(2) = 11$", "wrong"),
        ("$p''(x) = 4x$", "follows"),
        ("$p''(1) = 6$", "wrong"),
    ],
)
def test_a_derivative_is_known_where_its_function_is_not(
    proofreader: TextProofreader, claim: str, verdict: str
) -> None:
    assert judge_last(proofreader, f"The slope is $p'(x) = 2x^2 + 1$. Hence {claim}.") == verdict


def test_a_letter_with_a_prime_is_no_derivative(proofreader: TextProofreader) -> None:
    moved = "Let $x' = 2x + 1$ and $x'' = x' + 3$. "
    assert judge_last(proofreader, moved + "Then $x'' = 2x + 4$.") == "follows"
    law = "We know $q'(x) = 5q(x)$ and $q(0) = 2$. "
    assert judge_last(proofreader, law + "Hence $q'(0) = 10$.") == "follows"
