"""The result of a recount, and what counts as one sensitive value: what the auditors of all engines share.

Nothing here is shared with the counting that the methods use: the policy on equal values is written a second time. Two
programs that were written apart must agree before a table leaves.

The policy. Quasi-identifiers are compared byte by byte, because a recipient can tell apart whatever differs; missing is
a value of its own, and not the empty text. Columns that hold numbers as numbers are compared by value. Sensitive values
are folded first (`fold`), because a reader takes four spellings of one disease for one disease.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.counted_people import CountedPeople
from antifaz.core.errors import DataError, HierarchyError, SchemaError, hint

#: The attribute that tells released rows from people, and its two values; no file brings it along by accident.
ROW_KIND, RELEASED, PERSON = "antifaz side", "released", "person"
_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,6}))?")
#: How the names of further characters begin that show nothing.
_UNSEEN = (
    "VARIATION SELECTOR-", "MONGOLIAN FREE VARIATION SELECTOR", "COMBINING GRAPHEME JOINER", "KHMER VOWEL INHERENT",
    "HANGUL FILLER", "HANGUL CHOSEONG FILLER", "HANGUL JUNGSEONG FILLER", "HALFWIDTH HANGUL FILLER",
)  # fmt: skip
#: Numbers with more leading or trailing zeros than this keep their exponent, or their label would fill a page.
_PLAIN = 400


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """How often each sensitive value occurs in each class: one entry per pair that occurs, by class and value.

    `labels` says what each value id stands for, after folding; None is the missing value.
    """

    classes: Ints
    values: Ints
    counts: Ints
    labels: tuple[str | None, ...]

    @cached_property
    def numeric(self) -> bool:
        """Whether all values that are not missing are numbers."""
        known = [label for label in self.labels if label is not None]
        return bool(known) and all(number(label) is not None for label in known)

    @property
    def totals(self) -> dict[str | None, int]:
        """How often each value occurs in the whole table."""
        sums = np.zeros(len(self.labels), dtype=np.int64)
        np.add.at(sums, self.values, self.counts)
        return {label: int(total) for label, total in zip(self.labels, sums, strict=True)}


@dataclass(frozen=True, eq=False)
class Recount:
    """What a table holds, counted from its rows alone; classes are in the order of their values."""

    rows: int
    columns: tuple[str, ...]
    #: Records per class.
    sizes: Ints
    #: Per sensitive attribute.
    cells: Mapping[str, SensitiveCounts]
    #: Per quasi-identifier, every value that occurs, as text.
    values: Mapping[str, frozenset[str | None]] = field(default_factory=dict)
    #: Per quasi-identifier, the value of every class as a number, -1 where it is missing; only where it was asked for.
    classes: Mapping[str, Ints] | None = None
    #: The sum of the hashes of all rows, as the writer took it; only where it was asked for.
    fingerprint: int | None = None
    #: The released rows and the people of a population counted together by the quasi-identifiers, where asked for; the
    #: one sensitive attribute says of each which of the two it is.
    population: "Recount | None" = None
    #: Who is in which class, where person keys were given.
    people: CountedPeople | None = None


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows that were counted where they are, for an auditor elsewhere to go on with.

    `atoms` is an Arrow table of texts: quasi-identifiers q0, q1, …, sensitive attributes s0, s1, …, and the count n.
    """

    columns: tuple[str, ...]
    atoms: Any


def require_columns(names: Iterable[str], columns: Sequence[str]) -> None:
    """Raise unless a table has columns of different names, these among them."""
    if len(set(columns)) < len(columns):
        raise DataError("table.checked-has-column-twice")
    if not columns:
        raise DataError("table.checked-no-columns")
    for name in names:
        if name not in columns:
            raise SchemaError("table.checked-lacks-column", name=name, hint=hint(name, columns))


def read_header(lines: Iterable[str], delimiter: str, file: str) -> list[str]:
    """Return the names in the first record of text in our dialect."""
    try:
        names = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
        "".join(names).encode()
    except (csv.Error, UnicodeError):
        raise DataError("table.header-not-readable", file=file) from None
    return names


def coded(column: Any) -> Ints:
    """Give every value of an Arrow column a number: the same to equal ones, -1 to missing ones."""
    import pyarrow.compute as pc

    indices = pc.dictionary_encode(column.combine_chunks()).indices
    return np.asarray(pc.fill_null(indices, -1).to_numpy(zero_copy_only=False), np.int64)


def fold(text: str | None) -> str | None:
    """Return what a reader takes a sensitive value for: no case, nothing invisible, one spelling per number.

    Blanks around it don't count, nor how many stand between words. Missing, empty and blank are one value, None.
    """
    folded, before = text or "", None
    # Casefolding can undo a normal form, and the other way round; two or three rounds settle it.
    while folded != before:
        before = folded
        seen = "".join(c for c in folded if not _unseen(c))
        folded = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", seen).casefold()).strip()
    return (number(folded) or folded) if folded else None


def _unseen(character: str) -> bool:
    """Say whether a reader sees nothing of a character: formats (Cf), selectors of variants, fillers."""
    if character.isascii():
        return False
    return unicodedata.category(character) == "Cf" or unicodedata.name(character, "").startswith(_UNSEEN)


def fold_spellings(spellings: Sequence[str | None]) -> tuple[tuple[str | None, ...], list[int]]:
    """Return what spellings mean, in order and missing last, and for each spelling the place of its meaning."""
    meanings = [fold(spelling) for spelling in spellings]
    labels = sorted(set(meanings), key=lambda label: (label is None, label or ""))
    ids = {label: i for i, label in enumerate(labels)}
    return tuple(labels), [ids[meaning] for meaning in meanings]


def fold_tree(tree: Mapping[str | None, Sequence[str]]) -> dict[str | None, tuple[str, ...]]:
    """Fold the leaves of a sensitive attribute's tree (leaf to the labels above it), as its values are folded."""
    folded: dict[str | None, tuple[str, ...]] = {}
    for leaf, above in tree.items():
        if folded.setdefault(fold(leaf), tuple(above)) != tuple(above):
            raise HierarchyError("verifier.spellings-have-different-ancestors", values=[leaf or ""])
    return folded


def number(text: str) -> str | None:
    """Return the one spelling of a decimal number (`1` for `1.0`, `01`, `+1`, `10e-1`), or None for other text."""
    parts = _NUMBER.fullmatch(text)
    if parts is None or not (parts[2] or parts[3]):
        return None
    exponent = int(parts[4] or 0) - len(parts[3] or "")
    digits = "".join(str(unicodedata.digit(digit)) for digit in parts[2] + (parts[3] or "")).lstrip("0")
    if not digits:
        return "0"
    exponent += len(digits) - len(digits.rstrip("0"))
    digits, sign = digits.rstrip("0"), "-" if parts[1] == "-" else ""
    if abs(exponent + len(digits) - 1) > _PLAIN:
        return f"{sign}{digits}e{exponent}"
    if exponent >= 0:
        return sign + digits + "0" * exponent
    padded = digits.rjust(1 - exponent, "0")
    return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
