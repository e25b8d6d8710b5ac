"""When a drawn term goes a way round that only its value shows.

Examples are `(x^3 + x)/(x^2 + 1)`, `sqrt(1/x)^(-2)`, `sqrt(sqrt(x))^4` and `(4x + 4)/2`.

`syntactic_detours` compares factors by their canonical forms. Here a term is a quotient of polynomials in
its operands that are no sums, products or powers, and polynomials are compared by their images: every such
operand becomes a random linear polynomial in one variable modulo a prime, so that what divides both halves of
a quotient divides both of their images, however it is written.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gcd, lcm
from random import Random

from flint import nmod_poly

from engines.core.expression_language import LEAVES, apply_float, is_constant_token, operate_float
from engines.mathematics.terms.canonical import DERIVATIVE, Canonical, Subterms

_PRIME = 2**61 - 1
_MOST_DEGREE = 200
"""Powers of a higher degree count as operands."""
_MOST_EXPONENT = 64
_ONE = Fraction(1)


_Base = tuple[tuple[int, ...], tuple[int, ...]]
"""The coefficients of both halves of a quotient."""


@dataclass(slots=True, eq=False)
class _Image:
    """What is known of a term: its value as a quotient, what divides all of its coefficients, and the factors
    that are powers of roots, by base. `alone`: it is such a power. `even`: no value is below 0, plainly.
    `drawn`: the number that could be drawn out of its roots. `operands`: those that its halves are of.
    `single`: both halves are products of them."""

    top: nmod_poly
    bottom: nmod_poly
    content: Fraction = _ONE
    roots: dict[_Base, Fraction] = field(default_factory=dict)
    alone: bool = False
    even: bool = False
    drawn: Fraction = _ONE
    operands: frozenset[int] = frozenset()
    single: bool = True


class ValueDetours:
    """Which of numbered terms go a way round, they or any of their subterms.

    >>> from engines.core.expression_language import ARITY
    >>> terms = Subterms(ARITY)
    >>> found = ValueDetours(terms)
    >>> texts = "/ + pow x 3 x + pow x 2 1", "pow sqrt / 1 x -2", "/ + * 4 x 4 2", "pow sqrt sqrt x 4"
    >>> [found.goes_round(terms.number_of(text.split())) for text in texts]
    [True, True, True, True]
    >>> texts = "/ 1 + sqrt x sqrt + x 1", "/ - 1 cos x sin x", "pow sqrt x 3", "sqrt pow x 2"
    >>> [found.goes_round(terms.number_of(text.split())) for text in texts]
    [False, False, False, False]
    """

    def __init__(self, terms: Subterms) -> None:
        self._terms, self._key_of = terms, Canonical(terms).key_of
        self._random = Random(0)
        self._operands: dict[Hashable, int] = {}
        self._lines: list[nmod_poly] = []
        self._images: dict[int, _Image] = {}
        self._values: dict[int, float | None] = {}
        self._round: dict[int, bool] = {}

    def goes_round(self, number: int) -> bool:
        """Return whether a term, by its number, contains a detour of values."""
        known = self._round.get(number)
        if known is None:
            known = self._round[number] = self._read_term(number)
        return known

    def _read_term(self, number: int) -> bool:
        terms = self._terms
        left, right = terms.lefts[number], terms.rights[number]
        for operand in (left, right):
            known = operand >= 0 and self._round.get(operand)
            # So does every term of which this one is a part: nobody asks for its image or value.
            if known or (known is None and self.goes_round(operand)):
                return True
        name = terms.names[terms.labels[number]]
        self._values[number] = self._find_value(name, left, right)
        goes = False
        if left < 0:
            image = self._read_leaf(name, number)
        elif right < 0:
            image, more = self._read_function(name, left, number)
            # A number in disguise, as cosh(0).
            goes = more or self._values[number] in (0, 1, -1)
        else:
            image, goes = self._read_operation(name, left, right, number)
        self._images[number] = image
        return goes

    def _find_value(self, name: str, left: int, right: int) -> float | None:
        """Return the value of a term without variables, as far as it can be told from 0 and 1."""
        if left < 0:
            return float(Fraction(name)) if is_constant_token(name) else LEAVES.get(name)
        first, second = self._values[left], self._values[right] if right >= 0 else 0.0
        if first is None or second is None or name == DERIVATIVE:
            return None
        return apply_float(name, first) if right < 0 else operate_float(name, first, second)

    def _read_leaf(self, name: str, number: int) -> _Image:
        if is_constant_token(name):
            value = Fraction(name)
            image = value.numerator * pow(value.denominator, -1, _PRIME) % _PRIME
            content = abs(value) if abs(value) not in (0, 1) else _ONE
            return _Image(_constant(image), _constant(1), content, even=value >= 0)
        return self._operand(self._key_of(number), even=name in ("e", "pi"))

    def _read_function(self, name: str, inner: int, number: int) -> tuple[_Image, bool]:
        if name == "sqrt":
            return self._root(self._images[inner], 2)
        image = self._operand(self._key_of(number), even=name in ("abs", "cosh", "sech"))
        return image, name == "abs" and self._images[inner].even

    def _read_operation(self, name: str, left: int, right: int, number: int) -> tuple[_Image, bool]:
        terms, first, second = self._terms, self._images[left], self._images[right]
        if name in ("+", "-"):
            return self._add(first, second, -1 if name == "-" else 1)
        if name == "*":
            return _multiply(first, second)
        if name == "/":
            image, goes = _multiply(first, _turn(second))
            return image, goes or _is_reciprocal(second)
        exponent = self._rational(right)
        if name == "pow" and exponent is None and terms.names[terms.labels[left]] == "e":
            return self._exponential(second), False
        if name != "pow" or exponent is None:
            return self._operand(self._key_of(number), even=name == "pow" and first.even), False
        if exponent.denominator > 1:
            image, goes = self._root_power(first, exponent, number)
            return image, goes or terms.names[terms.labels[left]] == "1"
        image, goes = self._power(first, int(exponent), number)
        base = terms.names[terms.labels[left]]
        return image, goes or base == "1" or (base == "abs" and exponent % 2 == 0)

    def _power(self, base: _Image, exponent: int, number: int) -> tuple[_Image, bool]:
        # A root of a root, or a power of what has no sign, written as that.
        goes = any(gcd(power.denominator, exponent) > 1 for power in base.roots.values())
        if exponent < 0:
            goes, base = goes or _is_reciprocal(base), _turn(base)
        size = abs(exponent)
        degree = max(base.top.degree(), base.bottom.degree())
        if not 0 < size <= _MOST_EXPONENT or degree * size > _MOST_DEGREE:
            return self._operand(self._key_of(number), even=size % 2 == 0), goes
        roots = {inner: power * size for inner, power in base.roots.items()}
        halves = base.top**size, base.bottom**size
        even = base.even or size % 2 == 0
        content, drawn = base.content**size, base.drawn**size
        return (
            _Image(*halves, content, roots, base.alone, even, drawn, base.operands, base.single),
            goes,
        )

    def _root_power(self, base: _Image, exponent: Fraction, number: int) -> tuple[_Image, bool]:
        root, round_before = self._root(base, exponent.denominator)
        raised, goes = self._power(root, exponent.numerator, number)
        return raised, goes or round_before

    def _root(self, base: _Image, index: int) -> tuple[_Image, bool]:
        """Return the image of a root, that of 1/u being 1 over that of u, and whether u is a power of a
        root."""
        goes = bool(base.roots) and base.alone
        if goes:
            ((inner, power),) = base.roots.items()
            goes, power = abs(power.numerator) > 1, power / index
        else:
            halves = base.top, base.bottom
            top, bottom = map(_monic, halves)
            if len(top) <= 1 and len(bottom) <= 1:
                # Roots of different numbers are different.
                top, bottom = (tuple(map(int, half.coeffs())) for half in halves)
            turned = len(top) == 1 < len(bottom)
            inner, power = (bottom, top) if turned else (top, bottom), Fraction(-1 if turned else 1, index)
        operand = self._operand(("root", inner, power.denominator))
        size = abs(power.numerator)
        roots = {inner: abs(power)}
        image = _Image(
            operand.top**size, _constant(1), _ONE, roots, alone=True, even=True, operands=operand.operands
        )
        return replace(_turn(image) if power < 0 else image, drawn=_draw_out(base.content, index)), goes

    def _exponential(self, exponent: _Image) -> _Image:
        """Return the image of a power of e, whose exponent may be a multiple of another's."""
        key = _monic(exponent.top), _monic(exponent.bottom)
        if not key[0] or not key[1]:
            return _Image(_constant(1), _constant(1), even=True)
        scale = int(exponent.top.coeffs()[-1]) * pow(int(exponent.bottom.coeffs()[-1]), -1, _PRIME) % _PRIME
        power = exponent.content.numerator if exponent.content.denominator == 1 else 1
        power = power if power <= _MOST_EXPONENT else 1
        scale = scale * pow(power, -1, _PRIME) % _PRIME
        base = self._operand(("e", key, scale), even=True)
        return replace(base, top=base.top**power)

    def _add(self, left: _Image, right: _Image, sign: int) -> tuple[_Image, bool]:
        """Return the image of a sum, and whether it is a detour: it can be cancelled, or is a product of
        operands although a part is none, as `(x + y)^2 - x^2 - y^2`."""
        image, goes = _add(left, right, sign)
        operands = image.operands = left.operands | right.operands
        if left.single and right.single and left.operands != right.operands:
            image.single = False
            return image, goes
        single = self._is_product(image.top, operands) and self._is_product(image.bottom, operands)
        image.single = single
        if not (left.single and right.single):
            return image, goes or single
        return (image, goes) if not single else _add_alike(image, left, right, sign, goes)

    def _is_product(self, half: nmod_poly, operands: frozenset[int]) -> bool:
        for number in operands:
            line = self._lines[number]
            while half.degree() > 0:
                quotient, rest = divmod(half, line)
                if rest:
                    break
                half = quotient
        return bool(half.degree() <= 0)

    def _rational(self, number: int) -> Fraction | None:
        name = self._terms.names[self._terms.labels[number]]
        if is_constant_token(name):
            return Fraction(name)
        left, right = self._terms.lefts[number], self._terms.rights[number]
        if name == "/" and left >= 0 and right >= 0:
            above, below = self._rational(left), self._rational(right)
            return above / below if above is not None and below else None
        return None

    def _operand(self, key: Hashable, *, even: bool = False) -> _Image:
        if key not in self._operands:
            line = [self._random.randrange(1, _PRIME), self._random.randrange(1, _PRIME)]
            self._operands[key] = len(self._lines)
            self._lines.append(nmod_poly(line, _PRIME))
        number = self._operands[key]
        return _Image(self._lines[number], _constant(1), even=even, operands=frozenset((number,)))


