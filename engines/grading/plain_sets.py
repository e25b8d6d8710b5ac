"""Sets and conditions as plain texts write them, in signs: `(-inf, 1] U (2, inf)`, `x ≤ 4, with x ≠ 1`.

Only the wording changes: `{x = 1, y = 2} or {x = 2, y = 1}` becomes `x = 1 and y = 2 or x = 2 and y = 1`, and
`it holds for every x` becomes `all real numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.quantity_reader import is_quantity
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at, tokenize

_OPERATORS = Phrases(
    {
        phrase: sign
        for sign, listed in {
            "∪": "U, u, union, united with, vereinigt, vereinigt mit, unión, unione, união, объединение",
            "∩": "intersect, intersected with, intersection, geschnitten mit",
            "∖": "without, minus, \\, ohne, privé de, sans, sin, senza, sem, без",
        }.items()
        for phrase in listed.split(", ")
    }
)
"""Words between two sets."""
_OPENING, _CLOSING = ("(", "[", "{", "]"), (")", "]", "}", "[")
_ENDS = ("inf", "infinity", "oo", "∞", "infty", "\\infty")
_EXCLUSIONS = make_phrases(
    "with, where, but, and, and with, provided, provided that, as long as, though, mit, wobei, aber"
    ", und, sofern",
    "avec, où, mais, et, con, donde, pero, y, dove, ma, e, com, onde, mas, при, где, но, и, причём, ,",
)
"""Words and marks between a condition and a value that it leaves out."""
_EVERY = make_phrases(
    "every, any, all, each, jede, jedes, alle, jede beliebige, tout, toute, tous les, cualquier"
    ", todo, todos los"
    ", ogni, tutti i, qualsiasi, qualquer, todo o, todos os, любое, все, всякое"
)
_REALS = make_phrases(
    "real number, real numbers, reals, real, real value, real values, real value of, real values of, number"
    ", numbers, value, values, value of, values of, reelle Zahl, reellen Zahlen, reelle, reellen, réel, réels"
    ", nombre réel, nombres réels, número real, números reales, real, reales, numero reale, numeri reali"
    ", números reais, действительное число, действительные числа"
)
_HOLDING = make_phrases(
    "is a solution, are solutions, works, work, satisfies it, satisfy it, satisfies the equation"
    ", is possible, solves it, solves the equation, ist Lösung, ist eine Lösung, sind Lösungen"
    ", erfüllt die Gleichung"
    ", löst die Gleichung, est solution, sont solutions, convient, es solución, son soluciones"
    ", es una solución"
    ", è soluzione, è una soluzione, sono soluzioni, é solução, são soluções, является решением, подходит"
)
"""Words behind all numbers that say that these are the solutions."""
_HOLDS_FOR = make_phrases(
    "it holds for, holds for, it is true for, true for, valid for, satisfied by, it is satisfied by"
    ", it works for"
    ", it is satisfied for, satisfied for, always true for, is true for, gilt für, es gilt für"
    ", sie gilt für, wahr für"
    ", erfüllt für, vraie pour, vrai pour, vérifiée pour, valable pour, se cumple para"
    ", es cierta para, vale per"
    ", è vera per, vale para, верно для, выполняется для, x can be, x may be, x is, x kann"
    ", x peut être, x puede ser"
)
"""Words before all numbers that say that these are the solutions."""


def write_set_words(text: str) -> str:
    """Return a text with words for sets and conditions as the signs that the reader knows.

    >>> write_set_words("(-inf, 1] U (2, inf)"), write_set_words("x <= 4, with x ≠ 1")
    ('(-inf, 1] ∪ (2, inf)', 'x <= 4 and x ≠ 1')
    >>> write_set_words("{x = 1, y = 2} or {x = 2, y = 1}"), write_set_words("It holds for every x.")
    ('x = 1 and y = 2 or x = 2 and y = 1', 'all real numbers')
    """
    tokens = tokenize(text)
    if _speaks_of_everything([token for token in tokens if token.text not in ("$", ".")]):
        return "all real numbers"
    if dimensions := _list_dimensions(tokens):
        return " and ".join(dimensions)
    written, at = "", 0
    while at < len(tokens):
        operator = _match_operator(tokens, at)
        excluded = _match_exclusion(tokens, at)
        if _lists_next(tokens, at) and written.rstrip().endswith(","):
            at = skip_blanks(tokens, at + 1)
        elif operator is not None:
            at, sign = operator
            written = f"{written.rstrip()} {sign} "
        elif excluded:
            at, written = excluded, f"{written.rstrip()} and "
        elif (pair := _match_assignments(tokens, at)) is not None:
            at = pair[0]
            written += pair[1]
        else:
            written += tokens[at].text
            at += 1
    return written


_THEN = ("then", "dann", "puis", "luego", "poi", "depois", "затем")
_MOST_LISTED = 40
"""Tokens of a list of values in their order: `3/8, then 0.5, then 60 %`."""


def _lists_next(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a word before a number leads to the next of a list in its order."""
    behind = skip_blanks(tokens, at + 1)
    is_number = behind < len(tokens) and (
        tokens[behind].kind == "digits" or tokens[behind].text in tuple("-−$")
    )
    supposes = any(CONNECTIVES.get(token.text.lower()) == "if" for token in tokens)
    return tokens[at].text in _THEN and is_number and not supposes and len(tokens) < _MOST_LISTED


