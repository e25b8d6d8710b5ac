"""Calculations of an answer that do not hold: `12"
", because 3·5 = 12` gives a false reason for a right answer."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from string import ascii_letters

from engines.core.tree import Tree
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.final_statements import list_stated_equations
from engines.grading.forms import Form
from engines.grading.locales import list_figures
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import form_of, is_calculation, read_form
from engines.grading.restatements import split_restated
from engines.grading.tokens import is_blank, text_at, tokenize

_LONGEST = 500
"""Characters of a text that is no solution."""
_OPERATORS = frozenset("+-−–*·×÷/") | {"\\cdot", "\\times", "\\div", "\\frac", "\\dfrac", "\\tfrac"}
_QUOTIENTS = frozenset(("÷", "/", "\\div"))
_OUT_OF = make_phrases("out of, von, aus, sur, de cada, su, из")
"""Words between two numbers of a share."""
_OTHER_ARITHMETIC = frozenset(
    ("%", "\\%", "_", "₂", "₈", "\\bar", "\\overline", "∞", "\\infty", "log", "mod")
)
"""Signs of numbers that may be other ones than they seem: percentages of what, digits in which base."""


_NO_VARIABLES = "eidxXCPA"
"""Letters that can be constants, signs of products and derivatives, or names of numbers of choices."""


def find_false_calculation(problem: str, pred: str, comparison: AnswerComparison) -> str:
    """Return an equation of numbers that a short answer states and that is wrong, as `3·5 = 12`; "" for none.

    Args: problem: the question, whose numbers may be residues. pred: the answer.
    """
    tokens = tokenize(pred) if len(pred) <= _LONGEST else ()
    if not any(token.text in _OPERATORS for token in tokens) and not _OUT_OF.may_occur(tokens):
        return ""
    if any(QuestionText(text).speaks_of_residues() for text in (problem, pred)):
        return ""
    return next(
        (
            f"{left} = {right}"
            for left, right in list_stated_equations(pred, QuestionText(problem))
            if _is_wrong(left, right, comparison)
        ),
        _find_false_share(pred),
    )


def _find_false_share(text: str) -> str:
    """Return a share in words that is restated as another number; "" for none.

    >>> _find_false_share("4 chances sur 10, soit 25 %"), _find_false_share("4 out of 10, i.e. 40 %")
    ('4/10 = 25 %', '')
    """
    parts = split_restated(text) if _OUT_OF.may_occur(tokenize(text)) else []
    for before, after in pairwise(parts):
        tokens = [token for token in tokenize(before.text) if not is_blank(token)]
        numbers = [at for at, token in enumerate(tokens) if token.kind == "digits"]
        number = read_form(after.text)
        if len(numbers) != 2 or _OUT_OF.match_before(tokens, numbers[1]) is None:
            continue
        if not isinstance(number, Term) or number.value is None:
            continue
        part, total = (int(tokens[at].text) for at in numbers)
        is_percent = number.unit is not None and number.unit.measures_only("percent")
        value = number.value / 100 if is_percent else number.value
        if total and (is_percent or number.unit is None) and abs(Fraction(part, total) - value) > _NEAR:
            return f"{part}/{total} = {after.text}"
    return ""


_NEAR = Fraction(1, 100)
"""How far a share may be from a rounded number."""


def _is_wrong(left: str, right: str, comparison: AnswerComparison) -> bool:
    """Return whether a calculation with numbers has another result, exactly and by its decimals."""
    signs = {token.text for side in (left, right) for token in tokenize(side)}
    figures = [number for side in (left, right) for number in list_figures(side)]
    if not signs & _OPERATORS or signs & _OTHER_ARITHMETIC:
        return False
    if any(number.may_part_thousands for number in figures) or any(map(_has_letter, (left, right))):
        return False
    # In a chain the next calculation may begin with what the one before has given: 4 + 3 = 7 + 2 = 9.
    number, calculated = sorted(map(read_form, (left, right)), key=_rank_as_result)
    if not isinstance(number, Term) or not isinstance(calculated, Term) or number.value is None:
        return False
    if calculated.unit or number.unit or not is_calculation(calculated):
        return False
    if calculated.tree is not None and "call" in calculated.tree.list_labels():
        return False  # f(2) = -3 calculates nothing
    if comparison.compare(calculated, number).outcome != "different":
        return False
    is_rounded = number.decimals is not None or number.value.denominator == 1
    if not is_rounded or not (figures or signs & _QUOTIENTS):
        return True
    # Decimals are rounded or cut off, and the rest of a division is said in words: 17 ÷ 5 = 3, remainder 2.
    places = number.decimals or 0
    scale = Tree(str(10**places))
    scaled = Tree("*", (calculated.tree or Tree(calculated.text), scale))
    shown = form_of(Tree("/", (Tree("floor", (scaled,)), scale)))
    return all(
        AnswerComparison(digits=places).compare(form, number).outcome == "different"
        for form in (calculated, shown)
    )


def _has_letter(side: str) -> bool:
    """Return whether a letter for a number stands beside a sign or a digit, so that nothing is calculated.

    >>> [_has_letter(side) for side in ("2n + 1", "3 x 4", "2e", "a) 3 + 4")]
    [True, False, False, False]
    """
    tokens = [token for token in tokenize(side) if not is_blank(token)]
    return any(
        len(token.text) == 1
        and token.text in ascii_letters
        and token.text not in _NO_VARIABLES
        and any(
            near == "^" or near.isdecimal() or near in _OPERATORS
            for near in (text_at(tokens, at - 1), text_at(tokens, at + 1))
        )
        for at, token in enumerate(tokens)
    )


def _rank_as_result(form: Form) -> int:
    """Return how far a side is from a result: a decimal or integer, another plain number, a calculation."""
    if not isinstance(form, Term) or form.value is None:
        return 2
    return int(form.decimals is None)
