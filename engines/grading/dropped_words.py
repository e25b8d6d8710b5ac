"""Words that two short texts have around the same answer, and whether these say something else: `a hole at
x = 1` beside `an asymptote at x = 1`."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from engines.grading.sentence_quantities import find_denial, match_unit
from engines.grading.tokens import AnswerToken, is_blank
from engines.grading.unit_reader import read_unit
from engines.grading.word_answers import match_side

_MOST_CHANGED = 3
"""Words that differ where two texts are the same sentence otherwise."""
_STEM = 5
"""Letters at the beginning of a word that the forms of one word share."""
_PLAIN_LISTED = {
    "en": "the a an is are be was it its this that of at for when if in on with and or we have has get gives"
    " so thus hence therefore must should can will value values answer answers result solution roots"
    " zero zeros final all only exactly equal equals to there where precisely just then as by number"
    " numbers find any some every arbitrary constant constants she he they since because who while i you",
    "de": "der die das ein eine ist sind für bei mit und oder also",
    "fr": "le la les un une est sont pour et ou donc",
    "es": "el los las es son para y o",
    "it": "il lo è sono per e",
    "ru": "или и это при для",
}
_LANGUAGE_OF = {
    word[:_STEM]: language for language, listed in reversed(_PLAIN_LISTED.items()) for word in listed.split()
}
_PLAIN = frozenset(_LANGUAGE_OF)
"""Words that say nothing about an answer, or the same as others of them."""


def compare_dropped_words(joined: tuple[Sequence[AnswerToken], Sequence[AnswerToken]]) -> str:
    """Return the words in which two sentences differ that are the same otherwise; "" for other sentences.

    Args: joined: the tokens of both, of which each formula is one.
    """
    said = [_list_words(tokens) for tokens in joined]
    if not all(said) or said[0] == said[1]:
        return ""
    if not all(any(token.kind in ("formula", "digits") for token in tokens) for tokens in joined):
        return ""  # words may be the answer themselves
    changed: tuple[list[str], list[str]] = [], []
    common = 0
    for kind, first, last, start, end in SequenceMatcher(
        None, said[0], said[1], autojunk=False
    ).get_opcodes():
        if kind == "equal":
            common += last - first
        else:
            changed[0].extend(word for word in said[0][first:last] if word not in _PLAIN)
            changed[1].extend(word for word in said[1][start:end] if word not in _PLAIN)
    denied = [
        any(find_denial(tokens, 0, at) is not None for at in _list_formulas(tokens)) for tokens in joined
    ]
    if denied[0] != denied[1] and common:
        return "a denial"
    if sorted(changed[0]) == sorted(changed[1]):
        # Parts in another order are the same, words that exchange their sides of the one formula are not:
        # "increasing on (0, 2), decreasing elsewhere".
        mine, theirs = map(_part_words, joined)
        if mine is None or theirs is None or sorted(mine[0]) == sorted(theirs[0]):
            return ""
        return f"{' '.join(mine[0])} and {' '.join(theirs[0])}"
    few = all(0 < len(words) <= _MOST_CHANGED for words in changed)
    # Without a word in common two sentences may be of two languages; a word or two are none.
    languages = [{_LANGUAGE_OF[word] for word in words if word in _PLAIN} for words in said]
    alike = common or not any(languages) or languages[0] & languages[1]
    return f"{' '.join(changed[0])} and {' '.join(changed[1])}" if few and alike else ""


def _part_words(tokens: Sequence[AnswerToken]) -> tuple[list[str], list[str]] | None:
    """Return the words before and behind the one formula of a sentence that say something; None where it has
    several, or no such words on a side."""
    places = [at for at, token in enumerate(tokens) if token.kind in ("formula", "digits")]
    first, last = places[0], places[-1] + 1
    if any(token.kind == "word" for token in tokens[first:last]):
        return None
    before, behind = (
        [word for word in _list_words(part) if word not in _PLAIN] for part in (tokens[:first], tokens[last:])
    )
    return (before, behind) if before and behind else None


def _list_formulas(tokens: Sequence[AnswerToken]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token.kind == "formula"]


def _list_words(tokens: Sequence[AnswerToken]) -> list[str]:
    """Return the beginnings of the words of a sentence; of words with an opposite what these say."""
    words: list[str] = []
    at = 0
    while at < len(tokens):
        if (side := match_side(tokens, at)) is not None:
            words.append(side[1])
            at = side[0]
            continue
        end = at + 1
        if tokens[at].kind == "word":
            word, end = _name_word(tokens, at)
            words += [word] if word else []
        at = end
    return words


def _name_word(tokens: Sequence[AnswerToken], at: int) -> tuple[str, int]:
    """Return the beginning of a word, or of a unit what it measures, and the index behind; "" for letters
    that are none."""
    word = tokens[at].text.lower()[:_STEM]
    before = at - 1
    while before >= 0 and is_blank(tokens[before]):
        before -= 1
    is_behind_value = before >= 0 and (
        tokens[before].kind in ("formula", "digits") or tokens[before].text == "π"
    )
    if is_behind_value and word not in _PLAIN:
        end = max(match_unit(tokens, at), at + 1)
        unit = read_unit("".join(token.text for token in tokens[at:end]))
        if unit is not None and unit.known:
            return f"{unit.factor} {' '.join(f'{name}^{power}' for name, power in unit.powers)}", end
    return (word if len(word) > 1 else ""), at + 1


def list_clause_words(tokens: Sequence[AnswerToken]) -> str:
    """Return the words of a clause that name a value, as `slope` or `值域`; "" where none does."""
    signs = [token.text for token in tokens if token.kind == "word" and token.text >= _FIRST_SIGN]
    return " ".join([word for word in _list_words(tokens) if word not in _PLAIN] + signs)


_FIRST_SIGN = "\u3040"
"""The first character of the scripts whose words have no spaces between them."""
