r"""Terms of Boolean algebra, of propositions and of sets: `A + B`, `~q | ~p`, `U \ B`, `the complement of B`.

Each is true or false for the values of its letters, sets for whether something is a member of each: they are
compared by their truth tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.grading.verdicts import GradeVerdict

_Truth = Callable[[dict[str, bool]], bool]
_PROPOSITIONS = (
    *(
        "\\lnot",
        "\\neg",
        "\\land",
        "\\lor",
        "\\wedge",
        "\\vee",
        "∧",
        "∨",
        "¬",
        "propositional",
        "proposition",
    ),
    *(
        "aussagenlogisch",
        "aussagenlogische",
        "aussagenlogischen",
        "proposizione",
        "proposición",
        "命题",
        "命題",
    ),
)
"""Signs and words of a question about propositions."""
_SETS = ("\\cup", "\\cap", "∪", "∩", "\\setminus", "∖", "complement", "universal", "\\complement")
"""Signs and words of a question about sets."""
_SET_TERMS = make_phrases(
    "the set, set, it is, it's, just, simply, itself, exactly, all of, die Menge, l'ensemble, el conjunto",
    "l'insieme",
)
"""Words around the name of a set that say nothing of it."""
_COMPLEMENTS = make_phrases(
    "the complement of, complement of, complement, everything outside, everything outside of, all outside",
    "everything not in, all elements not in, everything except, not in, das Komplement von, Komplement von",
    "le complémentaire de, complémentaire de, el complemento de, complemento de, il complementare di",
    "o complementar de, дополнение, 补集, 補集合",
)
_MINUSES = ("\\setminus", "∖", "\\backslash", "\\smallsetminus", "-", "−", "\\ ", "\\")
_COMPLEMENT_EXPONENTS = ("c", "C", "∁", "\\complement")
_UNIVERSES = make_phrases("universal set, universe, Grundmenge, ensemble universel, conjunto universal, 全集")
_IMPLIES = ("\\to", "\\rightarrow", "\\Rightarrow", "\\implies", "→", "⇒", "⟹", "->", "=>")
_NAMES = ("boolean", "boolesche", "booleschen", "boolescher", "booléenne", "booléen", "booleana", "booleano")
_OR = ("+", "or", "∨", "\\lor", "\\vee", "|")
_AND = ("·", "*", "and", "∧", "\\land", "\\wedge", "\\cdot", "&", ".")
_NOT = ("not", "¬", "~", "!", "\\neg", "\\lnot")
_BARS = ("\\overline", "\\bar")
_PRIMES = ("'", "′", "’")
_SPACES = ("\\,", "\\;", "\\ ", "\\!")
_MOST_LETTERS = 6


@dataclass(frozen=True, slots=True)
class _TermNotation:
    """How the terms of one kind are written, and the letters that are true, as the universal set is."""

    sums: Sequence[str]
    products: Sequence[str]
    differences: Sequence[str] = ()
    implications: Sequence[str] = ()
    is_juxtaposed: bool = False
    wholes: frozenset[str] = frozenset()


_BOOLEAN = _TermNotation(_OR, _AND, is_juxtaposed=True)
_LOGIC = _TermNotation(("∨", "\\lor", "\\vee", "|", "||", "or"), (*_AND, "^", "&&"), (), _IMPLIES)


def compare_boolean(gold: str, pred: str, question: str) -> GradeVerdict | None:
    """Compare two terms of a question on Boolean algebra, propositions or sets; None for other answers.

    >>> compare_boolean("A+B", "A OR B", "Simplify the Boolean expression $AB+AB'+A'B$.").outcome
    'equal'
    >>> compare_boolean("A+B", "A AND B", "Simplify the Boolean expression $AB+AB'+A'B$.").outcome
    'different'
    >>> compare_boolean("B^c", "U - B", "Let U be the universal set. Simplify (A ∪ B)^c ∪ (A ∖ B).").outcome
    'equal'
    """
    notation = _find_notation(question)
    if notation is None:
        return None
    parsers = [_BooleanParser(text, notation) for text in (gold, pred)]
    terms = [parser.parse_whole() for parser in parsers]
    letters = sorted(parsers[0].letters | parsers[1].letters)
    if terms[0] is None or terms[1] is None or not len(letters) <= _MOST_LETTERS:
        return None
    if not {*letters} <= {*question}:
        return None
    for values in product((False, True), repeat=len(letters)):
        named = dict(zip(letters, values, strict=True))
        if terms[0](named) != terms[1](named):
            shown = ", ".join(f"{letter} = {int(value)}" for letter, value in named.items())
            return GradeVerdict("different", witness=f"{shown}: only one of them is 1")
    return GradeVerdict("equal", reason="the same truth table")


def _find_notation(question: str) -> _TermNotation | None:
    """Return how the terms that a question speaks of are written; None for other questions."""
    tokens = [token for token in tokenize(question) if not is_blank(token) and token.text != "$"]
    words = {token.text.lower() for token in tokens}
    if not words.isdisjoint(_NAMES):
        return _BOOLEAN
    if not words.isdisjoint(_SETS):
        named = _UNIVERSES.find(tokens)
        around = tokens[max(0, named[0] - _FEW) : named[1] + 1] if named is not None else []
        wholes = (token.text for token in around if len(token.text) == 1 and token.text.isupper())
        return _TermNotation(("∪", "\\cup"), ("∩", "\\cap"), _MINUSES, wholes=frozenset(wholes))
    return None if words.isdisjoint(_PROPOSITIONS) else _LOGIC


_FEW = 4
"""Tokens between the letter of a universal set and its words, at most."""


class _BooleanParser:
    """Parser of a term whose letters stand alone: sums of products, with denials."""

    def __init__(self, text: str, notation: _TermNotation) -> None:
        self.notation = notation
        said = [one for one in tokenize(text.strip(" .$")) if not is_blank(one)]
        spaces = {*_SPACES, "$"} - {*notation.differences}  # `\\ ` is a difference among sets
        said = [one for one in said if one.text not in spaces]
        self.tokens = _split_letters(said) if notation.is_juxtaposed else _join_arrows(_drop_words(said))
        self.at = 0
        self.letters: set[str] = set()

    def parse_whole(self) -> _Truth | None:
        """Return the term that the whole text is; None where it is none."""
        if self.notation.is_juxtaposed and text_at(self.tokens, 1) == "=":
            self.at = 2  # F = A + B
        term = self.parse_implication()
        return term if self.at == len(self.tokens) else None

    def parse_implication(self) -> _Truth | None:
        first = self.parse_sum()
        if first is None or not self.take(self.notation.implications):
            return first
        second = self.parse_sum()
        denied = _deny_term(first)
        return None if denied is None or second is None else _join_terms(denied, second, any)

    def parse_sum(self) -> _Truth | None:
        first = self.parse_product()
        while first is not None and self.take(self.notation.sums):
            second = self.parse_product()
            first = None if second is None else _join_terms(first, second, any)
        return first

    def parse_product(self) -> _Truth | None:
        first = self.parse_factor()
        while first is not None:
            if self.take(self.notation.differences):
                # Without brackets it is not known how far a difference of sets goes.
                second = _deny_term(self.parse_factor())
                ends = text_at(self.tokens, self.at) in ("", ")") or self.at == len(self.tokens)
                first = _join_terms(first, second, all) if second is not None and ends else None
            elif self.take(self.notation.products) or (self.notation.is_juxtaposed and self.begins_factor()):
                second = self.parse_factor()
                first = None if second is None else _join_terms(first, second, all)
            else:
                break
        return first

    def begins_factor(self) -> bool:
        """Return whether a factor follows without a sign before it."""
        text = text_at(self.tokens, self.at)
        return text in ("(", *_NOT, *_BARS) or (len(text) == 1 and text.isupper())

    def parse_factor(self) -> _Truth | None:
        if self.take(_NOT) or self.take(("\\complement", "∁")):
            return _deny_term(self.parse_factor())
        if self.take(_BARS):
            is_group = text_at(self.tokens, self.at) == "{"
            inside = self.parse_group("{", "}") if is_group else self.parse_factor()
            return self.parse_primes(_deny_term(inside))
        if text_at(self.tokens, self.at) == "(":
            return self.parse_primes(self.parse_group("(", ")"))
        text = text_at(self.tokens, self.at)
        if text in ("0", "1", *_EMPTY) or (text in self.notation.wholes and text):
            self.at += 1
            return self.parse_primes(_make_constant(value=text not in ("0", *_EMPTY)))
        is_letter = (
            text.isupper() if self.notation.is_juxtaposed or self.notation.differences else text.isalpha()
        )
        if len(text) != 1 or not is_letter:
            return None
        self.at += 1
        self.letters.add(text)
        return self.parse_primes(lambda values: values[text])

    def parse_group(self, opening: str, closing: str) -> _Truth | None:
        self.take((opening,))
        inside = self.parse_implication()
        return inside if self.take((closing,)) else None

    def parse_primes(self, term: _Truth | None) -> _Truth | None:
        while self.take(_PRIMES) or self.take_complement():
            term = _deny_term(term)
        return term

    def take_complement(self) -> bool:
        """Go on behind the exponent of a complement, as in B^c."""
        behind = [token.text for token in self.tokens[self.at : self.at + 4]]
        braced = behind[:2] == ["^", "{"] and behind[3:4] == ["}"]
        said = behind[2 if braced else 1 :][:1]
        if behind[:1] != ["^"] or not said or said[0] not in _COMPLEMENT_EXPONENTS:
            return False
        self.at += 4 if braced else 2
        return True

    def take(self, texts: Sequence[str]) -> bool:
        """Go on behind the next token if it is one of some."""
        found = text_at(self.tokens, self.at) in texts and self.at < len(self.tokens)
        self.at += found
        return found


_EMPTY = ("∅", "\\emptyset", "\\varnothing")


def _drop_words(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Return tokens with a sign for words of a complement, and without words that say nothing."""
    result: list[AnswerToken] = []
    at = 0
    while at < len(tokens):
        complement, passed = _COMPLEMENTS.match(tokens, at), _SET_TERMS.match(tokens, at)
        if complement is not None:
            result.append(tokens[at]._replace(text="¬"))
            at = complement[0]
        elif passed is not None:
            at = passed[0]
        else:
            word = tokens[at].text.lower()
            is_operator = tokens[at].kind == "word" and word in ("or", "and", "not")
            result.append(tokens[at]._replace(text=word) if is_operator else tokens[at])
            at += 1
    return result


def _join_arrows(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Return tokens with `->` and `=>` as one sign."""
    result: list[AnswerToken] = []
    for token in tokens:
        if token.text == ">" and result and result[-1].text in ("-", "="):
            result[-1] = result[-1]._replace(text="→")
        else:
            result.append(token)
    return result


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
