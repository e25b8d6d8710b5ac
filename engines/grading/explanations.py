"""Whether an explanation states the value of a reference in the end, beside what its question says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engines.formula.statement_view import Statement, read_statement
from engines.grading.asked_bases import compare_in_base
from engines.grading.boxes_and_announcements import find_boxed
from engines.grading.compare import AnswerComparison
from engines.grading.excluded_values import compare_excluded, drop_quantifier
from engines.grading.final_answer import find_answer
from engines.grading.final_statements import FinalStatement, has_own_words, list_final_statements
from engines.grading.forms import Many, Named, RelationForm
from engines.grading.named_coordinates import read_coordinates
from engines.grading.numbers import Term
from engines.grading.predicate_answers import answer_by_predicate
from engines.grading.quantified_words import REAL_RANGE, spell_quantified
from engines.grading.question_comparisons import compare_by_question
from engines.grading.question_text import QuestionText
from engines.grading.reading import is_calculation, read_form
from engines.grading.regions_in_sentences import compare_regions
from engines.grading.remarked_decimals import drop_decimals
from engines.grading.tokens import tokenize
from engines.grading.translated_words import translate_words
from engines.grading.verdicts import GradeOutcome
from engines.grading.word_answers import state_opposites
from engines.grading.worded_cases import spell_cases

AS_FORMULA = "the sentence says what the formula does"
EXPLAINED = "what stands behind the verdict explains it"
"""The reason where a sentence was compared as the formula that it spells."""
_QUANTIFIERS = ("\\forall", "\\exists", "∀", "∃")


@dataclass(frozen=True, slots=True)
class StatedValue:
    """What an explanation states that is the reference, and the policy that was used."""

    value: str
    reason: str = ""


def find_stated_value(
    gold: str,
    pred: str,
    found: str,
    question: QuestionText,
    comparison: AnswerComparison,
    grade_alone: Callable[[str], GradeOutcome],
) -> StatedValue | None:
    """Return the value of the reference where an explanation states it in the end; None where it does not.

    Words of a reference may limit or class its value, so that the value alone is not enough.

    Args: found: the answer that was found in `pred`. grade_alone: grades a value as the whole answer.
    """
    cases = spell_cases(gold), spell_cases(pred)
    if any(cases) and comparison.accepts(cases[0] or gold.strip(" $"), cases[1] or pred.strip(" $")):
        return StatedValue(cases[1] or pred)
    if (spelled := _find_spelled(gold, pred, question, comparison, grade_alone)) is not None:
        return spelled
    # An answer about the opposite of what is asked for is another one.
    if has_own_words(gold) or state_opposites(question.text, pred):
        return None
    answer = find_answer(gold).text
    for said in dict.fromkeys((pred, found)):
        asked = compare_by_question(answer, said, question, comparison)
        if asked is not None and asked.outcome == "equal":
            return StatedValue(said, asked.reason)
    is_quantified = any(map(gold.__contains__, _QUANTIFIERS))
    formula = spell_quantified(pred) if is_quantified else ""
    # Letters of a question on real numbers stand for these, said or not.
    is_real = question.speaks_of_reals() and REAL_RANGE not in gold
    for said in dict.fromkeys((formula, formula.replace(REAL_RANGE, "") if is_real else "")):
        if said and grade_alone(said) == "equal":
            return StatedValue(said, AS_FORMULA)
    boxed = find_boxed(pred, tokenize(pred))
    # Without its quantifier a formula says something else.
    if is_quantified and any(map((boxed or pred).__contains__, _QUANTIFIERS)):
        return None
    for statement in list_final_statements(pred if boxed is None else boxed, question):
        # A reference that is an equation is said of its left side, and not of another one.
        if (statement.label or statement.side) and "=" in gold:
            continue
        if statement.side and not is_calculation(read_form(statement.side)):
            continue
        said = statement.spell_whole()
        outcome, reason = (grade_alone(said), "") if said != pred else ("undecided", "")
        if outcome != "equal":
            asked = compare_by_question(answer, said, statement.define(question), comparison)
            if asked is not None and asked.outcome == "equal":
                outcome, reason = "equal", asked.reason
        if outcome == "equal":
            holds = _holds_under_restriction(statement, question, comparison)
            return StatedValue(statement.value, reason) if holds else None
        if outcome == "different" and "=" not in said:
            return None
    return None


def _find_spelled(
    gold: str,
    pred: str,
    question: QuestionText,
    comparison: AnswerComparison,
    grade_alone: Callable[[str], GradeOutcome],
) -> StatedValue | None:
    """Return the value of an answer that spells it in another way; None for others."""
    answer = find_answer(translate_words(gold)).text
    for compared in (
        compare_in_base(gold, pred, question.text),
        compare_excluded(answer, pred, comparison),
        compare_regions(answer, pred, question.text, comparison),
    ):
        if compared is not None and compared.outcome == "equal":
            return StatedValue(pred, compared.reason)
    bare = drop_quantifier(pred)
    if isinstance(read_form(bare), Named | RelationForm | Statement) and grade_alone(bare) == "equal":
        return StatedValue(bare, "the answer says for which values")
    exact = drop_decimals(pred, _rounds_to)
    if exact and grade_alone(exact) == "equal":
        return StatedValue(exact)
    decided = answer_by_predicate(question.text, pred)
    if decided and grade_alone(decided) == "equal":
        return StatedValue(decided, "it says or denies what is asked")
    if state_opposites(question.text, pred):
        return None
    point = read_form(gold)
    if isinstance(point, Many) and point.kind == "tuple":
        named = read_coordinates(pred, len(point.items))
        if named is not None and comparison.compare(point, named).outcome == "equal":
            return StatedValue(pred, "the coordinates of the point are named")
    return None


def _rounds_to(value: str, said: str) -> bool:
    """Return whether a value rounds to decimals."""
    number = read_form(said)
    if not isinstance(number, Term) or number.value is None:
        return False
    return AnswerComparison(None, number.decimals or 0).compare(read_form(value), number).outcome == "equal"


def _holds_under_restriction(
    statement: FinalStatement, question: QuestionText, comparison: AnswerComparison
) -> bool:
    """Return whether the condition under which a value is stated says no less than the value alone."""
    if not statement.restriction or statement.is_family or statement.defines_letter:
        return True
    condition = read_statement(statement.restriction, is_answer=True)
    if isinstance(condition, str):
        return False
    return comparison.restricts_naturally(read_form(statement.value), condition.tree, question)
