"""Where a data set lives (a file handed over, a file of this machine, a table of a database) and how it is read."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from urllib.parse import quote as percent

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import InputError, ParameterError, hint
from antifaz.core.messages import with_changed_texts
from antifaz.core.types import SIZED_TEXT, DataType
from antifaz.engines.dialects import databases
from antifaz.service.errors import NotAllowed
from antifaz.service.vault import DecryptedFile, Vault
from antifaz.sources.missing_codes import MissingKey
from antifaz.sources.repairs import RepairName
from antifaz.sources.written_forms import PATTERN

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


class Reading(BaseModel):
    """How a file or table is to be read; what is left out is found from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str | None = Field(default=None, description="csv, json, jsonl, parquet or xlsx.")
    delimiter: str | None = Field(default=None, description="One or more characters between columns.")
    quote: str | None = Field(default=None, description="The quote character; '' if quotes mean nothing.")
    encoding: str | None = Field(default=None, description="Such as utf-8 or cp1252.")
    header: bool | None = Field(default=None, description="Whether the first line names the columns.")
    missing: MissingKey = Field(
        default=(), description="Texts that mean missing, beside the empty field: for all columns, or by column."
    )
    sheet: str | None = Field(default=None, description="The sheet of a workbook.")
    widths: dict[Annotated[str, Field(max_length=1000)], Annotated[int, Field(ge=1, le=100_000)]] | None = Field(
        default=None, description="Of text of fixed width: its columns in order, and how many characters each has."
    )
    repair: tuple[RepairName, ...] = Field(default=(), description="The names of the repairs that may be made.")
    types: dict[str, DataType | Annotated[str, Field(pattern=f"{SIZED_TEXT}|{PATTERN}")]] = Field(
        default_factory=dict, description="How columns are to be understood; text may have a length: text(5)."
    )

    @classmethod
    def parse(cls, options: Mapping[str, Any] | None) -> "Reading":
        """Take what was said, or say in one sentence what is wrong with it."""
        if options is not None and not isinstance(options, Mapping):
            raise InputError("service.options-not-a-mapping")
        try:
            return cls(**{str(key): value for key, value in (options or {}).items()})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            if first["type"] == "extra_forbidden":
                raise InputError("service.unknown-option", key=key, hint=hint(key, cls.model_fields)) from None
            raise InputError("service.option-wrong", key=key, reason=first["msg"].lower()) from None

    def as_source(self) -> dict[str, Any]:
        """Return what a project file says of it under `source`; types are said of the attributes."""
        return self.model_dump(mode="json", exclude={"types"}, exclude_none=True, exclude_defaults=True)

    def as_open_options(self) -> dict[str, Any]:
        """Return the options of `open_data`."""
        return self.as_source() | {"types": dict(self.types)}


class DatasetSource(ABC):
    """Where the rows of a data set come from."""

    #: How large it is, where that is known.
    bytes: int | None = None

    @abstractmethod
    def location(self) -> dict[str, Any]:
        """Return where it is, as the `source` of a project file."""

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Return what another process needs to read it."""
        source = self.location() | reading.as_source()
        types = {column: str(kind) for column, kind in reading.types.items()}
        again = {"name": name, "origin": origin, "source": source, "types": types}
        return DatasetReference(name=name, origin=origin, source=source, types=types, again=again)

    def open_spec(self, reading: Reading, inputs: ExitStack) -> tuple[dict[str, Any], list[int]]:
        """Return what a worker needs to open it, and the open files that it inherits; `inputs` closes them."""
        return {"place": self.location(), "reading": reading.model_dump(mode="json", exclude_none=True)}, []

    def erase(self) -> list[ErasedPart]:
        """Erase what is ours of it, and say what is gone."""
        return []


class UploadedFile(DatasetSource):
    """A file that was handed over, in the vault; its name is for showing only."""

    def __init__(self, vault: Vault, id: str, name: str, size: int) -> None:
        self._vault, self._id, self._name = vault, id, name
        self.bytes = size

    def open_spec(self, reading: Reading, inputs: ExitStack) -> tuple[dict[str, Any], list[int]]:
        """Return the same, with its bytes in memory as an open file."""
        spec, _ = super().open_spec(reading, inputs)
        fd = inputs.enter_context(self._vault.decrypted(self._id)).fd
        return spec | {"fd": fd}, [fd]

    def location(self) -> dict[str, Any]:
        """Its name."""
        return {"path": self._name}

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Give its bytes in memory, to a child that is given their number; what was made up is made again by its id."""
        reference = super().reference(name, origin, reading)
        content = partial(self._vault.decrypted, self._id)
        return replace(reference, content=content, again=reference.again if origin == "example" else None)

    def erase(self) -> list[ErasedPart]:
        """Forget its key and remove it."""
        return [{"what": "the uploaded file and its key", "gone": self._vault.erase(self._id)}]


