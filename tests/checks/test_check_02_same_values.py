"""Check 2: when two values are the same (docs/values.md), answered by hand for a table in every form it comes in."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from failing import failing, like

#: Town, number of children, illness. By hand: towns are Ávila (4: composed, decomposed, with blanks), NA (2), missing
#: (3: nothing, empty, blanks), avila (2) and Avila (2); children are numbers, so 1, 1.0 and 01 are the same.
ROWS = [
    ("\u00c1vila", "1", "Flu"),
    ("A\u0301vila", "1.0", "flu "),
    (" \u00c1vila", "01", "FLU"),
    ("\u00c1vila\u00a0", "1", "\ufb02u"),
    ("NA", "1", "flu"),
    ("NA", "1", "gout"),
    (None, "1", "flu"),
    ("", "1", "gout"),
    ("  ", "1", ""),
    ("avila", "1", "flu"),
    ("avila", "1", None),
    ("Avila", "1", "1"),
    ("Avila", "1", "1.0"),
]
TOWNS = {"\u00c1vila": 4, "NA": 2, None: 3, "avila": 2, "Avila": 2}


ROLES = {"town": "quasi-identifier", "children": "quasi-identifier", "illness": "sensitive"}
HIERARCHIES = {"town": az.hierarchy.flat(), "children": az.hierarchy.flat()}


def _csv(folder: Path) -> Any:
    def cell(value: str | None) -> str:
        return "" if value is None else f'"{value}"'  # nothing is missing, two quotes are an empty text

    lines = [",".join(map(cell, row)) for row in ROWS]
    (folder / "t.csv").write_text("town,children,illness\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return az.open(folder / "t.csv", types={"children": "decimal"})


def _parquet(folder: Path) -> Any:
    pq.write_table(_table(), folder / "t.parquet")
    return az.open(folder / "t.parquet", types={"children": "decimal"})


def _sqlite(folder: Path) -> Any:
    with closing(sqlite3.connect(folder / "t.db")) as db, db:
        db.execute("CREATE TABLE t (town TEXT, children TEXT, illness TEXT)")
        db.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    db.close()
    return az.open(f"sqlite:///{folder}/t.db", table="t", types={"children": "decimal"})


def _table() -> pa.Table:
    return pa.table({name: pa.array([row[i] for row in ROWS], pa.string()) for i, name in enumerate(ROLES)})


FORMS: dict[str, Callable[[Path], Any]] = {
    "csv": _csv,
    "parquet": _parquet,
    "sqlite": _sqlite,
    "pandas": lambda folder: az.open(pd.DataFrame(ROWS, columns=list(ROLES)), types={"children": "decimal"}),
    "polars": lambda folder: az.open(pl.from_arrow(_table()), types={"children": "decimal"}),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_check_02_spellings_are_unified_and_nobody_is_dropped(form: str, tmp_path: Path) -> None:
    with FORMS[form](tmp_path) as data:
        release = az.anonymize(data, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(2), seed=1)
        release.save(tmp_path / "out", attacks=0)
        with failing("method.not-reached-but", az.PrivacyNotReached, failure=like("method.no-generalization", rows=13)):
            az.anonymize(data, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(14))
    assert release.levels == {"town": 0, "children": 0}
    assert release.evidence["privacy"][0]["achieved"] == 2
    with (tmp_path / "out/release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["town"] or None for row in rows) == TOWNS
    assert {row["children"] for row in rows} == {"1"}


@pytest.mark.parametrize("form", list(FORMS))
def test_check_02_spellings_of_one_illness_are_no_diversity(form: str, tmp_path: Path) -> None:
    with FORMS[form](tmp_path) as data:
        # Two towns have one illness only: they fail at the bottom, so all towns become one.
        release = az.anonymize(
            data, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.LDiversity(2, attribute="illness"), seed=1
        )
    assert release.levels["town"] == 1
    assert release.evidence["privacy"][0]["achieved"] == 4  # flu, gout, missing, 1


def test_check_02_a_table_to_be_verified_is_taken_as_it_stands() -> None:
    (k, diversity) = az.verify(_table(), ["town"], [az.KAnonymity(2), az.LDiversity(2, attribute="illness")])
    # Composed, decomposed, two with blanks; nothing, empty, blanks: whoever reads it can tell them apart.
    assert (k.achieved, k.holds) == (1, False)
    assert (diversity.achieved, diversity.holds) == (1, False)
    missing = pa.table({"town": ["a", "a", None], "illness": ["x", "y", "z"]})
    assert az.verify(missing, ["town"], [az.KAnonymity(2)])[0].achieved == 1


def test_check_02_what_only_python_takes_for_a_number_is_text_to_the_method_and_to_the_verifier() -> None:
    # As text the four are in the order 10, 1_000, 200, 9: then each town has one from either end.
    table = pa.table({"town": ["a", "a", "b", "b"] * 2, "dose": ["9", "10", "200", "1_000"] * 2})
    model = az.TCloseness(0.2, distance="ordered", attribute="dose")
    roles = {"town": "quasi-identifier", "dose": "sensitive"}
    release = az.anonymize(table, roles=roles, hierarchies={"town": az.hierarchy.flat()}, privacy=model, seed=1)
    assert release.levels == {"town": 0}
    assert release.evidence["privacy"][0]["achieved"] == pytest.approx(0.5 / 3)
    assert az.verify(table, ["town"], [model])[0].achieved == pytest.approx(0.5 / 3)
