"""How the text of each column is to be understood, found from all its values; the text itself is never changed.

`core.type_forms` says how values of each type are written. Fields with nothing but blanks say nothing about the type.
Columns that come with a type of their own keep it. A type that is given is checked.
"""

# Names of columns reach these statements quoted, or are ours.
# ruff: noqa: S608
import re
from collections.abc import Mapping, Sequence
from datetime import date

from antifaz.core.errors import SchemaError
from antifaz.core.messages import Message
from antifaz.core.schema import Column, Schema
from antifaz.core.type_forms import ACCEPTED_FORMS, FORMS
from antifaz.core.types import DataType
from antifaz.engines.dialects.dialect import Relation

_SAMPLE = 200
_BLANK = "[ \t]*"
_DAYS = (DataType.DATE, DataType.DATETIME)
_Pair = tuple[int, DataType]


def infer(
    relation: Relation, settled: Mapping[str, DataType] | None = None, given: Mapping[str, DataType | str] | None = None
) -> Schema:
    """Return the schema of a table: types that are given, settled by the file, native, or found from all values."""
    fields, batch = relation.fields, relation.dialect.batch
    schema = Schema(tuple(Column(name=field.name) for field in fields)).with_types(given or {})
    given_types = {c.name: c.type for c in schema if c.name in (given or {})}
    types = {field.name: field.understood for field in fields if field.understood is not None}
    types |= {**(settled or {}), **given_types}
    finder = _Finder(relation)
    unknown = [i for i, field in enumerate(fields) if field.name not in types]
    with relation.queries.errors(Message("engine.types-not-found")):
        for start in range(0, len(unknown), batch):
            inferred = finder.find(unknown[start : start + batch])
            types |= {fields[i].name: kind for i, kind in inferred.items()}
        for i, field in enumerate(fields):
            if field.kind == "text" and field.name in given_types:
                finder.check(i, field.name, given_types[field.name])
            if (length := schema[field.name].length) is not None:
                finder.check_length(i, field.name, length)
    return schema.with_types(types)


