"""Remarks on where a value holds: `valid for x < 1` behind `1/(1 - x)` only says where that is defined."""

from __future__ import annotations

from engines.core.tree import ZERO, Tree
from engines.grading.forms import Form, Named
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import is_constant
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import TURNED, free_variables, replace_variable

_TRANSFORM_LETTERS = ("s", "p")
"""Variables of transforms, which hold to the right of all poles."""


def restricts_naturally(judge: Judge, value: Form, condition: Tree, question: QuestionText) -> bool:
    """Return whether a condition such as `x < 1` ends where a value stops being defined, on the side that the
    question speaks of; then it says no less than the value alone."""
    term = value.value if isinstance(value, Named) else value
    if not isinstance(term, Term) or term.tree is None or condition.label not in ("<", ">"):
        return False
    label, (name, bound) = condition.label, condition.children
    if name.children or not free_variables(name):
        label, name, bound = TURNED[label], bound, name
    if name.children or not is_constant(bound) or name.label not in free_variables(term.tree):
        return False
    at_bound = Tree("*", (ZERO, replace_variable(term.tree, name.label, bound)))
    if judge.equal(at_bound, ZERO).outcome != "undecided":
        return False
    points = question.list_arguments()
    if points:
        return all(judge.holds(Tree(label, (point, bound))).outcome == "equal" for point in points)
    return label == ">" and name.label in _TRANSFORM_LETTERS
