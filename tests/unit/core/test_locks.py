"""Locks end with their process, and mean the same where folders can be opened and where they can't (Windows)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer
from types import SimpleNamespace

import pytest

from antifaz.core import locks
from antifaz.core.locks import FolderLock, is_held, make_lock_file, remove_lock_file, take_lock
from e2e.without_unix import _locking

HOLDER = """
import sys, time
from pathlib import Path
from antifaz.core.locks import make_lock_file, take_lock
assert take_lock(make_lock_file(Path(sys.argv[1])))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["unix", "windows"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to lock; that of Windows is imitated (`without_unix`)."""
    if request.param == "windows":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=_locking))
        monkeypatch.delattr(os, "O_DIRECTORY")
        monkeypatch.setattr(locks, "NO_LINK", 0)
    return str(request.param)


def test_a_file_is_locked_by_one_at_a_time(tmp_path: Path, system: str) -> None:
    path = tmp_path / "key"
    first = make_lock_file(path)
    assert take_lock(first)
    second = os.open(path, os.O_RDWR)
    assert not take_lock(second)
    assert is_held(path) and path.exists()
    Timer(0.2, os.close, [first]).start()
    assert take_lock(second, wait=True)
    remove_lock_file(second, path)
    assert not path.exists()
    assert not is_held(path)


def test_a_killed_process_holds_nothing_and_its_file_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        assert is_held(path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert not is_held(path)
    assert not path.exists()


def test_a_folder_is_locked_and_nothing_is_left_beside_it(tmp_path: Path, system: str) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    first, second = FolderLock(folder), FolderLock(folder)
    assert first.take() and not second.take()
    assert first.is_of_folder()
    assert list(folder.iterdir()) == []  # what is published holds no lock
    folder.rename(tmp_path / "published")
    assert not first.is_of_folder()
    first.close()
    first.close()
    second.close()
    assert [path.name for path in tmp_path.iterdir()] == ["published"]
    with pytest.raises(FileNotFoundError):
        FolderLock(folder)


def test_where_nothing_locks_the_system_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fcntl", "msvcrt"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "key"
    descriptor = make_lock_file(path)
    with pytest.raises(OSError, match="not supported"):
        take_lock(descriptor)
    assert is_held(path)  # nobody is declared dead
    remove_lock_file(descriptor, path)
