"""Where a solution says its answer: its boxes, and the announcements such as `the answer is`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engines.grading.answer_vocabulary import FORMAT, JOINS, MOST_BOXES, REASONS, WORDS_BETWEEN
from engines.grading.locales import match_announcement, may_announce
from engines.grading.tokens import AnswerToken, is_blank, match_braces, skip_blanks, text_at

LOOSE = " \n\t.,;:!*$。，"
"""Signs at an end of an answer that say nothing."""


def find_boxed(text: str, tokens: Sequence[AnswerToken]) -> str | None:
    r"""Return what the last `\boxed` holds, with those before it that are joined to it; None without one."""
    starts = [
        at
        for at, token in enumerate(tokens)
        if token.text in ("\\boxed", "\\fbox") or (token.text == "boxed" and text_at(tokens, at + 1) == "{")
    ]
    closing = match_braces(tokens) if starts else {}
    boxes: list[tuple[int, int, str]] = []
    # From the last box backwards, as long as boxes are members of one list (`\boxed{1}` and `\boxed{2}`).
    for at in reversed(starts[-MOST_BOXES:]):
        inside, end = _read_box(text, tokens, at, closing)
        if boxes and not is_list_separator(tokens[end : boxes[-1][0]]):
            break
        if inside and (not boxes or end <= boxes[-1][0]):
            boxes.append((at, end, inside))
    if not boxes:
        return None
    boxes.reverse()
    between = [tokens[one[1] : other[0]] for one, other in pairwise(boxes)]
    return join_answers([box[2] for box in boxes], between)


def _read_box(text: str, tokens: Sequence[AnswerToken], at: int, closing: dict[int, int]) -> tuple[str, int]:
    """Return what a box holds, and the index behind it: a group, which ends with its line where it is not
    closed, or the next word."""
    opening = skip_blanks(tokens, at + 1)
    if text_at(tokens, opening) != "{":
        if opening >= len(tokens) or text_at(tokens, opening) in ("}", "$"):
            return "", opening
        return tokens[opening].text, opening + 1
    if opening in closing:
        end = closing[opening]
        return text[tokens[opening].end : tokens[end].start].strip(), end + 1
    end = next((i for i in range(opening, len(tokens)) if tokens[i].kind == "line"), len(tokens))
    return text[tokens[opening].end : tokens[end - 1].end].rstrip("$ .").strip(), end


def find_announced(text: str, tokens: Sequence[AnswerToken]) -> tuple[int, int, bool]:
    """Return where the paragraph behind the last announcement begins and ends, and whether there is one.

    A final answer goes before other ones, and English before other languages.
    """
    best = 0, 0
    places = enumerate(tokens) if "#" in text or may_announce(tokens) else ()
    for at, token in places:
        if token.kind not in ("word", "sign"):
            continue
        # Ranks: 3 for `####` and final answers, 2 for answers in English, 1 for those in other languages,
        # whose words are more often something else.
        if token.text == "#":
            rank, end = (3, at + 4) if _is_marked(tokens, at) else (0, 0)
        elif (announced := match_announcement(tokens, at)) is None:
            continue
        elif announced[1] == "en":
            final = text_at(tokens, at - 2).lower() == "final"
            rank, end = (3 if final else 2), announced[0]
        else:
            rank, end = 1, announced[0]
        # The last one of the highest rank that is followed by something.
        if rank and rank >= best[0] and text[tokens[end - 1].end :].strip(LOOSE):
            best = rank, end
    if not best[0]:
        return 0, len(tokens), False
    first = skip_blanks(tokens, best[1])
    # An announcement may introduce another: `The answer is: final answer: 5`.
    while (further := match_announcement(tokens, _skip_articles(tokens, first))) is not None:
        first = skip_blanks(tokens, further[0])
    # An empty line ends what is announced.
    last = next(
        (
            at
            for at in range(first, len(tokens))
            if tokens[at].kind == "line" and tokens[at].text.count("\n") > 1
        ),
        len(tokens),
    )
    return first, last, True


def _is_marked(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether four hashes begin a line here."""
    before = at - 1 if text_at(tokens, at - 1).isspace() else at
    begins = before <= 0 or tokens[before].kind == "line"
    return begins and all(text_at(tokens, at + step) == "#" for step in range(4))


def _skip_articles(tokens: Sequence[AnswerToken], at: int) -> int:
    while text_at(tokens, at).lower() in ("the", "final"):
        at = skip_blanks(tokens, at + 1)
    return at


def is_list_separator(between: Sequence[AnswerToken]) -> bool:
    """Return whether what stands between two answers makes them a list: a comma or a word such as "and", and
    little else."""
    said = [token for token in between if not is_blank(token) and token.text not in FORMAT]
    words = sum(token.kind != "sign" for token in said)
    if words > WORDS_BETWEEN or any(token.text == "." for token in said):
        return False
    joined = any(token.text in tuple(",;、") for token in said) or JOINS.find(said) is not None
    return joined and REASONS.find(said) is None


def join_answers(parts: Sequence[str], between: Sequence[Sequence[AnswerToken]]) -> str:
    """Return answers, each once, with what joins them: a comma, or the word where that is "or"."""
    result = parts[0]
    for index, part in enumerate(parts[1:]):
        if part not in parts[: index + 1]:
            words = (JOINS.match(between[index], at) for at in range(len(between[index])))
            is_choice = any(word is not None and word[1] == "or" for word in words)
            result += (r" \text{ or } " if is_choice else ", ") + part
    return result
