"""Terms and statements are judged as mathematics has it, checked against values of mpmath and SymPy."""

from __future__ import annotations

from random import Random
from threading import Thread

import pytest
import sympy

from engines.core.expression_language import LETTERS
from engines.core.tree import Tree
from engines.formula.infix import read_infix
from engines.formula.meaning import read
from engines.mathematics.judging import judge
from engines.mathematics.judging.names import free_variables
from engines.mathematics.judging.verdicts import Verdict

JUDGE = judge()
INF, IM, E = Tree("inf"), Tree("i"), Tree("e")
MINUS_INF = Tree("*", (Tree("-1"), INF))


def t(text: str | Tree) -> Tree:
    return text if isinstance(text, Tree) else read_infix(text, LETTERS)


def term(label: str, *parts: str | Tree) -> Tree:
    return Tree(label, tuple(map(t, parts)))


def interval(kind: str, low: str | Tree, high: str | Tree) -> Tree:
    return Tree("interval", (Tree(kind), t(low), t(high)))


def unit(number: str, name: str) -> Tree:
    return term("*", number, Tree("unit", (Tree(name),)))


def call(name: str, *arguments: str | Tree) -> Tree:
    return Tree("call", (Tree(name), *map(t, arguments)))


def matrix(*rows: tuple[str, ...]) -> Tree:
    return Tree("matrix", tuple(term("row", *row) for row in rows))


def equal(left: str | Tree, right: str | Tree, *assume: Tree) -> Verdict:
    return JUDGE.equal(t(left), t(right), assume)


N_INTEGER = Tree("in", (Tree("n"), Tree("Z")))

EQUAL: list[tuple[str | Tree, str | Tree]] = [
    ("1/2", "0.5"),
    ("sqrt(8)", "2*sqrt(2)"),
    ("sqrt(3+2*sqrt(2))", "1+sqrt(2)"),
    ("root(3,-8)", "-2"),
    ("binomial(5,2)", "10"),
    ("1/factorial(3)", "gcd(4,6)/12"),
    ("mod(-1,5)", "lcm(1,4)"),
    ("max(2,3)+min(2,3)", "5"),
    ("ceil(2.1)-round(2.6)", "floor(0.5)"),
    ("gamma(1/2)", "sqrt(pi)"),
    ("pochhammer(3,2)", "12"),
    ("x*y+y", "y*(x+1)"),
    ("sin(x)^2+cos(x)^2", "1"),
    ("sqrt(1/n)", "1/sqrt(n)"),
    ("max(x,y)", "(x+y+abs(x-y))/2"),
    ("sum(k,1,n,k)", "n*(n+1)/2"),
    (term("+", call("f", "x+x"), "1"), term("+", "1", call("f", "2*x"))),
    (term("-", call("f", "x"), call("f", "x")), "0"),
    (term("*", IM, IM), "-1"),
    (term("pow", E, term("*", IM, "pi")), "-1"),
    (term("pow", E, term("*", IM, "x")), term("+", "cos(x)", term("*", IM, "sin(x)"))),
    (term("set", "1", "2"), term("set", "2", "1", "4/4")),
    (term("tuple", "1", "x+x"), term("tuple", "1", "2*x")),
    (term("pm", "3"), term("set", "3", "-3")),
    (term("pm", "2", "sqrt(3)"), term("set", "2-sqrt(3)", "2+sqrt(3)")),
    (term("union", interval("oo", MINUS_INF, "1"), interval("co", "1", INF)), Tree("R")),
    (term("union", interval("oo", "0", "1"), term("set", "1")), interval("oc", "0", "sqrt(1)")),
    (
        term("*", matrix(("1", "2"), ("3", "4")), matrix(("0", "1"), ("1", "0"))),
        matrix(("2", "1"), ("4", "3")),
    ),
    (term("det", matrix(("a", "b"), ("c", "k"))), "a*k-b*c"),
    (unit("5", "cm"), unit("0.05", "m")),
    (unit("1", "mi"), unit("1760", "yards")),
    (unit("1", "furlong"), unit("220", "yd")),
    (unit("1", "inch"), unit("2.54", "cm")),
    (unit("1", "kWh"), unit("3600000", "J")),
    (Tree("text", (Tree("Yes."),)), Tree("text", (Tree("yes"),))),
    (term("=", "2*x", "4"), term("=", "x", "2")),
    (term("=", "y", "2*x+1"), term("=", "2*x-y+1", "0")),
    (term("=", "x^2", "4"), term("in", "x", term("set", "2", "-2"))),
    (term("=", "x^2", "2"), term("or", term("=", "x", "sqrt(2)"), term("=", "x", "-1*sqrt(2)"))),
    (term(">", "x", "2"), term("<", "2", "x")),
    (term("<", "-1*x", "-2"), term(">", "x", "2")),
    (term("<", "abs(x-3)", "2"), term("and", term("<", "1", "x"), term("<", "x", "5"))),
    (term("=", "(x-y)^2", "0"), term("=", "x", "y")),
]

