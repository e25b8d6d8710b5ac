"""What a composed encoder is trained on: members of a cluster, what differs from them in one label, and what
is done to two expressions alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.egen.expressions.language import (
    ARITY,
    FUNCTIONS,
    HYPERBOLIC,
    TRIGONOMETRIC,
    VARIABLE,
    is_constant_token,
)

__all__ = ["Example", "Tokens", "detoured", "moved", "near_copy"]

Tokens = tuple[str, ...]
"""Of an expression, in generator prefix notation."""

_BINARY = ("+", "-", "*", "/")
_NUMBERS = tuple(str(number) for number in range(-9, 10) if abs(number) > 1)
_RECIPROCAL = {"sin": "csc", "cos": "sec", "tan": "cot", "sinh": "csch", "cosh": "sech", "tanh": "coth"}
_RECIPROCAL |= {other: name for name, other in _RECIPROCAL.items()}
_NOTHING = [(name, f"a{name}") for name in (*TRIGONOMETRIC, *HYPERBOLIC)]
_OVER = [(other, f"a{name}") for name, other in _RECIPROCAL.items()]
"""Two functions that give u, and those that give 1/u."""
_TURNED = {"*": "/", "/": "*"}
_TURNED |= {f"a{name}": f"a{other}" for name, other in _RECIPROCAL.items() if name not in ("tan", "cot")}
"""What stands for an operation when 1/u is its last operand."""


@dataclass(frozen=True, slots=True)
class Example:
    """`members` of the cluster `number`; `copies` differ from one of them in a label each, and may be worth
    the same all the same; `moves`: quadruples (u, v, p(u), p(v)) of an operation p."""

    number: int
    members: tuple[Tokens, ...]
    copies: tuple[Tokens, ...]
    moves: tuple[tuple[Tokens, Tokens, Tokens, Tokens], ...]

    @property
    def expressions(self) -> tuple[Tokens, ...]:
        """All of them in turn."""
        return (*self.members, *self.copies, *(each for move in self.moves for each in move))


def near_copy(tokens: Tokens, draw: np.random.Generator) -> Tokens | None:
    """With another label of its kind in a random place; None when the one that is drawn is there already."""
    kinds = [(place, others) for place, token in enumerate(tokens) if (others := _others(token))]
    if not kinds:
        return None
    place, others = kinds[int(draw.integers(len(kinds)))]
    label = others[int(draw.integers(len(others)))]
    return None if label == tokens[place] else (*tokens[:place], label, *tokens[place + 1 :])


def _others(token: str) -> Sequence[str]:
    if token in _BINARY:
        return _BINARY
    if token in FUNCTIONS:
        return FUNCTIONS
    return _NUMBERS if is_constant_token(token) else ()


def detoured(tokens: Tokens, draw: np.random.Generator) -> Tokens:
    """The same function, written with a detour in a random place: cot(atan u) for 1/u, u / cot(atan v) for
    u·v, asin(sec(acos u)) for acsc u, tan(atan u) for u, (1 + u) + 2 for u + 3."""
    begin = int(draw.integers(len(tokens)))
    if begin and tokens[begin - 1] == "d":
        return tokens
    end = _end(tokens, begin)
    name, inner = tokens[begin], tokens[begin + 1 : end]
    last = _end(inner, 0) if name in _BINARY else 0
    over = _OVER[draw.integers(len(_OVER))]
    found: Tokens
    if draw.random() < 0.3:
        found = (*_NOTHING[draw.integers(len(_NOTHING))], name, *inner)
    elif name in _TURNED:
        found = (_TURNED[name], *inner[:last], *over, *inner[last:])
    elif name in ("+", "-") and inner[last].lstrip("-").isdecimal():
        number = int(inner[last]) + (1 if name == "-" else -1)
        found = (name, "+", "1", *inner[:last], str(number))
    else:
        found = ("/", "1", *over, name, *inner)
    return (*tokens[:begin], *found, *tokens[end:])


def _end(tokens: Sequence[str], begin: int) -> int:
    """Where the term that begins there ends."""
    wanted = 1
    while wanted:
        wanted += ARITY.get(tokens[begin], 0) - 1
        begin += 1
    return begin


def moved(draw: np.random.Generator) -> Callable[[Tokens], Tokens]:
    """A random operation on expressions: a power, a multiple, a sum, a function, a reciprocal, a power of e,
    or another argument in the place of x."""
    number = str(draw.integers(2, 10) * (1 if draw.random() < 0.7 else -1))
    function = FUNCTIONS[draw.integers(len(FUNCTIONS))]
    around: list[tuple[Tokens, Tokens]] = [
        (("pow",), (number,)),
        (("*", number), ()),
        (("+",), (number,)),
        ((function,), ()),
        (("/", "1"), ()) if draw.random() < 0.5 else (("pow", "e"), ()),
    ]
    kind = draw.integers(len(around) + 1)
    if kind < len(around):
        before, after = around[kind]
        return lambda tokens: (*before, *tokens, *after)
    sign = ("+", "-", "*", "/", "pow")[draw.integers(5)]
    inner = ("*", number, VARIABLE) if sign == "*" else (sign, VARIABLE, number)
    return lambda tokens: tuple(
        each for token in tokens for each in (inner if token == VARIABLE else (token,))
    )
