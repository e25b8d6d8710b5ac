"""Words beside a value that nobody accounts for: `a third of 5`, `6 or its negative`, `3的平方根`,
`reject 2`.

Between the verb that states a value and the value itself every word is understood: it announces or counts the
value (`harmless_words`), or it is a word of the question or reference. Any other word may make another value
of it. Of the words behind the value the same holds where the question is known, which names what is counted;
else they only must not be known to change it. What the value is said of must not be another quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from engines.formula.vocabulary import TRIGONOMETRIC_AND_HYPERBOLIC
from engines.grading.harmless_words import (
    DISOWNING_WORDS,
    HARMLESS_WORDS,
    OPERATIONS,
    QUANTITIES,
    REASONS_BEHIND_VALUE,
    STATING_WORDS,
)
from engines.grading.meanings.quantified_sentences import find_stem
from engines.grading.tokens import AnswerToken, Phrases, text_at
from engines.grading.unit_reader import names_unit
from engines.grading.withdrawal_vocabulary import AFFIRMATIONS

_FIRST_UNSPACED = "\u3040"
_RELATED = 5
"""Letters that two forms of one word share at least."""
_MOST_UNIT_WORDS = 4
_MOST_WORDS = 6
_MOST_LETTERS = 3
"""Letters of a product of letters in a formula."""
_FUNCTIONS = frozenset(("ln", "log", "exp", "sqrt", "arg", "det", "Res", "Re", "Im", "gcd", "lcm", "mod"))


class LeftoverWords:
    """The words of a clause: `first` and `last` are where its value begins and ends among the tokens."""

    ADDING = frozenset(("+", "\\sum", "∑", "Σ"))

    def __init__(
        self, tokens: Sequence[AnswerToken], value: tuple[int, int], known: Sequence[AnswerToken]
    ) -> None:
        self.tokens = tokens
        self.first, self.last = value
        self.words = {token.text for token in known if token.kind == "word"}
        if not self.ADDING.isdisjoint(token.text for token in known):
            self.words |= {"sum", "series", "total"}
        self.stems = {*map(find_stem, self.words)}

    def find_word(self, start: int, end: int, *, is_asked: bool, is_measured: bool) -> str:
        """Return the first word between two tokens that is not accounted for; "" where all are.

        Args: is_asked: whether the question is known. is_measured: whether the value has a unit.
        """
        before = self.tokens[: self.first]
        verbs = [match[1] for match in STATING_WORDS.find_all(before, start, self.first)]
        stated = max((at for at in verbs if at <= self.first), default=start)
        figures = sum(token.kind == "digits" for token in self.tokens[start:end])
        is_single = figures <= sum(token.kind == "digits" for token in self.tokens[self.first : self.last])
        if not is_single:
            return ""  # what is said of several values is compared with the reference
        is_equation = (
            text_at(self.tokens, self.first - 1) == "="
            and len(text_at(self.tokens, self.first - 2)) == 1
            and self.last + 1 == end
        )
        is_bare = not is_measured and self.is_fragment(start, end)
        return (
            (self.find_unknown(stated, self.first) if is_asked or is_bare else "")
            or self.find_listed(DISOWNING_WORDS, start, end)
            or self.find_listed(OPERATIONS, self.last, end)
            or (self.find_unknown(self.last, end) if is_asked or is_equation else "")
            or (self.find_listed(QUANTITIES, start, self.first) if is_asked else "")
        )

    def is_fragment(self, start: int, end: int) -> bool:
        """Return whether a clause is a few words before a number that counts and measures nothing."""
        words = [token.text for token in self.tokens[start : self.first] if token.kind == "word"]
        return (
            end == self.last
            and len(words) <= _MOST_WORDS
            and max("".join(words), default="") < _FIRST_UNSPACED
        )

    def find_listed(self, phrases: Phrases[str], start: int, end: int) -> str:
        """Return the first phrase of a table that the question and reference do not have."""
        for at, behind, _ in phrases.find_all(self.tokens[:end], start, end):
            if at >= self.last and self.skip_unit(at, end) > at:
                continue
            if not all(self.is_known(token) for token in self.tokens[at:behind] if token.kind == "word"):
                return " ".join(token.text for token in self.tokens[at:behind])
        return ""

    def find_unknown(self, start: int, end: int) -> str:
        at = start
        while at < end:
            token = self.tokens[at]
            if start >= self.last and REASONS_BEHIND_VALUE.match(self.tokens, at) is not None:
                return ""
            said = self.tokens[:end]
            if (phrase := HARMLESS_WORDS.match(said, at) or AFFIRMATIONS.match(said, at)) is not None:
                at = phrase[0]
                continue
            if start >= self.last and (unit := self.skip_unit(at, end)) > at:
                at = unit
                continue
            if self.is_word(at) and not self.is_known(token):
                return token.text
            at += 1
        return ""

    def skip_unit(self, at: int, end: int) -> int:
        """Return the index behind the longest unit that begins at a token; the same index for none."""
        sizes = (
            stop
            for stop in range(min(at + _MOST_UNIT_WORDS, end), at, -1)
            if names_unit(" ".join(token.text for token in self.tokens[at:stop]))
        )
        return next(sizes, at)

    def is_known(self, token: AnswerToken) -> bool:
        """Return whether the question or reference has a word, or another form of it."""
        word = token.text.lower()
        if word in self.words or find_stem(word) in self.stems:
            return True
        return any(_count_common(word, other) >= _bound_common(word, other) for other in self.words)

    def is_word(self, at: int) -> bool:
        """Return whether a token is a word of a language, and no letter or function of a formula."""
        token = self.tokens[at]
        if token.kind != "word" or (len(token.text) == 1 and token.text < _FIRST_UNSPACED):
            return False
        if len(token.text) <= _MOST_LETTERS and at and self.tokens[at - 1].kind == "command":
            return False  # a product of letters, as in a fraction
        is_function = token.text in _FUNCTIONS or token.text in TRIGONOMETRIC_AND_HYPERBOLIC
        return not (is_function and text_at(self.tokens, at + 1) != "of")


def _count_common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _bound_common(one: str, other: str) -> int:
    return max(_RELATED, min(len(one), len(other)) - 2)
