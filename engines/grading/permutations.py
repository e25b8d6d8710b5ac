"""Tuples whose values may be in any order: `(1, 2, 3) and permutations`, `all permutations of (1, 2, 3)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations

from engines.grading.forms import Form, Many, Named
from engines.grading.tokens import AnswerToken, Phrases, skip_blanks, tokenize, unwrap_texts

_OF = Phrases(
    {
        f"{lead}{cyclic}permutations of": bool(cyclic)
        for lead in ("", "all ", "the ", "all the ", "any of the ")
        for cyclic in ("", "cyclic ")
    }
    | {"any permutation of": False, "alle Permutationen von": False, "les permutations de": False}
    | {"все перестановки": False, "las permutaciones de": False}
)
_AND = Phrases(
    {
        f"{join}{lead}{cyclic}permutations{tail}": bool(cyclic)
        for join in ("and ", "up to ", "with ", "")
        for lead in ("", "all ", "its ", "all its ", "their ", "all their ", "the ")
        for cyclic in ("", "cyclic ")
        for tail in ("", " thereof", " of it")
        if join or lead
    }
    | {"in any order": False, "in some order": False, "up to order": False, "и перестановки": False}
    | {"и все её перестановки": False, "und Permutationen davon": False, "et ses permutations": False}
)
_MOST_VALUES = 4


def read_permutations(text: str, read: Callable[[str], Form]) -> Form | None:
    """Return a tuple whose values may be in any order as the list of all such tuples; None for other texts.

    Args:
        text: An answer.
        read: Reads the tuple in it.
    """
    if not any(word in text for word in _WORDS):
        return None
    # The words stand before the tuple or behind it; what is left is the tuple.
    tokens = [token for token in unwrap_texts(tokenize(text.strip(" .)"))) if token.text not in ("$", "\\ ")]
    first, last, cyclic = 0, len(tokens), False
    if (lead := _OF.match(tokens, 0)) is not None:
        first, cyclic = skip_blanks(tokens, lead[0]), lead[1]
    elif (tail := _AND.match_before(tokens, last)) is not None:
        last, cyclic = tail
    else:
        return None
    # A bracket that the words stood in is closed again.
    said = "".join(token.text for token in tokens[first:last]).rstrip(" ,;(")
    form = read(said + ")" * (said.count("(") - said.count(")")))
    value = form.value if isinstance(form, Named) else form
    if not isinstance(value, Many) or value.kind != "tuple" or len(value.items) > _MOST_VALUES:
        return None
    items = value.items
    orders = permutations(items)
    if cyclic:
        orders = iter([items[at:] + items[:at] for at in range(len(items))])  # type: ignore[assignment]
    # Equal values give the same tuple several times.
    distinct = tuple(dict.fromkeys(orders))
    listed = Many("list", tuple(replace(value, items=order) for order in distinct))
    return replace(form, value=listed) if isinstance(form, Named) else listed


def find_permutations(tokens: Sequence[AnswerToken], first: int, last: int) -> tuple[int, str] | None:
    """Return where words begin that let the order of values change, and the shortest that say so, where they
    end the text between two tokens; "" where the values are behind them. None without any."""
    ahead = tokens[:last]
    if (lead := next((at for at in range(first, last) if _OF.match(ahead, at)), None)) is not None:
        return lead, ""
    tail = _AND.match_before(ahead, last)
    if tail is None or tail[0] <= first:
        return None
    return tail[0], "and cyclic permutations" if tail[1] else "and permutations"


_WORDS = ("ermut", "order", "перестанов")


def speaks_of_orders(text: str) -> bool:
    """Return whether a text says that values may be in any order."""
    if not any(word in text for word in _WORDS):
        return False
    tokens = tokenize(text)
    return any(table.find(tokens) is not None for table in (_OF, _AND))


def spell_permutations(tuple_text: str) -> str:
    """Return a list of all orders of a plain tuple; "" for other formulas.

    >>> spell_permutations("(1, 1, 2)")
    '(1,1,2), (1,2,1), (2,1,1)'
    """
    inside = tuple_text.strip().removeprefix("(").removesuffix(")")
    items = [item.strip() for item in inside.split(",")]
    plain = len(inside) + 2 == len(tuple_text.strip()) and not any(sign in inside for sign in "(){}[]\\=")
    if not plain or not 1 < len(items) <= _MOST_VALUES:
        return ""
    return ", ".join(f"({','.join(order)})" for order in dict.fromkeys(permutations(items)))


def follows_permutations(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether words before a tuple say that all its orders are meant."""
    end = at
    while end and tokens[end - 1].kind in ("space", "line"):
        end -= 1
    before = _OF.match_before(tokens, end)
    return before is not None and not before[1]
