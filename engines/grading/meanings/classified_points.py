"""Points and lines that words classify: `saddle at (0, 0)`, `minimum value 4 at x = 2`, `VA: x = 1`.

Each class has the places and values that stand with it, before it or behind it, in any order of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.meanings.sentence_items import is_word
from engines.grading.reading import read_form
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
    unwrap_texts,
)
from engines.grading.verdicts import EQUAL, GradeVerdict, combine_verdicts, differ_by

_CLASSES = map_phrases(
    {
        "maximum": "maximum, maxima, max, maximum point, maximum value, max., Maximum"
        ", Hochpunkt, Maximalwert"
        ", maximum de, máximo, massimo, максимум, точка максимума, 最大值, 极大值, 极大值点",
        "minimum": "minimum, minima, min, minimum point, minimum value, min., Tiefpunkt"
        ", Minimalwert, mínimo"
        ", minimo, минимум, точка минимума, 最小值, 极小值, 极小值点",
        "saddle": "saddle point, saddle points, saddle, Sattelpunkt, point selle, point-selle, point col"
        ", punto de silla, punto silla, punto di sella, ponto de sela, седловая точка, седло, 鞍点",
        "inflection": "inflection point, inflection points, point of inflection, points of inflection"
        ", inflexion point, point of inflexion, Wendepunkt, point d'inflexion, punto de inflexión, flesso"
        ", punto di flesso, ponto de inflexão, точка перегиба, 拐点",
        "vertical asymptote": "vertical asymptote, vertical asymptotes, VA, V.A., senkrechte Asymptote"
        ", vertikale Asymptote, asymptote verticale, AV, A.V., asíntota vertical, asintoto verticale"
        ", assíntota vertical, вертикальная асимптота, 垂直渐近线, 铅直渐近线",
        "horizontal asymptote": "horizontal asymptote, horizontal asymptotes, HA, H.A."
        ", waagerechte Asymptote, waagrechte Asymptote, horizontale Asymptote"
        ", asymptote horizontale, AH, A.H."
        ", asíntota horizontal, asintoto orizzontale, assíntota horizontal"
        ", горизонтальная асимптота, 水平渐近线",
        "oblique asymptote": "oblique asymptote, oblique asymptotes, slant asymptote"
        ", slant asymptotes, OA, SA"
        ", O.A., S.A., schiefe Asymptote, schräge Asymptote, asymptote oblique, asíntota oblicua"
        ", asintoto obliquo, assíntota oblíqua, наклонная асимптота, 斜渐近线",
        "center": "center, centre, Mittelpunkt, centro, центр, 圆心",
        "radius": "radius, Radius, rayon, radio, raggio, raio, радиус, 半径",
        "vertex": "vertex, Scheitelpunkt, Scheitel, sommet, vértice, vertice, вершина, 顶点",
        "focus": "focus, Brennpunkt, foyer, foco, fuoco, фокус, 焦点",
        "directrix": "directrix, Leitlinie, directrice, directriz, direttrice, diretriz, директриса, 准线",
    }.items()
)
_EXTENTS = Phrases(
    {
        **dict.fromkeys(
            ("local", "relative", "lokales", "lokaler", "relatif", "locale", "relativo"), "local"
        ),
        **dict.fromkeys(("global", "absolute", "globales", "absolu", "absoluto", "assoluto"), "global"),
        **dict.fromkeys(("локальный", "locaux", "lokale", "local strict", "strict local"), "local"),
    }
)
_AT = Phrases(
    dict.fromkeys(
        (
            *(
                "at",
                "attained at",
                "reached at",
                "which is attained at",
                "occurs at",
                "located at",
                "achieved at",
            ),
            *(
                "when",
                "for",
                "bei",
                "an der Stelle",
                "en",
                "pour",
                "in",
                "em",
                "в точке",
                "при",
                "в",
                "im Punkt",
            ),
            *("attained when", "obtained at", "taken at", "at the point", "in the point", "au point", "in"),
            *(
                "en el punto",
                "nel punto",
                "no ponto",
                "atteint en",
                "alcanzado en",
                "occurring at",
                "per",
                "para",
            ),
        ),
        "",
    )
)
_FILLERS = Phrases(
    dict.fromkeys(
        (
            *(
                "f has its",
                "f has a",
                "f has",
                "it has its",
                "it has a",
                "has its",
                "has a",
                "has",
                "is",
                "are",
            ),
            *(
                "is a",
                "is an",
                "a",
                "an",
                "the",
                "there is a",
                "there is an",
                "there is",
                "there's",
                "there's a",
                "there's an",
                "it is",
                "its",
                "of",
            ),
            *(
                "with value",
                "with",
                "value",
                "values",
                "where",
                "point",
                "points",
                "and",
                "which is",
                "equals",
            ),
            *(
                "the function has",
                "the function has its",
                "of f",
                "f",
                "and it is",
                "equal to",
                "both",
                "also",
            ),
            *(
                "hat ein",
                "hat einen",
                "hat",
                "ist ein",
                "ist eine",
                "ist",
                "das",
                "der",
                "die",
                "ein",
                "eine",
            ),
            *("einen", "und", "mit", "Wert", "vom Wert", "est un", "est une", "est", "un", "une", "le", "la"),
            *(
                "et",
                "de",
                "valeur",
                "vaut",
                "avec",
                "es un",
                "es una",
                "es",
                "el",
                "y",
                "con",
                "valor",
                "una",
            ),
            *("è un", "è una", "è", "il", "e", "valore", "é um", "é uma", "é", "um", "uma", "o", "com", "и"),
            *(
                "есть",
                "это",
                "со значением",
                "the curve has a",
                "the graph has a",
                "while",
                "namely",
                "the value",
            ),
            *("there", "dort", "y there", "là", "allí", "там"),
            *("are at", "is at", "lies at", "l", "'"),
        ),
        "",
    )
)
_ENDS = (";", ".", "，", "；", "。", ":", "：", "(", ")", "—", "–", "\\\\", ",")
_MOST_TOKENS = 120


@dataclass(frozen=True, slots=True)
class ClassifiedPoint:
    """A class with its place and value; "" where a text does not say them."""

    kind: str
    extent: str
    place: str
    value: str


def read_classified(text: str) -> list[ClassifiedPoint] | None:
    """Return what a text classifies; None where a word of it is not known.

    >>> read_classified("minimum value 4 at x = 2")
    [ClassifiedPoint(kind='minimum', extent='', place='2', value='4')]
    >>> [(one.kind, one.place) for one in read_classified("(1,1) is a local minimum; (0,0) is a saddle.")]
    [('minimum', '(1,1)'), ('saddle', '(0,0)')]
    """
    tokens = [token for token in unwrap_texts(tokenize(_drop_markup(text))) if token.text != "$"]
    if len(tokens) > _MOST_TOKENS or not _CLASSES.may_occur(tokens):
        return None
    groups = _group_formulas(tokens)
    points: list[ClassifiedPoint] = []
    for kind, extent, said in groups or []:
        made = _make_points(kind, extent, said)
        if not made:
            return None
        points += made
    return points or None


def _drop_markup(text: str) -> str:
    """Return a text without bold type and the signs before the items of a list, which end at a semicolon."""
    lines = [line.strip() for line in text.replace("**", "").strip().splitlines()]
    listed = [line for line in lines if line[:2] in _BULLETS]
    # A sign before a number may be that of the number.
    if len(listed) < 2 or any(line[2:3].isdigit() for line in listed):
        return "\n".join(lines)
    return "; ".join(line[2:] if line in listed else line for line in lines if line)


_BULLETS = ("- ", "* ", "• ")


_Group = tuple[str, str, list[tuple[bool, str]]]


def _group_formulas(tokens: Sequence[AnswerToken]) -> list[_Group] | None:
    """Return classes with their formulas, each with whether `at` stands before it; a text that begins with
    a formula has each class behind its own."""
    groups: list[_Group] = []
    waiting: list[tuple[bool, str]] = []
    extent, is_place, begins_with_formula = "", False, False
    at = skip_blanks(tokens, 0)
    while at < len(tokens):
        if (kind := _CLASSES.match(tokens, at)) is not None:
            at = kind[0]
            groups.append((kind[1], extent, waiting if begins_with_formula else []))
            waiting, extent = [], ""
        elif (adjective := _EXTENTS.match(tokens, at)) is not None:
            at, extent = adjective
        elif (place := _AT.match(tokens, at)) is not None and not _begins_call(tokens, at):
            at, is_place = place[0], True
        elif (filler := _FILLERS.match(tokens, at)) is not None and not _begins_call(tokens, at):
            at = filler[0]
        elif is_word(tokens[at]) and len(tokens[at].text) > 1:
            return None
        elif tokens[at].text in _ENDS and not _opens_tuple(tokens, at):
            at += 1
        else:
            end = _find_formula_end(tokens, at)
            formula = "".join(token.text for token in tokens[at:end]).strip()
            begins_with_formula = begins_with_formula or not groups
            (waiting if begins_with_formula else groups[-1][2]).append((is_place, formula))
            at, is_place = end, False
        at = skip_blanks(tokens, at)
    if waiting and groups:
        groups[-1][2].extend(waiting)
    return groups


def _begins_call(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a letter is rather that of a formula, as in f(2) or `e = 1`."""
    behind = text_at(tokens, skip_blanks(tokens, at + 1))
    return len(tokens[at].text) == 1 and behind in ("(", "=", "+", "-", "^", "_")


