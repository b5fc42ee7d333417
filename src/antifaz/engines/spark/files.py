"""What lies at a place that Spark opens: its files, on any store that Hadoop knows, and the first bytes of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.engines.spark.errors import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKED = (".gz", ".bz2", ".zst", ".deflate", ".snappy", ".lz4")


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


@dataclass(frozen=True)
class Listing:
    """The files at a place, by address; `partitioned` is whether folders called name=value hold them."""

    files: tuple[StoredFile, ...]
    partitioned: bool


def list_files(session: SparkSession, place: str) -> Listing:
    """Return the files at a place, a path, a folder or a pattern; raise if there are none."""
    java: Any = session.sparkContext._jvm
    files: list[StoredFile] = []
    with spark_errors(Message("spark.not-opened", place=place)):
        path = java.org.apache.hadoop.fs.Path(place)
        store = java.org.apache.hadoop.fs.FileSystem.newInstance(path.toUri(), _impatient(session))
        try:
            partitioned = [_walk(store, status, files, place, top=True) for status in store.globStatus(path) or ()]
        finally:
            store.close()
    if not partitioned:
        raise DataError("file.not-found", file=place)
    if not files:
        raise DataError("spark.folder-without-data", place=place)
    kept = sorted((file for file in files if file.size), key=lambda file: file.path)
    if not kept:
        raise DataError("file.empty", file=place)
    return Listing(tuple(kept), any(partitioned))


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


def _impatient(session: SparkSession) -> Any:
    """Return Hadoop's settings with a few tries to connect instead of minutes of them."""
    java: Any = session.sparkContext._jvm
    settings = java.org.apache.hadoop.conf.Configuration(session.sparkContext._jsc.hadoopConfiguration())
    for key in ("ipc.client.connect.max.retries", "ipc.client.connect.max.retries.on.timeouts"):
        settings.setInt(key, 1)
    settings.setInt("ipc.client.connect.timeout", 5000)
    return settings


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
