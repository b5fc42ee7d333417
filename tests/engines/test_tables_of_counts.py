"""A table of counts or sums is the same wherever the rows are."""

import sqlite3

import antifaz as az

PEOPLE = az.datasets.people(200, seed=4).select(["id_number", "sex", "education", "income"])


def test_a_database_gives_the_same_table(tmp_path):
    with sqlite3.connect(tmp_path / "people.db") as db:
        db.execute("CREATE TABLE people (id_number TEXT, sex TEXT, education TEXT, income INTEGER)")
        db.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in PEOPLE.to_pylist()])
    db.close()
    asked = {"measure": "income", "person": "id_number", "rules": [az.Threshold(3), az.PPercent(10)]}
    with az.open(f"sqlite:///{tmp_path / 'people.db'}", table="people") as there:
        found = az.tabulate(there, ["sex", "education"], **asked)
    here = az.tabulate(PEOPLE, ["sex", "education"], **asked)
    assert found.frame.equals(here.frame)
    assert here.evidence["table"]["suppressed"] > 0
