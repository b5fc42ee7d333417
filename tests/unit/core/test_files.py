"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import InputError
from antifaz.core.files import file_sha256, json_text, replace_file, system_reason, write_bytes, write_text
from failing import failing


def test_a_file_is_replaced_and_its_owner_alone_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"old")
    path.chmod(0o644)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stays_where_the_new_one_does_not_come_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_made_and_text_is_utf_8(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b" / "page.html", "año")
    assert (tmp_path / "a" / "b" / "page.html").read_bytes() == b"a\xc3\xb1o"


def test_where_nothing_can_be_written_the_path_and_the_reason_are_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "file" / "x" / "y", "Not a directory")):
        with failing("file.not-writable", InputError, path=str(path), reason=reason):
            write_bytes(path, b"")


def test_a_file_that_others_may_read_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new", 0o640)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)


def test_the_hash_of_a_file_is_that_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")  # the example of FIPS 180-2
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_sha256(tmp_path / "abc") == digest


def test_json_is_indented_and_keeps_its_letters() -> None:
    assert json_text({"name": "añ", "n": [1]}) == '{\n  "name": "añ",\n  "n": [\n    1\n  ]\n}\n'


def test_the_reason_of_the_system_names_no_path() -> None:
    assert system_reason(OSError(28, "whatever", "/secret/path")) == "no space left on device"
    assert getattr(system_reason(OSError("told by nobody")), "code", None) == "release.system-error"