def _constant(value: int) -> nmod_poly:
    return nmod_poly([value], _PRIME)


_UNIT = _constant(1)


def _monic(polynomial: nmod_poly) -> tuple[int, ...]:
    numbers = [int(number) for number in polynomial.coeffs()]
    if not numbers:
        return ()
    inverse = pow(numbers[-1], -1, _PRIME)
    return tuple(number * inverse % _PRIME for number in numbers)


def _turn(image: _Image) -> _Image:
    roots = {inner: -power for inner, power in image.roots.items()} if image.roots else image.roots
    content = image.content if image.content is _ONE else 1 / image.content
    drawn = image.drawn if image.drawn is _ONE else 1 / image.drawn
    return _Image(
        image.bottom,
        image.top,
        content,
        roots,
        image.alone,
        image.even,
        drawn,
        image.operands,
        image.single,
    )


def _draw_out(content: Fraction, index: int) -> Fraction:
    """Return the number whose power divides what all of a root's base has in common: 1/2 of sqrt(x/4)."""
    halves = (
        max(one for one in range(1, _MOST_DRAWN) if not half % one**index)
        for half in (content.numerator, content.denominator)
    )
    return Fraction(*halves)


_MOST_DRAWN = 13


def _is_reciprocal(image: _Image) -> bool:
    return image.top.degree() <= 0 < image.bottom.degree()


