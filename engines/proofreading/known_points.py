"""Places where all that a text says of some terms holds: to tell a claim that fails there from others.

A value of a function of which nothing is known, a root, a derivative: whatever is not arithmetic is a name
for a number here, so that `f(z)` and `g(z)` in `g(z) = 1/(f(z) - q)` are two unknowns. A place in general
position is moved, by Newton's method, to where every equation holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from random import Random
from typing import Any

from engines.core.errors import EngineError
from engines.core.tree import ONE, Tree
from engines.mathematics.algebra.rational import TWO, Space, TooLargeError
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.term_properties import WHOLE, evaluate_term, free_symbols

_ARITHMETIC = ("+", "-", "*", "/")
_MOST_EQUATIONS = 12
_MOST_UNKNOWNS = 24
_MOST_TERMS = 60
_MOST_NODES = 60
_ROUNDS = 40
_ZERO = 1e-12
_RANGE = (1.2, 2.9)
_LARGEST_VALUE = 1e6
_MOST_HALVES = 24
_WORKED_OUT = ("integral", "sum", "prod")
"""Parts that have a value where they have no variables."""
_DEPTH = 3
"""Values of variables are put into the arguments of functions so often."""


@dataclass(slots=True)
class PartNames:
    """Names of parts that are not arithmetic, each written as a variable.

    Attributes:
        values: What variables are said to be, which is put into the parts.
        parts: The parts as they are written, by their names.
        meant: What they are by the values of variables, by their names.
    """

    values: Mapping[str, Tree]
    parts: dict[str, Tree] = field(default_factory=dict)
    meant: dict[str, Tree] = field(default_factory=dict)

    def replace_parts(self, tree: Tree) -> Tree:
        """Return a term with a name in the place of each part that is not arithmetic."""
        if not tree.children or not free_symbols(tree):
            return tree
        if tree.label in _ARITHMETIC:
            return Tree(tree.label, tuple(map(self.replace_parts, tree.children)))
        if tree.label == "pow" and WHOLE.match(tree.children[1].label):
            return Tree("pow", (self.replace_parts(tree.children[0]), tree.children[1]))
        if tree.label == "pow" and (halves := _count_halves(tree.children[1])):
            base = tree.children[0] if halves % 2 == 0 else Tree("sqrt", tree.children[:1])
            power = halves if halves % 2 else halves // 2
            named = self.replace_parts(base)
            return named if power == 1 else Tree("pow", (named, Tree(str(power))))
        known = next((name for name, part in self.parts.items() if part == tree), None)
        if known is None:
            known = f"⟦{len(self.parts)}⟧"
            self.parts[known] = tree
            self.meant[known] = self.find_meaning(tree)
        return Tree(known)

    def find_meaning(self, part: Tree) -> Tree:
        """Return what a part is by the values of variables."""
        for _ in range(_DEPTH):
            for name in sorted(free_symbols(part) & self.values.keys()):
                part = replace_variable(part, name, self.values[name])
        return Tree(part.label, tuple(map(_simplify, part.children)))

    def list_relations(self) -> list[tuple[Tree, Tree]]:
        """List what is known of the parts, as equations of their names: those that are equal by the values of
        variables, the squares of roots, and what the functions of one angle are to each other."""
        first: dict[Tree, str] = {}
        pairs = [(name, first.setdefault(meant, name)) for name, meant in self.meant.items()]
        equal = [(Tree(name), Tree(other)) for name, other in pairs if name != other]
        roots = [(name, part) for name, part in self.parts.items() if part.label == "sqrt"]
        circles = list(_pair_functions(first, "sin", "cos"))
        tangents = [*_pair_functions(first, "sec", "tan"), *_pair_functions(first, "csc", "cot")]
        inverses = [*_pair_functions(first, "sec", "cos"), *_pair_functions(first, "csc", "sin")]
        closed = ((name, part) for name, part in self.parts.items() if part.label in _WORKED_OUT)
        values = ((name, None if free_symbols(part) else evaluate_term(part, {})) for name, part in closed)
        return [
            *equal,
            *((Tree(name), Tree(f"{value:.12f}")) for name, value in values if value is not None),
            *((_square(name), self.replace_parts(part.children[0])) for name, part in roots),
            *((Tree("+", (_square(sine), _square(cosine))), ONE) for sine, cosine in circles),
            *((_square(secant), Tree("+", (ONE, _square(tangent)))) for secant, tangent in tangents),
            *((Tree("*", (Tree(one), Tree(other))), ONE) for one, other in inverses),
        ]

    def restore_parts(self, tree: Tree) -> Tree:
        """Return a term with the parts in the place of their names."""
        if not tree.children:
            return self.parts.get(tree.label, tree)
        return Tree(tree.label, tuple(map(self.restore_parts, tree.children)))

    def show_place(self, at: Mapping[str, complex]) -> dict[str, complex]:
        """Return the values of the terms that names stand for."""
        return {write_term(self.parts.get(name, Tree(name))): value for name, value in at.items()}


def _count_halves(exponent: Tree) -> int:
    """Return how many halves a positive exponent is; 0 for another.

    >>> _count_halves(Tree("-", (Tree("/", (Tree("5"), Tree("2"))), Tree("1"))))
    3
    """
    value = None if free_symbols(exponent) else evaluate_term(exponent, {})
    halves = 0.0 if value is None else 2 * value
    return int(halves) if 0 < halves <= _MOST_HALVES and halves.is_integer() else 0


def _pair_functions(names: Mapping[Tree, str], one: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield the names of two functions of the same angle."""
    for meant, name in names.items():
        if meant.label == one and (partner := names.get(Tree(other, meant.children))):
            yield name, partner


