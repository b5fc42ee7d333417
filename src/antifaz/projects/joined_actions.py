"""Check tables of the same people together, as a recipient would join them by the key of their people."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from antifaz.core.errors import ParameterError
from antifaz.engines.registry import open_data, to_audit
from antifaz.pipeline.people import with_rows
from antifaz.privacy import KAnonymity
from antifaz.releases.joined_gate import JoinedTable
from antifaz.releases.verifier.joined import fewest_in_join


def verify_joined(
    tables: Sequence[tuple[str | Path, str, Sequence[str]]], k: int, rows: int | Literal["all"] = 1, **options: Any
) -> dict[str, Any]:
    """Check that k people share what may be known of anybody in several tables together; return what was counted.

    A table is its place, the column with the key of its people, and its quasi-identifiers. A row is known by its class
    and its table, `rows` of them of a person, or all. Spellings of one key are one person in all tables.
    """
    model = KAnonymity(k, rows=rows)
    places = [str(place) for place, _, _ in tables]
    if len(set(places)) < len(places):
        raise ParameterError("verify.table-twice", table=next(place for place in places if places.count(place) > 1))
    with ExitStack() as stack:
        counted = {}
        for place, key, quasi_identifiers in tables:
            data = with_rows(stack.enter_context(open_data(place, **options)))
            auditor, own = to_audit(data.cells([*quasi_identifiers, key]))
            table = JoinedTable(auditor=auditor, place=own, quasi_identifiers=tuple(quasi_identifiers), key=key)
            counted[str(place)] = table.rows()
        achieved, failing, people = fewest_in_join(counted, model.known_rows, k)
    return {
        "tables": places, "k": k, "rows": model.known_rows, "people": people, "achieved": achieved,
        "failing": failing, "holds": not failing,
    }  # fmt: skip