def _multiply(left: _Image, right: _Image) -> tuple[_Image, bool]:
    top, bottom = left.top * right.top, left.bottom * right.bottom
    common = top.gcd(bottom) if top.degree() > 0 and bottom.degree() > 0 else _UNIT
    a, b = left.content, right.content
    goes = (
        common.degree() > 0
        or (bool(left.roots) and bool(right.roots) and not left.roots.keys().isdisjoint(right.roots))
        or _meets(a, b)
        or _meets(a, right.drawn)
        or _meets(b, left.drawn)
        or (bool(left.roots) and _meets_base(left, right))
        or (bool(right.roots) and _meets_base(right, left))
    )
    if common.degree() > 0:
        top, bottom = top // common, bottom // common
    alone = right.alone and max(left.top.degree(), left.bottom.degree()) == 0
    roots = {**left.roots, **right.roots} if left.roots and right.roots else left.roots or right.roots
    even, content, drawn = (
        left.even and right.even,
        _multiply_numbers(a, b),
        _multiply_numbers(left.drawn, right.drawn),
    )
    operands = left.operands | right.operands
    return (
        _Image(top, bottom, content, roots, alone, even, drawn, operands, left.single and right.single),
        goes,
    )


def _multiply_numbers(left: Fraction, right: Fraction) -> Fraction:
    return right if left is _ONE else left if right is _ONE else left * right


