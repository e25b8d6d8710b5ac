"""The verb `grade`: whether an answer is that of the reference; of one pair, and of the pairs of a file."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.notebook_display import Tabular
from engines.core.rows import csv_cells, csv_rows, json_object, read_lines, readable_file, whole_rows
from engines.core.spec import Arg, Flat, exactly_one, make_refusal, specification
from engines.core.stored_rows import StoredRows
from engines.core.text import is_text
from engines.documents.reading import OnBad
from engines.formula.counting import COUNTS
from engines.formula.statement_view import Statement
from engines.formula.vocabulary import CONNECTIVES
from engines.grading.bases import compare_bases, compare_spanned
from engines.grading.bounds_in_words import close_ends, leaves_ends_open
from engines.grading.choices import Choice, read_choice
from engines.grading.compare import AnswerComparison
from engines.grading.compare_units import Units
from engines.grading.eigenvectors import compare_eigenvectors, speaks_of_eigenvectors
from engines.grading.final_answer import find_answer, take_last_sentence
from engines.grading.forms import Form, IntervalForm, Many, Matrix, Named, RelationForm, WordsForm
from engines.grading.free_letters import drop_freed
from engines.grading.labelled_values import make_circle, make_line, read_labelled
from engines.grading.locales import (
    Locale,
    find_language,
    has_decimal_comma,
    join_thousands,
    list_figures,
    with_decimal_points,
)
from engines.grading.meanings.compare_meanings import compare_meanings, has_words
from engines.grading.meanings.opposed_sentences import find_opposition
from engines.grading.normalising import normalise_text
from engines.grading.numbers import Term
from engines.grading.reading import form_of, read_form
from engines.grading.side_statements import find_other_statements
from engines.grading.spans import take_spanned
from engines.grading.tokens import Phrases, is_blank, text_at, tokenize
from engines.grading.unit_vectors import read_vector
from engines.grading.verdicts import GradeOutcome, GradeVerdict, combine_verdicts, with_policy
from engines.grading.word_answers import split_word_answers, state_opposites
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
) -> Grade:
    r"""Judge an answer, or a solution that ends in one, against a reference.

    Args: gold, pred: LaTeX, plain text or a whole solution. digits: compare numbers to so many decimals;
    None: exactly. units: `compare` them where both are given, `require` that of the reference, or `ignore`
    them. locale: the language of the texts, which says how decimals are written; `auto`: the one that a text
    shows. judge: who decides what needs mathematics.

    It never raises for what stands in the texts, needs no clock and may be called by several threads.
    Raises: EngineError E424 for digits or units that there are not.

    >>> grade("1/\\sqrt{n}", "\\sqrt{1/n}").verdict
    'equal'
    >>> grade(r"\{1, 2\}", r"So $x$ is \boxed{2} or \boxed{1}.").verdict
    'equal'
    >>> grade("1/3", "0.33").witness, grade("1/3", "0.33", digits=2).verdict
    ('1/3 and 33/100', 'equal')
    """
    return _grade_under(_check_policy(digits, units, locale), gold, pred, judge)


@lru_cache(maxsize=64, typed=True)
def _check_policy(digits: int | None, units: Units, locale: Locale) -> GradePolicy:
    """Return a policy, whose settings are checked once: a training grades millions of pairs under one."""
    return GradePolicy(digits, units, locale)


def _grade_under(policy: GradePolicy, gold: str, pred: str, judge: Judge | None = None) -> Grade:
    found = _grade_answers(policy, gold, pred, judge)
    # The answer may be the same, and what the sentence says of it may be the opposite.
    is_worded = gold != pred and (has_words(gold) or has_words(pred))
    if is_worded and found.verdict in ("equal", "equal if") and (opposed := find_opposition(gold, pred)):
        return replace(found, verdict="undecided", condition="", reason=opposed)
    return found


def _grade_answers(policy: GradePolicy, gold: str, pred: str, judge: Judge | None) -> Grade:
    stated = find_answer(gold, policy.locale, beside=pred), find_answer(pred, policy.locale, beside=gold)
    answers = stated[0].text, stated[1].text
    comparison = AnswerComparison(judge, policy.digits, policy.units)
    compared = judge_answers(*answers, comparison)
    meant = compare_meanings((gold, pred), answers, comparison) if gold != pred else None
    # What is not shown by meaning may still be shown by form, but nothing that one side says alone.
    if meant is not None and (meant.outcome != "undecided" or compared.outcome == "equal"):
        return Grade(meant.outcome, meant.condition, meant.witness, meant.reason, *answers)
    if compared.condition == _MARGIN and _SPEAKS_OF_INTERVAL.find(tokenize(gold + " " + pred)) is not None:
        compared = GradeVerdict("equal", reason=_MARGIN)
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
            (gold, pred), answers, lambda one, other: _are_equal(one, other, comparison)
        )
        if parts:
            compared = GradeVerdict("undecided", reason=f"the texts also state {parts}")
    if compared.outcome != "equal" and _SPEAKS_OF_BASIS.find(tokenize(gold + " " + pred)) is not None:
        compared = compare_bases(*answers, comparison) or compared
    if compared.outcome != "different" and may_list_properties(gold) and may_list_properties(pred):
        compared = compare_properties(take_last_sentence(gold), take_last_sentence(pred)) or compared
    if compared.outcome == "equal" and may_list_properties(gold) != may_list_properties(pred):
        # "Necessary but not sufficient" says more than "necessary".
        longer = gold if may_list_properties(gold) else pred
        if denied := find_restriction(take_last_sentence(longer)):
            compared = GradeVerdict("undecided", reason=f"only one of them says that it is not {denied}")
    rivals = [*stated[0].rivals, *stated[1].rivals]
    if rivals and compared.outcome == "equal":
        said = answers[1] if stated[1].rivals else answers[0]
        compared = GradeVerdict("equal if", condition=f"{said} is meant, and not {', '.join(rivals)}")
    if speaks_of_eigenvectors(gold) and speaks_of_eigenvectors(pred):
        compared = compare_eigenvectors(gold, pred, comparison) or compared
    if any(map(take_spanned, (gold, pred))):
        compared = compare_spanned((gold, pred), answers, comparison) or compared
    if compared.outcome != "equal":
        labelled = _compare_labelled(gold, pred, answers, comparison)
        # Values with labels may be all that both state, but not beside other things that differ.
        compared = labelled if labelled and not (parts and labelled.outcome == "equal") else compared
    if policy.locale == "auto" and compared.outcome not in ("equal", "equal if"):
        compared = _consider_decimal_commas(*answers, compared, comparison)
    return Grade(compared.outcome, compared.condition, compared.witness, compared.reason, *answers)


def _are_equal(one: str, other: str, comparison: AnswerComparison) -> bool:
    return judge_answers(one, other, comparison).outcome == "equal"


def _compare_labelled(
    gold: str, pred: str, answers: tuple[str, str], comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare values that have a label each, as `12 boys and 15 girls`, and what is said of a set in words;
    None where the sides do not say it of the same."""
    texts = gold[-_MOST_LABELLED:], pred[-_MOST_LABELLED:]
    has_words = (
        any(token.kind == "word" and len(token.text) > 2 for token in tokenize(one)) for one in texts
    )
    if gold.strip("$ ").isdecimal() or not any(has_words):
        return None
    mine, theirs = (
        next(filter(None, map(read_labelled, dict.fromkeys((answer, take_last_sentence(text))))), None)
        for answer, text in zip(answers, texts, strict=True)
    )
    if mine is not None and theirs is not None and mine.keys() == theirs.keys():
        return combine_verdicts(comparison.compare(value, theirs[label]) for label, value in mine.items())
    for one, other, index in ((mine, theirs, 1), (theirs, mine, 0)):
        curve = make_circle(one) or make_line(one) if one is not None and other is None else None
        if curve is not None and isinstance(form := read_form(answers[index]), RelationForm | Named):
            sides = (RelationForm(curve), form)
            return comparison.compare(*(sides if index else sides[::-1]))
    said, others = map(split_word_answers, texts)
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
    if exact and isinstance(values[0], Many) and len(values[0].items) == 2:
        return GradeVerdict("equal", reason=f"the comma in {shown} is a decimal comma, beside one number")
    return GradeVerdict("equal if", condition=f"the comma in {shown} is a decimal comma")


