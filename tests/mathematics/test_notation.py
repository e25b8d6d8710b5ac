"""Reading and showing expressions: prefix, infix as people type it, Unicode and LaTeX."""

from __future__ import annotations

import gzip
import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import ExpressionError
from engines.core.expression_language import FUNCTIONS, read_prefix, to_prefix
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.formula.infix import read_infix
from engines.formula.reader import Notation
from engines.formula.reader import read_expression as read
from engines.mathematics.numbers.numeric import compile_many, evaluate
from engines.mathematics.terms.notation import (
    check_head,
    read_head,
    to_infix,
    to_latex,
    unicode_infix,
)
from tests.egen.expressions import arithmetic, trees, value

NOTATIONS: tuple[Notation, ...] = ("auto", "prefix", "infix")


@settings(deadline=None)
@given(trees())
def test_every_tree_survives_prefix(tree: Tree) -> None:
    assert read(to_prefix(tree)) == read(to_prefix(tree), "prefix") == tree


@settings(deadline=None)
@given(trees(max_leaves=20))
def test_every_tree_survives_infix(tree: Tree) -> None:
    assert read(to_infix(tree), "infix") == tree
    assert to_infix(tree).isascii()


@settings(deadline=None)
@given(trees(max_leaves=20))
def test_every_tree_survives_unicode(tree: Tree) -> None:
    assert read(unicode_infix(tree), "infix") == tree


@settings(deadline=None)
@given(trees())
def test_auto_reads_what_infix_wrote(tree: Tree) -> None:
    assert read(to_infix(tree)) == tree


@settings(deadline=None)
@given(trees())
def test_latex_is_balanced(tree: Tree) -> None:
    text = to_latex(tree)
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right")
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        assert depth >= 0


