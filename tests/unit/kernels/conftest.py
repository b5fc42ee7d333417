"""Here kernels are tested as Numba compiles them, and not their twins by NumPy, which work until Numba is loaded."""

import numba  # noqa: F401
