"""Detours in an expression, counted as it is written: apart from how the style `plain` avoids them.

A detour is a function of an inverse function of its family or the other way round (`sin acos u`, `tan
acot u`), or a sign that could have been left out: a factor or numerator -1 in a product, a sum, the argument
of an odd or even function or the base of an integer power, or before a difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.expression_language import ARITY, HYPERBOLIC, TRIGONOMETRIC

_FAMILY = dict.fromkeys(TRIGONOMETRIC, "circular") | dict.fromkeys(HYPERBOLIC, "hyperbolic")
_INVERSE = {f"a{name}": family for name, family in _FAMILY.items()}
_ODD_OR_EVEN = {*_FAMILY, "abs", "asin", "atan", "acsc", "asinh", "atanh", "acsch", "acoth"}
_MINUS, _DIFFERENCE, _INTEGER = 1, 2, 4


def detours(tokens: Sequence[str]) -> tuple[int, int]:
    """How many functions meet an inverse of their family, and how many signs could be left out.

    >>> detours("* -1 sin / -1 x".split()), detours("tan acot x".split()), detours("- x sin x".split())
    ((0, 1), (1, 0), (0, 0))
    """
    met = signs = 0
    stack: list[int] = []
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        arity = ARITY.get(token)
        if arity is None:
            stack.append(_INTEGER * ("." not in token))
        elif arity == 0:
            stack.append(0)
        elif arity == 1:
            inside, below = stack.pop(), tokens[at + 1]
            direct = token in _FAMILY and _INVERSE.get(below) == _FAMILY[token]
            met += direct or (token in _INVERSE and _FAMILY.get(below) == _INVERSE[token])
            signs += bool(inside & _MINUS) and token in _ODD_OR_EVEN
            stack.append(0)
        else:
            left, right = stack.pop(), stack.pop()
            minus = token == "*" and tokens[at + 1] == "-1"
            if minus:
                signs += bool(right & (_MINUS | _DIFFERENCE))
            elif token in "*/+-":
                signs += bool((left | right) & _MINUS)
            elif token == "pow":
                signs += bool(left & _MINUS) and bool(right & _INTEGER)
            minus |= token == "/" and tokens[at + 1] == "-1"
            stack.append(_MINUS if minus else _DIFFERENCE if token == "-" else 0)
    return met, signs
