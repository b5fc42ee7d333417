"""Make adult.csv out of your own copy of Adult: python prepare.py adult.data

Takes the file as UCI has it (adult.data: no header) or a CSV with a header, gzipped or not. Keeps the eight
quasi-identifiers and the income; takes off the blanks around values; fills what is missing (`?`) with the most frequent
value of its column; spells two countries as the tree does.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import Counter
from pathlib import Path

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "income",
)  # fmt: skip
#: The columns of adult.data, which has no header.
UCI = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
#: What some copies call them.
OTHER_NAMES = {"gender": "sex", "class": "income", "salary": "income"}
COUNTRIES = {"Outlying-US(Guam-USVI-etc)": "Outlying-US", "Trinadad&Tobago": "Trinidad&Tobago"}
MISSING = "?"


def read(path: Path) -> list[dict[str, str]]:
    """Return the records, with the names of columns used here and without blanks around values."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
    names = [OTHER_NAMES.get(name, name) for name in lines[0]]
    if "age" in names:
        lines = lines[1:]
    else:
        names = list(UCI)
    return [dict(zip(names, line, strict=True)) for line in lines]


def prepare(records: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the records with the columns wanted, nothing missing and the countries spelled as in the tree."""
    usual = {
        name: Counter(record[name] for record in records if record[name] != MISSING).most_common(1)[0][0]
        for name in COLUMNS
    }
    filled = [
        {name: usual[name] if record[name] == MISSING else record[name] for name in COLUMNS} for record in records
    ]
    return [
        record | {"native-country": COUNTRIES.get(country := record["native-country"], country)} for record in filled
    ]


def write(records: list[dict[str, str]], path: Path) -> None:
    """Write the records as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python prepare.py YOUR-COPY-OF-ADULT")
    write(prepare(read(Path(sys.argv[1]))), Path(__file__).with_name("adult.csv"))
