"""Claims that one digit, sign or index keeps from following, each beside one that is no mistake."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_PLANE = "We have $x + 2y - 3z = 0$. If we parametrize $y = r$ and $z = s$ then for any point on it, "
_SYSTEM = (
    "We have $x_1 - 2x_2 = -5$ and $x_1 + x_2 = 1$. In this case only one pair of values satisfies them, "
)
_SHARES = "Here $i = 0.75r$ and $s = 3r$. If we add the constraint that $s + i + r = 1$, this gives "
_POLYNOMIALS = "If we take $p = 2t^3 - t + 8$ and $q = t^3 - 4t - 3$ for example, the combination "
_SUM = "the equation $%sr + 0.%s5r + r = 1$."
_FAMILY = (
    r"The vector is $X = \begin{bmatrix} -8-3t \\ 1+5t \\ t \end{bmatrix}$. We write it as "
    r"$X = \begin{bmatrix} -%s \\ 1 \\ 0 \end{bmatrix} + t \begin{bmatrix} -3 \\ 5 \\ 1 \end{bmatrix}$."
)
_ABSOLUTE = "Here $x = c$. So $|h(x) %s h(c)| = |h(c) - h(c)|$."
_BEGINNING = "Let $f(x,y) = x^2 + y$. We begin with $f(0,3) = %s$."
_LIMITS = "Write $z_n = x_n y_n$ and $z = xy$. Then for all $n$ we have "
_WIDTHS = r"The sum is $\sum_{i=1}^n d_i = b - a$. So $M \left( \sum_{i=%s}^n d_i \right) = M(b-a)$."
_DEFINED = "Let $f(x) = x^2 + 1$ on the interval. It is largest at the end, where "
_ANEW = "We had $g(t) = t^2$.\n\nLet $g(t) = (1-t)x + ty$. Then "
_SLOPE = "Let $g(x) = 2^x$. Several values suggest that $g'(x) = "
_COSINE = r"The first derivatives are $f(x) = \cos(x)$ and "
_TEST = "Let $f(x) = x^3$. Taking test points we have "
_TRIED = "If $x = 2$, then $x^2 = 4$.\n\nSubstituting $x = 4$ gives "
_VOLUME = r"The volume is $V = \int_0^1 x^2 dx$. Evaluating the integral, the volume is "
_SOLVED = "Consider $100 = 2u + 2v$. In the latter equation, we solve for $v$: "
_NEWTON = "The forces are $m x'' = F - c x' - k x$. Hence $m x'' %s c x' + k x = F$."
_NULL = r"$$x_1 + 2x_2 + 3x_3 = 0 \Rightarrow x_1 = -2x_2 - 3x_%s$$ with $x_4$ for later"
_BOWL = "Let $g(x,y) = (1-x)^2 + 100(y-x^2)^2$. It has its minimum there, where $g(1, %s) = 0$."
_ZEROS = "Here $u = v$, $v = w$ and $(u - v) - w = 0$.\n\nIn short $w %s u = (w - v) + (v - u)$."
_ARROW = r"$$x + 6x - 12 = a \Rightarrow 7x %s 12 = a$$"
_DIVIDED = "Write $b = aq + r$. But then $r = b %s aq$."
_MARKUP = (
    "The costs satisfy\n\n$$\na_h w = p a_c w - d\n$$\n\nSolving for the ratio we obtain\n\n"
    "$$\np = \\frac{a_h}{a_c} %s \\frac{d}{w a_c}\n$$\n"
)
_PRODUCT = (
    r"So $\begin{bmatrix} %s & -3/2 \\ 1/2 & -1/2 \end{bmatrix} \begin{bmatrix} 3k \\ k \end{bmatrix}"
    r" = \begin{bmatrix} 3k \\ k \end{bmatrix}$."
)
_DIAGONAL = (
    r"So $\begin{bmatrix} a & 0 \\ 0 & b \end{bmatrix} = a \begin{bmatrix} 1 & 0 \\ 0 & 0 \end{bmatrix}"
    r" + b \begin{bmatrix} 0 & %s \\ 0 & 1 \end{bmatrix}$."
)


@pytest.mark.parametrize(
    ("true", "false", "instead"),
    [
        # the value of a variable that earlier statements determine, also under a supposition
        (_PLANE + "$x = -2r + 3s$.", _PLANE + "$x = 2r + 3s$.", "- for +"),
        (_SHARES + "$s = 12/19$.", _SHARES + "$s = 12/13$.", "19 for 13"),
        (
            "We have $a + 2b = 0$ and $a + c = 0$. With $c = t$ we find $a = -t$.",
            "We have $a + 2b = 0$ and $a + c = 0$. With $c = t$ we find $a = t$.",
            "the opposite",
        ),
        # an equation that others give, which is not to be solved but was obtained
        (_SHARES + _SUM % (3, 7), _SHARES + _SUM % (9, 7), "3 for 9"),
        (_SHARES + _SUM % (3, 7), _SHARES + _SUM % (3, 2), "0.75 for 0.25"),
        (_POLYNOMIALS + "$p + 2q = 4t^3 - 9t + 2$.", _POLYNOMIALS + "$p + 2q = 4t^3 - 7t + 2$.", "9 for 7"),
        # entries of matrices
        (_PRODUCT % "3/2", _PRODUCT % "3/5", "2 for 5"),
        (_DIAGONAL % 0, _DIAGONAL % 1, "0 for 1"),
        (_FAMILY % 8, _FAMILY % 6, "-8"),
        # inside of an absolute value, a sum or an integral
        (_ABSOLUTE % "-", _ABSOLUTE % "+", "- for +"),
        (_LIMITS + "$|z_n - z| = |x_n y_n - xy|$.", _LIMITS + "$|z_n + z| = |x_n y_n - xy|$.", "- for +"),
        (_WIDTHS % 1, _WIDTHS % 7, "1 for 7"),
        # values and slopes of a function that the text defines, also anew
        (_DEFINED + "$f(2) = 5$.", _DEFINED + "$f(1) = 5$.", "2 for 5"),
        (_BEGINNING % 3, _BEGINNING % 4, "3 for 4"),
        (_ANEW + "$g'(t) = y-x$.", _ANEW + "$g'(t) = y+x$.", "by g(t)"),
        (_SLOPE + r"2^x \ln 2$.", _SLOPE + r"1^x \ln 2$.", "by g(x)"),
        (_COSINE + "$f(0) = 1$.", _COSINE + "$f(4) = 1$.", "by f(x)"),
        (_TEST + "$f''(2) = 12$.", _TEST + "$f''(3) = 12$.", "by f(x)"),
        # what is drawn from a value that was just given, a value that is worked out, what is rewritten
        ("Let $x = 3$. Then $x^2 + x = 12$.", "Let $x = 3$. Then $x^2 + x = 11$.", "12 for 11"),
        (_TRIED + "$3x + 1 = 13$.", _TRIED + "$3x + 1 = 15$.", "3 for 1, by x = 4 (line 3)"),
        (_VOLUME + r"$V = \frac13$.", _VOLUME + r"$V = \frac23$.", "1 for 2"),
        (_SOLVED + "$v = 50 - u$.", _SOLVED + "$v = 20 - u$.", "50 for 20"),
        # what an arrow or words draw from the statement right before, also without a value
        (_ARROW % "-", _ARROW % "+", "- for +"),
        ("There $V = -U$, so $U + V = 0$.", "There $V = -U$, so $U - V = 0$.", "+ for -"),
        (_DIVIDED % "-", _DIVIDED % "+", "- for +"),
        (_NEWTON % "+", _NEWTON % "-", "+ for -"),
        # a name with another index in a sum
        (_NULL % 3, _NULL % 4, "x_3 for x_4"),
        # what is only written in another way, whatever another paragraph says of its letters
        (_ZEROS % "-", _ZEROS % "+", "- for +"),
        # a value of a function at numbers, which the words behind the definition give
        (_BOWL % 1, _BOWL % 3, "by g(x,y)"),
        # a sentence that goes on in a formula in a paragraph of its own
        (_MARKUP % "+", _MARKUP % "-", "+ for -"),
    ],
)  # fmt: skip
def test_what_nearly_follows_is_wrong_and_what_follows_is_not(
    proofreader: TextProofreader, true: str, false: str, instead: str
) -> None:
    assert proofreader.check_links(true)[-1].verdict in ("right", "follows", "given")
    found = proofreader.check_links(false)[-1]
    assert found.verdict == "wrong"
    assert instead in found.reason


@pytest.mark.parametrize(
    "text",
    [
        # another value is supposed, tried or is a case
        _SHARES.replace("this gives", "we get $r = 4/19$. If") + " $s = 13/19$ is taken instead,",
        "We have $x + y = 3$ and $x - y = 1$. In the first case $x = 4$.",
        "We have $2x + y = 7$ and $y = 1$. Or $x = 4$.",
        # what a variable has no one value of
        "A trivial solution is $x_1 = x_2$, $x_2 = x_3$, $x_3 = x_4$.",
        r"The rows are \begin{align} a_1 + a_2 &= 2 \\ a_2 - 5a_3 &= 0 \\ a_3 &= 2 \end{align}",
        # a condition of another task
        "The solution is $x = e^t + 1$.\n\nSolve $x' = x^2$, $x(0) = 1$.",
        # what is so of a trivial solution only
        "It has only the solution $c_1 = c_2 = c_3 = 0$. Here $c_1 = 1$, $c_2 = -1$ and $c_3 = 1$ work.",
        # a variable that gets another value
        r"We plug in. $$z = r$$ gets equality on the right, and $$z = -r$$ gets equality on the left.",
        # a row of a system, and names that go on
        r"Solve \begin{align} x_1 + 3x_2 &= 5 \\ 2x_1 + 6x_2 &= 60 \end{align}",
        "The numbers are $F_1 = 1$, $F_2 = 1$, $F_3 = F_1 + F_2$.",
        r"It passes through all points: \begin{aligned} 1 = m - 9n \\ 3 = m - 7n \\ 8 = m - 3n \end{aligned}",
        # another case, of which an arrow draws something similar from what is not read
        r"$$M = \begin{bmatrix} 1 & 1 \\ 1 & 1 \end{bmatrix} \Rightarrow x + y = 0$$" + "\n" * 5 +
        r"For the other one: $$M - 3I \Rightarrow x - y = 0$$",
        # a heading is no sentence that goes on
        "## Solving for a value we obtain\n\n$$ x = 5 $$\n\n## We obtain\n\n$$ x = 6 $$",
        # entries of an array, and integrals over nothing after a change
        "For $i = 0$ we have $d[0][j] = 0$. Now let $i > 0$. Thus $d[i][j] = d[i-1][j-1] + d[i-1][j+1]$.",
        r"Both $m - n$ and $m + n$ are non-zero integers, so $\int_{-\pi}^{\pi} \cos((m+n)t)\,dt = 0$.",
        # a matrix that is another one in another calculation
        r"The vectors $v = \begin{bmatrix} 1 \\ 0 \end{bmatrix}$ are used. Then another one, using"
        r" $v = \begin{bmatrix} 1 \\ 1 \end{bmatrix}$, gives the rest.",
        # differential equations of several functions, mixed derivatives, what is asked for
        r"We have seen \begin{align} y'' + k^2 y &= 0 \\ y'' - k^2 y &= 0 \end{align}",
        "Consider $y'' + 5y' + 6y = 2x+1$ and $y'' + 5y' + 6y = 0$. Let $Ly_c = 0$.\n\nFind one of"
        " $Ly_p = 2x+1$.",
        # radians and degrees, what is asked, a space of no width
        r"We find $1.11 \approx 63.43^\circ$ and $1.9106 = 109.47^\circ$.",
        r"See if it is so: $\frac{6-3}{1} \stackrel{?}{=} \frac{6-1}{2}$.",
        r"Since $\hspace{0in} = 1$ is a space, $\vec F \hspace{0in} = 1$.",
        # a plane that is introduced, a function of another example
        "Let $L$ be the line $x = 1 + 2t$, $y = -3t$, $z = t$ and let $P$ be the plane $x + y + z = 2$.",
        "The depth will be $d(y) = 10 - y$.\n\nAgain.\n\nThe depth will now be $d(y) = 50 - y$.",
        # a function with several definitions, and an unknown one
        "Let $f(x) = x^2$.\n\nLet $f(x) = x^2 + 1$.\n\nFor one of them, where $f(1) = 3$ is asked for,",
        "Here $x = c$. If $|h(x) + h(c)| = 2$, we are done.",
        # an equation in parameters that are sought
        r"Find them: $\begin{bmatrix} 1 \\ x \end{bmatrix} = \begin{bmatrix} 1 \\ 0 \end{bmatrix}"
        r" + y \begin{bmatrix} 0 \\ 2 \end{bmatrix}$.",
    ],
)  # fmt: skip
def test_another_value_is_not_called_wrong(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in [link.verdict for link in proofreader.check_links(text)]


@pytest.mark.parametrize(
    ("link", "verdict"),
    [
        (r"1\text{ mi} = 1760\text{ yd}", "right"),
        (r"2\text{ kg} = 1\text{ g}", "wrong"),
        (r"1\text{ km} = 3\text{ mi}", "wrong"),
        # A conversion can be rounded, and unknown words are no units of one dimension.
        (r"5\text{ mi} = 8\text{ km}", "not shown"),
        (r"1\text{ kg} = 2\text{ lb}", "not shown"),
        (r"3\text{ boxes} = 36\text{ eggs}", "not shown"),
    ],
)
def test_units_of_one_dimension_are_converted(proofreader: TextProofreader, link: str, verdict: str) -> None:
    (judged,) = proofreader.check_links(f"We have ${link}$.")
    assert judged.verdict == verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"30\ \text{m/s} = 108\ \text{km/h}", r"30\ \text{m/s} = 10.8\ \text{km/h}"),
        (
            r"2\,\text{kg} \cdot 3\,\text{m/s}^2 = 6\,\text{N}",
            r"2\,\text{kg} \cdot 3\,\text{m/s}^2 = 5\,\text{N}",
        ),
        (r"5\ \text{kg m/s}^2 = 5\ \text{N}", r"5\ \text{kg m/s} = 5\ \text{J}"),
        (r"1000\,\text{kg/m}^3 = 1\,\text{g/cm}^3", r"1000\,\text{kg/m}^3 = 10\,\text{g/cm}^3"),
        # upright letters behind a number, powers of ten before a unit, and rounded conversions
        (r"72\,\mathrm{km/h} = 20\,\mathrm{m/s}", r"72\,\mathrm{km/h} = 30\,\mathrm{m/s}"),
        (
            r"5\,\mathrm{kg} \cdot 9.8~\mathrm{m\,s^{-2}} = 49\,\mathrm{N}",
            r"5\,\mathrm{kg} \cdot 9.8~\mathrm{m\,s^{-2}} = 94\,\mathrm{N}",
        ),
        (
            r"3\times10^8\,\text{m/s} = 3\times10^5\,\text{km/s}",
            r"3\times10^8\,\text{m/s} = 3\times10^6\,\text{km/s}",
        ),
        (r"80\,\text{km/h} = 22.2\,\text{m/s}", r"80\,\text{km/h} = 24.2\,\text{m/s}"),
        (r"5\,\text{ft} = 1.52\,\text{m}", r"5\,\text{ft} = 1.62\,\text{m}"),
    ],
)
def test_units_are_products_of_units(proofreader: TextProofreader, right: str, wrong: str) -> None:
    assert proofreader.check_links(f"It is ${right}$.")[-1].verdict == "right"
    assert proofreader.check_links(f"It is ${wrong}$.")[-1].verdict in ("wrong", "not shown")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "Suppose $x^2 - 5x + 6 = 0$. Then $x = 2$ or $x = 3$.",
            "Suppose $x^2 - 5x + 6 = 0$. Then $x = 2$ or $x = 4$.",
        ),
        ("If $y = 3$, then $y^2 = 9$.", "If $y = 3$, then $y^2 = 6$."),
        (
            "If $n = 10$ and $p = 0.3$, then $np = 3$ and $np(1-p) = 2.1$.",
            "If $n = 10$ and $p = 0.3$, then $np = 3$ and $np(1-p) = 3.9$.",
        ),
        (
            "Let $z = 1 + i$. Then $z^2 = 2i$ and $z^4 = -4$.",
            "Let $z = 1 + i$. Then $z^2 = 2i$ and $z^4 = 4$.",
        ),
        (
            r"Let $a = 3$ and $b = 4$. So $c = \sqrt{a^2 + b^2} = 5$.",
            r"Let $a = 3$ and $b = 4$. So $c = \sqrt{a^2 + b^2} = 8$.",
        ),
    ],
)
def test_calculations_with_stated_values(proofreader: TextProofreader, right: str, wrong: str) -> None:
    assert proofreader.check_links(right)[-1].verdict == "follows"
    assert proofreader.check_links(wrong)[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "It is bounded by $x = 0$, $y = 0$, and $x + y = 1$.",
        "Let $x = 2$. Is $x^2 = 5$?",
        "Suppose $x = 3$. Then $x^2 = 10$, a contradiction.",
        "Either $x = 1$ or $x = 2$. Then $x^2 = 7$ or so.",
        "Let $x = 2$. Then $x = 5$.",
    ],
)
def test_what_is_no_calculation_with_stated_values(proofreader: TextProofreader, text: str) -> None:
    assert proofreader.check_links(text)[-1].verdict in ("not shown", "given")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "We have $3x + 2 = 11$. Subtracting 2 gives $3x = 9$.",
            "We have $3x + 2 = 11$. Subtracting 2 gives $3x = 13$.",
        ),
        ("Now $x^2 = 9$. Hence $x^2 + 4 = 13$.", "Now $x^2 = 9$. Hence $x^2 + 4 = 31$."),
        (
            "We have $x^2 + y^2 = r^2$, so $y^2 = r^2 - x^2$.",
            "We have $x^2 + y^2 = r^2$, so $y^2 = r^2 + x^2$.",
        ),
        # a root that gets lost, a slope below another row, a value of a function that was said
        (
            r"\begin{align*} x^2 - 2x - 3 &= 0 \\ (x-3)(x+1) &= 0 \end{align*}",
            r"\begin{align*} x^2 - 2x - 3 &= 0 \\ (x+3)(x+1) &= 0 \end{align*}",
        ),
        (
            r"When $h = 2$, \begin{align*} 2 \frac{du}{dt} &= 6 \\ \frac{du}{dt} &= 3 \end{align*}",
            r"When $h = 2$, \begin{align*} 2 \frac{du}{dt} &= 6 \\ \frac{du}{dt} &= 8 \end{align*}",
        ),
        (
            "Verify that $y(t) = t^2 + 4$ is the solution with the initial value $y(0) = 4$.",
            "Verify that $y(t) = t^2 + 4$ is the solution with the initial value $y(6) = 4$.",
        ),
        ("Let $u = 5 - 3x$, hence $du = -3 dx$.", "Let $u = 5 - 3x$, hence $du = +3 dx$."),
    ],
)
def test_steps_from_the_equation_before(proofreader: TextProofreader, right: str, wrong: str) -> None:
    assert proofreader.check_links(right)[-1].verdict == "follows"
    assert proofreader.check_links(wrong)[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "Since $x^2 = 9$, differentiating gives $2x = 0$.",
        "Now $x^2 = 4$. Hence $x + 1 = 3$.",
        "Now $x + 1 = 3$.\n\nSimilarly $2x = 6$.",
    ],
)
def test_what_is_no_step_from_the_equation_before(proofreader: TextProofreader, text: str) -> None:
    assert proofreader.check_links(text)[-1].verdict in ("not shown", "given")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r"Let $a = 5$, $b = 6$, $c = 7$. So $s = \frac{a+b+c}{2}$,"
            r" so $\sqrt{s(s-a)(s-b)(s-c)} = 6\sqrt6$.",
            "follows",
        ),
        (
            r"Let $a = 5$, $b = 6$, $c = 7$. So $s = \frac{a+b+c}{2}$,"
            r" so $\sqrt{s(s-a)(s-b)(s-c)} = 6\sqrt7$.",
            "wrong",
        ),
        (
            r"Let $\vec p = (1, 2, 3)$ and $\vec q = (4, 5, 6)$. Then $\vec p\times\vec q = (-3, 6, -3)$.",
            "follows",
        ),
        (
            r"Let $\vec p = (1, 2, 3)$ and $\vec q = (4, 5, 6)$. Then $\vec p\times\vec q = (-3, 6, 3)$.",
            "not shown",
        ),
    ],
)
def test_values_are_calculated_from_values(proofreader: TextProofreader, text: str, expected: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == expected


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ("$x = 4$ or $x = 3$", ["follows", "follows"]),
        ("$x = 4$ or $x = 2$", ["follows", "wrong"]),
    ],
)
def test_a_value_is_one_of_the_two_that_a_sign_leaves(
    proofreader: TextProofreader, roots: str, expected: list[str]
) -> None:
    text = rf"By the formula, $x = \frac{{7 \pm \sqrt{{49 - 48}}}}{{2}}$, so {roots}."
    assert [each.verdict for each in proofreader.check_links(text)][1:] == expected
    # an "or" that joins words does not join values
    text = r"Hence $x = 3 \pm 1$; see the plot or $x = 9$."
    assert proofreader.check_links(text)[-1].verdict == "not shown"
    assert proofreader.check_links(r"Hence $z = 2 + \sqrt5 \pm 3$, so $z = 7.236$.")[1].verdict == "follows"
