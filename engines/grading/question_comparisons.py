r"""Answers beside what their question says: letters with values there, equations whose letters are given.

`m = 1.5, b = 5/6` is the line `y = 1.5x + 5/6` where the question asks for a line `y = mx + b`, and `(1/3)u`
is a vector where it has `u = (1, 2, 2)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.formula.statement_view import read_statement
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.asked_vectors import compare_asked_vectors
from engines.grading.bases import compare_bases
from engines.grading.boolean_algebra import compare_boolean
from engines.grading.chemical_equations import compare_reactions
from engines.grading.compare import AnswerComparison
from engines.grading.families import replace_leaf
from engines.grading.forms import Form, Many, Matrix, Named
from engines.grading.forms_beside_others import put_diagonal
from engines.grading.jordan_forms import compare_jordan_forms
from engines.grading.linear_terms import Linear, add_terms, read_terms
from engines.grading.matrix_products import is_similar
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import form_of, is_constant, read_form
from engines.grading.residues import compare_residues
from engines.grading.tokens import tokenize
from engines.grading.traversed_ellipses import compare_ellipses
from engines.grading.trees import statement_of_form
from engines.grading.verdicts import GradeVerdict

_PLACEHOLDERS = ("α", "β", "γ", "δ")
_MOST_DEFINED = 6


def compare_by_question(
    gold: str, pred: str, question: QuestionText, comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare two answers with what the question says of their letters and numbers; None where that tells
    nothing."""
    mine, theirs = read_form(gold), read_form(pred)
    if (similar := _compare_diagonal_forms(mine, theirs)) is not None:
        return similar
    if not question.text:
        return None
    if (modulus := question.find_modulus()) and (
        residues := compare_residues(gold, pred, modulus)
    ) is not None:
        return residues
    if _asks_for_basis(question.text) and (bases := compare_bases(gold, pred, comparison)) is not None:
        return bases
    for compare in (compare_reactions, compare_boolean, compare_jordan_forms):
        if (compared := compare(gold, pred, question.text)) is not None:
            return compared
    if (ellipses := compare_ellipses(mine, theirs, question.text)) is not None:
        return ellipses
    if (vectors := compare_asked_vectors(mine, theirs, question.text)) is not None:
        return vectors
    formulas = [read_form(text) for text in question.list_formulas()]
    if (put := _compare_put(mine, theirs, formulas, comparison)) is not None:
        return put
    for one, other in ((mine, theirs), (theirs, mine)):
        for formula in _put_values(one, formulas):
            sides = (form_of(formula), other) if one is mine else (other, form_of(formula))
            # Of a number other values may be a sum too.
            is_term = isinstance(other, Term) and other.tree is not None and not is_constant(other.tree)
            if is_term and comparison.compare(*sides).outcome == "equal":
                return GradeVerdict("equal", reason="the values are put into the formula of the question")
    stated = read_statement(gold, is_answer=True)
    if isinstance(stated, str) or stated.tree.label != "=":
        return None
    for equation in _put_values(theirs, formulas):
        if equation.label != "=":
            continue
        compared = comparison.compare(mine, form_of(equation))
        if compared.outcome == "equal":
            return GradeVerdict("equal", reason="the values are put into the equation of the question")
        if (combined := _compare_combinations(stated.tree, equation, question)) is not None:
            return combined
    return None


def _asks_for_basis(problem: str) -> bool:
    """Return whether any basis of a space is asked for, and not one with another property or coordinates."""
    tokens = tokenize(problem)
    return _ANY_BASIS.find(tokens) is not None and _SPECIAL_BASES.find(tokens) is None


_ANY_BASIS = make_phrases(
    "a basis of, a basis for, bases for, eine Basis, une base de, una base de, una base del, una base di",
    "uma base de, uma base do, базис, 一组基, 一个基, 基底",
)
_SPECIAL_BASES = make_phrases(
    "orthonormal, orthogonal, coordinates, dual, Orthonormalbasis, Orthogonalbasis, orthonormale",
    "orthogonale, ortonormal, ortogonal, ortonormale, ortogonale, coordonnées, coordenadas, coordinate",
    "ортонормированный, ортогональный, координаты, 正交, 正規直交, 標準正交, 标准正交, 座標, 坐标",
)


