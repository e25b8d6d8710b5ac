"""Members of a family that a text gives by a formula, and steps from what was said of a name or function."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def has_mistake(proofreader: TextProofreader, text: str) -> bool:
    return "wrong" in [link.verdict for link in proofreader.check_links(text)]


_COINS = r"For the number $X$ of heads $P(X = k) = \binom{4}{k} \frac{1}{2^4}$. "
_RATE = r"With $\mu = 3$ the number of calls has $P(N = k) = e^{-\mu}\frac{\mu^k}{k!}$. "
_PARTS = "We look for\n\n$$I = \\int x^2 \\cos x\\,dx.$$\n\nWith $u = x^2$ and $dv = \\cos x\\,dx$ we get\n\n"
_SQUARE = "We have\n\n$$K = \\int_0^1 (t^2 - t^3)\\,dt.$$\n\nAn antiderivative is found at once, and\n\n"
_LOGARITHMS = "The sum of the logarithms is\n\n$$\\log_3(x(x - 6)) = 3$$\n\nand this is equivalent to\n\n"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (rf"{_COINS}Hence $P(X = 2) = \frac{{6}}{{16}}$.", False),
        (rf"{_COINS}Hence $P(X = 2) = \frac{{4}}{{16}}$.", True),
        (rf"{_RATE}Then $P(N = 2) = \frac{{9}}{{2}} e^{{-3}}$.", False),
        (rf"{_RATE}Then $P(N = 2) = \frac{{9}}{{4}} e^{{-3}}$.", True),
        (rf"{_RATE}Then $P(N = 0) \approx 0.0498$ and $P(N = 1) = 0.149$.", False),
        # another variable, and a first member that is given
        (rf"{_COINS}For the other $P(Y = 2) = \frac{{4}}{{16}}$.", False),
        (r"Let $a_n = 2 a_{n-1}$ with $a_1 = 3$. Then $a_2 = 6$.", False),
        (r"With $a_n = a_1 + (n - 1)d$, $a_1 = 3$ and $d = 2$ we have $a_4 = 9$. Here $a_1 = 1$.", False),
        (r"We have $c_n = n^2 + 1$, thus $c_3 = 10$.", False),
        (r"We have $c_n = n^2 + 1$, thus $c_3 = 9$.", True),
    ],
)
def test_members_of_a_family(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (_PARTS + r"$$I = x^2 \sin x - 2\int x \sin x\,dx.$$", False),
        (_PARTS + r"$$I = x^2 \sin x + 2\int x \sin x\,dx.$$", True),
        (r"Let $J = \int x e^x\,dx$. Then $J = x e^x - e^x + C$.", False),
        (r"Let $J = \int x e^x\,dx$. Then $J = x e^x + e^x + C$.", True),
        (r"Let $J = \int e^x \sin x\,dx$. Then $J = e^x \sin x - e^x \cos x - J$.", False),
        (r"Let $J = \int 4x(x^2 + 3)\,dx$. With $u = x^2 + 3$ we get $J = \int 2u\,du$.", False),
        (_SQUARE + r"$$K = \left[\frac{t^3}{3} - \frac{t^4}{4}\right]_0^1 = \frac{1}{12}.$$", False),
        (_SQUARE + r"$$K = \left[\frac{t^3}{3} - \frac{t^4}{3}\right]_0^1 = 0.$$", True),
        (
            r"Let $L = \int_0^2 \frac{2x}{x^2 + 1}\,dx$ and $u = x^2 + 1$. Thus $L = \int_1^5 \frac{du}{u}$.",
            False,
        ),
        (
            r"Let $L = \int_0^2 \frac{2x}{x^2 + 1}\,dx$ and $u = x^2 + 1$. Thus $L = \int_0^2 \frac{du}{u}$.",
            True,
        ),
        (r"We put $u = x^2 + 2$. For $x = 1$ we have $u = 3$, and for $x = 2$ we have $u = 6$.", False),
        (r"We put $u = x^2 + 2$. For $x = 1$ we have $u = 3$, and for $x = 2$ we have $u = 4$.", True),
    ],
)
def test_integrals_that_have_a_name(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (_LOGARITHMS + "$$x(x - 6) = 27.$$", False),
        (_LOGARITHMS + "$$x(x - 6) = 9.$$", True),
        (r"From $\sqrt{2x + 3} = 5$ we get $2x + 3 = 25$.", False),
        (r"From $\sqrt{2x + 3} = 5$ we get $2x + 3 = 10$.", True),
        # the words before the equation, and those that lead from it to the next
        (
            r"The derivative is $f'(r) = 2r - \frac{54}{r^2}$, and $f'(r) = 0$ gives $r^3 = 27$.",
            False,
        ),
        (
            r"The derivative is $f'(r) = 2r - \frac{54}{r^2}$, and $f'(r) = 0$ gives $r^3 = 54$.",
            True,
        ),
        (r"Differentiating $x^2 = 9$ gives $2x = 0$.", False),
        # the last form of a function has its argument alone
        (
            r"Let $h(t) = h_0 + vt - 5t^2 = 3 + 14t - 5t^2$. We solve $h(t) = 0$: "
            r"$t = \frac{14 + \sqrt{256}}{10}$.",
            False,
        ),
    ],
)
def test_steps_from_an_equation(proofreader: TextProofreader, text: str, wrong: bool) -> None:
    assert has_mistake(proofreader, text) == wrong


@pytest.mark.parametrize("operation", ["Divide by $-4$:", "Dividing by $-4$:", "Now divide by $-4$,"])
def test_words_before_a_formula_lead_to_the_displayed_one_behind_it(
    proofreader: TextProofreader, operation: str
) -> None:
    text = f"We get $$-4x \\le 20.$$\n\n{operation}\n\n$$x %s -5.$$"
    assert not has_mistake(proofreader, text % r"\ge")
    assert has_mistake(proofreader, text % r"\le")


def test_a_displayed_formula_in_which_a_sentence_goes_on_is_in_its_item(proofreader: TextProofreader) -> None:
    begun = "1. $f(x) = x^2$.\n2. $g(x) = x \\sin 2x$. By the product rule,\n\n"
    text = begun + r"$$g'(x) = \sin 2x + %s \cos 2x.$$"
    assert not has_mistake(proofreader, text.replace("%s", "2x"))
    assert has_mistake(proofreader, text.replace("%s", "x"))
