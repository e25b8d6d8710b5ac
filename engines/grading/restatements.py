"""Answers that say the same several times: `60 000 cm³, which is 60 litres`, `8π ≈ 25.13`, `9 min (540 s)`.

What stands behind `i.e.`, `≈`, `so` or in brackets at the end says an answer once more, in other words, units
or decimals. Such an answer is right if each of its parts is, and a decimal as far as its digits go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.quantity_reader import is_quantity
from engines.grading.tokens import (
    AnswerToken,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.verdicts import GradeVerdict
from engines.language.numerals import find_numerals

_LONGEST, _MOST_TOKENS = 500, 90
"""Characters and tokens of a text that is no solution."""
_SAME, _ABOUT, _SO, ASIDE = "same", "about", "so", "aside"
_WORDS = map_phrases(
    {
        _SAME: "i.e., i. e., ie, that is, that's, that is to say, which is, which are, which equals"
        ", which makes, which is equal to, which comes to, in other words, equivalently"
        ", or equivalently, or, d.h., d. h., das heißt, das sind, das ist, das entspricht, entspricht"
        ", oder, bzw., beziehungsweise, c'est-à-dire, soit, ce qui fait, ce qui donne, ou, ou encore"
        ", es decir, o sea, que son, que es, lo que equivale a, o, ossia, cioè, vale a dire, ovvero"
        ", ou seja, isto é, que é, que são, то есть, т.е., т. е., или, что равно, это, 即, 也就是, つまり"
        ", すなわち, 즉",
        _ABOUT: "≈, ≃, \\approx, \\simeq, about, approximately, approx., approx, roughly, around, some"
        ", rund, etwa, also rund, also etwa, also ungefähr, also ca., ungefähr, ca., circa, zirka"
        ", environ, à peu près, approximativement, aproximadamente, unos, cerca de, approssimativamente"
        ", примерно, приблизительно, около, 约, 大约, 約, およそ, 약",
        _SO: "so, so that, thus, hence, therefore, giving, which gives, so we get, also ist, also sind"
        ", also gilt, also beträgt, daher, somit, folglich, donc, ainsi, d'où, así que, por tanto"
        ", por lo tanto, luego, quindi, dunque, perciò, portanto, logo, assim, поэтому, значит"
        ", следовательно, откуда, итак, なので, 所以, 因此, よって, したがって, ゆえに, 따라서",
    }.items()
)
"""Words and signs before an answer that is said once more, and how it is related to what is before them."""
_LEADS = make_phrases(
    "it's, it is, it, this is, that's, we get, we have, he, es, ist, is, c'est, cela fait, son, es, es ist"
    ", é, è, это, they are",
    "the answer is, exactly, genau, exactement, exactamente, exatamente, esattamente, ровно, or, oder, ou"
    ", o, или, which is",
)
"""Words before a part that say nothing of it."""
_OPENING, _CLOSING = tuple("([{（"), tuple(")]}）")


@dataclass(frozen=True, slots=True)
class StatedPart:
    """A part of an answer, and how it is related to the one before it; "" for the first."""

    text: str
    relation: str

    @property
    def decimals(self) -> int | None:
        """How many decimals its number is written with; None where it has no number in digits, or several."""
        tokens = [token for token in tokenize(self.text) if token.text not in ("$", "{", "}")]
        runs = [at for at, token in enumerate(tokens) if token.kind == "digits"]
        if len(runs) == 1:
            return 0 if "%" not in self.text else 2
        marked = len(runs) == 2 and runs[1] == runs[0] + 2 and tokens[runs[0] + 1].text in (".", ",")
        places = 2 if any(token.text in ("%", "\\%") for token in tokens) else 0
        return len(tokens[runs[1]].text) + places if marked else None


def split_restated(text: str) -> list[StatedPart]:
    """Return the parts of an answer that say it several times; one part where it does not.

    >>> [part.text for part in split_restated("60 000 cm³, which is 60 litres")]
    ['60 000 cm³', '60 litres']
    >>> [(part.text, part.relation) for part in split_restated("√2 (≈ 1.41)")]
    [('√2', ''), ('1.41', 'about')]
    """
    tokens = join_formulas(text, tokenize(text)) if len(text) <= _LONGEST else []
    if not 0 < len(tokens) <= _MOST_TOKENS:
        return [StatedPart(text, "")]
    parts: list[StatedPart] = []
    depth, relation = 0, ""
    start = at = skip_blanks(tokens, 0)
    opening = _WORDS.match(tokens, at)
    if opening is not None and opening[1] == _ABOUT:
        relation, start = _ABOUT, skip_blanks(tokens, opening[0])
        at = start
    closing = _find_last_bracket(tokens)
    while at < len(tokens):
        opens_last = at == closing and not depth
        match = None if depth else _WORDS.match(tokens, at)
        is_word = match is not None and (
            tokens[at].kind != "word" or not text_at(tokens, at - 1)[-1:].isalnum()
        )
        if (is_word or opens_last) and _has_value(tokens[start:at]):
            parts.append(StatedPart(_spell(text, tokens[start:at]), relation))
            relation, at = (ASIDE, at + 1) if match is None else (match[1], match[0])
            at, relation = _skip_words(tokens, at, relation)
            start = at
            continue
        depth += (tokens[at].text in _OPENING) - (tokens[at].text in _CLOSING)
        at += 1
    last = _spell(text, tokens[start:])
    if last:
        parts.append(StatedPart(last, relation))
    return parts if all(part.text for part in parts) else [StatedPart(text, "")]


def _skip_words(tokens: Sequence[AnswerToken], at: int, relation: str) -> tuple[int, str]:
    """Return the index behind further words before a part, and its relation by these: `, that is about 5`."""
    while True:
        at = skip_blanks(tokens, at)
        while text_at(tokens, at) in tuple(",:;") and at < len(tokens):
            at = skip_blanks(tokens, at + 1)
        match = _WORDS.match(tokens, at)
        lead = _LEADS.match(tokens, at)
        if match is not None:
            at, relation = match[0], _ABOUT if _ABOUT in (match[1], relation) else match[1]
        elif lead is not None and relation != "" and lead[0] < len(tokens):
            at = lead[0]
        else:
            return at, relation


def _find_last_bracket(tokens: Sequence[AnswerToken]) -> int:
    """Return where a round bracket behind white space opens that ends a text; -1 without one."""
    end = len(tokens)
    while end and (is_blank(tokens[end - 1]) or tokens[end - 1].text in tuple(".!")):
        end -= 1
    if not end or tokens[end - 1].text not in (")", "）"):
        return -1
    depth = 0
    for at in range(end - 1, 0, -1):
        depth += (tokens[at].text in (")", "）")) - (tokens[at].text in ("(", "（"))
        if not depth:
            inside = any(token.text in (",", ";", "∈") for token in tokens[at:end])
            return at if is_blank(tokens[at - 1]) and not inside else -1
    return -1


def _has_value(tokens: Sequence[AnswerToken]) -> bool:
    if tokens and find_numerals(" ".join(token.text for token in tokens)):
        return True
    return any(token.kind in ("digits", "formula") or token.text in ("π", "√", ")") for token in tokens)


def _spell(text: str, tokens: Sequence[AnswerToken]) -> str:
    """Return the text of tokens without white space, marks and a bracket that is not opened in it."""
    if not tokens:
        return ""
    said = text[tokens[0].start : tokens[-1].end].strip(" ,;:.\n")
    if said.endswith(")") and said.count(")") > said.count("("):
        said = said[:-1]
    return said.strip(" ,;:")


def find_conclusion(text: str, parts: Sequence[StatedPart]) -> str:
    """Return all that a text says behind its last conclusion, if that are several parts; "" for others.

    >>> text = "x² = 4x, so x = 0 or x = 4"
    >>> find_conclusion(text, split_restated(text))
    'x = 0 or x = 4'
    """
    concluded = [at for at, part in enumerate(parts) if part.relation == _SO]
    if not concluded or concluded[-1] == len(parts) - 1:
        return ""
    start = text.rfind(parts[concluded[-1]].text)
    return text[start:] if start > 0 else ""


def compare_restated(
    gold: str, parts: Sequence[StatedPart], compare: Callable[[str, str, int | None], str]
) -> GradeVerdict | None:
    """Compare each part of an answer with the reference; None where not all of them are shown to be right.

    Args: gold: the reference. parts: of the answer. compare: returns the outcome for the reference and a
    part, to so many decimals.
    """
    # What an answer concludes from is no answer.
    concluded = [at for at, part in enumerate(parts) if part.relation == _SO]
    said = parts[concluded[-1] :] if concluded else parts
    exact = False
    asides = any(part.relation == ASIDE for part in said)
    for part in said:
        outcome = compare(gold, part.text, None)
        if outcome == "equal":
            exact = True
            continue
        # What stands in brackets may be exact, and what stands before them rounded.
        decimals = part.decimals if part.relation == _ABOUT or asides else None
        if decimals is None or compare(gold, part.text, decimals) != "equal":
            return None
    if not exact:
        return None
    return GradeVerdict("equal", reason="each of its parts says the answer" if len(said) > 1 else "")


def find_false_approximation(
    gold: str, parts: Sequence[StatedPart], compare: Callable[[str, str, int | None], str]
) -> str:
    """Return the decimal that a right answer is said to be about although it is not; "" without one."""
    for part in parts:
        # What is cut off and not rounded, or wrong in the last digit, is about the same.
        if (
            part.relation == _ABOUT
            and part.decimals
            and compare(gold, part.text, part.decimals - 1) == "different"
        ):
            return part.text
    return ""


def find_false_conversion(
    gold: str, parts: Sequence[StatedPart], compare: Callable[[str, str, int | None], str]
) -> str:
    """Return the quantity that a right answer is said to be although it is not, as in `130 minutes, that is
    2 hours`; "" without one."""
    for at, part in enumerate(parts):
        restated = part.relation == _SAME or (at + 1 < len(parts) and parts[at + 1].relation == _SAME)
        if restated and is_quantity(part.text) and compare(gold, part.text, None) == "different":
            return part.text
    return ""
