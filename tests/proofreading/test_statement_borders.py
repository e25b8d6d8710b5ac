"""Where a statement begins and ends, and what its notation means: arrows, lists, conditions, symbols."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader

_ACCUSED = ("wrong", "doubtful")


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def count_accused(proofreader: TextProofreader, text: str) -> int:
    return sum(link.verdict in _ACCUSED for link in proofreader.check_links(text))


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # an arrow binds closer than the sign of equivalence
        (
            r"So $P \implies Q \equiv \neg Q \implies \neg P$.",
            r"So $P \implies Q \equiv \neg P \implies \neg Q$.",
        ),
        (r"So $S \Rightarrow R \equiv \neg S \lor R$.", r"So $S \Rightarrow R \equiv \neg S \land R$."),
        (r"So $P \iff Q \equiv Q \iff P$.", r"So $P \iff Q \equiv Q \iff \neg P$."),
        # what opens an item says when the rest of it holds
        (
            "The sign is\n\n"
            r"- $r > 0$: $\operatorname{sgn}(r) = 1$" "\n"
            r"- $r < 0$: $\operatorname{sgn}(r) = -1$" "\n"
            r"- $r = 0$: $\operatorname{sgn}(r) = 0$",
            "We know $4r = 8$.\n\n- Therefore $r = 3$.",
        ),
        # a chain that ends with 0 says of each of its sides that it is 0
        (r"Hence $$\implies r + s = r + t = t + u = 0$$", r"Let $r = s + t$ and $s = 2t$. Then $r = 4t$."),
        # a text that numbers every second thing, or counts rows and columns
        (
            r"They are $B_2 = \frac16$, $B_4 = -\frac{1}{30}$, $B_6 = \frac{1}{42}$ and "
            r"$B_8 = -\frac{1}{30}$.",
            r"Put $b_1 = 5$, $b_2 = 7$, $b_3 = 9$, so $b_1 + b_2 + b_3 = 21$. Then $b_{11} + b_2 = 12$.",
        ),
        (r"The weights are $w_{11} = 1, w_{12} = 1, w_{21} = 1, w_{22} = -1$.", r"So $1 + 1 + 1 - 1 = 3$."),
        # words before an equals sign name a thing, and no chain goes on from the formula before
        (
            r"$$\text{Gain of the first (n = 2)} = \frac{300}{150} = 2$$" "\n\n"
            r"$$\text{Gain of the second (n = 4)} = \frac{300}{75} = 4$$",
            r"$$\text{Gain of the second (n = 4)} = \frac{300}{75} = 5$$",
        ),
        # the derivative of functions, whose variable nobody names
        (r"$$G_2' = g = G' \Rightarrow (G_2 - G)' = 0$$", r"We find $(x^3 - 2x)' = 3x^2 + 2$."),
        # words of other languages between two equations
        (
            r"On a pour tout nombre réel $\cosh z = \frac{e^z + e^{-z}}{2} \text{ et } "
            r"\sinh z = \frac{e^z - e^{-z}}{2}$, donc la somme est connue.",
            r"On a pour tout nombre réel $\cosh z = \frac{e^z - e^{-z}}{2} \text{ et } "
            r"\sinh z = \frac{e^z - e^{-z}}{2}$, donc la somme est connue.",
        ),
        # symbols of Legendre, and products of them
        (
            r"The Legendre symbol is $\left(\frac{30}{53}\right) = "
            r"\left(\frac{2}{53}\right)\left(\frac{3}{53}\right)\left(\frac{5}{53}\right) = "
            r"(-1)(-1)(-1) = -1$.",
            r"Of fractions $\left(\frac{4}{9}\right) = \left(\frac{2}{3}\right)\left(\frac{2}{5}\right)$.",
        ),
        (
            r"By reciprocity of a Legendre symbol $(5/53) = (53/5) = (3/5) = -1$.",
            r"We get $(5/53) = (5/35)$.",
        ),
    ],
)  # fmt: skip
def test_what_the_borders_of_statements_say_is_no_mistake(
    proofreader: TextProofreader, right: str, mistaken: str
) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


def test_a_power_in_square_brackets_takes_a_coefficient(proofreader: TextProofreader) -> None:
    text = r"For all $n$ we have $[x^n] (1 + x)^3 = [x^n] (1 + x)^2 (1 + x) = \binom{3}{n}$."
    assert count_accused(proofreader, text) == 0


def test_every_item_of_a_list_that_is_asked_about_is_no_claim(proofreader: TextProofreader) -> None:
    text = "Decide whether these hold.\n\n- $2^3 = 6$\n- $2^4 = 8$\n\nIndeed:\n\n$3^2 = 6$"
    assert count_accused(proofreader, text) == 1


_BINARY = (
    r"Let $U$ be a space over $\mathbf F_2$, $V = \mathbf{F}_2^3$, with $\lambda \in \mathbf F_2$."
    + "\n\n# Labels\n\n"
)
_OF_SQUARES = r"The squares in $\mathbb{Z}_5$ and $\mathbb{Z}_7$ are few." + "\n\n# Roots\n\n"


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # of the only field that a text names often, and in any that it names for residues
        (rf"{_BINARY}All labels are $h$, so the sum is $3h = h$.", r"All are $h$, so $3h = h + h$."),
        (rf"{_BINARY}We know $$q(x) + q(x) = 0.$$", r"We know $$q(x) + q(x) = 0.$$"),
        (rf"{_BINARY}Hence $2h + h = h$ and $k = l + m$, so $k + l = m$.", rf"{_BINARY}Hence $2 + 2 = 5$."),
        (rf"{_OF_SQUARES}We have $2 + 3 = 0$ and $4 + 1 = 0$.", rf"{_OF_SQUARES}We have $2 + 2 = 3$."),
        (rf"{_OF_SQUARES}We have $5 \cdot 3 = 1$.", rf"{_OF_SQUARES}We have $9 + 5 = 6$."),
        # a matrix whose entries are bound by an equation behind a colon
        (
            r"$$Q = \begin{pmatrix} a & b \\ b & -a \end{pmatrix} : a^2 + b^2 = 1$$ "
            r"Let $v = \begin{pmatrix} 1 + a \\ b \end{pmatrix}$. Then $Q v = v$.",
            r"$$Q = \begin{pmatrix} a & b \\ b & -a \end{pmatrix}$$ "
            r"Let $v = \begin{pmatrix} 1 + a \\ b \end{pmatrix}$. Then $Q v = v$.",
        ),
        # what was rounded before it was calculated with
        (r"They earn $\$1,000 \times e^{5.999} = \$402,834$.", r"They earn $\$1,000 \times 1.05 = \$1,051$."),
        (
            r"So $\frac{0.01253}{\sqrt{(5.2352)(0.0000015)}} = 4.477$.",
            r"So $\frac{0.01253}{\sqrt{(5.2352)(0.0000015)}} = 4.577$.",
        ),
    ],
)
def test_what_the_document_names_decides_where_it_is_not_said_again(
    proofreader: TextProofreader, right: str, mistaken: str
) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # a matrix of matrices has their entries
        (
            r"$\begin{pmatrix} \begin{pmatrix} 5 \\ 7 \end{pmatrix} & 2 \begin{pmatrix} 6 \\ 8 \end{pmatrix} "
            r"\end{pmatrix} = \begin{pmatrix} 5 & 12 \\ 7 & 16 \end{pmatrix}$",
            r"$\begin{pmatrix} \begin{pmatrix} 5 \\ 7 \end{pmatrix} & 2 \begin{pmatrix} 6 \\ 8 \end{pmatrix} "
            r"\end{pmatrix} = \begin{pmatrix} 5 & 12 \\ 7 & 15 \end{pmatrix}$",
        ),
        # "each of the" counts things, and says nothing of all numbers
        (
            r"Let $N = 100$ be their number. We store a value for each of the $2^N > 10^{30}$ states.",
            r"For each real $N$ we have $2^N > 10^{30}$.",
        ),
    ],
)
def test_parts_and_things_are_no_numbers(proofreader: TextProofreader, right: str, mistaken: str) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # the sign of a remainder behind a number that nobody divides is that of a congruence
        (
            r"We have $7^4 = 4^2 = 16 = 1 \bmod 15$ and $-10 = 1 \bmod 11$.",
            r"We have $7^2 = 49 = 5 \bmod 15$.",
        ),
        (r"The remainder is $1 = 7 \bmod 3$.", r"The remainder is $4 = 7 \bmod 3$."),
        (r"If $p = \pm 1 \bmod 8$, then $p^2 = 1 \bmod 8$.", r"So $5^2 = 3 \bmod 8$."),
        # moduli that the section names, by a congruence or as the value of a letter
        (
            r"We find $2^{35} = 824 = 263 \bmod 561$. Next $263^2 = 166$ and $166^2 = 67$.",
            r"We find $2^{35} = 824 = 263 \bmod 561$. Next $263^2 = 166$ and $166^2 = 68$.",
        ),
        (
            "Work modulo 5 first.\n\nNow consider $p = 37$. Then $36 = -1$ and $16^3 = 4096 = 26$.",
            "Work modulo 5 first.\n\nNow consider $p = 37$. Then $36 = -1$ and $16^3 = 4096 = 27$.",
        ),
        (
            r"$$6^8 = 581^2 = 337561 \equiv 81$$ So it is $6^{91} \equiv 501 \bmod 715$.",
            r"$$6^8 = 582^2 = 338724 \equiv 81$$ So it is $6^{91} \equiv 501 \bmod 715$.",
        ),
        # two things may have the same small number
        (
            "The orders of\n\n- $\\phi_{11}(3) = 5$\n- $\\phi_{11}(4) = 5$\n- $\\phi_{11}(4) = 5$",
            "The orders are $2 + 3 = 6$.",
        ),
    ],
)
def test_congruences_are_written_in_several_ways(
    proofreader: TextProofreader, right: str, mistaken: str
) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # a denial binds less than an equals sign, and a letter alone is given a form
        (r"Clearly $\neg 1 = 0$ is provable.", r"Clearly $\neg 1 = 1$ is provable."),
        (
            r"There are the cases $\psi \equiv \alpha \land \beta$ and $\psi \equiv \neg \alpha$. Done.",
            r"So $p \to r \equiv \neg p \land r$.",
        ),
        # what a formula says for all j it does not say for all of its names
        (
            r"The basis is reduced: $$\forall j < i, |\mu_{i, j}| \leq \frac12$$",
            r"$$\forall x > 0, x^2 \leq x$$",
        ),
        # p and q are chances, and a remark in a row is none of its chain
        (
            r"The mean is $$m = 1 + \frac{p^2 + q^2}{pq} = \frac{1 - pq}{pq}.$$",
            r"The mean is $$m = 1 + \frac{p^2 + q^2}{pq} = \frac{1 + pq}{pq} = \frac{1 - pq}{pq}.$$",
        ),
        (
            r"\begin{align*} h &= x + 1 ~~ \mbox{at } x = y^2 \\ &= y^2 + 1 \end{align*}",
            r"\begin{align*} h &= x + 1 + 2x \\ &= 2x + 1 \end{align*}",
        ),
    ],
)
def test_signs_bind_as_they_are_meant(proofreader: TextProofreader, right: str, mistaken: str) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # connectives alone are a side with which the next formula goes on
        (
            "So\n\n" r"$$(a \land \neg b) \lor (a \land v)$$" "\n\n" r"$$\equiv a \land (\neg b \lor v)$$",
            "So\n\n" r"$$(a \land \neg b) \lor (a \land v)$$" "\n\n" r"$$\equiv a \land (\neg b \land v)$$",
        ),
        # e is what the text says that it is
        (
            r"Take $e = 7$. Then $d = e^{-1} \bmod 20 = 7^{-1} \bmod 20 = 3$, so $2e = 14$ and $ed = 21$.",
            r"Take $e = 7$. Then $2e = 15$.",
        ),
        (r"Of course $\ln e = 1$ and $e = 2.718$.", r"We have $e = 3$ and $e^{2t} = 1$, so $\ln(e) = 3$."),
        # what is called false is no claim, and of bits a letter cancels itself
        (
            r"$$11 \mid 748 \Leftrightarrow 11 \mid (7 + 49) \Leftrightarrow \text{false}$$",
            r"Therefore $11 \mid 56$.",
        ),
        (
            r"Each output bit is one of the bits. So $M + S + N + S = M + N$.",
            r"Two prices are added. So $M + S + N + S = M + N$.",
        ),
        (r"The inverse of $6 \bmod 23 = 4$.", r"The inverse of $6 \bmod 23 = 5$."),
        # a language that is read: what follows "với", what is called "sai"
        (
            r"Ví dụ. Ta có các số nguyên và các số thực. Với $n \geq 1$: "
            r"$3n^2 + 5n + 7 \leq 3n^2 + 5n^2 + 7n^2 = 15n^2$. Do đó ta có điều phải chứng minh.",
            r"Ví dụ. Ta có các số nguyên và các số thực. Do đó $3 + 4 = 8$.",
        ),
        (
            r"Ta có các số nguyên và các số thực. Mệnh đề $\forall n \in \mathbb{Z}, n^2 > n$ là sai.",
            r"Ta có các số nguyên và các số thực. Do đó $\forall n \in \mathbb{Z}, n^2 > n$.",
        ),
    ],
)  # fmt: skip
def test_the_text_says_what_its_letters_and_words_mean(
    proofreader: TextProofreader, right: str, mistaken: str
) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # one digit before a power of ten, or a unit, is rounded too
        (r"It is $2^{-53} \approx 1 \cdot 10^{-16}$.", r"It is $2^{-24} \approx 7 \cdot 10^{-8}$."),
        # the unit behind a rounded number, and digits that are cut off before a unit
        (
            r"It moves $(1.16 \times 10^6)(1.5 \times 10^{-14}) \approx 17$ nm.",
            r"It moves $(1.16 \times 10^6)(1.5 \times 10^{-14}) \approx 19$ nm.",
        ),
        (
            r"We have $a = 6.62607015\ \text{m}$ and $b = \frac{a}{2\pi} = 1.054571817\ \text{m}$.",
            r"We have $a = 6.62607015\ \text{m}$ and $b = \frac{a}{2\pi} = 1.054571827\ \text{m}$.",
        ),
        # e beside a letter is a charge where its value says so
        (r"Through $V = 54$ V the energy is $K = eV = 54$ eV.", r"Take $V = 54$. Then $2V = 109$."),
        # an integral over all, real numbers, and what is said to contain an error
        (
            r"Find $A$ so that $\psi = A e^{-|x|/a}$ satisfies $\int |\psi|^2 \, dx = 1$.",
            r"We integrate $\int x^2 \, dx = \frac{x^3}{2}$.",
        ),
        (r"It is $|1 - ix|^2 = 1 + x^2$ for real $x$.", r"It is $|1 - ix|^2 = 1 - x^2$ for real $x$."),
        (r"The step (contains an error): $\sqrt{2 \cdot 8} = 5$.", r"The step: $\sqrt{2 \cdot 8} = 5$."),
    ],
)
def test_quantities_are_no_plain_numbers(proofreader: TextProofreader, right: str, mistaken: str) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


@pytest.mark.parametrize(
    ("right", "mistaken"),
    [
        # a value that is sought, and a letter that gets another value
        (
            r"Find $$x > 0 \text{ such that } \begin{vmatrix} 5x & 4x \\ 1 & x \end{vmatrix} = 6x$$",
            r"So $$\begin{vmatrix} 5x & 4x \\ 1 & x \end{vmatrix} = 6x$$",
        ),
        (
            r"Start with $z = M$. Put $z \leftarrow z \times z = M^2$ and $z \leftarrow z \times z = M^4$.",
            r"Start with $z = M$. Then $z \times z = M^4$.",
        ),
        # the value of a function is no number that is written
        (r"Therefore $f(e) \in \{0, 1\}$ for all edges.", r"Therefore $2 \in \{0, 1\}$."),
        # inches are no membership
        (
            r"It is $12\ \text{in}$ long, and $2 \cdot 6 = 12$.",
            r"It is $12\ \text{in}$ long, and $2 \cdot 6 = 13$.",
        ),
    ],
)
def test_values_are_sought_and_assigned(proofreader: TextProofreader, right: str, mistaken: str) -> None:
    assert count_accused(proofreader, right) == 0
    assert count_accused(proofreader, mistaken) > 0


def test_the_height_behind_a_row_is_no_part_of_the_next(proofreader: TextProofreader) -> None:
    rows = r"\begin{align*} (x+1)^2 &= x^2 + 2x + 1 \\[4pt] &= x(x + 2) + %s \end{align*}"
    assert [each.verdict for each in proofreader.check_links(rows % 1)] == ["right", "right"]
    assert [each.verdict for each in proofreader.check_links(rows % 2)] == ["right", "wrong"]


def test_a_row_with_a_minus_goes_on_with_a_sum(proofreader: TextProofreader) -> None:
    rows = r"(a+b)^2 - 1 = a^2 \\[8pt] + 2ab \\[8pt] - (1 - b^2) \\[8pt] = b^2 - 1 + a^2 + 2ab"
    assert [each.verdict for each in proofreader.check_links(f"$${rows}$$")] == ["right", "right"]


def test_a_condition_without_brackets_is_read(proofreader: TextProofreader) -> None:
    text = r"We find $\left. A | B \right. = 3$ and $2 + 2 = 5$."
    assert count_accused(proofreader, text) == 1


def test_a_text_about_real_numbers_alone_names_no_ring(proofreader: TextProofreader) -> None:
    names = r"Let $x \in \mathbb{R}$, $y \in \mathbb{R}$ and $z \in \mathbb{R}$."
    text = rf"{names} For all $x$ we have $(x+1)^2 = x^2 + 2x + 2$."
    assert count_accused(proofreader, text) == 1
