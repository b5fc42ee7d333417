"""What must not leave: identifiers, values of records left out, formulas, and the order of the rows."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import spearmanr

#: Values that occur in raw data only. The last two are quasi-identifiers of records that must be left out.
CANARIES = ("CANARYID", "CANARYNAME", "canary@example.org", "99987", "CANARYTOWN")

PROJECT = {
    "antifaz": 1,
    "name": "canaries",
    "source": {"path": "raw.csv"},
    "attributes": {
        "id": {"role": "identifier"},
        "name": {"role": "identifier"},
        "mail": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 50]}},
        "postcode": {"role": "quasi-identifier", "hierarchy": {"masking": 1, "levels": 2, "top": True}},
        "town": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
        "diagnosis": {"role": "sensitive"},
        "row": {"role": "insensitive"},
        "note": {"role": "insensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2}],
    "method": {"name": "full-domain", "suppression": 0.05},
    "seed": 1,
}


def _rows(count: int) -> list[dict[str, object]]:
    random = np.random.default_rng(4)
    rows: list[dict[str, object]] = []
    for i in range(count):
        rows.append(
            {
                "id": f"CANARYID{i:05}",
                "name": f"CANARYNAME {i:05}",
                "mail": f"{i:05}canary@example.org",
                "age": int(random.integers(20, 60)),
                "postcode": str(random.choice(["10115", "10117", "20095"])),
                "town": str(random.choice(["Berlin", "Hamburg"])),
                "diagnosis": str(random.choice(["flu", "gout", "asthma"])),
                "row": i,
                "note": "",
            }
        )
    for i in (3, 50, 200):
        rows[i] |= {"postcode": "99987", "town": "CANARYTOWN"}
    return rows


@pytest.fixture
def raw(tmp_path):
    rows = _rows(400)
    formulas = ["=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3", "@now", "\t=1", "-12", "-1.5", "+4e3", "-3,5", "a=b", "-"]
    for row, formula in zip(rows[10:], formulas, strict=False):
        row["note"] = formula
    with (tmp_path / "raw.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return tmp_path


def _run(antifaz, folder, **changes):
    (folder / "project.yaml").write_text(json.dumps({**PROJECT, **changes}), encoding="utf-8")
    return antifaz("run", "project.yaml", "--json")


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_check_13_no_raw_value_is_in_any_file(antifaz, raw, format):
    done = _run(antifaz, raw, release={"path": "out", "format": format})
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["rows"]["suppressed"] >= 3
    everything = done.out.encode() + done.err.encode()
    for path in (raw / "out").iterdir():
        everything += path.read_bytes()
    if format == "parquet":
        everything += _inside(raw / "out/release.parquet")
    for canary in CANARIES:
        assert canary.encode() not in everything


def _inside(path) -> bytes:
    """What a Parquet file holds when it is unpacked: its values, its dictionaries, its statistics."""
    file = pq.ParquetFile(path)
    table = pq.read_table(path, read_dictionary=file.schema_arrow.names[:3])
    dictionaries = [chunk.dictionary for column in table.columns[:3] for chunk in column.chunks]
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    statistics = [str(group.column(i).statistics) for group in groups for i in range(group.num_columns)]
    return f"{table.to_pylist()} {dictionaries} {statistics} {file.schema_arrow.metadata}".encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"privacy": [{"model": "k-anonymity", "k": 401}]},
        {"attributes": {**PROJECT["attributes"], "agee": {"role": "sensitive"}}},
        {"attributes": {**PROJECT["attributes"], "name": {"role": "insensitive", "type": "integer"}}},
        {"source": {"path": "raw.csv", "delimiter": ";"}},
        {"source": {"path": "ragged.csv"}},
        {"source": {"path": "quote.csv"}},
        {"release": {"path": "raw.csv"}},
    ],
    ids=["k", "column", "type", "delimiter", "ragged", "quote", "target"],
)
def test_check_34_no_raw_value_is_in_any_error(antifaz, raw, changes):
    text = (raw / "raw.csv").read_text(encoding="utf-8")
    (raw / "ragged.csv").write_text(text + "CANARYID,CANARYNAME\n", encoding="utf-8")
    (raw / "quote.csv").write_text(text + 'CANARYID,"CANARYNAME\n', encoding="utf-8")
    done = _run(antifaz, raw, **changes)
    assert done.code in (1, 2)
    assert "Traceback" not in done.err
    for canary in CANARIES:
        assert canary not in done.out + done.err


def test_check_37_formulas_are_neutralized_and_numbers_are_not(antifaz, raw):
    assert _run(antifaz, raw).code == 0
    rows = {
        row["row"]: row["note"] for row in csv.DictReader(io.StringIO((raw / "out/release.csv").read_text("utf-8")))
    }
    source = {str(row["row"]): row["note"] for row in _read(raw / "raw.csv")}
    notes = {source[row]: note for row, note in rows.items() if source[row]}
    assert notes.pop("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0"
    for formula in ("+SUM(A1)", "-2+3", "@now"):
        assert notes.pop(formula) == f"'{formula}"
    for number in ("-12", "-1.5", "+4e3", "-3,5", "a=b", "-"):
        assert notes.pop(number) == number


def _read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_check_37_a_column_name_that_is_a_formula_is_refused_in_text_and_not_in_parquet(antifaz, raw):
    text = (raw / "raw.csv").read_text(encoding="utf-8").replace("row,note", "row,=note()")
    (raw / "raw.csv").write_text(text, encoding="utf-8")
    attributes = {**PROJECT["attributes"], "=note()": {"role": "insensitive"}}
    del attributes["note"]
    done = _run(antifaz, raw, attributes=attributes)
    assert (done.code, done.out) == (2, "")
    assert "as a formula" in done.err
    assert not (raw / "out").exists()
    assert _run(antifaz, raw, attributes=attributes, release={"format": "parquet"}).code == 0


@pytest.mark.parametrize("seed", [1, 2, 12345])
def test_check_06_the_order_of_rows_says_nothing(antifaz, raw, seed):
    assert _run(antifaz, raw, seed=seed).code == 0
    order = [int(row["row"]) for row in _read(raw / "out/release.csv")]
    # Four standard deviations of the rank correlation of two orders that have nothing to do with each other.
    limit = 4 / np.sqrt(len(order) - 1)
    assert abs(spearmanr(order, range(len(order))).statistic) < limit
    neighbours = np.mean(np.abs(np.diff(order)) == 1)
    assert neighbours < 4 / np.sqrt(len(order))


def test_another_seed_gives_another_order_of_the_same_rows(antifaz, raw):
    texts = []
    for seed in (1, 2):
        assert _run(antifaz, raw, seed=seed).code == 0
        texts.append((raw / "out/release.csv").read_text("utf-8").splitlines())
    assert texts[0] != texts[1]
    assert sorted(texts[0]) == sorted(texts[1])


def test_check_33_files_are_for_their_owner_only(antifaz, raw):
    assert _run(antifaz, raw).code == 0
    assert {oct(path.stat().st_mode & 0o777) for path in (raw / "out").iterdir()} == {"0o600"}
