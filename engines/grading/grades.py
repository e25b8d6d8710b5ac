"""The verb `grade`: whether an answer is that of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

from engines.core.notebook_display import Tabular
from engines.core.spec import Arg, specification
from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_judgement import MARGIN, are_equal, judge_answers
from engines.grading.answer_vocabulary import DENIALS
from engines.grading.asked_precision import compare_rounded
from engines.grading.assigned_letters import spell_assigned
from engines.grading.bases import compare_bases, compare_spanned
from engines.grading.case_distinctions import have_same_cases
from engines.grading.choices import read_choice
from engines.grading.circumstances import asks_extreme, asks_place, split_placed
from engines.grading.compare import AnswerComparison
from engines.grading.compare_units import Units, has_known_unit
from engines.grading.cycles import compare_cycles
from engines.grading.eigenvectors import compare_eigenvectors, speaks_of_eigenvectors
from engines.grading.explanations import EXPLAINED, find_stated_value
from engines.grading.final_answer import (
    find_answer,
    lead_with_dollars,
    take_last_sentence,
    write_leading_zeros,
)
from engines.grading.final_statements import has_own_words
from engines.grading.forms import Many, Named, RelationForm
from engines.grading.labelled_values import (
    find_asked_value,
    list_unlabelled,
    make_circle,
    make_line,
    order_by_question,
    pair_labels,
    read_labelled,
)
from engines.grading.last_clauses import list_last_clauses, take_verdict
from engines.grading.locales import (
    Locale,
    find_language,
    has_decimal_comma,
    join_thousands,
    list_figures,
    with_decimal_points,
    write_points_beside,
)
from engines.grading.meanings.compare_meanings import compare_meanings, has_words
from engines.grading.meanings.implications import compare_implications
from engines.grading.numbers import Term
from engines.grading.objections import AFFIRMED_TWICE, find_objection
from engines.grading.other_values import join_further_values
from engines.grading.question_text import QuestionText
from engines.grading.questions import (
    QuestionFrame,
    complete_reference,
    denies_existence,
    find_question_language,
    read_question,
)
from engines.grading.reading import read_form
from engines.grading.restatements import (
    StatedPart,
    compare_restated,
    find_conclusion,
    find_false_approximation,
    find_false_conversion,
    split_restated,
)
from engines.grading.side_statements import find_other_statements, list_statements
from engines.grading.signed_directions import find_positive_direction, spell_sign
from engines.grading.spans import take_spanned
from engines.grading.spoken_speeds import spell_speeds
from engines.grading.tokens import Phrases, tokenize
from engines.grading.translated_words import translate_words
from engines.grading.unread_parts import find_missing_witness
from engines.grading.verdicts import GradeOutcome, GradeVerdict, combine_verdicts
from engines.grading.word_answers import drop_remaining, split_word_answers, state_opposites
from engines.grading.worded_amounts import spell_amounts
from engines.grading.worded_ratios import spell_ratio
from engines.grading.words import compare_properties, find_restriction, may_list_properties
from engines.mathematics.judging.judge import Judge


@dataclass(frozen=True, slots=True)
class Grade(Tabular):
    """What an answer is worth.

    Attributes: verdict: `equal`; `equal if` the condition holds; `different`; `undecided`, where both are
    read and neither is shown; or `unread`. condition: see verdict. witness: what shows that they differ, as
    a point with both values. reason: why it is undecided or unread, or what was passed over. gold, pred: the
    answers that were found.
    """

    verdict: GradeOutcome
    condition: str = ""
    witness: str = ""
    reason: str = ""
    gold: str = ""
    pred: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the answer is right without any condition."""
        return self.verdict == "equal"

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        names = ("condition", "witness", "reason", "gold", "pred")
        return self.verdict, ("", " "), [(name, getattr(self, name)) for name in names if getattr(self, name)]


@specification
class GradePolicy:
    """How numbers and units are compared, and in which language answers are written."""

    digits: Annotated[
        int | None, Arg("Compare numbers to this many decimals.", low=0, high=1000, shown="exactly")
    ] = None
    units: Annotated[
        Units, Arg("Compare units where both have one, require that of the reference, or ignore all.")
    ] = "compare"
    locale: Annotated[
        Locale, Arg("The language of the answers: how decimals are written, and the words for an answer.")
    ] = "auto"