DIFFERENT: list[tuple[str | Tree, str | Tree]] = [
    ("1-1/e", "1+1/e"),
    ("1/factorial(2004)", "1/factorial(2006)"),
    ("pi", "3.14159265358979"),
    ("sqrt(8)", "2*sqrt(3)"),
    ("x*y+y", "y*(x+2)"),
    ("factorial(n)", "n*factorial(n-2)"),
    (call("f", "x"), call("f", "x+1")),
    (term("set", "1", "2"), term("set", "2", "3")),
    (term("tuple", "1", "2"), term("tuple", "2", "1")),
    (interval("oc", "0", "1"), interval("oo", "0", "1")),
    (unit("5", "cm"), unit("5", "m")),
    (unit("2", "kg"), unit("1", "g")),
    (unit("5", "cm"), unit("5", "s")),
    (term("=", "y", "2*x+1"), term("=", "2*x-y+2", "0")),
    (term(">", "x", "2"), term(">=", "x", "2")),
    (term(">", "x", "y"), term("<", "x", "y")),
    (
        term("*", matrix(("1", "2"), ("3", "4")), matrix(("0", "1"), ("1", "0"))),
        matrix(("2", "1"), ("3", "4")),
    ),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_what_is_the_same_is_equal(left: str | Tree, right: str | Tree) -> None:
    assert equal(left, right).outcome == "equal"


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_differs_has_a_witness(left: str | Tree, right: str | Tree) -> None:
    found = equal(left, right)
    assert found.outcome == "different"
    assert found.witness


@pytest.mark.parametrize(
    ("left", "right", "condition", "differs"),
    [
        ("x/x", "1", "x != 0", False),
        ("sqrt(x*y)", "sqrt(x)*sqrt(y)", "x >= 0 and y >= 0", False),
        ("ln(a*b)", "ln(a)+ln(b)", "a > 0 and b > 0", False),
        ("sqrt(x^2)", "x", "x >= 0", True),
        ("cos(n*pi)", "(-1)^n", "n is an integer", False),
        (term("re", term("pow", E, term("*", IM, "x"))), "cos(x)", "x is real", True),
        (term("=", "y", "x"), term("=", "y", "(x^2-x)/(x-1)"), "x != 1", False),
        (term("=", call("f", "x"), "x"), term("=", call("f", "x"), "(x^2-x)/(x-1)"), "x != 1", False),
    ],
)
def test_the_missing_hypothesis_is_found(
    left: str | Tree, right: str | Tree, condition: str, differs: bool
) -> None:
    found = equal(left, right)
    assert (found.outcome, found.condition, bool(found.witness)) == ("equal if", condition, differs)


def test_what_cannot_be_told_is_undecided_with_a_reason() -> None:
    pairs: list[tuple[str | Tree, str | Tree]] = [
        (call("f", "x"), call("f", "y")),
        (unit("5", "cm"), "5"),
        (Tree("limit", (Tree("x"), Tree("0"), Tree("both"), t("sin(1/x)"))), "1"),
        (Tree("unheard", (t("x"),)), "x"),
        ("1/0", "2"),
        (term("gcd", "0", INF), term("sign", Tree("arg", (INF,)))),
        (term("in", "1/(x-x)", interval("oo", "0", "1")), term("<", "x", "1")),
    ]
    for left, right in pairs:
        found = equal(left, right)
        assert found.outcome == "undecided"
        assert found.reason


def test_statements_hold_or_are_refuted() -> None:
    def holds(statement: Tree, *assume: Tree) -> str:
        return JUDGE.holds(statement, assume).outcome

    assert holds(term("<=", "2*x", "x^2+1")) == "equal"
    assert holds(term(">", "e^x", "0")) == "equal"
    assert holds(term("approx", "pi", "3.14")) == "equal"
    assert holds(term("approx", "pi", "4")) == "different"
    assert holds(term("congruent", "n^2*(n+1)", "0", "2"), N_INTEGER) == "equal"
    assert holds(term(">", "x^2", "4"), term(">", "x", "2")) == "equal"
    assert holds(term(">", "x^2", "4"), term(">", "x", "1")) == "different"
    assert holds(term("=", "sqrt(x^2)", "x"), term(">", "x", "0")) == "equal"
    assert holds(term("in", "2", interval("cc", "1", "3"))) == "equal"
    assert holds(term("in", "4", interval("cc", "1", "3"))) == "different"


def test_threads_judge_as_one_does() -> None:
    pairs = [(t(left), t(right)) for left, right in (*EQUAL[:14], *DIFFERENT[:6])]
    alone = [JUDGE.equal(*pair) for pair in pairs]
    found: list[list[Verdict]] = []
    threads = [
        Thread(target=lambda: found.append([judge().equal(*pair) for pair in pairs])) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 3


def test_values_that_meet_at_one_integer_are_no_hypothesis() -> None:
    assert equal("asin(x/4-3)-6", "-6-asin((x-12)*(-4))").outcome in ("different", "undecided")


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("a ≡ b (mod 3)", "b ≡ a (mod 3)", "equal"),
        ("a ≡ b (mod 3)", "a + 3 ≡ b (mod 3)", "equal"),
        ("a ≡ b (mod 3)", "b - a ≡ 0 (mod 3)", "equal"),
        ("x ≡ 1 (mod n)", "1 ≡ x (mod n)", "equal"),
        ("x ≡ 1 (mod 3)", "x ≡ 2 (mod 3)", "different"),
        ("a ≡ b (mod 3)", "a ≡ b (mod 6)", "different"),
        ("a ≡ b (mod 4)", "2a ≡ 2b (mod 4)", "different"),
    ],
)
def test_congruences_say_the_same_or_not(left: str, right: str, verdict: str) -> None:
    one, other = read(left).tree, read(right).tree
    assert one is not None
    assert other is not None
    assert JUDGE.equal(one, other).outcome == verdict


