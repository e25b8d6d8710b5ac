"""Slips of which a text may mean something else, names that it has nowhere else, and signs of whole sides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.proofreading.proofread_files import Proofread, TextProofreader, exit_code, proofread


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_FAR = "\n" * 70
_ENERGY = r"The energy is $E = \frac{m v^2}{2} + m g h$. "


@pytest.mark.parametrize(
    ("text", "verdict", "instead"),
    [
        # what was said long ago, or in a text that distinguishes cases
        (rf"Let $q = 2a + b$ and $s = q - c$.{_FAR}Now $s + c = 2a - b$.", "doubtful", "+ for -"),
        ("Let $q = 2a + b$ and $s = q - c$. Now $s + c = 2a - b$.", "wrong", "+ for -"),
        ("Let $q = 2a + b$ and $s = q - c$.\n\nIn the second case $s + c = 2a - b$.", "doubtful", "+ for -"),
    ],
)
def test_a_slip_that_may_be_about_something_else_is_doubtful(
    proofreader: TextProofreader, text: str, verdict: str, instead: str
) -> None:
    found = proofreader.check_links(text)[-1]
    assert found.verdict == verdict
    assert instead in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "At $x = 3$ it rises.\n\nIn the second case $x = 2$.",
        f"Let $x = y$ and $y = 3$.{_FAR}Now take $x = 5$.",
        rf"{_ENERGY}Similarly, for a spring $E = \frac{{m v^2}}{{2}} + m a h$.",
    ],
)
def test_another_value_or_letter_is_not_doubtful(proofreader: TextProofreader, text: str) -> None:
    assert not {"wrong", "doubtful"} & {each.verdict for each in proofreader.check_links(text)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "We solve $x_1 + 3x_2 = 5$ and $x_1 - 2x_2 = -5$. The only pair is $x_7 = -1$ and $x_2 = 2$.",
            "x_1 for x_7",
        ),
    ],
)
def test_a_name_that_the_text_has_nowhere_else_is_mistyped(
    proofreader: TextProofreader, text: str, meant: str
) -> None:
    (doubtful,) = (each for each in proofreader.check_links(text) if each.verdict == "doubtful")
    assert f"it holds with {meant}, which the text has only here" in doubtful.reason


_FORCES = "Newton says that $ma + ka = p$, and that $p = f_0 c + f_1$ in all. "


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Then $(aV_3)(bW_1) = ab(V_1W_1)$, and $V_1W_1 > 0$.", "V_1 for V_3"),
        (_FORCES + "The equation becomes $ma + ka = f_4 c + f_1$.", "f_0 for f_4"),
    ],
)
def test_a_name_in_the_middle_of_an_equation_is_not_introduced_there(
    proofreader: TextProofreader, text: str, meant: str
) -> None:
    found = [each for each in proofreader.check_links(text) if each.verdict == "wrong"]
    assert [meant in each.reason for each in found] == [True]
    right = proofreader.check_links(text.replace(meant[-3:], meant[:3]))
    assert not {"wrong", "doubtful"} & {each.verdict for each in right}


@pytest.mark.parametrize(
    "text",
    [
        "We solve $x_1 + 3x_2 = 5$ and $x_1 - 2x_2 = -5$. Here $x_7 = 4$ is another unknown.",
        "A trivial solution is $x_1 = x_2$, $x_2 = x_3$, $x_3 = x_4$.",
        "They cancel, since $a_1 - a_2 = 0$.",
    ],
)
def test_a_new_name_may_be_meant(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            r"Because $\nu = -\theta v \sigma$ holds, we get $\nu/\sigma = \theta v$.",
            "it holds with the opposite",
        ),
        (r"Then $q_{ij} = \frac12(b_{ij} - b_{ji}) = \frac12(b_{ji} - b_{ij}) = -q_{ji}$.", "it holds with"),
        # the square of an angle's sine and that of its cosine
        (r"Since $x = r\cos t$ and $y = r\sin t$, we have $r^2 = x^2 + y^7$.", "it holds with 2 for 7"),
        # a derivative of a function that the text defines is no definition
        (r"Let $A(x) = x(50-x)$. Then $A'(x) = 50 + 2x$. We solve $50 - 2x = 0$.", "A(x) = x(50-x)"),
        # sums of unknown functions
        (
            r"We have $q = \sum_{i=2}^I p_i \log p_i = \sum_{i=1}^I p_i \log p_i = r$.",
            "it holds with 1 for 2",
        ),
        # an index in an entry
        (
            r"So $\begin{pmatrix} 1 & 3 \\ 0 & 1 \end{pmatrix} \begin{pmatrix} x_1 \\ x_2 \end{pmatrix}"
            r" = \begin{pmatrix} x_1 + 3x_3 \\ x_2 \end{pmatrix}$.",
            "it holds with",
        ),
        ("The matrix is regular. For vectors $U + (V + W) = (U + V) - W$.", "it holds with - for +"),
    ],
)
def test_slips_of_signs_sums_and_entries_are_wrong(
    proofreader: TextProofreader, text: str, reason: str
) -> None:
    assert any(each.verdict == "wrong" and reason in each.reason for each in proofreader.check_links(text))


def test_both_ends_of_an_interval_are_not_one(proofreader: TextProofreader) -> None:
    text = r"Let $y = c$ and $y = d$. So $\int_a^b\int_c^d 1\ dy\ dx = \int_c^d\int_a^b 3\ dx\ dy$."
    assert proofreader.check_links(text)[-1].verdict != "follows"


def test_doubtful_links_are_counted_apart_and_can_be_hidden(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"Let $q = 2a + b$ and $s = q - c$.{_FAR}Now $s + c = 2a - b$.\n")
    found = proofread(Proofread(path, sarif=tmp_path / "a.sarif", write_baseline=tmp_path / "known.json"))
    assert found["counts"]["doubtful"] == 1
    assert exit_code(found) == 0
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("doubtful", "warning")
    hidden = proofread(Proofread(path, baseline=tmp_path / "known.json"))
    assert (hidden["hidden"], hidden["counts"]["doubtful"]) == (1, 0)


@pytest.mark.parametrize(
    "text",
    [
        r"Since $h(x) = f(x) + g(x)$, we have $\lim_{x\to a} h(x) = \lim_{x\to a} (f(x)-g(x))$.",
        r"Put $b = \frac{x}{x+y}$. Hence $h(x) = h(b(x-y))$.",
        r"Let $y = \frac13(2+x^2)^{3/2}$. Then $1 + (\frac{dy}{dx})^2 = 1 + (x\sqrt{2+x^2})^9$.",
        r"So \begin{align*} p &= \sqrt{q^2+r^2} \\ p^2 &= q^2+r^2 \\ p^2 &= (1-(r/q)^2) q^2. \end{align*}",
    ],
)
def test_a_slip_beside_a_definition_is_wrong(proofreader: TextProofreader, text: str) -> None:
    found = proofreader.check_links(text)[-1]
    assert found.verdict == "wrong"
    assert "it holds with" in found.reason


def test_a_whole_equation_may_change_its_sign(proofreader: TextProofreader) -> None:
    text = r"We find \begin{align*} 0 &= -6t^2 + t + 12 \\ &= 6t^2 - t - 12 \\ &= (3t+4)(2t-3). \end{align*}"
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


def test_winding_numbers_may_be_equal(proofreader: TextProofreader) -> None:
    text = r"Cycles are homologous if $n(\Gamma_0;p) = n(\Gamma_1;p)$ for all $p$."
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


def test_functions_may_be_even(proofreader: TextProofreader) -> None:
    text = "As $f$ is even, $h(-x) = f(g((-x)^3)) = f(-g(x^3)) = f(g(x^3))$."
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}
