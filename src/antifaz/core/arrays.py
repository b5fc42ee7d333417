"""The kinds of arrays that rooms hand to each other, each under one name."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
#: Positions in a list of values, one per row or tuple.
Codes = NDArray[np.int32]
