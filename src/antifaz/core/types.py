"""Data types: how the text of a column is to be understood."""

from enum import StrEnum


class DataType(StrEnum):
    """How the values of a column are to be understood (never how they are stored: text stays text)."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DATETIME = "datetime"
    BOOLEAN = "boolean"

    @property
    def is_number(self) -> bool:
        """Whether values can be added and averaged."""
        return self in (DataType.INTEGER, DataType.DECIMAL)

    @property
    def is_ordered(self) -> bool:
        """Whether 'between' means something."""
        return self.is_number or self in (DataType.DATE, DataType.DATETIME)