X, Y = sympy.symbols("x y")


def _drawn(random: Random, depth: int) -> sympy.Expr:
    """A rational function of x and y with small numbers."""
    if not depth:
        return random.choice([X, Y, sympy.Integer(random.randint(1, 5)), X + random.randint(1, 4)])
    one, other = (_drawn(random, random.randrange(depth)) for _ in range(2))
    match random.choice("++-**/^"):
        case "+":
            return sympy.Add(one, other, evaluate=False)
        case "-":
            return sympy.Add(one, -other)
        case "*":
            return sympy.Mul(one, other, evaluate=False)
        case "/":
            return one / (other**2 + 1)
    return one ** random.randint(2, 3)


@pytest.mark.parametrize("seed", range(12))
def test_as_sympy_has_it(seed: int) -> None:
    """Other forms of a rational function are accepted, near misses never."""
    random = Random(seed)
    for _ in range(4):
        drawn = _drawn(random, 3)
        for form in (sympy.expand, sympy.cancel, sympy.together, sympy.factor):
            same = form(drawn)
            assert equal(str(drawn), str(same)).outcome in ("equal", "equal if"), (drawn, same)
            changed = same.xreplace({number: number + 1 for number in list(same.atoms(sympy.Integer))[:1]})
            if changed != same and sympy.cancel(changed - drawn) != 0:
                found = equal(str(drawn), str(changed)).outcome
                assert found not in ("equal", "equal if"), (drawn, changed)


@pytest.mark.parametrize(
    ("left", "right", "condition"),
    [
        ("x + y", r"\frac{x^2 - y^2}{x - y}", ("x - y != 0", "-x + y != 0", "y - x != 0")),
        ("x + y = 1", r"\frac{x^2 - y^2}{x - y} = 1", ("x - y != 0", "-x + y != 0", "y - x != 0")),
        ("x + y", r"\frac{(x + y)(x^2 + y^2 + 1)}{x^2 + y^2 + 1}", ("",)),
        (r"\frac{1}{x - y}", r"\frac{-1}{y - x}", ("",)),
    ],
)
def test_a_divisor_that_is_0_on_a_curve_is_a_condition(
    left: str, right: str, condition: tuple[str, ...]
) -> None:
    sides = [read(text).tree for text in (left, right)]
    assert sides[0] is not None
    assert sides[1] is not None
    found = judge().equal(sides[0], sides[1])
    assert found.outcome == ("equal if" if any(condition) else "equal")
    assert found.condition in condition


