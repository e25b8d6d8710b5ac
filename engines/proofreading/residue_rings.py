"""Whether an equation that is false of integers holds in a ring of residues that a text can mean.

Two integers are equal modulo n only if n divides their difference, and two polynomials only if it divides
every coefficient of theirs. Who calculates with residues reduces them: one side has no number as large as n.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.proofreading.matrix_slips import pair_entries
from engines.proofreading.term_properties import WHOLE, free_symbols

_LARGEST_EXPONENT = 2_000
_LARGEST_ARGUMENT = 200
"""Of a factorial or binomial."""
_LARGEST_BASE = 10**12


@dataclass(frozen=True, slots=True)
class RingsMeant:
    """What a text says of rings of residues where a formula stands.

    Attributes:
        modulus: The one that the formula is about; None for several or none.
        nearby: Those that the innermost scope around it names.
        everywhere: All numbers that the document names as moduli, or divides a ring by.
        numerals: How often its section has each whole number.
        has_plain_equals: Whether equals signs are those of integers: the text writes congruences with a sign
            of their own, and the sections around the formula name no ring of residues.
        has_open_ring: Whether these sections name one whose modulus is a letter.
        has_discrete_logarithms: Whether its section speaks of discrete logarithms, or of indices modulo a
            number.
    """

    modulus: int | None = None
    nearby: frozenset[int] = frozenset()
    everywhere: frozenset[int] = frozenset()
    numerals: Mapping[int, int] = field(default_factory=dict)
    has_plain_equals: bool = False
    has_open_ring: bool = False
    has_discrete_logarithms: bool = False

    def exclude(self, left: Tree, right: Tree, moduli: frozenset[int] | None = None) -> bool:
        """Return whether an equation of integers, or of polynomials over them, fails in all these rings.

        Args:
            left: The left side.
            right: The right side.
            moduli: The moduli to try; those of the text if none are given.

        >>> from engines.formula.reader import read
        >>> sides = read(r"2 \\cdot 9 = 4").tree.children
        >>> [RingsMeant(everywhere=frozenset([one])).exclude(*sides) for one in (7, 5, 2)]
        [False, True, True]
        """
        difference = find_difference(left, right)
        if not difference:
            return False
        if moduli is None:
            moduli = self.everywhere or self._list_numerals(left, right)
        # A modulus that divides the difference excuses it, if one side is reduced by it.
        least = find_least_modulus(left, right)
        return not any(one >= least and difference % one == 0 for one in moduli)

    def _list_numerals(self, left: Tree, right: Tree) -> frozenset[int]:
        """List the numbers of the section beside those of an equation: each can be a modulus where a text
        names none, and in `5 a = 0` its own can."""
        labels = (*left.list_labels(), *right.list_labels())
        own = Counter(abs(int(label)) for label in labels if WHOLE.match(label))
        vanishing = any(side.label == "0" for side in (left, right))
        return frozenset(
            one for one, many in self.numerals.items() if one > 1 and (vanishing or many > own[one])
        )


def find_least_modulus(left: Tree, right: Tree) -> int:
    """Return the least modulus by which one of two sides is reduced: it is larger than its numbers. Of two
    numerals neither has to be.

    >>> from engines.formula.reader import read
    >>> [find_least_modulus(*read(text).tree.children) for text in ("7 + 8 = 15", "3^{20} = 9", "15 = 27")]
    [9, 4, 2]
    """
    if not left.children and not right.children:
        return 2
    return max(2, 1 + min(max(list_coefficients(side), default=0) for side in (left, right)))


def list_coefficients(tree: Tree) -> list[int]:
    """List the whole numbers of a term without their signs, exponents aside.

    >>> from engines.formula.reader import read
    >>> list_coefficients(read("3 x^2 - 4").tree)
    [3, 4]
    """
    # An exponent may be larger than the modulus: 2^10 = 1 holds modulo 3.
    parts = tree.children[:1] if tree.label == "pow" else tree.children
    if not parts:
        return [abs(int(tree.label))] if WHOLE.match(tree.label) else []
    return [one for part in parts for one in list_coefficients(part)]


def find_difference(left: Tree, right: Tree) -> int | None:
    """Return by how much two integers differ, or the greatest common divisor of the coefficients by which two
    polynomials do, or the numerators of two fractions with letters, or the entries of two matrices of
    integers; None for other terms.

    >>> from engines.formula.reader import read
    >>> texts = ("2^5 = 3!", "(x+1)^2 = x^2 + 1", "(x+1)^2 = x^2 + 2x + 4", "1/2 = 3")
    >>> [find_difference(*read(text).tree.children) for text in texts]
    [26, 2, 3, None]
    """
    of_matrices = "matrix" in (*left.list_labels(), *right.list_labels())
    if of_matrices and (entries := pair_entries(left, right)):
        # Matrices are equal modulo n if n divides the differences of all their entries.
        gaps = [find_difference(*pair) for pair in entries]
        return None if None in gaps else math.gcd(*(gap or 0 for gap in gaps))
    if not free_symbols(left) | free_symbols(right):
        one, other = find_integer(left), find_integer(right)
        return None if one is None or other is None else abs(one - other)
    # Polynomials are equal modulo n if n divides the coefficients of their difference: its content.
    try:
        space = Space((left, right))
        apart = space.combine_quotients("-", space.to_quotient(left), space.to_quotient(right))
        *_, scale = space.to_integer_parts(apart)
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return None
    return abs(scale.numerator)


def are_equal_incidences(left: Tree, right: Tree) -> bool:
    """Return whether two matrices of integers have zeros at the same places and no negative entries: as
    relations they are the same, of which 1 + 1 is 1.

    >>> from engines.formula.reader import read
    >>> matrix = r"\\begin{pmatrix} 1 & %s \\\\ 0 & %s \\end{pmatrix}"
    >>> one, other, third = (read(matrix % pair).tree for pair in (("2", "1"), ("1", "1"), ("0", "1")))
    >>> are_equal_incidences(one, other), are_equal_incidences(one, third)
    (True, False)
    """
    pairs = [tuple(map(find_integer, pair)) for pair in pair_entries(left, right)]
    return bool(pairs) and all(
        one is not None and other is not None and min(one, other) >= 0 and bool(one) == bool(other)
        for one, other in pairs
    )


def find_integer(tree: Tree) -> int | None:
    """Return the value of a term of integers; None for one that is large or has other operations."""
    if not tree.children:
        return int(tree.label) if WHOLE.match(tree.label) else None
    parts = [find_integer(part) for part in tree.children]
    known = [part for part in parts if part is not None]
    operation = _OPERATIONS.get(tree.label)
    if operation is None or len(known) < len(parts) or max(map(abs, known)) > _LARGEST_BASE**4:
        return None
    try:
        return operation(*known)
    except (TypeError, ValueError):
        return None


def _raise_to_power(base: int, exponent: int) -> int:
    if not 0 <= exponent <= _LARGEST_EXPONENT or abs(base) > _LARGEST_BASE:
        raise ValueError
    return int(base**exponent)


def _subtract(first: int, second: int | None = None) -> int:
    return -first if second is None else first - second


def _multiply_down(number: int) -> int:
    if number > _LARGEST_ARGUMENT:
        raise ValueError
    return math.factorial(number)


def _choose(many: int, few: int) -> int:
    if many > _LARGEST_ARGUMENT:
        raise ValueError
    return math.comb(many, few)


_OPERATIONS: Mapping[str, Callable[..., int]] = {
    "+": lambda *terms: sum(terms),
    "-": _subtract,
    "*": lambda *factors: math.prod(factors),
    "pow": _raise_to_power,
    "factorial": _multiply_down,
    "binomial": _choose,
    "gcd": math.gcd,
    "lcm": math.lcm,
}
"""Operations on integers; those that are not defined, or have large values, raise a ValueError."""
