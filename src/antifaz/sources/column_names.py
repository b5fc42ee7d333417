"""The names of columns: each there, each different, not too many. Nothing is renamed silently."""

from __future__ import annotations

from collections.abc import Sequence

from antifaz.core.errors import DataError

#: More columns than this are a mistake in the delimiter, not a table.
MOST_COLUMNS = 20_000


def check_names(what: str, names: Sequence[str]) -> list[str]:
    """Return the names, or raise naming the positions of those that are empty or there twice.

    DuckDB takes names that differ in case only for the same, so these count as twice.
    """
    if not names:
        raise DataError(f"{what} has no columns.")
    if len(names) > MOST_COLUMNS:
        raise DataError(f"{what} has {len(names)} columns; at most {MOST_COLUMNS} are read.")
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names, start=1):
        places.setdefault(name.strip().casefold(), []).append(i)
    if "" in places:
        raise DataError(
            f"{what}: the header has no name for column {_list(places[''])}; name it, or give header=False if the "
            "first line is data."
        )
    twice = [found for found in places.values() if len(found) > 1]
    if twice:
        raise DataError(
            f"{what}: the columns {_list(twice[0])} have the same name (case does not count); rename one, or give "
            "header=False if the first line is data."
        )
    return list(names)


def _list(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(n) for n in numbers[:10])
    return shown + (", …" if len(numbers) > 10 else "")
