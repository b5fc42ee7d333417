"""Data frames in and out: pandas, polars and pyarrow, through Arrow.

A frame is taken as it is: its columns keep their types, a missing value is whatever the frame's library calls missing
(in pandas also NaN and NaT). The index of a pandas frame is not data and is left out; `reset_index()` makes it a
column. A pandas column that mixes text with numbers has no type that would give every cell back as it came, so it is
refused with the words that make it text.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.errors import DataError, ParameterError, silence
from antifaz.core.messages import Message
from antifaz.sources.column_names import check_names
from antifaz.sources.safe_errors import safe_errors

Kind = Literal["pandas", "polars", "pyarrow"]
_TEXT = pa.large_string()


def kind_of(frame: Any) -> Kind | None:
    """Return which library a frame comes from, or None for what is not a frame."""
    if isinstance(frame, (pa.Table, pa.RecordBatch)):
        return "pyarrow"
    from narwhals.dependencies import is_pandas_dataframe, is_polars_dataframe, is_polars_lazyframe

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
    if kind is None:
        raise DataError("frame.not-a-table", type=type(frame).__name__)
    if kind == "polars" and hasattr(frame, "collect"):  # a lazy one
        frame = frame.collect()
    elif isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    check_names(Message("note.the-frame"), _names(frame))
    with safe_errors(Message("frame.not-readable")):
        return _without_views(frame if isinstance(frame, pa.Table) else pa.table(frame))


def to_kind(table: pa.Table, like: Kind | Literal["path"]) -> Any:
    """Return an Arrow table as the kind of frame that came in; what came from a file is left as it is.

    The types of a pandas frame (nullable integers, categories) come back where the table still carries pandas' own
    description of them, as the tables made by `to_arrow` do; text held as objects comes back as pandas' own text type.
    """
    if like == "pandas":
        return table.to_pandas()
    if like == "polars":
        import narwhals as nw

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
            raise DataError("frame.column-name-not-text", column=i, type=type(name).__name__)
    return list(columns)


def _from_pandas(frame: Any) -> pa.Table:
    names = check_names(Message("note.the-frame"), _names(frame))
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        silence(error)  # it quotes a cell; the column at fault is looked for instead
    for i, name in enumerate(names):
        try:
            pa.array(frame.iloc[:, i], from_pandas=True)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            silence(error)
            raise DataError("frame.column-mixes-types", name=name) from None
    raise DataError("frame.not-arrow")


def _without_views(table: pa.Table) -> pa.Table:
    """Hold the categories of polars as plain text: Arrow can't look them up where they are views."""
    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and pa.types.is_string_view(field.type.value_type):
            parts = [
                pa.DictionaryArray.from_arrays(part.indices, part.dictionary.cast(_TEXT), ordered=field.type.ordered)
                for part in table.column(i).chunks
            ]
            kind = pa.dictionary(field.type.index_type, _TEXT, field.type.ordered)
            table = table.set_column(i, field.with_type(kind), pa.chunked_array(parts, kind))
    return table


def take_rows(table: pa.Table, rows: NDArray[np.int64]) -> pa.Table:
    """Return some rows of a table; of the others nothing is left in the bytes of its columns."""
    arrays = [_taken(column, rows) for column in table.columns]
    fields = [pa.field(f.name, array.type, f.nullable) for f, array in zip(table.schema, arrays, strict=True)]
    return pa.table(arrays, pa.schema(fields, _typing(table.schema.metadata)))


