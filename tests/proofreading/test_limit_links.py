"""What a term approaches behind an arrow is worked out, where it is known what its variable approaches."""

from __future__ import annotations

import pytest
import sympy

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize("term", ["n/(2*n+1)", "(1+1/n)**n", "sqrt(n**2+n)-n", "3+2**(-n)"])
def test_terms_of_sequences_approach_their_limits(proofreader: TextProofreader, term: str) -> None:
    body = sympy.sympify(term)
    limit = sympy.limit(body, sympy.Symbol("n"), sympy.oo)
    for value, verdict in ((limit, "right"), (limit + 1, "wrong")):
        text = f"We have ${sympy.latex(body)} \\longrightarrow {sympy.latex(value)}$."
        assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"As $x \to 0$, we get $\frac{\sin 2x}{x} \to 2$.", "right"),
        (r"As $x \to 0$, we get $\frac{\sin 2x}{x} \to 1$.", "wrong"),
        (r"Now $\frac{\sin 2x}{x} \xrightarrow[x \to 0]{} 2$.", "right"),
        (r"Now $\frac{\sin 2x}{x} \xrightarrow{x \to \infty} 2$.", "wrong"),
        (r"As $x \to 0^-$, we get $\frac{1}{x} \to -\infty$.", "right"),
        (r"As $x \to 0^+$, we get $\frac{1}{x} \to -\infty$.", "wrong"),
        (r"If $n$ grows, then $\frac{n}{n+1} \to 1$.", "right"),
        (
            r"We get $3 - 5^{-x} \to 3$ as $x \to \infty$; $5^{-x} + 1 \to \infty$ as $x \to -\infty$.",
            "not shown",
        ),
        (r"As $x \to \infty$ and as $x \to -\infty$ we have $\frac{x}{|x|} \to 1$.", "not shown"),
        # What the variable approaches is not known, or the arrow says something else.
        (r"We have $\frac{\sin 2x}{x} \to 1$.", "not shown"),
        (r"Replace $n^2 + 1 \to 5$.", "not shown"),
        (r"For $n = 8$ we halve: $\frac n2 \to 4$.", "not shown"),
        (r"The map $f : A \to B$ is given, and $p \to q$.", "not shown"),
        (r"It is false that $\frac{n}{n+1} \to 2$.", "not shown"),
    ],
)
def test_arrows_are_judged_where_they_are_limits(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"For $a > 1$ we have $(a+1)^2 = a^2 + a + 1$.", "wrong"),
        (r"For $a > 1$ we have $(a+1)^2 = a^2 + 2a + 1$.", "right"),
        (r"For $x < 0$ we have $\sqrt{x^2} = x$.", "wrong"),
        (r"For $x < 0$ we have $\sqrt{x^2} = -x$.", "right"),
        (r"For $0 < a < 1$ we have $\int_a^1 \frac{dx}{\sqrt x} = 2 - \sqrt a$.", "wrong"),
        (r"Suppose that for $a > 1$ we have $(a+1)^2 = 5a$.", "given"),
        (r"For $t > 2$ we have $f(t) = t + 1$.", "given"),
    ],
)
def test_equations_for_a_range_are_claimed_for_all_of_it(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


def test_ranges_of_cases_do_not_contradict_each_other(proofreader: TextProofreader) -> None:
    text = r"For $x > 2$ we have $|x - 2| = x - 2$, and for $x < 1$ we have $|x - 2| = 2 - x$."
    assert not any("everything follows" in link.reason for link in proofreader.check_links(text))
    both = r"Let $x > 2$ and $x < 1$."
    assert any("everything follows" in link.reason for link in proofreader.check_links(both))


def test_each_term_has_its_own_place(proofreader: TextProofreader) -> None:
    text = r"$3 - 5^{-x} \to 3$ as $x \to \infty$; $1 + 5^{-x} \to \infty$ as $x \to -\infty$."
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert verdicts == ["right", "not shown", "right", "not shown"]
    wrong = text.replace(r"\to 3$", r"\to 2$")
    assert next(link.verdict for link in proofreader.check_links(wrong)) == "wrong"
