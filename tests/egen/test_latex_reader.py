"""LaTeX input, long sums and derivatives without brackets."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from engines.core.errors import ExpressionError
from engines.core.expression_language import LETTERS, to_prefix
from engines.core.tree import MAX_DEPTH, Tree
from engines.egen.generation import Generate, generate
from engines.formula.reader import read_expression as read
from engines.mathematics.numbers.numeric import compile_many, evaluate
from engines.mathematics.terms.notation import to_latex
from tests.conftest import expect_error
from tests.egen.expressions import trees


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\frac{-7}{x^{2}} + \sin^2\left(2x\right)", "+ / -7 pow x 2 pow sin * 2 x 2"),
        (r"\cos(x)^2", "pow cos x 2"),
        (r"\cos x^2", "cos pow x 2"),
        (r"63 \cosh\left(2 - 7 x\right)", "* 63 cosh - 2 * 7 x"),
        (r"\frac12 x e^{-x}", "* * / 1 2 x pow e * -1 x"),
        (r"\dfrac{d}{dx}\left(x^{2}\right)", "d x pow x 2"),
        (r"\frac{\mathrm{d}}{\mathrm{d}x} \ln x", "d x ln x"),
        (r"\frac{d \sin x}{dx} + 1", "+ d x sin x 1"),
        (r"\sqrt{x+1} \cdot \sqrt[2]{3}", "* sqrt + x 1 sqrt 3"),
        (r"\operatorname{arcsec}(x) \div \mathrm{e}", "/ asec x e"),
        (r"\left|x-1\right| + \lvert x \rvert", "+ abs - x 1 abs x"),
        (r"\log_{10}(x) - \log_2 x", "- log 10 x log 2 x"),
        (r"$2\pi\,x$", "* * 2 pi x"),
        (r"\bigl(x + {3 - x}\bigr)^{-2}", "pow + x - 3 x -2"),
        (r"e^{\frac{1}{x}}", "pow e / 1 x"),
    ],
)
def test_latex_is_read(text: str, expected: str) -> None:
    assert to_prefix(read(text)) == expected
    assert to_prefix(read(text, "latex")) == expected


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        (r"1 + \int x dx", 4, r"\int is not part of an expression"),
        (r"2 + \alpha", 4, "'α'"),
        (r"x^{2} = 4", 6, "'='"),
        (r"\sin^{-1} x", 0, "sin^-1 is the inverse function"),
        (r"\frac{x}{x+1", 8, "never closed"),
        (r"x + \frac", 4, "not complete"),
        (r"{x}^23", 4, "two ways"),
        (r"\sqrt[3]{x}", 0, "only square roots"),
        (r"{x}_1", 1, "subscript"),
        (r"x + \frac{1}{y}", 13, "second variable"),
        (r"\operatorname{erf}(x)", 0, "'erf'"),
        (r"\sin x \left(x + 1\right)", 12, "two ways"),
        (r"x + \left. x", 4, "not a bracket"),
    ],
)
def test_latex_errors_say_what_and_where(text: str, position: int, says: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        read(text)
    assert says in str(caught.value)
    assert caught.value.position == position
    assert caught.value.remedy


@settings(deadline=None)
@given(trees())
def test_what_latex_wrote_is_read_back(tree: Tree) -> None:
    again = read(to_latex(tree), "latex")
    # Only products may be grouped in another way: a·(b·c) is written like (a·b)·c.
    assert to_latex(again) == to_latex(tree)
    assert sorted(again.list_labels()) == sorted(tree.list_labels())


@pytest.mark.slow
def test_generate_takes_latex() -> None:
    cluster = generate(Generate(r"\frac{1}{\csc x}", members=2, nodes=50))
    assert to_prefix(cluster.head) == "/ 1 csc x"
    assert cluster.members


def total(terms: list[tuple[int, str]], start: float = 0.0) -> float:
    x = 0.5
    return math.fsum([start, *((-1 if sign == "-" else 1) * k * x for k, sign in terms)])


@pytest.mark.parametrize("signs", [lambda k: "+", lambda k: "-", lambda k: "-" if k % 3 else "+"])
def test_a_sum_of_400_terms_is_not_nested(signs: Callable[[int], str]) -> None:
    terms = [(k, signs(k) if k > 1 else "+") for k in range(1, 401)]
    text = "".join(f"{sign if k > 1 else ''}{k}x" for k, sign in terms)
    tree = read(text)
    assert len(tree) == 3 * 400 + 399
    (value,) = evaluate(compile_many([tree]), [0.5]).values[:, 0]
    assert value == pytest.approx(total(terms), rel=1e-12)
    assert read("*".join(["x"] * 400)).list_labels().count("x") == 400


def test_what_is_nested_is_still_refused() -> None:
    for text in ("sin(" * (MAX_DEPTH + 1) + "x" + ")" * (MAX_DEPTH + 1), "(x+" * 250 + "x" + ")" * 250):
        with expect_error("E200"):
            read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d/dx ln(x)", "d x ln x"),
        ("d/dx ln(x)^2 + x", "+ d x pow ln x 2 x"),
        ("2d/dx sin 3x", "* 2 d x sin * 3 x"),
        ("(d/dx ln x)*x", "* d x ln x x"),
    ],
)
def test_a_derivative_is_read_without_outer_brackets(text: str, expected: str) -> None:
    assert to_prefix(read(text)) == expected


@pytest.mark.parametrize(
    "text", ["d/dx ln(x) x", "d/dx ln(x)*x", "d/dx sin x cos x", "d/dx ln(x)/2", "d/dx ln(x)(x+1)"]
)
def test_a_derivative_before_a_product_is_refused_with_both_ways(text: str) -> None:
    with expect_error("E200"):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\sum_{k=1}^{n} k x + 1", "+ sum k 1 n * k x 1"),
        (r"\sum_{k=1}^n k \cdot -3 - 2", "- sum k 1 n * k -3 2"),
        (r"\left(\sum\limits^{2n}_{k=1} k\right)^2", "pow sum k 1 * 2 n k 2"),
        (r"\sum_{k=1}^{3} \left(k - 1\right) k", "sum k 1 3 * - k 1 k"),
        (r"\frac{\prod_{k=1}^{5} (1+k)}{2}", "/ prod k 1 5 + 1 k 2"),
        (r"\int_0^x \cos t \, \mathrm{d}t", "integral t 0 x cos t"),
        (r"3 \int_0^1 \int_0^t u t\,du\,dt", "* 3 integral t 0 1 integral u 0 t * u t"),
        (r"\int_{0}^{1} \sum_{k=0}^{3} t^k dt", "integral t 0 1 sum k 0 3 pow t k"),
        (r"\left\lfloor \frac{x}{2}\right\rfloor + \operatorname{sgn}(y)", "+ floor / x 2 sign y"),
    ],
)
def test_sums_and_integrals_are_read(text: str, expected: str) -> None:
    assert to_prefix(read(text, "latex", LETTERS)) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        (r"2 + \sum k", 4),
        (r"\sum_1^3 k", 0),
        (r"\sum_{k=1}^{3}", 0),
        (r"1 - \int_0^1 x", 4),
        (r"\int x dx", 0),
    ],
)
def test_what_sums_and_integrals_lack_is_said(text: str, position: int) -> None:
    with expect_error("E200") as caught:
        read(text, "latex", LETTERS)
    assert caught.value.position == position
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "sum(k, 1, n, k^2 + 1)*2 + 3",
        "2*prod(k, 1, n, k*x)^2 - sign(x - y)",
        "-sum(k, 0, n, k)*integral(t, 0, 1, t)*y",
        "sum(k, 1, n, k) - prod(k, 1, n, sum(m, 1, k, m/2))",
        "floor(integral(t, 0, 1, integral(u, 0, t, u*t))/2)",
    ],
)
def test_sums_and_integrals_are_written_as_they_are_read(text: str) -> None:
    tree = read(text, "infix", LETTERS)
    assert to_prefix(read(to_latex(tree), "latex", LETTERS)) == to_prefix(tree)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "+ x " * 30_000,
        r"\frac" * 20_000,
        "{" * 15_000,
        r"\frac" * 5_000,
        "x" * 30_000,
    ],
)
def test_what_is_too_long_or_too_deep_is_refused(text: str) -> None:
    with expect_error("E200"):
        read(text)