def grade(
    gold: str,
    pred: str,
    *,
    digits: int | None = None,
    units: Units = "compare",
    locale: Locale = "auto",
    judge: Judge | None = None,
    problem: str = "",
) -> Grade:
    r"""Judge an answer, or a solution that ends in one, against a reference.

    Args: gold, pred: LaTeX, plain text or a whole solution. digits: compare numbers to so many decimals;
    None: exactly. units: `compare` them where both are given, `require` that of the reference, or `ignore`
    them. locale: the language of the texts, which says how decimals are written; `auto`: the one that a text
    shows. judge: who decides what needs mathematics. problem: the question, which says what the letters
    of its choices stand for, and which unit it asks for.

    It never raises for what stands in the texts, needs no clock and may be called by several threads.
    Raises: EngineError E424 for digits or units that there are not.

    >>> grade("1/\\sqrt{n}", "\\sqrt{1/n}").verdict
    'equal'
    >>> grade(r"\{1, 2\}", r"So $x$ is \boxed{2} or \boxed{1}.").verdict
    'equal'
    >>> grade("1/3", "0.33").witness, grade("1/3", "0.33", digits=2).verdict
    ('1/3 and 33/100', 'equal')
    """
    return grade_under_policy(_check_policy(digits, units, locale), gold, pred, judge, problem)


@lru_cache(maxsize=64, typed=True)
def _check_policy(digits: int | None, units: Units, locale: Locale) -> GradePolicy:
    """Return a policy, whose settings are checked once: a training grades millions of pairs under one."""
    return GradePolicy(digits, units, locale)


def grade_under_policy(
    policy: GradePolicy, gold: str, pred: str, judge: Judge | None = None, problem: str = ""
) -> Grade:
    """Judge an answer against a reference, as `grade` does, under settings that were checked before."""
    found = _grade_whole(policy, gold, pred, judge, problem)
    if found.verdict != "different":
        return found
    comparison = AnswerComparison(judge, policy.digits, policy.units)
    alone = judge_answers(found.gold, found.pred, comparison)
    if (alone.outcome, alone.witness, alone.reason) != (found.verdict, found.witness, found.reason):
        return found  # more than the answers that were found was compared
    unread = find_missing_witness((gold, pred), (found.gold, found.pred), problem, comparison)
    return replace(found, verdict="undecided", witness="", reason=unread) if unread else found


def _grade_whole(policy: GradePolicy, gold: str, pred: str, judge: Judge | None, problem: str) -> Grade:
    """Grade an answer by the first way that settles it; whichever that is, all objections are considered."""
    gold, pred = map(write_leading_zeros, (gold, pred))
    gold, pred = (spell_speeds(lead_with_dollars(join_further_values(text))) for text in (gold, pred))
    found = _settle_index(_find_grade(policy, gold, pred, judge, problem), gold, problem)
    if gold == pred or found.verdict not in ("equal", "equal if"):
        return found
    said = GradeVerdict(found.verdict, found.condition, found.witness, found.reason)

    def compare(value: str) -> GradeOutcome:
        placed = _grade_placed(policy, gold, value, judge, "")
        return (placed or _grade_translated(policy, gold, value, judge)).verdict

    comparison = AnswerComparison(judge, policy.digits, policy.units)
    objection = find_objection((gold, pred), (found.gold, found.pred), problem, said, compare, comparison)
    if objection is None:
        return found
    shown = objection.outcome, objection.condition, objection.witness, objection.reason
    return Grade(*shown, found.gold, found.pred)


def _settle_index(found: Grade, gold: str, problem: str) -> Grade:
    """Return a grade that needs an integer as equal where its letter counts terms, as in a_n."""
    letter, _, condition = found.condition.partition(" ")
    if found.verdict != "equal if" or condition != "is an integer":
        return found
    if letter not in QuestionText(f"{problem} {gold}").list_indices():
        return found
    return replace(found, verdict="equal", condition="", reason=f"{letter} counts terms")


