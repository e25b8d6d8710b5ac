"""Products of matrices of rational numbers."""

from __future__ import annotations

from fractions import Fraction

from engines.grading.linear_terms import compute_rank

Entries = tuple[tuple[Fraction, ...], ...]


def multiply_rows(one: Entries, other: Entries) -> Entries:
    """Return the product of two matrices."""
    columns = tuple(zip(*other, strict=True))
    return tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns)
        for row in one
    )


def is_similar(base: Entries, diagonal: Entries, other_base: Entries, other_diagonal: Entries) -> bool:
    """Return whether `P D P⁻¹` is the same matrix for two bases and diagonal matrices."""
    matrices = (base, diagonal, other_base, other_diagonal)
    if len({length for one in matrices for length in (len(one), *map(len, one))}) > 1:
        return False
    if any(compute_rank(one) < len(one) for one in (base, other_base)):
        return False
    if not all(map(_is_diagonal, (diagonal, other_diagonal))):
        return False
    inverse = _invert_rows(base)
    product = multiply_rows(multiply_rows(base, diagonal), inverse)
    return multiply_rows(product, other_base) == multiply_rows(other_base, other_diagonal)


def _is_diagonal(matrix: Entries) -> bool:
    return not any(value for at, row in enumerate(matrix) for column, value in enumerate(row) if at != column)


def _invert_rows(matrix: Entries) -> Entries:
    """Return the inverse of a matrix of full rank, by elimination."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(at == column)) for column in range(size))] for at, row in enumerate(matrix)]
    for column in range(size):
        pivot = next(at for at in range(column, size) if rows[at][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for at in range(size):
            if at != column:
                factor = rows[at][column]
                rows[at] = [
                    value - factor * first for value, first in zip(rows[at], rows[column], strict=True)
                ]
    return tuple(tuple(row[size:]) for row in rows)
