"""Locks that end with the process, however it ends. This is the one place that asks the system for them.

Linux and macOS lock an open file or folder (`flock`). Windows locks bytes of an open file and opens no folders: there
the lock of a folder is a file beside it.
"""

import errno
import importlib
import os
from contextlib import suppress
from pathlib import Path
from time import sleep

#: What ends the name of the file that stands for the lock of a folder.
SUFFIX = ".lock"
#: What Windows answers where another has the lock.
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_PAUSE = 0.05
#: A link in the place of a file is not followed, where the system can be asked for that.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def take_lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file; say whether that worked, or wait until it does. An `OSError` says that it can't be locked."""
    try:
        import fcntl
    except ImportError:
        return _take_byte(descriptor, wait)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _take_byte(descriptor: int, wait: bool) -> bool:
    try:
        windows = importlib.import_module("msvcrt")
    except ImportError:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP)) from None
    while True:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            windows.locking(descriptor, windows.LK_NBLCK, 1)
            return True
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
        if not wait:
            return False
        sleep(_PAUSE)


def make_lock_file(path: Path) -> int:
    """Make a file to be locked, which only its owner can read; return its descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600)


def remove_lock_file(descriptor: int, path: Path) -> None:
    """Remove a file that was made to be locked, and let go of it."""
    with suppress(OSError):  # Windows removes no file that is open
        path.unlink()
    os.close(descriptor)
    with suppress(OSError):
        path.unlink()


def is_held(path: Path) -> bool:
    """Say whether a living process has a file locked; the file of a dead one is removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | NO_LINK)
    except OSError:
        return False
    try:
        if not take_lock(descriptor):
            return True
        with suppress(PermissionError):  # Windows removes no file that is open
            path.unlink(missing_ok=True)
    except OSError:
        return True  # where the system can't tell, nobody is declared dead
    finally:
        os.close(descriptor)
    with suppress(OSError):
        path.unlink()
    return False


class FolderLock:
    """What the lock of a folder is held by. Closing it, or the end of the process, lets go."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, or the file beside it; nothing is locked yet."""
        self._folder = self._place = folder
        if hasattr(os, "O_DIRECTORY"):
            self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
            return
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        self._place = folder.with_name(f"{folder.name}{SUFFIX}")
        self._descriptor = os.open(self._place, os.O_RDWR | os.O_CREAT, 0o600)

    def take(self, *, wait: bool = False) -> bool:
        """Lock it as `take_lock` does."""
        return take_lock(self._descriptor, wait=wait)

    def is_of_folder(self) -> bool:
        """Say whether the folder is still the one that was opened."""
        try:
            return self._folder.is_dir() and os.path.samestat(os.fstat(self._descriptor), self._place.lstat())
        except OSError:
            return False

    def close(self) -> None:
        """Let go; a second call does nothing."""
        if self._descriptor < 0:
            return
        os.close(self._descriptor)
        self._descriptor = -1
        if self._place != self._folder:
            remove_loose_lock(self._place)


def remove_loose_lock(path: Path) -> None:
    """Remove the file that stood for the lock of a folder, if the folder is gone; one that is open stays on Windows."""
    if not path.with_name(path.name.removesuffix(SUFFIX)).exists():
        with suppress(OSError):
            path.unlink()
