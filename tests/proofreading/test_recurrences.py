"""Members of sequences, held against values that were worked out by hand."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("recurrence", "right", "wrong"),
    [
        ("We have $a_1 = 2$ and $a_{n+1} = 3a_n + 1$", "$a_2 = 7$, $a_3 = 22$", "$a_2 = 7$, $a_3 = 23$"),
        ("Let $b_n = b_{n-1} + 2b_{n-2}$, $b_0 = 2$, $b_1 = 1$", "$b_3 = 7$", "$b_3 = 8$"),
        ("Let $d_n = n d_{n-1}$ and $d_0 = 1$", "$d_4 = 24$", "$d_4 = 42$"),
        ("We have $F_1 = F_2 = 1$ and $F_{n+1} = F_n + F_{n-1}$", "$F_3 = 2$, $F_5 = 5$", "$F_5 = 6$"),
    ],
)
def test_members_follow_from_the_recurrence(
    proofreader: TextProofreader, recurrence: str, right: str, wrong: str
) -> None:
    assert proofreader.check_links(f"{recurrence}. So {right}.")[-1].verdict == "follows"
    assert proofreader.check_links(f"{recurrence}. So {wrong}.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        # rounded by Newton's method, another beginning, two sequences of one name, no recurrence
        r"Let $x_{n+1} = \frac{x_n}{2} + \frac{1}{x_n}$ and $x_0 = 1$. So $x_1 = 1.5$, $x_2 = 1.41667$.",
        "Let $c_n = 2c_{n-1}$ and $c_0 = 1$. If $c_1 = 3$ instead, then $c_2 = 6$.",
        "Let $p_n = 2p_{n-1}$. One begins with $p_0 = 1$, one with $p_0 = 5$. So $p_1 = 10$.",
        "Let $q_n = q_{n+1} - 1$ and $q_0 = 1$. So $q_1 = 3$.",
    ],
)
def test_what_is_no_member_is_not_accused(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


@pytest.mark.parametrize(
    ("recurrence", "right", "wrong_start", "wrong_step"),
    [
        (
            "Let $w_0 = 2$ and $w_{n+1} = 3w_n$",
            "$w_n = 2 \\cdot 3^n$",
            "$w_n = 4 \\cdot 3^n$",
            "$w_n = 2 + 3n$",
        ),
        ("Let $t_1 = 1$ and $t_{k+1} = t_k + 4$", "$t_n = 4n - 3$", "$t_n = 4n + 1$", "$t_n = 3n - 2$"),
        (
            "Let $s_0 = 1$, $s_1 = 3$ and $s_{n+2} = 2s_{n+1} - s_n$",
            "$s_n = 2n + 1$",
            "$s_n = 2n + 3$",
            "$s_n = n^2 + n + 1$",
        ),
    ],
)
def test_a_formula_for_the_members_has_their_beginning_and_their_recurrence(
    proofreader: TextProofreader, recurrence: str, right: str, wrong_start: str, wrong_step: str
) -> None:
    assert proofreader.check_links(f"{recurrence}. Hence {right}.")[-1].verdict == "follows"
    for wrong in (wrong_start, wrong_step):
        assert proofreader.check_links(f"{recurrence}. Hence {wrong}.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "Let $w_0 = 5$ and $w_{n+1} = 2w_n + 1$. Try $w_n = 2^n - 1$.",
        "Let $w_0 = 5$ and $w_{n+1} = 2w_n + 1$. So one solution is $w_n = 2^n - 1$.",
        "Let $w_0 = 5$ and $w_{n+1} = 2w_n + 1$. Hence $w_n = c \\cdot 2^n - 1$.",
    ],
)
def test_a_formula_that_is_tried_need_not_begin_as_the_sequence(
    proofreader: TextProofreader, text: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict in ("given", "not shown")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        # the second list begins another sequence
        ("(a) $b_1 = 1, b_n = b_{n-1} + 6$; (b) $b_1 = 1, b_2 = 5, b_n = b_{n-1} b_{n-2}$.", "not shown"),
        ("(a) $b_1 = 1, b_n = b_{n-1} + 6$; so $b_2 = 5$.", "wrong"),
        ("(a) Let $g(x) = x^2$. (b) Let $g'(x) = 3x^2$, $g(x) = x^3$.", "given"),
        ("(a) Let $g(x) = x^2$. Then $g'(x) = 3x$, and $h(x) = x^3$.", "wrong"),
    ],
)
def test_a_list_that_defines_anew_is_about_its_own_definition(
    proofreader: TextProofreader, text: str, last: str
) -> None:
    verdicts = [each.verdict for each in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == (last == "wrong")
