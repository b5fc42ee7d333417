"""Whether k people share what is known of somebody in several released tables that can be joined."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from antifaz.engines.engine import Auditor
from antifaz.releases.evidence import JoinedPeople
from antifaz.releases.verifier.joined import fewest_in_join


@dataclass(frozen=True, kw_only=True)
class JoinedTable:
    """A released table: who counts it, where it is, its quasi-identifiers, and the column with the key of people."""

    auditor: Auditor
    place: Any
    quasi_identifiers: tuple[str, ...]
    key: str

    def rows(self) -> Iterator[tuple[tuple[int, ...], str | None, int]]:
        """Count the rows by class and person, as they were written."""
        counted = self.auditor.recount(self.place, (*self.quasi_identifiers, self.key), classes=True)
        codes = counted.classes or {}
        texts = sorted(value for value in counted.values[self.key] if value is not None)
        classes = zip(*(codes[name].tolist() for name in self.quasi_identifiers), strict=True)
        for one, key, size in zip(classes, codes[self.key].tolist(), counted.sizes.tolist(), strict=True):
            yield one, texts[key - 1] if key > 0 else None, size


def examine_join(name: str, tables: Mapping[str, JoinedTable], k: int, rows: Any, **how: Any) -> JoinedPeople:
    """Count the people of tables that can be joined by a key, from what was written, and judge what they share.

    `how` says how it was come to (`stricter`, `left_out`), and which models were not judged in the join (`not_joined`).
    """
    fewest, failing, people = fewest_in_join({table: own.rows() for table, own in tables.items()}, rows, k)
    return JoinedPeople(
        name=name, tables=list(tables), k=k, rows=rows, people=people, achieved=fewest,
        failing=failing, holds=not failing, **how,
    )  # fmt: skip
