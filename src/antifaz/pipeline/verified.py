"""What a run has verified, to be looked at while attacks are still being tried: no document of a release."""

import csv
import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.releases.evidence import Evidence, add_messages
from antifaz.sources.text_options import SEPARATORS, WrittenFile

#: Released rows, and characters of a cell, that are shown.
_ROWS, _CHARACTERS = 20, 200


def verified_document(evidence: Evidence, place: Any) -> dict[str, Any]:
    """Return the evidence as it is before attacks, and the first released rows where they are on this machine."""
    shown = evidence.model_copy()
    add_messages(shown)
    return {"evidence": shown.document(), "first_rows": _first_rows(place)}


def _first_rows(place: Any) -> dict[str, Any] | None:
    """Return columns and rows as text; None where the rows are in no file that can be read from its beginning."""
    if not isinstance(place, str | os.PathLike):
        return None
    path = Path(place)
    try:
        if path.suffix == ".parquet" and path.is_file():
            return _of_parquet(path)
        if path.suffix[1:] in SEPARATORS:
            return _of_text(path, place.options() if isinstance(place, WrittenFile) else {})
    except (OSError, ValueError, csv.Error, pa.ArrowException):
        pass  # a run must not fail by what is only looked at
    return None


def _of_text(path: Path, told: dict[str, Any]) -> dict[str, Any]:
    encoding = told.get("encoding") or "utf-8-sig"
    with path.open(encoding=encoding, newline="") as file:
        lines = csv.reader(file, delimiter=told.get("delimiter") or SEPARATORS[path.suffix[1:]])
        return _shown(next(lines, []), islice(lines, _ROWS))


def _of_parquet(path: Path) -> dict[str, Any]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        batch = next(file.iter_batches(batch_size=_ROWS), None)
        cells = [] if batch is None else [column.to_pylist() for column in batch.columns]
        return _shown(file.schema_arrow.names, zip(*cells, strict=True))


def _shown(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> dict[str, Any]:
    return {
        "columns": list(columns),
        "rows": [["" if cell is None else str(cell)[:_CHARACTERS] for cell in row] for row in rows],
    }
