"""LaTeX as operator trees: what the published trees of ARQMath say, and that nothing makes it fail."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.formula.content_mathml import read_content_mathml
from engines.formula.layout import DEEPEST
from engines.formula.operator_tree import OperatorTree
from engines.formula.operator_tree_parser import ParserMode, operator_tree, search_tree
from engines.formula.render import to_latex
from engines.formula.spans import node_spans
from engines.formula.symbol_layout import layout_tree, read_presentation_mathml
from engines.formula.symbols import symbol_roles


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("x^n+y^n", "(U!plus (O!SUP V!x V!n) (O!SUP V!y V!n))"),
        (r"\frac{a}{b}=2", "(U!eq (O!divide V!a V!b) N!2)"),
        (r"\frac12", "(O!divide N!1 N!2)"),
        ("f(x)", "(U!times V!f V!x)"),
        (r"\sin tx", "(F!sin (U!times V!t V!x))"),
        (r"\sum_{k=0}^n k", "(+!O!SUB (O!SUP (O!SUB O!sum (U!eq V!k N!0)) V!n) V!k)"),
        (r"\lim_{x\to0} f", "(+!O!limit (O!SUB O!limit (F!→ V!x N!0)) V!f)"),
        (
            r"\int_0^1 x\,dx",
            "(+!O!SUB (O!SUP (O!SUB O!int N!0) N!1) (U!times V!x (O!differential-d V!x)))",
        ),
        ("[-1, 2)", "(O!interval(C-O) (O!minus N!1) N!2)"),
        (r"a,b\in A", "(O!in (M!L-2 V!a V!b) V!A)"),
        ("x=1, y=2", "(O!form-seq (U!eq V!x N!1) (U!eq V!y N!2))"),
        (r"f:X\to Y", "(F!: V!f (F!→ V!X V!Y))"),
        ("2\\frac{1}{3}", "(U!plus N!2 (O!divide N!1 N!3))"),
        ("|x|", "(F!abs V!x)"),
        (r"\sqrt[3]{x}", "(O!root V!x N!3)"),
        (r"{n \choose k}", "(O!binomial V!n V!k)"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(M!M-2x2 (M!R! N!1 N!2) (M!R! N!3 N!4))"),
        (r"\left\{ x \in X : x^2 = 1\right\}", None),
        ("a &lt; b", "(O!lt V!a V!b)"),
        (r"p\not\mid a", "(O!not-divides V!p V!a)"),
        (r"a\not\le b", "(O!not-leq V!a V!b)"),
        (r"a\not{=}b", "(U!neq V!a V!b)"),
        (r"\not\exists x", "(O!not-exists V!x)"),
        (r"a\not", "V!a"),
        (r"\begin{pmatrix}1&amp;2\end{pmatrix}", "(M!M-1x2 (M!R! N!1 N!2))"),
        ("x >", "(O!gt V!x W!)"),
        (r"\frac{a}{}", "(O!divide V!a W!)"),
        ("f&#39;", "(O!SUP V!f V!′)"),
        ("f&amp;#x27;", "(O!SUP V!f V!′)"),
        ("x &ne; &pi;&amp;lt;y", "(U!and (U!neq V!x V!π) (O!lt V!y))"),
        ("e\N{COMBINING ACUTE ACCENT}", "(F!´ V!e)"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "(F!´ V!e)"),
        ("a=\N{COMBINING LONG SOLIDUS OVERLAY}b", "(U!neq V!a V!b)"),
        ("\N{LATIN SMALL LIGATURE FI}", "(U!times V!f V!i)"),
        ("", "W!"),
    ],
)
def test_trees(source: str, tree: str | None) -> None:
    found = operator_tree(source)
    assert not found.list_errors()
    if tree is None:
        tree = "(O!conditional-set (O!in V!x V!X) (U!eq (O!SUP V!x N!2) N!1))"
    assert str(found) == tree


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        (r"\textrm{sinc}(x)", "(U!times V!sinc V!x)"),
        (r"\operatorname{sinc}(x)", "(U!times V!sinc V!x)"),
        (r"x\mbox{ if $y>2$}", "(U!times V!x (O!text V!if V!y N!2))"),
        (r"\text{Poincare" "\N{COMBINING ACUTE ACCENT}}", "V!Poincar\N{LATIN SMALL LETTER E WITH ACUTE}"),
        (
            r"\hbox{\N{LATIN SMALL LIGATURE FI}nite}".replace(r"\N{LATIN SMALL LIGATURE FI}", "\ufb01"),
            "V!finite",
        ),
        (r"\newcommand{\f}{sinc}\text{\f}", "V!sinc"),
        (r"\text{, }x\label{a}\tag{1}\phantom{y}", "(U!times W! V!x)"),
        (r"\mathbb{R}^n", "(O!SUP V!ℝ V!n)"),
        ("{\\cal F}ℝ\\mathbf{x}", "(U!times V!ℱ V!ℝ V!x)"),
    ],
)
def test_search_has_the_words_and_alphabets_that_published_trees_leave_out(source: str, tree: str) -> None:
    assert str(search_tree(source)) == tree
    assert operator_tree(source) == operator_tree(source, "arqmath")
    assert not any("sinc" in node.label for node in operator_tree(r"\text{sinc}x").walk_nodes())


@pytest.mark.parametrize(
    ("source", "arqmath", "correct"),
    [
        (
            r"x > 0 \land y > 0",
            "(U!and (O!gt V!x (U!and N!0 V!y)) (O!gt N!0))",
            "(U!and (O!gt V!x N!0) (O!gt V!y N!0))",
        ),
        (r"x \land y = z", "(U!eq (U!and V!x V!y) V!z)", "(U!eq (U!and V!x V!y) V!z)"),
        (r"\sin(x)^2", "(F!sin (O!SUP V!x N!2))", "(O!SUP (F!sin V!x) N!2)"),
        (
            r"\max(a, b)^2",
            "(F!max (O!SUP (O!interval(O-O) V!a V!b) N!2))",
            "(O!SUP (F!max V!a V!b) N!2)",
        ),
        (
            r"x = 1 \implies y < 2",
            "(U!and (U!eq V!x N!1) (O!implies V!y) (O!lt N!2))",
            "(O!implies (U!eq V!x N!1) (O!lt V!y N!2))",
        ),
        (
            r"p \implies a < b < c",
            "(U!and (O!implies V!p V!a) (O!lt V!b) (O!lt V!c))",
            "(O!implies V!p (U!and (O!lt V!a V!b) (O!lt V!b V!c)))",
        ),
        ("a<b<c", "(U!and (O!lt V!a V!b) (O!lt V!c))", "(U!and (O!lt V!a V!b) (O!lt V!b V!c))"),
        ("a-b-c", "(O!minus V!a V!b V!c)", "(O!minus (O!minus V!a V!b) V!c)"),
        ("(a-b)-c", "(O!minus (O!minus V!a V!b) V!c)", "(O!minus (O!minus V!a V!b) V!c)"),
        ("a-(b-c)", "(O!minus V!a (O!minus V!b V!c))", "(O!minus V!a (O!minus V!b V!c))"),
        ("a+b+c", "(U!plus V!a V!b V!c)", "(U!plus V!a V!b V!c)"),
    ],
)
def test_modes_differ_in_chains_and_differences(source: str, arqmath: str, correct: str) -> None:
    assert str(operator_tree(source)) == arqmath
    assert str(operator_tree(source, "correct")) == correct


def test_an_environment_that_is_not_closed_is_an_error() -> None:
    assert operator_tree(r"\begin{pmatrix}a&b").list_errors()
    assert not operator_tree(r"\begin{pmatrix}a&b\end{pmatrix}").list_errors()


@pytest.mark.parametrize(
    ("source", "tree", "place"),
    [
        (r"\frac{a}", "(O!divide V!a E!missing)", "}"),
        ("x^", "(O!SUP V!x E!missing)", "^"),
        (r"{a_}+\sqrt", "(U!plus (O!SUB V!a E!missing) (O!root E!missing N!2))", "_"),
        (r"\root{3", "(O!root E!missing (E! O!fragments N!3 V!{))", "3"),
        (r"\begin{matrix}\hat&b\end{matrix}", "(M!M-1x2 (M!R! (F!^ E!missing) V!b))", "\\hat"),
    ],
)
def test_an_operand_that_is_missing_is_an_error_with_its_place(source: str, tree: str, place: str) -> None:
    found = operator_tree(source)
    assert str(found) == tree
    start, end = found.list_errors()[0].span or (0, 0)
    assert source[start:end] == place


def test_both_sides_of_an_infix_fraction_have_their_places() -> None:
    source = r"{a+) \over (b}"
    assert [source[slice(*one.span)] for one in operator_tree(source).list_errors() if one.span] == [
        "a+)",
        "(b",
    ]


def test_what_cannot_be_parsed_is_an_error_with_its_place() -> None:
    found = operator_tree(r"\frac{a+)}{b}")
    (error,) = found.list_errors()
    assert found.label == "O!divide"
    assert str(found.children[1]) == "V!b"
    assert error.span is not None
    assert r"\frac{a+)}{b}"[slice(*error.span)] == "a+)"


_NESTED = [
    ("{", "}"),
    ("(", ")"),
    (r"\left(1+", r"\right)"),
    (r"\frac{1}{", "}"),
    (r"1+\frac{1}{", "}"),
    ("x^{", "}"),
    ("x_{", "}"),
    (r"\sqrt{", "}"),
    (r"\begin{matrix}", r"\end{matrix}"),
    (r"\frac{x^{\sqrt{(1+", ")}}}{2}"),
    ("√", ""),
    ("", "!"),
    ("", "-a+b"),
    ("", "=a,b"),
    ("", "^2'"),
    (r"\foo{", "}"),
]


@pytest.mark.parametrize(("opening", "closing"), _NESTED)
@pytest.mark.parametrize("depth", [DEEPEST, DEEPEST + 1, pytest.param(1_000, marks=pytest.mark.slow)])
def test_depth_is_an_error_with_a_place_and_no_crash(opening: str, closing: str, depth: int) -> None:
    source = opening * depth + "x" + closing * depth
    for tree in (operator_tree(source), operator_tree(source, "correct"), layout_tree(source)):
        document = json.loads(json.dumps({"rows": [tree.to_document()]}))["rows"][0]
        assert str(OperatorTree.from_document(document)) == str(tree)
        assert all(error.span for error in tree.list_errors() if not error.children)
        assert not tree.is_too_tall()
        assert len(node_spans(tree, source)) == len(list(tree.walk_nodes()))
    found = operator_tree(source)
    assert operator_tree(to_latex(found, source)).label
    if opening in ("{", "(", r"\frac{1}{", "x^{", "x_{", r"\sqrt{"):
        assert bool(found.list_errors()) == (depth > DEEPEST)


_OPENINGS = ["(", "{", r"\frac{", "x^{", r"\sqrt{", r"\begin{matrix}", r"\left("]


@pytest.mark.slow
@pytest.mark.parametrize("opening", _OPENINGS)
def test_twenty_thousand_levels_that_are_never_closed(opening: str) -> None:
    assert all(error.span or error.children for error in operator_tree(opening * 20_000 + "x").list_errors())
    assert layout_tree(opening * 20_000 + "x").label == "line"


@pytest.mark.parametrize(
    ("read", "opening", "inner", "closing"),
    [
        (read_content_mathml, "<apply><minus/>", "<ci>x</ci>", "</apply>"),
        (read_presentation_mathml, "<msup><mi>x</mi>", "<mi>y</mi>", "</msup>"),
        (read_presentation_mathml, "<msqrt>", "<mi>y</mi>", "</msqrt>"),
    ],
)
def test_depth_in_mathml_is_an_error_node(
    read: Callable[[str], OperatorTree], opening: str, inner: str, closing: str
) -> None:
    assert not read(f"<math>{opening * 180}{inner}{closing * 180}</math>").list_errors()
    for depth in (500, 1_500):
        tree = read(f"<math>{opening * depth}{inner}{closing * depth}</math>")
        assert [error.label for error in tree.list_errors()] == ["E!deep"]
        assert json.loads(json.dumps(tree.to_document()))["label"] == tree.label


def _edges(tree: OperatorTree) -> Counter[tuple[str, str]]:
    found = Counter((node.label, child.label) for node in tree.walk_nodes() for child in node.children)
    return found or Counter({("", tree.label): 1})


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "exact", "f1"), [(2021, 0.98, 0.98), (2020, 0.79, 0.86)])
def test_published_trees(real_data: Path, year: int, exact: float, f1: float) -> None:
    """2020 was made without amsmath and with unread HTML entities, which no parser should repeat."""
    with gzip.open(
        real_data / "arqmath" / f"topic_opt_trees_{year}.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        rows = [json.loads(line) for line in lines]
    same = clean = without = shared = ours = theirs = 0
    for row in rows:
        reference, found = OperatorTree.from_document(row["tree"]), operator_tree(row["latex"])
        same += str(reference.sort_operands()) == str(found.sort_operands())
        if not reference.list_errors():
            without += 1
            clean += not found.list_errors()
        wanted, made = _edges(reference), _edges(found)
        shared += (wanted & made).total()
        ours += made.total()
        theirs += wanted.total()
    assert same >= exact * len(rows)
    assert clean >= 0.99 * without
    assert 2 * shared >= f1 * (ours + theirs)


@pytest.mark.real_data
def _written(tree: OperatorTree) -> bool:
    """Whether LaTeX can say what a tree says: no errors, no text, no operand that a chain has lost."""
    labels = {node.label[:2] for node in tree.walk_nodes()}
    chains = [node for node in tree.walk_nodes() if node.label == "U!and"]
    lost = any(len(child.children) == 1 for chain in chains for child in chain.children)
    return not lost and not labels & {"E!", "T!", "W!", "-!"}


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "differ"), [(2020, 0), (2021, 1)])
def test_trees_written_as_latex_are_read_again(real_data: Path, year: int, differ: int) -> None:
    """The one that differs is `evaluated at`."""
    with gzip.open(
        real_data / "arqmath" / f"topic_opt_trees_{year}.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        trees = [OperatorTree.from_document(json.loads(line)["tree"]) for line in lines]
    kept = [tree for tree in trees if _written(tree)]
    assert len(kept) > 700
    again = [operator_tree(to_latex(tree)).sort_operands() for tree in kept]
    assert sum(str(one) != str(tree.sort_operands()) for one, tree in zip(again, kept, strict=True)) <= differ


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("(x^2)^3", "(x^{2})^{3}"),
        ("(x_1)_2", "(x_{1})_{2}"),
        ("x_1^2", "x_{1}^{2}"),
        (r"\sum^n_{k=1}k", r"\sum^{n}_{k = 1} k"),
        (r"\overline{a+b}", r"\overline{a + b}"),
        (r"a\not\le b", r"a \not\le b"),
    ],
)
def test_what_is_written_means_the_same(source: str, written: str) -> None:
    assert to_latex(operator_tree(source, "correct")) == written


@pytest.mark.parametrize("year", [2020, 2021])
def test_content_mathml_gives_the_published_trees(real_data: Path, year: int) -> None:
    folder = real_data / "arqmath"
    with gzip.open(folder / f"topic_opt_trees_{year}.jsonl.gz", "rt", encoding="utf-8") as lines:
        reference = {row["id"]: OperatorTree.from_document(row["tree"]) for row in map(json.loads, lines)}
    seen = 0
    with gzip.open(folder / f"topic_formulas_{year}_opt.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t"):
            if row[0] in reference:
                seen += 1
                assert str(read_content_mathml(row[4]).sort_operands()) == str(
                    reference[row[0]].sort_operands()
                )
    assert seen == len(reference)


@pytest.mark.parametrize(
    "xml", ["", "<math>", "x", "<math><ci>x</math>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;"]
)
def test_what_is_no_mathml(xml: str) -> None:
    with pytest.raises(DataError):
        read_content_mathml(xml)


_PARTS = [*symbol_roles(), *"abxyz0123456789{}^_'&|()[]", "12.5", r"\alpha", r"\unknown", " ", "…", "\u202e"]


@given(st.lists(st.sampled_from(_PARTS), max_size=40), st.sampled_from(["arqmath", "correct"]))
def test_any_sequence_of_symbols_is_read(parts: list[str], mode: ParserMode) -> None:
    found = operator_tree(" ".join(parts), mode)
    again = OperatorTree.from_document(json.loads(json.dumps(found.to_document())))
    assert str(again) == str(found)
    assert str(found.sort_operands().sort_operands()) == str(found.sort_operands())
    assert operator_tree(to_latex(found), mode).label


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert operator_tree(text).label


@pytest.mark.parametrize(
    "document", [{}, {"label": 1}, {"label": "V!x", "children": "y"}, {"label": "x", "children": [1]}]
)
def test_documents_that_are_no_trees(document: dict[str, object]) -> None:
    with pytest.raises(DataError):
        OperatorTree.from_document(document)


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (r"\frac{1}{2% ^{n}}+x", r"\frac{1}{2^{n}}+x"),
        ("a % one\n + b % two", "a + b"),
        (r"a\\[-2pt] b", r"a\\b"),
        (r"\begin{matrix}a\\[1.5em][0,1]\end{matrix}", r"\begin{matrix}a\\{}[0,1]\end{matrix}"),
        (r"\begin{matrix}a&\displaystyle amp;b\end{matrix}", r"\begin{matrix}a&b\end{matrix}"),
        (r"a&\displaystyle lt;b", "a<b"),
        (r"\begin{array}[t]{cc}a&b\end{array}", r"\begin{matrix}a&b\end{matrix}"),
    ],
)
def test_what_stands_for_nothing_is_passed_over(source: str, same: str) -> None:
    assert str(operator_tree(source)) == str(operator_tree(same))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        (
            "P(A|B)=P(B|A)",
            "(U!eq (U!times V!P (O!conditional V!A V!B)) (U!times V!P (O!conditional V!B V!A)))",
        ),
        (r"f(x|y)+|z|", "(U!plus (U!times V!f (O!conditional V!x V!y)) (F!abs V!z))"),
        ("|f||g|", "(U!times (F!abs V!f) (F!abs V!g))"),
        ("|f(x)||g|+||h||", "(U!plus (U!times (F!abs (U!times V!f V!x)) (F!abs V!g)) (O!norm V!h))"),
        (r"B \mathbin{\in'}", "(U!times V!B (O!SUP O!in V!′))"),
        (r"a=b+c\pmod n", "(U!eq V!a (O!annotated (U!plus V!b V!c) (F!pmod V!n)))"),
        (r"a\pmod n\ \forall a", "(M!L-2 (O!annotated V!a (F!pmod V!n)) (O!forall V!a))"),
    ],
)
def test_bars_and_annotations(source: str, tree: str) -> None:
    assert str(operator_tree(source)) == tree


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("x²+y³", "x^2+y^3"),
        ("aₙ₊₁x⁻¹", "a_{n+1}x^{-1}"),
        ("½x^⅓", r"\frac{1}{2}x^{\frac{1}{3}}"),
        ("√12+√(x+1)", r"\sqrt{12}+\sqrt{x+1}"),
        ("∛x", r"\sqrt[3]{x}"),
        ("f′(x)=g″", "f'(x)=g''"),
        ("3·2×4÷x", r"3\cdot 2\times 4\div x"),
        ("∫₀^∞ f", r"\int_{0}^\infty f"),
        ("∑ᵢ ∏ xᵢ", r"\sum_{i} \prod x_i"),
        ("α≤β≥γ≠δ", r"\alpha\leq\beta\geq\gamma\neq\delta"),
        ("x∈A∩B∪C⊂D", r"x\in A\cap B\cup C\subset D"),
        ("a→b", r"a\to b"),
        ("90°", r"90^\circ"),
        ("x̂+2\u200b＋３", r"\hat{x}+2+3"),
    ],
)
@pytest.mark.parametrize("mode", ["arqmath", "correct"])
def test_characters_are_the_latex_that_they_stand_for(source: str, same: str, mode: ParserMode) -> None:
    assert str(operator_tree(source, mode)) == str(operator_tree(same, mode))


def test_a_dash_is_a_sign_but_in_the_published_trees() -> None:
    assert str(operator_tree("y − 8", "correct")) == "(O!minus V!y N!8)"
    assert str(operator_tree("y − 8")) == "(U!times V!y V!− N!8)"


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (r"\newcommand{\R}{\mathbb R} x\in\R", r"x\in\mathbb R"),
        (r"\def\f#1#2{\frac{#1}{#2}}\f ab+\f{1}{x}", r"\frac ab+\frac{1}{x}"),
        (r"\newcommand{\n}[2][1]{#1+#2}\n{3}=\n[4]{5}", "1+3=4+5"),
        (r"\let\a=\alpha \a^2", r"\alpha^2"),
        (r"\DeclareMathOperator{\rk}{rank}\rk A", r"\operatorname{rank}A"),
        (r"\textcolor{red}{x}+\color[rgb]{0,0,1}{y}", "x+y"),
        (r"\boxed{x}+\cancel{y}+\bbox[2px]{z}", "x+y+z"),
        (r"\require{cancel}x\hskip 5pt\kern-1.5mu y\rule{1em}{2pt}", "xy"),
        (r"\large x\par+\displaystyle[0,1]", "x+[0,1]"),
        (r"\matrix{a&b\cr c&d}", r"\begin{matrix}a&b\\c&d\end{matrix}"),
        (r"\cases{a&b\cr c&d}", r"\begin{cases}a&b\\c&d\end{cases}"),
        (r"\abs{x}\norm{y}", r"|x|\left\|y\right\|"),
        (r"\left(a\middle|b\right)", "(a|b)"),
        (r"\genfrac(){0pt}{}{n}{k}", r"\binom{n}{k}"),
    ],
)
def test_definitions_and_what_changes_only_the_looks(source: str, same: str) -> None:
    assert str(operator_tree(source)) == str(operator_tree(same))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        (r"A\xrightarrow[b]{f}B", "(+!O!SUB (O!SUP (O!SUB V!→ V!b) V!f) V!A V!B)"),
        (r"a\overset{d}{=}b", "(+!U!eq (O!SUP U!eq V!d) V!a V!b)"),
        (r"a\mathbin{\square}b", "(F!□ V!a V!b)"),
        (r"a\mathrel{R}b", "(F!R V!a V!b)"),
        (r"\ket{x}{y}+\lam", r"(U!plus (F!\ket V!x V!y) V!\lam)"),
    ],
)
def test_commands_that_make_operators(source: str, tree: str) -> None:
    assert str(operator_tree(source)) == tree


@pytest.mark.parametrize(
    "source",
    [r"\def\a{\a\a}x+\a", r"\newcommand x y", r"\def\a#1.{b}\a 1.", r"\let", r"\newcommand{\a}[1]{#1}\a"],
)
def test_definitions_that_cannot_be_followed_are_errors(source: str) -> None:
    (error,) = [one for one in operator_tree(source).list_errors() if one.span]
    assert error.span == (0, len(source))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        (
            r"a = b \land c = d \lor e = f \implies g = h",
            "(O!implies (U!or (U!and (U!eq V!a V!b) (U!eq V!c V!d)) (U!eq V!e V!f)) (U!eq V!g V!h))",
        ),
        (
            r"\{x \mid x > 0 \land x < 1\}",
            "(O!conditional-set V!x (U!and (O!gt V!x N!0) (O!lt V!x N!1)))",
        ),
        (r"p \land q \iff q \land p", "(U!iff (U!and V!p V!q) (U!and V!q V!p))"),
    ],
)
def test_connectives_bind_less_than_the_relations_on_all_their_sides(source: str, tree: str) -> None:
    assert str(operator_tree(source, "correct")) == tree


@pytest.mark.parametrize("source", ["$x^2$", "$$x^2$$", r"\(x^2\)", r"\[ x^2 \]", "x^2"])
def test_what_a_formula_stands_between_is_no_part_of_it(source: str) -> None:
    assert str(operator_tree(source)) == "(O!SUP V!x N!2)"


def test_a_definition_with_too_few_arguments_is_an_error_node() -> None:
    found = operator_tree(r"\newcommand{\f}[1]{#2+#1}\f{x}")
    assert any(node.label == "E!" for node in found.walk_nodes())


@pytest.mark.parametrize(
    "brackets", ["()", "[]", (r"\{", r"\}"), (r"\left(", r"\right)"), (r"\langle ", r"\rangle ")]
)
def test_errors_begin_beyond_300_levels(brackets: tuple[str, str]) -> None:
    opening, closing = brackets
    trees = {n: operator_tree(opening * n + "x" + closing * n) for n in (300, 301)}
    errors = {n: sum(node.label.startswith("E!") for node in tree.walk_nodes()) for n, tree in trees.items()}
    assert errors[300] == 0
    assert errors[301] > 0
