"""Sets and conditions as plain texts write them, in signs: `(-inf, 1] U (2, inf)`, `x ≤ 4, with x ≠ 1`.

Only the wording changes: `{x = 1, y = 2} or {x = 2, y = 1}` becomes `x = 1 and y = 2 or x = 2 and y = 1`, and
`it holds for every x` becomes `all real numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.quantity_reader import is_quantity
from engines.grading.tokens import AnswerToken, is_blank, skip_blanks, text_at, tokenize

_OPERATORS = map_phrases(
    {
        "∪": "U, u, union, united with, vereinigt, vereinigt mit, unión, unione, união, объединение",
        "∩": "intersect, intersected with, intersection, geschnitten mit",
        "∖": "without, minus, \\, ohne, privé de, sans, sin, senza, sem, без",
    }.items()
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
    if equation := _take_equation(tokens):
        return equation
    if dimensions := _list_dimensions(tokens):
        return " and ".join(dimensions)
    written, at = "", _skip_noun(tokens)
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
        elif (pair := _match_point(tokens, at) or _match_assignments(tokens, at)) is not None:
            at = pair[0]
            written += pair[1]
        else:
            written += tokens[at].text
            at += 1
    return written


_THEN = ("then", "dann", "puis", "luego", "poi", "depois", "затем")
_MOST_LISTED = 40
"""Tokens of a list of values in their order: `3/8, then 0.5, then 60 %`."""


def _take_equation(tokens: Sequence[AnswerToken]) -> str:
    """Return the equation of the points that a text describes with it, as `x = 2y` of `all (x, y) with
    x = 2y`; "" for other texts."""
    said = [token for token in tokens if not is_blank(token) and token.text not in ("$", "\\")]
    at = 0
    if len(said) > 2 and said[0].text in _SOLUTION_SETS and said[1].text == "=":
        at = 2
    is_set = text_at(said, at) in ("{", "\\{")
    lead = _POINTS.match(said, at + is_set)
    first = at + is_set if lead is None else lead[0]
    behind = _skip_pair(said, first)
    if not behind:
        on_line = _LINES.match(said, at)
        first = 0 if on_line is None else on_line[0]
    elif text_at(said, behind).lower() in _SUCH and (is_set or lead is not None):
        first = behind + 1
    else:
        return ""
    if not first:
        return ""
    last = len(said) - sum(token.text in ("}", "\\}", ".") for token in said[-2:]) if is_set else len(said)
    equation = "".join(
        f" {token.text} " if token.kind == "command" else token.text for token in said[first:last]
    )
    has_words = any(token.kind == "word" and len(token.text) > 1 for token in said[first:last])
    return equation.strip(" .") if equation.count("=") == 1 and not has_words else ""


def _skip_pair(said: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind letters in brackets, as `(x, y)`; 0 for others."""
    end = next((end for end in range(at, len(said)) if said[end].text == ")"), 0)
    inside = said[at + 1 : end]
    letters = all(
        token.text in (",", ";", "|") or (token.kind == "word" and len(token.text) == 1) for token in inside
    )
    return end + 1 if text_at(said, at) == "(" and len(inside) > 2 and letters else 0


_SOLUTION_SETS = ("L", "S", "𝕃")
_SUCH = ("with", "mit", "avec", "con", "com", "where", "such", ":", "|", "\\mid", "für", "с", "满足")
_POINTS = make_phrases(
    "all, all points, all pairs, every pair, every, the set of all, the points, the pairs, alle, alle Punkte"
    ", alle Paare, tous les, tous les couples, tous les points, todos los, todos los pares, todos los puntos"
    ", tutte le coppie, tutti i punti, todos os pares, все, все пары, все точки"
)
_LINES = make_phrases(
    "all points on the line, all points of the line, the points on the line, the points of the line"
    ", every point on the line, every point of the line, alle Punkte der Geraden, alle Punkte auf der Geraden"
    ", tous les points de la droite, todos los puntos de la recta, tutti i punti della retta"
    ", все точки прямой"
)
"""Words before the equation of the points that are solutions."""


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


def _skip_noun(tokens: Sequence[AnswerToken]) -> int:
    """Return the index behind a noun for a point before its coordinates; 0 for other beginnings."""
    noun = _POINT_NOUNS.match(tokens, skip_blanks(tokens, 0))
    behind = 0 if noun is None else skip_blanks(tokens, noun[0])
    named = len(text_at(tokens, behind)) == 1 and text_at(tokens, behind).isupper()
    return behind if text_at(tokens, behind + named) == "(" else 0


_POINT_NOUNS = make_phrases(
    "point, the point, intersection point, point of intersection, the point of intersection, midpoint"
    ", the midpoint, Punkt, der Punkt, Schnittpunkt, der Schnittpunkt, le point, point d'intersection, milieu"
    ", punto, el punto, punto de intersección, punto medio, il punto, punto di intersezione, ponto, o ponto"
    ", точка, точка пересечения"
)
"""Nouns before the coordinates of a point that say nothing else of it."""


def _match_point(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind a point with its name and bars between its coordinates, as `S(2|-3)`, and this
    as a tuple; None for others."""
    is_name = len(tokens[at].text) == 1 and tokens[at].text.isupper() and text_at(tokens, at + 1) == "("
    glued = text_at(tokens, at - 1)[-1:].isalnum()
    end = next((end for end in range(at, len(tokens)) if tokens[end].text == ")"), 0)
    inside = tokens[at + 2 : end]
    # Between letters the bar is that of a probability.
    if not is_name or glued or any(token.kind == "word" for token in inside):
        return None
    if not any(token.text == "|" for token in inside):
        return None
    said = "".join(", " if token.text == "|" else token.text for token in inside)
    return end + 1, f"({said})"


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
