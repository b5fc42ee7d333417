"""Where a data set lives: a file that was handed over, a file of this machine, a table of a database."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote as percent

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import with_changed_texts
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data
from antifaz.service.errors import NotAllowed
from antifaz.service.reading_options import Reading
from antifaz.service.vault import DecryptedFile, Vault

Origin = Literal["upload", "path", "database", "example"]
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,255}")


class ErasedPart(TypedDict):
    """One thing that was erased, and whether it is gone."""

    what: str
    where: NotRequired[str]
    gone: bool


@dataclass(frozen=True, kw_only=True)
class DatasetReference:
    """Where a data set is and how it is read, for the process that works on it."""

    #: What it is called; the end of it says how a file is read.
    name: str
    origin: Origin
    #: As the `source` of a project file: of what was uploaded or made up, the path is only its name.
    source: Mapping[str, Any]
    #: How columns are to be understood, where a person said so.
    types: Mapping[str, str] = field(default_factory=dict)
    #: Decrypts what was uploaded into memory for as long as a block lasts; None where the source can be reached.
    content: Callable[[], AbstractContextManager[DecryptedFile]] | None = None
    password: str | None = field(default=None, repr=False)
    #: How to find it again after a restart, without data and passwords; None where that can't be.
    again: Mapping[str, Any] | None = None


class DatasetSource(ABC):
    """Where the rows of a data set come from."""

    #: How large it is, where that is known.
    bytes: int | None = None

    @abstractmethod
    def open(self, reading: Reading, memory: str | None) -> Data:
        """Open it."""

    @abstractmethod
    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Return what another process needs to read it."""

    def erase(self) -> list[ErasedPart]:
        """Erase what is ours of it, and say what is gone."""
        return []


class UploadedFile(DatasetSource):
    """A file that was handed over, in the vault; its name is for showing only."""

    def __init__(self, vault: Vault, id: str, name: str, size: int) -> None:
        """Take over a file of the vault."""
        self._vault, self._id, self._name = vault, id, name
        self.bytes = size

    def open(self, reading: Reading, memory: str | None) -> Data:
        """Read it into the engine's own store; its bytes are forgotten again."""
        with self._vault.decrypted(self._id, Path(self._name).suffix.lower()) as found:
            try:
                data = open_data(found.path, memory=memory, **reading.as_open_options())
            except AntifazError as error:
                error.args = (with_changed_texts(error.message, partial(self._named, path=found.path)),)
                raise
            data.notes = [with_changed_texts(note, partial(self._named, path=found.path)) for note in data.notes]
        return data

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Give its bytes in memory, to a child that is given their number."""
        source = {"path": self._name, **reading.as_source()}
        content = partial(self._vault.decrypted, self._id)
        # What was made up is made again by its id.
        again = _again(name, origin, source, reading) if origin == "example" else None
        return DatasetReference(
            name=name, origin=origin, source=source, types=_types(reading), content=content, again=again
        )

    def erase(self) -> list[ErasedPart]:
        """Forget its key and remove it."""
        return [{"what": "the uploaded file and its key", "gone": self._vault.erase(self._id)}]

    def _named(self, text: str, path: Path) -> str:
        """Say the name that the person knows."""
        return text.replace(str(path), self._name).replace(path.name, self._name)


class LocalFile(DatasetSource):
    """A file of this machine; it stays where it is."""

    def __init__(self, path: Path) -> None:
        """Take the path of a file."""
        self.path = path
        try:
            self.bytes = path.stat().st_size if path.is_file() else None
        except (OSError, ValueError):
            self.bytes = None

    def open(self, reading: Reading, memory: str | None) -> Data:
        """Read it into the engine's own store."""
        return open_data(self.path, engine="local", memory=memory, **reading.as_open_options())

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Give its path."""
        source = {"path": str(self.path), **reading.as_source()}
        return DatasetReference(
            name=name, origin=origin, source=source, types=_types(reading), again=_again(name, origin, source, reading)
        )


class DatabaseSource(DatasetSource):
    """A table of a database; the password is in memory only."""

    def __init__(self, url: str, table: str, schema: str | None, password: str | None) -> None:
        """Take an address without a password, and the password."""
        self.url, self.table, self.schema, self._password = url, table, schema, password

    def open(self, reading: Reading, memory: str | None) -> Data:
        """Connect; rows stay there."""
        told = reading.as_open_options()
        types, missing = told.pop("types"), told.pop("missing", ())
        if told:
            raise InputError("service.table-takes-no-option", told=next(iter(told)))
        return open_data(
            self.url, engine="database", table=self.table, schema=self.schema, password=self._password or "",
            memory=memory, types=types, missing=missing,
        )  # fmt: skip

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Give the address, and the password apart from it."""
        source = {"url": self.url, "table": self.table, **({"schema": self.schema} if self.schema else {})}
        source |= reading.as_source()
        return DatasetReference(
            name=name, origin=origin, source=source, types=_types(reading), password=self._password,
            again=_again(name, origin, source, reading),
        )  # fmt: skip


def restored_reference(said: Mapping[str, Any]) -> DatasetReference:
    """Return a data set after a restart; a password, which nobody wrote down, must be at hand again."""
    return DatasetReference(
        name=str(said["name"]), origin=said["origin"], source=dict(said["source"]), types=dict(said["types"]),
        again=said,
    )  # fmt: skip


def _types(reading: Reading) -> dict[str, str]:
    return {name: str(kind) for name, kind in reading.types.items()}


def _again(name: str, origin: Origin, source: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    return {"name": name, "origin": origin, "source": dict(source), "types": _types(reading)}


def address(
    kind: str, *, host: str | None, port: int | None, database: str, user: str | None, tls: bool = False
) -> str:
    """Put the address of a database together from its fields; nothing in a field can become another part."""
    if kind in ("sqlite", "duckdb"):
        return f"{kind}:///{percent(str(Path(database).absolute()))}"
    name = host or "localhost"
    if not _HOST.fullmatch(name):
        raise InputError("service.host-wrong")
    who = f"{percent(user, safe='')}@" if user else ""
    where = f"[{name}]" if ":" in name else name
    secured = {"mariadb": "ssl_verify_cert=true", "postgresql": "sslmode=require"}[kind] if tls else ""
    return f"{kind}://{who}{where}{f':{port}' if port else ''}/{percent(database, safe='')}" + (
        f"?{secured}" if secured else ""
    )


def allowed_path(said: str, root: Path | None, *, shared: bool) -> Path:
    """Return the file of this machine that somebody names: below `root` if one is told; a shared service needs one."""
    if shared and root is None:
        raise NotAllowed("web.no-files-of-machine")
    try:
        found = Path(said).expanduser().resolve()
        inside = root is None or found.is_relative_to(root.resolve())
        whole = Path(said).expanduser().is_absolute()
    except (OSError, ValueError, RuntimeError):
        raise InputError("web.path-wrong") from None
    if not whole:
        raise InputError("web.path-not-whole")
    if not inside:
        raise NotAllowed("web.file-outside-folder")
    return found


def tables_of(url: str, schema: str | None, password: str | None) -> list[str]:
    """Return the names of the tables and views of a database."""
    from antifaz.engines.opening import tables_of as listed

    return listed(url, schema=schema, password=password or "")
