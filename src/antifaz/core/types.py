"""Data types: how the text of a column is to be understood."""

import re
from enum import StrEnum

#: Text of a largest length, in characters: text(5).
SIZED_TEXT = r"^text\([1-9][0-9]{0,8}\)$"


class DataType(StrEnum):
    """How the values of a column are to be understood (never how they are stored: text stays text)."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DATETIME = "datetime"
    BOOLEAN = "boolean"
    #: Several values of one person in a cell: `a;b;c`.
    SET = "set"

    @property
    def is_number(self) -> bool:
        """Whether values can be added and averaged."""
        return self in (DataType.INTEGER, DataType.DECIMAL)

    @property
    def is_ordered(self) -> bool:
        """Whether 'between' means something."""
        return self.is_number or self in (DataType.DATE, DataType.DATETIME)


def split_type(type_text: str) -> tuple[str, int | None]:
    """Return a type and, of text(5), the largest length."""
    if re.fullmatch(SIZED_TEXT, type_text):
        return DataType.TEXT, int(type_text[5:-1])
    return type_text, None
