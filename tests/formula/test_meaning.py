"""What formulas say: terms and statements, read from LaTeX."""

from __future__ import annotations

import random

import pytest

from engines.formula.dialects import NATURAL_DIALECTS, NaturalDialect
from engines.formula.document_names import names_of
from engines.formula.meaning import Names, list_relations, read, read_links
from engines.formula.reader import read as read_in_dialect
from engines.formula.symbols import BODIES, PieceRole, list_meanings, read_table


def said(text: str, names: Names | None = None) -> str:
    tree = read(text, names).tree
    return "unread" if tree is None else " ".join(tree.list_labels())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\displaystyle x_1' + \alpha_{ij} A", "+ x'_1 * α_ij A"),
        ("a_{i\u2063j} + f\u2061(x) - 2\u2062y", "- + a_i,j call f x * 2 y"),
        ("1\u200b + \ufeffx\u00ad", "+ 1 x"),
        (r"-7x^2 - -y", "- * -7 pow x 2 * -1 y"),
        (r"n!\binom{n}{k} = \sqrt[3]{x}", "= * factorial n binomial n k root 3 x"),
        (r"{}_5C_2 + {}^{n}\mathrm{C}_{k}", "+ binomial 5 2 binomial n k"),
        (r"^5P_2 = 5 \text{ choose } 2", "= / factorial 5 factorial - 5 2 binomial 5 2"),
        ("7!!", "/ factorial * 2 4 * pow 2 4 factorial 4"),
        ("(2n)!!", "* pow 2 n factorial n"),
        ("n!!", "unread"),
        ("3!!!", "unread"),
        (r"\sum_{1\le k<n} k^2", "sum k 1 - n 1 pow k 2"),
        (r"\sum_{i=1}^n x_i = x_1", "= sum i_ 1 n call x i_ call x 1"),
        (r"\int\frac{dx}{x}", "antiderivative x / 1 x"),
        (r"\int\frac{dx}{x} + 1", "+ antiderivative x / 1 x 1"),
        (r"\int x + \frac{dx}{x} - 1", "- antiderivative x + x / 1 x 1"),
        (r"\int_0^1 x + 1\,dx", "integral x 0 1 + x 1"),
        (r"\lim_{x\to 0^+} \frac{\sin x}{x} = 1", "= limit x 0 + / sin x x 1"),
        (r"\frac{dy}{dx} = \frac{d^2 y}{dx^2}", "= d x call y x d x d x call y x"),
        (r"\left.x^2\right|_0^1", "- pow 1 2 pow 0 2"),
        (r"x \in (0,1]\cup[2,\infty)", "in x union interval oc 0 1 interval co 2 inf"),
        (r"x\in{]a,b[}", "in x interval oo a b"),
        ("(1, 2)", "tuple 1 2"),
        (r"\{1,2\}", "set 1 2"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}^T", "transpose matrix row 1 2 row 3 4"),
        (r"1,000 + 10{,}000 + 1\,234", "+ + 1000 10000 1234"),
        (r"2\frac{1}{2}\%", "/ + 2 / 1 2 100"),
        (r"30^\circ", "* 30 / pi 180"),
        (r"30\ensuremath{^\circ} + x{^2}", "+ * 30 / pi 180 pow x 2"),
        (r"5\text{ cm}^2", "* 5 pow unit cm 2"),
        (r"x = \pm 2", "= x pm 2"),
        (r"a \equiv b \pmod{n}", "congruent a b n"),
        (r"a, b > 0", "and > a 0 > b 0"),
        (r"x = 2 \text{ or } x = 3", "or = x 2 = x 3"),
        (r"\neg p \lor q", "or not p q"),
        (r"\mathrm{tr}(A) = \det A", "= tr A det A"),
        (r"\textrm{sinc}(x)", "call sinc x"),
        (r"f'(x) = f^{-1}(x)", "= call f' x call f^-1 x"),
        (r"0.1\overline{6}", "/ 15 90"),
        (r"1011_2", "11"),
        (r"\overline{z}z = |z|^2", "= * conj z z pow abs z 2"),
        (r"sin x + log_2(y)", "+ sin x log 2 y"),
        (r"e^{i\pi}", "pow e * i pi"),
        (r"AB = CD", "= AB CD"),
        (r"A(B+C) = AB + AC", "= * A + B C + * A B * A C"),
        (r"\text{yes}", "text yes"),
        (r"x^2 + 1,\quad", "+ pow x 2 1"),
        (r"\begin{align*} a &= b \\ &\quad + c \tag{1} \end{align*}", "= a + b c"),
        (r"\{x\}_n", "unread"),
    ],
)
def test_what_is_meant(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1/2x", "divided by"),
        (r"\sin x(y+1)", "what sin applies to"),
        (r"1+2+\cdots+n", "ellipsis"),
        (r"\forall x", "quantified"),
        (r"\triangle ABC", "triangle"),
        (r"\langle x|y\rangle", r"'|'"),
        (r"\operatorname{rank} A", "rank"),
        (r"x = 2, 3", "list beside a relation"),
        (r"\sum_{k=1}^n k + k^2", "summed over k"),
        (r"\sum_i a_i", "range of"),
        (r"2{x+1}", "braces"),
        (r"\|x\|", "norm"),
        (r"f^2(x)", "power of the function f"),
        (r"[x]", "square brackets"),
        (r"x \text{ is even}", "'is even'"),
        (r"2\mathbb{Z}", "product of sets"),
        (r"(n+2)^{th}", "ordinal"),
        (r"\vec a \cdot \vec b", "above or below"),
        ("= 3", "left side"),
        ("3 =", "right side"),
        ("", "empty"),
    ],
)
def test_what_is_not_read_says_why(text: str, reason: str) -> None:
    found = read(text)
    assert found.tree is None
    assert reason in found.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*x^10 <= sqrt(2)^(n+1)", "<= * 2 pow x 10 pow sqrt 2 + n 1"),
        ("x² ≤ √2·π", "<= pow x 2 * sqrt 2 pi"),
        ("2^m + x^-n", "+ pow 2 m pow x * -1 n"),
        ("a^mb^n", "* pow a m pow b n"),
        ("x^2_1 + x^a_1", "+ pow x_1 2 pow x a_1"),
        ("e^alpha*x_max", "* pow e α x_max"),
        ("{1, 2}", "set 1 2"),
        ("50%", "/ 50 100"),
        ("5 apples", "* 5 unit apples"),
        ("no solution", "text no solution"),
        ("abc", "* * a b c"),
        ("7 mod 3", "mod 7 3"),
        ("v = u - gt", "= v - u * g t"),
        ("u - 1 gt t", "> - u 1 t"),
        ("x = 2 or x = -oo", "or = x 2 = x * -1 inf"),
        ("x equals 3", "= x 3"),
        ("x is greater than -3 and y is at most 7", "and > x -3 <= y 7"),
        ("x squared minus 5x plus 6", "+ - pow x 2 * 5 x 6"),
        ("the square root of 20", "sqrt 20"),
        ("3·2ⁿ⁻¹", "* 3 pow 2 - n 1"),
        ("p and not q", "and p not q"),
        ("not (p or q)", "not or p q"),
        ("p implies not q", "implies p not q"),
        ("there exists an x such that x^2 < 0", "exists x < pow x 2 0"),
        ("for every n there is an m such that m > n", "forall n exists m > m n"),
        ("all real numbers except x = 1", "without ℝ set 1"),
        (
            "<math><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>=</mo><msup><mi>y</mi><mn>12</mn></msup></math>",
            "= / x 2 pow y 12",
        ),
        ("<math><apply><lt/><apply><plus/><ci>x</ci><cn>1</cn></apply><pi/></apply></math>", "< + x 1 pi"),
        ("<math><foo/></math>", "unread"),
        ("<math", "unread"),
    ],
)
def test_plain_text_and_mathml(text: str, expected: str) -> None:
    assert said(text) == expected