def _find_grade(policy: GradePolicy, gold: str, pred: str, judge: Judge | None, problem: str) -> Grade:
    implied = compare_implications(
        gold, pred, lambda one, other: grade_under_policy(policy, one, other, judge).verdict
    )
    if implied is not None and gold != pred:
        return Grade(implied.outcome, "", implied.witness, implied.reason, gold, pred)
    if gold != pred and (placed := _grade_placed(policy, gold, pred, judge, problem)) is not None:
        return placed
    if gold != pred and have_same_cases(
        gold, pred, lambda one, other: _grade_restated(policy, one, other, judge).verdict
    ):
        return Grade("equal", reason="the answers are the same case by case", gold=gold, pred=pred)
    found = _grade_restated(policy, gold, pred, judge)
    if problem and gold != pred:
        found = _consider_question(policy, gold, pred, found, judge, read_question(problem))
        asked = find_asked_value(problem, pred) if read_labelled(gold) is None else ""
        if asked:
            named = _grade_translated(policy, gold, asked, judge)
            named = replace(named, reason=named.reason or "the value counts that the question names")
            if named.verdict == "different":
                return named
            found = named if named.verdict == "equal" else found
        is_bare = found.verdict == "equal" and not has_own_words(gold)
        opposites = state_opposites(problem, pred) if is_bare else ""
        if opposites:
            return replace(found, verdict="undecided", reason=f"asked and said: {opposites}")
        ordered = order_by_question(problem, pred) if found.verdict != "equal" else []
        if (
            ordered
            and isinstance(listed := read_form(find_answer(gold).text), Many)
            and listed.kind == "list"
        ):
            comparison = AnswerComparison(judge, policy.digits, policy.units)
            sides = replace(listed, kind="tuple"), Many("tuple", tuple(ordered))
            if comparison.compare(*sides).outcome == "equal":
                found = Grade("equal", reason="in the order of the question", gold=gold, pred=pred)
        if found.verdict != "equal":
            found = _consider_wording(policy, gold, pred, found, judge, problem)
        if found.verdict != "equal":
            found = _consider_precision(policy, pred, found, judge, problem)
    if found.verdict != "equal" and not found.reason.startswith(AFFIRMED_TWICE):
        found = _grade_explanation(policy, gold, pred, judge, QuestionText(problem), found)
    if found.verdict != "equal" and (ratio := spell_ratio(problem, pred)):
        ordered_ratio = _grade_restated(policy, gold, ratio, judge)
        if ordered_ratio.accepted:
            return replace(ordered_ratio, reason="the ratio in the order of the question")
    return found


def _grade_placed(
    policy: GradePolicy, gold: str, pred: str, judge: Judge | None, problem: str
) -> Grade | None:
    """Grade a value with where it is taken, as `-3 (when x = 2)`; None where the reference is none, or it is
    not settled."""
    right, said = split_placed(gold), split_placed(pred)
    number = right.spell_number() if right is not None else ""
    if right is None and said is not None and said.spell_number() and asks_extreme(problem):
        alone = _grade_restated(policy, gold, said.value, judge)
        return alone if alone.verdict == "equal" else None
    if right is None or not number:
        return None
    value = _grade_restated(policy, number, pred if said is None else said.value, judge)
    is_placed = said is not None
    if value.verdict == "different" and said is None:
        point = _grade_restated(policy, right.spell_point(), pred, judge)
        if point.verdict == "equal":
            value, is_placed = point, True
    if value.verdict != "equal":
        return value if value.verdict == "different" and (said is not None or not has_words(pred)) else None
    reason = ""
    if opposites := state_opposites(gold.replace("\\", " "), pred) or state_opposites(problem, pred):
        reason = f"one says {opposites.replace(' and ', ', the other ')}"
    elif not is_placed and asks_place(problem):
        reason = f"only the reference says that it is taken at {right.place}"
    elif not all(map(right.is_at, QuestionText(pred).list_arguments())):
        reason = f"it is taken at {right.place}"
    elif said is not None:
        comparison = AnswerComparison(judge, policy.digits, policy.units)
        if not are_equal(right.place, said.place, comparison):
            return Grade("different", witness=f"{right.place} and {said.place}", gold=gold, pred=pred)
    return Grade("undecided" if reason else "equal", reason=reason, gold=gold, pred=pred)


def _consider_question(
    policy: GradePolicy, gold: str, pred: str, found: Grade, judge: Judge | None, frame: QuestionFrame
) -> Grade:
    """Return the grade of an answer by what the question says of it: its choices, and the unit asked for."""
    if frame.choices and (chosen := _grade_choice(policy, gold, pred, judge, frame)) is not None:
        return chosen
    complete = complete_reference(gold, frame)
    if complete == gold:
        return found
    asked = _grade_restated(policy, complete, pred, judge)
    is_shown = asked.verdict == ("different" if found.verdict == "equal" else "equal")
    return replace(asked, reason=asked.reason or f"the question asks for {frame.unit}") if is_shown else found


