"""Statements about something else than the ones they resemble: another range, label, task or paragraph."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_flagged(proofreader: TextProofreader, text: str) -> list[str]:
    links = proofreader.check_links(text)
    return [each.verdict for each in links if each.verdict in ("wrong", "doubtful")]


@pytest.mark.parametrize(
    "text",
    [
        # the same words with other ranges
        r"For $2 \leq s \leq 4$, we get $k(s) = 7-{(s-3)}^2$. For $4 \leq s \leq 6$, we get"
        r" $k(s) = 7-{(s-5)}^2$. For $-4 \leq s \leq -2$, we get $k(s) = 7-{(s+3)}^2$.",
        # what is sought
        "We know ${(B - \\mu I)}^3 w_3 = 0$ here.\n\nThen find a $w_3$ such that ${(B - \\mu I)}^2 w_3 = 0$.",
        # two bounds of one term
        "Thus $\\deg(v) + 3k \\leq n - 1$ here.\n\nIn the second graph $\\deg(v) + 3k \\leq n - 2$.",
        # labels
        "**First series**: $\\frac1w = Q(\\frac{1}{2^2} - \\frac{1}{m^2})$\n\n"
        "**Second series**: $\\frac1w = Q(\\frac{1}{3^2} - \\frac{1}{m^2})$",
        # bold words that begin paragraphs, with the statement inside of them
        "**Ellipse.** The ends give $c^2 = a^2 - b^2$ here.\n\n"
        "**Hyperbola.** The branches give $c^2 = a^2 + b^2$ here.",
        "\\textbf{Ellipse.} The ends give $c = \\sqrt{a^2 - b^2}$ here.\n\n"
        "\\textbf{Hyperbola.} Hence $c = \\sqrt{a^2 + b^2}$ here.",
        # a condition that characterises something
        r"It is one if and only if for every $a, b \in A$, $$S(a)S(b) + S(a)S(b) = 0.$$",
        # the initial value of another task
        "\\begin{exercise}\nSolve $u' = u$, $u(0) = 5$.\n\\end{exercise}\n\\exsol{ $u = 5e^x$ }\n\n"
        "\\begin{exercise}\nSolve $u' + u = x$, $u(0) = 2$.\n\\end{exercise}",
    ],
)
def test_what_is_said_of_another_thing_is_not_doubted(proofreader: TextProofreader, text: str) -> None:
    assert list_flagged(proofreader, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The sum is $W = ab^2 + 5bc + d$ as we know.\n\nThe other side of it is $W = ab^2 + 7bc + d$ again."
        "\n\nAt the end $W = ab^2 + 5bc + d$ is left.",
        "**Step one.** The sum is $W = ab^2 + 5bc + d$ as we know.\n\n**Step two.** The other side of it is"
        " $W = ab^2 + 7bc + d$ again.\n\nAt the end $W = ab^2 + 5bc + d$ is left.",
        "**Solution**: we have $p = 3q + 2r$ and $q = 4$. **Answer**: thus $p = 15 + 2r$.",
        "Let $u(x) = 5e^x$ now. So $u(0) = 2$.",
    ],
)
def test_what_is_said_of_the_same_thing_is_held_against_it(proofreader: TextProofreader, text: str) -> None:
    assert list_flagged(proofreader, text)
