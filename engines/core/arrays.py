"""Types of arrays, named by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
ShortInts = NDArray[np.int32]
Floats = NDArray[np.float64]
ShortFloats = NDArray[np.float32]
