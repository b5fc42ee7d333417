"""Rows written as files of SPSS, Stata and SAS (transport), and read back as the texts that they were.

A column becomes numbers, dates or codes with labels only where every cell comes back exactly as it was; else it is
text. What was written is read back here before anything else is done with it: a column that does not come back, such
as text that ends with a blank, is refused by its name.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from antifaz.core.errors import InputError, MissingExtra, ParameterError, silence
from antifaz.sources.spellings import Spelling

#: The endings of these files, and what writes and reads each.
STATISTICAL = {"sav": ("write_sav", "read_sav"), "dta": ("write_dta", "read_dta"), "xpt": ("write_xport", "read_xport")}
#: The form of a column of codes that have labels.
LABELS = "labels"
_LONGEST = {"sav": 64, "dta": 32, "xpt": 32}
#: Words of the languages of SPSS and Stata, which no column may be called.
_RESERVED = {
    "all", "and", "by", "byte", "double", "eq", "float", "ge", "gt", "if", "in", "int", "le", "long", "lt", "ne", "not",
    "or", "str", "strl", "to", "using", "with",
}  # fmt: skip
_DIGITS = re.compile(r"-?[0-9]{1,15}")
_POINT = re.compile(r"-?[0-9]{1,17}\.([0-9]{1,25})")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_Texts = Sequence[str | None]


def write_statistical(path: Path, table: pa.Table, spellings: Mapping[str, Spelling]) -> dict[str, str]:
    """Write columns of text; return for each column that is not text in the file what its cells are.

    A column that came as labels, and has nothing else in it, gets its codes back, with their labels.
    """
    format = path.suffix[1:]
    names = _names(table.column_names, format)
    texts: dict[str, _Texts] = {name: table.column(name).to_pylist() for name in table.column_names}
    codes = {
        name: spellings[name].codes
        for name, cells in texts.items()
        if name in spellings and spellings[name].codes and {*cells} <= {None, *spellings[name].codes}
    }
    # SAS keeps labels in a file of their own.
    kinds = {name: LABELS for name in codes if format != "xpt"}
    kinds |= {name: kind for name, cells in texts.items() if name not in kinds and (kind := _kind(cells))}
    titles = {name: spellings[name].title for name in texts if name in spellings}
    _write(path, texts, kinds, names, codes, titles)
    if changed := _changed(path, texts, kinds):
        kinds = {name: kind for name, kind in kinds.items() if name not in changed}
        _write(path, texts, kinds, names, codes, titles)
        if changed := _changed(path, texts, kinds):
            raise InputError("statistical.column-not-kept", name=changed[0], format=format)
    return kinds


def read_texts(path: Path, kinds: Mapping[str, str]) -> pa.Table:
    """Return the columns of a file that `write_statistical` wrote, as the texts that they were."""
    _, reader = STATISTICAL[path.suffix[1:]]
    columns, meta = getattr(_pyreadstat(), reader)(str(path), output_format="dict")
    labels, titles = meta.variable_value_labels or {}, meta.column_names_to_labels or {}
    found = {}
    for short, cells in columns.items():
        title = titles.get(short)
        name = title if title and title != short and _short(title, path.suffix[1:]) == short else short
        kind = kinds.get(name, "text")
        if kind == LABELS:
            texts = [None if _missing(cell) else labels[short][cell] for cell in cells]
        else:
            texts = [None if _missing(cell) else _TEXTS[kind.partition("(")[0]](cell, kind) for cell in cells]
        found[name] = pa.array(texts, pa.string())
    return pa.table(found)


def _missing(cell: Any) -> bool:
    return cell is None or cell == "" or cell != cell


def _fixed(number: float, kind: str) -> str:
    return f"{number:.{kind[8:-1]}f}"


def _plain(number: float, _: str) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


#: What gives the text of a cell again, by what its column is.
_TEXTS: dict[str, Callable[[Any, str], str]] = {
    "text": lambda cell, _: str(cell),
    "integer": lambda cell, _: str(int(cell)),
    "float": lambda cell, _: repr(float(cell)),
    "number": _plain,
    "decimal": _fixed,
    "date": lambda cell, _: str(cell)[:10],
}


def _kind(cells: _Texts) -> str | None:
    """Return what a column of text is as numbers or dates, if every cell comes back as it was."""
    known = {cell for cell in cells if cell is not None}
    if not known:
        return None
    if all(_DAY.fullmatch(cell) for cell in known):
        return "date" if all(_is_day(cell) for cell in known) else None
    points = [_POINT.fullmatch(cell) for cell in known]
    if not all(point or _DIGITS.fullmatch(cell) for cell, point in zip(known, points, strict=True)):
        return None
    decimals = {len(point[1]) for point in points if point}
    kinds = ["integer", "float", "number", *(f"decimal({most})" for most in decimals)]
    exact = (k for k in kinds if all(_TEXTS[k.partition("(")[0]](float(cell), k) == cell for cell in known))
    return next(exact, None)


def _is_day(cell: str) -> bool:
    try:
        return date.fromisoformat(cell).year > 1582
    except ValueError:
        return False


def _names(names: Sequence[str], format: str) -> dict[str, str]:
    """Return what columns are called in a file, whose format does not take every name: the name itself is its label."""
    short = {name: _short(name, format) for name in names}
    if len({each.casefold() for each in short.values()}) < len(short):
        raise ParameterError("statistical.names-alike", format=format)
    return short


def _short(name: str, format: str) -> str:
    """Return a name of letters, digits and _, that begins with a letter."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    plain = f"{plain}_" if plain.lower() in _RESERVED else plain
    return (plain if plain[:1].isalpha() else f"v{plain}")[: _LONGEST[format]]


