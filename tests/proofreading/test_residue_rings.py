"""What is false of integers in texts about residues, rings and groups: a mistake unless a modulus that the
text names explains it."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_CONGRUENCES = r"A residue modulo $7$: we know $10 \equiv 3 \pmod 7$."


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # an equals sign beside congruences is that of integers
        (rf"{_CONGRUENCES} We factor $91 = 7 \cdot 17$.", True),
        (rf"{_CONGRUENCES} We factor $91 = 7 \cdot 13$.", False),
        (rf"{_CONGRUENCES} The quotient is $\gcd(84, 30) = 4$.", True),
        (rf"{_CONGRUENCES} We see $x^2 - 5x + 6 = (x-2)(x-4)$.", True),
        # … though powers may be reduced by that of a polynomial
        (rf"{_CONGRUENCES} Here $x^5 + 3x^4 + 2 = x + 5$ since we divide.", False),
        # … but for residues of the modulus at hand, inverses, and symbols of Legendre
        (rf"{_CONGRUENCES} Here $2^3 = 1$.", False),
        (rf"{_CONGRUENCES} Here $2^3 = 2$.", True),
        (rf"{_CONGRUENCES} The inverse is $3^{{-1}} = 5$.", False),
        (rf"{_CONGRUENCES} So $\left(\frac{{5}}{{7}}\right) = -1$.", False),
        # the modulus divides the difference, and one side is reduced
        (r"In $\mathbb{Z}_{12}$ we have $5 \cdot 7 = 11$.", False),
        (r"In $\mathbb{Z}_{12}$ we have $5 \cdot 7 = 10$.", True),
        (r"In $\mathbb{Z}_{12}$ the residues are $15 = 27$.", False),
        (r"In the ring $\mathbb{Z}_4$ there are few. The number is $45 = 7 \cdot 11$.", True),
        (r"In the ring $\Z[i]/(3)$ we have $2 \cdot 2 = 1$.", False),
        (r"In the group $U(8)$ of units of the ring $3 \cdot 5 = 7$.", False),
        # a congruence has its modulus
        (r"In the ring of integers $-1 \equiv 1 \pmod 8$, in the ring $\mathbb{Z}_2$ not.", True),
        # permutations, ideals and words of a code
        (r"In the symmetric group of permutations, a subgroup: $(1 2)(2 3) = (1 2 3)$.", False),
        (r"In the ring the ideals are $(4) + (6) = (2)$.", False),
        (r"Over a finite field, in the ring of words $101 + 110 = 11$.", False),
        # what counts something is a number
        (r"The symmetric group has a subgroup. Its order is $4! = 42$.", True),
        (r"The symmetric group has a subgroup. Its order is $4! = 24$.", False),
        (r"The group has subgroups. There are $2^3 \cdot 2^5 = 2^9$ of them.", True),
        (r"The group has subgroups. There are $2^3 \cdot 2^5 = 2^8$ of them.", False),
        (r"In a ring $(x+y)^n = \sum_{k=0}^n \binom{n}{k} x^k y^{n+k}$.", True),
        (r"In a ring $(x+y)^n = \sum_{k=0}^n \binom{n}{k} x^k y^{n-k}$.", False),
        # a law that fails for integers fails in a ring unless its coefficients vanish there
        (r"In every ring $a(b - c) = ab + ac$ holds.", True),
        (r"In every ring of characteristic two $a(b - c) = ab + ac$ holds.", False),
        (r"In the ring of integers of a field $4n - (n+1)^2 = 6n - n^2 - 2n - 1$.", True),
        (r"In the ring $3xy = 6xy + 3xy = (3x)(3y)$.", False),
        (r"In a ring of idempotents $a^2 + b + c = a + b + c$ holds.", False),
    ],
)
def test_a_false_equation_of_integers_needs_a_modulus(
    proofreader: TextProofreader, text: str, wrong: bool
) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # in every group
        (r"In a group we have $g g^{-4} h = h$.", True),
        (r"In a group with identity $e$ and $a^4 = e$ we have $b b^{-3} a = a$.", True),
        (r"In a group we have $(g h)^{-1} = h^{-1} g^{-3}$.", True),
        (r"Let $N$ be a normal subgroup, so $g N g^{-7} = N$.", True),
        (r"Hence $(b a b^{-1})^k = b a^k b^{-4}$ in the group.", True),
        (r"The inverse modulo $n$ is unique, so $a a^{-6} \equiv 1 \pmod n$.", True),
        # by the orders of elements, or by relations between them
        (r"In the dihedral group we have $r^5 s = r s$.", False),
        (r"In the dihedral group we have $r s = s r^{-1}$ and $r^2 s = s r^{-2}$.", False),
        (r"In the cyclic group $a^{-3} = a^2$.", False),
        (r"In the group $a^{-1} b a = b^2$.", False),
    ],
)
def test_an_inverse_has_the_exponent_of_an_inverse(
    proofreader: TextProofreader, text: str, wrong: bool
) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # the word for a model is none for residues
        (r"线性模型的误差，我们有 $(x+1)(x+2) = x^2 + 3x + 4$。", True),
        (r"对模 $5$ 的剩余类，我们有 $2 \cdot 4 = 3$。", False),
        # a line between integers says that one divides the other
        (r"A residue class modulo $m$: since $m \mid (a - b) + (b - c) = a + c$, we are done.", True),
        # a condition in brackets behind its variable
        (r"For all $a$ ($\gcd(a, 6) = 1$) the power is one.", False),
        (r"For all $a$ we have $\gcd(a, 6) = 1$.", True),
        # formulas that stand together are one side
        (r"There are $4 \choose 2$ $3 \choose 2$ $= 18$ of them.", False),
        (r"There are $4 \choose 2$ $= 18$ of them.", True),
    ],
)
def test_what_stands_around_a_false_equation(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # congruences that hold for no number, and would for all with one change
        (r"Now $8^m + 3 \equiv 1^m - 3 \pmod 7$.", True),
        (r"Now $8^m + 3 \equiv 1^m + 3 \pmod 7$.", False),
        (r"Hence $(5k + 2)^2 \equiv 20k + 7 \pmod 5$.", True),
        (r"Hence $(5k + 2)^2 \equiv 20k + 4 \pmod 5$.", False),
        # … or hold for some
        (r"Now $3^m \equiv 1^m \pmod 7$.", False),
        (r"Suppose that $2k + 1 \equiv 2k + 3 \pmod 8$.", False),
    ],
)
def test_congruences_with_letters(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # a name within a term that the text neither introduces nor goes on to
        (r"Let $h(u_1) = 0$ and $h(u_2) = 0$. Hence $h(u_8) = h(u_2)$.", "wrong"),
        (r"Let $h(u_1) = 0$ and $h(u_2) = 0$. Hence $h(u_3) = h(u_2)$.", "doubtful"),
        (r"Let $h(u_1) = 0$ and $h(u_2) = 0$. Hence $h(u_1) = h(u_2)$.", "follows"),
        # an index of two digits is one of a row and a column
        (r"Let $h(u_{11}) = 0$ and $h(u_{12}) = 0$. Hence $h(u_{21}) = h(u_{12})$.", "doubtful"),
        # factorials of letters from which numbers are taken away
        (r"We count $\binom{n}{k}(n-k)!(k-4)! = \frac{n!}{k}$.", "wrong"),
        (r"We count $\binom{n}{k}(n-k)!(k-1)! = \frac{n!}{k}$.", "right"),
    ],
)
def test_names_and_factorials(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict


_MATRICES = "Let $A$ and $B$ be matrices. "


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_MATRICES}Then $\det(A^{{-1}}) \det B = \det(A^{{-1}} B)$.", False),
        (rf"{_MATRICES}Then $\det(A^{{-3}}) \det B = \det(A^{{-1}} B)$.", True),
        (rf"{_MATRICES}Then $(A - B)^T = A^T - B^T$.", False),
        (rf"{_MATRICES}Then $(A + B)^T = A^T - B^T$.", True),
        (rf"{_MATRICES}Then $\operatorname{{tr}}(A B) - \operatorname{{tr}}(B A) = 0$.", False),
        (rf"{_MATRICES}As it is antisymmetric, $A^T = -A$.", False),
        (r"A relation $\cdot < \cdot$ is an order.", False),
        (r"Sums of types: $1 + \emptyset = 1$.", False),
    ],
)
def test_determinants_and_transposes(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    verdicts = [link.verdict for link in proofreader.check_links(text)]
    assert ("wrong" in verdicts) == wrong, verdicts
