"""A hierarchy in a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, field_validator

from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.reading import read_file
from antifaz.hierarchies.writing import is_delimiter


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
            raise ValueError("the path of a file")
        return path

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, delimiter: str | None) -> str | None:
        if delimiter is not None and not is_delimiter(delimiter):
            raise ValueError("one character, not a quote or a line break")
        return delimiter

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        try:
            b"a".decode(encoding or "utf-8")
        except UnicodeError:
            pass  # it is an encoding, in which this byte alone means nothing
        except (LookupError, ValueError):
            raise ValueError("the name of a text encoding, such as utf-8 or latin-1") from None
        return encoding

    def resolved(self, base: Path) -> Self:
        """Return a copy whose path is absolute: a relative one is taken from the folder `base`."""
        return self.model_copy(update={"path": (base / self.path).absolute()})

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Read the file; the data's values are not needed."""
        return read_file(
            self.path,
            delimiter=self.delimiter,
            encoding=self.encoding,
            header=self.header,
            kind=kind,
            suppression=self.suppression,
        )
