"""Make adult.csv out of made-up people, so that the example runs without the real one: python make_up.py [ROWS]

The people are those of `antifaz.datasets`. What Adult calls otherwise gets one of the trees' words: the most frequent
value the first leaf, and so on round, so that columns stay as skewed as they are.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from antifaz.datasets import people

HERE = Path(__file__).parent
#: Adult's columns, and whose values they are made from.
FROM = {
    "sex": "sex",
    "marital-status": "marital_status",
    "education": "education",
    "native-country": "country",
    "occupation": "occupation",
}


def leaves(node: dict[str, Any]) -> list[str]:
    """Return the values at the ends of a tree."""
    children = node.get("children")
    return [leaf for child in children for leaf in leaves(child)] if children else [node["value"]]


def tree(column: str) -> list[str]:
    """Return the leaves of a column's tree."""
    return leaves(json.loads((HERE / f"{column}.json").read_text(encoding="utf-8")))


def renamed(values: list[str], words: list[str]) -> list[str]:
    """Give every value one of the words, the most frequent the first."""
    ranks = {value: i for i, (value, _) in enumerate(Counter(values).most_common())}
    return [words[ranks[value] % len(words)] for value in values]


def made_up(rows: int) -> dict[str, list[str]]:
    """Return the columns of the example."""
    table, chance = people(rows, seed=1), random.Random(1)  # noqa: S311 - nobody's secret hangs on it
    columns = {new: renamed(table[old].to_pylist(), tree(new)) for new, old in FROM.items()}
    columns["age"] = [str(min(max(age, 17), 90)) for age in table["age"].to_pylist()]
    for name in ("race", "workclass"):
        words = tree(name)
        columns[name] = chance.choices(words, [1 / (1 + i) ** 2 for i in range(len(words))], k=rows)
    columns["income"] = [">50K" if income > 50_000 else "<=50K" for income in table["income"].to_pylist()]
    return columns


if __name__ == "__main__":
    made = made_up(int(sys.argv[1]) if len(sys.argv) > 1 else 30_000)
    with (HERE / "adult.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(made)
        writer.writerows(zip(*made.values(), strict=True))
