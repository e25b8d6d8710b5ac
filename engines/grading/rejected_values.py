"""Values that a solution names to reject them: `x = 9 (x = -1 is rejected, as ln(-1) is undefined)`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import DENIALS
from engines.grading.tokens import AnswerToken, Phrases, is_blank, text_at, tokenize

_REJECTIONS = Phrases(
    dict.fromkeys(
        (
            *(
                "rejected",
                "extraneous",
                "discarded",
                "discard",
                "spurious",
                "inadmissible",
                "invalid",
            ),
            *(
                "is not valid",
                "does not satisfy",
                "doesn't satisfy",
                "is not a solution",
                "not in the domain",
            ),
            *("outside the domain", "does not work", "doesn't work", "not allowed", "not admissible"),
            *(
                "verworfen",
                "entfällt",
                "Scheinlösung",
                "keine Lösung ist",
                "ist keine Lösung",
                "rejetée",
                "à rejeter",
            ),
            *(
                "ne convient pas",
                "descarta",
                "descartada",
                "extraña",
                "не подходит",
                "посторонний",
                "舍去",
                "舍",
            ),
        ),
        "",
    )
)
_BOUNDARIES = (
    *(
        ";",
        ",",
        "，",
        "；",
        "but",
        "while",
        "whereas",
        "and",
        "or",
        "aber",
        "mais",
        "pero",
        "но",
        "а",
        "oder",
    ),
    *("或", "且", "и", "или", "ou", "und", "et"),
)


_LONGEST = 600
"""Characters of a text whose last sentences may reject a value; in a longer one other sentences may."""


def drop_rejected(text: str) -> str:
    """Return a text without the clause that rejects a value, and without that value before it.

    >>> drop_rejected("x = 9 (x = -1 is rejected)"), drop_rejected("x = 4 or x = 1, but x = 1 is extraneous.")
    ('x = 9', 'x = 4')
    """
    # A box says what the answer is, and hypotheses are rejected too.
    if (
        ("=" not in text and ";" not in text)
        or "boxed" in text
        or len(text) > _LONGEST
        or any(word in text for word in ("ypothes", "H_", "H₀", "гипотез", "假设"))
    ):
        return text
    tokens = tokenize(text)
    found = next(_REJECTIONS.find_all(tokens, 0, len(tokens)), None)
    if found is None:
        return text
    first, last = _find_bracket(tokens, found[0])
    if not first or not _states_value(tokens[first:last]):
        end = first or found[0]
        begin = next((at for at in range(end - 1, 0, -1) if _is_boundary(tokens, at)), 0)
        first, last = begin, _find_end(tokens, max(last, found[1]))
    behind = text[tokens[last].start :].strip(" .") if last < len(tokens) else ""
    # What follows may state another value, which is left to the reader.
    if first and any(one.kind == "digits" for one in tokenize(behind)):
        return text
    before = tokens[:first]
    if not first:
        # x = -1 is rejected, so x = 9
        begin = next((at for at in range(found[1], len(tokens)) if _is_boundary(tokens, at)), len(tokens))
        return text[tokens[begin].end :].strip() if _states_value(tokens[begin:]) else ""
    names_value = any(token.kind == "digits" for token in tokens[first : found[0]])
    is_part = text_at(tokens, first) == ";" and any(token.kind == "digits" for token in before)
    is_denied = DENIALS.find(tokens[first : found[0]]) is not None
    if names_value and is_part and not is_denied and "=" not in text:
        return text[: tokens[first].start].rstrip()  # 4 is the only solution; −1 is rejected
    if names_value and _states_value(before) and not _states_value(tokens[first:last]):
        return text[: tokens[first].start].rstrip()  # x = 4; −1 is extraneous
    if not _states_value(tokens[first:last]):
        # We get x = 3, but it is rejected.
        return "" if sum(one.text == "=" for one in before) == 1 else text
    if all(map(is_blank, before)):
        return text
    start, end = _find_again(tokens, first, _list_value(tokens[first:last]))
    if start and _states_value(before[:start]):
        rest = text[tokens[end].start : tokens[first].start] if end < first else ""
        kept = text[: tokens[start].start].rstrip()
        return kept if not any(one.kind == "digits" for one in tokenize(rest)) else text
    return text[: tokens[first].start].rstrip()


def _list_value(tokens: Sequence[AnswerToken]) -> list[str]:
    """Return the first equation of a clause as its tokens without blanks, as `x`, `=`, `-`, `1`."""
    said = [token for token in tokens if not is_blank(token) and token.text != "$"]
    sign = next((at for at, token in enumerate(said) if token.text == "="), 0)
    end = sign + 1
    while end < len(said) and (said[end].kind in ("digits", "command") or said[end].text in tuple("-−+/{}.")):
        end += 1
    return [token.text for token in said[max(sign - 1, 0) : end]]


def _find_again(tokens: Sequence[AnswerToken], last: int, value: list[str]) -> tuple[int, int]:
    """Return where an equation stands before a token, with the connective before it; zeros without one."""
    places = [at for at in range(last) if not is_blank(tokens[at]) and tokens[at].text != "$"]
    for at in range(len(places) - len(value), 0, -1):
        if [tokens[place].text for place in places[at : at + len(value)]] != value:
            continue
        begin = at - 1 if _is_boundary(tokens, places[at - 1]) else at
        if begin < at:
            return places[begin], places[at + len(value) - 1] + 1
    return 0, 0


def _is_boundary(tokens: Sequence[AnswerToken], at: int) -> bool:
    if tokens[at].text.lower() in _BOUNDARIES:
        return True
    return tokens[at].text == "." and at + 1 < len(tokens) and is_blank(tokens[at + 1])


def _find_bracket(tokens: Sequence[AnswerToken], at: int) -> tuple[int, int]:
    """Return where the round bracket around a token begins and ends; zeros without one."""
    depth = 0
    for begin in range(at, -1, -1):
        depth += (text_at(tokens, begin) in tuple(")）")) - (text_at(tokens, begin) in tuple("(（"))
        if depth < 0:
            break
    else:
        return 0, 0
    depth = 0
    for end in range(begin, len(tokens)):
        depth += (tokens[end].text in tuple("(（")) - (tokens[end].text in tuple(")）"))
        if not depth:
            return begin, end + 1
    return begin, len(tokens)


def _find_end(tokens: Sequence[AnswerToken], at: int) -> int:
    ends = (index for index in range(at, len(tokens)) if tokens[index].text in tuple(".。;\n"))
    return next(ends, len(tokens))


def _states_value(tokens: Sequence[AnswerToken]) -> bool:
    return any(token.kind == "digits" for token in tokens) and any(
        token.text in tuple("=∈") for token in tokens
    )