def _list_dimensions(tokens: Sequence[AnswerToken]) -> list[str]:
    """Return the lengths of a text that is no more than those of sides, as `9 cm by 6 cm`; [] for others."""
    found = list(_BY.find_all(tokens, 1, len(tokens) - 1))
    starts = [0, *(end for _, end, _ in found)]
    ends = [*(start for start, _, _ in found), len(tokens)]
    parts = [
        "".join(token.text for token in tokens[start:end]).strip(" .$")
        for start, end in zip(starts, ends, strict=True)
    ]
    has_units = all(any(token.kind == "word" for token in tokenize(part)) for part in parts)
    return parts if len(parts) > 1 and has_units and all(map(is_quantity, parts)) else []


_BY = make_phrases("by, x, ×, \\times, mal, sur, por, per, на")
"""Words and signs between the lengths of the sides of a figure."""


def _match_operator(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind a word between two sets, and its sign; None where none stands here."""
    operator = _OPERATORS.match(tokens, at)
    before = next((token.text for token in reversed(tokens[:at]) if not is_blank(token)), "")
    behind = len(tokens) if operator is None else skip_blanks(tokens, operator[0])
    if operator is None or before not in _CLOSING or text_at(tokens, behind) not in _OPENING:
        return None
    words = any(
        token.kind == "word" and len(token.text) > 1 and token.text not in _ENDS for token in tokens[:at]
    )
    return None if words or not is_blank(tokens[at - 1]) else (behind, operator[1])


def _match_exclusion(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index of the equation `x ≠ 1` behind a condition and words that lead to it; 0 for others."""
    signs = {token.text for token in tokens[:at]}
    lead = _EXCLUSIONS.match(tokens, at) if not signs.isdisjoint(_BOUNDS) else None
    if lead is None:
        return 0
    behind = skip_blanks(tokens, lead[0])
    if (further := _EXCLUSIONS.match(tokens, behind)) is not None:
        behind = skip_blanks(tokens, further[0])
    sign = skip_blanks(tokens, behind + 1)
    is_name = behind < len(tokens) and tokens[behind].kind == "word" and len(tokens[behind].text) == 1
    return behind if is_name and text_at(tokens, sign) in ("≠", "!=", "\\ne", "\\neq") else 0


_BOUNDS = ("<", ">", "≤", "≥", "\\le", "\\ge", "\\leq", "\\geq")


def _match_assignments(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind equations of several letters in brackets, and these with `and` between them;
    None for other brackets."""
    if tokens[at].text not in ("{", "(") or text_at(tokens, at - 1)[-1:].isalnum():
        return None
    closing = {"{": "}", "(": ")"}[tokens[at].text]
    end = next((end for end in range(at, len(tokens)) if tokens[end].text == closing), 0)
    parts: list[list[AnswerToken]] = [[]]
    for token in tokens[at + 1 : end]:
        if token.text in (",", ";"):
            parts.append([])
        else:
            parts[-1].append(token)
    names = [_find_assigned(part) for part in parts]
    if len(parts) < 2 or not all(names) or len({*names}) < len(names):
        return None
    said = ("".join(token.text for token in part).strip().replace(":", " =") for part in parts)
    return end + 1, " and ".join(said)


def _find_assigned(part: Sequence[AnswerToken]) -> str:
    """Return the letter that an equation gives a value; "" for others."""
    said = [token for token in part if not is_blank(token)]
    is_equation = (
        len(said) > 2 and said[1].text in ("=", ":") and said[0].kind == "word" and len(said[0].text) == 1
    )
    plain = all(
        token.kind in ("digits", "sign") or token.text in ("π", "\\frac", "\\sqrt") for token in said[2:]
    )
    return (
        said[0].text if is_equation and plain and not any(token.text in "=<>" for token in said[2:]) else ""
    )


def _speaks_of_everything(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether a sentence says that all real numbers are solutions, and nothing else."""
    at = skip_blanks(tokens, 0)
    holds = _HOLDS_FOR.match(tokens, at)
    every = _EVERY.match(tokens, at if holds is None else skip_blanks(tokens, holds[0]))
    if every is None:
        return False
    at = skip_blanks(tokens, every[0])
    real = _REALS.match(tokens, at)
    at = at if real is None else skip_blanks(tokens, real[0])
    named = at < len(tokens) and tokens[at].kind == "word" and len(tokens[at].text) == 1
    at = skip_blanks(tokens, at + 1) if named else at
    if text_at(tokens, at) in ("∈", "\\in", "in"):
        at = skip_blanks(tokens, at + 1)
        said = "".join(token.text for token in tokens[at : at + 4])
        letters = next((one for one in ("ℝ", "\\mathbb{R}", "R") if said.startswith(one)), "")
        if not letters:
            return False
        at = skip_blanks(tokens, at + len(tokenize(letters)))
    elif real is None and not named:
        return False
    if at < len(tokens) and holds is None:
        holds = _HOLDING.match(tokens, at)
        at = len(tokens) if holds is None else skip_blanks(tokens, holds[0])
    return holds is not None and at >= len(tokens)