def _opens_tuple(tokens: Sequence[AnswerToken], at: int) -> bool:
    if tokens[at].text != "(":
        return False
    end = next((index for index in range(at, len(tokens)) if tokens[index].text == ")"), len(tokens))
    return not any(is_word(token) and len(token.text) > 1 for token in tokens[at:end])


def _find_formula_end(tokens: Sequence[AnswerToken], at: int) -> int:
    opened: list[int] = []
    end = at
    for index in range(at, len(tokens)):
        token = tokens[index]
        word = is_word(token) and len(token.text) > 1
        behind = index + 1 < len(tokens) and tokens[index + 1].kind == "digits"
        mark = (
            not opened
            and token.text in (",", ";", ".", ":", "，", "；")
            and not (token.text in ",." and behind)
        )
        if word or mark or (token.text == ")" and not opened):
            break
        if token.text in ("(", "{", "["):
            opened.append(index)
        elif token.text in (")", "}", "]") and opened:
            opened.pop()
        end = end if is_blank(token) else index + 1
    # A bracket with words in it says something else.
    return max(min(end, opened[0]) if opened else end, at + 1)


def _make_points(kind: str, extent: str, said: Sequence[tuple[bool, str]]) -> list[ClassifiedPoint]:
    """Return the points that formulas beside a class say; [] where they do not fit together."""
    places: list[str] = []
    values: list[str] = []
    for is_place, formula in said:
        left, equal, right = (part.strip() for part in formula.rpartition("="))
        if kind.endswith("asymptote") or kind in _WITHOUT_VALUE:
            places.append(formula)
        elif equal and left.endswith(")") and "(" in left[1:]:
            argument = left.partition("(")[2].removesuffix(")")
            point = f"({argument})" if "," in argument else argument
            if argument not in _LETTERS and not any(_squeeze(point) == _squeeze(one) for one in places):
                places.append(point)
            values.append(right)
        elif equal and left in _LETTERS:
            (places if left == "x" or left == "t" else values).append(right)
        elif equal:
            return []
        elif is_place or formula.startswith("("):
            places.append(formula)
        else:
            values.append(formula)
    if len(values) > 1 or (len(places) > 1 and values) or not (places or values):
        return []
    value = values[0] if values else ""
    return [ClassifiedPoint(kind, extent, place, value) for place in places or [""]]