def _consider_wording(
    policy: GradePolicy, gold: str, pred: str, found: Grade, judge: Judge | None, problem: str
) -> Grade:
    """Return the grade of an answer by the language of its question, and by what it says of existence."""
    language = find_question_language(problem) if policy.locale == "auto" else ""
    pointed = with_decimal_points(gold, language), with_decimal_points(pred, language)
    if language and pointed != (gold, pred):
        again = _grade_restated(policy, pointed[0], pointed[1], judge)
        if again.verdict == "equal":
            return replace(
                again, reason=again.reason or f"decimals of the question ({language}) have a comma"
            )
    if (positive := find_positive_direction(problem)) is not None:
        signed = [spell_sign(text, positive) for text in (gold, pred)]
        if any(signed):
            again = _grade_restated(policy, signed[0] or gold, signed[1] or pred, judge)
            return replace(again, reason=again.reason or "the question says which direction is positive")
    if denies_existence(problem, pred):
        denied = _grade_restated(policy, gold, "no", judge)
        return denied if denied.verdict in ("equal", "different") else found
    return found


def _consider_precision(
    policy: GradePolicy, pred: str, found: Grade, judge: Judge | None, problem: str
) -> Grade:
    """Return the grade of a rounded answer where the reference gives decimals too, or the question asks for
    them."""

    def compare(reference: str, answer: str, digits: int | None) -> str:
        shown = policy if digits is None else replace(policy, digits=digits)
        return _grade_translated(shown, reference, answer, judge).verdict

    rounded = compare_rounded((found.gold, found.pred), pred, problem, compare)
    if rounded is None or (rounded.outcome != "equal" and found.verdict != "different"):
        return found
    return Grade(rounded.outcome, rounded.condition, "", rounded.reason, found.gold, found.pred)


def _grade_choice(
    policy: GradePolicy, gold: str, pred: str, judge: Judge | None, frame: QuestionFrame
) -> Grade | None:
    """Grade the letters of choices, or what these stand for, by the texts of the question; None where neither
    side names a choice."""
    known, named = dict(frame.choices), frame.list_named(pred)
    if (
        len(named) > 1
        and frame.spell_choices(gold)
        and all(
            not text or _grade_restated(policy, known[letter], text, judge).verdict == "equal"
            for letter, text in named.items()
        )
    ):
        letters = {token.text.upper() for token in tokenize(gold) if token.text.upper() in known}
        outcome: GradeOutcome = "equal" if letters == {*named} else "different"
        return Grade(outcome, reason="the letters of the choices are compared", gold=gold, pred=pred)
    choice = read_choice(pred)
    said = [choice.letter, choice.text] if choice and choice.text else [pred]
    parts = [part.text for one in said for part in split_restated(one)]
    if not any(frame.spell_choices(one) or frame.spell_boxed(one) for one in (gold, *parts)):
        return None
    texts = [frame.spell_choices(part) or frame.spell_boxed(part) or part for part in parts]
    right = frame.spell_choices(gold) or gold
    grades = [_grade_restated(policy, right, text, judge) for text in texts]
    apart = next((one for one in grades if one.verdict != "equal"), None)
    if apart is None:
        return Grade("equal", reason="the question says what the choices stand for", gold=gold, pred=pred)
    outcome = apart.verdict if all(one.verdict != "equal" for one in grades) else "undecided"
    return replace(apart, verdict=outcome, gold=gold, pred=pred)


def _grade_restated(policy: GradePolicy, gold: str, pred: str, judge: Judge | None) -> Grade:
    """Grade an answer that may say the same several times."""
    found = _grade_translated(policy, gold, pred, judge)
    parts = split_restated(pred) if gold != pred else []
    concluded = find_conclusion(pred, parts) if found.verdict != "equal" else ""
    if concluded and (again := _grade_translated(policy, gold, concluded, judge)).verdict == "equal":
        return again
    return _consider_parts(policy, gold, parts, found, judge) if len(parts) > 1 else found