def test_a_dialect_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken = NaturalDialect(lambda _: False, lambda text: text.replace(" over ", "/"))
    monkeypatch.setitem(NATURAL_DIALECTS, "spoken", spoken)  # type: ignore[arg-type]
    assert read_in_dialect("a over b", "spoken").tree == read("a/b").tree
    assert read_in_dialect("a over b").tree != read("a/b").tree
    with pytest.raises(ValueError, match=r"no dialect 'spokn'.*spoken"):
        read_in_dialect("a", "spokn")


def test_a_label_of_the_table_of_symbols_has_one_name_in_terms() -> None:
    for roles in ((PieceRole.RELATION,), (PieceRole.ADD,), BODIES):
        named = [symbol.label for symbol in read_table().values() if symbol.term and symbol.role in roles]
        assert len(named) == len({*named}) == len(list_meanings(*roles)) > 2
    used = {PieceRole.RELATION, PieceRole.ADD, *BODIES}
    assert {symbol.role for symbol in read_table().values() if symbol.term} == used


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("(x^3)'", "d x pow x 3"),
        (r"\left(e^{2t}\right)''", "d t d t pow e * 2 t"),
        ("(f(x))'", "d x call f x"),
        ("(xy)'", "unread"),
        ("5'", "unread"),
        (r"\sin t \begin{vmatrix} a & b \\ b & a \end{vmatrix}", "* sin t det matrix row a b row b a"),
    ],
)
def test_primes_of_brackets_are_derivatives_and_matrices_are_no_arguments(latex: str, expected: str) -> None:
    assert said(latex) == expected


