"""Remarks on where a value holds: `valid for x < 1` behind `1/(1 - x)` only says where that is defined."""

from __future__ import annotations

from engines.core.tree import ZERO, Tree
from engines.formula.statement_view import Statement
from engines.grading.forms import Form, Named
from engines.grading.linear_terms import list_conjuncts
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import form_of, is_constant
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import TURNED, free_variables, replace_variable

_TRANSFORM_LETTERS = ("s", "p")
"""Variables of transforms, which hold to the right of all poles."""


def drop_natural(judge: Judge, answer: Form, beside: Form) -> Form:
    """Return `f(x) = 1/(x - 2), x ≠ 2` without the numbers that are excluded since its value is not defined
    there, beside a reference that excludes none; other answers as they are."""
    if not isinstance(answer, Statement) or isinstance(beside, Statement) or answer.tree.label != "and":
        return answer
    first, *others = (one for part in answer.tree.children for one in list_conjuncts(part))
    if first.label != "=" or any(one.label != "!=" for one in others):
        return answer
    value = form_of(first)
    return value if all(_is_undefined_at(judge, value, one) for one in others) else answer


def _is_undefined_at(judge: Judge, value: Form, condition: Tree) -> bool:
    """Return whether a value is not defined where a relation of a name and a number has its bound."""
    term = value.value if isinstance(value, Named) else value
    name, bound = condition.children
    if not isinstance(term, Term) or term.tree is None or name.children or not is_constant(bound):
        return False
    if name.label not in free_variables(term.tree):
        return False
    at_bound = Tree("*", (ZERO, replace_variable(term.tree, name.label, bound)))
    return judge.equal(at_bound, ZERO).outcome == "undecided"


def restricts_naturally(judge: Judge, value: Form, condition: Tree, question: QuestionText) -> bool:
    """Return whether a condition such as `x < 1` ends where a value stops being defined, on the side that the
    question speaks of; then it says no less than the value alone."""
    term = value.value if isinstance(value, Named) else value
    if not isinstance(term, Term) or term.tree is None or condition.label not in ("<", ">"):
        return False
    label, (name, bound) = condition.label, condition.children
    if name.children or not free_variables(name):
        label, name, bound = TURNED[label], bound, name
    if not _is_undefined_at(judge, value, Tree(label, (name, bound))):
        return False
    points = question.list_arguments()
    if points:
        return all(judge.holds(Tree(label, (point, bound))).outcome == "equal" for point in points)
    return label == ">" and name.label in _TRANSFORM_LETTERS
