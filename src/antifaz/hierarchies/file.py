"""Hierarchies in files: tables and JSON trees, read and written."""

import csv
import io
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, field_validator

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.files import replace_file
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import EncodedLevel, Hierarchy
from antifaz.hierarchies.tree import tree_copy, tree_paths


class File(HierarchyBuilder):
    """Reads the hierarchy from a table or a JSON tree, when it is built."""

    name: ClassVar[str] = "file"
    summary: ClassVar[str] = "A file: a table as ARX and Amnesia use, or a JSON tree."
    details: ClassVar[str] = (
        "A table has one line per value: the value, its label at level 1, …, the root, the same for all. The separator "
        "is found among ; , | : and tab, or told. A file that ends in .json holds a tree of {'value', 'children'}."
    )
    primary: ClassVar[str] = "path"
    needs_data: ClassVar[bool] = False

    path: Path = Field(description="Where the file is; in a project, relative to the project file.")
    delimiter: str | None = Field(default=None, description="The separator of the table; found by itself if not told.")
    encoding: str | None = Field(default=None, description="The encoding of the file; UTF-8 if not told.")
    header: bool = Field(default=False, description="Whether the first line holds names of columns.")

    @field_validator("path")
    @classmethod
    def _possible(cls, path: Path) -> Path:
        if "\0" in str(path) or not path.name:
            raise ValueError(Message("expected.path-of-a-file"))
        return path

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, delimiter: str | None) -> str | None:
        if delimiter is not None and not is_delimiter(delimiter):
            raise ValueError(Message("expected.separator"))
        return delimiter

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        try:
            b"a".decode(encoding or "utf-8")
        except UnicodeError:
            pass  # it is an encoding, in which this byte alone means nothing
        except (LookupError, ValueError):
            raise ValueError(Message("expected.encoding")) from None
        return encoding

    def resolved(self, base: Path) -> Self:
        """Return a copy whose path is absolute: a relative one is taken from the folder `base`."""
        return self.model_copy(update={"path": (base / self.path).absolute()})

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Read the file; the data's values are not needed."""
        options = self.model_dump(include={"delimiter", "encoding", "header", "suppression"})
        return read_file(self.path, kind=kind, **options)


#: Separators that are looked for, the least likely inside a label first.
SEPARATORS = ("\t", ";", "|", ",", ":")


@dataclass(frozen=True)
class _Parsed:
    """The records of a table under one separator, with the line on which each ends."""

    rows: list[list[str]]
    lines: list[int]
    problem: str = ""
    #: Whether quotes stand only around whole cells, doubled inside.
    tidy: bool = True

    @property
    def fits(self) -> bool:
        """Whether every record has the same number of columns, more than one."""
        return not self.problem and len(self.rows[0]) > 1 and len({len(row) for row in self.rows}) == 1

    @property
    def roots(self) -> int:
        return len({row[-1].strip() for row in self.rows})


def read_file(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = False,
    kind: DataType = DataType.TEXT,
    suppression: bool = False,
) -> Hierarchy:
    """Read a hierarchy: a JSON tree from a `.json` file, from any other a table with one line per value."""
    path = Path(path)
    text = _text(path, encoding)
    try:
        if path.suffix.lower() == ".json":
            rows = tree_paths(tree_copy(_json(text)))
            return Hierarchy.from_rows(rows, kind=kind, suppression=suppression, word="leaf")
        if (columns := _plain_columns(text, delimiter, header)) is not None:
            with suppress(HierarchyError):  # what is wrong is said below, with its line
                return Hierarchy.from_columns(columns, kind=kind, suppression=suppression)
        table = _table(text, delimiter, header)
        _not_a_header(table, header or suppression)
        return Hierarchy.from_rows(table.rows, kind=kind, suppression=suppression, lines=table.lines)
    except HierarchyError as error:
        raise HierarchyError("hierarchy.in-file", values=error.values, file=path.name, error=error) from None


def _text(path: Path, encoding: str | None) -> str:
    if path.is_char_device() or path.is_block_device():  # it may never end
        raise HierarchyError("hierarchy.file-is-device", path=str(path))
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise HierarchyError("hierarchy.file-not-found", path=str(path)) from None
    except OSError as error:
        raise HierarchyError("hierarchy.file-not-readable", path=str(path), reason=error.strerror) from None
    try:
        return raw.decode(encoding or "utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line, name = raw[: error.start].count(b"\n") + 1, encoding or "UTF-8"
        raise HierarchyError("hierarchy.line-of-other-encoding", file=path.name, line=line, encoding=name) from None
    except (UnicodeError, LookupError):  # there are codecs that are none of text, such as hex
        raise HierarchyError("hierarchy.file-of-other-encoding", file=path.name, encoding=encoding) from None


def _table(text: str, delimiter: str | None, header: bool) -> _Parsed:
    if delimiter is not None:
        table = _parsed(text, delimiter, header)
    else:
        tables = [_parsed(text, separator, header) for separator in SEPARATORS if separator in text]
        # A label such as '[20, 30)' may make a second separator fit; the true one cuts no quoted cell in two, and
        # leads to one root.
        fitting = sorted((t for t in tables if t.fits), key=lambda t: (not t.tidy, t.roots > 1))
        table = fitting[0] if fitting else _nearest(tables, text, header)
    if table.problem:
        raise HierarchyError(table.problem)
    return table


def _plain_columns(text: str, delimiter: str | None, header: bool) -> list[EncodedLevel] | None:
    """Return the columns of a table that can be read in one way only and has one root, without a row in Python.

    No quotes, one separator, lines of equal length: nearly every large file is such a table.
    """
    from pyarrow import ArrowException, BufferReader, csv, dictionary, int32, string

    separators = [mark for mark in SEPARATORS if mark in text]
    if '"' in text or "\0" in text or "\r" in text.replace("\r\n", "") or len(separators) != 1:
        return None
    if delimiter not in (None, separators[0]):
        return None
    width = text.partition("\n")[0].count(separators[0]) + 1
    names = [str(i) for i in range(width)]
    try:
        table = csv.read_csv(
            BufferReader(text.encode()),
            read_options=csv.ReadOptions(column_names=names, skip_rows=int(header), use_threads=False),
            parse_options=csv.ParseOptions(delimiter=separators[0], quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, dictionary(int32(), string()))),
        ).unify_dictionaries().combine_chunks()  # fmt: skip
    except (ArrowException, ValueError):
        return None
    columns = [(column.chunk(0).dictionary.to_pylist(), column.chunk(0).indices.to_numpy()) for column in table.columns]
    return columns if table.num_rows and len(columns[-1][0]) == 1 else None