@settings(deadline=None)
@given(arithmetic(), st.floats(0.3, 2.0))
def test_infix_means_what_python_means(tree: Tree, x: float) -> None:
    """Python's own grammar is an independent judge of the brackets in + - * / and sin."""
    try:
        expected = eval(to_infix(tree), {"sin": math.sin, "pi": math.pi, "x": x, "__builtins__": {}})
    except (ZeroDivisionError, ValueError, OverflowError):
        return
    found = value(tree.list_labels(), x)
    assert math.isnan(found) or math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("63cosh(2 - 7x)", "* 63 cosh - 2 * 7 x"),
        ("(x/6+2)^9+3x", "+ pow + / x 6 2 9 * 3 x"),
        ("tanh(3x+4)-6", "- tanh + * 3 x 4 6"),
        ("1/coth(3x+4) - 6", "- / 1 coth + * 3 x 4 6"),
        ("4/(x·ln³(x/7))", "/ 4 * x pow ln / x 7 3"),
        ("sin³(x/7)+3", "+ pow sin / x 7 3 3"),
        ("d/dx[−2(ln(x/7))^−2]", "d x * -2 pow ln / x 7 -2"),
        ("-x", "* -1 x"), ("-7", "-7"), ("- 7", "-7"), ("-7x", "* -7 x"), ("-7*x^2", "* -7 pow x 2"),
        ("x-7", "- x 7"), ("2 - -7", "- 2 -7"), ("2--7x", "- 2 * -7 x"), ("2 + -x", "+ 2 * -1 x"),
        ("-x*x", "* -1 * x x"), ("-x^2", "* -1 pow x 2"), ("-2^2", "* -1 pow 2 2"), ("(-2)^2", "pow -2 2"),
        ("-7²", "* -1 pow 7 2"), ("x*-7", "* x -7"), ("x*-x+1", "+ * x * -1 x 1"), ("--x", "* -1 * -1 x"),
        ("-(7)", "* -1 7"), ("2*-x*3", "* * 2 * -1 x 3"),
        ("x^-2", "pow x -2"), ("x^-x*2", "* pow x * -1 x 2"), ("x^-2^3", "pow x * -1 pow 2 3"),
        ("2^3^x", "pow 2 pow 3 x"), ("x**2", "pow x 2"), ("x²", "pow x 2"), ("x⁻¹²", "pow x -12"),
        ("2x", "* 2 x"), ("3(x+1)", "* 3 + x 1"), ("x sin x", "* x sin x"), ("xsinx", "* x sin x"),
        ("2x^3", "* 2 pow x 3"), ("(x+1)(x-1)", "* + x 1 - x 1"), ("2πx", "* * 2 pi x"), ("2e", "* 2 e"),
        ("x|x|", "* x abs x"), ("||x|+1|", "abs + abs x 1"), ("ln|x|", "ln abs x"), ("x e^x", "* x pow e x"),
        ("1/2 x", "* / 1 2 x"), ("1/2*x", "* / 1 2 x"), ("1/x/2", "/ / 1 x 2"), ("1-x-2", "- - 1 x 2"),
        ("sin x", "sin x"), ("sin 2x", "sin * 2 x"), ("sin 2x cos x", "* sin * 2 x cos x"),
        ("sin x + 1", "+ sin x 1"), ("sin x/2", "/ sin x 2"), ("sin x^2", "sin pow x 2"),
        ("sin -x", "sin * -1 x"), ("sin -2x", "sin * -2 x"), ("-sin x*x", "* -1 * sin x x"),
        ("sin cos x", "sin cos x"), ("sin(x)^2", "pow sin x 2"), ("sin^2(x)", "pow sin x 2"),
        ("sin^2 2x", "pow sin * 2 x 2"), ("sin²x + cos²x", "+ pow sin x 2 pow cos x 2"),
        ("sin(x)cos(x)", "* sin x cos x"), ("2^sin x * 3", "* pow 2 sin x 3"), ("sin (x) x", "* sin x x"),
        ("exp(2x)", "pow e * 2 x"), ("exp x", "pow e x"), ("sqrt(x)", "sqrt x"), ("√x", "sqrt x"),
        ("2√(x+1)", "* 2 sqrt + x 1"), ("√|x|", "sqrt abs x"), ("√2x", "* sqrt 2 x"),
        ("log(10, x)", "log 10 x"), ("log_2(x)", "log 2 x"), ("log10(x)", "log 10 x"), ("log2 x", "log 2 x"),
        ("log_e(x)", "log e x"), ("pow(x, 3)", "pow x 3"), ("abs(x)", "abs x"), ("cosec x", "csc x"),
        ("diff(x^2, x)", "d x pow x 2"), ("d / dx (3x)", "d x * 3 x"), ("2d/dx(x)", "* 2 d x x"),
        ("arcsin(x)", "asin x"), ("arsinh x", "asinh x"), ("arctanh(x)", "atanh x"), ("sinhx", "sinh x"),
        ("2·x÷3 − π", "- / * 2 x 3 pi"), ("[x+{1}](x)", "* + x 1 x"), ("  x\t+\n1 ", "+ x 1"),
        ("0.5x", "* 0.5 x"), (".5", ".5"), ("sqrt(-1)", "sqrt -1"), ("((((x))))", "x"),
    ],
)  # fmt: skip
def test_infix_as_people_write_it(text: str, expected: str) -> None:
    assert to_prefix(read(text, "infix")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- tanh - * 3 x -4 6", "- tanh - * 3 x -4 6"),
        ("d x * -2 pow ln / x 7 -2", "d x * -2 pow ln / x 7 -2"),
        ("- 7 x", "- 7 x"),
        ("-7 x", "* -7 x"),
        ("- x", "* -1 x"),
        ("sin x", "sin x"),
        ("sin x cos x", "* sin x cos x"),
        ("-3", "-3"),
    ],
)
def test_auto_tries_prefix_first(text: str, expected: str) -> None:
    assert to_prefix(read(text)) == expected


