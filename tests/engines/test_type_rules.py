"""The five dialects understand the same spellings alike, and refuse the same ones where a type is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import SchemaError
from engines.type_spellings import SPELLINGS, TOLD

Open = Callable[..., Any]

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture(params=["DuckDB", "PostgreSQL", "MariaDB", "SQLite", "Spark"])
def opened(request: pytest.FixtureRequest, tmp_path: Any) -> Any:
    """Open a table where one of the dialects is spoken."""
    from engines.conftest import server

    if request.param == "Spark":
        session = request.getfixturevalue("spark")
        yield lambda table, **options: az.open(session.createDataFrame(table), **options)
        return
    made = server(request.param, tmp_path)
    yield lambda table, **options: az.open(made.url, table=made.load(table), **options)
    made.clean()


def test_every_dialect_understands_the_same(opened: Open) -> None:
    longest = max(len(values) for values, _ in SPELLINGS)
    columns = {f"v{i}": [*values, *[None] * (longest - len(values))] for i, (values, _) in enumerate(SPELLINGS)}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    with opened(table) as data:
        found = [column.type for column in data.schema.columns]
    wrong = [(values, kind, other) for (values, kind), other in zip(SPELLINGS, found, strict=True) if kind is not other]
    assert not wrong


def test_every_dialect_refuses_the_same(opened: Open) -> None:
    for kind, values, wrong in TOLD:
        table = pa.table({"v": pa.array(values, pa.string())})
        if not wrong:
            with opened(table, types={"v": kind}) as data:
                assert data.schema["v"].type is kind
            continue
        with pytest.raises(SchemaError) as caught:
            opened(table, types={"v": kind})
        assert caught.value.code in ("column.values-not-of-type", "database.column-values-not-of-type")
        assert {"kind": kind.value, "count": wrong}.items() <= caught.value.message.values.items()
