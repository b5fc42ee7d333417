"""Example data sets to try things on: made up, put into the vault like a file that was handed over."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from antifaz.core.errors import InputError, hint
from antifaz.service.places import Kept

if TYPE_CHECKING:
    import pyarrow as pa

    from antifaz.service.vault import Vault

#: The most rows that are made up at once.
MOST = 1_000_000
_ID = re.compile(r"(?P<rows>\d{1,7})\.[0-9a-f]{24}")


def example_id(name: str, rows: int | None = None) -> str:
    """Return an id for an example, which says what it is: nothing of it is secret, and it can be made again."""
    return f"{name}.{rows or 0}.{secrets.token_hex(12)}"


def remade(vault: Vault, id: str) -> Kept | None:
    """Make an example again by its id, as after a restart; None where it is no example's."""
    name, _, rest = id.partition(".")
    said = _ID.fullmatch(rest)
    if said is None or name not in _makers():
        return None
    return example(vault, name, int(said["rows"]) or None)


def example(vault: Vault, name: str, rows: int | None = None) -> Kept:
    """Make an example and keep it; its name as a file is `name.csv`."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    makers = _makers()
    if name not in makers:
        raise InputError("service.unknown-example", name=name, hint=hint(name, makers))
    if rows is not None and not 1 <= rows <= MOST:
        raise InputError("service.example-size-out-of-bounds", most=MOST)
    written = pa.BufferOutputStream()
    pacsv.write_csv(makers[name](rows), written)
    content = memoryview(written.getvalue())
    with vault.spool() as spool:
        spool.write(content)
        sealed = spool.finish()
    return Kept(vault, sealed.id, f"{name}.csv", sealed.bytes)


def _makers() -> dict[str, Callable[[int | None], pa.Table]]:
    from antifaz.datasets import people, salaries, students
    from antifaz.datasets.worked import nineteen_people, six_people

    return {
        "six-people": lambda rows: six_people().slice(0, rows),
        "nineteen-people": lambda rows: nineteen_people().slice(0, rows),
        "people": lambda rows: people(rows or 10_000, seed=1),
        "salaries": lambda rows: salaries(rows or 10_000, seed=1),
        "students": lambda rows: students(rows or 500, seed=1),
    }
