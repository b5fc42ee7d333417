"""The key of people is found where it repeats, and nowhere else."""

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.engines.registry import open_data
from antifaz.projects import actions
from antifaz.proposals.person import person_key

ROWS = 240


def table(key, people, name="PATIENT"):
    """Make visits of so many people; `key` writes the number of a person."""
    return pa.table(
        {
            name: [key(i % people) for i in range(ROWS)],
            "age": [20 + i % people % 60 for i in range(ROWS)],
            "sex": ["FM"[i % people % 2] for i in range(ROWS)],
            "diagnosis": [["flu", "gout", "asthma"][i % 3] for i in range(ROWS)],
        }
    )


def found(frame):
    with open_data(frame) as data:
        key = person_key(data, az.propose.roles(data))
        return None if key is None else key.value


@pytest.mark.parametrize("name", ["PATIENT", "customer_id", "nif", "paciente", "user id"])
def test_a_key_that_repeats_is_one_of_people(name):
    assert found(table(lambda i: f"{i * 7919 + 10_000_000:08d}Z", 60, name)) == name


def test_a_key_of_which_every_row_has_its_own_is_none():
    assert found(table(lambda i: f"P{i:05d}", ROWS)) is None


def test_a_number_of_few_groups_is_none():
    assert found(table(lambda i: f"P{i:05d}", 3)) is None


def test_inspect_says_that_rows_are_no_people_and_init_counts_people(tmp_path):
    import pyarrow.csv

    pyarrow.csv.write_csv(table(lambda i: f"P{i:05d}", 60), tmp_path / "visits.csv")
    inspected = actions.inspect(tmp_path / "visits.csv")
    assert inspected["person"] == "PATIENT"
    assert "reason.person-has-several-rows" in [note.code for note in inspected["notes"]]
    project = actions.init(tmp_path / "visits.csv", tmp_path / "project.yaml")
    assert "PATIENT: {role: person}" in project.read_text()
    evidence = actions.run(project)
    assert evidence["people"]["read"] == 60
    assert evidence["privacy"][0]["holds"]
