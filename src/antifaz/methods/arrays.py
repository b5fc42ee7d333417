"""The types of arrays that methods work with."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
#: Codes of values, of nodes, of labels.
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
