"""Dates, numbers, yes and no as people write them, read as the plain form that every engine knows.

A person says how a column is written, `date(d/m/Y)` or `decimal(comma)`, and its cells are read as `2016-11-16` or
`24868.29`; without a word they stay the text that they are. Where a column could be written in two ways (3/4/2020),
both are told, and nothing is guessed.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date

import pyarrow as pa

from antifaz.core.errors import SchemaError, hint
from antifaz.core.types import DataType
from antifaz.sources.spellings import Spelling

#: The names of months in English, Spanish, Catalan, French, German, Italian and Portuguese.
_MONTHS = (
    "january enero gener janvier januar jänner gennaio janeiro",
    "february febrero febrer février februar febbraio fevereiro",
    "march marzo març mars märz março",
    "april abril avril aprile",
    "may mayo maig mai maggio maio",
    "june junio juny juin juni giugno junho",
    "july julio juliol juillet juli luglio julho",
    "august agosto agost août",
    "september septiembre setiembre setembre septembre settembre setembro",
    "october octubre octobre oktober ottobre outubro",
    "november noviembre novembre novembro",
    "december diciembre desembre décembre dezember dicembre dezembro",
)
_MONTH = {name: i for i, names in enumerate(_MONTHS, start=1) for name in names.split()}
_SECOND = "(?P<second>:[0-9]{2}([.][0-9]{1,9})?)?(?P<zone> ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?"
_CLOCK = f"(?P<rest>[T ]+(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-5][0-9]){_SECOND})?"
_PARTS = {"d": "(?P<d>[0-9]{1,2})", "m": "(?P<m>[0-9]{1,2})", "Y": "(?P<Y>[0-9]{4})"}
_NAMED = re.compile(
    rf"{_PARTS['d']}\.?(º|er)? (de |d'|d’)?(?P<month>[^\W\d_]{{3,}})\.?,? (de |del )?{_PARTS['Y']}{_CLOCK}",
    re.IGNORECASE,
)
_NUMERIC = {
    order: re.compile(rf"{_PARTS[order[0]]}(?P<sign>[-/.]){_PARTS[order[2]]}(?P=sign){_PARTS[order[4]]}{_CLOCK}")
    for order in ("d/m/Y", "m/d/Y", "Y/m/d")
}
_EIGHT = re.compile("([0-9]{4})([0-9]{2})([0-9]{2})")
_CURRENCY = r"(?:[€$£]|EUR|USD|GBP)"


def _day(text: str, form: re.Pattern[str]) -> str | None:
    read = form.fullmatch(text)
    if read is None:
        return None
    parts = read.groupdict()
    month = int(parts["m"]) if parts.get("m") else _month(parts.get("month") or "")
    try:
        day = date(int(parts["Y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None
    if not parts["rest"]:
        return day
    if int(parts["hour"]) > 23:
        return None
    return f"{day}T{int(parts['hour']):02}:{parts['minute']}{parts['second'] or ''}{(parts['zone'] or '').strip()}"


def _eight_digits(text: str) -> str | None:
    read = _EIGHT.fullmatch(text)
    return None if read is None else _day("/".join(read.groups()), _NUMERIC["Y/m/d"])


def _month(name: str) -> int:
    """Return the month that a name or its first letters mean, 0 where that is none or could be two."""
    meant = {month for full, month in _MONTH.items() if full.startswith(name.casefold())}
    return _MONTH.get(name.casefold()) or (meant.pop() if len(meant) == 1 else 0)


def _number(text: str, thousands: str, point: str) -> str | None:
    bare = re.sub(rf"^{_CURRENCY}\s?|\s?(?:{_CURRENCY}|%)$", "", text)
    groups = f"[+-]?([0-9]+|[0-9]{{1,3}}([{re.escape(thousands)}][0-9]{{3}})+)([{re.escape(point)}][0-9]+)?"
    groups += "([eE][+-]?[0-9]{1,3})?"
    if not re.fullmatch(groups, bare):
        return None
    return re.sub(f"[{re.escape(thousands)}]", "", bare).replace(point, ".").removeprefix("+")


#: The same seven languages; a letter stands for its word.
_YES = {
    "yes", "y", "true", "sí", "si", "s", "cert", "vertader", "verdadero", "oui", "o", "vrai", "ja", "j", "wahr", "sì",
    "vero", "sim", "verdadeiro",
}  # fmt: skip
_NO = {"no", "n", "false", "fals", "falso", "non", "faux", "nein", "falsch", "não", "nao"}


def _yes_or_no(text: str) -> str | None:
    word = text.casefold()
    return "true" if word in _YES else "false" if word in _NO else None


#: Forms by the name that a person tells: what they are, and the plain spelling of a text, None where it is none of it.
FORMS: Mapping[str, tuple[DataType, Callable[[str], str | None]]] = {
    "date(d/m/Y)": (DataType.DATE, lambda text: _day(text, _NUMERIC["d/m/Y"])),
    "date(m/d/Y)": (DataType.DATE, lambda text: _day(text, _NUMERIC["m/d/Y"])),
    "date(Y/m/d)": (DataType.DATE, lambda text: _day(text, _NUMERIC["Y/m/d"])),
    "date(Ymd)": (DataType.DATE, _eight_digits),
    "date(d month Y)": (DataType.DATE, lambda text: _day(text, _NAMED)),
    "boolean(yes/no)": (DataType.BOOLEAN, _yes_or_no),
    "decimal(comma)": (DataType.DECIMAL, lambda text: _number(text, ". '\u00a0\u202f", ",")),
    "decimal(point)": (DataType.DECIMAL, lambda text: _number(text, ", '\u00a0\u202f", ".")),
}
PATTERN = rf"^({'|'.join(map(re.escape, FORMS))})$"


def forms_of(values: Collection[str]) -> list[str]:
    """Return the forms in which every one of the values is written; several where they could be read in two ways."""
    texts = [value.strip() for value in values if value.strip()]
    if not texts:
        return []
    found = [name for name, (_, read) in FORMS.items() if all(read(text) is not None for text in texts)]
    # One letter throughout is a code as soon as yes and no: both must be there.
    answers = {_yes_or_no(text) for text in texts}
    # Digits alone, such as 007, are codes: with no sign in them there is nothing that could be read in two ways.
    digits = all(text.isdecimal() for text in texts)
    return [
        name
        for name in found
        if (name != "boolean(yes/no)" or len(answers) == 2) and not (digits and name.startswith("decimal"))
    ]


def split_forms(
    given: Mapping[str, DataType | str] | None,
) -> tuple[dict[str, DataType | str] | None, dict[str, str]]:
    """Return types as engines know them, and the forms that were told for columns."""
    forms = {name: str(kind) for name, kind in (given or {}).items() if kind in FORMS}
    # Whether it is a date or a time, a whole number or not, is then found from the plain values.
    return (None if given is None else {name: kind for name, kind in given.items() if name not in forms}), forms


def plain(
    tables: Iterable[pa.Table], forms: Mapping[str, str], spellings: Mapping[str, Spelling] | None = None
) -> Iterator[pa.Table]:
    """Give tables with the told columns in plain spelling; raise for a column with a value that is not written so.

    `spellings` take note of how the cells of their columns were written.
    """
    for table in tables:
        for name, form in forms.items():
            place = table.schema.get_field_index(name)
            if place < 0:
                raise SchemaError("column.unknown", name=name, hint=hint(name, table.column_names))
            encoded = table.column(place).cast(pa.string()).combine_chunks().dictionary_encode()
            spelled, wrong = [], set()
            for at, text in enumerate(encoded.dictionary.to_pylist()):
                read = FORMS[form][1](text.strip()) if text.strip() else text
                wrong |= {at} if read is None else set()
                spelled.append(read)
                if spellings is not None and read is not None:
                    spellings[name].note(text, read)
            if wrong:
                count = sum(index in wrong for index in encoded.indices.to_pylist())
                raise SchemaError("column.not-written-so", name=name, form=form, count=count)
            column = pa.array(spelled, pa.string()).take(encoded.indices)
            table = table.set_column(place, pa.field(name, pa.string()), column)
        yield table


def plain_cells(texts: Iterable[str], form: str) -> dict[str, str]:
    """Return the plain spelling of those texts that are written in a form."""
    read = {text: FORMS[form][1](text.strip()) for text in texts}
    return {text: cell for text, cell in read.items() if cell is not None}


def plain_where_written(tables: Iterable[pa.Table], forms: Mapping[str, str]) -> Iterator[pa.Table]:
    """Give tables with plain cells in these columns where they are written in the form; others stay as they are."""
    for table in tables:
        for name, form in forms.items():
            place = table.schema.get_field_index(name)
            encoded = table.column(place).cast(pa.string()).combine_chunks().dictionary_encode()
            texts = encoded.dictionary.to_pylist()
            known = plain_cells(texts, form)
            column = pa.array([known.get(text, text) for text in texts], pa.string()).take(encoded.indices)
            table = table.set_column(place, pa.field(name, pa.string()), column)
        yield table
