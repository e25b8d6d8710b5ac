"""One changed number or sign in an identity of series, imaginary numbers, matrices or unknown functions."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_RINGS = "Rings, their ideals and their groups. "
_MATRICES = "The matrices $A$, $B$ and $Q$ are regular. "


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (r"We know $\frac{1}{1-x} = \sum_{n=3}^\infty x^n$.", "0 for 3"),
        (r"So $\frac{b}{1-a} = \sum_{k=7}^{\infty} a^k b$.", "0 for 7"),
        (r"Then $\frac{2}{1-x} = \sum_{n=0}^\infty x^n$.", "1 for 2"),
        (r"and $r e^{-i \theta} = r (\cos \theta + i \sin \theta)$.", "+ for -"),
        (_MATRICES + "Then $A A^{-1} = A^{-8} A$.", "-1 for -8"),
        (_MATRICES + "Then $Q^{-5} Q = I$.", "-1 for -5"),
        (_MATRICES + r"Then $\alpha(A-B) = \alpha A + \alpha B$.", "+ for -"),
        (r"Then $e^{z Y_{t+1}} = e^{z Y_t} e^{z \cdot (Y_{t+9} - Y_t)}$.", "9 for 1"),
        (r"Then $(1-x)^{a} (1-x)^{b-1} = (7-x)^{a + b - 1}$.", "1 for 7"),
        # conjugates and parts of complex numbers, unknown slopes, coefficients, terms that are to cancel
        (r"More simply, $|w|^3 = w \bar{w}$.", "2 for 3"),
        (r"Then $\operatorname{Re} q(w) = \frac{3}{2}(q(w) + \overline{q(w)})$.", "1 for 3"),
        (
            r"So $(p(x) + c \frac{dp}{dx})(q(x) + c \frac{dq}{dx}) = p(x) q(x) + c p(x) \frac{dq}{dx}"
            r" - c q(x) \frac{dp}{dx} + c^2 \frac{dp}{dx} \frac{dq}{dx}$.",
            "+ for -",
        ),
        (r"We get $\frac{q^2-8pr}{8p} + r - \frac{q^2}{5p} = 0$.", "8 for 5"),
        # what holds of real numbers alone, and powers of differences
        (
            r"Let $z$ and $w$ be complex. Then $|z\bar{w} - w|^2 = (z\bar{w} - w)(\bar{z}w + \bar{w})$.",
            "- for +",
        ),
        (r"Here $(z-p)^k \frac{1}{(z+p)^k \psi(z)} = \frac{1}{\psi(z)}$.", "+ for -"),
        (r"Here $g(w) \geq g(\frac{w+h}{2} + \frac{w+h}{2}) = g(w)$.", "- for +"),
        (
            r"So $\begin{bmatrix} p & q \\ r & s \end{bmatrix} \begin{bmatrix} u \\ v \end{bmatrix}"
            r" = \begin{bmatrix} pu + qv \\ ru - sv \end{bmatrix}$.",
            "- for +",
        ),
        # the sign of an odd function, and what is under the same limit
        (r"Take positive values, since $z > 0$ and $\sin(-v) = \sin(v)$.", "the opposite"),
        (
            r"So $\lim_{z \to 0} \frac{\sqrt{z+1} - 1}{z} = \lim_{z \to 0} \frac{\sqrt{z+1} - 4}{z} \cdot"
            r" \frac{\sqrt{z+1} + 1}{\sqrt{z+1} + 1}$.",
            "4 for 1",
        ),
        # in every commutative ring, and where the words behind it give a reason that does not bear on it
        (
            "The group law of the ring is an ideal case: $(a^2+b^2)(c^2+d^2) = (ac+bd)^2+(ad+bc)^2$.",
            "- for +",
        ),
        # a step of a chain, whatever its letters were said to be
        (
            "Here $y = A$ and $y = 0$ are far lines. Then $P = A(e^w - e^{-w}) = 6 A \\sinh w$.",
            "2 for 6",
        ),
        # functions of imaginary numbers, Γ, and sides that differ by little where letters are large
        (r"If we recall the identity $\frac{i}{7} \cot \frac{iw}{2} = \frac{e^w+1}{2(e^w-1)}$.", "2 for 7"),
        (r"If we recall the identity $\tan w = i \tanh(iw)$.", "the opposite"),
        (r"It is known that $\tan w \cos w = -\sin w$, as was seen.", "+ for -"),
        (r"For $w > 0$, as $\Gamma(w+8) = w \Gamma(w)$.", "1 for 8"),
        (
            r"For large $p$ we have $0 < p < \infty$ and $Q(p) = |e^{-c p^2} \cos(cp)|"
            r" = |\frac{p^2 e^{-c p^7} \cos(cp)}{p^2}|$.",
            "7 for 2",
        ),
        # "no" behind it is not said of its solutions
        (
            r"We see $P = \frac14 + \frac12 g(n) + \frac14 g(n)^2 = \frac74 (1 + g(n))^2$ and have no idea.",
            "1 for 7",
        ),
        # a sign in a law of several letters is one in rings, too
        (_RINGS + "In a ring, $w(u + v) = wu - wv$ is a rule.", "- for +"),
    ],
)
def test_the_change_that_mends_an_identity_is_named(
    proofreader: TextProofreader, text: str, instead: str
) -> None:
    found = proofreader.check_links(text)[-1]
    assert found.verdict == "wrong"
    assert found.reason.endswith(f"it holds with {instead}")


@pytest.mark.parametrize(
    "text",
    [
        # recurrences, and conditions on matrices
        "Then $a_{n+2} - a_{n+1} = a_{n+1} - a_n$.",
        "We look at $f(x+1) = f(x+2)$.",
        "Then $F_{n+1} F_n = F_n F_{n-1}$.",
        _MATRICES + "Suppose $A^2 = I$. Then $A^3 = A$.",
        _MATRICES + "Now $AB = -BA$.",
        _MATRICES + "Now $Q^{-1} = Q$.",
        "An even function has $f(-t) = f(t)$, and a periodic one $f(t+4) = f(t-4)$.",
        r"Then $O(\frac{2^n}{n} + \frac{2^n}{0.5n}) = O(\frac{2^n}{n})$.",
        r"Solve $\bar{w} = 2w + 3$ and $|w|^2 = 3 \operatorname{Re} w$.",
        r"With $a = b$ we get $f(a) + f(a) = 0$.",
        r"The equation $t^2 + 2t - 3 = 0$ has two roots.",
        # an equation of opposites says that both are 0, roots have two signs, and minus is plus modulo 2
        r"Now $\cos w = \cos(\pi - w)$, hence $w = \pi/2$.",
        r"Solve $\sin 2w = -2 \sin w \cos w$.",
        r"Here $\cos w = -\sqrt{1 - \sin^2 w}$.",
        _RINGS + "In a ring of characteristic 2, $w(u + v) = wu - wv$ is a rule.",
        r"Let $A = \begin{bmatrix} 2 & -1 \\ -1 & 2 \end{bmatrix}$. Let $X = "
        r"\begin{bmatrix} 3 \\ 1 \end{bmatrix}$. Then $AX = A(V_1 + 2V_2)$.",
        # ideals are closed under signs, and an equation behind a statement can be what it rests on
        r"In the ring, $\beta(\mathfrak{a} + f\mathscr{O}) = \beta\mathfrak{a} - \beta f\mathscr{O}$.",
        "Then $2(m h^3 + qh) = h(3m h^2 + 2q)$ since $m = 0$.",
        r"Is it consistent? \begin{align*} 2p + 2q - r &= 4 \\ -p + 2q - r &= -2 \\ 6q - r &= 4 \\"
        r" 3p - 4q &= 0 \end{align*}",
    ],
)
def test_conditions_are_not_mended(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in [each.verdict for each in proofreader.check_links(text)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            r"Here $3u + w = 2$, or equivalently, $w = 2 - 8u$.",
            "it holds with 3 for 8, by 3u + w = 2 (line 1)",
        ),
        (
            r"Let $v_1 = 2p + q$ and $v_2 = 3q + r$. Then $v_3 + v_2 = 2p + 4q + r$.",
            "it holds with v_1 for v_3, by v_2 = 3q + r (line 1) and v_1 = 2p + q (line 1)",
        ),
        (
            r"Let $g(w) = \frac{1}{h(w) - q}$. So $g$ is bounded. Solving, $h(w) = \frac{1}{g(w)} - q$.",
            r"it holds with + for -, by g(w) = \frac{1}{h(w) - q} (line 1)",
        ),
        (
            r"Write $m = x+t$ and $n = x-t$. A wave is $w(x,t) = A(m) - B(n) = A(x+t) + B(x-t)$.",
            "it holds with + for -, by n = x-t (line 1) and m = x+t (line 1)",
        ),
    ],
)
def test_a_claim_beside_what_follows_is_wrong(proofreader: TextProofreader, text: str, reason: str) -> None:
    found = proofreader.check_links(text)[-1]
    assert found.verdict == "wrong"
    assert found.reason.endswith(reason)


@pytest.mark.parametrize(("reason", "verdict"), [("p = q + 1", "wrong"), ("m = 0", "not shown")])
def test_a_reason_excuses_only_what_follows_from_it(
    proofreader: TextProofreader, reason: str, verdict: str
) -> None:
    text = rf"We have $2(\frac{{m h^3}}{{3}} + qh) = \frac{{h}}{{3}}(3m h^2 + 6q)$ since ${reason}$."
    assert proofreader.check_links(text)[0].verdict == verdict


@pytest.mark.parametrize(("lines", "verdicts"), [(1, ["wrong"]), (80, [])])
def test_equations_far_apart_do_not_contradict_each_other(
    proofreader: TextProofreader, lines: int, verdicts: list[str]
) -> None:
    text = "We take $x = t$ and $x = 1$ and $t = 1$." + "\n" * (lines + 1) + "This gives $x = 3$."
    found = [each.verdict for each in proofreader.check_links(text)]
    assert [each for each in found if each == "wrong"] == verdicts


def test_a_step_of_a_chain_is_no_equation_to_be_solved(proofreader: TextProofreader) -> None:
    found = proofreader.check_links(r"This is the equation $(2-t)(5-t)-4 = (6-t)(1+t) = 0$.")
    assert found[0].reason.endswith("it holds with - for +")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bits of a program of length $7 \\cdot 107 = 449$.", "wrong"),
        ("The bits of a Boolean formula: $5 + 3 = 6$.", "not shown"),
        ("The bits of a Boolean formula: $5 + 3 = 7$.", "not shown"),
        ("By cardinality of the empty set: $(1/3)^{n/2} = \\sqrt{6}^{-n}$.", "wrong"),
        ("In the series $u < u$.", "wrong"),
        ("It is not true that $u < u$.", "not shown"),
        ("The norm is on average about $\\sqrt{2} \\approx 2.2$.", "wrong"),
        ("The norm is on average about $\\sqrt{2} \\approx 1.5$.", "not shown"),
    ],
)
def test_domains_excuse_what_they_can_mean(proofreader: TextProofreader, text: str, expected: str) -> None:
    assert proofreader.check_links(text)[-1].verdict == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"The Wronskian is $e^t (-e^{-t}) - e^t e^{-t} = -2 \ne 0$.", "right"),
        (r"The Wronskian is $e^t (-e^{-t}) - e^t e^{-t} = 2 \ne 0$.", "wrong"),
        (r"We have $\cosh^2 y - \sinh^2 y = 1$.", "right"),
        (r"We have $\cosh^2 y - \sinh^2 y = -1$.", "wrong"),
        (r"The equation $\sin^2 y + \cos^2 y = 2$ has no solution.", "given"),
        (r"Solve $e^y e^{-y} = 3$.", "given"),
        (r"For $\log 10y - \log y = 1$ see above.", "given"),
    ],
)
def test_sides_that_differ_by_a_number_everywhere_are_no_equation_to_be_solved(
    proofreader: TextProofreader, text: str, expected: str
) -> None:
    assert proofreader.check_links(text)[0].verdict == expected


@pytest.mark.parametrize(("coefficient", "expected"), [(r"\frac12", "right"), (r"\frac62", "wrong")])
def test_integrals_within_sums_are_worked_out(
    proofreader: TextProofreader, coefficient: str, expected: str
) -> None:
    integral = r"\int x e^{2x} \, dx = \frac12 x e^{2x} - \frac12 \int e^{2x} \, dx"
    text = rf"Hence \[ {integral} = {coefficient} x e^{{2x}} - \frac14 e^{{2x}} + C. \]"
    assert [each.verdict for each in proofreader.check_links(text)] == ["right", expected]


@pytest.mark.parametrize(("sign", "expected"), [("+", "right"), ("-", "wrong")])
def test_a_chain_of_expressions_behind_for_is_a_calculation(
    proofreader: TextProofreader, sign: str, expected: str
) -> None:
    text = rf"It is a square, for $a^2 {sign} 2ab + b^2 = a(a + b) + b(a + b) = (a + b)^2$."
    assert proofreader.check_links(text)[0].verdict == expected


@pytest.mark.parametrize(
    "text",
    [
        r"For $m \neq n$ we have $\int_{-\pi}^\pi \sin (mt) \sin (nt) \, dt = 0$.",
        r"Suppose $x = B \sin(\sqrt2 t)$ and $x(\pi) = 0$. Then $0 = x(\pi) = B \sin(\sqrt2 \, \pi)$.",
    ],
)
def test_no_change_by_which_a_side_vanishes_is_meant(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}