def _grade_translated(policy: GradePolicy, gold: str, pred: str, judge: Judge | None) -> Grade:
    """Grade texts as they are, and where that shows nothing with their words as the reader has them."""
    found = _grade_answers(policy, gold, pred, judge)
    if found.verdict == "equal":
        return found
    amounts = spell_amounts(gold, pred)
    if amounts != (gold, pred) and (spelled := _grade_answers(policy, *amounts, judge)).verdict == "equal":
        return replace(spelled, gold=found.gold, pred=found.pred)
    translated = translate_words(gold), translate_words(pred)
    if translated == (gold, pred):
        return found
    # A translated text no longer shows that its decimals have a comma.
    again = _grade_answers(policy, *write_points_beside(translated, (gold, pred)), judge)
    # A topic that is passed over may be another one: 最小値 beside 最大値.
    is_other = again.verdict == "equal" and bool(state_opposites(gold, pred))
    return found if again.verdict == "unread" or is_other else again


def _consider_parts(
    policy: GradePolicy, gold: str, parts: Sequence[StatedPart], found: Grade, judge: Judge | None
) -> Grade:
    """Return the grade of an answer that says the same several times, by what each of its parts says."""

    def compare(reference: str, part: str, digits: int | None) -> str:
        shown = policy if digits is None else replace(policy, digits=digits)
        return _grade_translated(shown, reference, part, judge).verdict

    if found.verdict == "equal":
        # Of several values with labels only one may be rounded.
        is_single = read_labelled(gold) is None
        if is_single and (about := find_false_approximation(gold, parts, compare)):
            return replace(found, verdict="undecided", reason=f"{AFFIRMED_TWICE} about {about}")
        if other := find_false_conversion(gold, parts, compare):
            return replace(found, verdict="undecided", reason=f"{AFFIRMED_TWICE} {other}")
        return found
    restated = compare_restated(gold, parts, compare)
    if restated is None:
        return found
    return Grade(restated.outcome, reason=restated.reason, gold=found.gold, pred=parts[-1].text)


def _grade_explanation(
    policy: GradePolicy, gold: str, pred: str, judge: Judge | None, question: QuestionText, found: Grade
) -> Grade:
    """Grade what an explanation states in the end, or return what was found before."""
    comparison = AnswerComparison(judge, policy.digits, policy.units)

    def grade_alone(said: str) -> Grade:
        if said == found.pred:
            return found
        alone = _grade_answers(policy, *write_points_beside((gold, said), (gold, pred)), judge)
        if alone.verdict != "equal" and are_equal(alone.gold, said, comparison):
            return Grade("equal", gold=alone.gold, pred=said)  # it is an answer and no text with one
        return alone

    with suppress(Exception):  # one answer does not end an evaluation or a training
        stated = find_stated_value(
            gold, pred, found.pred, question, comparison, lambda said: grade_alone(said).verdict
        )
        # The number of an amount that differs is no other answer: 5 of $5 beside €5.
        amounts = found.gold, found.pred
        cut = policy.units != "ignore" and all(map(has_known_unit, amounts)) and found.verdict == "different"
        if stated is not None and not (cut and stated.value.lstrip("-−") in found.pred):
            return Grade("equal", reason=stated.reason, gold=found.gold, pred=stated.value)
        if verdict := take_verdict(pred):
            decided = _grade_restated(policy, gold, verdict, judge)
            if decided.verdict == "equal":
                return replace(decided, reason=EXPLAINED)
        # Of a reference that states more than its answer a clause says only a part.
        is_worded = has_own_words(gold) and any(char.isdigit() or char in "$=" for char in gold)
        is_plain = not is_worded and not list_statements(gold, found.gold)
        assigned = spell_assigned(pred, question)
        for clause in filter(None, (assigned, *list_last_clauses(pred)) if is_plain else ()):
            concluded = _grade_restated(policy, gold, clause, judge)
            if concluded.verdict == "equal":
                return concluded
    return found


