"""Files of SPSS, Stata and SAS, with what they say of their values.

A column whose values all have labels is taken as its labels; codes that the file itself declares missing are missing,
and a note counts them. All else stays the number, date or text that it is.
"""

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.errors import DataError, MissingExtra, silence
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.sources.column_names import check_names
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing
from antifaz.sources.spellings import Spelling

#: How many times the bytes of a file its cells take while it is read, about.
_COPIES = 20
_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


def _open(kind: str, path: Path, options: ReadOptions) -> FileReader:
    _refuse_large(path, options.memory)
    suffix = path.suffix.lower()
    columns, meta = _read(path, _READERS.get(suffix) or _READERS[f".{kind}"], options.encoding)
    names = check_names(path.name, list(columns))
    arrays, settled, notes = [], {}, [f"{path.name}: {kind.upper()}."]
    titles = getattr(meta, "column_names_to_labels", None) or {}
    spellings = {name: Spelling("", title=title) for name in names if (title := titles.get(name))}
    for name in names:
        values, declared = _without_declared(columns[name], meta, name)
        if declared:
            notes.append(Message("note.declared-missing", name=name, count=declared))
        labels = (getattr(meta, "variable_value_labels", None) or {}).get(name) or {}
        labelled = bool(labels) and all(value is None or value in labels for value in values)
        if labelled:
            values = [None if value is None else str(labels[value]) for value in values]
            settled[name] = DataType.TEXT
            codes = {str(label): code for code, label in labels.items() if isinstance(code, int | float)}
            if len(codes) == len(labels):  # else two codes have one label
                spellings[name] = Spelling("", title=titles.get(name), codes=codes)
        arrays.append(_array(path, name, values))
    table = blank_missing(pa.table(dict(zip(names, arrays, strict=True))), options.missing)
    known: dict[str, Any] = {"understood": {"format": kind}, "settled": settled, "notes": notes, "spellings": spellings}
    return FileReader(schema=table.schema, tables=[table], **known)


def _refuse_large(path: Path, memory: int | None) -> None:
    limit = min((most for most in (available_memory(), memory) if most), default=0)
    if limit and path.stat().st_size * _COPIES > limit:
        raise DataError("statistical.too-large-for-memory", file=path.name)


def _read(path: Path, reader: str, encoding: str | None) -> tuple[dict[str, list[Any]], Any]:
    try:
        import pyreadstat  # an extra: only people with such files need it
    except ImportError:
        raise MissingExtra("statistical.pyreadstat-missing") from None
    more: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    if reader in ("read_sav", "read_dta", "read_sas7bdat"):
        more["user_missing"] = True
    try:
        columns, meta = getattr(pyreadstat, reader)(str(path), output_format="dict", **more)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, OverflowError, ValueError) as error:
        silence(error)
        raise DataError("statistical.not-readable", file=path.name) from None
    return {str(name): [_cell(value) for value in values] for name, values in columns.items()}, meta


def _cell(value: Any) -> Any:
    """Return a value as Python has it: nothing for NaN, whole numbers as such, an empty text as missing."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() and abs(value) < 2**53 else value
    return None if value == "" else value


def _without_declared(values: list[Any], meta: Any, name: str) -> tuple[list[Any], int]:
    """Return the values without those that the file declares missing, and how many these were."""
    ranges = (getattr(meta, "missing_ranges", None) or {}).get(name) or []
    codes = set((getattr(meta, "missing_user_values", None) or {}).get(name) or [])
    if not ranges and not codes:
        return values, 0

    def is_declared(value: Any) -> bool:
        if value is None:
            return False
        if value in codes:
            return True
        same = (each for each in ranges if isinstance(each["lo"], str) == isinstance(value, str))
        return any(each["lo"] <= value <= each["hi"] for each in same)

    kept = [None if is_declared(value) else value for value in values]
    return kept, sum(a is not b for a, b in zip(kept, values, strict=True))


def _array(path: Path, name: str, values: list[Any]) -> pa.Array:
    if any(isinstance(value, float) for value in values):
        values = [None if value is None else float(value) for value in values]
    try:
        made = pa.array(values)
    except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
        silence(error)
        raise DataError("statistical.column-mixes-types", file=path.name, name=name) from None
    return made.cast(pa.string()) if pa.types.is_null(made.type) else made


SPSS = FileFormat("sav", (".sav", ".zsav", ".por"), partial(_open, "sav"))
STATA = FileFormat("dta", (".dta",), partial(_open, "dta"))
SAS = FileFormat("sas7bdat", (".sas7bdat", ".xpt"), partial(_open, "sas7bdat"))
