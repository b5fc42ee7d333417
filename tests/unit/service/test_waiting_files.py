"""Files that wait: looked at as often as somebody likes, opened once, and nobody else's."""

import pytest

from antifaz.service import waiting_files
from antifaz.service.dataset_sources import LocalFile
from antifaz.service.errors import NotFound
from antifaz.service.waiting_files import WaitingFiles
from failing import failing
from unit.service.uploading import kept

ODD = b"Informe de mayo\n\nname;age;pay\nAna;31;1.200,50\nEva;?\nLeo;40;3,5\n\nTotal;71;1204\n"


@pytest.fixture
def files(data):
    return WaitingFiles(data)


def test_a_file_is_looked_at_repaired_and_opened(vault, data, files):
    id = files.add("ana", "odd.csv", "upload", kept(vault, ODD, "odd.csv"))["id"]
    found = files.look("ana", id, None)
    assert found["preview"] is None
    assert (found["fault"]["code"], found["fault"]["line"], found["fault"]["columns"]) == ("csv.record-wrong", 3, [2])
    assert (found["fault"]["reason"], set(found["fault"]["values"])) == ("csv.ragged-record", {"fields", "width"})
    assert "odd.csv" in found["fault"]["message"] and "Ana" not in found["fault"]["message"]
    offered = {repair["name"]: repair["chosen"] for repair in found["repairs"]}
    assert offered == {"title-lines": False, "blank-lines": False, "short-rows": False}
    assert [line["cells"] for line in found["lines"]][3] == ["Ana", "31", "1.200,50"]

    # Some of them are not enough: the next fault is told, by its line of the file.
    some = files.look("ana", id, {"repair": ["title-lines"]})
    assert (some["fault"]["line"], some["fault"]["columns"]) == (5, [2])
    assert [one["name"] for one in some["repairs"] if one["chosen"]] == ["title-lines"]
    with failing("file.repairable"):
        files.open("ana", id, {"repair": ["title-lines"]})

    options = {"repair": ["title-lines", "blank-lines", "short-rows"]}
    ready = files.look("ana", id, options)
    assert (ready["fault"], ready["preview"]["total"], ready["preview"]["width"]) == (None, 4, 3)
    assert ready["preview"]["rows"][1] == ["Eva", "?", None]
    # A line of totals can be read, so leaving it out is a choice, too.
    assert {one["name"]: one["chosen"] for one in ready["repairs"]}["totals-line"] is False
    pay = ready["preview"]["columns"][2]
    assert (pay["name"], pay["forms"]) == ("pay", ["decimal(comma)"])
    assert [one["code"] for one in ready["preview"]["columns"][1]["codes"]] == ["?"]

    told = {
        "repair": [*options["repair"], "totals-line"],
        "types": {"pay": "decimal(comma)"},
        "missing": {"age": ["?"]},
    }
    last = files.look("ana", id, told)["preview"]
    made = files.open("ana", id, told)
    assert (last["total"], made["rows"]) == (3, 3)
    assert [column["type"] for column in last["columns"]] == [column["type"] for column in made["columns"]]
    assert [column["type"] for column in made["columns"]] == ["text", "integer", "decimal"]
    assert data.rows("ana", made["id"], start=0, count=9)["rows"] == last["rows"]
    with pytest.raises(NotFound):
        files.look("ana", id, None)
    data.erase("ana", made["id"])
    assert list(vault.folder.iterdir()) == []


def test_nobody_sees_what_is_somebody_elses_and_the_oldest_makes_room(vault, files, tmp_path):
    ids = [files.add("ana", f"{i}.csv", "upload", kept(vault, b"a\n1\n"))["id"] for i in range(waiting_files.MOST + 1)]
    assert len(list(vault.folder.iterdir())) == waiting_files.MOST
    for ask in (files.look, files.open):
        with pytest.raises(NotFound):
            ask("ana", ids[0], None)
        with pytest.raises(NotFound):
            ask("ben", ids[1], None)
    with pytest.raises(NotFound):
        files.erase("ben", ids[1])
    assert files.erase_all("ben") == []
    own = tmp_path / "own.csv"
    own.write_text("a\n1\n", encoding="utf-8")
    files.add("ana", "own.csv", "path", LocalFile(own))
    assert all(part["gone"] for part in files.erase_all("ana"))
    assert (list(vault.folder.iterdir()), own.exists()) == ([], True)


def test_what_is_no_table_is_said_and_what_is_asked_wrongly_is_refused(vault, files):
    id = files.add("ana", "photo.csv", "upload", kept(vault, b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "photo.csv"))[
        "id"
    ]
    found = files.look("ana", id, None)
    assert (found["lines"], found["sheets"], found["repairs"]) == ([], [], [])
    assert found["fault"]["code"] == "encoding.file-of-another-kind"
    with failing("service.unknown-option"):
        files.look("ana", id, {"delimter": ";"})
