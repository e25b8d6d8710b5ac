"""Values that a solution names to reject them: `x = 9 (x = -1 is rejected, as ln(-1) is undefined)`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import AnswerToken, Phrases, is_blank, text_at, tokenize

_REJECTIONS = Phrases(
    dict.fromkeys(
        (
            *(
                "rejected",
                "reject",
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
)


def drop_rejected(text: str) -> str:
    """Return a text without the clause that rejects a value, if a statement is left before it.

    >>> drop_rejected("x = 9 (x = -1 is rejected)"), drop_rejected("x = 4; the root x = 1 is extraneous.")
    ('x = 9', 'x = 4')
    """
    tokens = tokenize(text)
    found = next(_REJECTIONS.find_all(tokens, 0, len(tokens)), None)
    if found is None:
        return text
    first, last = _find_bracket(tokens, found[0])
    if not first or not _states_value(tokens[first:last]):
        end = first or found[0]
        begin = next((at for at in range(end - 1, 0, -1) if _is_boundary(tokens, at)), 0)
        first, last = begin, _find_end(tokens, max(last, found[1]))
    if not first or not _states_value(tokens[first:last]) or not _states_value(tokens[:first]):
        return text
    behind = text[tokens[last].start :].strip(" .") if last < len(tokens) else ""
    # What follows may state another value, which is left to the reader.
    return (
        text
        if any(one.kind == "digits" for one in tokenize(behind))
        else text[: tokens[first].start].rstrip()
    )


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
