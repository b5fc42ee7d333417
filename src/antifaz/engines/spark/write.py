"""Writing released rows on Spark: CSV, TSV or Parquet, in parts, each of which can be read on its own.

Text is put together here, cell by cell, rather than by Spark's own CSV writer, which trims blanks and has a dialect of
its own: the parts read as what the local engine writes.
"""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as fn

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import Written
from antifaz.engines.spark.count import as_text
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.frames import fingerprint, is_text, row_hash, sums
from antifaz.engines.spark.store import Store, child
from antifaz.sources.formulas import JAVA_FORMULA, JAVA_NUMBER, refuse_formulas

_BETWEEN = {"csv": ",", "tsv": "\t"}
FORMATS = (*_BETWEEN, "parquet")
#: No empty file that says that the work is done: the release is moved into place when it is.
_QUIET = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
#: `monotonically_increasing_id` counts the rows of a partition in its low bits.
_IN_PART = (1 << 33) - 1


def write(session: SparkSession, rows: DataFrame, folder: Any, format: str = "csv") -> Written:
    """Write the rows as parts into `release.<format>` in a folder; return it and the fingerprint of the rows.

    In text formats a cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers don't. A
    column whose name is such a formula is refused: changing names would break whoever reads the files by them.
    """
    if format not in FORMATS:
        raise ParameterError("release.unknown-format", format=format, hint=hint(format, FORMATS))
    if format != "parquet":
        refuse_formulas(rows.columns)
    place = child(folder, f"release.{format}")
    store = Store(session, place)
    with spark_errors(Message("table.release-not-written")):
        noted = _parquet(rows, store.name) if format == "parquet" else _text(rows, store.name, _BETWEEN[format])
        store.tidy(format)
    return Written(place, noted)


def _parquet(rows: DataFrame, place: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    hashed = rows.toDF(*names).withColumn("hash", row_hash([fn.col(name).cast("string") for name in names]))
    passing = Observation()
    chosen = [fn.col(name).alias(true, metadata={}) for name, true in zip(names, rows.columns, strict=True)]
    noted = hashed.observe(passing, *sums("hash")).select(*chosen)
    noted.write.options(compression="zstd", **_QUIET).parquet(place)
    return fingerprint(passing.get)


def _text(rows: DataFrame, place: str, between: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    kinds = [kind for _, kind in rows.dtypes]
    cells = [_without_formulas(name, kind).alias(name) for name, kind in zip(names, kinds, strict=True)]
    hashed = rows.toDF(*names).select(*cells).withColumn("hash", row_hash([fn.col(name) for name in names]))
    passing, lone = Observation(), fn.col(names[0]).isNull() if len(names) == 1 else fn.lit(False)
    counted = [fn.count(fn.lit(1)).alias("rows"), fn.count(fn.when(lone, 1)).alias("blank")]
    noted = hashed.observe(passing, *sums("hash"), *counted)
    line = fn.concat_ws(between, *[_quoted(fn.col(name), between) for name in names])
    header = between.join(_quoted_name(name, between) for name in rows.columns)
    # Every part begins with the names: they go before its first row.
    first = fn.monotonically_increasing_id().bitwiseAND(fn.lit(_IN_PART)) == 0
    _lines(noted.select(fn.when(first, fn.concat(fn.lit(header + "\n"), line)).otherwise(line)), place)
    found = passing.get
    if found["blank"]:
        raise DataError("spark.one-text-column-with-missing-values")
    if not found["rows"]:
        _lines(rows.sparkSession.createDataFrame([(header,)], "value string").coalesce(1), place)
    return fingerprint(found)


def _lines(frame: DataFrame, place: str) -> None:
    frame.toDF("value").write.mode("overwrite").options(compression="none", lineSep="\n", **_QUIET).text(place)


def _without_formulas(name: str, kind: str) -> Column:
    """Return a column as the text that is written."""
    text = as_text(name, kind).cast("string")
    if is_text(kind):
        runs = text.rlike(JAVA_FORMULA) & ~text.rlike(JAVA_NUMBER)
        return fn.when(runs, fn.concat(fn.lit("'"), text)).otherwise(text)
    return text


def _quoted(cell: Column, between: str) -> Column:
    """Return a cell as it stands in the file: nothing where it is missing, two quotes where it is empty."""
    inside = fn.replace(cell, fn.lit('"'), fn.lit('""'))
    special = (cell == "") | cell.rlike(f'["\r\n{between}]')
    whole = fn.when(special, fn.concat(fn.lit('"'), inside, fn.lit('"'))).otherwise(cell)
    return fn.coalesce(whole, fn.lit(""))


def _quoted_name(name: str, between: str) -> str:
    inside = name.replace('"', '""')
    return f'"{inside}"' if not name or re.search(f'["\r\n{between}]', name) else name
