r"""Find phrases of a vocabulary in words.

A phrase is words with `_` between; `*` at its end stands for any ending. Thousands of phrases are looked for
in each text, so they are indexed by their first word, which costs less to build and to search than regular
expressions of hundreds of alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

GAP = r"(?:[\s{}*]|\\(?:emph|text[a-z]{2})(?![a-z]))+"
"""What stands between the words of a phrase: space, and what emphasises one of them."""
_GAP = re.compile(GAP)
_WORD = re.compile(r"\w+")
_REST_OF_WORD = re.compile(r"\w*")
_MOST_WORDS = 5_000
"""Words whose phrases a vocabulary keeps."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase: the pieces between its gaps, and whether its last word may go on."""

    pieces: Sequence[str]
    is_open: bool
    rank: tuple[int, int]
    """The longest phrase of a place counts, and of equally long ones the first of the vocabulary."""

    def match(self, words: str, at: int) -> int | None:
        """Return the index behind the phrase where it stands at one; None where it does not."""
        for index, piece in enumerate(self.pieces):
            if index:
                gap = _GAP.match(words, at)
                if gap is None:
                    return None
                at = gap.end()
            if not words.startswith(piece, at):
                return None
            at += len(piece)
        if self.is_open:
            return _end_of_word(words, at)
        return at if _is_word(words[at - 1 : at]) != _is_word(words[at : at + 1]) else None


class PhraseIndex:
    """Phrases by their first word.

    >>> list(PhraseIndex("let let_us suppos*").iterate_spans("Suppose that we let\\n us be"))
    [(0, 7), (16, 23)]
    """

    def __init__(self, phrases: str) -> None:
        self._whole: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[_Phrase]] = {}
        self._candidates: dict[str, Sequence[_Phrase]] = {}
        for number, phrase in enumerate(dict.fromkeys(phrases.split())):
            bare = phrase.removesuffix("*")
            first = _WORD.match(bare)
            if first is None:
                raise ValueError(f"a phrase begins with a word: {phrase}")
            first_word = bare.split("_")[0] if "_" in first[0] else first[0]
            parsed = _Phrase(tuple(bare.split("_")), bare != phrase, (-len(phrase), number))
            table = self._stems if parsed.is_open and first_word == bare else self._whole
            table.setdefault(first_word, []).append(parsed)

    def iterate_spans(self, words: str) -> Iterator[tuple[int, int]]:
        """Yield where phrases begin and end, none of them in another one; small and capital letters are the
        same."""
        text = _index_words(words)
        if self._whole.keys().isdisjoint(text.words) and self._stems.keys().isdisjoint(text.stems):
            return
        end = 0
        for start, word in text.places:
            if start < end:
                continue
            for phrase in self._list_candidates(word):
                behind = phrase.match(text.lowered, start)
                if behind is not None:
                    yield start, behind
                    end = behind
                    break

    def has_phrase_at(self, words: str, start: int) -> bool:
        """Return whether a phrase begins with the word at an index."""
        text = _index_words(words)
        word = next((word for at, word in text.places if at >= start), "")
        candidates = self._list_candidates(word) if text.lowered.startswith(word, start) else ()
        return any(phrase.match(text.lowered, start) is not None for phrase in candidates)

    def has_phrase_before(self, words: str, end: int) -> bool:
        """Return whether a phrase ends at an index."""
        text = _index_words(words)
        return any(
            phrase.match(text.lowered, at) == end
            for at, word in reversed(text.places)
            if at < end
            for phrase in self._list_candidates(word)
        )

    def _list_candidates(self, word: str) -> Sequence[_Phrase]:
        """Return the phrases that can begin with a word, in the order in which they are tried."""
        known = self._candidates.get(word)
        if known is None:
            found = [*self._whole.get(word, ())]
            for size in range(1, len(word) + 1):
                found += self._stems.get(word[:size], ())
            known = tuple(sorted(found, key=lambda one: one.rank))
            if len(self._candidates) < _MOST_WORDS:
                self._candidates[word] = known
        return known


@cache
def index_phrases(phrases: str) -> PhraseIndex:
    """Return the index of a vocabulary, which is built once."""
    return PhraseIndex(phrases)


@cache
def join_alternatives(phrases: str) -> str:
    """Return the phrases of a vocabulary as alternatives of a regular expression, the longest first."""
    return "|".join(
        re.escape(phrase.removesuffix("*")).replace("_", GAP) + (r"\w*" if phrase.endswith("*") else "")
        for phrase in sorted(phrases.split(), key=len, reverse=True)
    )


def leave_out_phrases(phrases: str, words: str) -> str:
    """Return words with a blank in place of each phrase.

    >>> leave_out_phrases("no_doubt", "there is no doubt that no")
    'there is   that no'
    """
    end = 0
    kept = []
    for first, last in index_phrases(phrases).iterate_spans(words):
        kept.append(words[end:first])
        end = last
    return " ".join([*kept, words[end:]])


class _IndexedText:
    """The words of a text and their places."""

    def __init__(self, text: str) -> None:
        lowered = text.lower()
        # One letter that becomes two would move all places behind it.
        self.lowered = lowered if len(lowered) == len(text) else "".join(map(_lower_letter, text))
        self.places = tuple((match.start(), match[0]) for match in _WORD.finditer(self.lowered))
        self.words = frozenset(word for _, word in self.places)

    @cached_property
    def stems(self) -> frozenset[str]:
        """What the words begin with."""
        return frozenset(word[:size] for word in self.words for size in range(1, len(word) + 1))


_index_words = lru_cache(maxsize=2048)(_IndexedText)


def _lower_letter(letter: str) -> str:
    lowered = letter.lower()
    return lowered if len(lowered) == 1 else letter


def _end_of_word(words: str, at: int) -> int:
    rest = _REST_OF_WORD.match(words, at)
    return rest.end() if rest is not None else at


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
