"""Statements that are said again with another digit, sign or index."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("once", "again", "reason"),
    [
        ("$b_t = g_1 + g_2 r_t$", "$b_t = g_1 + g_8 r_t$", "(line 1), with 2 for 8"),
        (r"$\alpha = 0.05$", r"$\alpha = 9.05$", "(line 1), with 0.05 for 9.05"),
        # What the text says more often counts, wherever it stands.
        (
            "$V(q) = a q + 3 q^2$",
            "$V(q) = a q + 5 q^2$.\n\nRecall $V(q) = a q + 5 q^2$",
            "(line 5), with 5 for 3",
        ),
    ],
)
def test_a_copy_with_another_token_contradicts_the_other(
    proofreader: TextProofreader, once: str, again: str, reason: str
) -> None:
    text = f"The model has {once}.\n\nIt is simple.\n\nThe plan rests on {again}.\n"
    odd = [each for each in proofreader.check_links(text) if each.verdict == "wrong"]
    assert len(odd) == 1
    assert "contradicts" in odd[0].reason
    assert reason in odd[0].reason


@pytest.mark.parametrize(
    ("once", "again", "reason"),
    [
        ("$sq + t = 5a + b$", "$sq + t = 3a + b$", "(line 1), with 5 for 3"),
        ("$p + s = m - nq + r$", "$p + s = m + nq + r$", "(line 1), with - for +"),
        ("$V(q) = a q^5$", "$V(q) = a q^3$", "(line 1), with 5 for 3"),
    ],
)
def test_two_short_equations_that_differ_are_doubted_and_not_called_wrong(
    proofreader: TextProofreader, once: str, again: str, reason: str
) -> None:
    """Each is said once, so the second may be another equation of the same kind."""
    text = f"The model has {once}.\n\nIt is simple.\n\nThe plan rests on {again}.\n"
    links = proofreader.check_links(text)
    assert [each.verdict for each in links if each.verdict in ("wrong", "doubtful")] == ["doubtful"]
    assert reason in links[-1].reason


@pytest.mark.parametrize(
    ("once", "again"),
    [
        ("$V = a q^5$", "$V = a q^3$"),
        ("$p = m - n$", "$p = m + n$"),
        ("$u' = m + nu$", "$u' = m - nu$"),
        ("$mv = xy + u$", "$mv = -(xy + u)$"),
    ],
)
def test_another_definition_value_or_opposite_is_not_doubted(
    proofreader: TextProofreader, once: str, again: str
) -> None:
    text = f"The model has {once}.\n\nIt is simple.\n\nThe plan rests on {again}.\n"
    assert {each.verdict for each in proofreader.check_links(text)} <= {"given", "not shown"}


@pytest.mark.parametrize(
    ("once", "again"),
    [
        (r"$y = A\cos[\omega(t - x/u) + \varphi]$", r"$y = A\cos[\omega(t + x/u) + \varphi]$"),
        (r"$(2L)/m < 1/4$", r"$(2L)/m < 1/2$"),
        (r"$x/2 = 3\pi/4$, and again $x/2 = 3\pi/4$", r"$x/2 = 7\pi/4$"),
    ],
)
def test_another_wave_bound_or_root_is_not_called_wrong(
    proofreader: TextProofreader, once: str, again: str
) -> None:
    text = f"The model has {once}.\n\nIt is simple.\n\nThe plan rests on {again}.\n"
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


def test_a_copy_between_two_statements_of_the_other_is_wrong(proofreader: TextProofreader) -> None:
    leads = ("The plot shows", "One petal is that of", "The area inside of")
    said = [f"{lead} $r = {number} \\sin(2t)$.\n\n" for lead, number in zip(leads, (3, 6, 3), strict=True)]
    assert [each.verdict for each in proofreader.check_links("".join(said[:2]))] == ["given", "not shown"]
    found = proofreader.check_links("".join(said))
    assert [each.verdict for each in found] == ["given", "wrong", "follows"]


@pytest.mark.parametrize(("slope", "verdict"), [("2x - 3", "wrong"), ("2x + 3", "doubtful")])
def test_of_two_copies_the_one_that_the_text_does_not_go_on_with_is_wrong(
    proofreader: TextProofreader, slope: str, verdict: str
) -> None:
    text = (
        "Consider $f(x) = x^2 - 3x$. It is smooth.\n\nThe graph of $f(x) = x^2 + 3x$ is a parabola."
        f"\n\nIts slope is $f'(x) = {slope}$."
    )
    found = proofreader.check_links(text)[1]
    assert found.verdict == verdict
    assert found.reason == "it contradicts f(x) = x^2 - 3x (line 1), with - for +"


@pytest.mark.parametrize(
    "text",
    [
        # at both ends of an interval, on parts of the range, in another calculation, far away
        "We know $0 = X(0) = A + B$ here.\n\nIt is simple.\n\nSo $0 = X(1) = A - B$ holds too.",
        "It is $f(t) = t - 1$ for $1 < t < 2$.\n\nIt is simple.\n\nThen $f(t) = t - 2$ for $2 < t < 3$.",
        r"Let $v = \begin{bmatrix} 1 \\ 0 \end{bmatrix}$ be one."
        "\n\nNext.\n\n"
        r"The same works using $v = \begin{bmatrix} 1 \\ 1 \end{bmatrix}$.",
        "There $(A - 3I) v_2 = v_1$ holds."
        + "\n\nIt is simple." * 40
        + "\n\nHere $(A - 2I) v_2 = v_1$ holds.",
        # a mistake that is told
        "It is $y'' + 2xy' + y = 0$ now.\n\nIn the old book a typo rendered it as $y'' - 2xy' + y = 0$.",
        # in the same way
        "The model has $V(q) = a q + 5 q^2$.\n\nThe plan rests on $V(q) = a q + 5 q^2$.",
        # varied in words
        "The model has $V(q) = a q + 5 q^2$.\n\nNow let $V(q) = a q + 3 q^2$.",
        # in one sentence
        "The models have $V(q) = a q + 5 q^2$ and also $V(q) = a q + 3 q^2$.",
        # in a list whose items begin alike
        "- The model has $V(q) = a q + 5 q^2$.\n- The model has $V(q) = a q + 3 q^2$.",
        # values at other arguments
        r"It is $A(x) = \int_1^x g(t)\,dt$. We find $A(1) = \int_1^1 g(t)\,dt = 0$, and then also"
        r" $A(2) = \int_1^2 g(t)\,dt = 0$. Likewise, $A(1) = 0$.",
        # small values vary, also where what follows would be true of the one before
        "We used $n = 4$, so $(n-1)! = 6$.\n\nThe plan rests on $n = 3$.\n\nWe see $n! = 24$.",
        "We used $n = 3$.\n\nIt is simple.\n\nThe plan rests on $n = 5$.",
        # conjugate roots
        r"The one has $V(q) = a q + b\sqrt{c}$."
        "\n\nIt is simple.\n\n"
        r"The plan rests on $V(q) = a q - b\sqrt{c}$.",
        # a series
        "The model has $V(q) = a q + 5 q^2$.\n\nThe plan has $V(q) = a q + 3 q^2$.\n\n"
        "A bank has $V(q) = a q + 7 q^2$.",
        # two examples
        r"\begin{example} The model has $V(q) = a q + 5 q^2$.\end{example}"
        "\n\n"
        r"\begin{example} The model rests on $V(q) = a q + 3 q^2$.\end{example}",
    ],
)
def test_what_a_text_varies_is_no_contradiction(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in [each.verdict for each in proofreader.check_links(text)]


_DISTANCE = (
    r"For $|x - x_0| < \delta$ it is small.%sAgain we take $|x - x_0| < \delta$.%sHence $%s < \delta$."
)


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [("|x - x_0|", False), ("|x + x_0|", True), ("|x + y|", False), ("|f(x) + f(x_0)|", False)],
)
def test_a_distance_that_is_bounded_again_is_a_difference(
    proofreader: TextProofreader, bound: str, verdict: bool
) -> None:
    found = proofreader.check_links(_DISTANCE % ("\n\n", "\n\n", bound))
    assert ("wrong" in [each.verdict for each in found]) == verdict
