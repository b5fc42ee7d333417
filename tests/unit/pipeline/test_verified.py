"""What is shown of a run before attacks are tried: the evidence so far, and the first rows as they were written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import yaml

from antifaz.core.messages import restored
from antifaz.core.progress import Progress
from antifaz.pipeline.verified import _first_rows
from antifaz.projects.project_actions import run
from antifaz.sources.text_options import WrittenFile

PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "source": {"path": "people.csv"},
    "attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"masking": 1}}, "ill": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "release": {"path": "out"},
    "seed": 1,
}


def test_it_is_shown_before_attacks_and_is_no_document_of_the_release(tmp_path: Path) -> None:
    table = pa.table({"zip": [f"{n}{m}" for n in range(1, 6) for m in range(6)], "ill": ["a", "b"] * 15})
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(PROJECT), encoding="utf-8")
    told: list[Any] = []
    progress = Progress(lambda step, _share, _message: told.append(step), shows=told.append)
    whole = run(tmp_path / "project.yaml", progress=progress)
    (shown,) = [one for one in told if isinstance(one, dict)]
    # Before the attacks, and at a time when nothing was in its place.
    assert told.index(shown) < told.index("attacks") < told.index("publish")
    early = shown["evidence"]
    assert early["privacy"] == whole["privacy"] and early["rows"] == whole["rows"]
    assert not {"criteria", "verdict", "state", "report"} & early.keys() and {"criteria", "verdict"} <= whole.keys()
    written = list(csv.reader((tmp_path / "out" / "release.csv").read_text("utf-8").splitlines()))
    assert [shown["first_rows"]["columns"], *shown["first_rows"]["rows"]] == written[:21] and len(written) == 31
    # It goes through a pipe, and every reader gets it in their language.
    assert restored(json.loads(json.dumps(early)))["notes"] == early["notes"]


@pytest.mark.parametrize(
    ("delimiter", "encoding", "bom"), [(";", "cp1252", False), (",", None, True), ("|", "utf-16", False)]
)
def test_text_is_read_as_it_was_written(tmp_path: Path, delimiter: str, encoding: str | None, bom: bool) -> None:
    text = delimiter.join(("año", "b")) + "\n" + delimiter.join(('"x' + delimiter + 'y"', "é")) + "\n"
    path = tmp_path / "people.txt"
    path.write_text(text, encoding="utf-8-sig" if bom else encoding)
    written = WrittenFile(path, delimiter=delimiter, encoding=encoding, bom=bom)
    assert _first_rows(written) == {"columns": ["año", "b"], "rows": [[f"x{delimiter}y", "é"]]}


def test_parquet_and_what_has_no_rows(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None, *range(40)], "b": ["x" * 1000] * 42})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    found = _first_rows(tmp_path / "t.parquet")
    assert found is not None and len(found["rows"]) == 20
    assert found["rows"][:2] == [["1", "x" * 200], ["", "x" * 200]]
    pyarrow.parquet.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    assert _first_rows(tmp_path / "none.parquet") == {"columns": ["a", "b"], "rows": []}


def test_rows_that_cannot_be_shown_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("a\n" + "x" * 200_000 + "\n", encoding="utf-8")
    places: tuple[Any, ...] = (tmp_path / "long.csv", tmp_path / "no.csv", tmp_path / "t.sav", pa.table({"a": [1]}))
    assert [_first_rows(place) for place in places] == [None] * 4
