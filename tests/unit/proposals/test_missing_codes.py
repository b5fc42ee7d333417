"""Which values are proposed as missing, and which are not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.proposals.missing_codes import missing_codes


def proposed(values: list[str | None]) -> dict[str, tuple[int, str]]:
    with az.open(pa.table({"v": pa.array(values, pa.string())})) as data:
        return {code.code: (code.count, code.reason.code) for code in missing_codes(data).get("v", [])}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["34", "NA", "31", "NA", None], {"NA": (2, "reason.missing-word-among-numbers")}),
        (["2020-01-01", "?"], {"?": (1, "reason.missing-word-among-numbers")}),
        (["flu", "N/D", "asthma", " n/d "], {"N/D": (1, "reason.missing-word"), "n/d": (1, "reason.missing-word")}),
        (["34", "99", "31", "99"], {"99": (2, "reason.missing-number")}),
        (["34", "91", "99", "31"], {}),
        (["0", "1", "-9", "2"], {"-9": (1, "reason.missing-number")}),
        (["0", "-3", "-9", "2"], {}),
        (["1", "2", "98", "99"], {"98": (1, "reason.missing-number"), "99": (1, "reason.missing-number")}),
        (
            ["1", "2", "NULL", "999"],
            {"NULL": (1, "reason.missing-word-among-numbers"), "999": (1, "reason.missing-number")},
        ),
        (["NY", "NC", "ND", "CA", "TX"], {}),
        (["NA", "NA"], {}),
        (["Nan", "Ana", "Luis"], {"Nan": (1, "reason.missing-word")}),
        (["true", "false"], {}),
        ([], {}),
    ],
)
def test_what_is_proposed(values: list[str | None], expected: dict[str, tuple[int, str]]) -> None:
    assert proposed(values) == expected


def test_a_proposal_is_a_comment_in_the_project_and_nothing_is_taken(tmp_path: Path) -> None:
    from antifaz.projects import actions

    (tmp_path / "t.csv").write_text("age,town\n" + "34,Vigo\n31,?\n99,Lugo\n" * 10, "utf-8")
    found = actions.inspect(tmp_path / "t.csv")
    assert [[code["code"] for code in column["missing_codes"]] for column in found["columns"]] == [["99"], ["?"]]
    assert [column["missing"] for column in found["columns"]] == [0, 0]
    text = actions.init(tmp_path / "t.csv", tmp_path / "project.yaml").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if "may mean missing" in line]
    assert line.startswith("#")
    assert line.endswith('missing: {age: ["99"], town: ["?"]}')
