"""The hierarchy of one attribute: what each value generalizes to, level by level, up to one root."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical_values

#: The labels of a level, each once, in the order in which rows have them, and the place of each row's label.
EncodedLevel = tuple[Sequence[str], Codes]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """What each value of an attribute generalizes to. Missing is never a leaf: the caller decides about it.

    `levels[h]` holds the labels of level h: the leaves at 0, the one root at the end. `up[h][leaf]` is the position in
    `levels[h]` of the label that the leaf generalizes to. The same text may be a label of several levels.
    """

    levels: tuple[tuple[str, ...], ...]
    up: tuple[Codes, ...]

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[str]],
        *,
        kind: DataType = DataType.TEXT,
        suppression: bool = False,
        lines: Sequence[int] | None = None,
        word: str = "line",
    ) -> Self:
        """Make a hierarchy from one row per leaf: the leaf, its label at level 1, …, the root; or say what is wrong.

        `kind` is the type of the column: leaves of a numeric column are spelled as its values are. `suppression` puts
        a level of '*' on top, so the rows themselves need no common root. `lines` and `word` say how errors name a
        row: by default as 'line 1', 'line 2', ….
        """

        def name(position: int) -> str:
            return Message(f"hierarchy.{word}", number=position + 1 if lines is None else lines[position])

        return cls(*_encode(_columns(rows, name), kind, name))._with_root(suppression)

    @classmethod
    def from_columns(
        cls, columns: Sequence[EncodedLevel], *, kind: DataType = DataType.TEXT, suppression: bool = False
    ) -> Self:
        """Make a hierarchy from one column per level, in which each distinct label stands once; as `from_rows` does."""
        if not columns[0][0]:
            raise HierarchyError("hierarchy.without-values")

        def name(position: int) -> str:
            return Message("hierarchy.line", number=position + 1)

        return cls(*_encode(columns, kind, name))._with_root(suppression)

    def _with_root(self, suppression: bool) -> Self:
        made = self.with_suppression() if suppression else self
        if len(made.levels[-1]) != 1:
            raise HierarchyError("hierarchy.no-single-root", values=made.levels[-1], levels=len(made.levels[-1]))
        return made

    @property
    def height(self) -> int:
        """How many levels there are above the leaves."""
        return len(self.levels) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values that the hierarchy covers, in their order."""
        return self.levels[0]

    @cached_property
    def _index(self) -> dict[str, int]:
        return dict(zip(self.leaves, range(len(self.leaves)), strict=True))

    def index(self) -> dict[str, int]:
        """Return the position of each leaf (made once; not to be changed)."""
        return self._index

    def parents(self, h: int) -> Codes:
        """Return for each label of level h the position of its parent in level h + 1."""
        self._require(h, self.height - 1)
        parents = np.empty(len(self.levels[h]), dtype=np.int32)
        parents[self.up[h]] = self.up[h + 1]
        return parents

    def leaf_counts(self, h: int) -> Ints:
        """Return for each label of level h how many leaves lie under it."""
        self._require(h, self.height)
        return np.bincount(self.up[h], minlength=len(self.levels[h])).astype(np.int64)

    def label(self, value: str, h: int) -> str:
        """Return what a value generalizes to at level h."""
        self._require(h, self.height)
        position = self._index.get(value)
        if position is None:
            raise HierarchyError("hierarchy.value-not-a-leaf", values=(value,))
        return self.levels[h][int(self.up[h][position])]

    def paths(self) -> list[tuple[str, ...]]:
        """Return one row per leaf: the leaf, its label at level 1, …, the root (what `from_rows` takes)."""
        levels = zip(self.levels, self.up, strict=True)
        return list(zip(*([labels[code] for code in codes.tolist()] for labels, codes in levels), strict=True))

    def with_suppression(self) -> Self:
        """Return the hierarchy with a level of '*' on top, or itself when its root is '*' already."""
        if self.levels[-1] == (ANY,):
            return self
        top = np.zeros(len(self.leaves), dtype=np.int32)
        return type(self)((*self.levels, (ANY,)), (*self.up, top))

    def missing_from(self, values: Iterable[str]) -> tuple[str, ...]:
        """Return, sorted, those of the values that are not leaves."""
        return tuple(sorted(set(values) - self._index.keys()))

    def cover(self, values: Iterable[str], column: str) -> None:
        """Raise unless every value is a leaf; the error's `values` holds those that are not."""
        missing = self.missing_from(values)
        if missing:
            raise HierarchyError("hierarchy.misses-values", values=missing, column=column, count=len(missing))

    def _require(self, h: int, most: int) -> None:
        if not 0 <= h <= most:
            raise HierarchyError("hierarchy.no-such-level", level=h, most=most)