@pytest.mark.parametrize(
    ("text", "ascii_text", "unicode_text", "latex_text"),
    [
        ("* 63 cosh - 2 * 7 x", "63*cosh(2 - 7*x)", "63·cosh(2 − 7x)", r"63 \cosh\left(2 - 7 x\right)"),
        ("pow x 2", "x^2", "x²", "x^{2}"),
        ("sqrt x", "sqrt(x)", "√x", r"\sqrt{x}"),
        ("pow sqrt + x 1 -2", "sqrt(x + 1)^(-2)", "(√(x + 1))⁻²", r"\sqrt{x + 1}^{-2}"),
        ("- x -12", "x - (-12)", "x − (−12)", r"x - \left(-12\right)"),
        ("- x - 3 x", "x - (3 - x)", "x − (3 − x)", r"x - \left(3 - x\right)"),
        ("* -1 * 2 x", "-(2*x)", "−(2x)", "-1 \\cdot 2 x"),
        ("* x / 1 x", "x*(1/x)", "x·(1/x)", r"x \cdot \frac{1}{x}"),
        ("pow csc x -3", "csc(x)^(-3)", "csc(x)⁻³", r"\left(\csc\left(x\right)\right)^{-3}"),
        ("pow sin x 3", "sin(x)^3", "sin(x)³", r"\sin^{3}\left(x\right)"),
        ("d x abs x", "d/dx(abs(x))", "d/dx(|x|)", r"\frac{d}{dx}\left(\left|x\right|\right)"),
        ("* 2 / 1 3", "2*(1/3)", "2·(1/3)", r"2 \cdot \frac{1}{3}"),
        ("log 10 asech x", "log_10(asech(x))", "log_10(asech(x))",
         r"\log_{10}\left(\operatorname{arsech}\left(x\right)\right)"),
        ("pow e * 0.5 pi", "e^(0.5*pi)", "e^(0.5π)", r"e^{0.5 \pi}"),
    ],
)  # fmt: skip
def test_how_expressions_are_shown(text: str, ascii_text: str, unicode_text: str, latex_text: str) -> None:
    tree = read_prefix(text)
    assert (to_infix(tree), unicode_infix(tree), to_latex(tree)) == (ascii_text, unicode_text, latex_text)


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", None, "empty"),
        ("   ", None, "empty"),
        ("foo(x)", 0, "foo"),
        ("sinn(x)", 0, "sinn"),
        ("x + y", 4, "second variable"),
        ("2i + x", 1, "not a real number"),
        ("sin(x", 3, "never closed"),
        ("x)", 1, "closes nothing"),
        ("(x]", 2, "closed by"),
        ("x + * 2", 4, "missing before '*'"),
        ("x +", 3, "too early"),
        ("sin", 3, "no argument"),
        ("sin()", 4, "missing before ')'"),
        ("x = 2", 2, "'='"),
        ("2 3", 2, "without an operator"),
        ("1e5", 0, "two ways"),
        ("x + 1e-13", 4, "two ways"),
        ("x2", 1, "without an operator"),
        ("1/2x", 3, "two ways"),
        ("sin x(x+1)", 5, "two ways"),
        ("sin^-1(x)", 4, "positive integer"),
        ("log(x)", 3, "2 arguments"),
        ("log x", 4, "brackets"),
        ("d/dx x", 5, "brackets"),
        ("(x, 2)", 2, "comma"),
        ("sin(x, 2)", 5, "comma"),
        ("diff(x^2, 2)", 4, "not with respect to x"),
        ("√x²", 0, "two ways"),
        ("#", 0, "'#'"),
        ("d x", 0, "d"),
        ("1" * 40, 0, "40 digits"),
        ("x" + "³" * 40, 1, "40 digits"),
        ("log_" + "1" * 40 + "(x)", 0, "40 digits"),
    ],
)
def test_infix_errors_say_what_and_where(text: str, position: int | None, says: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        read(text, "infix" if text.strip() else "auto")
    assert says in str(caught.value)
    assert caught.value.position == position
    assert caught.value.exit_code == 2
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", None, "empty"),
        ("+ x", 3, "takes 2 operands"),
        ("sin x x", 6, "complete before"),
        ("+ foo x", 2, "foo"),
        ("sim x", 0, "Did you mean sin?"),
        ("+ y x", 2, "second variable"),
        ("*   x i", 6, "not a real number"),
        ("d y x", 2, "second variable"),
        ("d sin x x", None, "not with respect to x"),
        ("+ x 1e5", 4, "1e5"),
        ("+ x ٣", 4, "٣"),
        ("+ x " + "9" * 31, 4, "31 digits"),
    ],
)
def test_prefix_errors_say_what_and_where(text: str, position: int | None, says: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        read(text, "prefix")
    assert says in str(caught.value)
    assert caught.value.remedy
    if position is not None:
        assert caught.value.position == position
        assert f"(character {position + 1})" in caught.value.what


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "text",
    [
        " ".join(["+", "x"] * 5_000),
        "sin " * 9_999 + "x",
        "(" * 10_000 + "x" + ")" * 10_000,
        "sin(" * 300 + "x" + ")" * 300,
        "-" * 5_000 + "x",
        "+".join("x" * 5_000),
        "^".join("x" * 1_000),
        "sin " * 250 + "x",
        "|" * 10_000,
        "9" * 10_000,
        "x" * 10_000,
        "√" * 10_000 + "x",
    ],
)
def test_huge_and_deep_input_is_one_clear_error(text: str, notation: Notation) -> None:
    with pytest.raises(ExpressionError) as caught:
        read(text, notation)
    assert len(str(caught.value)) < 400


def test_the_deepest_tree_allowed_survives_every_notation() -> None:
    deep = Tree("x")
    for depth in range(MAX_DEPTH - 1):
        deep = Tree(FUNCTIONS[depth % 25], (deep,)) if depth % 3 else Tree("-", (Tree("2"), deep))
    assert read(to_prefix(deep)) == read(to_infix(deep)) == read(unicode_infix(deep)) == deep
    assert to_latex(deep)


