"""Check 34: whatever goes wrong, no cell is in what is raised, said, warned of or logged."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.core.errors import AntifazError
from e2e.conftest import COMMAND

CANARY = "Ferradas7391"
RAW = CANARY.encode()


def chained(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that Python keeps behind it, shown or not."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def quoted(work: Callable[[], Any], capfd: Any, caplog: Any) -> str:
    """Return all that is to be seen or found of a failure, which must be one of ours."""
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned, pytest.raises(AntifazError) as caught:
        warnings.simplefilter("always")
        work()
    told = "".join(traceback.format_exception(caught.value))
    told += "".join(f"{error!r} {error} {vars(error)}" for error in chained(caught.value) if not _ours(error))
    return told + str([str(one.message) for one in warned]) + caplog.text + "".join(capfd.readouterr())


def _ours(error: BaseException) -> bool:
    # A hierarchy's error keeps the values that it misses apart from its words, for the person's own terminal.
    return isinstance(error, AntifazError)


def _sqlite(path: Path) -> Any:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t (v, w)")
        db.executemany("INSERT INTO t VALUES (?, ?)", zip(VALUES, WORDS, strict=True))
    db.close()
    return az.open(f"sqlite:///{path}", table="t")


def _duckdb(path: Path) -> Any:
    with duckdb.connect(path) as db:
        db.execute("CREATE TABLE t (v VARCHAR, w VARCHAR)")
        db.executemany("INSERT INTO t VALUES (?, ?)", list(zip(VALUES, WORDS, strict=True)))
    return az.open(f"duckdb:///{path}", table="t")


VALUES, WORDS = ["1", "2", CANARY, "2020-01-01", "4"], ["a", "b", CANARY, "c", "d"]
TABLE = pa.table({"v": VALUES, "w": WORDS})
FORMS: dict[str, Callable[[Path], Any]] = {
    "csv": lambda folder: (TABLE.to_pandas().to_csv(folder / "t.csv", index=False), folder / "t.csv")[1],
    "json": lambda folder: (TABLE.to_pandas().to_json(folder / "t.json", orient="records"), folder / "t.json")[1],
    "parquet": lambda folder: (pq.write_table(TABLE, folder / "t.parquet"), folder / "t.parquet")[1],
    "xlsx": lambda folder: (TABLE.to_pandas().to_excel(folder / "t.xlsx", index=False), folder / "t.xlsx")[1],
    "pandas": lambda folder: TABLE.to_pandas(),
    "polars": lambda folder: pl.from_arrow(TABLE),
    "sqlite": lambda folder: _sqlite(folder / "t.db"),
    "duckdb": lambda folder: _duckdb(folder / "t.duckdb"),
}
WRONG: dict[str, dict[str, Any]] = {
    "numbers": {"hierarchies": {"v": az.hierarchy.intervals(5, 10)}},
    "dates": {"hierarchies": {"v": az.hierarchy.dates("month", "year")}},
    "lacking": {"hierarchies": {"v": az.hierarchy.table([["1", "*"]])}},
    "unreachable": {"hierarchies": {"v": az.hierarchy.masking(1)}, "privacy": az.KAnonymity(9)},
    "diverse": {"hierarchies": {"v": az.hierarchy.flat()}, "privacy": az.LDiversity(9, attribute="w")},
}


@pytest.mark.parametrize("form", list(FORMS))
def test_check_34_what_does_not_fit_is_not_quoted(form: str, tmp_path: Path, capfd: Any, caplog: Any) -> None:
    data = FORMS[form](tmp_path)
    roles = {"v": "quasi-identifier", "w": "sensitive"}
    for name, wrong in WRONG.items():
        asked = {"privacy": az.KAnonymity(2), "method": az.FullDomain(), **wrong}
        told = quoted(lambda asked=asked: az.anonymize(data, roles=roles, **asked), capfd, caplog)
        assert CANARY not in told, name
    if not hasattr(data, "schema") or form == "polars":
        for kind in ("integer", "decimal", "date", "datetime", "boolean"):
            told = quoted(lambda kind=kind: az.open(data, types={"v": kind}), capfd, caplog)
            assert CANARY not in told, kind


BROKEN = {
    "short.csv": b"a,b\n1,2\n" + RAW + b"\n",
    "long.csv": b"a,b\n1,2\n1," + RAW + b",3\n",
    "open.csv": b'a,b\n1,"' + RAW + b"\n",
    "after.csv": b'a,b\n"' + RAW + b'"x,1\n',
    "nul.csv": b"a,b\n" + RAW + b"\x00,1\n",
    "half.json": b'[{"a":"' + RAW + b'"},{"a":',
    "mixed.json": b'[{"a":"' + RAW + b'"}, 5]',
    "deep.json": b'[{"a":{"x":"' + RAW + b'"}}]',
    "twice.json": b'[{"a":"' + RAW + b'","a":2}]',
    "half.jsonl": b'{"a":1}\n{"a":"' + RAW + b'"\n',
    "list.jsonl": b'{"a":1}\n{"a":["' + RAW + b'"]}\n',
    "a.parquet": b"PAR1" + RAW * 100 + b"PAR1",
    "a.xlsx": b"PK\x03\x04" + RAW * 100,
    "none.xlsx": RAW,
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_check_34_broken_files_are_not_quoted(name: str, tmp_path: Path, capfd: Any, caplog: Any) -> None:
    (tmp_path / name).write_bytes(BROKEN[name])
    assert CANARY not in quoted(lambda: az.open(tmp_path / name).to_arrow(), capfd, caplog)
    assert CANARY not in quoted(lambda: az.verify(tmp_path / name, ["a"], az.KAnonymity(2)), capfd, caplog)


#: Text of which Arrow was told that it is UTF-8, and it is not.
_WRONG_TEXT = pa.table({"v": pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff" + RAW]).buffers())})
FRAMES: dict[str, Callable[[], Any]] = {
    "several types": lambda: az.mask.suppress(pd.DataFrame({"v": [1, CANARY, 2.5]}), "v"),
    "objects": lambda: az.verify(pd.DataFrame({"v": [1, {"x": CANARY}]}), ["v"], az.KAnonymity(2)),
    "lists": lambda: az.anonymize(
        pa.table({"v": [[CANARY]]}), roles={"v": "quasi-identifier"}, privacy=az.KAnonymity(1), method=az.Mondrian()
    ),
    "structs": lambda: az.risk.suda(pa.table({"v": [{"x": CANARY}]}), columns=["v"]),
    "no numbers": lambda: az.perturb.additive_noise(TABLE, columns=["v"], seed=1),
    "no numbers to compare": lambda: az.utility.il1s(TABLE, TABLE, columns=["v"]),
    "a bound for text": lambda: az.mask.top_code(TABLE, "v", at=3),
    "a table that lacks some": lambda: az.mask.substitute(TABLE, "v", table={"1": "2"}),
    "a table that is none": lambda: az.mask.substitute(TABLE, "v", table={CANARY: {"x": CANARY}}),
    "a condition that is none": lambda: az.mask.suppress(TABLE, "v", where={"in": [CANARY, {CANARY: 1}]}),
    "wrong text, masked": lambda: az.mask.suppress(_WRONG_TEXT, "v", where={"equals": "x"}),
    "wrong text, changed": lambda: az.perturb.pram(_WRONG_TEXT, columns=["v"], seed=1),
    "wrong text, verified": lambda: az.verify(_WRONG_TEXT, ["v"], az.KAnonymity(1)),
    "not encrypted": lambda: az.mask.decrypt(TABLE, "v", key=os.environ["A_KEY"]),
}


@pytest.mark.parametrize("name", list(FRAMES))
def test_check_34_functions_do_not_quote(name: str, tmp_path: Path, monkeypatch: Any, capfd: Any, caplog: Any) -> None:
    az.mask.new_key(tmp_path / "k.key")
    monkeypatch.setenv("A_KEY", str(tmp_path / "k.key"))
    assert CANARY not in quoted(FRAMES[name], capfd, caplog)


def test_check_34_a_command_quotes_nothing_even_where_it_warns(tmp_path: Path) -> None:
    for name, command in (("open.csv", ["verify", "--qi", "a", "--k", "2"]), ("half.json", ["inspect"])):
        (tmp_path / name).write_bytes(BROKEN[name])
        done = subprocess.run(
            [COMMAND, *command, name], cwd=tmp_path, capture_output=True, check=False,
            env={**os.environ, "PYTHONWARNINGS": "always", "TMPDIR": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 2
        assert RAW not in done.stdout + done.stderr
        assert b"Traceback" not in done.stderr


def test_check_34_the_search_finds_what_is_quoted(capfd: Any, caplog: Any) -> None:
    def careless() -> None:
        try:
            raise ValueError(CANARY)
        except ValueError:
            raise AntifazError("said well") from None

    assert CANARY in quoted(careless, capfd, caplog)
