"""Files in object stores and on web servers: s3://, gs://, hdfs:// and https://, only where a person names the place.

Rights come from where the tools of each store look for them: AWS_… and ~/.aws, GOOGLE_APPLICATION_CREDENTIALS,
Kerberos, ~/.netrc; an address holds none.
"""

import io
import os
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from antifaz.core.errors import DataError, silence
from antifaz.core.files import SystemPath
from antifaz.sources.place_address import Place, parse_place

_PERMITTED = ("access_denied", "access denied", "forbidden", "permission", "unauthorized", "invalid_access_key",
              "signature_does_not_match", "credential", "expired", "http status 401", "http status 403")  # fmt: skip
_FOUND = ("no_such", "not_found", "not found", "does not exist", "no such", "http status 404", "resource_not_found")
_REACHED = ("network", "curl", "connect", "timeout", "timed out", "resolve", "unreachable", "ssl")


class RemotePath(SystemPath):
    """The path of a file elsewhere, called as its address ends; it is read through its store."""

    place: Place
    #: What a web server calls the file.
    told_name: str | None = None
    #: Its size and time when it was opened first.
    seen: tuple[int, int] | None = None

    @classmethod
    def of(cls, address: str) -> "RemotePath":
        """Take an address."""
        place = parse_place(address)
        made = cls(place.name)
        made.place = place
        return made

    @property
    def name(self) -> str:
        """What the file is called."""
        return self.told_name or self.place.name

    @property
    def web(self) -> bool:
        """Whether it is on a web server, from which a file is read once, as a whole."""
        return self.place.scheme.startswith("http")

    def open(  # type: ignore[override]  # of the many signatures of a path, one
        self, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None
    ) -> IO[Any]:
        """Open the file to be read from its beginning; one that changed since it was opened first is refused."""
        file = io.BufferedReader(
            _RemoteBytes(self._web_file() if self.web else self._store_file(), self.place), 1 << 20
        )
        return file if "b" in mode else io.TextIOWrapper(file, encoding, errors, newline)

    def _store_file(self) -> Any:
        with place_errors(self.place):
            store = store_of(self.place)
            info = store.get_file_info(self.place.inner)
            if info.type.name == "NotFound":
                raise DataError("place.not-found", place=self.place.shown)
            if info.type.name == "Directory":
                raise DataError("file.is-a-folder", path=self.place.shown)
            if not info.size:
                raise DataError("file.empty", file=self.name)
            self.seen = self.seen or (info.size, info.mtime_ns)
            if self.seen != (info.size, info.mtime_ns):
                raise DataError("place.changed", place=self.place.shown)
            return store.open_input_stream(self.place.inner)

    def _web_file(self) -> Any:
        from antifaz.sources.web_requests import open_address  # here: it brings HTTP and TLS

        with place_errors(self.place):
            response = open_address(self.place, timeout=60)
        if "html" in response.headers.get_content_type() and self.suffix.lower() not in (".html", ".htm"):
            response.close()
            raise DataError("place.is-a-page", place=self.place.shown)
        self.told_name = Path(response.headers.get_filename() or "").name or None
        return response


class _RemoteBytes(io.RawIOBase):
    """The bytes of a file elsewhere; errors are worded."""

    def __init__(self, file: Any, place: Place) -> None:
        self._file, self._place = file, place

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with place_errors(self._place):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            with suppress(OSError):
                self._file.close()
        super().close()


@contextmanager
def place_errors(place: Place) -> Iterator[None]:
    """Turn the errors of stores and of the network into a sentence: theirs quote addresses, keys and answers."""
    try:
        yield
    except (OSError, pa.ArrowException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            text = f"http status {error.code}"
            error.close()
        else:
            text = f"{type(error).__name__} {error}".lower()
        silence(error)
        code = next((code for code, signs in _REASONS.items() if any(sign in text for sign in signs)), "place.failed")
        raise DataError(code, place=place.shown) from None


_REASONS = {
    "place.needs-hadoop": ("libhdfs", "libjvm", "unable to load", "hadoop"),
    "place.certificate": ("certificate",),
    "place.not-permitted": _PERMITTED,
    "place.not-found": _FOUND,
    "place.not-reached": _REACHED,
}


def store_of(place: Place) -> Any:
    """Return the file system of a store, with the rights of the environment."""
    from pyarrow import fs

    if place.scheme == "s3":
        return fs.S3FileSystem(**_s3(place.host))
    if place.scheme == "gs":
        host = os.environ.get("STORAGE_EMULATOR_HOST", "")
        return fs.GcsFileSystem(
            anonymous=_unsigned("GS"), retry_time_limit=timedelta(seconds=60), **(_endpoint(host) if host else {})
        )
    return fs.HadoopFileSystem.from_uri(f"hdfs://{place.host}")


def _s3(bucket: str) -> dict[str, Any]:
    from pyarrow import fs

    given = os.environ
    options: dict[str, Any] = {"connect_timeout": 10, "request_timeout": 60, "anonymous": _unsigned("AWS")}
    options["retry_strategy"] = fs.AwsStandardS3RetryStrategy(max_attempts=3)
    endpoint = given.get("AWS_ENDPOINT_URL_S3") or given.get("AWS_ENDPOINT_URL")
    region = given.get("AWS_REGION") or given.get("AWS_DEFAULT_REGION")
    if endpoint:
        return options | _endpoint(endpoint) | {"region": region or "us-east-1"}
    return options | {"region": region or fs.resolve_s3_region(bucket)}


def _endpoint(address: str) -> dict[str, str]:
    scheme, sign, host = address.rpartition("://")
    return {"endpoint_override": host.rstrip("/"), "scheme": scheme if sign else "http"}


def _unsigned(store: str) -> bool:
    """Say whether somebody wants to come without a name, as to public buckets."""
    return os.environ.get(f"{store}_NO_SIGN_REQUEST", "").lower() in ("1", "yes", "true", "on")
