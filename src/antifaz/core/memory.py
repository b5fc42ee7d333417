"""How a budget of memory is shared out on the local engine, so that the whole process stays under it.

The program itself comes first: Python, the libraries and the compiled kernels take about `PROGRAM` before any row is
read. Of what is left, the database that holds the rows gets a third: it sorts all of them. A fifth is for a second
database, one at a time: the writer's, then the auditor's. The rest is for what passes between them, what is counted,
and what allocators keep, which with a hundred million rows is as much again. While a method decides, parts of the
records take the place of that second database.
"""

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from antifaz.core.errors import ParameterError
from antifaz.core.machine import processors
from antifaz.core.sizes import parse_size

#: What the program takes, with the kernels that decide.
PROGRAM = 450_000_000
#: The least that a database can do with, what each of its threads needs, and the least to work part by part.
_LEAST, _THREAD, _PARTS = 100_000_000, 75_000_000, 150_000_000


def database_limits(memory: str | None, threads: int | None) -> tuple[int | None, dict[str, Any]]:
    """Return a budget in bytes, and what the database that holds the rows may use under it."""
    if memory is None:
        return None, {"memory": None, "threads": threads}
    budget = parse_size(memory)
    share = database_memory(budget)
    # Each thread needs memory of its own.
    most = max(min(processors(), share // _THREAD), 1)
    return budget, {"memory": f"{share}B", "threads": threads or most}


def database_memory(budget: int) -> int:
    """Return what the database that holds the rows may take."""
    return max((budget - PROGRAM) // 3, _LEAST)


def second_database_limits(budget: int | None, limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a second database may use while the one with these limits holds the rows."""
    if budget is None:
        return dict(limits)
    return {**limits, "memory": f"{max((budget - PROGRAM) // 5, _LEAST)}B"}


def records_memory(budget: int) -> int:
    """Return what parts of the records may take while a method decides."""
    left = budget - PROGRAM
    if left < _PARTS:
        raise ParameterError("memory.too-little-for-parts", budget=budget / 1e6, program=(PROGRAM + _PARTS) / 1e6)
    return left * 2 // 5


def read_chunk(budget: int) -> int:
    """Return how many bytes of a file to read at a time: as text, as cells and on the way they are held many times."""
    return int(min(max(database_memory(budget) // 32, 1 << 20), 32 << 20))


def trim_allocators() -> None:
    """Give back what allocators keep for their next request; where the C library has no such call, it keeps it."""
    import pyarrow as pa  # whoever asks has loaded it

    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
