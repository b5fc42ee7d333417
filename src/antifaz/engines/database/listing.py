"""The tables and views of a database, for somebody who has to choose one."""

from __future__ import annotations

from antifaz.engines.database.address import parse
from antifaz.engines.database.faults import guard
from antifaz.engines.database.fields import names_of
from antifaz.engines.database.link import connect


def tables_of(place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
    """Return the names of the tables and views there are, in order."""
    address = parse(place)
    if address.kind == "duckdb":
        from antifaz.engines.database.duckdb_file import tables_in

        return sorted(tables_in(address, schema))
    with guard(f"{address.shown} could not be opened"):
        link = connect(address, password=password)
    try:
        with guard(f"{address.shown} could not be read"):
            return sorted(names_of(link, schema))
    finally:
        link.close()
