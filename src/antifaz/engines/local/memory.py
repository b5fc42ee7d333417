"""How a budget of memory is shared out on the local engine, so that the whole process stays under it.

The program itself comes first: Python, the libraries and the compiled kernels take about `PROGRAM` without any row
held. Of what is left, the database that holds the rows gets one third. Another is for the database of whoever works
beside it, one at a time: who writes, then who checks. The last is for what passes between them and is counted. While
a method decides, parts of the records take the place of that second database.
"""

from __future__ import annotations

import os
import re
from typing import Any

from antifaz.core.errors import ParameterError

#: What the program takes, with the kernels that decide.
PROGRAM = 450_000_000
#: The least that a database can do with, and what each of its threads needs.
_LEAST, _THREAD = 100_000_000, 75_000_000
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B\s*", re.IGNORECASE)


def size(memory: str) -> int:
    """Return a size such as '2GB' or '512MiB' in bytes."""
    found = _SIZE.fullmatch(memory)
    if found is None:
        raise ParameterError(f"memory must be a size such as '2GB' or '512MB', not {memory!r}.")
    number, prefix, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " KMGT".index(prefix.upper() or " "))


def limits(memory: str | None, threads: int | None) -> tuple[int | None, dict[str, Any]]:
    """Return a budget in bytes, and what each database at work under it may use."""
    if memory is None:
        return None, {"memory": None, "threads": threads}
    most = size(memory)
    return most, {"memory": f"{share(most)}B", "threads": threads or processors(most)}


def share(budget: int) -> int:
    """Return what a database may take: the one that holds the rows, or the one at work beside it."""
    return max((budget - PROGRAM) // 3, _LEAST)


def room(budget: int) -> int:
    """Return what parts of the records may take while a method decides."""
    left = budget - PROGRAM
    if left < 2 * _THREAD:
        raise ParameterError(
            f"memory of {budget / 1e6:,.0f} MB is too little to work part by part: "
            f"give at least {(PROGRAM + 2 * _THREAD) / 1e6:,.0f} MB."
        )
    return left * 2 // 5


def chunk(budget: int) -> int:
    """Return how many bytes of a file to read at a time: as text, as cells and on the way they are held many times."""
    return int(min(max(share(budget) // 32, 1 << 20), 32 << 20))


def processors(budget: int) -> int:
    """Return how many threads a database may use: each needs memory of its own."""
    many = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(many, share(budget) // _THREAD), 1)
