"""Work that is sent to executors, in batches or in groups of rows.

Spark's Python workers collect garbage after every task, and look at everything that was ever imported for that: a tenth
of a second, for a task that may take a thousandth. What was imported stays anyway, so it is set aside once.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]

#: How many modules a worker had when it last set aside what they hold.
_known = 0


def map_batches(frame: DataFrame, work: Callable[[Batches], Batches], schema: Any) -> DataFrame:
    """Have executors turn batches of rows into others."""
    # PySpark looks for hints on what it is given, and wants a plain function.
    return frame.mapInArrow(lambda batches: _mapped(work, batches), schema)


def _mapped(work: Callable[[Batches], Batches], batches: Batches) -> Batches:
    yield from work(batches)
    set_aside()


def map_groups(frame: DataFrame, by: str, work: Callable[[pa.Table], pa.Table], schema: Any) -> DataFrame:
    """Have executors turn all rows with the same value in a column into others."""
    return frame.groupBy(by).applyInArrow(lambda table: _group_mapped(work, table), schema)


def _group_mapped(work: Callable[[pa.Table], pa.Table], table: pa.Table) -> pa.Table:
    done = work(table)
    set_aside()
    return done


def set_aside() -> None:
    """Leave out of later collections what is there now, if anything was imported since the last time."""
    global _known
    if len(sys.modules) != _known:
        gc.collect()
        gc.freeze()
        _known = len(sys.modules)