def _compare_put(
    gold: Form, pred: Form, formulas: Sequence[Form], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare two answers with the values that the question gives to letters of one of them."""
    values = {name: value for form in formulas for name, value in _list_values(form)}
    trees = [statement_of_form(form) for form in (gold, pred)]
    if not values or isinstance(trees[0], str) or isinstance(trees[1], str):
        return None
    sides = [tree for tree in trees if isinstance(tree, Tree)]
    used = [{*side.list_labels()} & values.keys() for side in sides]
    if used[0] == used[1] or len(values) > _MOST_DEFINED:
        return None
    for name in used[0] ^ used[1]:
        sides = [replace_leaf(side, Tree(name), values[name]) for side in sides]
    compared = comparison.compare(form_of(sides[0]), form_of(sides[1]))
    return compared if compared.outcome == "equal" else None


def _list_values(form: Form) -> Iterator[tuple[str, Tree]]:
    """Return the letters that a formula of a question gives a value, with these."""
    items = form.items if isinstance(form, Many) and form.kind == "list" else (form,)
    for item in items:
        if not isinstance(item, Named) or item.subject.children or len(item.name) > _LONGEST_LETTER:
            continue
        value = statement_of_form(item.value)
        if isinstance(value, Tree) and is_constant(value):
            yield item.name, value


_LONGEST_LETTER = 3


def _put_values(form: Form, formulas: Sequence[Form]) -> Iterator[Tree]:
    """Return the equations of a question with the values that an answer gives to letters of them."""
    items = form.items if isinstance(form, Many) and form.kind == "list" else (form,)
    values: dict[str, Tree] = {}
    for item in items:
        if not isinstance(item, Named) or item.subject.children or item.name in values:
            return
        value = statement_of_form(item.value)
        if isinstance(value, str) or not is_constant(value):
            return
        values[item.name] = value
    for formula in formulas:
        equation = statement_of_form(formula)
        if (
            isinstance(equation, str)
            or equation.label in ("tuple", "list")
            or not values.keys() <= {*equation.list_labels()}
        ):
            continue
        for name, value in values.items():
            equation = replace_leaf(equation, Tree(name), value)
        yield equation


def _compare_combinations(tree: Tree, equation: Tree, question: QuestionText) -> GradeVerdict | None:
    """Compare two ways to write a number as a combination of numbers of the question, as 18 = 4·252 − 5·198;
    any integers are right with which it holds."""
    numbers = dict(zip(question.list_large_numbers(), _PLACEHOLDERS, strict=False))
    if len(numbers) != 2:
        return None
    rows = [_read_combination(one, numbers) for one in (tree, equation)]
    if rows[0] is None or rows[1] is None:
        return None
    if not all(value.denominator == 1 for row in rows if row for value in row.values()):
        return None
    sums = [
        sum((row[letter] * Fraction(number) for number, letter in numbers.items()), Fraction(0))
        for row in rows
        if row is not None
    ]
    constants = [-row.get("", Fraction(0)) for row in rows if row is not None]
    signs = [1 if one >= 0 else -1 for one in constants]
    if sums != constants or constants[0] * signs[0] != constants[1] * signs[1]:
        return None
    return GradeVerdict("equal", reason="both are combinations of the numbers of the question")


def _read_combination(equation: Tree, numbers: dict[str, str]) -> Linear | None:
    for number, letter in numbers.items():
        equation = replace_leaf(equation, Tree(number), Tree(letter))
    sides = [read_terms(side, tuple(numbers.values())) for side in equation.children]
    if sides[0] is None or sides[1] is None:
        return None
    row = add_terms(sides[0], sides[1], Fraction(-1))
    return row if all(row.get(letter) for letter in numbers.values()) else None


def _compare_diagonal_forms(gold: Form, pred: Form) -> GradeVerdict | None:
    """Compare two pairs of matrices P and D with `A = PDP⁻¹`: the eigenvalues may stand in any order, and
    eigenvectors have any length."""
    sides = [_read_matrices(form) for form in (gold, pred)]
    if any(side.keys() != {*_DIAGONAL_FORM} for side in sides):
        return None
    if not is_similar(*(side[name] for side in sides for name in _DIAGONAL_FORM)):
        return None
    return GradeVerdict("equal", reason="both give the same matrix")


_DIAGONAL_FORM = ("P", "D")


def _read_matrices(form: Form) -> dict[str, tuple[tuple[Fraction, ...], ...]]:
    """Return the matrices of numbers that an answer names."""
    items = form.items if isinstance(form, Many) else ()
    matrices = {item.name: _read_rows(item.value) for item in items if isinstance(item, Named)}
    return {name: rows for name, rows in matrices.items() if rows is not None}


def _read_rows(form: Form) -> tuple[tuple[Fraction, ...], ...] | None:
    form = (put_diagonal(form) or form) if isinstance(form, Term) else form
    if isinstance(form, Matrix):
        rows = [[cell.value if isinstance(cell, Term) else None for cell in row] for row in form.rows]
        if any(cell is None for row in rows for cell in row):
            return None
        return tuple(tuple(cell for cell in row if cell is not None) for row in rows)
    return None
