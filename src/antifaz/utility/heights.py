"""Height and precision: how far up its hierarchy each released value is."""

from __future__ import annotations

from antifaz.counting.generalization import Generalization


def height(table: Generalization) -> float:
    """Return the mean over records of the summed share of each hierarchy that was climbed (0 to the number of QIs)."""
    if not table.rows:
        return 0.0
    return sum(_climbed(table)) / table.rows


def precision(table: Generalization) -> float:
    """Return 1 minus the mean share of each hierarchy that was climbed: 1 is untouched (Sweeney 2002)."""
    if not table.rows or not table.ladders:
        return 1.0
    return 1 - height(table) / len(table.ladders)


def _climbed(table: Generalization) -> list[float]:
    """Per attribute, the sum over records of level/height; a suppressed record climbs to the top."""
    kept = table.rows - table.suppressed
    return [
        kept * level / ladder.height + table.suppressed if ladder.height else float(table.suppressed)
        for ladder, level in zip(table.ladders, table.levels, strict=True)
    ]
