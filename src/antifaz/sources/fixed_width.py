"""Text of fixed width: every column begins at the same place of every line. A person says how wide each is."""

import io
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import pyarrow as pa

from antifaz.core.errors import DataError
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import HEAD
from antifaz.sources.encodings import codec_name, detect_encoding, refuse_binary
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing

#: How many lines are made a table at a time.
_LINES = 100_000


def open_fixed_width(path: Path, options: ReadOptions) -> FileReader:
    """Open text whose columns have the widths that are told; blanks around cells are left out, empty is missing."""
    widths = dict(options.widths or {})
    if not widths or any(width < 1 for width in widths.values()):
        raise DataError("fixed.widths-wrong", file=path.name)
    names = check_names(path.name, list(widths))
    with path.open("rb") as file:
        head = file.read(HEAD)
    refuse_binary(path, head)
    encoding = codec_name(options.encoding) if options.encoding else detect_encoding(path, head)
    return FileReader(
        schema=pa.schema([(name, pa.string()) for name in names]),
        tables=_tables(path, encoding, names, [0, *accumulate(widths.values())], options),
        understood={"format": FIXED.name, "encoding": encoding, "widths": widths},
        notes=[f"{path.name}: {encoding}."],
    )


def _tables(path: Path, encoding: str, names: list[str], ends: list[int], options: ReadOptions) -> Iterator[pa.Table]:
    lines: list[str] = []
    try:
        with path.open("rb") as file, io.TextIOWrapper(file, encoding) as text:
            for number, line in enumerate(text, start=1):
                bare = line.rstrip("\n").removeprefix("\ufeff" if number == 1 else "")
                if len(bare.rstrip()) > ends[-1]:
                    long = {"line": number, "length": len(bare.rstrip()), "width": ends[-1]}
                    raise DataError("fixed.line-too-long", file=path.name, **long)
                if not bare.strip() or "\t" in bare:
                    raise DataError("fixed.line-wrong", file=path.name, line=number)
                if number > 1 or not options.header:
                    lines.append(bare)
                if len(lines) == _LINES:
                    yield _table(lines, names, ends, options)
                    lines = []
    except UnicodeError:
        raise DataError("fixed.encoding-wrong", file=path.name, encoding=encoding) from None
    yield _table(lines, names, ends, options)


def _table(lines: list[str], names: list[str], ends: list[int], options: ReadOptions) -> pa.Table:
    cells = [[line[start:end].strip() or None for line in lines] for start, end in pairwise(ends)]
    columns = [pa.array(column, pa.string()) for column in cells]
    return blank_missing(pa.table(dict(zip(names, columns, strict=True))), options.missing)


FIXED = FileFormat("fixed", (), open_fixed_width)
