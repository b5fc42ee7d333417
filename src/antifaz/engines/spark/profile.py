"""Describe every column by aggregations on Spark, without showing a value that fewer than ten records share.

The same profile as the local engine's: counts, distinct and common values are exact. Percentiles and the shares of
patterns come from some rows where there are many, chosen by a hash of the row, so they do not depend on partitions; the
local engine chooses by position, so the two may differ there in the last digit shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from antifaz.core.profile import COMMON, ColumnProfile, Profile
from antifaz.core.types import DataType
from antifaz.engines.local.profile import CODE, LOOKED_AT, ORDERED, PATTERNS, SHOWN, one_column
from antifaz.engines.spark.count import as_text, quoted
from antifaz.engines.spark.faults import guard

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.table import SparkTable

#: Columns looked at in one aggregation.
BATCH = 16


def profile(data: SparkTable) -> Profile:
    """Describe every column of the data."""
    columns = data.schema.columns
    found: list[ColumnProfile] = []
    with guard("The columns could not be described"):
        for start in range(0, len(columns), BATCH):
            found.extend(_describe(data, [(c.name, c.type) for c in columns[start : start + BATCH]]))
    return Profile(rows=data.rows, columns=tuple(found))


def _describe(data: SparkTable, columns: Sequence[tuple[str, DataType]]) -> list[ColumnProfile]:
    texts = {name: as_text(name, data.native[name]) for name, _ in columns}
    counts = _ask(data.frame, [_counts(texts[name]) for name, _ in columns])
    ends = _ask(_some(data, ORDERED), [[_percentiles(name, kind, data.native[name])] for name, kind in columns])
    shapes = _ask(_some(data, LOOKED_AT), [_shapes(texts[name]) for name, _ in columns])
    looks = [_one_shape(shape) for shape in shapes]
    return [
        one_column(data.schema[name], data.rows, counts[i], _values(data, name), ends[i], looks[i])
        for i, (name, _) in enumerate(columns)
    ]


def _ask(frame: DataFrame, questions: Sequence[Sequence[Column]]) -> list[tuple[Any, ...]]:
    """Put the questions about all columns in one aggregation; return the answers by column."""
    asked = [question.alias(f"a{i}") for i, question in enumerate(q for column in questions for q in column)]
    answer: Any = frame.agg(*asked).collect()[0]
    width = len(questions[0])
    return [tuple(answer[width * i : width * (i + 1)]) for i in range(len(questions))]


def _some(data: SparkTable, wanted: int) -> DataFrame:
    """Return about that many rows, chosen by what is in them."""
    from pyspark.sql import functions as fn

    step = max(data.rows // wanted, 1)
    if step == 1:
        return data.frame
    return data.frame.where(
        fn.pmod(fn.xxhash64(*(fn.col(quoted(name)) for name in data.schema.names)), fn.lit(step)) == 0
    )


def _counts(text: Column) -> list[Column]:
    from pyspark.sql import functions as fn

    return [fn.count(text), fn.min(fn.length(text)), fn.max(fn.length(text))]


def _percentiles(name: str, kind: DataType, native: str) -> Column:
    from pyspark.sql import functions as fn

    if not kind.is_ordered:
        return fn.lit(None)
    value = fn.col(quoted(name))
    if kind.is_number:
        number = fn.btrim(value).try_cast("double") if native == "string" else value.cast("double")
        limit = fn.lit(float("inf"))
        number = fn.when((number < limit) & (number > -limit), number)
    else:
        # A text's own zone is left aside, as on the local engine: the month is what is shown.
        plain = fn.regexp_replace(fn.btrim(value), r"(?<=:[0-9]{2}(?:\.[0-9]{0,9})?)(Z|[+-][0-9:]+)$", "")
        moment = plain.try_cast("timestamp_ntz") if native == "string" else value.cast("timestamp_ntz")
        start = fn.expr("TIMESTAMP_NTZ '1970-01-01 00:00:00'")
        number = fn.timestamp_diff("SECOND", start, moment).cast("double")
    return fn.array(*(fn.percentile_approx(number, p, 1_000_000) for p in (0.05, 0.95)))


def _values(data: SparkTable, name: str) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return the number of distinct values, and the common ones."""
    from pyspark.sql import functions as fn

    value = fn.col(quoted(name))
    grouped = data.frame.where(value.isNotNull()).groupBy(value.alias("v")).agg(fn.count(fn.lit(1)).alias("n"))
    distinct, shared = grouped.agg(fn.count(fn.lit(1)), fn.count_if(fn.col("n") >= COMMON)).collect()[0]
    if not shared:
        return int(distinct), ()
    top = grouped.where(fn.col("n") >= COMMON).orderBy(fn.col("n").desc(), fn.col("v")).limit(SHOWN)
    rows = top.select(as_text("v", data.native[name]), "n").collect()
    return int(distinct), tuple((str(text), int(n)) for text, n in rows)


def _shapes(text: Column) -> list[Column]:
    """Count values, those of each pattern, those that are codes, and the shapes that codes have, two at most."""
    from pyspark.sql import functions as fn

    value = fn.trim(text)
    shape = fn.regexp_replace(fn.regexp_replace(value, "[0-9]", "9"), r"\p{L}", "A")
    code = value.rlike("[0-9]") & value.rlike(rf"\A(?:{CODE})\z")
    coded = fn.when(code, shape)
    return [
        fn.count(value),
        *(fn.count_if(value.rlike(rf"\A(?:{form})\z")) for form in PATTERNS.values()),
        fn.count_if(code),
        fn.min(coded),
        fn.max(coded),
    ]


def _one_shape(counts: Sequence[Any]) -> list[int]:
    """Count codes only if all have one shape: then the least and the greatest are the same."""
    *found, codes, least, greatest = counts
    return [*found, codes if least == greatest else 0]