def _write(
    path: Path,
    texts: Mapping[str, _Texts],
    kinds: Mapping[str, str],
    names: Mapping[str, str],
    codes: Mapping[str, Mapping[str, Any]],
    titles: Mapping[str, str | None],
) -> None:
    writer, _ = STATISTICAL[path.suffix[1:]]
    pyreadstat = _pyreadstat()
    columns = {names[name]: _cells(cells, kinds.get(name), codes.get(name, {})) for name, cells in texts.items()}
    more: dict[str, Any] = {
        "column_labels": {
            short: name if short != name else title
            for name, short in names.items()
            if short != name or (title := titles.get(name))
        }
    }
    if path.suffix != ".xpt":
        more["variable_value_labels"] = {
            names[name]: {code: label for label, code in codes[name].items()}
            for name, kind in kinds.items()
            if kind == LABELS
        }
    if path.suffix == ".sav":
        shown = {names[name]: _decimals(kind) for name, kind in kinds.items()}
        more["variable_format"] = {name: f"F{max(8, n + 4)}.{n}" for name, n in shown.items() if n is not None}
    try:
        getattr(pyreadstat, writer)(_frame(columns), str(path), **more)
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, ValueError, TypeError) as error:
        silence(error)
        raise InputError("statistical.not-written", format=path.suffix[1:]) from None
    path.chmod(0o600)


def _cells(cells: _Texts, kind: str | None, codes: Mapping[str, Any]) -> list[Any]:
    if kind is None:
        return ["" if cell is None else cell for cell in cells]
    if kind == LABELS:
        return [None if cell is None else codes[cell] for cell in cells]
    if kind == "date":
        return [None if cell is None else date.fromisoformat(cell) for cell in cells]
    return [None if cell is None else float(cell) for cell in cells]


def _decimals(kind: str) -> int | None:
    """Return how many decimals SPSS shows of a column; None where it is to choose."""
    known = {"integer": 0, LABELS: 0, "float": 2, "number": 2}
    return known.get(kind, min(int(kind[8:-1]), 16) if kind.startswith("decimal") else None)


def _changed(path: Path, texts: Mapping[str, _Texts], kinds: Mapping[str, str]) -> list[str]:
    back = read_texts(path, kinds)
    return [name for name in texts if name not in back.column_names or back.column(name).to_pylist() != texts[name]]


def _frame(columns: Mapping[str, list[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(cells, dtype=_dtype(cells)) for name, cells in columns.items()})


def _dtype(cells: Sequence[Any]) -> str:
    numbers = all(cell is None or isinstance(cell, int | float) for cell in cells)
    return "float64" if numbers and any(cell is not None for cell in cells) else "object"


def _pyreadstat() -> Any:
    try:
        import pandas  # noqa: F401 - pyreadstat writes frames of others only
        import pyreadstat
    except ImportError:
        raise MissingExtra("statistical.pyreadstat-missing") from None
    return pyreadstat