def without_traces(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Write columns anew, so that nothing of blanked cells is left in their bytes.

    Arrow keeps the bytes of a cell below the mark that says missing, and a category in the dictionary when no row has
    it any more; and what is noted beside columns may list values.
    """
    for i, field in enumerate(table.schema):
        if field.name in names and table.num_rows:
            # Piece by piece: put together, the text of a long column could outgrow Arrow's 32-bit offsets.
            pieces = [_taken(pa.chunked_array([part]), np.arange(len(part))) for part in table.column(i).chunks]
            column = pa.chunked_array([part for piece in pieces for part in piece.chunks])
            table = table.set_column(i, pa.field(field.name, column.type, field.nullable), column)
    return table.replace_schema_metadata(_typing(table.schema.metadata))


def _taken(column: pa.ChunkedArray, rows: NDArray[np.int64]) -> pa.ChunkedArray:
    """Copy some cells: only the bytes of what is there go along."""
    column = column.cast(_TEXT) if pa.types.is_string_view(column.type) else column
    column = column.take(pa.array(rows))
    if not pa.types.is_dictionary(column.type):
        return column
    parts = []
    for part in column.unify_dictionaries().chunks:
        used = part.indices.unique().drop_null().sort()
        indices = pc.index_in(part.indices, value_set=used, skip_nulls=True).cast(part.indices.type)
        parts.append(pa.DictionaryArray.from_arrays(indices, part.dictionary.take(used), ordered=column.type.ordered))
    return pa.chunked_array(parts, column.type)


def _typing(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
    """Of what is noted beside a table, only how pandas holds its columns."""
    if b"pandas" not in (metadata or {}):
        return None
    return {b"pandas": json.dumps({**json.loads((metadata or {})[b"pandas"]), "attributes": {}}).encode()}


def forget_pandas_types(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Take columns out of the description that pandas attached: it would turn new values into the old type again."""
    metadata = dict(table.schema.metadata or {})
    if b"pandas" not in metadata:
        return table
    described = json.loads(metadata[b"pandas"])
    kept = [c for c in described.get("columns", []) if c.get("field_name", c.get("name")) not in names]
    return table.replace_schema_metadata({**metadata, b"pandas": json.dumps({**described, "columns": kept}).encode()})


def column_names(who: str, columns: Sequence[str] | str) -> list[str]:
    """Return the names of the columns that were asked for, one or several."""
    if not isinstance(columns, Sequence):
        raise ParameterError("columns.not-names", who=who)
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ParameterError("columns.none-named", who=who)
    if len(set(names)) < len(names):
        raise ParameterError("columns.one-twice", who=who)
    return names


def categories_of(table: pa.Table) -> dict[str, tuple[pa.Array, bool]]:
    """Return the categories of each column of text that has some, and whether they are in an order."""
    found = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_dictionary(field.type) and field.type.value_type in (pa.string(), _TEXT) and column.num_chunks:
            values = column.unify_dictionaries().chunk(0).dictionary.cast(pa.string())
            found[field.name] = (values, field.type.ordered)
    return found


def in_categories(table: pa.Table, categories: Mapping[str, tuple[pa.Array, bool]]) -> pa.Table:
    """Return a table with the categories that columns came in, of those that occur; other labels stay text."""
    for name, (known, ordered) in categories.items():
        place = table.schema.get_field_index(name)
        if place < 0 or table.column(place).type not in (pa.string(), _TEXT):
            continue
        column = table.column(place).cast(pa.string())
        if pc.all(pc.is_in(column.drop_null(), value_set=known)).as_py() is not False:
            # A category that no row has any more would tell that somebody had it.
            used = known.filter(pc.is_in(known, value_set=column.unique().drop_null()))
            codes = pc.index_in(column, value_set=used, skip_nulls=True).combine_chunks()
            made = pa.DictionaryArray.from_arrays(codes, used, ordered=ordered)
            table = table.set_column(place, pa.field(name, made.type), made)
    return table


def in_own_zones(table: pa.Table, came: pa.Schema) -> pa.Table:
    """Return a table whose moments are in the time zones in which they came; a database has them in one."""
    for i, field in enumerate(table.schema):
        own = came.field(field.name).type if field.name in came.names else field.type
        zones = [kind.tz for kind in (own, field.type) if pa.types.is_timestamp(kind)]
        if len(zones) == 2 and all(zones) and own != field.type:
            table = table.set_column(i, pa.field(field.name, own), table.column(i).cast(own))
    return table
