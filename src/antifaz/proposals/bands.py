"""Bands such as '18-24', '65+' or '< $10,000', put in order and neighbours together."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

#: The least and the greatest number of a band; None where it is open.
Band = tuple[Decimal | None, Decimal | None]

_ORDER = re.compile(r"^\d{1,2}[_):] ?")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_BELOW = re.compile(
    r"^\W*(<|≤|less|under|below|up to|menos|hasta|menys|fins|moins|jusqu|weniger|unter|bis|meno|fino|até)", re.I
)
_ABOVE = re.compile(
    r"^\W*(>|≥|more|over|above|mas de|más de|més de|plus de|mehr|über|più|mais)|\d\s*\+|"
    r"(or|and) (more|over|above|older)|(o|y) (más|mas)|i més|(et|ou) plus|(und|oder) mehr|e più|(e|ou) mais",
    re.I,
)
#: Fewer bands than this are better left as they are.
FEWEST = 4


def read_band(text: str) -> Band | None:
    """Return the ends of a band; None of what is none."""
    plain = _ORDER.sub("", text.strip())
    numbers = [Decimal(number.replace(",", "")) for number in _NUMBER.findall(plain)]
    if len(numbers) == 1 and _BELOW.search(plain):
        return None, numbers[0]
    if len(numbers) == 1 and _ABOVE.search(plain):
        return numbers[0], None
    if len(numbers) == 2 and numbers[0] < numbers[1]:
        return numbers[0], numbers[1]
    return None


def in_order(values: Sequence[str]) -> list[str] | None:
    """Return values that are all bands, apart from each other, in their order; None where one is none."""
    bands = {value: read_band(value) for value in values}
    known = {value: band for value, band in bands.items() if band is not None}
    if len(known) < len(values) or len(values) < FEWEST:
        return None
    ordered = sorted(known, key=lambda value: _key(known[value]))
    return ordered if _apart([known[value] for value in ordered]) else None


def band_levels(values: Sequence[str]) -> list[dict[str, list[str]]] | None:
    """Return levels of groups, two neighbouring bands and then four; what is no band stays by itself."""
    bands = {value: band for value in values if (band := read_band(value)) is not None}
    ordered = sorted(bands, key=lambda value: _key(bands[value]))
    if len(ordered) < max(FEWEST, 0.6 * len(values)) or not _apart([bands[value] for value in ordered]):
        return None
    others = [value for value in values if value not in bands]
    levels: list[dict[str, list[str]]] = []
    groups = [[value] for value in ordered]
    labels = ordered
    while len(groups) > 2:
        pairs = [range(i, min(i + 2, len(groups))) for i in range(0, len(groups), 2)]
        merged = [[value for i in pair for value in groups[i]] for pair in pairs]
        names = [_label(group, bands) if len(group) > 1 else group[0] for group in merged]
        level = {name: [labels[i] for i in pair] for name, pair in zip(names, pairs, strict=True)}
        levels.append(level | {other: [other] for other in others})
        groups, labels = merged, names
    return levels


def _key(band: Band) -> tuple[Decimal, Decimal]:
    low, high = band
    return (Decimal("-Infinity") if low is None else low, Decimal("Infinity") if high is None else high)


def _apart(bands: Sequence[Band]) -> bool:
    """Say whether every band begins where the one before has ended; an end may be named twice."""
    return all(high is not None and low is not None and high <= low for (_, high), (low, _) in pairwise(bands))


def _label(group: Sequence[str], bands: dict[str, Band]) -> str:
    (low, _), (_, high) = bands[group[0]], bands[group[-1]]
    if low is None:
        return f"≤ {high}"
    return f"≥ {low}" if high is None else f"{low}–{high}"
