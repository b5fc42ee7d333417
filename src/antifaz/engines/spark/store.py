"""Files where Spark has them: what lies on any store that Hadoop reaches, and releases published there whole.

A release is written to a private folder beside the target and renamed into place. On HDFS and on disks a rename is one
step; an object store (s3a://) copies file by file, so that whoever looks meanwhile may see a part of the release. A
private folder that a killed process left behind stays: nothing on a store tells whether another machine still writes.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

from pyspark.sql import SparkSession

from antifaz.core.errors import DataError, InputError
from antifaz.core.messages import Message
from antifaz.engines.spark.frames import SparkTable, spark_errors

_PACKED = (".gz", ".bz2", ".zst", ".deflate", ".snappy", ".lz4")
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
        self._session = session
        named = f"file:{place.resolve()}" if isinstance(place, Path) else str(place)
        with spark_errors(Message("spark.store-not-usable")):
            self._hadoop = session._jvm.org.apache.hadoop.fs
            path = self._hadoop.Path(named)
            found = path.getFileSystem(session._jsc.hadoopConfiguration())
            self.path = found.makeQualified(path)
            self.name = str(self.path.toString())
            # The file system of a disk would keep a file of checksums beside each; its raw form does not.
            self._files = found.getRawFileSystem() if self.path.toUri().getScheme() == "file" else found

    def parts(self) -> list[tuple[str, int, int]]:
        """Return the name, the size and the time of each file with rows, in the order of their names."""
        with spark_errors(Message("spark.store-not-readable")):
            if not self._files.exists(self.path):
                raise DataError("table.no-file-to-check", file=self.path.getName())
            found = [(str(f.getPath().getName()), f.getLen(), f.getModificationTime()) for f in self._list()]
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
        entries = sorted(self._list(), key=lambda entry: str(entry.getPath().getName()))
        self._allow(self.path, "700")
        number = count()
        for entry in entries:
            # A part without rows has no header either, and would be no table.
            if entry.getPath().getName().startswith((".", "_")) or entry.getLen() == 0:
                self._files.delete(entry.getPath(), True)
                continue
            part = self._hadoop.Path(self.path, f"part-{next(number):05d}.{format}")
            self._move(entry.getPath(), part)
            self._allow(part, "600")

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one file into the folder."""
        path = self._hadoop.Path(self.path, name)
        stream = self._files.create(path, True)
        try:
            stream.write(content)
        finally:
            stream.close()
        self._allow(path, "600")

    def make_private(self) -> "Store":
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
        entries = [(str(entry.getPath().getName()), entry.isDirectory()) for entry in self._list()]
        strange = sum(not _ROWS.fullmatch(name) and (folder or name not in _DOCUMENTS) for name, folder in entries)
        if strange:
            message = Message("release.holds-strange-files", count=strange)
            raise InputError("release.target-not-free", name=self.name, what=message)
        return True

    def replace_by(self, new: "Store") -> None:
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

    def _beside(self, kind: str) -> "Store":
        name = f".{self.path.getName()}.antifaz-{kind}-{secrets.token_hex(8)}"
        return Store(self._session, self._hadoop.Path(self.path.getParent(), name).toString())

    def _list(self) -> list[Any]:
        return list(self._files.listStatus(self.path))

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


@dataclass(frozen=True)
class StoredFile:
    """One file: its address, size in bytes, and name."""

    path: str
    size: int

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.path.rstrip("/").rsplit("/", 1)[-1]

    @property
    def packed(self) -> bool:
        """Whether the name says that the file is compressed."""
        return self.name.lower().endswith(_PACKED)

    @property
    def suffix(self) -> str:
        """The ending of the name, without that of a compression."""
        path = PurePosixPath(self.name.lower())
        return (PurePosixPath(path.stem) if path.suffix in _PACKED else path).suffix


def list_files(session: SparkSession, place: str) -> tuple[tuple[StoredFile, ...], bool]:
    """Return the files at a path, a folder or a pattern, by address, and whether folders called name=value hold them.

    Without any file it raises.
    """
    java: Any = session.sparkContext._jvm
    files: list[StoredFile] = []
    with spark_errors(Message("spark.not-opened", place=place)):
        path = java.org.apache.hadoop.fs.Path(place)
        settings = java.org.apache.hadoop.conf.Configuration(session.sparkContext._jsc.hadoopConfiguration())
        # A few tries to connect instead of minutes of them.
        for key in ("ipc.client.connect.max.retries", "ipc.client.connect.max.retries.on.timeouts"):
            settings.setInt(key, 1)
        settings.setInt("ipc.client.connect.timeout", 5000)
        store = java.org.apache.hadoop.fs.FileSystem.newInstance(path.toUri(), settings)
        try:
            partitioned = [_walk(store, status, files, place, top=True) for status in store.globStatus(path) or ()]
        finally:
            store.close()
    if not partitioned:
        raise DataError("file.not-found", file=place)
    if not files:
        raise DataError("spark.folder-without-data", place=place)
    filled = tuple(sorted((file for file in files if file.size), key=lambda file: file.path))
    if not filled:
        raise DataError("file.empty", file=place)
    return filled, any(partitioned)


def absolute(session: SparkSession, place: str) -> str:
    """Return a plain path as seen from where Python runs; Java may have been started in another folder."""
    if "://" in place or place.startswith("file:"):
        return place
    default = str(session.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///"))
    return str(Path(place).absolute()) if default.startswith("file:") else place


def head(session: SparkSession, file: StoredFile, size: int) -> bytes:
    """Return the first bytes of a file, unpacked."""
    java: Any = session.sparkContext._jvm
    with spark_errors(Message("spark.not-opened", place=file.name)):
        path = java.org.apache.hadoop.fs.Path(file.path)
        configuration = session.sparkContext._jsc.hadoopConfiguration()
        stream = path.getFileSystem(configuration).open(path)
        try:
            codec = java.org.apache.hadoop.io.compress.CompressionCodecFactory(configuration).getCodec(path)
            return bytes((codec.createInputStream(stream) if codec else stream).readNBytes(size))
        finally:
            stream.close()


def _walk(store: Any, status: Any, files: list[StoredFile], place: str, *, top: bool) -> bool:
    """Add the files below; say whether they lie in folders called name=value."""
    name = status.getPath().getName()
    if not top and name.startswith(("_", ".")):
        return False
    if not status.isDirectory():
        files.append(StoredFile(status.getPath().toString(), int(status.getLen())))
        return False
    if not top and "=" not in name:
        raise DataError("spark.folders-in-folders", place=place, place2=place.rstrip("/"))
    inside = [_walk(store, inner, files, place, top=False) for inner in store.listStatus(status.getPath())]
    return not top or any(inside)
