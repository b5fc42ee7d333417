"""Files where Spark has them: any store that Hadoop's file systems reach, and releases published there whole.

A release is written to a private folder beside the target and renamed into place. On HDFS and on disks a rename is one
step; an object store (s3a://) copies file by file, so that whoever looks meanwhile may see a part of the release. A
private folder that a killed process left behind stays: nothing on a store tells whether another machine still writes.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import DataError, InputError
from antifaz.core.messages import Message
from antifaz.engines.spark.errors import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from antifaz.engines.spark.table import SparkTable

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:/")
#: The documents of a release; beside them it has the rows, a file or a folder of parts.
_DOCUMENTS = frozenset({"evidence.json", "report.html", "report.pdf", "record.json"})
_ROWS = re.compile(r"release\.[^/]+")


def child(folder: Any, name: str) -> Any:
    """Return a place in a folder, which is a path of this machine or an address."""
    return folder / name if isinstance(folder, Path) else f"{str(folder).rstrip('/')}/{name}"


class Store:
    """One place on a store, and what can be done there."""

    def __init__(self, session: SparkSession, place: Any) -> None:
        """Find the file system of the place: a `Path` is of this machine, text without a scheme of the cluster."""
        named = f"file:{place.resolve()}" if isinstance(place, Path) else str(place)
        with spark_errors(Message("spark.store-not-usable")):
            self._hadoop = session._jvm.org.apache.hadoop.fs
            path = self._hadoop.Path(named)
            found = path.getFileSystem(session._jsc.hadoopConfiguration())
            self.path = found.makeQualified(path)
            # The file system of a disk would keep a file of checksums beside each; its raw form does not.
            self._files = found.getRawFileSystem() if self.path.toUri().getScheme() == "file" else found

    @property
    def name(self) -> str:
        """The whole address."""
        return str(self.path.toString())

    def parts(self) -> list[tuple[str, int, int]]:
        """Return the name, the size and the time of each file with rows, in the order of their names."""
        with spark_errors(Message("spark.store-not-readable")):
            if not self._files.exists(self.path):
                raise DataError("table.no-file-to-check", file=self.path.getName())
            found = [(str(f.getPath().getName()), f.getLen(), f.getModificationTime()) for f in self._list(self.path)]
        return sorted(part for part in found if not part[0].startswith((".", "_")))

    def head(self, name: str, size: int) -> bytes:
        """Return the first bytes of a file in the folder."""
        stream = self._files.open(self._hadoop.Path(self.path, name))
        try:
            return bytes(stream.readNBytes(size))
        finally:
            stream.close()

    def tidy(self, format: str) -> None:
        """Leave nothing but parts: named after their format, and readable by their owner only."""
        entries = sorted(self._list(self.path), key=lambda entry: str(entry.getPath().getName()))
        self._allow(self.path, "700")
        kept = 0
        for entry in entries:
            # A part without rows has no header either, and would be no table.
            if entry.getPath().getName().startswith((".", "_")) or entry.getLen() == 0:
                self._files.delete(entry.getPath(), True)
                continue
            part = self._hadoop.Path(self.path, f"part-{kept:05d}.{format}")
            self._move(entry.getPath(), part)
            self._allow(part, "600")
            kept += 1

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one file into the folder."""
        path = self._hadoop.Path(self.path, name)
        stream = self._files.create(path, True)
        try:
            stream.write(content)
        finally:
            stream.close()
        self._allow(path, "600")

    def make_private(self) -> Store:
        """Make a folder beside this place that nobody else may enter, and return it."""
        made = self._beside("partial")
        if not self._files.mkdirs(made.path):
            raise InputError("spark.store-makes-no-folder", name=self.name)
        self._allow(made.path, "700")
        return made

    def refuse_unfit(self) -> bool:
        """Raise where something other than a release stands; return whether anything does."""
        if not self._files.exists(self.path):
            return False
        if not self._files.getFileStatus(self.path).isDirectory():
            raise InputError("release.target-is-a-file", name=self.name)
        strange = sum(not self._fits(entry) for entry in self._list(self.path))
        if strange:
            message = Message("release.holds-strange-files", count=strange)
            raise InputError("release.target-not-free", name=self.name, what=message)
        return True

    def replace_by(self, new: Store) -> None:
        """Put another folder in this place; an earlier release makes room, and comes back if that fails."""
        if not self.refuse_unfit():
            self._move(new.path, self.path)
            return
        old = self._beside("previous")
        self._move(self.path, old.path)
        try:
            self._move(new.path, self.path)
        except BaseException:
            self._move(old.path, self.path)
            raise
        old.remove()

    def remove(self) -> None:
        """Remove the place and all in it."""
        self._files.delete(self.path, True)

    def _beside(self, kind: str) -> Store:
        other = object.__new__(Store)
        other._hadoop, other._files = self._hadoop, self._files
        name = f".{self.path.getName()}.antifaz-{kind}-{secrets.token_hex(8)}"
        other.path = self._hadoop.Path(self.path.getParent(), name)
        return other

    def _fits(self, entry: Any) -> bool:
        name = str(entry.getPath().getName())
        return bool(_ROWS.fullmatch(name)) or (name in _DOCUMENTS and not entry.isDirectory())

    def _list(self, path: Any) -> list[Any]:
        return list(self._files.listStatus(path))

    def _move(self, one: Any, other: Any) -> None:
        # Where the other exists, a rename would move into it, or replace it, as the store likes.
        if self._files.exists(other) or not self._files.rename(one, other):
            raise InputError("spark.store-does-not-rename", name=self.name)

    def _allow(self, path: Any, mode: str) -> None:
        self._files.setPermission(path, self._hadoop.permission.FsPermission(mode))


class StoreStage:
    """A private folder on a store that becomes the target when `publish` is called, and vanishes otherwise."""

    def __init__(self, target: Store, made: Store) -> None:
        """Made by `stage`."""
        self._target, self._made = target, made
        self.folder = made.name
        self.published = False

    def write_text(self, name: str, text: str) -> None:
        """Write one of the documents that go with the rows."""
        self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one of the documents that are no text."""
        with spark_errors(Message("spark.not-written", target=self._target.name)):
            self._made.write_bytes(name, content)

    def publish(self) -> None:
        """Put the folder in the target's place; a second call does nothing."""
        if not self.published:
            with spark_errors(Message("spark.not-written", target=self._target.name)):
                self._target.replace_by(self._made)
            self.published = True


def stage(data: SparkTable, folder: Any) -> AbstractContextManager[StoreStage] | None:
    """Give a private folder on the store of an address, or of the cluster; None for a path where all is one machine."""
    addressed = isinstance(folder, str) and bool(_SCHEME.match(folder))
    if not addressed and str(data.session.sparkContext.master).startswith("local"):
        return None
    return _staged(Store(data.session, str(folder)))


@contextmanager
def _staged(target: Store) -> Iterator[StoreStage]:
    if not target.path.getName():
        raise InputError("release.target-not-replaceable", target=target.name)
    with spark_errors(Message("spark.not-written", target=target.name)):
        target.refuse_unfit()
        made = target.make_private()
    staged = StoreStage(target, made)
    try:
        yield staged
    finally:
        if not staged.published:
            with suppress(Exception):  # whatever ended the work is what must be heard of
                made.remove()
