"""A verifier of its own: plain SQL in the SQLite of Python's library, on the file that was released.

It shares nothing with antifaz, not even a reader. A cell that is empty is a value like others.
"""

from __future__ import annotations

import csv
import math
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

#: For every class: how many records, and how many of each sensitive value.
_CLASSES = "SELECT {qis}, count(*) AS n FROM released GROUP BY {qis}"
_VALUES = "SELECT {qis}, sick, count(*) AS m FROM released GROUP BY {qis}, sick"
#: Both together, with how frequent the value is in the class (q) and among all people (p).
_SHARES = (
    "SELECT c.*, v.sick, v.m, 1.0 * v.m / c.n AS q, a.p FROM ({classes}) AS c JOIN ({values}) AS v ON {same} "
    "JOIN (SELECT sick, 1.0 * count(*) / (SELECT count(*) FROM people) AS p FROM people GROUP BY sick) AS a "
    "ON a.sick = v.sick"
)
#: What is asked of the classes, by model: a statement that returns the worst of them, and whether more is better.
WORST = {
    "k": ("SELECT min(n) FROM ({classes})", True),
    "distinct": ("SELECT min(l) FROM (SELECT count(*) AS l FROM ({values}) GROUP BY {qis})", True),
    "entropy": ("SELECT min(e) FROM (SELECT exp(-sum(q * ln(q))) AS e FROM ({shares}) GROUP BY {qis})", True),
    "alpha": ("SELECT max(q) FROM ({shares})", False),
    "t": ("SELECT max(d) FROM (SELECT sum(max(q - p, 0)) AS d FROM ({shares}) GROUP BY {qis})", False),
    "beta": ("SELECT max((q - p) / p) FROM ({shares})", False),
}


def worst(release: Path, people: Sequence[Mapping[str, Any]], qis: Sequence[str], model: str) -> float:
    """Return the worst value of a model over all classes of a released CSV file."""
    statement, _ = WORST[model]
    names = ", ".join(f'"{name}"' for name in qis)
    parts = {
        "qis": names,
        "classes": _CLASSES.format(qis=names),
        "values": _VALUES.format(qis=names),
        "same": " AND ".join(f'c."{name}" = v."{name}"' for name in qis),
    }
    with closing(sqlite3.connect(":memory:")) as link, link:
        link.create_function("ln", 1, math.log)
        link.create_function("exp", 1, math.exp)
        with release.open(encoding="utf-8", newline="") as file:
            _fill(link, "released", list(csv.DictReader(file)))
        _fill(link, "people", people)
        (found,) = link.execute(statement.format(**parts, shares=_SHARES.format(**parts))).fetchone()
    link.close()
    return float(found)


def _fill(link: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    names = list(rows[0])
    link.execute(f"CREATE TABLE {table} ({', '.join(names)})")
    marks = ", ".join("?" * len(names))
    cells = [["" if row[name] is None else str(row[name]) for name in names] for row in rows]
    link.executemany(f"INSERT INTO {table} VALUES ({marks})", cells)
