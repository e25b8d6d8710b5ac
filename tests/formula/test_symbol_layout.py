"""Symbol layout trees: LaTeX and LaTeXML's Presentation MathML agree; nothing makes the LaTeX reader fail."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formula.symbol_layout import layout_string, layout_tree, read_presentation_mathml
from tests.conftest import expect_error


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\binom{n}{k}", '<mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>'),
        (r"1\pmod{8}", "<mn>1</mn><mo>(</mo><mi>mod</mi><mn>8</mn><mo>)</mo>"),
        (r"\abs{x}\\[2pt]", "<mo>|</mo><mi>x</mi><mo>|</mo>"),
        (r"\xrightarrow{f}", "<mover><mo>→</mo><mi>f</mi></mover>"),
        (r"\bar{x}", "<mover><mi>x</mi><mo>¯</mo></mover>"),
        (r"a\neq b", "<mi>a</mi><mo>≠</mo><mi>b</mi>"),
        (
            r"\sum_{k=0}^n k",
            "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>k</mi>",
        ),
        (
            r"\begin{pmatrix}1&0\end{pmatrix}",
            "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable><mo>)</mo>",
        ),
    ],
)
def test_both_sources_give_one_tree(latex: str, mathml: str) -> None:
    assert str(layout_tree(latex)) == str(read_presentation_mathml(f"<math>{mathml}</math>"))


def test_the_string_says_where_lines_hang() -> None:
    assert layout_string(layout_tree(r"\frac{1}{x_2}")) == "frac over 1 under x below 2"


def test_what_is_no_xml_is_refused() -> None:
    with expect_error("E317"):
        read_presentation_mathml("<math><mi>x</math>")


@given(st.text(alphabet=r"\{}[]()^_&'|x1+= frac sqrt begin end matrix left right", max_size=60))
def test_any_latex_has_a_tree(latex: str) -> None:
    assert layout_tree(latex).label == "line"


def test_deep_groups_are_an_error_node() -> None:
    tree = layout_tree("{" * 5_000 + "x" + "}" * 5_000)
    assert any(node.label == "E!deep" for node in tree.walk_nodes())


@pytest.mark.real_data
def test_published_presentation_mathml(real_data: Path) -> None:
    """Of the topics of 2021; what remains are words that LaTeXML did not know."""
    csv.field_size_limit(2**24)

    def rows(name: str) -> dict[str, str]:
        with gzip.open(
            real_data / "arqmath" / f"topic_formulas_2021_{name}.tsv.gz", "rt", newline=""
        ) as file:
            return {row[0]: row[-1] for row in list(csv.reader(file, delimiter="\t"))[1:]}

    latex, mathml = rows("latex"), rows("slt")
    same = sum(str(layout_tree(latex[id_])) == str(read_presentation_mathml(mathml[id_])) for id_ in mathml)
    assert same / len(mathml) >= 0.98
