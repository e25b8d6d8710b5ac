"""Slips in equations of matrices: of their names, and of an entry that is calculated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from engines.core.errors import EngineError
from engines.core.tree import ONE, ZERO, Tree
from engines.mathematics.judging.shapes import evaluate_matrices
from engines.proofreading.slips import Slip, find_slip, iterate_changes, iterate_retyped, points_of
from engines.proofreading.term_properties import differ_everywhere, evaluate_term, free_symbols, values_agree

_MOST_NUMBERS = 40
_MOST_ENTRIES = 30
_SIGNS = ("- for +", "+ for -")
_WHOLE = re.compile(r"-?\d{1,6}\Z")


def find_matrix_slip(left: Tree, right: Tree, same: Callable[[Tree, Tree], bool]) -> Slip | None:
    """Return the one change by which an equation of matrices holds for any; I is the identity. It is sought
    among matrices of one row, of which determinant, trace and transpose are the number itself."""
    names = free_symbols(left) | free_symbols(right)
    points = [
        {name: 1.0 if name == _IDENTITY.label else value for name, value in at.items()}
        for at in points_of(names)
    ]
    ends = right == _IDENTITY
    return find_slip(
        _rename(left, _OF_ONE_ROW),
        ONE if ends else _rename(right, _OF_ONE_ROW),
        points,
        lambda one, other: same(_rename(one, _OF_MATRICES), right if ends else _rename(other, _OF_MATRICES)),
        ordered=True,
    )


_OF_ONE_ROW = {"det": "max", "tr": "min", "transpose": "+"}
"""Operations of one matrix, and those of one number that do nothing."""
_OF_MATRICES = {number: matrix for matrix, number in _OF_ONE_ROW.items()}


def _rename(tree: Tree, names: Mapping[str, str]) -> Tree:
    """Return a term with other operations of one operand."""
    if not tree.children:
        return tree
    label = names.get(tree.label, tree.label) if len(tree.children) == 1 else tree.label
    return Tree(label, tuple(_rename(part, names) for part in tree.children))


_IDENTITY = Tree("I")


def find_odd_entry(left: Tree, right: Tree, same: Callable[[Tree, Tree], bool]) -> tuple[Tree, Tree] | None:
    """Return the one pair of entries of two matrices or tuples that differ where the others are equal, and
    not only written alike; None where there is no such pair."""
    pairs = pair_entries(left, right)
    odd = [pair for pair in pairs if not same(*pair)]
    # Entries of a product or sum that are equal to those beside it are not so by chance.
    calculated = _is_calculated(left, right)
    if len(odd) != 1 or all(
        (one == other and not calculated) or _is_alone(one, other)
        for one, other in pairs
        if (one, other) not in odd
    ):
        return None
    return None if _is_alone(*odd[0]) or not differ_everywhere(*odd[0]) else odd[0]


def find_entry_slip(left: Tree, right: Tree, same: Callable[[Tree, Tree], bool]) -> Slip | None:
    """Return the one number or index of an equation of calculated matrices with which all their entries are
    equal, where one pair of entries differs, or several that have letters."""
    pairs = pair_entries(left, right)
    if not 1 < len(pairs) <= _MOST_ENTRIES or not _is_calculated(left, right):
        return None
    odd = [at for at, pair in enumerate(pairs) if not same(*pair)]
    # One number of a factor is in a whole row or column of a product.
    several = len(odd) > 1 and all(
        all(len(free_symbols(side)) > 1 or side == ZERO for side in pairs[at]) for at in odd
    )
    rest = (pair for at, pair in enumerate(pairs) if at not in odd)
    if not (several or (len(odd) == 1 and any(_is_telling(*pair) for pair in rest))):
        return None
    names = free_symbols(left) | free_symbols(right)
    points = points_of(names)
    values = [evaluate_term(side, points[0]) for side in pairs[odd[0]]]
    if values[0] is None or values[1] is None or values_agree(*pairs[odd[0]], points[0]) is not False:
        return None
    for one, other in ((left, right), (right, left)):
        for path, part, instead in _iterate_entry_changes(one, names):
            changed = one.replace_subtree(path, part)
            if changed == other:  # n(c_0; p) = n(c_1; p) says that two values are equal
                continue
            entries = pair_entries(changed, other)
            if (
                len(entries) == len(pairs)
                and values_agree(*entries[odd[0]], points[0])
                and all(same(*pair) for pair in entries)
            ):
                return Slip(instead, points[0], (values[0], values[1]))
    return None


def _iterate_entry_changes(tree: Tree, names: frozenset[str]) -> Iterator[tuple[tuple[int, ...], Tree, str]]:
    """Yield each change of a number, index or sign of a term with matrices, as `iterate_changes` does."""
    for path, written in islice(_iterate_changeable(tree), _MOST_NUMBERS):
        for new in _iterate_others(written, names):
            yield path, Tree(new), f"{new} for {written}"
    yield from (change for change in iterate_changes(tree) if change[2] in _SIGNS)


def pair_entries(left: Tree, right: Tree) -> list[tuple[Tree, Tree]]:
    """List the entries of two matrices or tuples by pairs; none where they are no such things of one size."""
    try:
        sides = evaluate_matrices(left, right)
    except EngineError:
        return []
    if len({(side.label, len(side.children)) for side in sides}) > 1 or sides[0].label not in (
        "matrix",
        "tuple",
    ):
        return []
    rows = [side.children if side.label == "matrix" else (side,) for side in sides]
    if [len(row.children) for row in rows[0]] != [len(row.children) for row in rows[1]]:
        return []
    return [
        pair
        for one, other in zip(*rows, strict=True)
        for pair in zip(one.children, other.children, strict=True)
    ]


def _is_calculated(*sides: Tree) -> bool:
    """Return whether one of two sides is no matrix or tuple as it is written."""
    return any(side.label not in ("matrix", "tuple") for side in sides)


def _is_telling(left: Tree, right: Tree) -> bool:
    """Return whether two equal entries are hardly so by chance: they have letters, or are written in two
    ways."""
    return left != right or bool(free_symbols(left))


def _iterate_changeable(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the numbers and the names with an index in a term, with their places."""
    if not tree.children and (_WHOLE.match(tree.label) or "_" in tree.label):
        yield path, tree.label
    for index, part in enumerate(tree.children):
        yield from _iterate_changeable(part, (*path, index))


def _iterate_others(written: str, names: frozenset[str]) -> Iterator[str]:
    """Yield the numbers, or the names of a link with another index, that may be meant by what is written."""
    if _WHOLE.match(written):
        yield from (str(int(new)) for new in iterate_retyped(written))
        yield str(-int(written))
        return
    base = written.partition("_")[0]
    yield from (name for name in sorted(names) if name.startswith(f"{base}_") and name != written)


def _is_alone(*sides: Tree) -> bool:
    """Return whether one of two sides is nothing but a variable, or a value of an unknown function."""
    return any(free_symbols(side) and (not side.children or side.label == "call") for side in sides)
