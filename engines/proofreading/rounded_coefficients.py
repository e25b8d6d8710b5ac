"""Polynomials whose coefficients are those of others to the digits that they show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.number_links import list_terms
from engines.proofreading.term_properties import DECIMAL, evaluate_term, free_symbols

_LARGEST_SHARE = 0.002
"""Of a coefficient, by which it may be off since others were rounded before it was calculated."""
_LEAST_DIGITS = 3
_EXACT = 1e-9
_MOST_NODES = 120

_Powers = tuple[int, ...]


def has_rounded_coefficients(left: Tree, right: Tree) -> bool:
    """Return whether the right side is the left one, multiplied out, with rounded coefficients.

    >>> from engines.formula.reader import read
    >>> texts = "1.414(x + 1.732) + 0.2x", "1.614x + 2.449", "1.614x + 2.459"
    >>> value, written, mistyped = (read(text).tree for text in texts)
    >>> has_rounded_coefficients(value, written), has_rounded_coefficients(value, mistyped)
    (True, False)
    """
    letters = free_symbols(left)
    if not letters or letters != free_symbols(right) or len(left) + len(right) > _MOST_NODES:
        return False
    exact, shown = _list_coefficients(left), _list_coefficients(right)
    # Equal polynomials that fail all the same are of other things than numbers.
    if exact is None or shown is None or exact == shown or exact.keys() != shown.keys():
        return False
    before, after = _measure_rounding(left, exact), _measure_rounding(right, shown)
    return all(
        abs(exact[powers] - shown[powers])
        <= _EXACT + after[powers] + min(before[powers], _LARGEST_SHARE * abs(exact[powers]))
        for powers in exact
    ) and all(_has_digits(term) for term in list_terms(right))


def _has_digits(term: Tree) -> bool:
    """Return whether a term has no decimal number of so few digits that it can be another."""
    decimals = filter(DECIMAL.match, term.list_labels())
    return all(len(label.replace(".", "").strip("-0")) >= _LEAST_DIGITS for label in decimals)


def _list_coefficients(side: Tree) -> Mapping[_Powers, float] | None:
    """Return the coefficients of a polynomial by the powers of its letters; None for another term."""
    try:
        space = Space((side,))
        quotient = space.to_quotient(side)
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return None
    if any(atom.children for atom in space.atoms):
        return None
    order = sorted(range(len(space.atoms)), key=lambda place: space.atoms[place].label)
    ((degrees, divisor), *others) = quotient.bottom.terms()
    if others or any(degrees):
        return None
    return {
        tuple(int(powers[place]) for place in order): float(factor / divisor)
        for powers, factor in quotient.top.terms()
    }


def _measure_rounding(side: Tree, known: Mapping[_Powers, float]) -> Mapping[_Powers, float]:
    """Return by how much each coefficient changes if each decimal is off by half a unit of its last digit."""
    room: defaultdict[_Powers, float] = defaultdict(float)
    for label in {*filter(DECIMAL.match, side.list_labels())}:
        half = 0.5 / 10 ** len(label.partition(".")[2])
        value = evaluate_term(Tree(label), {})
        moved = replace_variable(side, label, Tree(f"{(value or 0.0) + half:.12f}"))
        for powers, factor in (_list_coefficients(moved) or {}).items():
            room[powers] += abs(factor - known.get(powers, factor))
    return room
