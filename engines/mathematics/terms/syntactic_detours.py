"""When a term goes a way round: `u^2/u`, `u/(u*v)`, `u*u^(-3)`, `1/(1/u)^2`.

A term is a product of powers of its factors. It makes a detour where one factor stands above and below the
line of fractions, or where it is 1 over what is itself only 1 over something.
"""

from __future__ import annotations

from engines.core.expression_language import is_constant_token
from engines.mathematics.terms.canonical import Canonical, Subterms

# Bits of a mask: a factor above or below the line of a fraction, or in both places, where it cancels.
_ABOVE, _BELOW = 1, 2
_TURNED = {_ABOVE: _BELOW, _BELOW: _ABOVE, _ABOVE | _BELOW: _ABOVE | _BELOW}

Factors = dict[int, int]
"""For each factor, by its canonical form, whether it stands above or below the line."""


class SyntacticDetours:
    """Which of numbered terms make a detour, they or any of their subterms.

    >>> from engines.core.expression_language import ARITY
    >>> terms = Subterms(ARITY)
    >>> detours = SyntacticDetours(terms)
    >>> texts = "/ pow x 2 x", "/ 1 pow / 1 x 2", "* x pow x -3", "/ x * y / 1 x", "/ sin x cos x", "* x x"
    >>> [detours.makes_detour(terms.number_of(text.split())) for text in texts]
    [True, True, True, False, False, False]
    """

    def __init__(self, terms: Subterms) -> None:
        self._terms, self._key_of = terms, Canonical(terms).key_of
        self._factors: list[Factors] = []
        self._made: list[bool] = []

    def makes_detour(self, number: int) -> bool:
        """Return whether a term contains a syntactic detour."""
        while len(self._made) <= number:
            self._read_next()
        return self._made[number]

    def _read_next(self) -> None:
        terms, number = self._terms, len(self._made)
        name, left, right = terms.names[terms.labels[number]], terms.lefts[number], terms.rights[number]
        made = (left >= 0 and self._made[left]) or (right >= 0 and self._made[right])
        factors: Factors = {}
        if name == "*":
            factors = _multiply(self._factors[left], self._factors[right])
        elif name == "/":
            made = made or _is_reciprocal(self._factors[right])
            factors = _multiply(self._factors[left], _turn(self._factors[right]))
        elif name == "pow" and (exponent := self._integer(right)):
            factors = self._factors[left]
            if exponent < 0:
                made = made or _is_reciprocal(factors)
                factors = _turn(factors)
        elif left >= 0 or not is_constant_token(name):
            factors = {self._key_of(number): _ABOVE}
        self._made.append(made or (_ABOVE | _BELOW) in factors.values())
        self._factors.append(factors)

    def _integer(self, number: int) -> int:
        """Return the integer that a term is, 0 for another term."""
        name = self._terms.names[self._terms.labels[number]]
        return int(name) if is_constant_token(name) and "." not in name else 0


def _turn(factors: Factors) -> Factors:
    return {factor: _TURNED[sides] for factor, sides in factors.items()}


def _multiply(left: Factors, right: Factors) -> Factors:
    if not left or not right:
        return left or right
    return {factor: left.get(factor, 0) | right.get(factor, 0) for factor in {**left, **right}}


def _is_reciprocal(factors: Factors) -> bool:
    return bool(factors) and all(sides == _BELOW for sides in factors.values())
