"""Formats that rows are written in, and how text files are: separator, encoding, byte order mark, decimal sign."""

import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, get_args

from antifaz.core.errors import InputError, ParameterError, hint

#: What separates the columns of text where nothing else is told.
SEPARATORS = {"csv": ",", "tsv": "\t", "txt": ";"}
#: Text that Excel opens by a double click where decimals have a comma: ; between columns, and a byte order mark.
EXCEL_TEXT = "excel.csv"
_Plain = Literal["csv", "tsv", "txt", "parquet"]
#: Files of SPSS, Stata and SAS (transport).
_Statistical = Literal["sav", "dta", "xpt"]
#: What a run writes its rows as; `engines/local/write.py` writes them.
RowsFormat = Literal[_Plain, _Statistical]
FORMATS: tuple[str, ...] = get_args(RowsFormat)
#: What released rows can be taken away as; `engines/local/convert.py` makes them.
DownloadFormat = Literal[_Plain, "xlsx", "excel.csv", _Statistical]
DOWNLOADS: tuple[str, ...] = get_args(DownloadFormat)
#: The encodings that text is written in.
Encoding = Literal["utf-8", "cp1252", "latin-1", "utf-16"]
ENCODINGS = get_args(Encoding)
_PIECE = 1 << 20


@dataclass(frozen=True)
class WrittenFile:
    """A file with what its name does not tell: what separates columns, its encoding, how columns are written."""

    path: Path
    delimiter: str | None = None
    encoding: str | None = None
    bom: bool = False
    #: Per column the form in which its cells are written, such as decimal(comma); a cell that is not, is as it is.
    written: Mapping[str, str] = field(default_factory=dict)
    #: Of a file of SPSS, Stata or SAS, the columns that are no text there: integer, decimal(2), date, labels, ….
    kinds: Mapping[str, str] = field(default_factory=dict)

    def __fspath__(self) -> str:
        return str(self.path)

    def options(self) -> dict[str, Any]:
        """Return how it is written, for whoever reads it."""
        names = ("delimiter", "encoding", "bom", "written", "kinds")
        return {name: value for name in names if (value := getattr(self, name))}


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """What was chosen for a file; nothing is chosen for Parquet."""

    delimiter: str
    own_delimiter: bool
    own_encoding: str | None
    decimal: str
    bom: bool

    @classmethod
    def of(cls, format: str, *, delimiter: str | None, encoding: str | None, decimal: str | None, bom: bool) -> Self:
        """Check what somebody chose. With decimal commas, columns are separated by ; unless another sign is told."""
        any_chosen = delimiter is not None or encoding is not None or decimal is not None or bom
        if delimiter is not None and not (format in SEPARATORS and len(delimiter) == 1 and delimiter not in '"\r\n\0'):
            raise ParameterError("release.delimiter-wrong", delimiter=delimiter)
        if format not in SEPARATORS and any_chosen:
            raise ParameterError("release.text-options-of-no-text", format=format)
        if encoding is not None and encoding not in ENCODINGS:
            raise ParameterError("release.unknown-encoding", encoding=encoding, hint=hint(encoding, ENCODINGS))
        if bom and encoding not in (None, "utf-8"):
            raise ParameterError("release.mark-needs-utf-8", encoding=encoding)
        if decimal not in (None, "point", "comma"):
            raise ParameterError("release.unknown-decimal", decimal=decimal)
        if decimal == "comma" and delimiter == ",":
            raise ParameterError("release.comma-twice")
        between = delimiter or SEPARATORS.get(format, "")
        if decimal == "comma" and between == ",":
            between = delimiter = ";"
        return cls(
            delimiter=between, own_delimiter=delimiter is not None, decimal=decimal or "point", bom=bom,
            own_encoding=None if encoding == "utf-8" else encoding,
        )  # fmt: skip

    def encode(self, path: Path) -> None:
        """Give a file that was written as UTF-8 its encoding and its mark."""
        if self.own_encoding is None and not self.bom:
            return
        aside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        decoder = codecs.getincrementaldecoder("utf-8")()
        encoder = codecs.getincrementalencoder("utf-8-sig" if self.bom else self.own_encoding or "utf-8")()
        try:
            with path.open("rb") as source, aside.open("xb") as target:
                aside.chmod(0o600)
                while data := source.read(_PIECE):
                    target.write(encoder.encode(decoder.decode(data)))
            aside.replace(path)
        except UnicodeEncodeError:
            raise InputError("release.not-in-encoding", encoding=self.own_encoding) from None
        finally:
            aside.unlink(missing_ok=True)
