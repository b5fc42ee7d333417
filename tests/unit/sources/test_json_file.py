"""JSON: exact, or refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import DataError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local

CANARY = "Kanarienvogel"


def write(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_json_numbers_stay_as_written(tmp_path: Path) -> None:
    first = '{"a": 1.10, "b": 9007199254740993, "z": "007", "d": "2020-01-02", "t": true}'
    text = f'[{first},\n {{"b": 2, "c": null, "t": false}}]'
    with open_local(write(tmp_path, text, "t.json")) as data:
        assert data.to_arrow().to_pylist() == [
            {"a": "1.10", "b": "9007199254740993", "z": "007", "d": "2020-01-02", "t": "true", "c": None},
            {"a": None, "b": "2", "z": None, "d": None, "t": "false", "c": None},
        ]
        assert [c.type.value for c in data.schema] == ["decimal", "integer", "text", "date", "boolean", "text"]


def test_json_text_is_never_a_number(tmp_path: Path) -> None:
    with open_local(write(tmp_path, '[{"a": "12"}, {"a": "13"}]', "t.json")) as data:
        assert data.schema["a"].type is DataType.TEXT


def test_json_lines(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.ndjson"):
        with open_local(write(tmp_path, '\ufeff{"a": 1}\n\n{"a": -0.50, "b": "x\\ny"}\r\n', name)) as data:
            assert data.to_arrow().to_pylist() == [{"a": "1", "b": None}, {"a": "-0.50", "b": "x\ny"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"a": 1}, {"a": Kanarienvogel}]', "line 1, column 18: this is not JSON"),
        ('{"a": 1}', "must be an array"),
        ("[1, 2]", "record 1: every record must be an object"),
        ('[{"a": 1}, {"a": "Kanarienvogel"}]', "record 2, key 'a': a text where earlier records have a number"),
        ('[{"a": {"b": "Kanarienvogel"}}]', "record 1, key 'a': a list or object"),
        ('[{"a": 1, "a": 2}]', "same key twice"),
        ('[{"a": 1, "A": 2}]', "columns 1, 2 have the same name"),
        ('[{"a": NaN}]', "NaN"),
        ("[]", "no records"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ('[{"a": "\\ud800"}]', "could not be read"),
    ],
)
def test_json_refused(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=words) as caught:
        open_local(write(tmp_path, text, "t.json"))
    assert CANARY not in str(caught.value)


def test_json_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 3, column 7"):
        open_local(write(tmp_path, '{"a": 1}\n\n{"a": }\n', "t.jsonl"))