def _nearest(tables: Sequence[_Parsed], text: str, header: bool) -> _Parsed:
    """Return the table whose errors help most: the one with the most columns in its first record."""
    tables = tables or [_parsed(text, SEPARATORS[0], header)]
    whole = max(tables, key=lambda table: len(table.rows[0]) if table.rows else 0)
    if not whole.problem and len(whole.rows) > 1 and all(len(row) == 1 for row in whole.rows):
        return _Parsed(whole.rows, whole.lines, Message("hierarchy.no-delimiter-found"))
    return whole


def _parsed(text: str, delimiter: str, header: bool) -> _Parsed:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if row:  # an empty line is no record
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        problem = Message("hierarchy.line-not-readable", line=reader.line_num, reason=str(error))
        return _Parsed(rows, lines, problem)
    if header:
        rows, lines = rows[1:], lines[1:]
    return _Parsed(rows, lines, "" if rows else Message("hierarchy.file-without-values"), _is_tidy(text, delimiter))


def _is_tidy(text: str, delimiter: str) -> bool:
    mark = re.escape(delimiter)
    cell = rf'(?:"(?:[^"]|"")*+"|[^"{mark}\r\n]*+)'
    return '"' not in text or re.fullmatch(rf"(?:{cell}[{mark}\r\n])*+{cell}", text) is not None


def _not_a_header(table: _Parsed, sure: bool) -> None:
    rest = {row[-1] for row in table.rows[1:]}
    if not sure and table.fits and len(table.rows) > 2 and len(rest) == 1 and table.roots == 2:
        raise HierarchyError("hierarchy.line-has-other-root", lines=table.lines[0])


def _json(text: str) -> object:
    try:
        # Numbers stay as they are spelled: 1.10 is a label, not 1.1.
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise HierarchyError("hierarchy.not-json", line=error.lineno, column=error.colno, reason=error.msg) from None
    except RecursionError:
        raise HierarchyError("hierarchy.json-nested-too-deeply") from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    node = dict(pairs)
    if len(node) < len(pairs):
        raise HierarchyError("hierarchy.node-has-key-twice")
    return node


def write_table(hierarchy: Hierarchy, path: str | Path, delimiter: str = ";") -> None:
    """Write one line per value, its label at each level in a column; the file is there whole or not at all."""
    _write(Path(path), table_text(hierarchy, delimiter))


def table_text(hierarchy: Hierarchy, delimiter: str = ";") -> str:
    """Return one line per value, its label at each level in a column."""
    if not is_delimiter(delimiter):
        raise ParameterError("hierarchy.delimiter-not-one-character")
    # Labels with any separator in them are quoted, so that outside of quotes there is only the true one.
    special = ('"', "\r", "\n", "\ufeff", delimiter, *SEPARATORS)

    def quoted(label: str) -> str:
        return '"' + label.replace('"', '""') + '"' if any(mark in label for mark in special) else label

    return "".join(delimiter.join(map(quoted, row)) + "\n" for row in hierarchy.paths())


def write_tree(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write the hierarchy as a JSON tree; values that share a parent come together, otherwise in their order."""
    nodes: list[dict[str, Any]] = [{"value": leaf} for leaf in hierarchy.leaves]
    for h in range(hierarchy.height):
        above: list[dict[str, Any]] = [{"value": label, "children": []} for label in hierarchy.levels[h + 1]]
        for node, parent in zip(nodes, hierarchy.parents(h).tolist(), strict=True):
            above[parent]["children"].append(node)
        nodes = above
    try:
        text = json.dumps(nodes[0], ensure_ascii=False, indent=1)
    except RecursionError:
        raise HierarchyError("hierarchy.too-many-levels-for-json") from None
    _write(Path(path), text + "\n")


def is_delimiter(text: str) -> bool:
    """Whether the text can separate the columns of a table."""
    return len(text) == 1 and text not in '"\r\n\0\ufeff'


def _write(path: Path, text: str) -> None:
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise HierarchyError("hierarchy.label-with-lone-surrogate") from None
    try:
        replace_file(path, raw)
    except OSError as error:
        raise HierarchyError("hierarchy.file-not-writable", path=str(path), reason=error.strerror) from None
