"""Data sets by ids: whose they are, what is said of them, what happens when several are open, and erasing."""

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import AntifazError, InputError
from antifaz.service import datasets as module
from antifaz.service.dataset_sources import LocalFile
from antifaz.service.errors import NotFound
from antifaz.service.examples import make_example
from failing import failing, like, near
from unit.service.uploading import kept


def test_a_file_is_understood_and_described(vault, data):
    found = data.add("ana", "people.csv", "upload", kept(vault, b"age;sex\n1;f\n22;\n"))
    assert (found["rows"], found["bytes"], found["origin"]) == (2, 16, "upload")
    assert found["options"]["delimiter"] == ";"
    assert [column["type"] for column in found["columns"]] == ["integer", "text"]
    assert found["columns"][1]["missing"] == 1
    assert found["notes"][0].startswith("people.csv: delimiter ;")


def test_a_parquet_file_and_a_workbook_are_read_from_memory(vault, data, tmp_path):
    import openpyxl

    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append([7])
    book.save(tmp_path / "a.xlsx")
    for name, rows in (("a.parquet", 2), ("a.xlsx", 1)):
        assert data.add("ana", name, "upload", kept(vault, (tmp_path / name).read_bytes(), name))["rows"] == rows
    jsonl = kept(vault, b'{"a": "x"}\n{"a": "y"}\n', "a.jsonl")
    assert data.add("ana", "a.jsonl", "upload", jsonl)["rows"] == 2


def test_what_can_not_be_read_is_said_by_the_name_people_know_and_nothing_is_kept(vault, data):
    with failing("csv.record-wrong", file="people.csv", words=like("csv.ragged-record", line=2)) as caught:
        data.add("ana", "people.csv", "upload", kept(vault, b"a,b\nCANARY,2,3\n"))
    assert "CANARY" not in str(caught.value)
    assert list(vault.folder.iterdir()) == []
    assert data.all("ana") == []


def test_check_31_a_damaged_archive_is_refused(vault, data):
    with failing("compressed.damaged"):
        data.add("ana", "bomb.zip", "upload", kept(vault, b"PK\3\4" + b"\0" * 100, "bomb.zip"))
    with pytest.raises(AntifazError):
        data.add("ana", "bomb.csv", "upload", kept(vault, b"PK\3\4" + b"\0" * 100, "bomb.csv"))


def test_nobody_sees_what_is_somebody_elses(vault, data):
    id = data.add("ana", "a", "example", make_example(vault, "six-people"))["id"]
    assert data.all("ben") == []
    for ask in (
        lambda: data.get("ben", id),
        lambda: data.rows("ben", id, start=0, count=1),
        lambda: data.change("ben", id, name="mine"),
        lambda: data.erase("ben", id),
        lambda: data.reference(id, "ben"),
    ):
        with pytest.raises(NotFound):
            ask()
    assert data.get("ana", id)["name"] == "a"


def test_options_are_tried_before_they_are_kept(vault, data):
    id = data.add("ana", "a.csv", "upload", kept(vault, b"007;x\n008;y\n"))["id"]
    assert data.change("ana", id, options={"header": False})["rows"] == 2
    with pytest.raises(InputError):
        data.change("ana", id, options={"delimiter": "no line\nends"})
    with failing("service.unknown-option", InputError, hint=near("delimiter")):
        data.change("ana", id, options={"delimter": ";"})
    found = data.change("ana", id, options={"header": False, "types": {"column_1": "text"}, "missing": ["y"]})
    assert found["columns"][1]["missing"] == 1
    assert data.rows("ana", id, start=0, count=9)["rows"] == [["007", "x"], ["008", None]]


def test_more_data_sets_than_may_be_open_are_opened_again_when_asked_for(vault, data):
    ids = [data.add("ana", f"{i}", "example", make_example(vault, "six-people"))["id"] for i in range(module.OPEN + 2)]
    opened = [found for found in data._known.values() if found.data is not None]
    assert len(opened) == module.OPEN
    for id in ids:
        assert len(data.rows("ana", id, start=0, count=10)["rows"]) == 6
    assert sum(found.data is not None for found in data._known.values()) == module.OPEN


def test_many_who_ask_at_once_all_get_their_rows(vault, data):
    ids = [data.add("ana", f"{i}", "example", make_example(vault, "people", 500))["id"] for i in range(4)]
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(data.rows, "ana", id, start=i, count=5) for i in range(10) for id in ids]
        assert all(len(one.result()["rows"]) == 5 for one in asked)


def test_what_is_erased_is_gone_but_a_file_of_the_machine_stays(vault, data, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    opened = data.add("ana", "mine.csv", "path", LocalFile(path))["id"]
    uploaded = data.add("ana", "a.csv", "upload", kept(vault, b"a,b\n1,2\n"))["id"]
    assert all(one["gone"] for one in data.erase("ana", uploaded))
    data.erase("ana", opened)
    assert path.exists()
    assert list(vault.folder.iterdir()) == []
    with pytest.raises(NotFound):
        data.get("ana", uploaded)
