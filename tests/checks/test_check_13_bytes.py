"""Check 13: suppressed and raw values are nowhere in the bytes of anything that is handed out."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.engines.local.convert import convert
from checks.unpacking import files_holding, holding

#: Of an identifier; of quasi-identifiers, one text and one number, that must be made coarser; and of the one record
#: that is left out: its town, its illness and its note.
IDENTIFIER, STREET, INCOME = "Quillon Ferradas", "Wexmoor", 88_776_655_443
TOWN, ILLNESS, NOTE = "Zyxtonbury", "kuru-variant", "seen at the Blue Ibis"
CANARIES = (IDENTIFIER, STREET, INCOME, TOWN, ILLNESS, NOTE)
ROLES = {
    "name": "identifier", "town": "quasi-identifier", "street": "quasi-identifier", "income": "quasi-identifier",
    "illness": "sensitive", "note": "insensitive",
}  # fmt: skip
#: A record is left out for its town; all streets and incomes become coarser.
HIERARCHIES = {"town": {"masking": 1, "levels": 1}, "street": {"flat": True}, "income": {"intervals": [10**12]}}


def rows() -> pa.Table:
    many = 60
    table: dict[str, list[Any]] = {
        "name": [f"{IDENTIFIER} {i}" for i in range(many)],
        "town": [("Aville", "Beville")[i % 2] for i in range(many)],
        "street": [f"{STREET} {i}" for i in range(many)],
        "income": [INCOME + 7 * i for i in range(many)],
        "illness": [("flu", "gout", "cold")[i % 3] for i in range(many)],
        "note": [f"visit {i}" for i in range(many)],
    }
    table["income"][17] = INCOME
    for column, value in (("town", TOWN), ("illness", ILLNESS), ("note", NOTE)):
        table[column][31] = value
    return pa.table(table)


def project(folder: Path, source: dict[str, Any], release: dict[str, Any]) -> Path:
    attributes = {
        name: {"role": role} | ({"hierarchy": HIERARCHIES[name]} if name in HIERARCHIES else {})
        for name, role in ROLES.items()
    }
    said = {
        "antifaz": 1, "source": source, "attributes": attributes, "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "full-domain", "suppression": 0.05}, "release": release, "seed": 3,
    }  # fmt: skip
    path = folder / "project.yaml"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def written(folder: Path, form: str) -> dict[str, Any]:
    """Write the rows as a file of one form."""
    path = folder / f"raw.{form}"
    frame = rows().to_pandas()
    if form == "parquet":
        encoded = [column.dictionary_encode() if name != "income" else column for name, column in
                   zip(rows().column_names, rows().columns, strict=True)]  # fmt: skip
        noted = pa.table(encoded, names=rows().column_names).replace_schema_metadata({"who": IDENTIFIER})
        pq.write_table(noted, path)
    elif form == "xlsx":
        frame.to_excel(path, index=False)
    elif form == "json":
        frame.to_json(path, orient="records")
    else:
        frame.to_csv(path, index=False)
    return {"path": path.name}


@pytest.mark.parametrize(("form", "format"), [("csv", "csv"), ("parquet", "parquet"), ("xlsx", "tsv"), ("json", "csv")])
def test_check_13_files_of_a_release_hold_no_canary(tmp_path: Path, form: str, format: str) -> None:
    raw, kept = tmp_path / "raw", tmp_path / "kept"
    raw.mkdir()
    kept.mkdir()
    said = project(raw, written(raw, form), {"path": str(kept / "out"), "format": format})
    told = az.run(said, ledger=kept / "ledger.sqlite", report={"pdf": True})
    assert told["rows"]["suppressed"] == 1
    for other in {"csv", "txt", "tsv", "parquet", "xlsx"} - {format}:
        convert(kept / "out" / f"release.{format}", kept / f"again.{other}", other)
    assert len(list(kept.rglob("*.*"))) >= 10
    assert files_holding(kept, CANARIES) == []
    assert holding(json.dumps(told).encode(), CANARIES) == []


def test_check_13_the_search_finds_what_is_there(tmp_path: Path) -> None:
    # It can fail: every canary is found in the raw table, whatever the form.
    for form in ("csv", "parquet", "xlsx", "json"):
        written(tmp_path, form)
        found = {canary for path, canary in files_holding(tmp_path, CANARIES) if path == f"raw.{form}"}
        assert found == set(CANARIES), form
    sheet = openpyxl.Workbook()
    sheet.properties.creator = TOWN
    sheet.save(tmp_path / "noted.xlsx")
    assert ("noted.xlsx", TOWN) in files_holding(tmp_path, CANARIES)


def _bytes(frame: Any) -> bytes:
    """A frame as it is usually kept: pickled, and as Arrow's own file, in which nothing is packed."""
    feather = io.BytesIO()
    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(feather, compression="uncompressed")
        return pickle.dumps(frame) + feather.getvalue() + str(frame.schema).encode()
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame)
    pyarrow.feather.write_feather(table, feather, compression="uncompressed")
    return pickle.dumps(frame) + feather.getvalue() + str(table.schema).encode()


def _frames() -> dict[str, Any]:
    table, frame = rows(), rows().to_pandas()
    words = [name for name in table.column_names if name != "income"]
    categories = frame.assign(**{name: frame[name].astype("category") for name in words})
    categories.index = pd.Index([f"{IDENTIFIER} {i}" for i in range(len(frame))], name="who")
    categories.attrs["note"] = NOTE
    encoded = pa.table({name: table[name].dictionary_encode() if name in words else table[name] for name in ROLES})
    enums = {
        name: pl.Series(table[name].to_pylist(), dtype=pl.Enum(sorted(set(table[name].to_pylist())))) for name in words
    }
    return {
        "pandas": frame,
        "pandas categories": categories,
        "arrow dictionaries": encoded.replace_schema_metadata({"note": NOTE}),
        "polars": pl.from_arrow(table),
        "polars enums": pl.DataFrame({name: enums.get(name, table[name].to_pylist()) for name in ROLES}),
    }  # fmt: skip


@pytest.mark.parametrize("kind", list(_frames()))
def test_check_13_released_frames_hold_no_canary(kind: str) -> None:
    hierarchies = {
        "town": az.hierarchy.masking(1, levels=1), "street": az.hierarchy.flat(),
        "income": az.hierarchy.intervals(10**12),
    }  # fmt: skip
    release = az.anonymize(
        _frames()[kind], roles=ROLES, hierarchies=hierarchies, privacy=az.KAnonymity(5),
        method=az.FullDomain(suppression=0.05), seed=1,
    )  # fmt: skip
    assert holding(_bytes(release.frame), CANARIES) == []
    assert holding(_bytes(_frames()[kind]), [TOWN, ILLNESS, NOTE, INCOME]) == [TOWN, ILLNESS, NOTE, INCOME]


@pytest.mark.parametrize("kind", list(_frames()))
def test_check_13_blanked_cells_and_rows_left_out_are_not_below_the_mark(kind: str) -> None:
    frame = _frames()[kind]
    masked = frame
    for column in ("illness", "note", "town"):
        masked = az.mask.suppress(masked, column, where={"column": "town", "equals": TOWN})
    assert holding(_bytes(masked), [TOWN, ILLNESS, NOTE]) == []
    drawn = az.mask.sample(frame, number=10, seed=2)
    assert len(drawn) == 10
    assert holding(_bytes(drawn), [TOWN, ILLNESS, NOTE]) == []