def test_a_document_says_which_letters_are_functions() -> None:
    assert said("u(x+1)") == "* u + x 1"
    names = names_of([r"u(x) = x^2", r"q\colon A\to B"], "Let $w$ be")
    assert said("u(x+1)", names) == "call u + x 1"
    assert said("q(x+1)", names) == "call q + x 1"
    assert said("f(x+1)") == "call f + x 1"
    assert said("f(x+1)", Names(letters=frozenset("f"))) == "* f + x 1"
    assert read("f(x+1)").notes == ("f is a function",)


def test_one_name_is_the_same_everywhere_in_a_formula() -> None:
    assert said("I(s) - I(-s)") == "- call I s call I * -1 s"
    assert said("x_i + x_{i+1}") == "+ call x i_ call x + i_ 1"


def test_links_of_chains() -> None:
    assert [link.list_labels() for link in list_relations(read("a = b < c"))] == [
        ["=", "a", "b"],
        ["<", "b", "c"],
    ]
    text = r"\begin{align} a &= \clubsuit \\ &= b+1 \\ &= c \\ x &\le y, k = 1,000 \end{align}"
    found = read_links(text)
    assert [one.tree and " ".join(one.tree.list_labels()) for one in found] == [
        None,
        None,
        "= + b 1 c",
        "<= x y",
        "= k 1000",
    ]
    assert "♣" in found[0].reason
    assert [text[slice(*one.span)] for one in found[2:]] == [r"b+1 \\ &= c", r"x &\le y", "k = 1,000"]
    assert [one.tree for one in read_links("x = 1, 2")] == [None]
    congruent = read_links(r"a \equiv b \equiv c \pmod 7")
    assert [one.tree and one.tree.list_labels() for one in congruent] == [
        ["congruent", "a", "b", "7"],
        ["congruent", "b", "c", "7"],
    ]


_COMMANDS = (
    r"\frac \sqrt \left \right 1 23 0.5 \cdot \le \in \sum \int \lim \to \sin \log \text{if} \mathrm{tr} \\ ²"
    r" \begin{cases} \end{cases} \begin{pmatrix} \end{pmatrix} \quad \% \pm \cup \overline \binom \choose √"
    r" \pmod \bmod \ldots \neg \equiv \mid \land \circ \$ \over"
)


def test_random_texts_are_read_or_not_and_nothing_else() -> None:
    parts = [*"[](){}|.,;:^_'xiedf+-/=&!", *_COMMANDS.split(" ")]
    source = random.Random(3)
    for _ in range(1_000):
        text = "".join(source.choices(parts, k=source.randint(1, 30)))
        found = read(text)
        assert (found.tree is None) == bool(found.reason)
        read_links(text)


@pytest.mark.parametrize(
    "part", ["(", "x^", "{", r"\frac", "|", "-", r"\neg ", r"\sqrt{", "f(", "[a,", "x=", "sin("]
)
def test_no_text_is_too_deep(part: str) -> None:
    assert read(part * 1_500).reason


@pytest.mark.parametrize(
    ("formula", "label"),
    [
        (r"\ln \lvert x \rvert", "abs"),
        (r"\sin \lfloor x \rfloor", "floor"),
        (r"\cos \left\lceil x \right\rceil", "ceil"),
    ],
)
def test_brackets_that_are_functions_stay_in_an_argument(formula: str, label: str) -> None:
    tree = read(formula).tree
    assert tree is not None
    assert tree.children[0].label == label
