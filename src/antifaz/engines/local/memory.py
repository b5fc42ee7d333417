"""How a budget of memory is shared out on the local engine, so that the whole process stays under it.

The program itself comes first: Python, the libraries and the compiled kernels take about `PROGRAM` without any row
held. Of what is left, the database that holds the rows gets a third: it sorts all of them. A fifth is for the database
of whoever works beside it, one at a time: who writes, then who checks. The rest is for what passes between them, what
is counted, and what allocators keep, which with a hundred million rows is as much again. While a method decides, parts
of the records take the place of that second database.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pyarrow as pa

from antifaz.core.errors import ParameterError

#: What the program takes, with the kernels that decide.
PROGRAM = 450_000_000
#: The least that a database can do with, what each of its threads needs, and the least to work part by part.
_LEAST, _THREAD, _PARTS = 100_000_000, 75_000_000, 150_000_000
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B\s*", re.IGNORECASE)


def size(memory: str) -> int:
    """Return a size such as '2GB' or '512MiB' in bytes."""
    found = _SIZE.fullmatch(memory)
    if found is None:
        raise ParameterError(f"memory must be a size such as '2GB' or '512MB', not {memory!r}.")
    number, prefix, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " KMGT".index(prefix.upper() or " "))


def limits(memory: str | None, threads: int | None) -> tuple[int | None, dict[str, Any]]:
    """Return a budget in bytes, and what the database that holds the rows may use under it."""
    if memory is None:
        return None, {"memory": None, "threads": threads}
    most = size(memory)
    return most, {"memory": f"{share(most)}B", "threads": threads or processors(most)}


def share(budget: int) -> int:
    """Return what the database that holds the rows may take."""
    return max((budget - PROGRAM) // 3, _LEAST)


def beside(budget: int | None, limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a database may use that works beside the one with these limits."""
    if budget is None:
        return dict(limits)
    return {**limits, "memory": f"{max((budget - PROGRAM) // 5, _LEAST)}B"}


def room(budget: int) -> int:
    """Return what parts of the records may take while a method decides."""
    left = budget - PROGRAM
    if left < _PARTS:
        raise ParameterError(
            f"memory of {budget / 1e6:,.0f} MB is too little to work part by part: "
            f"give at least {(PROGRAM + _PARTS) / 1e6:,.0f} MB."
        )
    return left * 2 // 5


def chunk(budget: int) -> int:
    """Return how many bytes of a file to read at a time: as text, as cells and on the way they are held many times."""
    return int(min(max(share(budget) // 32, 1 << 20), 32 << 20))


def let_go() -> None:
    """Give back what allocators keep for their next request; where the C library has no such call, it keeps it."""
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def processors(budget: int) -> int:
    """Return how many threads a database may use: each needs memory of its own."""
    many = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(many, share(budget) // _THREAD), 1)
