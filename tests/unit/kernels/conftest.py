"""Here kernels are tested as Numba compiles them, not their fallbacks by NumPy, which work until Numba is loaded."""

import numba  # noqa: F401
