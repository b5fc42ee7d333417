"""All or nothing: a folder of files is put in place whole, or not at all.

The files are written to a private folder beside the target, forced to the disk, and the folder is renamed
into place. Where an earlier release stands there, the two are exchanged in one step, so that whoever looks sees
the complete old release or the complete new one, also when the process is killed or the power fails.

The private folder itself is locked (`FolderLock`; not a file inside it: the lock must not be
published, nor be let go a moment before the rename). A private folder that nobody has locked was left by a killed
process, and the next one to publish beside it removes it. On a filesystem without locks (NFS) it is left where it
is: removing what another machine may be writing would be worse.
"""

import ctypes
import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from antifaz.core.errors import InputError
from antifaz.core.files import sync_file, sync_folder, system_reason
from antifaz.core.locks import FolderLock, remove_loose_lock
from antifaz.core.messages import Message

#: The files that a release may consist of; a folder that holds anything else is never replaced.
RELEASE_FILE = re.compile(r"release\.[^/]+|evidence\.json|report\.(html|pdf)|record\.json")
#: The folder of rows that were written in parts, and the parts.
PARTS = re.compile(r"release\.(csv|tsv|parquet)")
PART = re.compile(r"part-[^/]+")

_LEFTOVER = re.compile(
    r"\.(?P<target>.+)\.antifaz-(?P<kind>partial|previous)-\d+-[0-9a-f]{16}(?P<lock>\.lock)?", re.DOTALL
)
_ATTEMPTS = 100

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
#: What `renameat2` answers where it is not known, not allowed, or not possible on this filesystem.
_CAN_NOT_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, errno.EXDEV}
_OCCUPIED = {errno.ENOTEMPTY, errno.EEXIST}

#: Errors of the disk itself, which a writer may report without saying of which file.
_DISK = {
    errno.ENOSPC: Message("release.disk-full"),
    errno.EDQUOT: Message("release.quota-used-up"),
    errno.EFBIG: Message("release.file-too-large"),
    errno.EIO: Message("release.disk-error"),
    errno.EROFS: Message("release.disk-read-only"),
}
_WORDS = _DISK | {
    errno.EACCES: Message("release.not-permitted"),
    errno.EPERM: Message("release.not-permitted"),
    errno.EBUSY: Message("release.in-use"),
    errno.ENAMETOOLONG: Message("release.name-too-long"),
    errno.ENOTDIR: Message("release.path-has-a-file"),
    errno.EEXIST: Message("release.path-has-a-file"),
}


class Staging:
    """A private folder that becomes the target when `publish` is called, and vanishes otherwise."""

    def __init__(self, folder: Path, target: Path) -> None:
        """Made by `staging`."""
        self.folder = folder
        self.target = target
        self.published = False

    def write_text(self, name: str, text: str) -> None:
        """Write one of the documents that go with the rows."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one of the documents that are no text."""
        (self.folder / name).write_bytes(content)

    def table(self, name: str) -> "Staging":
        """Return the place of one of several tables in this folder; it is published with the whole."""
        own = Staging(self.folder / name, self.target / name)
        own.folder.mkdir(mode=0o700)
        own.published = True  # by the whole
        return own

    def publish(self, mode: int = 0o600) -> None:
        """Put the folder in the target's place, its files with `mode`; a second call does nothing."""
        if self.published:
            return
        with _in_words(self.target):
            strange = _strange(self.folder)
            if strange:  # the next release could not replace it
                raise InputError("release.strange-files", count=strange)
            _sync_files(self.folder, mode)
            self._take_place()
            self.published = True
            sync_folder(self.target.parent)
        # After an exchange the old release is what stands here.
        shutil.rmtree(self.folder, ignore_errors=True)

    def _take_place(self) -> None:
        for _ in range(_ATTEMPTS):
            _refuse_unfit(self.target)
            try:
                self.folder.rename(self.target)  # where nothing is, or an empty folder
                return
            except OSError as error:
                if error.errno not in _OCCUPIED:
                    raise
            with suppress(FileNotFoundError):  # the target went away in between: again
                if _exchange(self.folder, self.target) or _replace_in_two_steps(self.folder, self.target):
                    return
        raise InputError("release.target-changes-all-the-time", target=self.target)


