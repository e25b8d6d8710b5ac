"""Words beside two equal values that make them say different things, as of 3 a.m. and 3 p.m."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.tokens import AnswerToken, is_blank, tokenize

_CONTRASTS = (
    (
        "a.m, am, in the morning, morning, 上午, 早上, 凌晨, 午前, 오전, 새벽, du matin, morgens, vormittags"
        ", de la mañana, da manhã, del mattino, утра",
        "p.m, pm, in the afternoon, afternoon, in the evening, evening, 下午, 晚上, 午後, 오후"
        ", de l'après-midi, du soir"
        ", nachmittags, abends, de la tarde, da tarde, del pomeriggio, di sera, дня, вечера",
    ),
    (
        "noon, midday, Mittag, midi, mediodía, mezzogiorno, meio-dia, полдень, 正午, 中午, 정오",
        "midnight, Mitternacht, minuit, medianoche, mezzanotte, meia-noite, полночь, 午夜, 子夜, 자정",
    ),
    (
        "BC, B.C, BCE, B.C.E, before Christ, v. Chr, av. J.-C, до н. э, 公元前, 紀元前, 기원전",
        "AD, A.D, CE, C.E, anno Domini, n. Chr, apr. J.-C, н. э, 公元, 西暦, 기원후",
    ),
    (
        "eigenvalue, eigenvalues, Eigenwert, Eigenwerte, valeur propre, valeurs propres, valor propio"
        ", valores propios, autovalore, autovalori, autovalor, autovalores, собственное значение"
        ", собственные значения, 特征值, 特徵值, 固有値, 고윳값",
        "eigenvector, eigenvectors, Eigenvektor, Eigenvektoren, vecteur propre, vecteurs propres"
        ", vector propio, vectores propios, autovettore, autovettori, autovetor, autovetores"
        ", собственный вектор, собственные векторы, 特征向量, 特徵向量, 固有ベクトル, 고유벡터",
    ),
    (
        "no solution, no solutions, keine Lösung, keine Lösungen, aucune solution, pas de solution"
        ", ninguna solución, nessuna soluzione, нет решений, 无解, 無解, 没有解, 解なし",
        "infinitely many, unendlich viele, une infinité, infinitas, infinite soluzioni, бесконечно много"
        ", 无数, 無數, 无穷多, 無窮多, 無数, 无限多",
    ),
    (
        "perimeter, circumference, Umfang, périmètre, perímetro, perimetro, периметр, 周长, 周の長さ, 둘레",
        "area, Fläche, Flächeninhalt, aire, área, площадь, 面积, 面積, 넓이",
        "volume, Volumen, volumen, объём, объем, 体积, 体積, 부피",
    ),
)
"""Groups of words of which an answer says one: each side is what its words say."""
_SIDES = map_phrases(
    ((number, side), words) for number, group in enumerate(_CONTRASTS) for side, words in enumerate(group)
)
_BELOW_ZERO = make_phrases(
    "below zero, under zero, below freezing, unter Null, unter null, sous zéro, bajo cero, sotto zero"
    ", abaixo de zero, ниже нуля",
)
_MINUS_SIGNS = ("-", "−", "minus", "negative", "moins", "menos", "meno", "минус", "负", "負")
_CHANGES = make_phrases(
    "increased, increases, increase, rose, rises, rise, grew, grows, decreased, decreases, decrease, fell"
    ", falls, dropped, drops, reduced, changed, changes, gestiegen, steigt, gesunken, sinkt, gefallen, fällt",
    "augmenté, augmente, diminué, diminue, aumentó, aumenta, disminuyó, disminuye, aumentato, diminuito"
    ", aumentou, diminuiu, увеличилось, увеличился, увеличилась, уменьшилось, уменьшился, уменьшилась",
    "增加, 减少, 減少, 增長, 增长, 上升, 下降, 提高, 降低",
)
_EXTENTS = {
    **dict.fromkeys(("by", "um", "de", "на", "了"), "by"),
    **dict.fromkeys(("to", "auf", "à", "до", "到", "至"), "to"),
}
"""Words before a number that say how far a change goes, or where it ends."""
_MOST_TOKENS = 60
"""Tokens of a text that says no more than its answer."""


def find_contrast(gold: str, pred: str) -> str:
    """Return what one short answer says beside its value and the other one the opposite of; "" otherwise.

    >>> find_contrast("3 a.m.", "3 p.m."), find_contrast("increased by 5", "increased to 5")
    ('a.m and p.m', 'by and to')
    """
    sides = [tokenize(text) for text in (gold, pred)]
    if any(len(tokens) > _MOST_TOKENS for tokens in sides):
        return ""
    mine, theirs = map(_list_sides, sides)
    for number, said in mine.items():
        other = theirs.get(number, {})
        if len(said) == len(other) == 1 and {*said} != {*other}:
            return " and ".join((*said.values(), *other.values()))
    frozen = [_BELOW_ZERO.find(tokens) is not None for tokens in sides]
    signed = [any(token.text.lower() in _MINUS_SIGNS for token in tokens) for tokens in sides]
    if frozen[0] != frozen[1] and not signed[frozen[0]]:
        return "above zero and below zero"
    extents = [_list_extents(tokens) for tokens in sides]
    if len(extents[0]) == len(extents[1]) == 1 and extents[0] != extents[1]:
        return " and ".join((*extents[0], *extents[1]))
    return ""


def _list_sides(tokens: Sequence[AnswerToken]) -> dict[int, dict[int, str]]:
    """Return which side of each group a text names, with its words."""
    sides: dict[int, dict[int, str]] = {}
    at = 0
    while at < len(tokens):
        if (match := _SIDES.match(tokens, at)) is None:
            at += 1
            continue
        end, (number, side) = match
        sides.setdefault(number, {})[side] = "".join(token.text for token in tokens[at:end])
        at = end  # the era of `before Christ` is not also that of `Christ`
    return sides


def _list_extents(tokens: Sequence[AnswerToken]) -> set[str]:
    """Return whether the numbers beside a word of change say by how much it is, or to what."""
    if _CHANGES.find(tokens) is None:
        return set()
    said = [token for token in tokens if not is_blank(token)]
    return {
        _EXTENTS[before.text.lower()]
        for before, number in pairwise(said)
        if number.kind == "digits" and before.text.lower() in _EXTENTS
    }
