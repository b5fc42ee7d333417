"""How the text of each column is to be understood: the rule of `engines.local.types`, asked of all rows on Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import SchemaError
from antifaz.core.schema import Column as SchemaColumn
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.engines.spark.count import quoted
from antifaz.engines.spark.faults import guard

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Columns looked at in one aggregation: hundreds at once make code that Java does not compile.
BATCH = 50
_SAMPLE = 200
_FEW = 10_000
_NATIVE = {
    "tinyint": DataType.INTEGER, "smallint": DataType.INTEGER, "int": DataType.INTEGER, "bigint": DataType.INTEGER,
    "boolean": DataType.BOOLEAN, "date": DataType.DATE, "float": DataType.DECIMAL, "double": DataType.DECIMAL,
    "timestamp": DataType.DATETIME, "timestamp_ntz": DataType.DATETIME,
}  # fmt: skip
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?|24:00(?::00(?:\.0{1,9})?)?)"
_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
# How a value of each type is written; narrower types first. What a truth value is must be spelled one way throughout.
_FORMS = {
    DataType.INTEGER: ("-?(?:0|[1-9][0-9]{0,17})",),
    DataType.DECIMAL: (r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?",),
    DataType.DATE: (_DAY,),
    DataType.DATETIME: (f"{_DAY}[T ]{_CLOCK}{_ZONE}",),
    DataType.BOOLEAN: ("true|false", "True|False", "TRUE|FALSE"),
}
# What a told type must at least allow.
_LOOSE = {
    DataType.INTEGER: r"[+-]?[0-9]+(?:\.0*)?",
    DataType.DECIMAL: r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?",
    DataType.DATE: f"{_DAY}",
    DataType.DATETIME: f"{_DAY}(?:[T ]{_CLOCK}{_ZONE})?",
    DataType.BOOLEAN: "(?i:true|false)",
}
_DAYS = (DataType.DATE, DataType.DATETIME)


def native_types(frame: DataFrame) -> dict[str, str]:
    """Return Spark's type of each column, in order."""
    return {name: str(kind) for name, kind in frame.dtypes}


def infer(
    frame: DataFrame,
    rows: int,
    *,
    settled: Mapping[str, DataType] | None = None,
    told: Mapping[str, DataType | str] | None = None,
) -> Schema:
    """Return the schema of a frame: types that are told, settled by the files, native, or found from all values."""
    native = native_types(frame)
    schema = Schema(tuple(SchemaColumn(name=name) for name in native))
    told_types = {c.name: c.type for c in schema.with_types(told or {}) if c.name in (told or {})}
    types = {**{n: _native(t) for n, t in native.items() if t != "string"}, **(settled or {}), **told_types}
    open_names = [name for name in native if name not in types]
    with guard("The types of the columns could not be found"):
        for start in range(0, len(open_names), BATCH):
            types |= _find(frame, rows, open_names[start : start + BATCH])
        _check_told(frame, {n: t for n, t in told_types.items() if native[n] == "string" and t in _LOOSE})
    return schema.with_types(types)


def _native(kind: str) -> DataType:
    if kind.startswith("decimal"):
        return DataType.INTEGER if kind.endswith(",0)") else DataType.DECIMAL
    return _NATIVE.get(kind, DataType.TEXT)


def _find(frame: DataFrame, rows: int, names: Sequence[str]) -> dict[str, DataType]:
    """Find the types of some text columns: the first rows say what is possible, then all rows are asked."""
    first = [(name, kind) for name in names for kind in _FORMS]
    if rows <= _FEW:  # one question about everything is faster than several
        fitting = _fitting(frame, first, blank=False)
        return {name: next((kind for n, kind in fitting if n == name), DataType.TEXT) for name in names}
    possible = _fitting(frame.select([quoted(name) for name in names]).limit(_SAMPLE), first, blank=True)
    types: dict[str, DataType] = {}
    while possible:
        asked = list({name: (name, kind) for name, kind in reversed(possible)}.values())
        types |= dict(_fitting(frame, asked, blank=False))
        possible = [pair for pair in possible if pair not in asked and pair[0] not in types]
    return {name: types.get(name, DataType.TEXT) for name in names}


def _fitting(frame: DataFrame, wanted: Sequence[tuple[str, DataType]], *, blank: bool) -> list[tuple[str, DataType]]:
    """Return those pairs of column and type in which every value fits; `blank` is whether none at all will do."""
    from pyspark.sql import functions as fn

    questions = []
    for i, (name, kind) in enumerate(wanted):
        value = fn.col(quoted(name))
        present = fn.coalesce(fn.bool_or(value.rlike(r"[^ \t]")), fn.lit(False))
        fits = [fn.coalesce(fn.bool_and(_written(value, form, kind)), fn.lit(blank)) for form in _FORMS[kind]]
        fit = fits[0]
        for other in fits[1:]:
            fit = fit | other
        questions.append((fit if blank else fit & present).alias(f"a{i}"))
    answers: Any = frame.agg(*questions).collect()[0]
    return [pair for pair, fits in zip(wanted, answers, strict=True) if fits]


def _written(value: Column, form: str, kind: DataType) -> Column:
    """Return whether a value is written in this form, blanks around it aside; a day must also exist."""
    from pyspark.sql import functions as fn

    fits = value.rlike(rf"\A[ \t]*(?:{form})?[ \t]*\z")
    if kind not in _DAYS:
        return fits
    text = fn.btrim(value, fn.lit(" \t"))
    return fits & ((text == "") | fn.substring(text, 1, 10).try_cast("date").isNotNull())


def _check_told(frame: DataFrame, told: Mapping[str, DataType]) -> None:
    """Raise for a column whose values do not fit the type it was told to have."""
    from pyspark.sql import functions as fn

    if not told:
        return
    wrong = [fn.count_if(~_written(fn.col(quoted(name)), _LOOSE[kind], kind)) for name, kind in told.items()]
    for (name, kind), number in zip(told.items(), frame.agg(*wrong).collect()[0], strict=True):
        if number:
            raise SchemaError("spark.column-values-not-of-type", name=name, kind=kind.value, number=number)
