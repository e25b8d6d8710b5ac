"""Types of arrays, named by what they hold, and sets of values.

`numpy.unique` and `numpy.isin` do the same as the functions here, but import the masked arrays first, which
takes 10 ms.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
ShortInts = NDArray[np.int32]
Floats = NDArray[np.float64]
ShortFloats = NDArray[np.float32]
NamedArrays = Mapping[str, ShortFloats]
"""The weights of a model, by the names that its file gives them."""


def sort_distinct(values: Floats) -> Floats:
    """Return the different values of a row, ascending; none of them is NaN.

    >>> sort_distinct(np.array([2.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]


def find_among(values: Ints, known: Ints) -> Bools:
    """Return which values are among those of a row.

    >>> find_among(np.array([[1, 2], [3, 4]]), np.array([4, 1, 9])).tolist()
    [[True, False], [False, True]]
    """
    if not len(known):
        return np.zeros(values.shape, np.bool_)
    ordered = np.sort(known)
    is_present: Bools = ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values
    return is_present
