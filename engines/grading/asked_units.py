"""Units that the question does not ask for: `10 K` is no temperature in °C, and `$10` no number of
students."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.quantity_reader import read_measure
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.grading.unit_reader import MeasureUnit, read_unit

_COUNTING = make_phrases(
    "how many, the number of, wie viele, combien de, cuántos, cuántas, quanti, quante, quantos, quantas",
)
"""Words before what a question counts."""
_WITHIN = ("in", "en", "em", "в")
_ENDS = ("?", ".", ",", ")")
_MOST_WORDS = 3


def find_other_unit(problem: str, gold: str, pred: str) -> str:
    """Return the unit of an answer and what the question counts or measures in, where a reference
    without a unit
    is in that; "" where they agree.

    >>> find_other_unit("What is it in °C?", "10", "10 K")
    'K and °C'
    >>> find_other_unit("How many apples are there?", "6", "6 km")
    'km and apples'
    """
    if not problem or _read_unit(gold) is not None:
        return ""
    said = _read_unit(pred)
    if said is None or not said.known or said.measures_only("percent"):
        return ""
    tokens = [token for token in tokenize(problem) if not is_blank(token)]
    for _, end, _ in _COUNTING.find_all(tokens, 0, len(tokens)):
        counted = text_at(tokens, end)
        unit = read_unit(counted)
        is_named = any(token.text.lower() in said.text.lower().split() for token in tokens)
        is_other = unit is None or not unit.known or (unit.powers, unit.factor) != (said.powers, said.factor)
        if counted and is_other and not is_named:
            return f"{said.text} and {counted}"
    asked = _find_unit_asked(tokens)
    if asked is not None and (asked.powers, asked.factor, asked.scale) != (
        said.powers,
        said.factor,
        said.scale,
    ):
        return f"{said.text} and {asked.text}"
    return ""


def _read_unit(text: str) -> MeasureUnit | None:
    measure = read_measure(text.strip(" $.")) or read_measure(text.strip(" ."))
    return None if measure is None else measure.unit


def _find_unit_asked(tokens: Sequence[AnswerToken]) -> MeasureUnit | None:
    """Return the unit behind `in` at the end of a question."""
    for at, token in enumerate(tokens):
        if token.text.lower() not in _WITHIN:
            continue
        for stop in range(min(at + 1 + _MOST_WORDS, len(tokens)), at + 1, -1):
            if text_at(tokens, stop) not in _ENDS:
                continue
            unit = read_unit(" ".join(part.text for part in tokens[at + 1 : stop]).replace("° ", "°"))
            if unit is not None and unit.known:
                return unit
    return None
