"""What equations of numbers mean besides: each meaning excuses what holds in it, and nothing beside that."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader

NUMERALS = r"In set theory von Neumann's ordinals are $1 = \{\varnothing\} = \{0\}$"
TABLE = "| a | law | holds |\n|---|---|---|\n"


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def judge_last(proofreader: TextProofreader, text: str) -> str:
    return list(proofreader.check_links(text))[-1].verdict


@pytest.mark.parametrize(
    ("fitting", "failing"),
    [
        # multiples of a value that was rounded
        (
            r"The p-value is $2 \cdot P(T > 3.1) = 2(0.0124) = 0.0249$.",
            r"The p-value is $2 \cdot P(T > 3.1) = 2(0.0124) = 0.0258$.",
        ),
        (r"The p-value is $2(0.0124) = 0.0247$.", r"So the mass is $2(0.0124) = 0.0247$."),
        # sums that are 0 but for what was rounded
        (
            r"Here $e_1 + e_2 + e_3 = 0.167 - 0.333 + 0.167 = 0$.",
            r"Here $e_1 + e_2 + e_3 = 0.167 - 0.363 + 0.167 = 0$.",
        ),
        (r"So $4(0.125) - 2(0.251) = 0.500 - 0.502 = 0$.", r"So $4(0.12) - 2(0.3) = 0.48 - 0.6 = 0$."),
        # angles that differ by full turns
        (
            r"Thus $\arg(z) = \frac{7\pi}{4} = -\frac{\pi}{4}$.",
            r"Thus $\arg(z) = \frac{7\pi}{4} = \frac{\pi}{4}$.",
        ),
        (
            r"This is the angle $\theta = -\frac{\pi}{3} = \frac{5\pi}{3}$.",
            r"This is the volume $V = 5\pi = 3\pi$.",
        ),
        # numbers as sets
        (
            f"{NUMERALS}, and $\\{{0, \\{{0\\}}\\}} = \\{{\\varnothing, \\{{\\varnothing\\}}\\}}$.",
            r"So $\{\varnothing\} = \{1\}$.",
        ),
        # a point between two factors
        ("So $12.4 = 48$.", "So $12.4 = 84$."),
        ("So $12.4 + 2 = 50$.", "So $12.4 + 2 = 14.5$."),
        (r"So $\frac{1}{3} = \frac{2 - 1}{1 + 1.2}$.", r"So $\frac{1}{4} = \frac{2 - 1}{1 + 1.2}$."),
        (r"So $5.1^2 - 2^2 = 5 - 4$.", r"So $5.1^2 - 2^2 = 5 - 3$."),
        (r"So $\frac{4}{3}.2 + 3 = \frac{17}{3}$.", r"So $\frac{4}{3}.2 + 3 = \frac{19}{3}$."),
        (r"So $t = \frac{1}{x}.\frac{x^2}{3} = \frac{x}{3}$.", r"So $2.5 \cdot 2 = 20$."),
        # another branch of the inverse tangent
        (
            r"So $\tan^{-1} 2 + \tan^{-1} 3 = \tan^{-1}(-1)$.",
            r"So $\tan^{-1} 2 + \tan^{-1} 3 = \tan^{-1}(-2)$.",
        ),
        # degrees: without a sign, in right angles, in grades
        (r"So $\cos(180 + 20^\circ) = -\cos 20^\circ$.", r"So $\cos(180 + 20^\circ) = \cos 20^\circ$."),
        (r"So $30^\circ = \frac{30}{90}$ right angles.", r"So $30^\circ = \frac{30}{91}$ right angles."),
        (r"So $45^\circ = \frac{45 \times 10}{9}$.", r"So $45^\circ = \frac{45 \times 10}{8}$."),
        # what only the last of seven digits tells apart
        (
            r"So $4 = \frac{10}{143 + \frac{14}{60} + \frac{22}{3600}} \frac{180}{\pi}$.",
            r"So $4 = \frac{10}{143 + \frac{14}{60} + \frac{27}{3600}} \frac{180}{\pi}$.",
        ),
        # a rough value
        (
            r"So $\frac{1}{e^3} \approx \frac{1}{2.8^3} \approx \frac{1}{20}$.",
            r"So $\frac{1}{2.8^3} \approx \frac{1}{30}$.",
        ),
        # a value that is refuted
        (
            "Here $c$ is not $-1$ because it will make $1 = 5 - 3$.",
            "Here $c$ is $-1$ because we have $1 = 5 - 3$.",
        ),
        # sums of Legendre symbols
        (
            r"The Legendre symbols are $\left(\frac{1}{3}\right) + \left(\frac{2}{3}\right) = 0$.",
            r"The Legendre symbols are $\left(\frac{1}{3}\right) + \left(\frac{2}{3}\right) = 2$.",
        ),
        # whole numbers for what was calculated with rounded numbers
        (
            r"So $h = 250 \tan 31^\circ = 250(0.6009) = 150$.",
            r"So $h = 250 \tan 31^\circ = 250(0.6009) = 151$.",
        ),
        # the sides of a triangle, of which one is e or the hypotenuse
        (r"So $e^2 + 2^2 = 3^2$.", r"So $e^2 = 7.93$."),
        (
            r"Therefore $\frac{c + a}{b} = \frac{b}{c - a}$.",
            r"Therefore $\frac{c + a}{b} = \frac{b}{c + 2a}$.",
        ),
        # rounded up on purpose, or cut off behind the digits of the least exact number
        (
            r"We need at least $n = \frac{2.1^2}{0.1^2} \cdot 0.24 = 106$ people.",
            r"We need at least $n = \frac{2.1^2}{0.1^2} \cdot 0.24 = 107$ people.",
        ),
        ("The length is $823 / 3.124 = 263$ steps.", "The length is $823 / 3.124 = 262$ steps."),
        # a cell of a table that denies its row, and no other row
        (
            f"{TABLE}| 2 | $2 + 2 = 5$ | violated |",
            f"{TABLE}| 1 | $1 + 1 = 3$ | violated |\n| 2 | $2 + 2 = 5$ | yes |",
        ),
        (f"{TABLE}| 2 | $2 + 2 = 5$ | ❌ |", f"{TABLE}| 1 | $1 + 1 = 3$ | ❌ |\n| 2 | $2 + 2 = 5$ | ✅ |"),
    ],
)
def test_other_meaning(proofreader: TextProofreader, fitting: str, failing: str) -> None:
    assert judge_last(proofreader, fitting) not in ("wrong", "doubtful")
    assert judge_last(proofreader, failing) == "wrong"


@pytest.mark.parametrize(
    ("fitting", "failing"),
    [
        # an angle in degrees in a formula that wants radians
        (
            r"Here $\theta = 90^\circ$ and $r = 2$, so $\frac{1}{2} r^2 \theta = 2(1.5708)$.",
            r"Here $\theta = 90^\circ$ and $r = 2$, so $\frac{1}{2} r^2 \theta = 3(1.5708)$.",
        ),
        # a value of which the unit stands behind the formula
        (
            r"Here $r = 3$ m and $w = 2 \text{ s}^{-1}$, so $w r = (2 \text{ s}^{-1})(3 \text{ m})$.",
            r"Here $r = 3$ m and $w = 2 \text{ s}^{-1}$, so $w r = (2 \text{ s}^{-1})(4 \text{ m})$.",
        ),
        # two units
        (
            "It takes $x = 2.75 = 2$ hours and $45$ minutes.",
            "It takes $x = 2.75 = 2$ hours and $40$ minutes.",
        ),
        # hours and minutes
        (
            "They leave by train. The clock shows $9.45 + 1.30 = 11.15$.",
            "They leave by train. The clock shows $9.45 + 1.30 = 11.25$.",
        ),
        # the root that the quadrant or the words choose
        (
            r"So $\cos t = \sqrt{1 - \frac{9}{25}} = -\frac{4}{5}$.",
            r"So $\cos t = \sqrt{1 - \frac{9}{25}} = -\frac{3}{5}$.",
        ),
        (
            r"So $\cos 120^\circ = \sqrt{1 - \frac{3}{4}} = -\frac{1}{2}$.",
            r"So $\cos 60^\circ = \sqrt{1 - \frac{3}{4}} = -\frac{1}{2}$.",
        ),
        # i in a matrix beside an index i
        (
            r"Let $a_i = 3$ for $i = 2$ and $$\sigma = \begin{pmatrix} 0 & -i \\ i & 0 \end{pmatrix}.$$ Then "
            r"$$\sigma^2 = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}.$$",
            r"Let $a_k = 3$ for $k = 2$ and $$\sigma = \begin{pmatrix} 0 & -k \\ k & 0 \end{pmatrix}.$$ Then "
            r"$$\sigma^2 = \begin{pmatrix} 4 & 0 \\ 0 & 4 \end{pmatrix}.$$",
        ),
        # a cross as a dingbat
        (r"$$2 + 2 = 5 \quad \text{\ding{55}}$$", r"$$2 + 2 = 5 \quad \text{\ding{51}}$$"),
    ],
)
def test_values_and_marks(proofreader: TextProofreader, fitting: str, failing: str) -> None:
    assert judge_last(proofreader, fitting) not in ("wrong", "doubtful")
    assert judge_last(proofreader, failing) == "wrong"


def test_proof_by_contradiction(proofreader: TextProofreader) -> None:
    """What such a proof leads to is no mistake, and a slip in it is one."""
    heading = "## Proof by contradiction\n\nSuppose that $s$ is the least one.\n\n"
    assert judge_last(proofreader, f"{heading}Therefore $2^2 + 1 = 4$.") == "not shown"
    assert judge_last(proofreader, rf"{heading}Therefore $(s-3)(s+3) = s^2 + 9$.") == "wrong"
    assert judge_last(proofreader, "## Proof\n\nTherefore $2^2 + 1 = 4$.") == "wrong"


def test_greek_letters_that_were_spoken_of(proofreader: TextProofreader) -> None:
    """Of a letter of which the sentence says something an equation is no claim about all numbers."""
    powers = r"\lambda^5 v = A^5 v = A^4 v = \lambda^4 v"
    spoken = rf"Let $A$ be a matrix. We have ${powers}$, so $\lambda^5 = \lambda^4$."
    assert judge_last(proofreader, spoken) != "wrong"
    assert judge_last(proofreader, r"Therefore $\lambda^5 = \lambda^4$.") == "wrong"


def test_name_that_is_introduced_before_a_copy(proofreader: TextProofreader) -> None:
    """A model with another variable, of which the text says that it takes that one, contradicts nothing."""
    model = "The model is\n$$y = a_0 + a_1 z_1 + e$$\nand fits well.\n\n{}\n\n$$y = a_0 + a_1 z_2 + e$$"
    assert judge_last(proofreader, model.format("Next only $z_2$ is taken.")) not in ("wrong", "doubtful")
    assert judge_last(proofreader, model.format("This is the model.")) in ("wrong", "doubtful")


def test_equations_of_a_second_thing(proofreader: TextProofreader) -> None:
    """What is said of the second as of the first is no slip in that, and with one other index it is."""
    text = "We know that $p_1 = p_2$.\n\nNow $p_1 = q_1 m_1 + 3 q_1$ and thus ${}$."
    assert judge_last(proofreader, text.format("p_2 = q_2 m_2 + 3 q_2")) not in ("wrong", "doubtful")
    assert judge_last(proofreader, text.format("p_2 = q_1 m_1 + 4 q_1")) in ("wrong", "doubtful")


def test_ratios_of_two_angles(proofreader: TextProofreader) -> None:
    """Chains that begin with two things say what each of them is."""
    ratio = r"\frac{\text{near}}{\text{long}}"
    text = rf"We get $$\sin A = {ratio} = \frac{{3}}{{5}}$$ and, for the next corner," "\n\n$$%s$$"
    assert (
        judge_last(proofreader, text % r"\sin B = \frac{\text{near}}{\text{long}} = \frac{4}{5}")
        != "doubtful"
    )


def test_equations_that_are_solved(proofreader: TextProofreader) -> None:
    """What holds at the roots of the equation before it is no identity with a slip."""
    equation = "$\\sin x - \\sin 2x + \\sin 3x = 0$\n\n$\\Rightarrow %s = 0$"
    assert judge_last(proofreader, equation % r"2\sin 2x \cos x - \sin 2x") != "wrong"
    assert judge_last(proofreader, r"Therefore $2\sin 2x \cos x - \sin 2x = 0$.") == "wrong"


def test_value_in_the_middle_of_a_chain(proofreader: TextProofreader) -> None:
    """A number between two forms of one term is what that is said to be, unless the term is constant."""
    given = (
        r"Given that $\frac{\sin^4 x}{2} + \cos^4 x = \frac{1}{5} = \frac{\sin^4 x}{2} + (1 - \sin^2 x)^2$."
    )
    assert "wrong" not in {each.verdict for each in proofreader.check_links(given)}


def test_values_that_are_not_possible(proofreader: TextProofreader) -> None:
    """A value that the text excludes is none from which it goes on."""
    text = r"$B = 0$ is {}possible. Therefore $\tan\frac{{B}}{{2}} = \frac{{1}}{{4}}$."
    assert judge_last(proofreader, text.format("not ")) != "wrong"
    assert judge_last(proofreader, text.format("")) == "wrong"


def test_items_of_context(proofreader: TextProofreader) -> None:
    """The items of a list of ConTeXt each speak of their own things."""
    first = r"In a figure $\sin 4A = \frac{PQ}{QR} + \frac{3}{7}$ holds for all of these lines."
    last = r"In a figure $\sin 4A = \frac{PQ}{QR} + \frac{3}{8}$ holds for all of these lines."
    items = f"\\startitemize\n\\item {first}\n\n\\item {last}\n\\stopitemize\n"
    assert judge_last(proofreader, items) not in ("wrong", "doubtful")
    assert judge_last(proofreader, f"{first}\n\n{last}") in ("wrong", "doubtful")


def test_letters_that_a_formula_gives_other_terms(proofreader: TextProofreader) -> None:
    """By a formula a letter gets a multiple of it, and two letters are introduced together."""
    assert judge_last(proofreader, "By the formula with $u = 2u$ and $v = 3v$ it is known.") != "doubtful"
    ratio = r"Let $r = l/t$. Then $\frac{l}{t_1}\frac{t_2}{l} = \frac{75}{60}$."
    assert judge_last(proofreader, ratio) != "doubtful"


def test_names_in_a_series(proofreader: TextProofreader) -> None:
    """Behind the first and second name a sentence goes on to the third, and to no other."""
    text = (
        r"We choose $q$ such that $q w_1 = 0$ and $|q w_2| > \frac{1}{10\sqrt{n}}$. For the next one "
        r"we choose it such that $q w_1 = 0$, $q w_2 = 0$ and $|q w_%s| > \frac{1}{10\sqrt{n}}$."
    )
    assert judge_last(proofreader, text % "3") not in ("wrong", "doubtful")
    assert judge_last(proofreader, text % "7") in ("wrong", "doubtful")


def test_sign_of_two(proofreader: TextProofreader) -> None:
    """One of the two values that ± gives is no slip in the other."""
    value = r"\arccos\frac{c}{r}"
    text = rf"Let $u - t = {value}$. Hence $v - t = \pm{value}$, so $v - t = %s{value}$."
    assert judge_last(proofreader, text % "-") not in ("wrong", "doubtful")


def test_arrows_from_an_equation(proofreader: TextProofreader) -> None:
    """What an arrow draws from an equation is no claim about all numbers."""
    claim = r"\cos 3u + \cos 3v = 3\cos(u + v) + \sin(u + v)"
    assert judge_last(proofreader, rf"We have $x + y = 0 \Rightarrow {claim}$.") != "wrong"
    assert judge_last(proofreader, f"Therefore ${claim}$.") == "wrong"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # whole quotients and the hours of a clock, where the words speak of them
        ("With integer division, $17/5 = 3$.", "right if"),
        ("With integer division, $17/5 = 4$.", "wrong"),
        ("So $17/5 = 3$.", "wrong"),
        ("On a clock, $10 + 7 = 5$.", "right if"),
        ("On a clock, $10 + 7 = 6$.", "wrong"),
        ("We add: $10 + 7 = 5$.", "wrong"),
        # fields of few elements that words or a letter's set name
        ("In a field with two elements $1 + 1 = 0$.", "right if"),
        ("In a field with two elements $1 + 1 = 1$.", "wrong"),
        ("In a field with three elements $2 + 2 = 1$.", "right if"),
        ("In a book of two elements $1 + 1 = 0$.", "wrong"),
        (r"For $u \in F_2$ we get $u + u = 0$.", "right"),
        # one of two statements, of which only the whole is claimed
        ("Hence $4 + 5 = 8$ or $y = 0$.", "not shown"),
        (r"Hence $4 + 5 = 8 \text{ or } y = 0$.", "not shown"),
        ("Hence $y = 0$ and $4 + 5 = 8$.", "wrong"),
        ("It costs $10 - 4 = 6$, or $4 + 5 = 8$.", "wrong"),
        ("Hence $y = 3$ or $y - 3 = 4 + 4 = 0$.", "wrong"),
        (r"Bob sings $\land$ $4 + 5 = 8$ $\equiv$ F", "not shown"),
        ("This requires $4 + 5 = 8$, which is asked for here and is false.", "not shown"),
        ("This requires $4 + 5 = 8$, which is asked for here.", "wrong"),
        # implications that are compared, and sets of values that are listed
        (r"$s \rightarrow t \neq t \rightarrow s$", "not shown"),
        (r"Hence $t \neq t$.", "wrong"),
        (r"$\forall x \in \{4, 6\}$, $x^2 > 2x$", "given"),
        (r"$\forall x \in \mathbb{R}$, $x^2 > 2x$", "wrong"),
        # odd roots that are written as powers
        (r"Let $k: \mathbb{R} \to \mathbb{R}$ be given by $k(x) = x^{2/5}$.", "given"),
        (r"Let $k: \mathbb{R} \to \mathbb{R}$ be given by $k(x) = x^{5/2}$.", "loses domain"),
    ],
)
def test_what_numbers_can_mean_besides(proofreader: TextProofreader, text: str, verdict: str) -> None:
    verdicts = [each.verdict for each in proofreader.check_links(text)]
    flagged = [each for each in verdicts if each in ("wrong", "loses domain")]
    if verdict in ("wrong", "loses domain"):
        assert flagged == [verdict]
    else:
        assert not flagged
        assert verdict in verdicts


@pytest.mark.parametrize(
    ("held", "failing"),
    [
        # per cent of the number that they are taken off or added to
        (r"We get $60 - 25\,\% = 45$.", r"We get $60 - 25\,\% = 50$."),
        (r"The price is $200 + 10\% = 220$.", r"The price is $200 + 10\% = 212$."),
        (r"We have $1 - 25\% = 75\%$.", r"We have $1 - 25\% = 85\%$."),
        # angles but for full turns
        (r"An angle of $410^\circ = 50^\circ$.", r"An angle of $410^\circ = 60^\circ$."),
        (r"The angles are coterminal, $-70^\circ = 290^\circ$.", r"The oven has $410^\circ = 50^\circ$."),
    ],
)
def test_shares_and_turns(proofreader: TextProofreader, held: str, failing: str) -> None:
    verdicts = [proofreader.check_links(text)[-1].verdict for text in (held, failing)]
    assert [each == "wrong" for each in verdicts] == [False, True]


@pytest.mark.parametrize(("total", "verdict"), [("1 + 3", "wrong"), ("7 + 5", "right")])
def test_rounded_values_beside_sums(proofreader: TextProofreader, total: str, verdict: str) -> None:
    assert proofreader.check_links(rf"Hence $\lfloor 25/2 \rfloor = {total}$.")[0].verdict == verdict