def with_file_name(message: Any, path: Path, name: str) -> Any:
    """Return a message that says the name that the person knows, instead of a path in memory."""
    return with_changed_texts(message, lambda text: text.replace(str(path), name).replace(path.name, name))


class LocalFile(DatasetSource):
    """A file of this machine; it stays where it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with suppress(OSError, ValueError):
            self.bytes = path.stat().st_size if path.is_file() else None

    def location(self) -> dict[str, Any]:
        """Its path."""
        return {"path": str(self.path)}


class DatabaseSource(DatasetSource):
    """A table of a database; the password is in memory only."""

    def __init__(self, url: str, table: str, schema: str | None, password: str | None) -> None:
        self.url, self.table, self.schema, self._password = url, table, schema, password

    def open_spec(self, reading: Reading, inputs: ExitStack) -> tuple[dict[str, Any], list[int]]:
        """Tell the process that opens it the password, which is in no file and on no command line."""
        spec, files = super().open_spec(reading, inputs)
        return spec | {"password": self._password}, files

    def location(self) -> dict[str, Any]:
        """The address and the table."""
        return {"url": self.url, "table": self.table, **({"schema": self.schema} if self.schema else {})}

    def reference(self, name: str, origin: Origin, reading: Reading) -> DatasetReference:
        """Give the address, and the password apart from it."""
        return replace(super().reference(name, origin, reading), password=self._password)


def restored_reference(again: Mapping[str, Any]) -> DatasetReference:
    """Return a data set after a restart; a password, which nobody wrote down, must be at hand again."""
    return DatasetReference(**{key: again[key] for key in ("name", "origin", "source", "types")}, again=again)


def address(
    kind: str, *, host: str | None, port: int | None, database: str, user: str | None, tls: bool = False
) -> str:
    """Put the address of a database together from its fields; nothing in a field can become another part."""
    if is_file(kind):
        return f"{kind}:///{percent(str(Path(database).absolute()))}"
    name = host or "localhost"
    if not _HOST.fullmatch(name):
        raise InputError("service.host-wrong")
    who = f"{percent(user, safe='')}@" if user else ""
    where = (f"[{name}]" if ":" in name else name) + (f":{port}" if port else "")
    secured = databases()[kind].secured
    if tls and not secured:
        raise InputError("service.no-encrypted-connection", kind=kind)
    return f"{kind}://{who}{where}/{percent(database, safe='')}{f'?{secured}' if tls else ''}"


def is_file(kind: str) -> bool:
    """Say whether a database of a kind is a file of the machine; raise for a kind that there is not."""
    if kind not in databases():
        raise ParameterError("database.unknown-kind", scheme=kind, hint=hint(kind, databases()))
    return not databases()[kind].port


def allowed_path(path: str, root: Path | None, *, shared: bool) -> Path:
    """Return the file of this machine that somebody names: below `root` if one is told; a shared service needs one."""
    if shared and root is None:
        raise NotAllowed("web.no-files-of-machine")
    try:
        named = Path(path).expanduser()
        resolved, whole = named.resolve(), named.is_absolute()
        inside = root is None or resolved.is_relative_to(root.resolve())
    except (OSError, ValueError, RuntimeError):
        raise InputError("web.path-wrong") from None
    if not whole:
        raise InputError("web.path-not-whole")
    if not inside:
        raise NotAllowed("web.file-outside-folder")
    return resolved


def again_of(references: Mapping[str, DatasetReference]) -> dict[str, Any] | None:
    """Return how to come by the data after a restart; what is bound to nothing is where the project's file says."""
    again = {
        name: None if each.again is None else {"origin": each.origin, **each.again} for name, each in references.items()
    }
    return None if None in again.values() else again