def test_the_longest_constant_survives_every_notation() -> None:
    tree = Tree("pow", (Tree("x"), Tree("-" + "9" * 30)))
    assert read(to_prefix(tree)) == read(to_infix(tree)) == read(unicode_infix(tree)) == tree


def test_brackets_alone_do_not_count_as_depth() -> None:
    assert to_prefix(read("(" * 3_000 + "x" + ")" * 3_000)) == "x"


def test_the_largest_tree_allowed_survives() -> None:
    level = [Tree("x")] * 1_000
    while len(level) > 1:
        level = [
            Tree("*", (level[i], level[i + 1])) if i + 1 < len(level) else level[i]
            for i in range(0, len(level), 2)
        ]
    assert MAX_NODES - 2 <= len(level[0]) <= MAX_NODES
    assert read(to_infix(level[0])) == read(to_prefix(level[0])) == level[0]


def attempt(text: str, notation: Notation) -> Tree | ExpressionError:
    try:
        return read(text, notation)
    except ExpressionError as error:
        return error


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_makes_the_readers_crash(text: str) -> None:
    for notation in NOTATIONS:
        found = attempt(text, notation)
        if isinstance(found, ExpressionError):
            assert found.what.isprintable()
            assert found.text.isprintable()
            assert found.position is None or 0 <= found.position <= len(text)


SCRAPS = ("sin", "cos", "x", "2", "-7", "e", "pi", *"+-*/^()|,√².[]=", "d/dx", "log", "ln")


def test_scraps_of_formulas_do_not_make_the_reader_crash() -> None:
    rng = random.Random(5)
    read_count = 0
    for _ in range(3_000):
        text = rng.choice(["", " "]).join(rng.choices(SCRAPS, k=rng.randrange(1, 9)))
        found = attempt(text, "infix")
        if isinstance(found, Tree):
            read_count += 1
            assert read_infix(to_infix(found)) == found
    assert read_count > 50


def test_control_characters_are_shown_not_sent() -> None:
    for text in ("\x1b[31mx", "sin \x1b]0;title\x07", "+ x \u202ey", "x\x00"):
        for notation in NOTATIONS:
            with pytest.raises(ExpressionError) as caught:
                read(text, notation)
            assert str(caught.value).isprintable()
            assert caught.value.text.isprintable()


@pytest.mark.parametrize(
    "text", ["/ x 0", "/ x 0.0", "/ 1 - 2 2", "+ x / 3 sin pi", "pow 0 -2", "d x / x ln 1", "/ 0 0"]
)
def test_a_head_that_divides_by_zero_is_refused(text: str) -> None:
    assert "divides by zero" in refusal(text)


@pytest.mark.parametrize("text", ["/ 0 x", "/ x - x 1", "pow 0 2", "sqrt -1", "/ 1 cosh 0", "/ x tanh x"])
def test_other_heads_pass(text: str) -> None:
    assert refusal(text) == ""


def refusal(text: str) -> str:
    """What is said against a head; empty when it is taken."""
    try:
        check_head(read(text))
    except ExpressionError as error:
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.real_data
def test_published_expressions_survive_infix(real_data: Path) -> None:
    seen = 0
    with gzip.open(real_data / "expr" / "egen_clusters_sample.jsonl.gz", "rt") as file:
        for line in file:
            for text in json.loads(line)["exprs"][:10]:
                tree = attempt(text, "prefix")
                if isinstance(tree, Tree):
                    assert read_infix(to_infix(tree)) == read_infix(unicode_infix(tree)) == tree
                    assert to_latex(tree)
                    seen += 1
    assert seen > 2_500


@pytest.mark.parametrize(
    ("text", "zero"),
    [
        ("x / (1 - 0.9999999999999)", False),
        ("(1 - 0.9999999999999)^(-1)", False),
        ("x / sin(pi)", True),
        ("x / (sqrt(2)^2 - 2)", True),
        ("(cos(pi) + 1)^(-2)", True),
    ],
)
def test_only_what_is_zero_divides_by_zero(text: str, zero: bool) -> None:
    if zero:
        with pytest.raises(ExpressionError, match="divides by zero"):
            read_head(text)
    else:
        found = evaluate(compile_many([read_head(text)]), [0.5]).values[0, 0]
        assert found == pytest.approx(1e13 * (0.5 if "x" in text else 1), rel=1e-2)
