"""What a document writes in its own way is no mistake of it; the mistake beside it is."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # operations on tuples that the text defines
        (r"Define $c(a_1, a_2) = (ca_1, a_2/c)$. Then $(2)(1,1) = (2,1/2)$.", "not shown"),
        (r"We put $(a, b) + (p, q) = (a + p, bq)$. Then $(1, 2) + (3, 4) = (4, 8)$.", "not shown"),
        (r"We know $c(a_1, a_2) = (ca_1, ca_2)$. Then $(2)(1,1) = (2,1/2)$.", "wrong"),
        (r"We know $(a, b) + (p, q) = (a + p, b + q)$. Then $(1, 2) + (3, 4) = (4, 8)$.", "wrong"),
        (r"Define $c(a_1, a_2) = (a_1, 0)$. Thus we get $1(0,1) = (0,0)$.", "not shown"),
        (
            r"Define $$c(a, b) = \begin{cases} (0,0) & c = 0 \\ (ca, b/c) & c \neq 0 \end{cases}$$ "
            r"Thus $(2)(1,1) = (2,1/2)$.",
            "not shown",
        ),
        # sums of functions
        (
            r"Of even functions the sum is even: $(f+g)(-t) = f(-t) + g(-t) = f(t) + g(t)$.",
            "not shown",
        ),
        # angle brackets written with signs of inequality
        (r"We verify $w = <w, v_1> v_1 + <w, v_2> v_2$.", "not shown"),
        (r"We find $$\begin{aligned} <w, v_1> &= 2 \\ <w, v_2> &= 0 \end{aligned}$$", "given"),
        (r"We have $x < 3$, and always $y > y$.", "wrong"),
        # bits of negative numbers
        (r"The register holds $-5_{10} = 1011_2$.", "right if"),
        (r"The register holds $-5_{10} = 1001_2$.", "wrong"),
        # numbers that are counted
        (r"Show that $\frac{1}{n!} \leq \frac{1}{2^{n-1}}$ for all $n$.", "not shown"),
        (r"Show that $\frac{1}{n!} \leq \frac{1}{3^{n-1}}$ for all $n$.", "wrong"),
        (r"By the choice of $t$ we have $e^{it\pi} = e^{-it\pi}$.", "right if"),
        (r"By the choice of $t$ we have $e^{it} = e^{-it}$.", "wrong"),
        # equations that are announced, and statements that are denied
        (r"So $p = 4$ and $q = 3$. Now we see that the balance equations are $6p = 4q$.", "not shown"),
        (r"So $p = 4$ and $q = 3$. Now we see that $6p = 4q$.", "wrong"),
        (r"It is reflexive if $y > y$ for all reals. We have $y > y$. \\ This is not true.", "not shown"),
    ],
)
def test_own_notations_are_told_from_mistakes(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


def test_a_sign_of_members_may_stand_alone(proofreader: TextProofreader) -> None:
    assert proofreader.check_links(r"The sign $f(\in)$ is read first. So $1 + 1 = 3$.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # A product that depends on its order is none of numbers, where it is called another one.
        (r"For these we find $\rho\omega \ne \omega\rho$.", r"For these we find $3 \cdot 4 \ne 4 \cdot 3$."),
        (
            r"Define $x \mathbin{*} y = x + 2y$. Then $3 * 4 = 11$.",
            r"Define $h(x, y) = x + 2y$. Then $3 \cdot 4 = 11$.",
        ),
        # Two capital letters are a segment, and no unit.
        ("So $MN = 2$ and $kA = 3$.", r"So $7\text{ kJ} = 700\text{ J}$."),
        # What always and what never holds.
        (r"Laws: $A \wedge \top \equiv A$, $A \wedge \neg A \equiv \bot$.", r"Law: $A \vee \top \equiv A$."),
        # 0 with the sign of what tends to it.
        (
            r"So $\lim_{x \to 5^-} \frac{x}{5-x} = \frac{5}{+0} = \infty$.",
            r"So $\lim_{x \to 5^-} \frac{x}{5-x} = 5$.",
        ),
        # A whole number before a fraction that is a factor of a term.
        (r"This gives $4 \frac{1}{2} x^3 = 2x^3$.", r"This gives $4 \frac{1}{2} x^3 = 3x^3$."),
    ],
)
def test_operations_of_other_objects(proofreader: TextProofreader, right: str, mistaken: str) -> None:
    assert "wrong" not in [link.verdict for link in proofreader.check_links(right)]
    assert "wrong" in [link.verdict for link in proofreader.check_links(mistaken)]
