"""Answers of several parts: `(a) 7; (b) 12` in their order, and a quotient with its remainder."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, Many, Named, UnreadForm
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, combine_verdicts, with_policy

_MOST_TOKENS = 120
_LOOSE = " .,;:$\n\\"


def read_parts(text: str) -> dict[str, str] | None:
    """Return the parts of an answer by their labels; None where it has none.

    >>> read_parts("(a) 7; (b) 12"), read_parts("f(a) = 7")
    ({'a': '7', 'b': '12'}, None)
    """
    tokens = tokenize(text) if text.count("(") > 1 else ()
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    labels = [at for at in range(len(tokens)) if _is_label(tokens, at)]
    # The labels count: a, b, c or 1, 2, 3.
    names = [tokens[at + 1].text.lower() for at in labels]
    wanted = next((order for order in _ORDERS if list(order[: len(names)]) == sorted(names)), None)
    if len(labels) < 2 or wanted is None or text[: tokens[labels[0]].start].strip(_LOOSE):
        return None
    ends = [*(tokens[at].start for at in labels[1:]), len(text)]
    parts = [text[tokens[at + 2].end : end].strip(_LOOSE) for at, end in zip(labels, ends, strict=True)]
    return dict(zip(names, parts, strict=True)) if all(parts) else None


_ORDERS = (tuple("abcdefgh"), tuple("12345678"), ("i", "ii", "iii", "iv"))


def _is_label(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a letter or number in brackets begins a part."""
    if text_at(tokens, at) != "(" or text_at(tokens, at + 2) != ")":
        return False
    before = at - 1
    while before >= 0 and (is_blank(tokens[before]) or tokens[before].text in ("\\ ", "\\quad", "$")):
        before -= 1
    spaced = at == 0 or before < at - 1 or tokens[before].text in tuple(",;.")
    return spaced and any(text_at(tokens, at + 1).lower() in order for order in _ORDERS)


def compare_parts(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare answers of which one has its parts in order; None where none has, or others."""
    mine, theirs = read_parts(gold), read_parts(pred)
    if mine is not None and theirs is not None:
        if mine.keys() != theirs.keys():
            return None
        return combine_verdicts(
            comparison.compare(read_form(part), read_form(theirs[label])) for label, part in mine.items()
        )
    parts = mine or theirs
    if parts is None:
        return None
    form = read_form((pred if mine is not None else gold).strip())
    items = form.items if isinstance(form, Many) and form.kind == "list" else ()
    if len(items) != len(parts):
        return None
    values: list[Form] = [item.value if isinstance(item, Named) else item for item in items]
    forms = [read_form(part) for part in parts.values()]
    if any(isinstance(one, UnreadForm) for one in (*values, *forms)):
        return None
    pairs = zip(forms, values, strict=True) if mine is not None else zip(values, forms, strict=True)
    compared = combine_verdicts(comparison.compare(*pair) for pair in pairs)
    return with_policy(compared, "the labels count the parts in their order")


_DIVISION = map_phrases(
    (
        ("quotient", "quotient, Quotient, cociente, quoziente, quociente, частное, 商"),
        (
            "remainder",
            "remainder, Rest, reste, resto, остаток, остатке, 余数, 余, 余り, あまり, R, r, rem",
        ),
        (
            "skip",
            "the, is, and, with, a, of, der, und, mit, le, et, el, y, con, il, e, o, и, в, est, ist, es",
        ),
        ("skip", "answer, =, :, è, é, q"),
    )
)


def read_division(text: str) -> tuple[str, str] | None:
    """Return the quotient and the remainder that a text states; None for other texts.

    >>> read_division("7 R 3"), read_division("The remainder is 3 and the quotient is 7")
    (('7', '3'), ('7', '3'))
    """
    plain = text.strip(" .")
    tokens = [token for token in unwrap_texts(tokenize(plain)) if token.text != "$"]
    said: dict[str, str] = {}
    named, value, begin = "", "", 0
    words = 0
    at = 0
    while at <= len(tokens):
        match = _DIVISION.match(tokens, at) if at < len(tokens) and _may_name(tokens, at) else None
        ends = at == len(tokens) or match is not None or tokens[at].text in (",", ";")
        if ends and value.strip():
            if not named and said:
                return None
            said.setdefault(named or "quotient", value.strip())
            named, value = "", ""
        if at == len(tokens):
            break
        if match is not None:
            begin = match[0]
            if match[1] != "skip":
                if named:
                    return None
                named = match[1]
                words += named == "remainder"
            at = begin
            continue
        token = tokens[at]
        if token.kind == "word" and len(token.text) > 1:
            return None
        value += "" if token.text in (",", ";") else token.text
        at += 1
    return (said["quotient"], said["remainder"]) if len(said) == 2 and words == 1 else None


def _may_name(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a token may name a part of a division: R alone only between two numbers, as in 7 R 3."""
    if tokens[at].text not in ("R", "r", "q", "e", "a", "o"):
        return True
    before = next((token for token in reversed(tokens[:at]) if not is_blank(token)), None)
    behind = next((token for token in tokens[at + 1 :] if not is_blank(token)), None)
    assigned = behind is not None and behind.text == "="
    between = (
        before is not None and before.kind == "digits" and behind is not None and behind.kind == "digits"
    )
    return assigned or between


def compare_divisions(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare quotients with their remainders; None where one of the texts states none."""
    mine = read_division(gold)
    theirs = read_division(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    pairs = zip(mine, theirs, strict=True)
    return combine_verdicts(comparison.compare(read_form(one), read_form(other)) for one, other in pairs)
