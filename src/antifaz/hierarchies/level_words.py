"""What a level of a hierarchy does to values, in words: "intervals of 10", "first 2 digits", "5 groups".

It is read off the labels, so it holds for hierarchies of any origin, imported ones included.
"""

import re
from collections.abc import Iterable, Sequence
from math import isfinite

from antifaz.core.messages import Message
from antifaz.core.values import ANY
from antifaz.counting.rollup import Ladder
from antifaz.hierarchies.label_forms import read_number, read_stretch

_MASKED = re.compile(r"(?P<shown>[^*]+)\*+")
#: The forms of dates that are cut short, by the code of their words.
_DATES = {
    "level.decades": re.compile(r"[0-9]{3}0s", re.ASCII),
    "level.months": re.compile(r"[0-9]{4}-[0-9]{2}", re.ASCII),
    "level.quarters": re.compile(r"[0-9]{4}-Q[1-4]", re.ASCII),
    "level.weeks": re.compile(r"[0-9]{4}-W[0-9]{2}", re.ASCII),
    "level.years": re.compile(r"[0-9]{4}", re.ASCII),
}


def level_words(labels: Sequence[str | None], level: int) -> Message:
    """Say what becomes of values at a level that has these labels."""
    known = [label for label in labels if label is not None]
    if level == 0:
        return Message("level.exact")
    if set(known) <= {ANY}:
        return Message("level.hidden")
    return _dates(known) or _masked(known) or _intervals(known) or Message("level.groups", count=len(known))


def words_of(ladders: Iterable[Ladder]) -> dict[str, list[Message]]:
    """Return per column what each of its levels does, in words."""
    return {one.column: [level_words(labels, h) for h, labels in enumerate(one.labels)] for one in ladders}


def _dates(labels: Sequence[str]) -> Message | None:
    return next((Message(code) for code, form in _DATES.items() if all(map(form.fullmatch, labels))), None)


def _masked(labels: Sequence[str]) -> Message | None:
    """The characters that are left, where every label shows as many of them."""
    found = [_MASKED.fullmatch(label) for label in labels]
    shown = [match["shown"] for match in found if match is not None]
    if len(shown) < len(labels) or len({len(text) for text in shown}) != 1:
        return None
    code = "level.digits" if all(text.isdigit() for text in shown) else "level.characters"
    return Message(code, count=len(shown[0]))


def _intervals(labels: Sequence[str]) -> Message | None:
    """The width that all intervals have, those without an end aside."""
    widths = set()
    for label in labels:
        stretch = read_stretch(label, read_number)
        if stretch is None or stretch.is_point:
            return None
        if isfinite(stretch.low) and isfinite(stretch.high):
            # [20-29] is ten whole numbers.
            closed = stretch.with_low and stretch.with_high
            widths.add(round(stretch.high - stretch.low + closed, 9))
    return Message("level.intervals", width=_plain(widths.pop())) if len(widths) == 1 else None


def _plain(width: float) -> int | float:
    return int(width) if width.is_integer() else width
