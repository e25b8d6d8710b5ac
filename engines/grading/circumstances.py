"""Values with where they are taken: `-3 (when x = 2)`, `at x = 2 the minimum is -3`, 5（x=2 のとき）.

The circumstance is cut out of its text, so that what is left is a value like any other; the place is compared
by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.core.tree import Tree
from engines.grading.answer_vocabulary import CIRCUMSTANCES_BEHIND, PLACE_WORDS, make_phrases
from engines.grading.final_answer import find_answer
from engines.grading.forms import Named
from engines.grading.numbers import Term
from engines.grading.reading import is_calculation, read_form
from engines.grading.tokens import AnswerToken, is_blank, join_formulas, skip_blanks, text_at, tokenize
from engines.grading.translated_vocabulary import PLACES
from engines.grading.word_answers import EXTREMES
from engines.language.numerals import with_ascii_digits

_LONGEST = 160
"""Characters of a text that is no solution."""
_OPENING, _CLOSING = ("(", "（"), (")", "）")
_BETWEEN = make_phrases(
    "which, that, is, it, it is, this, and, and is, and it is, and occurs, being, being, wird"
    ", und wird, und, was",
    "et est, et il est, il est, est, ce qui est, y se, que se, se, ed è, è, e é, и, это, 此时",
    "此時, その時, ,",
    "，, 、, happens, happening, this happens, the point, the value, namely",
)
"""Words and marks between a value and those for its place."""
_BEHIND = make_phrases(
    "angenommen, erreicht, an, atteint, alcanza, raggiunto, 取得, をとる, を取る, となる, になる",
    "取到, 达到, 有, で, に, ,, ，, 、",
)
"""Words behind a place that say that a value is taken there."""
_AT_BEHIND = make_phrases("で, において, 에서")
"""Words for `at` behind a place."""
_ASKS_PLACE = make_phrases(
    "where, at which, at what, for which, for what, when does, find x, find the point, coordinates"
    ", wo, an welcher",
    "für welches, bei welchem, où, en quel, pour quelle, pour quel, dónde, en qué, para qué, dove"
    ", per quale, где",
    "при каком, при каких, в какой точке, どこ, そのときの, 何处, 此时, x 的值, xの値, 時の",
)
"""Words of a question for where a value is taken."""


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """A text without the circumstance in it, and the equation that says where its value is taken."""

    value: str
    place: str

    def is_at(self, argument: Tree) -> bool:
        """Return whether the value is taken at a number."""
        form = read_form(self.place)
        value = form.value if isinstance(form, Named) else form
        return isinstance(value, Term) and value.text.strip() == argument.label

    def spell_point(self) -> str:
        """Return the point that the place and the value are."""
        place = read_form(self.place)
        at = place.value if isinstance(place, Named) else place
        return f"({getattr(at, 'text', '')}, {self.spell_number()})"

    def spell_number(self) -> str:
        """Return the value without its name; "" for what is no number."""
        form = read_form(find_answer(self.value).text)
        value = form.value if isinstance(form, Named) else form
        return value.text if isinstance(value, Term) and is_calculation(value) else ""


def asks_place(problem: str) -> bool:
    """Return whether a question asks where a value is taken."""
    return _ASKS_PLACE.find(tokenize(problem)) is not None


def asks_extreme(problem: str) -> bool:
    """Return whether a question asks for a greatest or least value alone."""
    return EXTREMES.find(tokenize(problem)) is not None and not asks_place(problem)


def states_only_place(problem: str, gold: str, pred: str) -> bool:
    """Return whether an answer only says where a value is taken although a question asks for the value.

    >>> states_only_place("Find the maximum of f.", "4", "at x = 4")
    True
    >>> states_only_place("Where is the maximum?", "4", "at x = 4")
    False
    """
    tokens = [token for token in tokenize(pred) if not is_blank(token) and token.text != "$"]
    place = PLACES.match(tokens, 0)
    if place is None or "=" not in pred or not isinstance(read_form(gold), Term):
        return False
    words = any(token.kind == "word" and len(token.text) > 1 for token in tokens[place[0] :])
    return not words and "," not in pred and asks_extreme(problem)


def split_placed(text: str) -> PlacedValue | None:
    """Return the value of a short text and where it is taken; None where it does not say both.

    >>> split_placed("-3 (when x = 2)"), split_placed("at x = 2 the minimum is -3")
    (PlacedValue(value='-3', place='x = 2'), PlacedValue(value='the minimum is -3', place='x = 2'))
    """
    text = with_ascii_digits(text.strip())
    if "=" not in text or len(text) > _LONGEST:
        return None
    tokens = join_formulas(text, tokenize(text))
    found: list[PlacedValue] = []
    behind = 0
    for at in range(len(tokens)):
        if at < behind:
            continue
        end = _match_place(tokens, at)
        span = _widen(tokens, at, end) if end else None
        if span is not None:
            behind = end
            before, after = text[: tokens[span[0]].start], text[tokens[span[1] - 1].end :]
            rest = f"{before.rstrip(_LOOSE)} {after.lstrip(_LOOSE)}".strip(_LOOSE + ".。")
            place = text[tokens[at].start : tokens[end - 1].end].strip("$ .")
            found.append(PlacedValue(rest, place))
    return found[0] if len(found) == 1 and _states_number(found[0].value) else None


_LOOSE = " ,，、\n"


def _states_number(text: str) -> bool:
    """Return whether a text states one number and no other relation than that it is equal to something."""
    tokens = tokenize(text)
    if any(token.text in _RELATIONS for token in tokens):
        return False
    figures = [at for at, token in enumerate(tokens) if token.kind == "digits"]
    return bool(figures) or any(token.text in ("π", "\\pi", "e") for token in tokens)


_RELATIONS = (*"<>≤≥≠∈", "\\le", "\\ge", "\\in", "\\ne", "\\leq", "\\geq", "\\neq", "or", "oder", "ou", "и")


def _match_place(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind equations of letters and numbers that begin at a token, as `x = 2, y = 4` and
    `x = y = 5`; 0 for none."""
    end = _match_equation(tokens, at)
    while end:
        join = skip_blanks(tokens, end)
        following = skip_blanks(tokens, join + 1)
        is_joined = text_at(tokens, join) in _ANDS and following < len(tokens)
        further = _match_equation(tokens, following) if is_joined else 0
        if not further:
            break
        end = further
    return end


