"""Rows come in batches of any size and go on in batches of one size, all of them, in their order."""

from __future__ import annotations

import pyarrow as pa
import pytest

from antifaz.sources.even_batches import even_batches


@pytest.mark.parametrize("sizes", [[], [1], [5], [5, 5], [3, 3, 3], [0, 4, 1, 0, 5, 2], [12, 1]])
def test_batches_of_any_size_become_batches_of_one_size(sizes):
    rows = pa.record_batch({"text": [str(n) for n in range(sum(sizes))], "n": range(sum(sizes))})
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    even = list(even_batches((rows.slice(start, size) for start, size in zip(starts, sizes, strict=True)), 5))
    assert [batch.num_rows for batch in even[:-1]] == [5] * (len(even) - 1)
    assert all(batch.num_rows <= 5 for batch in even)
    assert pa.Table.from_batches(even, rows.schema).to_pydict() == rows.to_pydict()