def _square(name: str) -> Tree:
    return Tree("pow", (Tree(name), TWO))


@lru_cache(4096)
def _simplify(tree: Tree) -> Tree:
    if not tree.children or len(tree) > _MOST_NODES:
        return tree
    try:
        space = Space((tree,))
        quotient = space.to_quotient(tree)
        # A power of a sum has so many terms that its tree is too deep.
        if max(len(quotient.top), len(quotient.bottom)) > _MOST_TERMS:
            return tree
        return space.to_tree(quotient)
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return tree


def find_points(equations: Sequence[tuple[Tree, Tree]], names: frozenset[str]) -> list[dict[str, float]]:
    """Return two places where equations hold; [] where none is found.

    Args:
        equations: Their sides, rational functions of variables.
        names: The variables of which a value is asked for.

    >>> from engines.formula.reader import read
    >>> known = [tuple(read(text).tree.children) for text in ("2x + y = 1", "z = xy")]
    >>> for at in find_points(known, frozenset("xyz")):
    ...     print(abs(2 * at["x"] + at["y"] - 1) < 1e-9, abs(at["z"] - at["x"] * at["y"]) < 1e-9)
    True True
    True True
    """
    if len(equations) > _MOST_EQUATIONS:
        return []
    try:
        space = Space(side for pair in equations for side in pair)
        polynomials = [
            space.combine_quotients("-", space.to_quotient(one), space.to_quotient(other)).top
            for one, other in equations
        ]
    except (TooLargeError, OverflowError, ZeroDivisionError, EngineError, RecursionError):
        return []
    if len(space.atoms) > _MOST_UNKNOWNS or any(len(each) > _MOST_TERMS for each in polynomials):
        return []
    fixed: dict[int, float] = {}
    for place, atom in enumerate(space.atoms):
        if atom.children or not free_symbols(atom):
            value = evaluate_term(atom, {})
            if value is None:
                return []
            fixed[place] = value
    unknowns = [place for place in range(len(space.atoms)) if place not in fixed]
    source = Random(len(unknowns))
    points = []
    for _ in range(2):
        start = [fixed.get(place, round(source.uniform(*_RANGE), 2)) for place in range(len(space.atoms))]
        at = _move_to_zero([_list_terms(each) for each in polynomials], start, unknowns)
        if at is None:
            return []
        values = {atom.label: value for atom, value in zip(space.atoms, at, strict=True) if not atom.children}
        points.append({name: values.get(name, round(source.uniform(*_RANGE), 2)) for name in sorted(names)})
    return points


_Terms = list[tuple[float, list[int]]]


def _list_terms(polynomial: Any) -> _Terms:
    return [
        (int(factor.p) / int(factor.q), [int(power) for power in powers])
        for powers, factor in polynomial.terms()
    ]


def _move_to_zero(
    system: Sequence[_Terms], start: list[float], unknowns: Sequence[int]
) -> list[float] | None:
    """Return a place near another where polynomials are zero; None where none is found."""
    import numpy as np

    at, moved = np.array(start, float), list(unknowns)
    terms = [(row, factor, powers) for row, each in enumerate(system) for factor, powers in each]
    factors = np.array([factor for _, factor, _ in terms])
    exponents = np.array([powers for *_, powers in terms], float).reshape(len(terms), len(at))
    degrees = exponents[:, moved]
    # Each polynomial is the sum of the monomials in its row.
    sums = np.zeros((len(system), len(terms)))
    sums[[row for row, *_ in terms], range(len(terms))] = 1.0
    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            monomials = factors * np.prod(at**exponents, axis=1)
            values = sums @ monomials
            if np.abs(values).max(initial=0.0) <= _ZERO * np.abs(monomials).max(initial=1.0):
                result = at.tolist()
                return result if all(isfinite(one) and abs(one) < _LARGEST_VALUE for one in result) else None
            places = np.where(at[moved] == 0, np.inf, at[moved])
            slopes = sums @ (monomials[:, np.newaxis] * degrees / places)
            at[moved] -= np.linalg.lstsq(slopes, values, rcond=None)[0]
    return None


_GRID = 96
"""Steps of a search for roots, from `_FIRST` to `_LAST`."""
_FIRST, _LAST = 0.03, 9.97
_BISECTIONS = 40
_CLOSE_TO_ROOT = 1e-6


def find_positive_roots(left: Tree, right: Tree, name: str) -> list[float]:
    """Return roots of an equation in one variable from 0 to 10 at which the gap of its sides changes sign.

    >>> from engines.formula.reader import read
    >>> [f"{root:.3f}" for root in find_positive_roots(read("sin x").tree, read("cos x").tree, "x")]
    ['0.785', '3.927', '7.069']
    """

    def measure_gap(place: float) -> float | None:
        one, other = evaluate_term(left, {name: place}), evaluate_term(right, {name: place})
        return None if one is None or other is None else one - other

    roots: list[float] = []
    places = [_FIRST + (_LAST - _FIRST) * step / _GRID for step in range(_GRID + 1)]
    gaps = [measure_gap(place) for place in places]
    for (low, high), (one, other) in zip(pairwise(places), pairwise(gaps), strict=True):
        if one is None or other is None or one * other >= 0:
            continue
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            value = measure_gap(middle)
            if value is None:
                break
            low, high = (middle, high) if value * one > 0 else (low, middle)
        # At a pole the gap changes its sign, too, and is large.
        if abs(measure_gap(low) or 0.0) < _CLOSE_TO_ROOT * (1 + abs(one)):
            roots.append(low)
    return roots
