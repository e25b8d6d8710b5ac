"""Training notation: the tokens that a sequence model reads and writes (E-Gen's published code).

Operators are words (`add sub mul div`), functions keep their names, an integer is a sign and its digits
(`-12` is `INT- 1 2`), a decimal is the fraction it stands for (`0.5` is `div INT+ 1 INT+ 2`) and comes back
as that quotient. Nothing is rounded on the way: a constant that is no p/q with q up to 17 is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.egen.expressions.language import (
    ARITY,
    HYPERBOLIC,
    INVERSE,
    TRIGONOMETRIC,
    is_constant_token,
    read_prefix,
)

__all__ = ["END", "MAX_DENOMINATOR", "PAD", "START", "VOCABULARY", "decode", "from_training", "to_training"]

VOCABULARY: tuple[str, ...] = (
    *("PAD", "SOE", "EOE"),
    *"0123456789",
    *("pi", "e", "INT+", "INT-", "x"),
    *("add", "sub", "mul", "div", "pow", "rac", "inv", "pow2", "pow3", "pow4", "pow5"),
    *("sqrt", "exp", "ln", "abs", "sign"),
    *TRIGONOMETRIC,
    *INVERSE[:6],
    *HYPERBOLIC,
    *INVERSE[6:],
    "d",
)
"""The 59 tokens, each at its id. `rac inv pow2 … pow5 exp sign` are there for the ids and are never used."""

MAX_DENOMINATOR = 17
_IDS = {token: number for number, token in enumerate(VOCABULARY)}
_WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_SIGNS = {word: label for label, word in _WORDS.items()}
PAD, START, END = (_IDS[token] for token in ("PAD", "SOE", "EOE"))


def to_training(tree: Tree) -> list[str]:
    """The tree in training tokens, without SOE and EOE.

    Raises: ExpressionError for a constant that has no exact form and for `log`, which has no token.

    >>> to_training(read_prefix("- x -12"))
    ['sub', 'x', 'INT-', '1', '2']
    """
    written: list[str] = []
    for node in tree:
        label = node.label
        word = _WORDS.get(label, label)
        if is_constant_token(label):
            written += _constant(label)
        elif word in _IDS:
            written.append(word)
        else:
            raise ExpressionError(
                f"{label[:40]!r} has no token in training notation",
                remedy="Write a logarithm to another base as a quotient: / ln u ln b."
                if label == "log"
                else "",
            )
    return written


def _constant(label: str) -> list[str]:
    value = Fraction(label)
    if value.denominator == 1:
        return _integer(value.numerator)
    near = value.limit_denominator(MAX_DENOMINATOR)
    # 1/3 is written with the digits of the float next to it.
    if value != near and float(label) != near.numerator / near.denominator:
        raise ExpressionError(
            f"the constant {label} is no fraction with a denominator up to {MAX_DENOMINATOR}",
            remedy="Write it as a quotient of integers.",
        )
    return ["div", *_integer(near.numerator), *_integer(near.denominator)]


def _integer(value: int) -> list[str]:
    return ["INT-" if value < 0 else "INT+", *str(abs(value))]


def from_training(tokens: Sequence[str]) -> Tree:
    """The tree of training tokens without SOE and EOE; integers as leaves, fractions as quotients.

    Raises: ExpressionError for tokens that are not in the vocabulary, stand for nothing or do not make up one
    expression.
    """
    labels: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in ("INT+", "INT-"):
            first = at
            while at < len(tokens) and tokens[at].isdigit() and tokens[at] in _IDS:
                at += 1
            if at == first:
                raise ExpressionError(f"{token} at token {first} is followed by no digit", position=first)
            value = int("".join(tokens[first:at]))
            labels.append(str(-value if token == "INT-" else value))
        elif token in _SIGNS:
            labels.append(_SIGNS[token])
        elif token in ARITY and token in _IDS:
            labels.append(token)
        else:
            raise ExpressionError(
                f"token {at}, {token[:40]!r}, cannot be read in training notation", position=at - 1
            )
    return read_prefix(" ".join(labels))


def decode(ids: Iterable[int]) -> Tree:
    """The tree of ids that a model wrote: what stands before the first EOE, without SOE and PAD.

    Raises: ExpressionError for an id outside the vocabulary and as `from_training`.
    """
    tokens: list[str] = []
    for number in ids:
        if not 0 <= number < len(VOCABULARY):
            raise ExpressionError(f"id {number} is outside the vocabulary of {len(VOCABULARY)} tokens")
        if number == END:
            break
        if number not in (START, PAD):
            tokens.append(VOCABULARY[number])
    return from_training(tokens)
