"""Any table, hierarchies, models, method and engine: no release breaks what was asked, counted in plain SQL.

A run may say that it can't be done; what it may not do is release something else than what it says. Each method is
tried on a few tables; on as many as wanted with `ANTIFAZ_EXAMPLES=200`.
"""

from __future__ import annotations

import csv
import math
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

import antifaz as az
from properties.methods import METHODS
from properties.sql import WORST, worst

Row = dict[str, Any]
EXAMPLES = int(os.environ.get("ANTIFAZ_EXAMPLES", "4"))
QIS = ("age", "town", "job")
ROLES = {"who": "identifier", **dict.fromkeys(QIS, "quasi-identifier"), "sick": "sensitive", "row": "insensitive"}
#: By the name of the question in SQL: a model that asks for it, given a strictness from 1 to 3.
MODELS = {
    "distinct": lambda level: (az.LDiversity(level), level),
    "entropy": lambda level: (az.LDiversity(level, kind="entropy"), level),
    "alpha": lambda level: (az.AlphaK(alpha=1 - level / 10, k=2), 1 - level / 10),
    "t": lambda level: (az.TCloseness(0.8 - level / 10), 0.8 - level / 10),
    "beta": lambda level: (az.BetaLikeness(beta=5 - level), 5 - level),
}
ENGINES = ("arrow", "csv", "sqlite", "duckdb")
PEOPLE = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.one_of(st.integers(0, 99), st.just(30), st.none()),
            "town": st.sampled_from(["53703", "53706", "61000", None]),
            "job": st.sampled_from(["nurse", "Nurse", "lærer", "a, b", None]),
            "sick": st.sampled_from(["flu", "cold", "asthma", "none"]),
        }
    ),
    min_size=1,
    max_size=24,
).filter(lambda rows: all(any(row[name] is not None for row in rows) for name in QIS))
ASKED = st.tuples(st.integers(1, 4), st.one_of(st.none(), st.tuples(st.sampled_from(list(MODELS)), st.integers(1, 3))))
#: One that every method can release, so that none is only ever refused.
EASY: list[Row] = [
    {"age": 20 + i % 4, "town": ("53703", "61000")[i % 2], "job": "nurse", "sick": ("flu", "cold", "asthma")[i % 3]}
    for i in range(24)
]


def _table(people: list[Row]) -> pa.Table:
    kinds = {"who": pa.string(), "age": pa.int64(), "town": pa.string(), "job": pa.string(), "sick": pa.string()}
    whole = [{**row, "who": f"person {i}", "row": i} for i, row in enumerate(people)]
    return pa.Table.from_pylist(whole, pa.schema([*kinds.items(), ("row", pa.int64())]))


def _opened(people: list[Row], engine: str, folder: Path) -> Any:
    """Hand the same people over in one of the ways."""
    table = _table(people)
    types = {"town": "text"}
    if engine == "arrow":
        return az.open(table, types=types)
    if engine == "csv":
        pa.csv.write_csv(table, folder / "people.csv")
        return az.open(folder / "people.csv", types=types, delimiter=",", header=True)
    place = folder / f"people.{engine}"
    place.unlink(missing_ok=True)
    _stored(table, engine, place)
    return az.open(f"{engine}:///{place}", table="people", types=types)


def _stored(table: pa.Table, engine: str, place: Path) -> None:
    declared = 'who TEXT, age BIGINT, town TEXT, job TEXT, sick TEXT, "row" BIGINT'
    rows = [tuple(row.values()) for row in table.to_pylist()]
    if engine == "sqlite":
        import sqlite3

        link: Any = sqlite3.connect(place)
    else:
        import duckdb

        link = duckdb.connect(str(place))
    link.execute(f"CREATE TABLE people ({declared})")
    link.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
    link.commit()
    link.close()


def _hierarchies() -> dict[str, Any]:
    return {"age": az.hierarchy.intervals(10, 50), "town": az.hierarchy.masking(2), "job": az.hierarchy.flat()}


def _release(people: list[Row], engine: str, models: list[Any], method: Any, folder: Path, seed: int = 1) -> Any:
    with _opened(people, engine, folder) as data:
        release = az.anonymize(data, roles=ROLES, hierarchies=_hierarchies(), privacy=models, method=method, seed=seed)
        release.save(folder / "out", replace=True)
        return release


@pytest.mark.parametrize("name", METHODS)
@settings(
    deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(people=PEOPLE, asked=ASKED, share=st.sampled_from([0.0, 0.2, 1.0]), engine=st.sampled_from(ENGINES))
@example(people=EASY, asked=(2, None), share=0.2, engine="arrow")
@example(people=EASY, asked=(2, ("distinct", 2)), share=0.2, engine="sqlite")
def test_no_release_breaks_what_was_asked(
    name: str, people: list[Row], asked: tuple[int, Any], share: float, engine: str
) -> None:
    k, more = asked
    models: list[Any] = [az.KAnonymity(k)]
    wanted = {"k": float(k)}
    if more is not None:
        model, wanted[more[0]] = MODELS[more[0]](more[1])
        models.append(model)
    with TemporaryDirectory() as place:
        folder = Path(place)
        try:
            release = _release(people, engine, models, METHODS[name](share), folder)
        except (az.PrivacyNotReached, az.ParameterError) as error:
            assert people is not EASY or more is not None, error
            event(f"{name}: {type(error).__name__}")
            assert not (folder / "out").exists()
            return
        event(f"{name}: released")
        file = folder / "out" / "release.csv"
        for question, limit in wanted.items():
            found = worst(file, people, QIS, question)
            assert found >= limit - 1e-9 if WORST[question][1] else found <= limit + 1e-9, (question, found, limit)
        _rows_are_whole(file, people, release.evidence["rows"], share)
        first = file.read_bytes()
        _release(people, engine, models, METHODS[name](share), folder)
        assert file.read_bytes() == first
        if set(wanted) <= {"k", "distinct", "entropy", "alpha"}:
            _released_again(folder, models)


def _rows_are_whole(file: Path, people: list[Row], told: dict[str, int], share: float) -> None:
    """Compare what was not to be changed, row by row, and how many there are."""
    with file.open(encoding="utf-8", newline="") as opened:
        out = list(csv.DictReader(opened))
    assert list(out[0]) == [*QIS, "sick", "row"]
    assert told == {"read": len(people), "released": len(out), "suppressed": len(people) - len(out)}
    assert len(people) - len(out) <= math.floor(share * len(people) + 1e-9)
    assert max(Counter(row["row"] for row in out).values()) == 1
    assert all(row["sick"] == people[int(row["row"])]["sick"] for row in out)


def _released_again(folder: Path, models: list[Any]) -> None:
    """What satisfies the models already is released as it is."""
    types = dict.fromkeys(QIS, "text")
    with az.open(folder / "out" / "release.csv", types=types, delimiter=",", header=True) as data:
        before = data.to_arrow()
        if any(before.column(name).null_count == before.num_rows for name in QIS):
            return  # nothing but missing values: no hierarchy can be made
        again = az.anonymize(
            data,
            roles={name: role for name, role in ROLES.items() if name != "who"},
            hierarchies={name: az.hierarchy.flat() for name in QIS},
            privacy=models,
            seed=2,
        )
    assert again.evidence["utility"]["loss"] == 0
    order = [("row", "ascending")]
    assert again.frame.sort_by(order).to_pylist() == before.sort_by(order).to_pylist()
