"""What a solver, a language model or a file of answers gives for a problem, and whether it is right.

A text is compared with the problem's own answer as `grade` does it: units, options, percentages and Chinese
answers count. An equation is compared as `score_answer` does it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from engines.core.tree import Tree
from engines.grading.final_answer import answer as find_answer
from engines.grading.grades import grade
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.mwp.evaluations.answer_checks import NONE, RELATIVE, SolverScore, score_answer
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    UNANSWERABLE,
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    is_right,
)
from engines.mwp.solver.reading import ScoredEquation

_WITH_UNIT = re.compile(r"([^()]*\d[^()]*?)\s*\(([^()\d]+)\)")
"""`9 (apples)`, as ASDiv writes answers."""
_ABSTAINS = re.compile(
    r"(?:can ?not|can't|could not|impossible to|not possible to|unable to) (?:be )?"
    r"(?:determin|answer|calculat|comput|solv|know|find|tell|say)|(?:not|n't) (?:enough|sufficient)"
    r"|insufficient|underdetermined|unanswerable|unknown|missing information"
    r"|无法|不能(?:确定|求出|计算|得出)|信息不足|条件不足|缺少",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class SolverAttempt:
    """What was given for a problem.

    Args:
        text: The answer, or a whole solution in which it is looked for; empty where only an equation is
            given.
        equation: Over the problem's numbers; None where none is given.
        unread: Why there is neither.
    """

    text: str = ""
    equation: Tree | None = None
    unread: str = ""


class AnswerQuantity(NamedTuple):
    """The number of an answer, in the base unit of what it measures (nothing: as written)."""

    value: Fraction
    measure: tuple[tuple[str, int], ...] = ()


class ScoredAttempt(NamedTuple):
    """The score of an attempt, the answer that was found in it, and whether only its unit is wrong."""

    score: SolverScore
    answer: str
    unit: bool = False


def attempt_of(solution: list[ScoredEquation] | str) -> SolverAttempt:
    """Return the attempt of what a trained solver gives: its best equation, or why it reads nothing."""
    if isinstance(solution, str):
        return SolverAttempt(unread=solution)
    return SolverAttempt(equation=solution[0].equation) if solution else SolverAttempt(unread="no equation")


def score_attempt(problem: Problem, attempt: SolverAttempt) -> ScoredAttempt:
    """Return whether an attempt is right.

    The answer of a problem that lacks a fact is that it has none.
    """
    if problem.answer_text == UNANSWERABLE:
        said = find_answer(attempt.text, "auto") if attempt.text else ""
        # Whoever ends with a number does not abstain, whatever doubts the solution has on its way.
        searched = said if _DIGIT.search(said) else attempt.text
        abstains = _ABSTAINS.search(searched) is not None
        score = replace(NONE, answer=abstains, relative=abstains)
        return ScoredAttempt(score, said)
    by_equation = NONE
    if attempt.equation is not None:
        by_equation = score_answer(problem, [ScoredEquation(attempt.equation, 0.0)])
    if not attempt.text:
        value = by_equation.value
        return ScoredAttempt(by_equation, "" if value is None else f"{value:.10g}")
    gold, locale = gold_text(problem), problem.language if problem.language == "zh" else "auto"
    graded = grade(gold, attempt.text, locale=locale)
    expected, given = read_answer_quantity(graded.gold), read_answer_quantity(graded.pred)
    # Numbers that are not quite equal are rounded ones; other units make other quantities.
    near = [
        graded.accepted
        or (
            expected is not None
            and given is not None
            and expected.measure == given.measure
            and is_right(given.value, expected.value, relative=relative)
        )
        for relative in (0.0, RELATIVE)
    ]
    unit = (
        not near[0] and expected is not None and given is not None and _same_number(graded.gold, graded.pred)
    )
    number = _number_of(graded.pred)
    by_value = number is not None and problem.equation is not None and is_right(number, problem.answer)
    score = replace(
        by_equation,
        by_equation=by_value,
        value=None if number is None else float(number),
        answer=near[0],
        relative=near[1],
    )
    return ScoredAttempt(score, graded.pred, unit)


def gold_text(problem: Problem) -> str:
    """Return the answer of a problem as text: as its file writes it, else the exact value of its equation.

    >>> from engines.mwp.problems.problem import Problem
    >>> row = ("p", "en", "", (), (), None, 9.0, None, "", "")
    >>> gold_text(Problem(*row, "9 (apples)")), gold_text(Problem(*row))
    ('9 apples', '9')
    """
    if problem.answer_text:
        match = _WITH_UNIT.fullmatch(problem.answer_text.strip())
        return f"{match[1]} {match[2]}" if match else problem.answer_text
    if problem.equation is not None:
        try:
            return format_value(evaluate(problem.equation, tuple(map(value_of, problem.numbers))))
        except (EquationError, ValueError):
            pass
    return f"{problem.answer:.10g}"


def format_value(value: ProblemValue) -> str:
    """Return a value exactly, as a decimal where that ends, else as a fraction.

    >>> format_value(Fraction(7, 2)), format_value(Fraction(1, 3))
    ('3.5', '1/3')
    """
    if not isinstance(value, Fraction):
        return f"{value:.10g}"
    text = f"{float(value):.12f}".rstrip("0").rstrip(".")
    # A decimal that had to be cut off is not the exact value.
    return text if Fraction(text) == value else str(value)


def read_answer_quantity(text: str) -> AnswerQuantity | None:
    """Return the number of a short answer in its base unit, or None where it is none."""
    form = read_form(text) if text.strip() else None
    if not isinstance(form, Term) or form.value is None:
        return None
    if form.unit is None or not form.unit.known:
        return AnswerQuantity(form.value)
    return AnswerQuantity(form.value * form.unit.factor, form.unit.powers)


def _number_of(text: str) -> Fraction | None:
    form = read_form(text) if text.strip() else None
    return form.value if isinstance(form, Term) else None


def _same_number(gold: str, given: str) -> bool:
    left, right = _number_of(gold), _number_of(given)
    return left is not None and right is not None and is_right(right, left)


def answer_key(text: str, problem: Problem) -> AnswerQuantity | str:
    """Return what equal answers have in common: their quantity, or else the words of the answer."""
    short = find_answer(text, "zh" if problem.language == "zh" else "auto")
    return read_answer_quantity(short) or " ".join(short.lower().split())
