"""Text of fixed width, read by a list of columns, or refused with the line."""

import gzip
from pathlib import Path

import pytest

import antifaz as az
from antifaz.projects import actions
from failing import failing

LINES = ["0001Núñez     31", "0002López", "0003Gil Díaz 142"]
WIDTHS = {"id": 4, "name": 10, "age": 3}


def written(path: Path, lines: list[str], encoding: str = "latin-1") -> Path:
    path.write_bytes("\r\n".join([*lines, ""]).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig", "utf-16"])
def test_columns_begin_where_they_are_told_to(tmp_path: Path, encoding: str) -> None:
    lines = ["0001Núñez      31", "0002López", "0003Gil Díaz   42"]
    with az.open(written(tmp_path / "people.txt", lines, encoding), widths=WIDTHS) as data:
        assert data.to_arrow().to_pydict() == {
            "id": ["0001", "0002", "0003"], "name": ["Núñez", "López", "Gil Díaz"], "age": ["31", None, "42"],
        }  # fmt: skip
        assert str(data.schema["age"].type) == "integer"


def test_a_header_line_is_left_out_and_a_compressed_file_opens(tmp_path: Path) -> None:
    path = written(tmp_path / "people.txt", ["id  name      age", *LINES])
    (tmp_path / "people.txt.gz").write_bytes(gzip.compress(path.read_bytes()))
    with az.open(tmp_path / "people.txt.gz", widths=WIDTHS, header=True) as data:
        assert data.rows == 3


@pytest.mark.parametrize(
    ("line", "code"),
    [("0004Nobody      1234", "fixed.line-too-long"), ("", "fixed.line-wrong"), ("0004\tX", "fixed.line-wrong")],
)
def test_a_line_that_does_not_fit_is_refused_with_its_place(tmp_path: Path, line: str, code: str) -> None:
    path = written(tmp_path / "people.txt", [LINES[0], line, LINES[2]])
    with failing(code, az.DataError, line=2):
        az.open(path, widths=WIDTHS)


def test_without_widths_it_is_said_what_the_file_may_be(tmp_path: Path) -> None:
    lines = [
        f"{i:04}{name:<10}{age:>3}" for i, name, age in ((1, "Ana", 31), (2, "Luis", 4), (3, "Eva", 50), (4, "Bo", 7))
    ]
    for some, said in ((lines, True), (lines[:3], False), ([*lines, "short"], False), (["a,b", *["1, 2"] * 4], False)):
        with az.open(written(tmp_path / "people.txt", some)) as data:
            assert ("note.fixed-width" in [getattr(note, "code", "") for note in data.notes]) is said


def test_widths_must_be_told(tmp_path: Path) -> None:
    with failing("fixed.widths-wrong", az.DataError):
        az.open(written(tmp_path / "people.txt", LINES), format="fixed")


def test_a_project_of_a_file_of_fixed_width_runs(tmp_path: Path) -> None:
    written(tmp_path / "people.txt", [f"{i:04}Name{i:06}{30 + i % 3:3}" for i in range(30)])
    text = actions.init(tmp_path / "people.txt", tmp_path / "p.yaml", widths=WIDTHS).read_text()
    assert "widths" in text
    (tmp_path / "p.yaml").write_text("""
antifaz: 1
source: {path: people.txt, widths: {id: 4, name: 10, age: 3}}
attributes:
  id: {role: identifier}
  name: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {flat: true}}
privacy: [{model: k-anonymity, k: 3}]
""")
    assert actions.run(tmp_path / "p.yaml")["rows"]["released"] == 30
