"""One text is one tree, whichever entrance reads it: the expected trees follow mathematical convention."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from engines.core.errors import EngineError, ExpressionError
from engines.core.tree import Tree, parse_prefix

TABLE = Path(__file__).with_name("agreement.tsv")
HOME = {
    "plain": ("generate", "verify", "grade", "proofread", "search"),
    "latex": ("generate", "verify", "grade", "proofread", "search"),
    "prefix": ("generate", "verify"),
    "equation": ("problems",),
    "mathml": ("index",),
}
"""The entrances through which texts of a dialect come."""


class Row(NamedTuple):
    """A text with the tree that it stands for, in prefix order, or `refuse`; and the entrances that refuse it
    because they take less, as an expression over the reals has no relation, unit or imaginary number."""

    dialect: str
    text: str
    expected: str
    refusing: frozenset[str]


@cache
def rows() -> list[Row]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [
        Row(*three, frozenset(refusing[0].split() if refusing else ()))
        for *three, refusing in map(_four, cells)
    ]


def _four(cells: list[str]) -> tuple[str, str, str, list[str]]:
    dialect, text, expected, *refusing = cells
    return dialect, text, expected, refusing


# The entrances: what each of them reads of a text; None for a refusal.


def generate(text: str, dialect: str) -> Tree | None:
    from engines.egen.theories.real_functions import Reals

    notation = "prefix" if dialect == "prefix" else "auto"
    try:
        return Reals(variables=("x", "y")).read_term(text, notation)
    except ExpressionError:
        return None


def verify(text: str, dialect: str) -> Tree | None:
    from engines.core.expression_language import LETTERS
    from engines.formula.reader import read_expression as read

    try:
        return read(text, "prefix" if dialect == "prefix" else "auto", LETTERS)
    except ExpressionError:
        return None


def grade(text: str, _dialect: str) -> Tree | None:
    from engines.formula.statement_view import Statement, read_statement
    from engines.grading.forms import Form, Many
    from engines.grading.numbers import Term
    from engines.grading.reading import read_form
    from engines.grading.trees import tree_of_term

    def tree_of(answer: Form) -> Tree | None:
        if isinstance(answer, Term) and answer.unit is None:
            tree = tree_of_term(answer)
            return tree if isinstance(tree, Tree) else None
        if isinstance(answer, Many):
            items = [tree_of(item) for item in answer.items]
            return Tree(answer.kind, tuple(filter(None, items))) if all(items) else None
        return None

    said = read_statement(text, is_answer=True)
    if isinstance(said, Statement) and not {"pm", "…"}.isdisjoint(said.tree.list_labels()):
        return said.tree  # the form has both values, and what dots leave out
    return tree_of(read_form(text))


def proofread(text: str, _dialect: str) -> Tree | None:
    from engines.documents.reading import Document, split_pieces
    from engines.formula.document_names import names_of
    from engines.formula.reader import read
    from engines.proofreading.chains import iterate_chains

    related = re.search(r"[=<]|\\le\b", re.sub(r"\{[^{}]*\}", "", text)) is not None
    formula = text if related else f"q = {text}"
    document = Document("text", tuple(split_pieces(f"${formula}$", lambda *_: None)))
    links = [link for chain in iterate_chains(document) for link in chain]
    if len(links) != 1:
        return None
    left, right = (read(side, names=names_of([formula])).tree for side in (links[0].left, links[0].right))
    if left is None or right is None:
        return None
    if related:
        return Tree(links[0].relation, (left, right))
    # a list is several statements in a document
    return right if links[0].right.split() == text.split() else None


def search(text: str, _dialect: str) -> Tree | None:
    from engines.formula.reader import read
    from engines.mathamr.retrieval.formula_query import read_query

    try:
        query = read_query(text)
    except EngineError:
        return None
    return read(query.formulas[0].formula.latex, "latex").tree if len(query.formulas) == 1 else None


def problems(text: str, _dialect: str) -> Tree | None:
    from engines.mwp.problems.numbers import value_of
    from engines.mwp.problems.problem import constant_label, read_equation

    try:
        return read_equation(text, lambda number: Tree(constant_label(value_of(number))))
    except ExpressionError:
        return None


def index(text: str, _dialect: str) -> Tree | None:
    from engines.formula.reader import read

    return read(text).tree


ENTRANCES: dict[str, Callable[[str, str], Tree | None]] = {
    function.__name__: function for function in (generate, verify, grade, proofread, search, problems, index)
}


# Trees of numbers alone are compared by value: grading works numbers out when it reads them.


def _number(value: Fraction) -> Tree:
    return (
        Tree(str(value))
        if value.denominator == 1
        else Tree("/", tuple(Tree(str(n)) for n in value.as_integer_ratio()))
    )


def value_of_numbers(tree: Tree) -> Fraction | None:
    if not tree.children:
        try:
            return Fraction(tree.label)
        except ValueError:
            return None
    values = [value_of_numbers(child) for child in tree.children]
    if len(values) != 2 or None in values:
        return None
    left, right = values
    assert left is not None
    assert right is not None
    match tree.label:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "pow":
            return Fraction(left ** int(right)) if right.denominator == 1 else None
        case _:
            return None


def same(expected: str, tree: Tree) -> bool:
    if " ".join(tree.list_labels()) == expected:
        return True
    value = value_of_numbers(tree)
    return value is not None and value == value_of_numbers(_tree(expected))


def _tree(expected: str) -> Tree:
    binary = ("+", "-", "*", "/", "pow", "=", "<=")
    return parse_prefix(expected.split(), lambda label: 2 if label in binary else 0)


def entrances() -> Iterator[tuple[str, Row]]:
    for row in rows():
        for name in HOME[row.dialect]:
            yield name, row


def test_the_table_is_large_and_mostly_of_trees() -> None:
    texts = {(row.dialect, row.text) for row in rows()}
    assert len(texts) == len(rows()) >= 300
    assert sum(row.expected != "refuse" for row in rows()) >= 0.8 * len(rows())
    for name in ("generate", "verify", "grade", "proofread", "search"):
        required = [row for entrance, row in entrances() if entrance == name and row.expected != "refuse"]
        assert sum(name not in row.refusing for row in required) >= 0.8 * len(required)


@pytest.mark.parametrize("name", ENTRANCES)
def test_every_entrance_reads_the_tree_of_the_table(name: str) -> None:
    wrong = []
    for entrance, row in entrances():
        if entrance != name:
            continue
        tree = ENTRANCES[name](row.text, row.dialect)
        if row.expected == "refuse" or name in row.refusing:
            right = tree is None
        else:
            right = tree is not None and same(row.expected, tree)
        if not right:
            shown = "refused" if tree is None else " ".join(tree.list_labels())
            wrong.append(f"{row.dialect} {row.text!r}: {shown}, and not {row.expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2^3^2", "2^{3^{2}}"),
        ("e^-x^2", "e^{-x^{2}}"),
        ("x^(n+1)^2", "x^{(n+1)^{2}}"),
        ("2^n!", "2^{n!}"),
        ("sqrt(x)^2", r"\sqrt{x}^{2}"),
        ("sin(x)^2", r"\sin^{2}(x)"),
        ("sin alpha", r"\sin\alpha"),
    ],
)
def test_a_query_is_searched_as_its_latex(text: str, same_as: str) -> None:
    from engines.formula.operator_tree_parser import ParsedFormula, search_tree
    from engines.mathamr.retrieval.formula_query import read_query

    assert read_query(text).formulas[0].tree == search_tree(ParsedFormula(same_as))


@pytest.mark.parametrize("part", ["(", "sqrt("])
def test_a_query_that_is_nested_too_deeply_is_searched_as_it_is(part: str) -> None:
    from engines.mathamr.retrieval.formula_query import read_query

    typed = part * 300 + "sin(x)" + ")" * 300
    assert read_query(typed).formulas[0].formula.latex == typed


def test_the_variable_d_is_written_as_it_is_read() -> None:
    from engines.core.expression_language import LETTERS
    from engines.formula.reader import read_expression
    from engines.mathematics.assumptions import read_assumptions
    from engines.mathematics.terms.notation import to_infix, to_latex

    tree = read_expression("(a*d - d^2)/(2*d)", letters=LETTERS)
    assert "_" not in to_infix(tree) + to_latex(tree)
    assert (
        read_expression(to_infix(tree), letters=LETTERS)
        == tree
        == read_expression(to_latex(tree), letters=LETTERS)
    )
    known = read_assumptions("d integer, d > 0")
    assert read_assumptions(str(known)) == known


def test_equations_in_a_file_of_problems_are_read_alike(tmp_path: Path) -> None:
    from engines.mwp.problems.problem import evaluate
    from engines.mwp.problems.readers import read_problems

    path = tmp_path / "problems.jsonl"
    equations = {"x=2^3^2": 512, "d=2*3": 6, "x=2^(3^2)": 512, "x=(2^3)^2": 64}
    rows = [
        {"id": str(number), "text": "Tom has 2 bags of 3 pens. How many?", "equation": equation}
        for number, equation in enumerate(equations)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    trees = [(problem.equation, problem.values) for problem in read_problems(path).rows]
    assert [evaluate(tree, values) for tree, values in trees if tree is not None] == list(equations.values())


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("512", "2^3^2"),
        ("e^{-x^2}", "e^-x^2"),
        ("0", "cos pi/2"),
        ("0", r"\cos \pi/2"),
        ("x/d", r"\frac{x}{d}"),
    ],
)
def test_answers_are_graded_as_they_are_read(gold: str, answer: str) -> None:
    from engines.grading.grades import grade

    assert grade(gold, answer).verdict == "equal"
