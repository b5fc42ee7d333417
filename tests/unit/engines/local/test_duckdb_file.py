"""Releases that become tables of DuckDB files."""

from __future__ import annotations

import shutil

import duckdb
import pytest

import antifaz as az


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_a_release_is_in_the_file_itself_and_not_in_a_journal_beside_it(tmp_path, memory):
    file, copy = tmp_path / "people.duckdb", tmp_path / "elsewhere" / "copy.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute("CREATE TABLE people AS SELECT i % 3 * 10 AS age, i % 2 AS sex FROM range(600) AS r(i)")
        db.execute("CREATE TABLE out AS SELECT 1 AS earlier")
    wanted = {"roles": {"age": "quasi-identifier", "sex": "insensitive"}, "privacy": az.KAnonymity(5), "seed": 1}
    hierarchies = {"age": az.hierarchy.intervals(20)}
    with az.open(f"duckdb:///{file}", table="people", memory=memory) as data:
        az.anonymize(data, hierarchies=hierarchies, **wanted).save(tmp_path / "out", table="out", replace=True)
        assert [path.name for path in tmp_path.glob("people.duckdb*")] == ["people.duckdb"]
    copy.parent.mkdir()
    shutil.copy(file, copy)
    with duckdb.connect(str(copy), read_only=True) as db:
        assert db.execute("SELECT count(*), count(DISTINCT sex) FROM out").fetchall() == [(600, 2)]
