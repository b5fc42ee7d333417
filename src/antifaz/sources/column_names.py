"""The names of columns: each there, each different, not too many. Nothing is renamed silently."""

from collections.abc import Sequence

from antifaz.core.errors import DataError

#: More columns than this are a mistake in the delimiter, not a table.
MOST_COLUMNS = 20_000


def check_names(what: str, names: Sequence[str]) -> list[str]:
    """Return the names, or raise naming the positions of those that are empty, there twice, or no text.

    DuckDB takes names that differ in case only for the same, so these count as twice.
    """
    if not names:
        raise DataError("header.no-columns", what=what)
    if len(names) > MOST_COLUMNS:
        raise DataError("header.too-many-columns", what=what, names=len(names), most=MOST_COLUMNS)
    cut = [i for i, name in enumerate(names, start=1) if "\0" in name]
    if cut:  # libraries written in C would take it for the end of the name
        raise DataError("header.column-name-with-nul", what=what, columns=_list(cut))
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names, start=1):
        places.setdefault(name.strip().casefold(), []).append(i)
    if "" in places:
        raise DataError("header.column-without-name", what=what, columns=_list(places[""]))
    twice = [found for found in places.values() if len(found) > 1]
    if twice:
        raise DataError("header.column-name-twice", what=what, columns=_list(twice[0]))
    return list(names)


def _list(numbers: Sequence[int]) -> list[object]:
    return [*numbers[:10], *(["…"] if len(numbers) > 10 else [])]