def _grade_answers(policy: GradePolicy, gold: str, pred: str, judge: Judge | None) -> Grade:
    stated = find_answer(gold, policy.locale, beside=pred), find_answer(pred, policy.locale, beside=gold)
    answers = stated[0].text, stated[1].text
    comparison = AnswerComparison(judge, policy.digits, policy.units)
    compared = judge_answers(*answers, comparison)
    if (permuted := compare_cycles(*answers)) is not None:
        return Grade(permuted.outcome, "", permuted.witness, permuted.reason, *answers)
    meant = compare_meanings((gold, pred), answers, comparison) if gold != pred else None
    # What is not shown by meaning may still be shown by form, but nothing that one side says alone.
    if meant is not None and (meant.outcome != "undecided" or compared.outcome == "equal"):
        return Grade(meant.outcome, meant.condition, meant.witness, meant.reason, *answers)
    if compared.condition == MARGIN and _SPEAKS_OF_INTERVAL.find(tokenize(gold + " " + pred)) is not None:
        compared = GradeVerdict("equal", reason=MARGIN)
    if policy.digits is None and policy.locale == "auto" and any("." in one for one in answers):
        languages = (find_language(tokenize(text)) for text in (gold, pred))
        compared = _consider_thousands(*answers, compared, comparison, languages)
    if (
        compared.outcome == "equal"
        and compared.reason.startswith("rounded")
        and _EXACTLY.find(tokenize(gold))
    ):
        compared = GradeVerdict("different", witness=f"the reference is exactly {answers[0]}")
    if compared.outcome == "equal" and (opposites := state_opposites(gold, pred)):
        compared = GradeVerdict("undecided", reason=f"one says {opposites.replace(' and ', ', the other ')}")
    parts = ""
    if compared.outcome == "equal":
        parts = find_other_statements(
            (gold, pred), answers, lambda one, other: are_equal(one, other, comparison)
        )
        if parts:
            compared = GradeVerdict("undecided", reason=f"the texts also state {parts}")
    if compared.outcome == "equal" and _is_denied_beside_labels(gold, pred):
        compared = GradeVerdict("undecided", reason="only one of them denies a value")
    if compared.outcome != "equal" and _SPEAKS_OF_BASIS.find(tokenize(gold + " " + pred)) is not None:
        compared = compare_bases(*answers, comparison) or compared
    listed = None
    if compared.outcome != "different" and may_list_properties(gold) and may_list_properties(pred):
        listed = compare_properties(take_last_sentence(gold), take_last_sentence(pred))
        compared = listed or compared
    if compared.outcome == "equal" and may_list_properties(gold) != may_list_properties(pred):
        # "Necessary but not sufficient" says more than "necessary".
        longer = gold if may_list_properties(gold) else pred
        if denied := find_restriction(take_last_sentence(longer)):
            compared = GradeVerdict("undecided", reason=f"only one of them says that it is not {denied}")
    rivals = [*stated[0].rivals, *stated[1].rivals]
    if rivals and compared.outcome == "equal" and listed is None:
        said = answers[1] if stated[1].rivals else answers[0]
        compared = GradeVerdict("equal if", condition=f"{said} is meant, and not {', '.join(rivals)}")
    if speaks_of_eigenvectors(gold) and speaks_of_eigenvectors(pred):
        compared = compare_eigenvectors(gold, pred, comparison) or compared
    if any(map(take_spanned, (gold, pred))):
        compared = compare_spanned((gold, pred), answers, comparison) or compared
    if compared.outcome != "equal":
        labelled = _compare_labelled(gold, pred, answers, comparison)
        # Values with labels may be all that both state, but not beside other things that differ.
        is_complete = not parts or all(map(read_labelled, (gold, pred)))
        compared = labelled if labelled and (is_complete or labelled.outcome != "equal") else compared
    if policy.locale == "auto" and compared.outcome not in ("equal", "equal if"):
        compared = _consider_decimal_commas(*answers, compared, comparison)
    return Grade(compared.outcome, compared.condition, compared.witness, compared.reason, *answers)


def _is_denied_beside_labels(gold: str, pred: str) -> bool:
    """Return whether one text gives values with labels and the other one denies one."""
    denied = [text for text in (gold, pred) if DENIALS.find(tokenize(text)) is not None]
    if not denied:
        return False
    labelled = [text for text in (gold, pred) if read_labelled(text) is not None]
    return len(labelled) == 1 and any(text is not labelled[0] for text in denied)


