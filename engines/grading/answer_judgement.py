"""Compare two answers that have no solution around them: choices, and forms as either side may mean them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from engines.formula.counting import COUNTS
from engines.formula.statement_view import Statement
from engines.formula.vocabulary import CONNECTIVES
from engines.grading.bounds_in_words import close_ends, leaves_ends_open
from engines.grading.choices import Choice, read_choice
from engines.grading.compare import AnswerComparison
from engines.grading.compare_units import compare_unit_names
from engines.grading.forms import Form, IntervalForm, Many, Matrix, Named, WordsForm
from engines.grading.free_letters import drop_freed
from engines.grading.listed_objects import compare_continued_fractions
from engines.grading.normalising import normalise_text
from engines.grading.numbers import Term
from engines.grading.ordered_products import compare_vector_products
from engines.grading.parametrised_curves import SAME_CURVE
from engines.grading.reading import form_of, is_constant, read_form
from engines.grading.roman_numerals import compare_roman
from engines.grading.tokens import is_blank, text_at, tokenize
from engines.grading.unit_vectors import read_vector
from engines.grading.verdicts import GradeVerdict, with_policy


def are_equal(one: str, other: str, comparison: AnswerComparison) -> bool:
    """Return whether two answers that have no solution around them are shown to be the same."""
    return judge_answers(one, other, comparison).outcome == "equal"


def judge_answers(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict:
    """Compare two answers that have no solution around them."""
    if gold.strip() and gold == pred:
        return GradeVerdict("equal")
    if (fractions := compare_continued_fractions(gold, pred)) is not None:
        return fractions
    if (vectors := compare_vector_products(gold, pred)) is not None:
        return vectors
    if (numeral := compare_roman(gold, pred)) is not None:
        return numeral
    mine, theirs = _read_choice_with_text(gold), _read_choice_with_text(pred)
    if mine is not None or theirs is not None:
        return _judge_choices(gold, pred, mine, theirs, comparison)
    natural = _judge_readings(gold, pred, comparison)
    if natural.outcome != "equal" and (units := compare_unit_names(gold, pred)) is not None:
        return units
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
                or _with_order(gold_form, pred_form, comparison)
                or _with_ratios(gold, pred, gold_form, pred_form, comparison)
                or _with_lists(gold, pred, gold_form, pred_form, comparison)
                or _with_margins(gold, pred, gold_form, pred_form, comparison)
                or _with_alternatives(gold, pred, gold_form, pred_form, comparison)
                or _with_ends(gold, pred, comparison, log_base)
                or _with_free_letters(gold, pred, comparison)
                or compared
            )
        elif leaves_ends_open(gold) != leaves_ends_open(pred) and compared.reason != SAME_CURVE:
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
    vectors = [_is_vector(side) for side in (one, other)]
    written = [
        read_vector(side, is_beside=beside)
        for side, beside in zip((one, other), reversed(vectors), strict=True)
    ]
    if not any(written):
        return None
    sides = [mine or plain for mine, plain in zip(written, (one, other), strict=True)]
    if not all(map(_is_vector, sides)):
        return None
    most = max(map(_count_entries, sides))
    filled = [
        replace(side, items=(*side.items, Term("0", Fraction(0), 0)))
        if mine is not None and isinstance(side, Many) and len(side.items) == 2 and most == 3
        else side
        for mine, side in zip(written, sides, strict=True)
    ]
    return comparison.compare(*filled)


def _is_vector(form: Form) -> bool:
    """Return whether a form is a tuple or matrix, or a multiple of a tuple."""
    if isinstance(form, Term) and form.tree is not None and form.tree.label in ("*", "/"):
        return any(part.label == "tuple" for part in form.tree.children)
    return isinstance(form, Matrix) or (isinstance(form, Many) and form.kind == "tuple")


def _count_entries(form: Form) -> int:
    if isinstance(form, Many):
        return len(form.items)
    if isinstance(form, Matrix):
        return len(form.rows)
    tree = form.tree if isinstance(form, Term) else None
    return max((len(part.children) for part in tree or () if part.label == "tuple"), default=0)


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


def _with_order(one: Form, other: Form, comparison: AnswerComparison) -> GradeVerdict | None:
    """`0.4 < 0.45 < 0.5` puts numbers in the order of a list of them."""
    for chain, listed in ((one, other), (other, one)):
        if not isinstance(listed, Many) or listed.kind != "list" or not isinstance(chain, Statement):
            continue
        links = chain.tree.children if chain.tree.label == "and" else ()
        labels = {link.label for link in links}
        chained = all(before.children[-1] == after.children[0] for before, after in pairwise(links))
        if len(labels) != 1 or not labels <= {"<", ">", "<=", ">="} or not chained or not links:
            continue
        sides = [*(link.children[0] for link in links), links[-1].children[1]]
        if not all(map(is_constant, sides)):
            continue
        items = tuple(map(form_of, sides))
        # A chain of the answer may be written from the other end, but not a list beside the reference.
        orders = [Many("tuple", order) for order in ((items, items[::-1]) if chain is other else (items,))]
        tuple_form = Many("tuple", listed.items)
        for order in orders:
            compared = comparison.compare(*((order, tuple_form) if chain is one else (tuple_form, order)))
            if compared.outcome == "equal":
                return GradeVerdict("equal", reason="the chain puts them in this order")
    return None


_RATIO_WORDS = (":", "to", "zu", "к", "比", "à")


def _with_ratios(
    gold: str, pred: str, one: Form, other: Form, comparison: AnswerComparison
) -> GradeVerdict | None:
    """`2 to 3`, and 10:14 which may be a time, are ratios where the other side is one."""
    for text, mine, theirs in ((gold, one, other), (pred, other, one)):
        ratio = theirs.value if isinstance(theirs, Named) else theirs
        said = [token.text for token in tokenize(text) if not is_blank(token)]
        members = said[0::2]
        figures = len(said) > 2 and all(one.isdecimal() and one[0] != "0" for one in members)
        joined = (
            len({*said[1::2]}) == 1 and said[1] in _RATIO_WORDS and len(said) % 2 == 1 if figures else False
        )
        if joined and isinstance(ratio, Many) and ratio.kind == "ratio":
            read = Many("ratio", tuple(map(read_form, members)))
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


MARGIN = "what is behind ± is the margin of an interval"
"""The reason or condition where one side is an interval and the other gives its middle and margin."""


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
                return GradeVerdict("equal", reason=MARGIN)
            return GradeVerdict("equal if", condition=MARGIN)
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
