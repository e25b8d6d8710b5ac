"""Ratios in words, in the order of the question: `for every 2 girls there are 3 boys`, `boys : girls = 3:2`.

Which number is whose is said by the words beside the numbers, or before both of them; in which order they are
asked for is said by the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.meanings.quantified_sentences import find_stem
from engines.grading.tokens import AnswerToken, is_blank, tokenize
from engines.language.numerals import write_numerals

_LONGEST = 120
"""Characters of an answer that is no solution."""
_RATIOS = make_phrases(
    "ratio, ratios, odds, proportion, Verhältnis, rapport, proportion, razón, proporción, rapporto, razão",
    "proporção, отношение, отношении, соотношение, verhouding, förhållande, förhållandet, stosunek, 比, 비",
)
_AGAINST = make_phrases("against, contre, en contra, contro, contra, против")
_BETWEEN = make_phrases(
    "for every, for each, for, there are, there is, to, to every, to each, per, are, is, the, of, in, a",
    "ratio",
    "as, it is, in the ratio, odds, against, :, =, and, every, each, stand, stehen, verhalten sich wie, wie",
    "auf, je, kommen, kommt, zu, pro, gibt es, das, Verhältnis, von, ist, und, pour, il y a, le, rapport",
    "est",
    "chaque, de, à, et, sont, por, cada, hay, la, razón, es, y, ogni, ci sono, il, rapporto, è, e, há, para",
    "a",
    "razão, é, на, каждые, каждых, каждую, приходится, приходятся, отношение, к, как, staat tot, staan tot",
    "op, elke, zijn er, tot, staat, the ratio, is equal to, equals, 比, 对, 每, 有, 就有, 比は, 対, 대, only",
    "till, mot, do, contre, en contra, contro, contra, против, \\,, ., ,",
)
"""Words around the numbers of a ratio and around what they count."""


def spell_ratio(problem: str, answer: str) -> str:
    """Return the ratio that a short answer states, in the order that the question asks for; "" where the
    question asks for none, or the answer does not say whose the numbers are.

    >>> spell_ratio("Give the ratio of girls to boys.", "for every 3 boys there are 2 girls")
    '2:3'
    >>> spell_ratio("Give the ratio girls : boys.", "boys : girls = 3 : 2"), spell_ratio("Is x 3?", "3 to 2")
    ('2:3', '')
    """
    asked = [token for token in tokenize(problem) if not is_blank(token)]
    ratio = _RATIOS.find(asked)
    if ratio is None or len(answer) > _LONGEST:
        return ""
    told = [token for token in tokenize(write_numerals(answer.strip(" $.。"))) if not is_blank(token)]
    told = [token for token in told if token.text != "$"]
    numbers = [at for at, token in enumerate(told) if token.kind == "digits"]
    if len(numbers) != 2 or any(token.text in _PARTS_OF_NUMBERS for token in told):
        return ""
    order = _list_stems(asked[ratio[1] :])
    labels = {at: stem for at, token in enumerate(told) if (stem := _find_label(token)) in order}
    others = [token for at, token in enumerate(told) if at not in labels and at not in numbers]
    if not _is_known(others) or len(labels) not in (0, 2) or len({*labels.values()}) != len(labels):
        return ""
    values = [told[at].text for at in numbers]
    if labels:
        places = sorted(labels)
        is_beside = numbers[0] < places[0] < numbers[1] < places[1]
        if not is_beside and places[1] > numbers[0]:
            return ""
        first, second = (order.index(labels[at]) for at in places)
        return ":".join(values if first < second else values[::-1])
    # Odds against something are those in favour of it, turned round.
    against = [_AGAINST.find(side) is not None for side in (asked, told)]
    if against[1] and not against[0]:
        return ":".join(values[::-1])
    is_plain = any(token.kind == "word" for token in others)
    return ":".join(values) if is_plain else ""


_PARTS_OF_NUMBERS = (*"+-−/%^", "\\frac")
_FEW_LETTERS = 3


def _find_label(token: AnswerToken) -> str:
    """Return the stem of a word that may count something; "" for other tokens."""
    is_noun = token.kind == "word" and (len(token.text) >= _FEW_LETTERS or not token.text.isascii())
    return find_stem(token.text) if is_noun else ""


def _list_stems(tokens: Sequence[AnswerToken]) -> list[str]:
    return [stem for token in tokens if (stem := _find_label(token)) and not _BETWEEN.is_whole([token])]


def _is_known(tokens: Sequence[AnswerToken]) -> bool:
    at = 0
    while at < len(tokens):
        if (match := _BETWEEN.match(tokens, at)) is None:
            return False
        at = match[0]
    return True
