"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import InputError
from antifaz.core.files import replace_file, write_bytes, write_text
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