_ANDS = (",", "，", "、", "and", "und", "et", "y", "e", "и")


def _match_equation(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind an equation of a letter and a number that begins at a token; 0 for none."""
    if tokens[at].kind == "formula":
        return at + 1 if _is_place(tokens[at].text) else 0
    glued = at > 0 and not is_blank(tokens[at - 1]) and text_at(tokens, at - 1)[:1].isascii()
    if (
        tokens[at].kind != "word"
        or len(tokens[at].text) > 1
        or (glued and tokens[at - 1].text not in _OPENING)
    ):
        return 0
    sign = skip_blanks(tokens, at + 1)
    if text_at(tokens, sign) != "=":
        return 0
    end = skip_blanks(tokens, sign + 1)
    if text_at(tokens, skip_blanks(tokens, end + 1)) == "=" and end < len(tokens):
        return _match_equation(tokens, end)  # x = y = 5
    while end < len(tokens) and not _ends_formula(tokens[end]):
        end += 1
    while is_blank(tokens[end - 1]):
        end -= 1
    said = "".join(token.text for token in tokens[at:end])
    return end if _is_place(said) else 0


def _ends_formula(token: AnswerToken) -> bool:
    is_word = token.kind == "word" and (len(token.text) > 1 or not token.text.isascii()) and token.text != "π"
    return is_word or token.text in (*",，、;:。", *_CLOSING) or token.kind == "formula"


def _is_place(formula: str) -> bool:
    """Return whether a formula gives a letter a number."""
    name = formula.partition("=")[0].strip()
    form = read_form(formula) if len(name) == 1 and name.isalpha() else None
    return isinstance(form, Named) and is_calculation(form.value)


def _widen(tokens: Sequence[AnswerToken], first: int, last: int) -> tuple[int, int] | None:
    """Return where a place begins and ends with the words that make a circumstance of it; None for none."""
    start, is_placed = _skip_before(tokens, first)
    end = last
    while end < len(tokens):
        at = skip_blanks(tokens, end)
        behind = CIRCUMSTANCES_BEHIND.match(tokens, at) or _AT_BEHIND.match(tokens, at)
        taken = _BEHIND.match(tokens, at) or PLACE_WORDS.match(tokens, at)
        if behind is not None:
            end, is_placed = behind[0], True
        elif is_placed and taken is not None:
            end = taken[0]
        elif text_at(tokens, at) in _CLOSING and any(token.text in _OPENING for token in tokens[start:first]):
            return start, at + 1
        else:
            break
    return (start, end) if is_placed else None


def _skip_before(tokens: Sequence[AnswerToken], first: int) -> tuple[int, bool]:
    """Return where the words begin that lead to a place, and whether they make a circumstance of it."""
    start, is_placed = first, False
    while start:
        before = start
        while before and is_blank(tokens[before - 1]):
            before -= 1
        if (words := PLACE_WORDS.match_before(tokens, before)) is not None:
            start, is_placed = words[0], True
        elif (filler := _BETWEEN.match_before(tokens, before)) is not None:
            start = filler[0]
        elif before and tokens[before - 1].text in _OPENING and not _is_called(tokens, before - 1):
            return before - 1, True
        else:
            break
    return start, is_placed


def _is_called(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a bracket has an argument, as that of `P(X = 2)`."""
    before = text_at(tokens, at - 1)
    return tokens[at].text == "(" and before.isalpha() and before.isascii()
