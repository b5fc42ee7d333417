"""In which encoding a file is written: found out, or given."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import DataError
from antifaz.engines.local.data import open_local
from antifaz.sources.encodings import codec_name
from failing import failing, like


def write(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_given_utf8_names_the_place(tmp_path: Path) -> None:
    path = write(tmp_path, b"a,b\n1,2\n3,\xff\n")
    with failing("csv.record-wrong", DataError, words=like("csv.byte-not-utf-8", line=3, column=2)):
        open_local(path, encoding="utf-8")


def test_a_given_encoding_that_does_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, b"a,b\n1,2\n3,\x81\n")
    with failing("csv.encoding-wrong", DataError, encoding="cp1252", at=10, line=3):
        open_local(path, encoding="cp1252")
    with failing("encoding.unknown", DataError, encoding="klingon"):
        open_local(path, encoding="klingon")


def test_late_invalid_byte_is_found(tmp_path: Path) -> None:
    """The head is ASCII; the encoding shows only megabytes later."""
    path = write(tmp_path, b"a,b\n" + b"x,y\n" * 1_000_000 + b"Pe\xf1a,z\n")
    with open_local(path) as data:
        assert "cp1252" in data.notes[0]
        assert data.to_arrow().column("a")[-1].as_py() == "Peña"


@pytest.mark.parametrize("encoding", ["hex", "rot13", "base64", "zlib", "no-such", "a\0b"])
def test_check_23_what_is_no_encoding_of_text_is_said(encoding):
    with failing("encoding.unknown", DataError):
        codec_name(encoding)