def _meets(left: Fraction, right: Fraction) -> bool:
    """Return whether a product of two numbers can be cancelled."""
    if left is _ONE or right is _ONE:
        return False
    return gcd(left.numerator, right.denominator) > 1 or gcd(left.denominator, right.numerator) > 1


def _meets_base(left: _Image, right: _Image) -> bool:
    """Return whether a root in one divides its base in the other."""
    for (top, bottom), power in left.roots.items():
        half = right.top if power < 0 else right.bottom
        if len(bottom) == 1 < len(top) and half.degree() > 0:
            base = nmod_poly(list(top), _PRIME)
            if base.gcd(half).degree() == base.degree():
                return True
    return False


def _add_alike(image: _Image, left: _Image, right: _Image, sign: int, goes: bool) -> tuple[_Image, bool]:
    """Return the image of a sum of multiples of the same, with its number, and whether it is a detour: a
    difference, or fractions that make a simpler one."""
    first, second, whole = (_find_coefficient(each) for each in (left, right, image))
    for a, b in ((left.content, right.content), (left.content, -right.content)):
        total = a + sign * b
        if (
            total
            and (first * b.numerator * a.denominator - second * a.numerator * b.denominator) % _PRIME == 0
        ):
            image = replace(image, content=abs(total))
            simpler = total.denominator < max(a.denominator, b.denominator) or abs(total) < max(
                abs(a), abs(b)
            )
            return image, goes or (simpler and bool(image.operands))
    return image, goes or not whole


def _find_coefficient(image: _Image) -> int:
    """Return what stands before the product that an image is, up to what all such products share."""
    top, bottom = (int(half.coeffs()[-1]) if half else 0 for half in (image.top, image.bottom))
    return top * pow(bottom, -1, _PRIME) % _PRIME


def _add(first: _Image, second: _Image, sign: int) -> tuple[_Image, bool]:
    left, right = second.bottom, first.bottom
    if left.degree() != 0 and right.degree() != 0:
        shared = left.gcd(right)
        left, right = left // shared, right // shared
    top, bottom = first.top * left + second.top * right * sign, first.bottom * left
    if top.degree() < 0:
        return _Image(_constant(1), _constant(1)), False
    # Fractions of which the sum can be cancelled, as x/(x + 1)^2 + 1/(x + 1)^2.
    common = top.gcd(bottom) if top.degree() > 0 and bottom.degree() != 0 else _UNIT
    if common.degree() > 0:
        top, bottom = top // common, bottom // common
    a, b = first.content, second.content
    content = Fraction(gcd(a.numerator, b.numerator), lcm(a.denominator, b.denominator))
    even = sign > 0 and first.even and second.even
    return _Image(top, bottom, content, even=even), common.degree() > 0
