"""Texts about residues, rings and groups: what holds there is not accused, and the mistake beside it is."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # the modulus stands in the heading, in the words, before or behind; of several the nearest counts
        (r"# Sums in $\mathbb{Z}_5$" "\n\n" r"So $2 + 3 = 0$ and $4 \cdot 4 = 1$.", False),
        (r"# Sums in $\mathbb{Z}_5$" "\n\n" r"So $2 + 3 = 1$.", True),
        (r"Over GF(2), $1 + 1 = 0$, so $x^2 + 1 = (x+1)^2$.", False),
        (r"Over GF(4), $u + u = 2u = 0$.", False),
        (r"In $\mathbb{F}_5[x]$ we have $x^4 + 4 = (x+1)(x+2)(x+3)(x+4)$.", False),
        (r"In $\mathbb{Z}_3$ we have $2^2 + 1 = 5 = 2$. However, $4 + 1 = 5 = 0$ in $\mathbb{Z}_5$.", False),
        (r"In the ring $\mathbb{Z}_6$ we have $4 + 4 = 1$.", True),
        (r"In a field of characteristic $2$ we have $(a+b)^2 = a^2 + b^2$.", False),
        # arithmetic that no modulus explains, fractions and units are those of ordinary numbers
        ("# Subgroups\n\nA coset of the ring. The index is $2 \\cdot 3 = 7$.", True),
        ("# Subgroups\n\nA coset of the ring. The index is $2 \\cdot 3 = 1$.", False),
        ("# Subgroups\n\nA coset of the ring. It is $\\frac12 + \\frac14 = \\frac58$.", True),
        ("# Subgroups\n\nA coset of the ring. It costs $4 \\cdot 3 = 2$ dollars.", True),
    ],
)
def test_residues_are_those_of_the_modulus_at_hand(
    proofreader: TextProofreader, text: str, wrong: bool
) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            r"**1. Let $A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$. Find its trace.**"
            "\n\nIt is $5$.\n\n"
            r"**2. Show of a symmetric matrix $A$ that $A^2$ is one.**"
            "\n\n"
            r"As $A^T = A$, we have $(AA)^T = A^T A^T = AA$.",
            False,
        ),
        (
            r"**1. Let $A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$. Find its transpose.**"
            "\n\n"
            r"It is $A^T = \begin{pmatrix} 1 & 3 \\ 2 & 5 \end{pmatrix}$.",
            True,
        ),
        # a product that goes on in the formula beside it
        (r"We factor $252=2.$$126$, and $899=29.$$31$.", False),
        (r"We factor $252=2.$ And $899=29.$", True),
    ],
)
def test_numbered_tasks_and_adjacent_formulas(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert ("wrong" in [link.verdict for link in proofreader.check_links(text)]) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # a quantifier says of which numbers the statement behind its colon is
        (r"$\exists x \in \mathbb{R}: x^2 = 2$. Then $(x+1)^2 = x^2 + 2x + 1$.", False),
        (r"We have $\forall x \in \mathbb{R}\colon (x+1)^2 = x^2 + 2x + 1$.", False),
        (r"We have $\forall x \in \mathbb{R}\colon (x+1)^2 = x^2 + 1$.", True),
        # several values of a letter are alternatives
        (r"Let $x = 1, 4$. Then $x^2 = 16$ is possible.", False),
        (r"Let $x = 4$. Then $x^2 = 15$.", True),
        # a name before a colon is no dividend, and |e| no number
        (r"In base two, $1101: 13 = 8 + 4 + 1$.", False),
        (r"In base two, $1101: 13 = 8 + 4 + 2$.", True),
        (r"The order of the neutral element is $|e| = 1$.", False),
        # sums without terms are no slip of others
        (r"We see $1 + z + \cdots + z^{22} = 0 \Rightarrow \sum_{a=0}^{22} z^{ka} = 0$.", False),
        # statements that are always true or false
        (r"$p \land (q \lor \textbf{false}) \equiv p \land q$", False),
        (r"$p \land (q \lor \textbf{true}) \equiv p \land q$", True),
        # a product has as many digits as its factors
        (r"It is $9.81 \cdot 2.3 = 23$.", False),
        (r"It is $9.81 \cdot 2.3 = 24$.", True),
        (r"The sum is $1.5 + 1.52 = 3$.", True),
        # a bound that another letter gives, which is said to be the larger one
        (
            r"If $s \in S$, then $\|(sI - T)^{-1}\| > 1/a_1$. Since $a_1 < a_2$, we have $1/a_1 > 1/a_2$."
            r" Thus $\|(sI - T)^{-1}\| > 1/a_2$, as it was to be shown.",
            False,
        ),
        # square brackets are integer parts where that makes it hold
        (r"If $x$ is no integer, then $[-x] < -x$.", False),
        (
            r"So $\sum_{k=1}^\infty [\frac{9}{2^k}] = [\frac92] + [\frac94] + [\frac98] = 4+2+1$.",
            False,
        ),
        (r"So $[\frac{10}{4}] + [\frac{10}{8}] = 4$.", True),
        (r"So $[x+1]^2 = x^2 + 2x + 1$ and $[x+1][x-1] = x^2 - 1 = [x+2][x-1]$.", True),
        (r"So $(1,1) = \frac13[(2,1) + (1,1)]$.", True),
        # a root of a negative number is imaginary, one of a difference a mistake
        (r"The norm is $\sqrt{-3} \cdot \sqrt{-3} = -3$, and $1 + 3 = |1 + \sqrt{-3}|^2$.", False),
        (r"The side is $\sqrt{14 - 40} = 2$.", True),
        # letters that anticommute, in a text that is not about numbers
        (
            r"In a ring with $ab = -ba$ we have $a^2 + ba + ab + b^2 = a^2 + ba + (-ba) + b^2 = a^2 + b^2$.",
            False,
        ),
        (r"In a Clifford algebra $(uv)^2 = uvuv = u(-uv)v = -u^2v^2$.", False),
        (r"We have $a^2 + ba + ab + b^2 = a^2 + ba + (-ba) + b^2 = a^2 + b^2$.", True),
        # Roman numerals that name parts, and what matrices have to satisfy
        (r"The area is $I + II - III = 2I - III$.", False),
        (
            r"Let $E = \begin{pmatrix} a & b \\ 0 & 0 \end{pmatrix}$ and"
            r" $M = \begin{pmatrix} c & d \\ 0 & 0 \end{pmatrix}$. Then we must have $ME = EM$.",
            False,
        ),
        (
            r"Let $E = \begin{pmatrix} a & b \\ 0 & 0 \end{pmatrix}$ and"
            r" $M = \begin{pmatrix} c & d \\ 0 & 0 \end{pmatrix}$. Then $ME = EM$.",
            True,
        ),
        # an exclamation mark that ends a sentence
        (r"So $a - a = 0\,!$ And $3 - 2 = 0!$", False),
        (r"So $4 - 2 = 3!$", True),
        # one equation with two consequences
        (r"So $(k+m)a + (k+l)b + (l+m)c = 0$ implies $k + m = k + l = l + m = 0$.", False),
    ],
)
def test_what_notation_means_beside_numbers(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert ("wrong" in [link.verdict for link in proofreader.check_links(text)]) == wrong


def test_variables_in_a_divisor_can_be_coprime(proofreader: TextProofreader) -> None:
    *_, found = proofreader.check_links(r"So $\operatorname{lcm}(u,v) = fg / \gcd(f, g) = fg$.")
    assert (found.verdict, found.reason) == ("right if", "gcd(f, g) = 1")
    *_, found = proofreader.check_links(r"So $\operatorname{lcm}(u,v) = fg / \gcd(f, g) = 2fg$.")
    assert found.verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # elements of a group, which need not commute
        (
            r"Let $G/H$ be abelian. So $hxy = kyx$ where $h, k \in H$. Then"
            r" $xy = h^{-1} k y x = k h^{-1} y x$ and $xyx^{-1} = h^{-1} k y = k y$.",
            False,
        ),
        (r"Let $G$ be a group, $x, y \in G$. We have $(xy)^2 = xyxy = x y^3 = xy^2$.", False),
        (r"Let $x, y \in A$. We have $(xy)^2 = xyxy = x y^3$.", True),
        # an order of which words say what it is
        (r"The relation is irreflexive, so $a \not\leq a$.", False),
        (r"We have $a \not\leq a$ for all real $a$.", True),
        # what words say of a letter is an equation
        (r"Let $p$ be idempotent. Then $(1-p)^2 = 1 - 2p + p^2 = 1 - p$.", False),
        (r"Let $p$ be idempotent. Then $(1-p)^2 = 1 - 2p + p^2 = 1 + p$.", True),
        (r"Here $p$ is not idempotent. Then $(1-p)^2 = 1 - 2p + p^2 = 1 - p$.", True),
        (r"The projection $P$ is idempotent, so $(I - P)^2 = I - 2P + P^2 = I - P$.", False),
        (r"Since $t$ is an involution, $(1+t)^2 = 1 + 2t + t^2 = 2 + 2t$.", False),
        (r"Since $t$ is an involution, $(1+t)^2 = 1 + 2t + t^2 = 2 + 3t$.", True),
        (r"Let $w$ be a primitive cube root of unity. Then $(1+w)^2 = 1 + 2w + w^2 = w$.", False),
        (r"Let $w$ be a primitive cube root of unity. Then $(1+w)^2 = 1 + 2w + w^2 = 2w$.", True),
        (
            r"Let $z$ be a primitive $5$-th root of unity. So $z^2 + z^3 = -1 - z - z^4 = -1 - z - z^{-1}$.",
            False,
        ),
    ],
)
def test_letters_are_what_words_say(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert ("wrong" in [link.verdict for link in proofreader.check_links(text)]) == wrong


def test_a_bound_without_a_value_decides_nothing(proofreader: TextProofreader) -> None:
    *_, found = proofreader.check_links(r"Let $x > \sqrt{-3}$. Then $x^2 + 1 > x$.")
    assert found.verdict == "not shown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Put $s^3 = e$ and $t^2 = e$. Then $tst = s^2$.", "not shown"),
        (r"Let $G$ be a group in which $x^2 = e$ for all $x$.", "not shown"),
        (r"We solve $\ln s = 2$, so $s = e^2$. Then $(a + b)^2 = a^2 + b^2$.", "wrong"),
    ],
)
def test_e_is_the_identity_where_products_are_e(
    proofreader: TextProofreader, text: str, expected: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == expected


_TWO_DOMAINS = r"Let the domain be $\mathbb{R}$ in part 1 and $\mathbb{N} = \{0, 1, \dots\}$ in part 2."


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (r"Let the domain be $\mathbb{N}$. Then $\forall x: x^3 \ge x$ is true.", False),
        (r"Let the domain be $\mathbb{N}$. Then $\forall x: x^3 \ge 2x$ is true.", True),
        (r"Let the domain be $\mathbb{R}$. Then $\forall x: x^3 \ge x$ is true.", True),
        (r"Let the domain of $f$ be $\mathbb{N}$. Then $\forall x: x^3 \ge x$ is true.", True),
        (_TWO_DOMAINS + "\n\n**Part 1.**\n\n- $\\forall x: x^3 \\ge x$ is true.", True),
        (_TWO_DOMAINS + "\n\n**Part 2.**\n\n- $\\forall x: x^3 \\ge x$ is true.", False),
        (_TWO_DOMAINS + "\n\n**Part 2.**\n\n- $\\forall x: x^3 \\ge 2x$ is true.", True),
    ],
)
def test_letters_range_over_the_domain_that_is_said(
    proofreader: TextProofreader, text: str, wrong: bool
) -> None:
    assert (proofreader.check_links(text)[-1].verdict == "wrong") is wrong
