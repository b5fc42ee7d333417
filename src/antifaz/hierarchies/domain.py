"""The values that a column may have, in order, with their places where the column has a scale."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.label_forms import read_number, reader_of

_CODE = re.compile(r"[+-]?0[0-9]+")


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginalDomain:
    """The values that a column may have, in order: numbers and dates by size, others by hierarchy or text; blank last.

    With a hierarchy these are its leaves, of which the data may have fewer.
    """

    column: str
    kind: DataType
    values: tuple[str | None, ...] = field(repr=False)
    #: How many original records have each value.
    counts: Ints = field(repr=False)
    #: The place of each value on the scale of the column, NaN where it has none; None for a column without a scale.
    scale: Floats | None = field(repr=False)
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    #: What each label stands for, where that is given without a hierarchy.
    label_members: Mapping[str, Iterable[str]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def rows(self) -> int:
        """How many original records there are."""
        return int(self.counts.sum())

    @cached_property
    def place(self) -> dict[str | None, int]:
        """Where each value stands."""
        return {value: i for i, value in enumerate(self.values)}

    @property
    def on_scale(self) -> int:
        """How many values, from the first on, have a place on the scale."""
        return 0 if self.scale is None else int((~np.isnan(self.scale)).sum())

    @cached_property
    def records_before(self) -> Ints:
        """How many records have a value before each place; one place more than values."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)


def make_domain(
    column: str, kind: DataType, values: Sequence[str | None], counts: Ints,
    hierarchy: Hierarchy | None = None, label_members: Mapping[str, Iterable[str]] | None = None,
) -> tuple[OriginalDomain, Codes]:  # fmt: skip
    """Return the domain of a column from its distinct values as read, and the place of each of them in it."""
    spelled = [canonical(value, kind) for value in values]
    texts: list[str] = [] if hierarchy is None else [str(canonical(leaf, kind)) for leaf in hierarchy.leaves]
    known = dict.fromkeys([*texts, *sorted({text for text in spelled if text is not None})])
    ordered, scale = _in_order(list(known), kind)
    whole: tuple[str | None, ...] = (*ordered, None) if None in spelled else tuple(ordered)
    place = {value: i for i, value in enumerate(whole)}
    codes = np.fromiter((place[text] for text in spelled), np.int32, len(spelled))
    counted = np.bincount(codes, weights=counts, minlength=len(whole)).astype(np.int64)
    if scale is not None and len(whole) > scale.size:
        scale = np.append(scale, np.nan)
    members = label_members or {}
    domain = OriginalDomain(
        column=column, kind=kind, values=whole, counts=counted, scale=scale, hierarchy=hierarchy, label_members=members
    )
    return domain, codes


def _in_order(texts: list[str], kind: DataType) -> tuple[list[str], Floats | None]:
    read = reader_of(kind)
    if read is None:
        return texts, None
    places = [read(text) for text in texts]
    scale = np.array([np.nan if place is None else place.low for place in places], np.float64)
    order = np.argsort(scale, kind="stable")  # NaN goes last
    return [texts[i] for i in order], scale[order]


def kind_of(values: Iterable[str | None]) -> DataType:
    """Return how text is to be understood whose type nobody told: as numbers or dates if all of it are such.

    Digits with a zero in front, such as those of a postcode, are a code and not a number.
    """
    known = [text for value in values if (text := canonical(value)) is not None]
    for kind, fits in ((DataType.DECIMAL, _is_number), (DataType.DATETIME, _is_moment)):
        if known and all(map(fits, known)):
            return kind
    return DataType.TEXT


def _is_number(text: str) -> bool:
    place = read_number(text)
    return place is not None and place.is_point and "," not in text and _CODE.fullmatch(text) is None


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
