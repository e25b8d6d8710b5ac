r"""Terms of Boolean algebra: `A + B`, `A OR B`, `A \lor B`; compared by their truth tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.grading.verdicts import GradeVerdict

_Truth = Callable[[dict[str, bool]], bool]
_NAMES = ("boolean", "boolesche", "booleschen", "boolescher", "booléenne", "booléen", "booleana", "booleano")
_OR = ("+", "or", "∨", "\\lor", "\\vee", "|")
_AND = ("·", "*", "and", "∧", "\\land", "\\wedge", "\\cdot", "&", ".")
_NOT = ("not", "¬", "~", "!", "\\neg", "\\lnot")
_BARS = ("\\overline", "\\bar")
_PRIMES = ("'", "′", "’")
_SPACES = ("\\,", "\\;", "\\ ", "\\!")
_MOST_LETTERS = 6


def compare_boolean(gold: str, pred: str, question: str) -> GradeVerdict | None:
    """Compare two terms of a question on Boolean algebra; None for other answers.

    >>> compare_boolean("A+B", "A OR B", "Simplify the Boolean expression $AB+AB'+A'B$.").outcome
    'equal'
    >>> compare_boolean("A+B", "A AND B", "Simplify the Boolean expression $AB+AB'+A'B$.").outcome
    'different'
    """
    words = {token.text.lower() for token in tokenize(question)}
    if words.isdisjoint(_NAMES):
        return None
    parsers = [_BooleanParser(text) for text in (gold, pred)]
    terms = [parser.parse_whole() for parser in parsers]
    letters = sorted(parsers[0].letters | parsers[1].letters)
    if terms[0] is None or terms[1] is None or not 0 < len(letters) <= _MOST_LETTERS:
        return None
    for values in product((False, True), repeat=len(letters)):
        named = dict(zip(letters, values, strict=True))
        if terms[0](named) != terms[1](named):
            shown = ", ".join(f"{letter} = {int(value)}" for letter, value in named.items())
            return GradeVerdict("different", witness=f"{shown}: only one of them is 1")
    return GradeVerdict("equal", reason="the same truth table")


class _BooleanParser:
    """Parser of a term whose letters are single capital ones: sums of products, with denials."""

    def __init__(self, text: str) -> None:
        said = [one for one in tokenize(text.strip(" .$")) if not is_blank(one)]
        self.tokens = _split_letters([one for one in said if one.text not in _SPACES])
        self.at = 0
        self.letters: set[str] = set()

    def parse_whole(self) -> _Truth | None:
        """Return the term that the whole text is; None where it is none."""
        if text_at(self.tokens, 1) == "=":
            self.at = 2  # F = A + B
        term = self.parse_sum()
        return term if self.at == len(self.tokens) else None

    def parse_sum(self) -> _Truth | None:
        first = self.parse_product()
        while first is not None and self.take(_OR):
            second = self.parse_product()
            first = None if second is None else _join_terms(first, second, any)
        return first

    def parse_product(self) -> _Truth | None:
        first = self.parse_factor()
        while first is not None and (self.take(_AND) or self.begins_factor()):
            second = self.parse_factor()
            first = None if second is None else _join_terms(first, second, all)
        return first

    def begins_factor(self) -> bool:
        """Return whether a factor follows without a sign before it."""
        text = text_at(self.tokens, self.at)
        return text in ("(", *_NOT, *_BARS) or (len(text) == 1 and text.isupper())

    def parse_factor(self) -> _Truth | None:
        if self.take(_NOT):
            return _deny_term(self.parse_factor())
        if self.take(_BARS):
            is_group = text_at(self.tokens, self.at) == "{"
            inside = self.parse_group("{", "}") if is_group else self.parse_factor()
            return self.parse_primes(_deny_term(inside))
        if text_at(self.tokens, self.at) == "(":
            return self.parse_primes(self.parse_group("(", ")"))
        text = text_at(self.tokens, self.at)
        if text in ("0", "1"):
            self.at += 1
            return _make_constant(value=text == "1")
        if len(text) != 1 or not text.isupper():
            return None
        self.at += 1
        self.letters.add(text)
        return self.parse_primes(lambda values: values[text])

    def parse_group(self, opening: str, closing: str) -> _Truth | None:
        self.take((opening,))
        inside = self.parse_sum()
        return inside if self.take((closing,)) else None

    def parse_primes(self, term: _Truth | None) -> _Truth | None:
        while self.take(_PRIMES):
            term = _deny_term(term)
        return term

    def take(self, texts: Sequence[str]) -> bool:
        """Go on behind the next token if it is one of some."""
        found = text_at(self.tokens, self.at) in texts and self.at < len(self.tokens)
        self.at += found
        return found


def _split_letters(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Return tokens with each letter of `AB` alone, and the words of operators in small letters."""
    result: list[AnswerToken] = []
    for token in tokens:
        word = token.text.lower()
        if token.kind == "word" and word in (*_OR, *_AND, *_NOT):
            result.append(token._replace(text=word))
        elif token.kind == "word":
            result += [token._replace(text=letter) for letter in token.text]
        else:
            result.append(token)
    return result


def _make_constant(*, value: bool) -> _Truth:
    def compute(_: dict[str, bool]) -> bool:
        return value

    return compute


def _join_terms(one: _Truth, other: _Truth, joined: Callable[[list[bool]], bool]) -> _Truth:
    return lambda values: joined([one(values), other(values)])


def _deny_term(term: _Truth | None) -> _Truth | None:
    return None if term is None else lambda values: not term(values)
