"""Letters that a solution gives values one after the other: `3x = 9, hence x = 3, and then y = 1`."""

from __future__ import annotations

from itertools import pairwise

from engines.grading.final_statements import list_stated_equations
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import is_calculation, read_form

_LONGEST = 400
"""Characters of a text that is no long solution."""


def spell_assigned(text: str, question: QuestionText) -> str:
    """Return the values that a short text gives to several letters, in their order; "" where it gives one
    letter two values, or less than two letters one.

    >>> spell_assigned("Adding gives 3x = 9, hence x = 3, and then y = 1.", QuestionText(""))
    'x = 3, y = 1'
    """
    if text.count("=") < 2 or len(text) > _LONGEST:
        return ""
    values: dict[str, str] = {}
    for left, right in list_stated_equations(text, question):
        if len(left) > 1 or not left.isalpha():
            continue
        form = read_form(right)
        if not isinstance(form, Term) or not is_calculation(form) or values.setdefault(left, right) != right:
            return ""
    names = sorted(values)
    # The coordinates of a point are letters in a row: x and z are none.
    is_row = all(ord(after) - ord(before) == 1 for before, after in pairwise(names))
    return ", ".join(f"{name} = {values[name]}" for name in names) if len(names) > 1 and is_row else ""
