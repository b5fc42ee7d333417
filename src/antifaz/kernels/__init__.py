"""Compiled kernels: arrays in, arrays out. These are the arrays' types."""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
