"""Directions as signs: `3 m to the left` is −3 m where a question counts motion to the right as positive."""

from __future__ import annotations

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.tokens import is_blank, tokenize

_LINES = (
    (
        "to the left, left, leftward, leftwards, nach links, vers la gauche, a la izquierda"
        ", a sinistra, влево",
        "to the right, right, rightward, rightwards, nach rechts, vers la droite, a la derecha"
        ", a destra, вправо",
    ),
    (
        "down, downward, downwards, nach unten, vers le bas, hacia abajo, verso il basso, вниз",
        "up, upward, upwards, nach oben, vers le haut, hacia arriba, verso l'alto, вверх",
    ),
    ("backward, backwards, rückwärts, en arrière, назад", "forward, forwards, vorwärts, en avant, вперёд"),
    (
        "westward, west, to the west, nach Westen, на запад",
        "eastward, east, to the east, nach Osten, на восток",
    ),
    (
        "southward, south, to the south, nach Süden, на юг",
        "northward, north, to the north, nach Norden, на север",
    ),
)
_DIRECTIONS = map_phrases(
    ((line, sign), phrases)
    for line, ends in enumerate(_LINES)
    for sign, phrases in zip((-1, 1), ends, strict=True)
)
_POSITIVE = make_phrases("positive, positiv, positif, positive direction, positiva, positivo, положительным")
_SENTENCE_ENDS = (".", ";", "。", "?", "!")
_FEW_TOKENS = 8
"""Tokens between a direction and the word that calls it positive, at most."""


def find_positive_direction(question: str) -> tuple[int, int] | None:
    """Return the line on which a question counts a direction as positive, and which end of it that is; None
    where it says nothing of that.

    >>> find_positive_direction("Motion to the right is counted as positive.")
    (0, 1)
    >>> find_positive_direction("Take downward as the positive direction.")
    (1, -1)
    """
    tokens = [token for token in tokenize(question) if not is_blank(token)]
    found: set[tuple[int, int]] = set()
    for start, end, _ in _POSITIVE.find_all(tokens, 0, len(tokens)):
        around = range(max(0, start - _FEW_TOKENS), min(len(tokens), end + _FEW_TOKENS))
        for at in around:
            between = tokens[min(at, start) : max(at, start)]
            match = _DIRECTIONS.match(tokens, at)
            if match is not None and not any(token.text in _SENTENCE_ENDS for token in between):
                found.add(match[1])
    return found.pop() if len(found) == 1 else None


def spell_sign(text: str, positive: tuple[int, int]) -> str:
    """Return a quantity with the sign of the direction that stands behind it; "" where none does.

    >>> spell_sign("3 m/s to the left", (0, 1)), spell_sign("3 m/s up", (1, 1)), spell_sign("3 m", (0, 1))
    ('-3 m/s', '3 m/s', '')
    """
    tokens = tokenize(text.strip(" .$"))
    first = _DIRECTIONS.find(tokens)
    if first is None or first[1] < len(tokens):
        return ""
    start, _, (line, end) = first
    amount = "".join(token.text for token in tokens[:start]).strip(" ,$")
    if line != positive[0] or not amount[:1].isdecimal():
        return ""
    return amount if end == positive[1] else f"-{amount}"


def names_direction(text: str) -> bool:
    """Return whether a text names a direction."""
    return _DIRECTIONS.find(tokenize(text)) is not None
