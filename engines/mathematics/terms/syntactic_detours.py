"""When a term goes a way round: `u^2/u`, `u/(u*v)`, `u*u^(-3)`, `1/(1/u)^2`.

A term is a product of powers of its factors. It makes a detour where one factor stands above and below the
line of fractions, or where it is 1 over what is itself only 1 over something.
"""

from __future__ import annotations

from engines.core.expression_language import is_constant_token
from engines.mathematics.terms.canonical import Canonical, Subterms

# Bits of a mask: a factor above or below the line of a fraction, or in both places, where it cancels.
_ABOVE, _BELOW, _BOTH = 1, 2, 3
_TURNED = {_ABOVE: _BELOW, _BELOW: _ABOVE, _BOTH: _BOTH}

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
        if number >= len(self._made):
            self._read_terms()
        return self._made[number]

    def _read_terms(self) -> None:
        """Read the terms that were numbered since the last time."""
        terms, made, factors_of, first = self._terms, self._made, self._factors, len(self._made)
        rows = zip(terms.labels[first:], terms.lefts[first:], terms.rights[first:], strict=True)
        for number, (code, left, right) in enumerate(rows, first):
            factors: Factors = {}
            detour = (left >= 0 and made[left]) or (right >= 0 and made[right])
            # Every term of which a detour is a part is one: nobody asks for the factors of either.
            if not detour:
                name = terms.names[code]
                if name == "*":
                    factors = _multiply(factors_of[left], factors_of[right])
                    detour = _BOTH in factors.values()
                elif name == "/":
                    detour = _is_reciprocal(factors_of[right])
                    factors = _multiply(factors_of[left], _turn(factors_of[right]))
                    detour = detour or _BOTH in factors.values()
                elif name == "pow" and (exponent := self._integer(right)):
                    factors = factors_of[left]
                    if exponent < 0:
                        detour = _is_reciprocal(factors)
                        factors = _turn(factors)
                elif left >= 0 or not is_constant_token(name):
                    factors = {self._key_of(number): _ABOVE}
            made.append(detour)
            factors_of.append(factors)

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