def _squeeze(text: str) -> str:
    return "".join(text.split())


_LETTERS = ("x", "y", "t", "z", "f")
_WITHOUT_VALUE = ("center", "radius", "vertex", "focus", "directrix")
"""Classes of things of which there is one, and nothing but its place."""


def compare_classified(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two texts that classify points or lines; None where one does not, or says less."""
    mine, theirs = read_classified(gold), read_classified(pred)
    if mine is None or theirs is None:
        return _compare_with_formula(gold, mine or theirs, pred, comparison)
    if sorted(one.kind for one in mine) != sorted(one.kind for one in theirs):
        return GradeVerdict("undecided", reason=f"one says {mine[0].kind}, the other {theirs[-1].kind}")
    left = list(theirs)
    apart: list[GradeVerdict] = []
    for point in mine:
        rivals = [one for one in left if one.kind == point.kind]
        verdicts = [_compare_points(point, one, comparison) for one in rivals]
        same = next(
            (one for one, said in zip(rivals, verdicts, strict=True) if said.outcome == "equal"), None
        )
        if same is not None:
            left.remove(same)
            continue
        apart += verdicts
    if not apart and not left:
        return EQUAL
    if apart and all(one.outcome == "different" for one in apart):
        return differ_by(apart[0].witness)
    return GradeVerdict("undecided", reason="it is not known whether they classify the same points")


def _compare_with_formula(
    gold: str, points: Sequence[ClassifiedPoint] | None, pred: str, comparison: AnswerComparison
) -> GradeVerdict | None:
    """Compare one point that is classified with a formula alone: `the maximum is 5 at x = 2` with 5."""
    texts = [text.strip(" $.") for text in (gold, pred)]
    plain = [text for text in texts if not any(is_word(token) for token in tokenize(text))]
    if points is None or len(points) != 1 or len(plain) != 1:
        return None
    point = points[0]
    said = point.value or (point.place if "(" in point.place or point.kind in _WITHOUT_VALUE else "")
    # A reference that says where and how much is more than one of both.
    if not said or (point.value and point.place and plain[0] == texts[1]):
        return None
    compared = comparison.compare(read_form(plain[0]), read_form(said))
    return compared if compared.outcome == "equal" else None


def _compare_points(
    mine: ClassifiedPoint, theirs: ClassifiedPoint, comparison: AnswerComparison
) -> GradeVerdict:
    if mine.extent and theirs.extent and mine.extent != theirs.extent:
        return GradeVerdict("undecided", reason="one is local, one global")
    pairs = [(mine.place, theirs.place), (mine.value, theirs.value)]
    points = [f"({one.place}, {one.value})" for one in (mine, theirs)]
    if mine.place.startswith("(") and theirs.value and not theirs.place.startswith("("):
        pairs = [(mine.place, points[1])]
    elif theirs.place.startswith("(") and mine.value and not mine.place.startswith("("):
        pairs = [(points[0], theirs.place)]
    if any(one and not other for one, other in pairs):
        return GradeVerdict("undecided", reason="the answer says less of a point")
    # What the answer says besides is not asked for.
    verdicts = [comparison.compare(read_form(one), read_form(other)) for one, other in pairs if one]
    if not verdicts:
        return GradeVerdict("undecided", reason="they say other things of a point")
    different = next((one for one in verdicts if one.outcome == "different"), None)
    return different or combine_verdicts(verdicts)