_OF_COMMAS = "de"
"""A language whose decimals have a comma."""


def judge_answers(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict:
    """Compare two answers that have no solution around them."""
    if gold.strip() and gold == pred:
        return GradeVerdict("equal")
    mine, theirs = _read_choice_with_text(gold), _read_choice_with_text(pred)
    if mine is not None or theirs is not None:
        return _judge_choices(gold, pred, mine, theirs, comparison)
    natural = _judge_readings(gold, pred, comparison)
    # Of two such answers neither says that it counts: P(2, 3) and P(3, 2) may be points.
    if natural.outcome != "equal" and _may_count(gold) != _may_count(pred):
        counted = _judge_readings(gold, pred, comparison, counts=True)
        policy = "C, P and A with two numbers count combinations and arrangements"
        if counted.outcome == "equal" or natural.outcome == counted.outcome == "different":
            return with_policy(counted, policy)
        return natural
    if natural.outcome in ("undecided", "unread") or "log" not in gold + pred:
        return natural
    common = _judge_readings(gold, pred, comparison, "10")
    if common.outcome == natural.outcome:
        return natural
    return GradeVerdict("undecided", reason="log without a base may be that to base 10 or the natural one")


def _may_count(text: str) -> bool:
    """Return whether a letter with two numbers or letters stands in an answer, as C_5^2 or P(n, k)."""
    tokens = tokenize(text)
    return any(
        token.text in COUNTS and text_at(tokens, at + 1) in tuple("_^(}") for at, token in enumerate(tokens)
    )


def _judge_readings(
    gold: str, pred: str, comparison: AnswerComparison, log_base: str = "", *, counts: bool = False
) -> GradeVerdict:
    try:
        gold_form, pred_form = (read_form(text, log_base, counts) for text in (gold, pred))
        compared = comparison.compare(gold_form, pred_form)
        if compared.outcome != "equal":
            compared = (
                _with_vectors(gold_form, pred_form, comparison)
                or _with_points(gold_form, pred_form, comparison)
                or _with_ratios(gold, pred, gold_form, pred_form, comparison)
                or _with_lists(gold, pred, gold_form, pred_form, comparison)
                or _with_margins(gold, pred, gold_form, pred_form, comparison)
                or _with_alternatives(gold, pred, gold_form, pred_form, comparison)
                or _with_ends(gold, pred, comparison, log_base)
                or _with_free_letters(gold, pred, comparison)
                or compared
            )
        elif leaves_ends_open(gold) != leaves_ends_open(pred):
            compared = GradeVerdict("equal if", condition="the bounds do not belong to what is between them")
    except Exception as error:  # noqa: BLE001  # one answer does not end an evaluation or a training
        return GradeVerdict("undecided", reason=f"it could not be judged ({type(error).__name__})")
    if compared.outcome == "equal" and not compared.reason:
        if any(map(_states_approximation, (gold, pred))):
            return replace(compared, reason="of a number and what it is about the exact side counts")
        if (
            isinstance(gold_form, Named)
            and isinstance(gold_form.value, Many)
            and gold_form.value.kind == "list"
        ):
            joins = [_list_joins(text) for text in (gold, pred)]
            if "and" in joins[0] ^ joins[1]:
                return replace(
                    compared, reason="values of one name that “and” joins are a list, as with “or”"
                )
    return compared


def _list_joins(text: str) -> set[str]:
    """Return which of "and" and "or" join the parts of an answer."""
    return {CONNECTIVES.get(token.text, "") for token in tokenize(text)} & {"and", "or"}


def _states_approximation(text: str) -> bool:
    return any(sign in text for sign in ("\\approx", "≈", "\\simeq"))


def _judge_choices(
    gold: str, pred: str, mine: Choice | None, theirs: Choice | None, comparison: AnswerComparison
) -> GradeVerdict:
    """Answers such as `(B) 15`: a letter is compared with the letter, anything else with the rest."""
    if mine is not None and theirs is not None:
        letters = judge_answers(mine.letter, theirs.letter, comparison)
        return judge_answers(mine.text, theirs.text, comparison) if letters.outcome == "equal" else letters
    choice = mine or theirs
    assert choice is not None
    other = read_form(pred if mine else gold)
    letter = other.text if isinstance(other, WordsForm | Term) else ""
    is_letter = len(letter) == 1 and "A" <= letter <= "J"
    part = choice.letter if is_letter else choice.text
    compared = judge_answers(part, pred, comparison) if mine else judge_answers(gold, part, comparison)
    policy = f"the {'letter' if is_letter else 'text'} of the choice counts"
    return replace(compared, reason=compared.reason or policy) if compared.outcome == "equal" else compared


def _read_choice_with_text(text: str) -> Choice | None:
    choice = read_choice(text)
    return choice if choice is not None and choice.text else None


def _with_vectors(one: Form, other: Form, comparison: AnswerComparison) -> GradeVerdict | None:
    r"""`3\mathbf i + 4\mathbf j` is (3, 4) where the other side is a vector, and (3, 4, 0) where that is in
    space."""
    one, other = (_drop_name(side) for side in (one, other))
    vectors = [
        isinstance(side, Matrix) or (isinstance(side, Many) and side.kind == "tuple") for side in (one, other)
    ]
    written = [
        read_vector(side, is_beside=beside)
        for side, beside in zip((one, other), reversed(vectors), strict=True)
    ]
    if not any(written):
        return None
    sides = [mine or plain for mine, plain in zip(written, (one, other), strict=True)]
    if not all(
        isinstance(side, Matrix) or (isinstance(side, Many) and side.kind == "tuple") for side in sides
    ):
        return None
    most = max(len(side.items) if isinstance(side, Many) else len(side.rows) for side in sides)  # type: ignore[union-attr]
    filled = [
        replace(side, items=(*side.items, Term("0", Fraction(0), 0)))
        if mine is not None and isinstance(side, Many) and len(side.items) == 2 and most == 3
        else side
        for mine, side in zip(written, sides, strict=True)
    ]
    return comparison.compare(*filled)


def _drop_name(form: Form) -> Form:
    """Return a tuple or matrix without the name of a vector before it."""
    return form.value if isinstance(form, Named) and isinstance(form.value, Many | Matrix | Term) else form


def _with_points(one: Form, other: Form, comparison: AnswerComparison) -> GradeVerdict | None:
    """A(1, 2) is the point (1, 2) where the other side is one without a name."""
    sides = [one, other]
    for index, (side, beside) in enumerate(((one, other), (other, one))):
        tree = side.tree if isinstance(side, Term) else None
        if tree is None or tree.label != "call" or not isinstance(beside, Many) or beside.kind != "tuple":
            continue
        name, *coordinates = tree.children
        if name.label.isupper() and len(coordinates) == len(beside.items):
            sides[index] = Many("tuple", tuple(map(form_of, coordinates)))
            return with_policy(comparison.compare(*sides), f"{name.label} is the name of the point")
    return None


_RATIO_WORDS = (":", "to", "zu", "к", "比", "à")


def _with_ratios(
    gold: str, pred: str, one: Form, other: Form, comparison: AnswerComparison
) -> GradeVerdict | None:
    """`2 to 3`, and 10:14 which may be a time, are ratios where the other side is one."""
    for text, mine, theirs in ((gold, one, other), (pred, other, one)):
        ratio = theirs.value if isinstance(theirs, Named) else theirs
        said = [token.text for token in tokenize(text) if not is_blank(token)]
        figures = len(said) == 3 and said[0].isdecimal() and said[2].isdecimal() and said[2][0] != "0"
        if figures and said[1] in _RATIO_WORDS and isinstance(ratio, Many) and ratio.kind == "ratio":
            read = Many("ratio", (read_form(said[0]), read_form(said[2])))
            return comparison.compare(*((read, theirs) if mine is one else (theirs, read)))
    return None


def _with_lists(
    gold: str, pred: str, one: Form, other: Form, comparison: AnswerComparison
) -> GradeVerdict | None:
    """`100,200` is a number, and a list where the other side is one."""
    for text, mine, theirs in ((gold, one, other), (pred, other, one)):
        if not isinstance(theirs, Many) or isinstance(mine, Many):
            continue
        plain = normalise_text(text)
        if "," in plain and plain.replace(",", "").isdigit():
            listed = read_form(plain.replace(",", ", "))
            compared = comparison.compare(*((listed, theirs) if mine is one else (theirs, listed)))
            if compared.outcome == "equal":
                return compared
    return None


_EXACTLY = Phrases(dict.fromkeys(("exactly", "exact", "genau", "exactement", "exactamente", "ровно"), ""))
_SPEAKS_OF_BASIS = Phrases(
    dict.fromkeys(("basis", "bases", "eigenspace", "Eigenraum", "base", "базис", "基"), "")
)
_MARGIN = "what is behind ± is the margin of an interval"
_SPEAKS_OF_INTERVAL = Phrases(
    dict.fromkeys(("interval", "CI", "Konfidenzintervall", "intervalle", "intervalo", "интервал", "区间"), "")
)


def _with_margins(
    gold: str, pred: str, one: Form, other: Form, comparison: AnswerComparison
) -> GradeVerdict | None:
    """`5 ± 0.8` may give the ends of an interval, where the other side is one."""
    for text, mine, theirs in ((gold, one, other), (pred, other, one)):
        bounds = theirs.value if isinstance(theirs, Named) else theirs
        if isinstance(bounds, Many) and bounds.kind == "tuple" and len(bounds.items) == 2:
            bounds = IntervalForm(bounds.items[0], bounds.items[1], (False, False))
        ends = mine.value if isinstance(mine, Named) else mine
        if not isinstance(bounds, IntervalForm) or not isinstance(ends, Many) or len(ends.items) != 2:
            continue
        if any(sign in text for sign in ("±", "\\pm")):
            read = IntervalForm(ends.items[1], ends.items[0], bounds.closed)
            compared = comparison.compare(*((read, bounds) if mine is one else (bounds, read)))
            if compared.outcome != "equal":
                return compared
            # Solutions are exact, but a margin is measured.
            if all(isinstance(end, Term) and _has_decimal(end) for end in ends.items):
                return GradeVerdict("equal", reason=_MARGIN)
            return GradeVerdict("equal if", condition=_MARGIN)
    return None


def _has_decimal(term: Term) -> bool:
    return term.tree is not None and any("." in label for label in term.tree.list_labels())


def _with_alternatives(
    gold: str, pred: str, one: Form, other: Form, comparison: AnswerComparison
) -> GradeVerdict | None:
    """`x < 1, x > 2` may say that one of both holds, if no word says that both do."""
    joined = any("and" in _list_joins(text) for text in (gold, pred))
    return None if joined else comparison.compare_alternatives(one, other)


def _with_free_letters(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """`cx` is `cx for any real c` where only one side says what may stand for the letter."""
    bare = drop_freed(gold), drop_freed(pred)
    if (bare[0] == gold) == (bare[1] == pred):
        return None
    forms = [read_form(text) for text in bare]
    # What the other side says of the letter may be a limit, as |x| < 1.
    if any(isinstance(form, Statement) and form.tree.label == "such" for form in forms):
        return None
    compared = comparison.compare(*forms)
    if compared.outcome != "equal":
        return None
    return with_policy(compared, "only one of them says which numbers the letters are")


def _with_ends(gold: str, pred: str, comparison: AnswerComparison, log_base: str) -> GradeVerdict | None:
    """`between 1 and 5` is from 1 to 5 if these are meant too."""
    closed = [close_ends(text) if leaves_ends_open(text) else text for text in (gold, pred)]
    if closed == [gold, pred]:
        return None
    compared = comparison.compare(read_form(closed[0], log_base), read_form(closed[1], log_base))
    if compared.outcome != "equal":
        return None
    return GradeVerdict("equal if", condition="the bounds belong to what is between them")


# ---- the pairs of a file

_PROGRESS_EVERY = 1_000
_REMEDY = (
    'Each line is {"gold": "…", "pred": "…"}, or the first line of a CSV names the columns gold and pred.'
)


@specification
class GradePairs:
    """Grade answers against references: equal, equal if, different, undecided or unread.

    An answer is LaTeX, plain text or a whole solution, in which the final answer is found. Only "equal" means
    that it is right; "equal if" gives the condition, "different" a witness, the other two a reason.
    """

    pairs: Annotated[
        Path | None,
        Arg("JSON Lines or CSV with gold and pred; - is standard input.", option=False, inline=".jsonl"),
    ] = None
    gold: Annotated[str | None, Arg("A reference, instead of a file.", metavar="TEXT")] = None
    pred: Annotated[str | None, Arg("The answer to it.", metavar="TEXT")] = None
    policy: Annotated[GradePolicy, Flat()] = GradePolicy()

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(
            self, pairs: Path | None = None, gold: str | None = None, pred: str | None = None, **settings: Any
        ) -> None: ...


@dataclass(frozen=True, slots=True)
class Graded(Tabular):
    """Each pair with its verdict, and how many have which; `complete`: it was not stopped."""

    results: StoredRows
    totals: dict[str, int]
    complete: bool = True

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        names = ("line", "verdict", "gold", "pred", "condition", "witness", "reason")
        said = ", ".join(f"{count:,} {name}" for name, count in self.totals.items() if count)
        return said, names, ([row.get(name) for name in names] for row in self.results)


def grade_pairs(spec: GradePairs, *, events: Sink = ignore, stop: Stop = never) -> Graded:
    """Grade a file, or one pair. Raises: DataError where none of the rows can be used; EngineError E402 or
    E427 for a pair that is not whole or is given besides a file."""
    exactly_one({"PAIRS": spec.pairs, "--gold": spec.gold}, "Name a file, or give --gold and --pred.")
    if (spec.gold is None) != (spec.pred is None):
        missing = "--gold" if spec.gold is None else "--pred"
        raise make_refusal(f"{missing} is needed", "E402", "Give --gold and --pred.")
    graded = _Grading()
    if spec.gold is not None and spec.pred is not None:
        graded.add_grade(1, {}, _grade_under(spec.policy, spec.gold, spec.pred))
        return graded.finish_grading()
    assert spec.pairs is not None

    bad: deque[DataError] = deque()

    def add_bad(before: float) -> None:
        """Put the rows that could not be read among the others, where their lines stand."""
        while bad and (bad[0].line or 0) < before:
            error = bad.popleft()
            events(Event("warning", {"message": str(error)}))
            graded.add_grade(error.line or 0, {}, Grade("unread", reason=f"{error.where}: {error.what}"))
            graded.bad = graded.bad or error
            graded.bad_count += 1

    with readable_file(spec.pairs) as path:
        for number, row in _read_rows(path, bad.append):
            add_bad(number)
            if stop():
                return graded.finish_grading(complete=False)
            graded.add_grade(number, row, _grade_under(spec.policy, row["gold"], row["pred"]))
            if len(graded.rows) % _PROGRESS_EVERY == 0:
                events(Event("progress", {"done": len(graded.rows), "total": None, "unit": "pairs"}))
        add_bad(math.inf)
        if len(graded.rows) == graded.bad_count:
            raise graded.bad or DataError("there are no pairs", path=path, code="E317", remedy=_REMEDY)
    return graded.finish_grading()


def grades_document(graded: Graded) -> dict[str, Any]:
    """Return graded pairs for JSON: results, totals, and whether all pairs were graded."""
    return {"results": graded.results, "totals": graded.totals, "complete": graded.complete}


def exit_code(document: Mapping[str, Any]) -> int:
    """Return the exit code: 0 only if every answer is right; 130 if stopped."""
    if not document["complete"]:
        return 130
    return 0 if document["totals"]["equal"] == document["totals"]["pairs"] else 1


class _Grading:
    """What is graded so far: its rows, which go to the disk, how many have which verdict, and the first row
    that could not be read."""

    def __init__(self) -> None:
        self.rows, self.bad_count = StoredRows(), 0
        self.bad: DataError | None = None
        self._counts: Counter[str] = Counter()

    def add_grade(self, line: int, row: Mapping[str, Any], grade: Grade) -> None:
        named = {"id": row["id"]} if isinstance(row.get("id"), str | int) else {}
        self.rows.append({"line": line, **named, **asdict(grade)})
        self._counts[grade.verdict] += 1

    def finish_grading(self, *, complete: bool = True) -> Graded:
        totals = {"pairs": len(self.rows), **{name: self._counts[name] for name in get_args(GradeOutcome)}}
        return Graded(self.rows, {**totals, "bad rows": self.bad_count}, complete)


def _read_rows(path: Path, on_bad: OnBad) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the pairs of a file with their lines; JSON Lines begin with a brace, CSV with the names of
    columns."""
    lines = read_lines(path, on_bad=on_bad)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    rows = _json_rows if first[1].lstrip().startswith(("{", "[")) else _csv_rows
    for number, row in rows(chain([first], lines), path, on_bad):
        what = _describe_missing(row)
        if what:
            on_bad(_bad_line_error(what, path, number))
        else:
            pair = {key: row[key] for key in ("gold", "pred")}
            texts = {key: value if isinstance(value, str) else repr(value) for key, value in pair.items()}
            yield number, {**row, **texts}


def _describe_missing(row: Mapping[str, Any]) -> str:
    for key in ("gold", "pred"):
        value = row.get(key)
        if value is None:
            return f"the row has no {key}"
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return f"{key} is {type(value).__name__}, and text or a number is needed"
        if isinstance(value, float) and value - value != 0:
            return f"{key} is {value}, and a finite number is needed"
        if isinstance(value, str) and not is_text(value):
            return f"the text {key!r} holds half of a UTF-16 pair"
    return ""


def _bad_line_error(what: str, path: Path, line: int) -> DataError:
    return DataError(what, path=path, line=line, code="E317", remedy=_REMEDY)


def _json_rows(
    lines: Iterator[tuple[int, str]], path: Path, on_bad: OnBad
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in whole_rows(lines, path):
        try:
            yield number, json_object(line)
        except ValueError as error:
            on_bad(_bad_line_error(str(error), path, number))


def _csv_rows(
    lines: Iterator[tuple[int, str]], path: Path, on_bad: OnBad
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a CSV; a row that goes over several lines has the number of its first."""
    at, header = next(lines)
    delimiter = max(",;\t", key=header.count)
    columns = [name.strip() for name in csv_cells(header, delimiter)]
    missing = [name for name in ("gold", "pred") if name not in columns]
    twice = [name for name in ("gold", "pred") if columns.count(name) > 1]
    if twice:
        raise _bad_line_error(f"there are two columns {twice[0]}", path, at)
    if missing:
        raise _bad_line_error(f"there is no column {' nor '.join(missing)}", path, at)
    for row in csv_rows(lines, delimiter, strict=True):
        if row.wrong:
            on_bad(_bad_line_error(f"the row is no CSV: {row.wrong}", path, row.line))
        elif len(row.cells) > len(columns):
            what = f"the row has {len(row.cells)} cells, and there are {len(columns)} columns"
            on_bad(_bad_line_error(what, path, row.line))
        elif row.cells:
            yield row.line, dict(zip(columns, row.cells, strict=False))
