"""The bits that it takes to see everything an expression is made of.

What is added to something much larger is lost in any fixed precision: `tanh 100` is 1 to 288 bits,
`x + 10^-100` is x to 332. How much larger values are than one another says how many bits show the difference.
"""

from __future__ import annotations

from math import ceil, isfinite, log2

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric import Programs, balls
from engines.core.numeric_kernel import COTH, LEAF, TANH, compiled
from engines.core.precise import BITS

__all__ = ["MOST_BITS", "SEEN", "bits_for", "scales"]

Floats = NDArray[np.float64]

MOST_BITS = 2**16
"""Beyond so many bits nothing is worked out."""
_SPARE = 64
_TIMES = 4
"""What is small may be squared twice before it is added: cos u is 1 - u^2/2."""
SEEN = (BITS - _SPARE) / _TIMES
"""Nothing of such a scale is lost in the usual precision."""


def scales(programs: Programs, points: Floats) -> Floats:
    """How many binary orders lie between 1 and the largest or smallest that a program meets at each point.

    Args: points: (points,) or (variables, points). Returns: (programs, points), inf where a program has no
    known value.
    """
    values, errors = balls(programs, points, trace=True)
    return _scales(programs.nodes, values, errors)[programs.roots]


def bits_for(needed: Floats) -> tuple[int, int]:
    """A working precision, a power of 2, in which nothing is lost at one point, and the place of that point.

    Args: needed: (points,) scales. Returns: a precision of 1 where none of them is known.
    """
    least = int(needed.argmin())
    scale = float(needed[least])
    return int(2 ** ceil(log2(_TIMES * scale + _SPARE))) if isfinite(scale) else 1, least


@compiled
def _scales(nodes: NDArray[np.int32], values: Floats, errors: Floats) -> Floats:
    """(nodes, points); tanh and coth are as far from 1 as exp(-2 |u|)."""
    found = np.full(values.shape, np.inf)
    found[0] = 0.0
    for n in range(1, len(values)):
        code, a, b = nodes[0, n], nodes[1, n], nodes[2, n]
        for j in range(values.shape[1]):
            v, error = values[n, j], errors[n, j]
            if not np.isfinite(v) or not np.isfinite(error):
                continue
            scale = abs(np.log2(abs(v))) if abs(v) > error else 0.0
            if code < LEAF:
                scale = max(scale, found[a, j], found[b, j])
                if code in (TANH, COTH):
                    scale = max(scale, 2.0 / np.log(2.0) * abs(values[a, j]))
            found[n, j] = scale
    return found
