"""What people write in columns is recognized: yes and no, bands in order, several values; and types come back."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import antifaz as az
from antifaz.projects import actions


def described(path: Path, rows: list[list[str]], header: list[str]) -> dict[str, Any]:
    """Write a table and return what `inspect` says of its columns."""
    lines = ["\t".join(record) for record in (header, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {column["name"]: column for column in actions.inspect(path)["columns"]}


@pytest.mark.parametrize(
    "words", ["yes no", "Y N", "sí no", "S N", "cert fals", "oui non", "JA NEIN", "sì no", "sim não", "vrai faux"]
)
def test_yes_and_no_are_one_type_in_seven_languages(tmp_path: Path, words: str) -> None:
    yes, no = words.split()
    rows = [[str(i), yes if i % 2 else no] for i in range(20)]
    found = described(tmp_path / "t.tsv", rows, ["id", "smokes"])
    assert found["smokes"]["written"] == ["boolean(yes/no)"]
    with az.open(tmp_path / "t.tsv", types={"smokes": "boolean(yes/no)"}) as data:
        assert data.schema["smokes"].type == "boolean"
        assert set(data.to_arrow().column("smokes").to_pylist()) == {"true", "false"}


def test_yes_and_no_are_released_as_they_came(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["30"] * 10, "smokes": ["Sí", "No"] * 5})
    with az.open(frame, types={"smokes": "boolean(yes/no)"}) as data:
        release = az.anonymize(
            data, roles={"age": "quasi-identifier", "smokes": "sensitive"}, hierarchies={"age": {"flat": True}},
            privacy=[az.KAnonymity(3), az.LDiversity(2, attribute="smokes")], seed=1,
        )  # fmt: skip
        assert sorted(release.frame["smokes"]) == sorted(frame["smokes"])


@pytest.mark.parametrize(
    "bands",
    [
        ["[0-10)", "[10-20)", "[20-30)", "[70-80)", "[100-110)"],
        ["<18", "18–24", "25–54", "55–64", "65+"],
        ["under 18 years old", "18 - 24 years old", "25 - 34 years old", "35 years old or more"],
    ],
)
def test_bands_are_in_order_and_neighbours_go_together(tmp_path: Path, bands: list[str]) -> None:
    rows = [[str(i), bands[i * 7 % len(bands)]] for i in range(60)]
    found = described(tmp_path / "t.tsv", rows, ["id", "age_band"])
    assert found["age_band"]["bands"] == bands
    assert found["id"]["bands"] == []
    with az.open(tmp_path / "t.tsv") as data:
        proposal = az.propose.hierarchy(data, "age_band")
    first = next(iter(next(iter(proposal.details.values()))), None)
    assert first is not None and "flat" not in proposal.details


def test_several_values_in_a_cell_are_recognized_and_can_be_told(tmp_path: Path) -> None:
    tools = ["r;spss", "python;r", "excel", "excel;r;python", "spss;excel"]
    rows = [[str(i), tools[i % 5]] for i in range(50)]
    found = described(tmp_path / "t.tsv", rows, ["id", "tools"])
    assert found["tools"]["written"] == ["set"]
    assert found["tools"]["set"]["separator"] == ";"
    counts = {"several": 4, "values": 5, "items": 4, "separator": ";"}
    assert found["tools"]["set"]["reason"]["values"] == counts
    assert found["id"]["set"] is None
    text = actions.init(tmp_path / "t.tsv", tmp_path / "p.yaml").read_text()
    assert "say type: set." in " ".join(text.replace("  # ", "").split())
    with az.open(tmp_path / "t.tsv", types={"tools": "set"}) as data:
        assert data.schema["tools"].type == "set"
        assert {column.name: str(column.type) for column in data.profile()}["tools"] == "set"
        assert data.to_arrow().column("tools").to_pylist()[0] == "r;spss"


def test_init_says_how_columns_may_be_written(tmp_path: Path) -> None:
    described(tmp_path / "t.tsv", [[f"{i % 28 + 1:02}/{13 + i % 2}/2016", "x"] for i in range(5)], ["no_day", "x"])
    described(tmp_path / "t.tsv", [[f"{i % 28 + 1:02}/11/2016", f"{i},5"] for i in range(30)], ["day", "amount"])
    text = actions.init(tmp_path / "t.tsv", tmp_path / "p.yaml").read_text()
    assert "type: date(d/m/Y)" in text and "type: decimal(comma)" in text


def test_types_with_forms_are_saved_and_given_again(tmp_path: Path) -> None:
    described(tmp_path / "t.tsv", [[f"{i % 28 + 1:02}/11/2016", f"{i},5"] for i in range(30)], ["day", "amount"])
    types = {"day": "date(d/m/Y)", "amount": "decimal(comma)"}
    actions.inspect(tmp_path / "t.tsv", types=types, save_types=tmp_path / "types.json")
    with az.open(tmp_path / "t.tsv", types=tmp_path / "types.json") as data:
        assert [str(column.type) for column in data.schema] == ["date", "decimal"]


def test_a_form_is_refused_of_a_database(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    import sqlite3

    with sqlite3.connect(tmp_path / "d.db") as db:
        db.execute("CREATE TABLE t (day TEXT)")
        db.execute("INSERT INTO t VALUES ('16/11/2016')")
    with pytest.raises(az.SchemaError, match=r"date\(d/m/Y\)"):
        az.open(f"sqlite:///{tmp_path}/d.db", table="t", types={"day": "date(d/m/Y)"})


def test_pandas_categories_and_time_zones_come_back() -> None:
    when = pd.date_range("2024-03-30", periods=12, freq="h", tz="Europe/Madrid")
    size = pd.Categorical(["s", "m", "l"] * 4, categories=["s", "m", "l"], ordered=True)
    frame = pd.DataFrame({"age": [30] * 12, "when": when, "size": size})
    release = az.anonymize(
        frame, roles={"age": "quasi-identifier"}, hierarchies={"age": {"flat": True}}, privacy=az.KAnonymity(3),
        others="release", seed=1,
    )  # fmt: skip
    found = release.frame
    assert str(found["when"].dt.tz) == "Europe/Madrid"
    assert sorted(found["when"]) == sorted(frame["when"])
    assert list(found["size"].cat.categories) == ["s", "m", "l"] and found["size"].cat.ordered


def test_a_release_to_a_place_elsewhere_is_refused_on_this_machine(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [30] * 5})
    release = az.anonymize(
        frame, roles={"age": "quasi-identifier"}, hierarchies={"age": {"flat": True}}, privacy=az.KAnonymity(3)
    )
    with pytest.raises(az.InputError, match="s3://"):
        release.save("s3://bucket/out")
