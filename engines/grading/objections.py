"""What speaks against an answer that is found to be right: all of its text has to let it stand.

However an answer was found to be that of the reference, by its value, its words, its cases or its place, the
text around it may deny it, take it back, say it of something else or leave out what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from engines.grading.answer_judgement import are_equal
from engines.grading.asked_names import find_other_name
from engines.grading.asked_precision import breaks_order
from engines.grading.asked_terms import find_other_term
from engines.grading.asked_units import find_other_unit
from engines.grading.circumstances import asks_extreme, split_placed, states_only_place
from engines.grading.compare import AnswerComparison
from engines.grading.compare_units import UNIT_PASSED
from engines.grading.explanations import AS_FORMULA, EXPLAINED
from engines.grading.false_calculations import find_false_calculation
from engines.grading.final_checks import find_difference
from engines.grading.final_statements import has_own_words
from engines.grading.meanings.compare_meanings import has_words
from engines.grading.meanings.exchanged_words import find_exchange
from engines.grading.meanings.implications import find_missing_premise
from engines.grading.meanings.named_subjects import find_other_subject
from engines.grading.meanings.opposed_sentences import find_opposition
from engines.grading.meanings.quantified_sentences import BY_QUANTIFIERS
from engines.grading.numbers import Term
from engines.grading.other_values import find_rival_value
from engines.grading.predicate_answers import answer_by_predicate, find_contrary_verdict
from engines.grading.reading import read_form
from engines.grading.signed_directions import find_positive_direction
from engines.grading.times import find_clock_bound
from engines.grading.tokens import text_at, tokenize
from engines.grading.verdicts import GradeOutcome, GradeVerdict
from engines.grading.withdrawn_answers import find_withdrawal
from engines.grading.word_answers import state_opposites
from engines.grading.worded_amounts import find_opposite_sign
from engines.grading.worded_ratios import spell_ratio

AFFIRMED_TWICE = "the answer also says that it is"
"""What the reason begins with where an answer is right and contradicts itself."""
_AS_SAID = (BY_QUANTIFIERS, AS_FORMULA, EXPLAINED)
"""Reasons where all that a sentence says was compared."""


def find_objection(
    texts: tuple[str, str],
    answers: tuple[str, str],
    problem: str,
    found: GradeVerdict,
    compare: Callable[[str], GradeOutcome],
    comparison: AnswerComparison,
) -> GradeVerdict | None:
    """Return the verdict on an answer that is equal to the reference, maybe under a condition, where its text
    does not let that stand; None where it does.

    Args: texts: the reference and the answer as they are written. answers: what was found in them. compare:
    grades a value as the whole answer.
    """
    if opposed := _find_opposite_words(texts, problem, found, comparison):
        return GradeVerdict("undecided", reason=opposed)
    if found.outcome == "equal" and problem and (terms := find_other_term(problem, *texts)):
        return GradeVerdict("undecided", reason=f"said and asked for: {terms}")
    is_unit_passed = found.outcome == "equal" and found.reason.startswith(UNIT_PASSED)
    if is_unit_passed and (units := find_other_unit(problem, texts[0], answers[1])):
        return GradeVerdict("undecided", reason=f"said and asked for: {units}")
    if _denies_equation(texts[1]) and not _denies_equation(texts[0]):
        return GradeVerdict("undecided", reason="the answer may deny an equation")
    if found.outcome == "equal" and (exchange := find_exchange(texts, problem)):
        return GradeVerdict("undecided", reason=f"they differ in {exchange}")
    if found.outcome == "equal" and (names := _find_other_name(texts, answers, problem, comparison)):
        return GradeVerdict("undecided", reason=f"said and asked for: {names}")
    if (apart := find_difference(texts, answers, found, problem)) is not None:
        return apart
    if found.outcome == "equal" and (
        doubt := _find_contradiction(texts, answers, problem, compare, comparison)
    ):
        return GradeVerdict("undecided", reason=doubt)
    withdrawn = find_withdrawal(*texts, answers[1], problem, compare)
    return GradeVerdict("undecided", reason=withdrawn) if withdrawn else None


def _denies_equation(text: str) -> bool:
    """Return whether a text has a sign that denies an equation, as `x != 6`; `5!=120` and `n! = 6` have
    factorials, and what stands in brackets before `!=` is one too."""
    tokens = tokenize(text)
    signs = [token.text for token in tokens if token.kind != "space"]
    if any(
        signs[at : at + 2] == ["\\not", "="] or signs[at : at + 3] == ["=", "/", "="]
        for at in range(len(signs))
    ):
        return True
    return any(
        (text_at(tokens, at), text_at(tokens, at + 1)) == ("!", "=")
        and (tokens[at - 1].kind in ("word", "space") if at else True)
        for at in range(len(tokens))
    )


def _find_other_name(
    texts: tuple[str, str], answers: tuple[str, str], problem: str, comparison: AnswerComparison
) -> str:
    """Return the name whose value an answer states, and the one that the question asks for; "" for none."""
    said = answers[1] if "=" in answers[1] or len(tokenize(texts[1])) > _MOST_TOKENS else texts[1]
    return find_other_name(problem, texts[0], said, lambda one, other: are_equal(one, other, comparison))


_MOST_TOKENS = 24
"""Tokens of a text that is no more than its answer."""


def _find_opposite_words(
    texts: tuple[str, str], problem: str, found: GradeVerdict, comparison: AnswerComparison
) -> str:
    """Return how the words of an answer say the opposite of the reference or question although its value is
    the same, or say it of another subject; "" where they do not."""
    gold, pred = texts
    is_equal = found.outcome == "equal"
    if sign := find_opposite_sign(gold, pred):
        return sign
    if bound := find_clock_bound(gold, pred):
        return f"only the answer says: {bound}"
    is_bare = is_equal and not has_own_words(gold) and find_positive_direction(problem) is None
    # `It diverges` denies what is asked, and is no answer about something else.
    opposites = state_opposites(problem, pred) if is_bare else ""
    if opposites and not answer_by_predicate(problem, pred):
        return f"asked and said: {opposites}"
    if found.reason in _AS_SAID or not any(map(has_words, texts)):
        return ""
    if opposed := find_opposition(gold, pred, problem):
        return opposed
    subjects = (
        find_other_subject(gold, pred, lambda one, other: are_equal(one, other, comparison))
        if is_equal
        else ""
    )
    return f"they speak of {subjects}" if subjects else ""


def _find_contradiction(
    texts: tuple[str, str],
    answers: tuple[str, str],
    problem: str,
    compare: Callable[[str], GradeOutcome],
    comparison: AnswerComparison,
) -> str:
    """Return what an answer says wrong beside its value, or leaves out; "" for nothing."""
    gold, pred = texts
    if premise := find_missing_premise(gold, pred):
        return f"only the reference has the premise {premise}"
    if (ratio := spell_ratio(problem, pred)) and compare(ratio) == "different":
        return f"in the order of the question it says {ratio}"
    is_number = isinstance(read_form(gold), Term)
    placed = split_placed(pred) if is_number and asks_extreme(problem) else None
    if placed is not None and (number := placed.spell_number()) and compare(number) == "different":
        return f"{AFFIRMED_TWICE} {number} there"
    if states_only_place(problem, gold, pred):
        return "it only says where the value is taken"
    if contrary := find_contrary_verdict(problem, pred):
        return f"the answer also says: {contrary}"
    if rival := find_rival_value(problem, pred, compare):
        return f"{AFFIRMED_TWICE} {rival}"
    with suppress(Exception):  # one answer does not end an evaluation or a training
        if slip := find_false_calculation(problem, pred, comparison):
            return f"the answer also says that {slip}"
    if breaks_order(*answers, problem, comparison):
        return "the question asks for them in an order"
    return ""
