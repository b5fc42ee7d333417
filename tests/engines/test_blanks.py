"""Where the rows live makes no difference to what a blank matches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antifaz as az

QIS = ("sex", "postcode", "marital_status")
ASKED = [az.KAnonymity(k, blanks=blanks) for k in (2, 3, 10) for blanks in ("value", "match")]


@pytest.fixture(scope="module")
def blanked(table: pa.Table) -> pa.Table:
    """What was suppressed until 3 match, where some were missing before."""
    return az.suppress_locally(table.select([*QIS, "age"]), QIS, 3, reading="match").frame


@pytest.fixture(scope="module")
def expected(blanked: pa.Table) -> list[Any]:
    """What this machine finds: the strict reading and the other differ, or nothing is tested."""
    found = az.verify(blanked, QIS, ASKED)
    assert [verdict.holds for verdict in found[2:4]] == [False, True]
    assert found[5].failing > 0
    return found


def test_databases_find_the_same(database: Any, blanked: pa.Table, expected: list[Any]) -> None:
    with az.open(database.url, table=database.load(blanked)) as data:
        assert az.verify(data, QIS, ASKED) == expected


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_spark_finds_the_same_and_blanks_as_many(spark: Any, table: pa.Table, blanked: pa.Table, expected: Any) -> None:
    assert az.verify(spark.createDataFrame(blanked).repartition(3), QIS, ASKED) == expected
    release = az.anonymize(
        spark.createDataFrame(table.select(list(QIS))),
        roles=dict.fromkeys(QIS, "quasi-identifier"),
        privacy=az.KAnonymity(3, blanks="match"),
        method=az.LocalSuppression(reading="match"),
        seed=1,
    )
    assert sum(release.evidence["method"]["blanked"].values()) == sum(
        blanked[name].null_count - table[name].null_count for name in QIS
    )
