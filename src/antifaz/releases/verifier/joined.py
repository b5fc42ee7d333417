"""Judge several tables joined by the key of their people: the rows of a person are those in all of them.

What somebody may know is any choice of a person's rows, from any of the tables, each by its class and its table.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from typing import Any

from antifaz.core.folding import fold_key

#: Of each group of rows that are alike in one table: its class, whose rows they are, and how many.
Rows = Iterable[tuple[Hashable, str | None, int]]


def fewest_in_join(tables: Mapping[str, Rows], rows: Any, k: int) -> tuple[int | None, int, int]:
    """Return the fewest people who share what may be known of anybody; how many share it with fewer; and all people.

    `rows` is how many rows of a person may be known, or 'all'. Spellings of a key are one person, and
    so are those without a key.
    """
    own: dict[str, list[tuple[str, str]]] = {}
    for name, counted in tables.items():
        for one, person, number in counted:
            own.setdefault(fold_key(person), []).extend([(name, repr(one))] * number)
    shared: Counter[tuple[tuple[str, str], ...]] = Counter()
    for classes in own.values():
        shared.update(_known_rows(classes, rows))
    rare = {choice for choice, number in shared.items() if number < k}
    failing = sum(not rare.isdisjoint(_known_rows(classes, rows)) for classes in own.values())
    return min(shared.values(), default=None), failing, len(own)


def _known_rows(classes: list[tuple[str, str]], rows: Any) -> set[tuple[tuple[str, str], ...]]:
    ordered = sorted(classes)
    if rows == "all":
        return {tuple(ordered)}
    return {choice for number in range(1, rows + 1) for choice in combinations(ordered, number)}
