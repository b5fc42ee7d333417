"""Who is alone by some columns, against a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from antifaz.pipeline import measuring


@pytest.mark.parametrize("largest", [1 << 62, 2000], ids=["one key", "numbered anew"])
def test_who_is_alone_is_who_shares_the_values_with_nobody(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_LARGEST_KEY", largest)
    random = np.random.default_rng(1)
    columns = [[None if v == 2 else f"v{v}" for v in random.integers(0, size, 300)] for size in (4, 9, 5, 30)]
    coded = [measuring._numbered(pa.chunked_array([column[:100], column[100:]], pa.string())) for column in columns]
    for many in range(1, 5):
        rows = Counter(zip(*columns[:many], strict=True))
        alone = sum(count == 1 and row[-1] is not None for row, count in rows.items())
        assert measuring._count_unique(coded[:many]) == alone
    assert alone > 10


def test_nobody_is_alone_in_no_rows() -> None:
    assert measuring._count_unique([measuring._numbered(pa.chunked_array([], pa.string()))]) == 0
