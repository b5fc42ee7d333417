"""Data frames in and out: pandas, polars and pyarrow, through Arrow.

A frame is taken as it is: its columns keep their types, a missing value is whatever the frame's library calls missing
(in pandas also NaN and NaT). The index of a pandas frame is not data and is left out; `reset_index()` makes it a
column. A pandas column that mixes text with numbers has no type that would give every cell back as it came, so it is
refused with the words that make it text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import narwhals as nw
import pyarrow as pa
from narwhals.dependencies import is_pandas_dataframe, is_polars_dataframe, is_polars_lazyframe

from antifaz.core.errors import DataError
from antifaz.engines.local.duck import guard
from antifaz.engines.local.names import check_names

Kind = Literal["pandas", "polars", "pyarrow"]


def kind_of(frame: Any) -> Kind | None:
    """Return which library a frame comes from, or None for what is not a frame."""
    if isinstance(frame, (pa.Table, pa.RecordBatch)):
        return "pyarrow"
    if is_pandas_dataframe(frame):
        return "pandas"
    if is_polars_dataframe(frame) or is_polars_lazyframe(frame):
        return "polars"
    return "pyarrow" if hasattr(frame, "__arrow_c_stream__") else None


def to_arrow(frame: Any) -> pa.Table:
    """Return a frame as an Arrow table without copying where its library allows."""
    kind = kind_of(frame)
    if kind == "pandas":
        return _from_pandas(frame)
    if kind == "polars":
        frame = frame.collect() if is_polars_lazyframe(frame) else frame
    if kind is None:
        raise DataError(
            f"An object of the type {type(frame).__name__} is not a table: give a path, or a pandas, polars or pyarrow "
            "table."
        )
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    check_names("The frame", _names(frame))
    with guard("The frame could not be read"):
        return frame if isinstance(frame, pa.Table) else pa.table(frame)


def to_kind(table: pa.Table, like: Kind | Literal["path"]) -> Any:
    """Return an Arrow table as the kind of frame that came in; what came from a file is left as it is.

    The types of a pandas frame (nullable integers, categories) come back where the table still carries pandas' own
    description of them, as the tables made by `to_arrow` do; text held as objects comes back as pandas' own text type.
    """
    if like == "pandas":
        return table.to_pandas()
    if like == "polars":
        return nw.from_arrow(table, backend="polars").to_native()
    return table


def _names(frame: Any) -> list[str]:
    if isinstance(frame, pa.Table):
        return list(frame.column_names)
    columns = getattr(frame, "columns", None)
    if columns is None:
        return list(pa.schema(frame).names)
    for i, name in enumerate(columns, start=1):
        if not isinstance(name, str):
            raise DataError(
                f"The frame: the name of column {i} is not text but {type(name).__name__}; rename it, for example with "
                "frame.columns = frame.columns.astype(str)."
            )
    return list(columns)


def _from_pandas(frame: Any) -> pa.Table:
    names = check_names("The frame", _names(frame))
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        pass  # its message quotes a cell; the column at fault is looked for instead
    for i, name in enumerate(names):
        try:
            pa.array(frame.iloc[:, i], from_pandas=True)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            raise DataError(
                f"Column {name!r} mixes values of different types and can't be taken exactly as it is; make it one "
                f"type, for example frame[{name!r}] = frame[{name!r}].astype('string')."
            ) from None
    raise DataError("The frame can't be taken as an Arrow table.")


def forget(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Take columns out of the description that pandas attached: it would turn new values into the old type again."""
    metadata = dict(table.schema.metadata or {})
    if b"pandas" not in metadata:
        return table
    described = json.loads(metadata[b"pandas"])
    kept = [c for c in described.get("columns", []) if c.get("field_name", c.get("name")) not in names]
    return table.replace_schema_metadata({**metadata, b"pandas": json.dumps({**described, "columns": kept}).encode()})
