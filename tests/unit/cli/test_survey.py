"""The risk of a survey on the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from click.testing import CliRunner

from antifaz.cli.judge import assess
from antifaz.cli.survey import survey_table

BEFORE = pa.table({"age": [31, 32, 31, 45], "sex": ["f", "f", "m", "m"], "w": [10, 20, 5, 5], "h": [1, 1, 2, 2]})
AFTER = BEFORE.set_column(0, "age", pa.array(["[30, 40)"] * 3 + ["[40, 50)"]))


def test_nothing_measured_is_a_table_without_rows() -> None:
    assert survey_table({}).row_count == 0
    assert survey_table({"survey": {"before": None, "after": {"uniques": 3}}}).row_count == 1


def test_the_command_shows_it(tmp_path: Path) -> None:
    pa.csv.write_csv(BEFORE, tmp_path / "before.csv")
    pa.csv.write_csv(AFTER, tmp_path / "after.csv")
    asked = [str(tmp_path / "before.csv"), str(tmp_path / "after.csv"), "--qi", "age,sex", "--attacks", "0"]
    asked += ["--weight", "w", "--household", "h", "--html", str(tmp_path / "page.html")]
    shown = CliRunner().invoke(assess, asked)
    assert shown.exit_code == 0, shown.output
    assert "household risk" in shown.output
    assert "Household risk" in (tmp_path / "page.html").read_text(encoding="utf-8")
    told = json.loads(CliRunner().invoke(assess, [*asked, "--json"]).stdout)
    assert told["survey"]["weight"] == "w"
