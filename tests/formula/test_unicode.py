"""Formulas as one line of a terminal: what they look like, and that nothing makes it fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formula.operator_tree import OperatorTree
from engines.formula.operator_tree_parser import operator_tree
from engines.formula.symbols import list_symbols, symbol_roles
from engines.formula.unicode import LIMIT, render_text, unicode_text


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\sum_{k=0}^n x_k^2 \le \alpha", "∑_{k=0}^n xₖ² ≤ α"),
        (r"f'(x)=\lim_{h\to0}\frac{f(x+h)-f(x)}{h}", "f′(x) = lim_{h→0} (f(x+h)−f(x))/h"),
        (r"\int_{-\infty}^{\infty} e^{-x^2}\,dx=\sqrt\pi", "∫_{−∞}^∞ e^{−x²} dx = √π"),
        (r"\frac12 x+2\frac12", "(1/2)x + 2(1/2)"),
        (r"|f|&lt;\infty", "|f| < ∞"),
        (r"\frac{1}{2\pi i}+\frac{dy}{dx}+\frac{2x}{3}", "1/(2πi) + dy/dx + 2x/3"),
        (r"\frac{\partial^2 f}{\partial x^2}", "∂²f/∂x²"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"{n \choose k}=\binom{n}{k}={a+b \over c}", "C(n,k) = C(n,k) = (a+b)/c"),
        (r"\begin{pmatrix}a&b\\c&-d\end{pmatrix}\in\mathrm{GL}_2(\mathbb{R})", "(a b; c −d) ∈ GL₂(ℝ)"),
        (
            r"\begin{cases} x & \text{if } x>0 \\ 0 & \text{otherwise}\end{cases}",
            "{x, if x>0; 0, otherwise",
        ),
        (r"\begin{align}a&=b\\&=c\end{align}", "a = b; = c"),
        (r"\hat{x}+\overline{AB}+\widehat{ABC}", "x̂ + A̅B̅ + widehat(ABC)"),
        (r"a\equiv b \pmod{n}, \gcd(a,b)\bmod 3", "a ≡ b (mod n), gcd(a, b) mod 3"),
        (r"\sum_{k=0}^n\binom nk (-1)^j\binom kj", "∑_{k=0}^n C(n,k)(−1)^j C(k,j)"),
        (r"\lim_{n\to\infty}(1+\frac1n)^n, \sin(x)\sin\binom nk", "lim_{n→∞} (1 + 1/n)ⁿ, sin(x) sin C(n,k)"),
        (r"\not= \not\in \neq", "≠ ∉ ≠"),
        (r"\sin^2 x+2\cos 3\theta", "sin² x + 2 cos 3θ"),
        (r"\mathcal{L}\mathfrak{g}\mathbb Q_p{\cal F}\mathfrak{R}", "ℒ𝔤ℚₚℱℜ"),
        (r"A^T A^{-1} A^* 90^\circ f''", "AᵀA⁻¹A*90°f″"),
        (r"\{x\in\mathbb R: x>0\}", "{x ∈ ℝ: x > 0}"),
        (r"\sqrt[3]{x+1}\sqrt{2x}\sqrt{\frac12}", "∛(x+1)√(2x)√(1/2)"),
        (r"-x+-y", "−x + −y"),
        (r"\left|\frac{x}{y}\right.", "|x/y"),
        (r"\text{gcd of $x^2$ and }y", "gcd of x² and y"),
        (r"\operatorname{rank} A\hskip 1.5em\color{red}{x}", "rank A x"),
        (r"\xrightarrow[n]{p} \overset{def}{=}", "→_n^p =^{def}"),
        (r"\unknown x^23_", r"\unknown x²3"),
        ("", ""),
    ],
)
def test_formulas(latex: str, line: str) -> None:
    assert unicode_text(latex) == line


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"{a+b}^2{2x}^3{x^2}^3{x_1}_2", "(a + b)²(2x)³(x²)³(x₁)₂"),
        (r"\sqrt{x^2}^3\sqrt{x}y", "(√(x²))³√x y"),
        (r"x_1^2e^{-x}^2", "x₁²(e^{−x})²"),
        (r"\sin\frac ab\log\frac{a}{b}", "sin(a/b) log(a/b)"),
        (r"\overset{a}{b}^2", "(b^a)²"),
        (r"\overset{a}{b+c}", "(b+c)^a"),
        (r"\genfrac(){0pt}{}nk\genfrac{}{}{}{1}{a+1}{b}", "C(n,k)(a+1)/b"),
        (r"2{n\brace k}^2+\sum_{i\atop j}x", "2 brace(n, k)² + ∑_{atop(i, j)} x"),
        (r"a\xRightarrow[c]{b+1}d\xmapsto{f}e", "a ⇒_c^{b+1} d ↦^f e"),
        (r"\abs{x}^2\norm{y}", "|x|²‖y‖"),
        (r"\color[rgb]{0,0,1}{x}\rule{1em}{2pt}\href{a_b}{y}", "xy"),
        (r"\newcommand{\R}[1]{\mathbb{R}^{#1}} x\in\R n", "x ∈ ℝⁿ"),
        (r"\ket{x}{y+1}", r"\ket{x}{y+1}"),
        ("½x−√(x+1)²", "(1/2)x − (√(x+1))²"),
    ],
)
def test_what_is_shown_means_the_same(latex: str, line: str) -> None:
    assert unicode_text(latex) == line


_TWO = (r"%s{a+1}{b+2}", r"{a+1 %s b+2}", r"%s{}{}{}{}{a+1}{b+2}")
"""How a command may be given two things."""
_READ_OTHERWISE = ("modifier", "wide")
"""Roles whose signs, mod and a space, are no formula without their commands."""


def _has_both(tree: OperatorTree) -> bool:
    both = sorted(str(operator_tree(side)) for side in ("a+1", "b+2"))
    return any(sorted(map(str, node.children[-2:])) == both for node in tree.walk_nodes())


def _commands_of_two() -> list[str]:
    written = [
        form % name
        for name, known in symbol_roles().items()
        for form in _TWO
        if known.role not in _READ_OTHERWISE and not name.startswith(r"\not")
    ]
    return [latex for latex in written if _has_both(operator_tree(latex))]


def test_every_command_of_two_things_shows_them_apart() -> None:
    found = _commands_of_two()
    assert {r"\sfrac{a+1}{b+2}", r"{a+1 \brace b+2}", r"\genfrac{}{}{}{}{a+1}{b+2}"} <= set(found)
    for latex in found:
        shown = operator_tree(unicode_text(latex))
        assert _has_both(shown), latex
        if operator_tree(latex).label == "O!divide":
            assert str(shown) == str(operator_tree(latex))


@pytest.mark.parametrize(
    ("opening", "closing"), [(r"\frac{1}{", "}"), ("x^{", "}"), (r"\sqrt{", "}"), ("{", "}^2")]
)
@pytest.mark.parametrize("depth", [20, 41, 299, 301, 600])
def test_no_depth_loses_brackets(opening: str, closing: str, depth: int) -> None:
    line = unicode_text(opening * depth + "x+y" + closing * depth)
    shown = line.count("(") + line.count("{")
    assert shown == line.count(")") + line.count("}")
    assert shown >= depth - (opening == "{" and depth > 300)


def test_every_symbol_is_shown_as_the_table_has_it() -> None:
    for name, symbol in list_symbols().items():
        if symbol.unicode and symbol.group not in ("accents", "escaped", "characters") and name != r"\colon":
            assert unicode_text(name) == symbol.unicode.strip()


def test_control_characters_never_reach_the_terminal() -> None:
    assert unicode_text("\x1b[2J\x07 x") == r"\x1b[2J\x07x"
    assert unicode_text("\\text{a\u202eb}") == r"a\u202eb"
    assert render_text("a\x1b]0;$x^2$\nb\x9b") == "a\\x1b]0;x²\nb\\x9b"


@given(st.text())
def test_no_string_makes_it_fail(text: str) -> None:
    assert unicode_text(text).isprintable()
    render_text(text)


_PIECES = [*"{}[]^_&'$%~\\ ab12+-=/(),", "\\\\", "\\frac", "\\sqrt", "\\left", "\\right", "\\over", "\\text"]
_PIECES += [
    r"\begin{pmatrix}",
    r"\end{pmatrix}",
    r"\begin{cases}",
    r"\end{align}",
    "\\hat",
    "\\not",
    "\\root",
]
_PIECES += [
    r"\mathbb",
    r"\cal",
    r"\hskip",
    r"\def",
    r"\matrix",
    r"\pmod",
    r"\stackrel",
    r"\sum",
    r"\xrightarrow",
]
_PIECES += [r"\color", r"\rule", r"\cr", r"\of", r"\alpha*", "\x1b", "\n", "\ud800", "²"]


@given(st.lists(st.sampled_from(_PIECES), max_size=60).map("".join))
def test_no_broken_latex_makes_it_fail(latex: str) -> None:
    assert unicode_text(latex).isprintable()


@pytest.mark.parametrize(
    "piece",
    ["{", "x+", r"\frac", r"\begin{pmatrix}", "^", r"\left(", r"\sqrt[", "\\", r"a\over ", r"\cal ", r"\not"],
)
def test_a_megabyte_is_elided(piece: str) -> None:
    line = unicode_text(piece * (1_000_000 // len(piece)))
    assert line.endswith("…")
    assert len(line) < 10 * LIMIT


def test_a_text_keeps_its_lines_and_its_stray_dollars() -> None:
    text = "It costs 5$ to find $x^2$.\nThen $$\\frac{a}{b}$$ and \\$3 and $y"
    assert render_text(text) == "It costs 5$ to find x².\nThen a/b and \\$3 and $y"


@pytest.mark.slow
@pytest.mark.real_data
def test_real_formulas_leave_few_commands_unrendered(real_data: Path) -> None:
    from engines.forum.readers import Report, read_formulas

    rows = list(read_formulas(real_data / "arqmath" / "formulas_mini.tsv.gz", Report()))[::10]
    lines = [unicode_text(row.text) for row in rows]
    assert all(line.isprintable() for line in lines)
    assert sum("\\" in line for line in lines) / len(lines) < 0.02
