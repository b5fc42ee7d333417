"""Uploads: forms as browsers send them, and forms that nobody should send."""

import json

import pytest

from antifaz.web.uploads import shown_name

API = "/api/v1"
FORM = "multipart/form-data; boundary=x"


def part(name, content, filename=None):
    file = f'; filename="{filename}"' if filename is not None else ""
    return f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{content}\r\n'


def test_a_file_with_options_is_read(program):
    answer = program.post(
        f"{API}/datasets",
        files={"file": ("people.txt", b"a|b\n1|\xe9\n")},
        data={"options": json.dumps({"encoding": "latin-1", "types": {"a": "text"}})},
    )
    assert answer.status_code == 201
    found = answer.json()
    assert (found["name"], found["origin"], found["rows"]) == ("people.txt", "upload", 1)
    rows = program.get(f"{API}/datasets/{found['id']}/rows").json()
    assert rows == {"start": 0, "total": 1, "columns": ["a", "b"], "rows": [["1", "é"]]}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ana\\people.csv", "people.csv"),
        ("<img src=x onerror=alert(1)>.csv", "img src=x onerror=alert(1).csv"),
        ("a\0b\nc.csv", "abc.csv"),
        ("..", "upload"),
        ("", "upload"),
        ("n" * 500 + ".csv", "n" * 150 + ".csv"),
    ],
)
def test_check_31_a_name_is_for_showing_only(said, shown):
    assert shown_name(said) == shown


def test_check_21_an_upload_beyond_the_limit_is_stopped_and_nothing_is_kept(program, service):
    answer = program.post(f"{API}/datasets", files={"file": ("big.csv", b"a,b\n" + b"1,2\n" * 30_000)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")
    assert list(service.folder.private.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (FORM, ""),
        (FORM, "nonsense"),
        (FORM, "--x--\r\n"),
        (FORM, part("options", "{}") + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv")),  # cut off
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("file", "a,b", "b.csv") + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("other", "1") + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("options", "not json") + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("options", "[1]") + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("options", '{"delimter": 1}') + "--x--\r\n"),
        (FORM, part("file", "a,b\r\n1,2", "a.csv") + part("options", "[" * 100_000) + "--x--\r\n"),
        (FORM, "--x\r\n" + "a" * 100_000),
        (FORM, part("file", "", "a.csv") + "--x--\r\n"),
        ("multipart/form-data", part("file", "a", "a.csv")),
        ("multipart/form-data; boundary=" + "y" * 300, ""),
        ("application/json", "{}"),
        ("", "a,b"),
    ],
)
def test_a_form_that_is_none_is_said_so_and_nothing_is_kept(program, service, kind, body):
    for path in ("datasets", "hierarchies/import"):
        answer = program.post(f"{API}/{path}", content=body.encode(), headers={"content-type": kind})
        assert answer.status_code in (400, 413)
        assert answer.json()["error"]["code"] in ("bad-input", "too-large")
        assert list(service.folder.private.iterdir()) == []


def test_check_34_a_cell_of_the_data_is_in_no_error(program, capfd):
    wrong = [
        ("a.csv", b"a,b\nCANARY,2,3\n"), ("a.csv", b'a,b\n"CANARY,2\n'), ("a.csv", b"a\nCANARY\xff\xfe\n"),
        ("a.json", b'[{"a": "CANARY"'), ("a.json", b'{"CANARY": [1, 2'), ("a.jsonl", b'{"a": CANARY}\n'),
        ("a.parquet", b"PAR1CANARYPAR1"), ("a.xlsx", b"PK\3\4CANARY"), ("a.csv", b"a,a\nCANARY,2\n"),
    ]  # fmt: skip
    for name, content in wrong:
        for options in ({}, {"types": {"a": "integer"}}):
            answer = program.post(
                f"{API}/datasets", files={"file": (name, content)}, data={"options": json.dumps(options)}
            )
            assert answer.status_code in (201, 400)
            if answer.status_code == 400:
                assert "CANARY" not in answer.text
    said = capfd.readouterr()
    assert "CANARY" not in said.out + said.err
