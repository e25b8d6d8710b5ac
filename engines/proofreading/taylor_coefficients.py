r"""Taylor polynomials of the function at hand: of `f(x) = \ln(1 + x)` it is `T_2(x) = x - x^2/2`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from engines.core.tree import Tree, differentiate
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Facts, Function
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.term_properties import evaluate_term, free_symbols

_POLYNOMIAL = re.compile(r"[TP]_(?P<degree>\d)\Z")
"""Names of Taylor polynomials."""
_OF_POLYNOMIALS = frozenset(("+", "-", "*", "/", "pow"))
_NEAR_LINES = 20
_LEAST_DEGREE, _HIGHEST_DEGREE = 2, 6
_CLOSE = 1e-9


def find_odd_coefficient(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return which coefficient of a Taylor polynomial is not that of the function at hand, where the others
    are; None where all are, or several are not.

    Args:
        facts: What the text has said so far.
        link: The link that says what the polynomial is.
        left: Its left side, as `T_2(x)`.
        right: Its right side.
    """
    head = left.children[0].label if left.label == "call" else left.label
    match = _POLYNOMIAL.match(head)
    names = free_symbols(right)
    if match is None or link.of_problem or link.is_denied_directly or len(names) != 1:
        return None
    if link.relation != "=" or not {node.label for node in right if node.children} <= _OF_POLYNOMIALS:
        return None
    (name,) = names
    known = _find_function(facts, link, name, head)
    degree = int(match["degree"])
    if known is None or not _LEAST_DEGREE <= degree <= _HIGHEST_DEGREE:
        return None
    for place in _list_centres(right, name):
        written = _fit_coefficients(right, name, place, degree)
        meant = _list_coefficients(known.body, name, place, degree)
        if written is None or meant is None:
            continue
        odd = [at for at in range(degree + 1) if abs(written[at] - meant[at]) > _CLOSE * (1 + abs(meant[at]))]
        if len(odd) == 1 and sum(map(bool, meant)) > 1:
            power = f"{name}^{odd[0]}" if place == 0 else f"({name} - {place:g})^{odd[0]}"
            values = f"{written[odd[0]]:.6g} and {meant[odd[0]]:.6g}"
            sources = describe_sources([known.fact])
            reason = f"the coefficient of {power} is not that of the function: {values}, {sources}"
            return Accusation(reason, Evidence("definition", (known.fact,)))
        if not odd:
            return None
    return None


def _find_function(facts: Facts, link: ChainLink, name: str, head: str) -> Function | None:
    """Return the function of a letter that the scope of a link defined last, which is no polynomial; None
    where it defines two shortly before."""
    near = [
        one
        for label, one in facts.functions.items()
        if one.arguments == (name,)
        and label != head
        and not label.endswith("'")
        and free_symbols(one.body) == {name}
        and one.fact.left.label == "call"
        and one.fact.position.scope.reaches(link.position.scope)
        and link.line - one.fact.line <= _NEAR_LINES
        and not _POLYNOMIAL.match(label)
    ]
    return near[0] if len(near) == 1 else None


def _list_centres(polynomial: Tree, name: str) -> list[float]:
    """List the places around which powers of a polynomial can be meant: 1 for those of x - 1, and 0."""
    centres = []
    for node in polynomial:
        is_shifted = node.label in ("-", "+") and node.children[0] == Tree(name) and len(node.children) == 2
        value = evaluate_term(node.children[1], {}) if is_shifted else None
        if value is not None:
            centres.append(value if node.label == "-" else -value)
    return [*dict.fromkeys(centres), 0.0]


def _fit_coefficients(term: Tree, name: str, place: float, degree: int) -> Sequence[float] | None:
    """List the coefficients of the powers of a letter less a place in a polynomial, which it is worth at
    several places; None where it has a higher degree."""
    values = [evaluate_term(term, {name: place + at}) for at in range(degree + 2)]
    if None in values:
        return None
    # Newton's differences of the values, and the polynomial by them.
    differences = [value or 0.0 for value in values]
    for order in range(1, degree + 2):
        for at in range(degree + 1, order - 1, -1):
            differences[at] = (differences[at] - differences[at - 1]) / order
    if abs(differences[-1]) > _CLOSE:
        return None
    coefficients = [0.0] * (degree + 1)
    for at in range(degree, -1, -1):
        shifted = [0.0, *coefficients[:-1]]
        coefficients = [one - at * other for one, other in zip(shifted, coefficients, strict=True)]
        coefficients[0] += differences[at]
    return coefficients


def _list_coefficients(term: Tree, name: str, place: float, degree: int) -> Sequence[float] | None:
    """List the coefficients of the powers of a letter less a place in a term; None where one is not known."""
    coefficients = []
    for order in range(degree + 1):
        value = evaluate_term(term, {name: place})
        if value is None:
            return None
        coefficients.append(value / math.factorial(order))
        try:
            term = differentiate(term, name)
        except (KeyError, ValueError):
            return None
    return coefficients