def test_integers_beyond_memory_do_not_end_the_process() -> None:
    left, right = read(r"a^b \bmod c").tree, read(r"g^b d^b \bmod (g f)").tree
    assert left is not None
    assert right is not None
    assert judge().equal(left, right).outcome in ("different", "undecided")


def test_a_value_keeps_its_names_inside_sums() -> None:
    """x = k stands in a sum over k: its k is another one, and the sum is 6 k."""
    k, x = Tree("k"), Tree("x")
    total = Tree("sum", (k, Tree("1"), Tree("3"), Tree("*", (k, x))))
    said = [Tree("=", (x, k))]
    assert judge().equal(total, Tree("*", (Tree("6"), k)), said).outcome == "equal"
    assert judge().equal(total, Tree("14"), said).outcome == "different"


def test_one_integral_in_another_is_not_worked_out() -> None:
    whole = read(r"\int_0^x \int_0^y \frac{\sin(st)}{1+s+\sin t} ds\, dt").tree
    assert whole is not None
    assert judge().equal(whole, Tree("x")).outcome == "undecided"


def test_a_value_of_0_is_shown_without_the_size_of_its_bounds() -> None:
    assert equal("cos(pi/2)", "1").witness == "0 and 1"
    assert equal("cos(pi/2)", "10^(-30)").witness == "0 and 1.0000000e-30"


def test_infinity_is_shown_as_such() -> None:
    one, infinite = Tree("1"), Tree("inf")
    assert judge().equal(one, infinite).witness == "1 and ∞"
    assert judge().equal(Tree("*", (Tree("-1"), infinite)), one).witness == "-∞ and 1"


def test_inches_in_a_described_set_are_no_membership() -> None:
    described = read(r"\{ f(x) : y > 3\text{ in} \}").tree
    assert described is not None
    assert "in" in described.list_labels()
    assert free_variables(described) == {"x", "y"}


@pytest.mark.parametrize(
    ("product", "right", "wrong"),
    [
        (r"(1, 2, 3) \cdot (4, 5, 6)", "32", "30"),
        (r"(1, 2, 3) \times (4, 5, 6)", "(-3, 6, -3)", "(-3, 6, 3)"),
        (r"(a, 0, 0) \times (0, b, 0)", "(0, 0, ab)", "(0, 0, -ab)"),
        (r"\begin{pmatrix}1\\2\end{pmatrix} \cdot \begin{pmatrix}3\\4\end{pmatrix}", "11", "10"),
        (r"\begin{pmatrix}1 & 2\end{pmatrix} \begin{pmatrix}3\\4\end{pmatrix}", "11", "10"),
    ],
)
def test_products_of_vectors_are_those_that_fit_the_other_side(product: str, right: str, wrong: str) -> None:
    sides = {text: read(text).tree for text in (product, right, wrong)}
    assert judge().equal(sides[product], sides[right]).outcome == "equal"
    assert judge().equal(sides[product], sides[wrong]).outcome == "different"


def test_letters_that_are_said_complex_need_not_be_real() -> None:
    square, product = (read(right).tree for right in ("z^2", r"z\overline{z}"))
    value, said = read("|z|^2").tree, Tree("in", (Tree("z"), Tree("ℂ")))
    assert value
    assert square
    assert product
    assert JUDGE.equal(value, square).outcome == "equal"
    assert JUDGE.equal(value, square, [said]).condition == "z is real"
    assert JUDGE.equal(value, product, [said]).outcome == "equal"


@pytest.mark.parametrize(
    ("left", "right", "witness"),
    [
        (r"\binom{5}{2}", "11", "10 and 11"),
        (r"\sqrt{16}", "5", "4 and 5"),
        (r"\sqrt{2}", "1", "1.4142136 and 1"),
        ("25!", "1", "1.5511210e+25 and 1"),
    ],
)
def test_numbers_that_are_proved_whole_are_shown_as_such(left: str, right: str, witness: str) -> None:
    verdict = judge().equal(read(left).tree, read(right).tree)
    assert (verdict.outcome, verdict.witness) == ("different", witness)
