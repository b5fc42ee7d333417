"""Rows of labels become codes, once they are known to be a hierarchy.

Errors name lines and levels. Leaves are values of the data, so messages never quote one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.core.values import canonical

Codes = NDArray[np.int32]
Namer = Callable[[int], str]


def line_namer(lines: Sequence[int] | None, word: str) -> Namer:
    """Return what names the row at a position in errors: 'line 3'."""
    return lambda position: f"{word} {position + 1 if lines is None else lines[position]}"


def encode(
    rows: Sequence[Sequence[str]], kind: DataType, name: Namer
) -> tuple[tuple[tuple[str, ...], ...], tuple[Codes, ...]]:
    """Return the labels of each level, and per level the label of each row; raise for what is not a hierarchy."""
    _same_width(rows, name)
    levels: list[tuple[str, ...]] = []
    up: list[Codes] = []
    for level, column in enumerate(zip(*rows, strict=True)):
        labels, codes = _column(column, level, kind if level == 0 else DataType.TEXT, name)
        if level == 0:
            _leaves_once(labels, codes, name)
        elif level > 1:  # a leaf has one row, so it has one parent
            _one_parent(levels[-1], up[-1], codes, level - 1, name)
        levels.append(labels)
        up.append(codes)
    return tuple(levels), tuple(up)


def _same_width(rows: Sequence[Sequence[str]], name: Namer) -> None:
    if not rows:
        raise HierarchyError("hierarchy.without-values")
    width = len(rows[0])
    if width == 0:
        raise HierarchyError("hierarchy.label-empty", where=_said(name(0)))
    for position, row in enumerate(rows):
        if len(row) != width:
            raise HierarchyError(
                "hierarchy.row-of-other-length", what=_said(name(position)), row=len(row), name=name(0), width=width
            )


def _column(column: tuple[str, ...], level: int, kind: DataType, name: Namer) -> tuple[tuple[str, ...], Codes]:
    """Return the distinct canonical labels in order of appearance, and each row's position among them."""
    odd = next((i for i, text in enumerate(column) if not isinstance(text, str)), None)
    if odd is not None:
        raise HierarchyError("hierarchy.row-has-label-not-text", what=_said(name(odd)), level=level)
    clean = {text: canonical(text, kind) for text in dict.fromkeys(column)}
    if None in clean.values():
        empty = next(i for i, text in enumerate(column) if clean[text] is None)
        raise HierarchyError("hierarchy.row-has-empty-label", what=_said(name(empty)), level=level)
    labels = tuple(label for label in dict.fromkeys(clean.values()) if label is not None)
    position = {label: code for code, label in enumerate(labels)}
    code_of = {text: position[label] for text, label in clean.items() if label is not None}
    return labels, np.fromiter((code_of[text] for text in column), dtype=np.int32, count=len(column))


def _leaves_once(labels: tuple[str, ...], codes: Codes, name: Namer) -> None:
    if len(labels) == len(codes):
        return
    first = _first_rows(codes, len(labels))
    again = np.flatnonzero(first[codes] != np.arange(len(codes)))
    more = f" ({len(again)} lines repeat a value)" if len(again) > 1 else ""
    raise HierarchyError(
        "hierarchy.row-repeats-value",
        values=sorted({labels[code] for code in codes[again].tolist()}),
        what=_said(name(int(again[0]))),
        name=name(int(first[codes[again[0]]])),
        more=more,
    )


def _one_parent(labels: tuple[str, ...], codes: Codes, above: Codes, level: int, name: Namer) -> None:
    first = _first_rows(codes, len(labels))
    torn = np.flatnonzero(above[first][codes] != above)
    if not len(torn):
        return
    row = int(torn[0])
    raise HierarchyError(
        "hierarchy.label-under-two-labels",
        values=sorted({labels[code] for code in codes[torn].tolist()}),
        what=_said(name(int(first[codes[row]]))),
        name=name(row),
        level=level,
        level2=level + 1,
    )


def _first_rows(codes: Codes, count: int) -> NDArray[np.int64]:
    """Return the first row of each code: written from the end, so that the first one stays."""
    first = np.empty(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def _said(name: str) -> str:
    return name[:1].upper() + name[1:]
