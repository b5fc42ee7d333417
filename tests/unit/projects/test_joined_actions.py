"""Several tables of the same people, checked together: by hand, from the library's use case and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from antifaz.cli.judge import verify
from antifaz.core.errors import ParameterError, SchemaError
from antifaz.projects.actions import verify_joined
from failing import failing

PEOPLE = "id,age\nA,30\nB,30\nC,30\n"
#: A and B come in January, in other spellings of their keys; C does not come.
VISITS = "patient,month,ward\n a,1,x\nb ,1,y\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("columns", "rows", "achieved", "failing_people"),
    [
        (["month"], 1, 2, 0),  # 30: all; January: A and B
        (["month"], 2, 2, 0),  # 30 and January: A and B
        (["month"], "all", 1, 1),  # 30 and nothing else: C
        (["month", "ward"], 1, 1, 2),  # each ward: one
    ],
)
def test_k_in_the_join_is_what_is_counted_by_hand(
    folder: Path, columns: list[str], rows: int | str, achieved: int, failing_people: int
) -> None:
    found = verify_joined([("people.csv", "id", ["age"]), ("visits.csv", "patient", columns)], 2, rows)
    assert (found["people"], found["achieved"], found["failing"]) == (3, achieved, failing_people)
    assert found["holds"] == (achieved >= 2) and found["tables"] == ["people.csv", "visits.csv"]


def test_keys_that_are_numbers_are_the_same_people_in_both_tables(folder: Path) -> None:
    """Numbers are in another order than their texts: 9 before 10."""
    (folder / "people.csv").write_text("id,age\n9,30\n10,30\n100,40\n2,40\n", encoding="utf-8")
    (folder / "visits.csv").write_text("patient,month\n9,1\n10,1\n100,2\n2,2\n", encoding="utf-8")
    found = verify_joined([("people.csv", "id", ["age"]), ("visits.csv", "patient", ["month"])], 2, "all")
    assert (found["people"], found["achieved"], found["holds"]) == (4, 2, True)


def test_what_can_t_be_checked_is_refused(folder: Path) -> None:
    with failing("verify.table-twice", ParameterError, table="people.csv"):
        verify_joined([("people.csv", "id", ["age"])] * 2, 2)
    with pytest.raises(SchemaError):
        verify_joined([("people.csv", "id", ["age"]), ("visits.csv", "who", ["month"])], 2)


def test_on_the_command_line(folder: Path) -> None:
    asked = ["people.csv", "--qi", "age", "--k", "2", "--table", "visits.csv", "patient", "month"]
    done = CliRunner().invoke(verify, [*asked, "--person", "id", "--rows", "2", "--json"])
    assert (done.exit_code, json.loads(done.stdout)["joined"]["achieved"]) == (0, 2)
    failed = CliRunner().invoke(verify, [*asked, "--person", "id", "--rows", "all"])
    assert failed.exit_code == 1
    assert "in all tables together: reached 1, 1 of 3 people fail" in " ".join(failed.output.split())
    for wrong in ([], ["--person", "id", "--known", "1"]):
        assert CliRunner().invoke(verify, [*asked, *wrong]).exit_code == 2
