"""What is known of one column before its role is proposed: the words of its name, its counts, what its values are.

Everything is worked out from a profile and some rows, once, when a rule asks for it. Rows are those at the start of the
table: enough to know what values are, while how many different ones there are is counted over all rows.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.types import DataType
from antifaz.proposals import recognition
from antifaz.proposals.names import name_words
from antifaz.proposals.value_kinds import KINDS, is_missing, is_number, stands_besides, whole_numbers
from antifaz.proposals.words import Vocabulary, find_entry

#: Different values of a column that are looked at.
LOOKED_AT = 300
#: A header of so many words, or with a question mark, is a question of a survey.
QUESTION = 7
#: From this share of the values on, a column is of a kind.
MOST = 0.8


class ColumnClues:
    """A column as the rules see it."""

    def __init__(self, column: ColumnProfile, cells: Sequence[str | None] | None = None) -> None:
        """`cells` are those of the column in some rows; without rows the common values of the profile stand in."""
        self.column = column
        self.words = name_words(column.name)
        shown = [value for value, n in column.common for _ in range(n)] if cells is None else cells
        self._cells = len(shown)
        #: How often each value occurs in these rows, words for 'no value' left out.
        self.counts = Counter(value for value in shown if value is not None and not is_missing(value))
        self._shares: dict[str, float] = {}

    @cached_property
    def values(self) -> list[str]:
        """Different values, the most frequent first."""
        return [value for value, _ in self.counts.most_common(LOOKED_AT)]

    @cached_property
    def present(self) -> int:
        """How many records have a value; cells that only say that there is none are taken off in proportion."""
        present = self.column.rows - self.column.missing
        return present if not self._cells else min(present, round(self.column.rows * self.counts.total() / self._cells))

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        if self._cells >= self.column.rows:
            return len(self.counts)
        return self.column.distinct

    @cached_property
    def unique(self) -> float:
        """The share of the records that have a value, to which a value of their own could belong."""
        return self.distinct / self.present if self.present > 1 else 0.0

    @property
    def is_question(self) -> bool:
        """Whether the name is a whole question."""
        return "?" in self.column.name or len(self.words) >= QUESTION

    @cached_property
    def is_number(self) -> bool:
        """Whether the values are numbers, also those that are stored as text."""
        if self.column.type.is_number:
            return True
        return self.column.type is DataType.TEXT and bool(self.values) and self.share("number") >= 0.9

    @cached_property
    def is_whole(self) -> bool:
        """Whether the values are whole numbers; '31.0' is one."""
        if self.column.type is DataType.INTEGER:
            return True
        return self.is_number and whole_numbers([value for value in self.values if is_number(value)])

    @cached_property
    def numbers(self) -> list[float]:
        """The different numbers, in order; of what is written in an unknown way none."""
        numbers = []
        for value in self.values:
            try:
                numbers.append(float(value.replace(",", ".").strip(" %$€£")))
            except ValueError:
                continue
        return sorted(numbers)

    @cached_property
    def is_code(self) -> bool:
        """Whether values are codes: one word each, with digits, or of one length."""
        words = [value.strip() for value in self.values]
        if self.column.type in (DataType.DATE, DataType.DATETIME, DataType.BOOLEAN):
            return False
        if not words:  # nothing is known against it
            return self.column.type is not DataType.DECIMAL
        whole = sum(" " not in word and len(word) <= 64 for word in words) >= 0.95 * len(words)
        digits = sum(any(map(str.isdigit, word)) for word in words) >= 0.5 * len(words)
        return whole and (digits or len({len(word) for word in words}) == 1) and (self.is_whole or not self.is_number)

    @cached_property
    def words_per_value(self) -> float:
        """How many words a value has, on average over different values."""
        return sum(len(value.split()) for value in self.values) / len(self.values) if self.values else 0.0

    @cached_property
    def is_flag(self) -> bool:
        """Whether there are only two values (yes and no, 0 and 1), or one that is given or not."""
        return self.column.type is DataType.BOOLEAN or (self.distinct <= 2 and self.present >= 10)

    @cached_property
    def choices(self) -> str | None:
        """Return the mark between the choices of a multiple-choice answer: few choices, in many combinations."""
        if self.column.type is not DataType.TEXT or self.is_number:
            return None
        for mark in (";", "|", ", ", ","):
            several = [value for value in self.values if mark in value]
            if len(several) < 0.25 * len(self.values) or len(several) < 3:
                continue
            parts = Counter(part.strip() for value in self.values for part in value.split(mark))
            if parts.total() >= 2 * len(parts) and sum(n > 1 for n in parts.values()) >= 0.3 * len(parts):
                return mark
        return None

    @cached_property
    def people(self) -> float:
        """The share of the values that read as names of people."""
        return recognition.share_of_people(self.values) if self.column.type is DataType.TEXT else 0.0

    def share(self, kind: str) -> float:
        """Return the share of the values that are of a kind."""
        if kind not in self._shares:
            answers = [KINDS[kind](value) for value in self.values if not stands_besides(value)]
            self._shares[kind] = sum(answers) / len(answers) if answers else 0.0
        return self._shares[kind]

    def pattern(self, name: str) -> float:
        """Return the share of the values that have a pattern of the profile."""
        return dict(self.column.patterns).get(name, 0.0)

    def says(self, entries: Vocabulary) -> str | None:
        """Return which entry of a vocabulary the name says."""
        return find_entry(self.words, entries)


def collect(profile: Profile, rows: Sequence[Sequence[str | None]] | None) -> list[ColumnClues]:
    """Return the clues of all columns."""
    return [ColumnClues(column, None if rows is None else [row[i] for row in rows]) for i, column in enumerate(profile)]