class _Finder:
    """Asks one table how its texts are written."""

    def __init__(self, relation: Relation) -> None:
        self._relation, self._queries, self._dialect = relation, relation.queries, relation.dialect
        self._source, self._places = relation.source, relation.places

    def find(self, columns: Sequence[int]) -> dict[int, DataType]:
        """Find the types of some columns of text.

        The first rows say which types are possible; then each column is asked over all rows for its narrowest one (the
        order of `FORMS`), and for the next if that fails. A column without values is text.
        """
        types: dict[int, DataType] = {}
        if self._relation.rows <= self._dialect.few_rows:  # one question about everything is faster than several
            fitting = self._fitting([(i, kind) for i in columns for kind in FORMS], set(columns))
            return {i: next((kind for n, kind in fitting if n == i), DataType.TEXT) for i in columns}
        possible, unsure = self._possible(columns)
        while possible:
            asked = list({i: (i, kind) for i, kind in reversed(possible)}.values())
            types |= dict(self._fitting(asked, unsure))
            possible = [pair for pair in possible if pair not in asked and pair[0] not in types]
            unsure = unsure & {i for i, _ in possible}
        return {i: types.get(i, DataType.TEXT) for i in columns}

    def check(self, i: int, name: str, kind: DataType) -> None:
        """Raise for a column whose values do not fit the type that was given."""
        if kind not in ACCEPTED_FORMS:
            return
        right = self._written(i, kind, ACCEPTED_FORMS[kind])
        many = self._relation.one(f"SELECT count(*) FROM {self._source} AS s WHERE NOT ({right})")[0]
        if not many and kind in _DAYS and self._dialect.day_exists("", kind) is None:
            many = sum(not _exists(day) for day in self._days(i))
        if not many:
            return
        first = self._dialect.first_row(self._queries, self._source, f"NOT ({right})")
        if first is None:
            raise SchemaError("database.column-values-not-of-type", name=name, kind=kind.value, count=many)
        raise SchemaError("column.values-not-of-type", name=name, kind=kind.value, count=many, first=first)

    def check_length(self, i: int, name: str, length: int) -> None:
        """Raise for a column with values that are longer than was told."""
        long = f"{self._dialect.characters.format(self._places[i])} > {length}"
        (many,) = self._relation.one(f"SELECT count(*) FROM {self._source} AS s WHERE {long}")
        if many:
            raise SchemaError("column.values-too-long", name=name, length=length, count=many)

    def _possible(self, columns: Sequence[int]) -> tuple[list[_Pair], set[int]]:
        """Return the types that the first rows allow, narrower ones first, and the columns that are blank there."""
        chosen = ", ".join(self._places[i] for i in columns)
        rows = self._queries.run(f"SELECT {chosen} FROM {self._source} AS s LIMIT {_SAMPLE}") if columns else []
        found: list[_Pair] = []
        blank: set[int] = set()
        for at, i in enumerate(columns):
            values = {_text(row[at]).strip(" \t") for row in rows if row[at] is not None} - {""}
            found.extend(
                (i, kind)
                for kind, forms in FORMS.items()
                if any(all(re.fullmatch(form, value) for value in values) for form in forms)
            )
            blank |= set() if values else {i}
        return found, blank

    def _fitting(self, wanted: Sequence[_Pair], unsure: set[int]) -> list[_Pair]:
        """Return those pairs of column and type in which every value fits; `unsure` may have nothing but blanks."""
        asked = [(i, kind, form) for i, kind in wanted for form in FORMS[kind]]
        every = self._dialect.every.format
        questions = [self._asked(i, kind, every(self._written(i, kind, form))) for i, kind, form in asked]
        questions += [every(self._dialect.full_match(self._places[i], _BLANK)) for i in unsure]
        answers = self._relation.one(f"SELECT {', '.join(questions)} FROM {self._source} AS s")
        empty = {i for i, blank in zip(unsure, answers[len(asked) :], strict=True) if blank is None or blank}
        fits = {(i, kind) for (i, kind, _), answer in zip(asked, answers, strict=False) if answer}
        return [pair for pair in wanted if pair in fits and pair[0] not in empty and self._days_exist(*pair)]

    def _asked(self, i: int, kind: DataType, question: str) -> str:
        """Return a question, or of many days one about those that differ."""
        different = f"(SELECT {question} FROM (SELECT DISTINCT {self._places[i]} FROM {self._source}) AS s)"
        return different if kind is DataType.DATE and 0 < self._dialect.many_days < self._relation.rows else question

    def _days_exist(self, i: int, kind: DataType) -> bool:
        """Say whether all days exist, where the database itself can't say it."""
        asked = kind in _DAYS and self._dialect.day_exists(self._places[i], kind) is None
        return not asked or all(map(_exists, self._days(i)))

    def _written(self, i: int, kind: DataType, form: str) -> str:
        """Return whether a value is written in a form, blanks around it aside; a day must also exist.

        Blanks are part of the pattern, which is several times faster than trimming every value first.
        """
        place = self._places[i]
        written = self._dialect.full_match(place, f"{_BLANK}({form})?{_BLANK}")
        exists = self._dialect.day_exists(place, kind) if kind in _DAYS else None
        return f"{written} AND ({exists} OR {self._dialect.trimmed.format(place)} = '')" if exists else written

    def _days(self, i: int) -> list[str]:
        place = self._places[i]
        blank = self._dialect.full_match(place, _BLANK)
        rows = self._queries.run(f"SELECT DISTINCT {place} FROM {self._source} AS s WHERE NOT ({blank})")
        return [_text(row[0]) for row in rows]


def _exists(text: str) -> bool:
    try:
        date.fromisoformat(text.strip(" \t")[:10])
    except ValueError:
        return False
    return True


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
