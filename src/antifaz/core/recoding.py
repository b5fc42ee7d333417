"""A recoding: what a method decided, as plain data that any engine can apply."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ColumnRecoding:
    """What each value of one column becomes. `values[i]` (as read) is released as `labels[i]`; None is missing.

    `keeps_type` says that nothing is generalized: the column goes out in the type it came in.
    """

    column: str
    values: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    keeps_type: bool = False


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """What every value becomes, which columns go, and which classes are left out whole."""

    columns: tuple[ColumnRecoding, ...]
    dropped: tuple[str, ...] = ()
    #: Classes left out, each as its labels in the order of `columns`.
    suppressed: tuple[tuple[str | None, ...], ...] = field(default=(), repr=False)