def _compare_labelled(
    gold: str, pred: str, answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare values that have a label each, as `12 boys and 15 girls`, and what is said of a set in words;
    None where the sides do not say it of the same."""
    texts = gold[-_MOST_LABELLED:], pred[-_MOST_LABELLED:]
    has_words = [
        any(
            token.kind == "word" and len(token.text) > 2 and token.text not in CONNECTIVES
            for token in tokenize(one)
        )
        for one in texts
    ]
    if gold.strip("$ ").isdecimal() or not any(has_words):
        return None
    mine, theirs = (
        max(filter(None, map(read_labelled, (answer, take_last_sentence(text)))), key=len, default=None)
        for answer, text in zip(answers, texts, strict=True)
    )
    owned = pair_labels(mine, theirs) if mine is not None and theirs is not None else None
    if mine is not None and theirs is not None and owned is not None:
        return combine_verdicts(comparison.compare(mine[one], theirs[other]) for one, other in owned)
    for one, other, index in ((mine, theirs, 1), (theirs, mine, 0)):
        listed = list_unlabelled(one) if one is not None and other is None else None
        if listed is not None and isinstance(form := read_form(answers[index]), Many) and form.kind == "list":
            return comparison.compare(*((listed, form) if index else (form, listed)))
        curve = make_circle(one) or make_line(one) if one is not None and other is None else None
        if curve is not None and isinstance(form := read_form(answers[index]), RelationForm | Named):
            sides = (RelationForm(curve), form)
            return comparison.compare(*(sides if index else sides[::-1]))
    said, others = map(drop_remaining, map(split_word_answers, texts))
    for where, bare, index in ((said, others, 1), (others, said, 0)):
        # Of a bare set the question says what it is of.
        is_denied = DENIALS.find(tokenize(texts[1 - index])) is not None
        if len(where) == 1 and not bare and not has_words[index] and not is_denied:
            stated = read_form(translate_words(next(iter(where.values()))))
            set_alone = read_form(answers[index])
            return comparison.compare(*((stated, set_alone) if index else (set_alone, stated)))
    if said and said.keys() == others.keys():
        return combine_verdicts(
            comparison.compare(read_form(where), read_form(others[word])) for word, where in said.items()
        )
    return None


_MOST_LABELLED = 1_000
"""Characters at the end of a text in which values with labels are searched."""


def _consider_thousands(
    gold: str, pred: str, compared: GradeVerdict, comparison: AnswerComparison, languages: Iterable[str]
) -> GradeVerdict:
    """Return a verdict on answers in which a point may part thousands: 1.000 is 1, or 1000 as many write it.

    Args: languages: those of the texts, which decide where their decimals have a comma.
    """
    points = [[number for number in list_figures(text) if number.may_part_thousands] for text in (gold, pred)]
    if gold == pred or not any(points):
        return compared
    parted = judge_answers(join_thousands(gold), join_thousands(pred), comparison)
    if (parted.outcome == "equal") == (compared.outcome == "equal"):
        return compared
    shown = ".".join((points[0] or points[1])[0].groups)
    if compared.outcome == "equal":
        return replace(compared, reason=compared.reason or f"the point of {shown} is read as a decimal point")
    language = next(filter(has_decimal_comma, languages), "")
    if language:
        return replace(
            parted, reason=f"the point of {shown} parts thousands, as the language ({language}) does"
        )
    if all(set(number.groups[-1]) == {"0"} for numbers in points for number in numbers):
        return replace(parted, reason=f"the point of {shown} parts thousands, as the other side shows")
    return GradeVerdict("equal if", condition=f"the point of {shown} parts thousands")


def _consider_decimal_commas(
    gold: str, pred: str, compared: GradeVerdict, comparison: AnswerComparison
) -> GradeVerdict:
    """Return a verdict on answers in which a comma may part decimals: 3,5 is a list, or 3.5 to many."""
    points = [with_decimal_points(text, _OF_COMMAS) for text in (gold, pred)]
    if points == [gold, pred]:
        return compared
    if judge_answers(points[0], points[1], comparison).outcome != "equal":
        return compared
    shown, other = (gold, pred) if points[0] != gold else (pred, gold)
    forms = [read_form(one) for one in (shown, other)]
    values = [one.value if isinstance(one, Named) else one for one in forms]
    # Who writes 3.5 has no decimal commas, but 7/2 may be 3,5.
    exact = isinstance(values[1], Term) and not values[1].decimals
    if exact and isinstance(values[0], Many) and len(values[0].items) > 1:
        return GradeVerdict("equal", reason=f"the comma in {shown} is a decimal comma, beside one number")
    return GradeVerdict("equal if", condition=f"the comma in {shown} is a decimal comma")


_OF_COMMAS = "de"
"""A language whose decimals have a comma."""


_EXACTLY = Phrases(dict.fromkeys(("exactly", "exact", "genau", "exactement", "exactamente", "ровно"), ""))
_SPEAKS_OF_BASIS = Phrases(
    dict.fromkeys(("basis", "bases", "eigenspace", "Eigenraum", "base", "базис", "基"), "")
)
_SPEAKS_OF_INTERVAL = Phrases(
    dict.fromkeys(("interval", "CI", "Konfidenzintervall", "intervalle", "intervalo", "интервал", "区间"), "")
)
