"""Terms of numbers times letters, and the lines and planes that vectors of these are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.mathematics.judging.names import free_variables

PARAMETER_LETTERS = frozenset("tsruvλμτ")
"""Letters that stand for any number in front of a vector."""
_MOST_LETTERS = 4
"""Parameters of a space."""
Linear = dict[str, Fraction]
"""A term of numbers times letters: what each letter is multiplied by, and the number alone by ""."""


@dataclass(frozen=True, slots=True)
class AffineSpace:
    """All points of a line or plane: one of them, the directions, and the letters of the parameters.

    Attributes:
        is_said: Whether the answer says that the letters stand for all real numbers.
        has_vectors: Whether it is written as a sum of vectors times letters.
        is_punctured: Whether its letter is not 0, as of `c(1, 2), c ≠ 0`.
        is_integer: Whether its letter stands for integers.
    """

    point: tuple[Fraction, ...]
    directions: tuple[tuple[Fraction, ...], ...]
    letters: tuple[str, ...]
    is_said: bool
    has_vectors: bool
    is_punctured: bool = False
    is_integer: bool = False


def read_number(tree: Tree) -> Fraction | None:
    """Return a term as a rational number; None for other terms."""
    line = read_linear(tree, "")
    return None if line is None or line[1] else line[0]


def read_linear(tree: Tree, letter: str) -> tuple[Fraction, Fraction] | None:
    """Return a term as `a + b * letter`: both numbers; None for other terms."""
    label, parts = tree.label, tree.children
    if not parts:
        if label == letter:
            return Fraction(0), Fraction(1)
        try:
            return Fraction(label), Fraction(0)
        except ValueError:
            return None
    if label not in ("+", "-", "*", "/") or len(parts) != 2:
        return None
    one, other = (read_linear(part, letter) for part in parts)
    if one is None or other is None:
        return None
    if label in ("+", "-"):
        sign = 1 if label == "+" else -1
        return one[0] + sign * other[0], one[1] + sign * other[1]
    if label == "/":
        return None if other[1] or not other[0] else (one[0] / other[0], one[1] / other[0])
    if one[1] and other[1]:
        return None
    return one[0] * other[0], one[0] * other[1] + one[1] * other[0]


def read_flat(tree: Tree) -> AffineSpace | None:
    """Return the line or plane that a vector with one or two letters runs through."""
    said, integer, excluded = False, False, list[Tree]()
    if tree.label in ("such", "and") and len(tree.children) > 1:
        first, *within = [one for part in tree.children for one in list_conjuncts(part)]
        within = [one for part in within for one in _split_exclusion(part)]
        excluded = [part for part in within if part.label == "!=" and part.children[1] == Tree("0")]
        numbers = {part.children[1].label for part in within if part.label == "in"}
        integer = numbers <= {"ℤ", "Z"} and bool(numbers)
        reals = ("ℤ", "Z") if integer else ("ℝ", "R")
        ranges = [part for part in within if part.label == "in" and part.children[1].label in reals]
        if len(excluded) + len(ranges) < len(within):
            return None
        said, tree = True, first
    if tree.label == "=" and _names_point(tree.children[0]):
        tree = tree.children[1]
    names = {*free_variables(tree), *(one.children[0].label for one in tree if one.label == "call")}
    letters = tuple(sorted(name for name in names if name.isalpha()))
    if not 0 < len(letters) <= _MOST_LETTERS or not (said or PARAMETER_LETTERS.issuperset(letters)):
        return None
    entries = _read_vector(tree, letters)
    if entries is None or len(entries) < 2:
        return None
    directions = tuple(tuple(entry.get(letter, Fraction(0)) for entry in entries) for letter in letters)
    if compute_rank(directions) < len(letters):
        return None
    written = any(
        node.label == "call"
        or (node.label == "*" and any(one.label in ("tuple", "matrix") for one in node.children))
        for node in tree
    )
    if len(letters) > 1 and not (said or written):
        return None  # coordinates with names, as (s, t)
    point = tuple(entry.get("", Fraction(0)) for entry in entries)
    if excluded and (len(letters) > 1 or excluded[0].children[0].label not in letters or any(point)):
        return None
    if integer and len(letters) > 1:
        return None
    return AffineSpace(point, directions, letters, said, written, bool(excluded), integer)


def _split_exclusion(part: Tree) -> list[Tree]:
    r"""Return `a \in ℝ \setminus \{0\}` as `a \in ℝ` and `a ≠ 0`; other statements as they are."""
    letter, values = part.children if part.label == "in" else (part, part)
    if values.label != "without" or values.children[1].label != "set":
        return [part]
    whole, taken = values.children
    return [Tree("in", (letter, whole)), *(Tree("!=", (letter, value)) for value in taken.children)]


def _names_point(tree: Tree) -> bool:
    """Return whether a term is the name of a point or vector, as `r` or `(x, y, z)`."""
    return not tree.children or (tree.label == "tuple" and not any(part.children for part in tree.children))


def read_terms(tree: Tree, letters: tuple[str, ...]) -> Linear | None:
    """Return a term as numbers times letters; None for other terms."""
    label, parts = tree.label, tree.children
    if not parts:
        if label in letters:
            return {label: Fraction(1)}
        number = read_number(tree)
        return None if number is None else {"": number}
    if label not in ("+", "-", "*", "/") or len(parts) != 2:
        return None
    one, other = (read_terms(part, letters) for part in parts)
    if one is None or other is None:
        return None
    if label in ("+", "-"):
        return add_terms(one, other, Fraction(1 if label == "+" else -1))
    if label == "*" and not other.keys() <= {""}:
        one, other = other, one
    number = other.get("", Fraction(0))
    if not other.keys() <= {""} or (label == "/" and not number):
        return None
    return {key: value / number if label == "/" else value * number for key, value in one.items()}


def add_terms(one: Linear, other: Linear, factor: Fraction) -> Linear:
    zero = Fraction(0)
    return {key: one.get(key, zero) + factor * other.get(key, zero) for key in {*one, *other}}


def _read_vector(tree: Tree, letters: tuple[str, ...]) -> list[Linear] | None:
    """Return a vector whose entries are numbers times letters; None for other terms."""
    label, parts = tree.label, tree.children
    if label == "tuple":
        read = [read_terms(part, letters) for part in parts]
        return None if None in read else [one for one in read if one is not None]
    if label == "matrix":
        cells = [cell for row in parts for cell in row.children]
        return _read_vector(Tree("tuple", tuple(cells)), letters) if len(cells) == len(parts) else None
    if label == "call" and len(parts) > 2 and parts[0].label in letters:
        return _scale_vector({parts[0].label: Fraction(1)}, _read_vector(Tree("tuple", parts[1:]), letters))
    if label == "*":
        for factor, vector in (parts, parts[::-1]):
            scale, entries = read_terms(factor, letters), _read_vector(vector, letters)
            if scale is not None and entries is not None:
                return _scale_vector(scale, entries)
        return None
    if label not in ("+", "-"):
        return None
    one, other = (_read_vector(part, letters) for part in parts)
    if one is None or other is None or len(one) != len(other):
        return None
    sign = Fraction(1 if label == "+" else -1)
    return [add_terms(mine, theirs, sign) for mine, theirs in zip(one, other, strict=True)]


def _scale_vector(scale: Linear, entries: list[Linear] | None) -> list[Linear] | None:
    """Return numbers times a term with letters, or terms with letters times a number."""
    if entries is None:
        return None
    if scale.keys() <= {""}:
        number = scale.get("", Fraction(0))
        return [{key: value * number for key, value in entry.items()} for entry in entries]
    if not all(entry.keys() <= {""} for entry in entries):
        return None
    return [{key: value * entry.get("", Fraction(0)) for key, value in scale.items()} for entry in entries]


def compute_rank(vectors: tuple[tuple[Fraction, ...], ...]) -> int:
    """Return how many of the vectors are independent, by elimination."""
    rows = [list(vector) for vector in vectors]
    rank = 0
    for column in range(len(vectors[0])):
        pivot = next((row for row in rows[rank:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(rank, pivot)
        for row in rows[rank + 1 :]:
            factor = row[column] / pivot[column]
            row[:] = [value - factor * first for value, first in zip(row, pivot, strict=True)]
        rank += 1
    return rank


def list_conjuncts(tree: Tree) -> list[Tree]:
    """Return the statements that `and` joins, those within them too."""
    return [one for part in tree.children for one in list_conjuncts(part)] if tree.label == "and" else [tree]