#: Names the row at a position in errors: 'line 3'.
Namer = Callable[[int], str]


def _columns(rows: Sequence[Sequence[str]], name: Namer) -> list[EncodedLevel]:
    """Return the columns of rows; raise where rows have none, or differ in length."""
    if not rows:
        raise HierarchyError("hierarchy.without-values")
    width = len(rows[0])
    if width == 0:
        raise HierarchyError("hierarchy.label-empty", where=name(0))
    odd = next((i for i, row in enumerate(rows) if len(row) != width), None)
    if odd is not None:
        what, length = name(odd), len(rows[odd])
        raise HierarchyError("hierarchy.row-of-other-length", what=what, row=length, name=name(0), width=width)
    return [_column(column, level, name) for level, column in enumerate(zip(*rows, strict=True))]


def _column(column: tuple[str, ...], level: int, name: Namer) -> EncodedLevel:
    """Return a column's labels and the place of each row's; raise where one is no text."""
    odd = next((i for i, text in enumerate(column) if not isinstance(text, str)), None)
    if odd is not None:
        raise HierarchyError("hierarchy.row-has-label-not-text", what=name(odd), level=level)
    return encoded(column)


def encoded(labels: Sequence[str]) -> EncodedLevel:
    """Return the distinct labels in order of appearance, and the place of each row's."""
    texts = tuple(dict.fromkeys(labels))
    place = dict(zip(texts, range(len(texts)), strict=True))
    return texts, np.fromiter(map(place.__getitem__, labels), np.int32, len(labels))


def _encode(
    columns: Sequence[EncodedLevel], kind: DataType, name: Namer
) -> tuple[tuple[tuple[str, ...], ...], tuple[Codes, ...]]:
    """Return the labels of each level, and per level the label of each row; raise for what is not a hierarchy."""
    levels: list[tuple[str, ...]] = []
    up: list[Codes] = []
    for level, column in enumerate(columns):
        labels, codes = _canonical(column, level, kind if level == 0 else DataType.TEXT, name)
        if level == 0:
            _leaves_once(labels, codes, name)
        elif level > 1:  # a leaf has one row, so it has one parent
            _one_parent(levels[-1], up[-1], codes, level - 1, name)
        levels.append(labels)
        up.append(codes)
    return tuple(levels), tuple(up)


def _canonical(column: EncodedLevel, level: int, kind: DataType, name: Namer) -> tuple[tuple[str, ...], Codes]:
    """Return the distinct canonical labels in order of appearance, and each row's position among them."""
    texts, codes = column
    clean = canonical_values(texts, kind)
    distinct = dict.fromkeys(clean)
    if None in distinct:
        empty = np.isin(codes, [place for place, label in enumerate(clean) if label is None])
        raise HierarchyError("hierarchy.row-has-empty-label", what=name(int(np.argmax(empty))), level=level)
    labels = cast("tuple[str, ...]", tuple(distinct))
    if len(labels) == len(texts):
        return labels, codes
    position: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
    return labels, np.fromiter(map(position.__getitem__, clean), dtype=np.int32, count=len(clean))[codes]


def _leaves_once(labels: tuple[str, ...], codes: Codes, name: Namer) -> None:
    if len(labels) == len(codes):
        return
    first = _first_rows(codes, len(labels))
    again = np.flatnonzero(first[codes] != np.arange(len(codes)))
    more = Message("hierarchy.lines-repeat-value", again=len(again)) if len(again) > 1 else ""
    repeated = sorted({labels[code] for code in codes[again].tolist()})
    what, before = name(int(again[0])), name(int(first[codes[again[0]]]))
    raise HierarchyError("hierarchy.row-repeats-value", repeated, what=what, name=before, more=more)


def _one_parent(labels: tuple[str, ...], codes: Codes, above: Codes, level: int, name: Namer) -> None:
    first = _first_rows(codes, len(labels))
    torn = np.flatnonzero(above[first][codes] != above)
    if not len(torn):
        return
    row = int(torn[0])
    raise HierarchyError(
        "hierarchy.label-under-two-labels", values=sorted({labels[code] for code in codes[torn].tolist()}),
        what=name(int(first[codes[row]])), name=name(row), level=level, level2=level + 1,
    )  # fmt: skip


def _first_rows(codes: Codes, count: int) -> Ints:
    """Return the first row of each code: written from the end, so that the first one stays."""
    first = np.empty(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first