@contextmanager
def staging(target: Path) -> Iterator[Staging]:
    """Give a private folder beside the target to write a release into; call `publish` to put it in place.

    Leaving the block without `publish`, or by an exception, removes the folder and leaves the target as it was.
    Disk errors come out as an `InputError` in words. Raises at once for a target that can't be replaced.
    """
    place = _place(target)
    with _in_words(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        clean_leftovers(place.parent)
        _refuse_unfit(place)
        folder, lock = _private_folder(place)
    try:
        with _in_words(place, within=folder):
            yield Staging(folder, place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def clean_leftovers(parent: Path) -> None:
    """Remove what killed processes left in this folder; what living ones are writing stays."""
    try:
        names = [entry.name for entry in parent.iterdir()]
    except OSError:
        return  # the writing that follows says better what is wrong
    for name in names:
        match = _LEFTOVER.fullmatch(name)
        if match and match["lock"]:
            remove_loose_lock(parent / name)
        elif match and match["kind"] == "partial":
            _remove_if_abandoned(parent / name)
        elif match:
            _settle_previous(parent / name, parent / match["target"])


def _place(target: Path) -> Path:
    """Return the target with its parents resolved, but not itself: a link there is refused, not followed."""
    if target.name in ("", ".."):
        target = target.resolve()
    if not target.name:
        raise InputError("release.target-not-replaceable", target=target)
    return target.parent.resolve() / target.name


def _refuse_unfit(target: Path) -> None:
    if target.is_symlink():
        raise InputError("release.target-is-a-link", target=target)
    try:
        strange = _strange(target)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InputError("release.target-is-a-file", name=target) from None
    if strange:
        what = Message("release.holds-strange-files", count=strange)
        raise InputError("release.target-not-free", name=target, what=what)


def _strange(folder: Path, tables: bool = True) -> int:
    """Return how many entries of the folder are neither files of a release nor named by its evidence."""
    with os.scandir(folder) as entries:
        strange = [entry for entry in entries if not _is_ours(entry)]
    names, file = _named(folder) if strange else (frozenset(), None)
    ours = (
        (tables and entry.name in names and _is_release(entry))
        or (entry.name == file and entry.is_file(follow_symlinks=False))
        for entry in strange
    )
    return sum(not own for own in ours)


def _named(folder: Path) -> tuple[frozenset[str], str | None]:
    """Return the tables and the file that a folder's evidence speaks of: only what is called so was made with it."""
    try:
        document = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return frozenset(), None
    tables, released = (document.get(key) if isinstance(document, dict) else None for key in ("tables", "released"))
    file = released.get("file") if isinstance(released, dict) else None
    return frozenset(tables) if isinstance(tables, dict) else frozenset(), file


def _is_release(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is the folder of one table's release."""
    return entry.is_dir(follow_symlinks=False) and not _strange(Path(entry.path), tables=False)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    if entry.is_dir(follow_symlinks=False):
        # Engines that write side by side leave a folder of parts.
        with os.scandir(entry.path) as entries:
            parts = [bool(PART.fullmatch(part.name)) and part.is_file(follow_symlinks=False) for part in entries]
        return bool(PARTS.fullmatch(entry.name) and parts) and all(parts)
    return entry.is_file(follow_symlinks=False) and bool(RELEASE_FILE.fullmatch(entry.name))


def _sibling(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.antifaz-{kind}-{os.getpid()}-{secrets.token_hex(8)}")


def _private_folder(target: Path) -> tuple[Path, FolderLock]:
    """Make the private folder and lock it; return it with its lock."""
    while True:
        folder = _sibling(target, "partial")
        folder.mkdir(mode=0o700)
        # In the instant before it is locked, a process that cleans may take it for a leftover: then again.
        with suppress(FileNotFoundError):
            lock = FolderLock(folder)
            if _is_free(lock, unknown=True) and lock.is_of_folder():
                return folder, lock
            lock.close()


def _is_free(lock: FolderLock, *, unknown: bool) -> bool:
    """Lock without waiting and say whether that worked; `unknown` is the answer where the filesystem has no locks."""
    try:
        return lock.take()
    except OSError:
        return unknown


def _remove_if_abandoned(folder: Path) -> None:
    try:
        lock = FolderLock(folder)
    except OSError:
        return  # gone, not a folder, or not ours to remove
    try:
        if _is_free(lock, unknown=False) and lock.is_of_folder():
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        lock.close()


def _settle_previous(previous: Path, target: Path) -> None:
    """Finish or undo a replacement in two steps that was killed; harmless if it is still going on."""
    if os.path.lexists(target):
        shutil.rmtree(previous, ignore_errors=True)
    else:
        with suppress(OSError):  # its owner, or another, was faster
            previous.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; return False where the system or the filesystem can't."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # Windows has no library without a name
        return False
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CAN_NOT_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number))


def _replace_in_two_steps(folder: Path, target: Path) -> bool:
    """Move the old away and the new in; the next start mends a kill in between (`_settle_previous`)."""
    previous = _sibling(target, "previous")
    target.rename(previous)
    try:
        folder.rename(target)
    except OSError as error:
        with suppress(OSError):
            previous.rename(target)
        if error.errno not in _OCCUPIED:
            raise
        return False
    shutil.rmtree(previous, ignore_errors=True)
    return True


def _sync_files(folder: Path, mode: int) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            _sync_files(path, mode)
            continue
        sync_file(path, mode)
    folder.chmod(mode | 0o700 | (mode & 0o444) >> 2)  # whoever may read the files may enter the folder
    sync_folder(folder)


@contextmanager
def _in_words(target: Path, within: Path | None = None) -> Iterator[None]:
    """Reword an OSError; with `within`, only one that is of the disk or of a file in there."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        here = within is None or str(error.filename or "").startswith(f"{within}{os.sep}")
        if not here and number not in _DISK:
            raise
        why = _WORDS.get(number) or system_reason(error)
        raise InputError("release.target-not-writable", target=target, why=why) from None
