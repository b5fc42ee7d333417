"""Make up a bank: clients and their accounts, two tables in a database.

    python make_up.py                                     # 5,000 clients in data/bank.db (SQLite), beside this file
    python make_up.py 500000 mariadb://root@localhost/test    # on a server; tables of these names are replaced

Nobody in it exists. The clients have what the bank of the document had: a document number, years with the bank,
children and year of birth, income, education, segment and city.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
FIRST = ("Ana", "Luis", "Marta", "Jorge", "Elena", "Pablo", "Lucía", "Diego", "Sara", "Iván", "Nora", "Hugo")
LAST = ("García", "Rojas", "Díaz", "Mora", "Peña", "Soto", "Vega", "Ruiz", "Castro", "León", "Gil", "Ortiz")
EDUCATION = ("primary", "secondary", "technical", "university", "postgraduate")
SEGMENTS = ("basic", "young", "plus", "premium")
#: City, and the state it is in.
CITIES = (("Bogotá", "Bogotá"), ("Soacha", "Cundinamarca"), ("Chía", "Cundinamarca"), ("Cali", "Valle"),
          ("Palmira", "Valle"), ("Medellín", "Antioquia"), ("Envigado", "Antioquia"), ("Tunja", "Boyacá"))  # fmt: skip
KINDS = ("savings", "current", "credit card", "mortgage")

CLIENTS = {
    "document": "VARCHAR(40)", "name": "VARCHAR(60)", "email": "VARCHAR(80)", "years_with_bank": "INTEGER",
    "children": "INTEGER", "birth_year": "INTEGER", "education": "VARCHAR(20)", "segment": "VARCHAR(20)",
    "city": "VARCHAR(20)", "state": "VARCHAR(20)", "income": "INTEGER",
}  # fmt: skip
ACCOUNTS = {
    "account": "VARCHAR(16)", "holder": "VARCHAR(40)", "kind": "VARCHAR(20)", "opened": "INTEGER",
    "city": "VARCHAR(20)", "balance": "INTEGER",
}  # fmt: skip


def clients(number: int, random: np.random.Generator) -> list[tuple[Any, ...]]:
    """Make clients up, one tuple each, in the order of `CLIENTS`."""
    documents = 10_000_000 + random.choice(80_000_000, number, replace=False)
    born = np.clip(random.normal(1980, 14, number), 1930, 2006).astype(int)
    grown = 2024 - born - 18
    years = np.minimum(random.geometric(0.12, number), np.maximum(grown, 1))
    children = np.where(grown > 5, random.poisson(1.3, number), random.poisson(0.1, number))
    education = random.choice(5, number, p=[0.12, 0.33, 0.2, 0.27, 0.08])
    income = np.round(np.exp(random.normal(13.6 + 0.25 * education, 0.5, number)), -4).astype(int)
    segment = np.clip(np.searchsorted([1_000_000, 2_000_000, 4_000_000], income), 0, 3)
    home = random.choice(8, number, p=[0.34, 0.08, 0.03, 0.16, 0.05, 0.2, 0.05, 0.09])
    first, last = random.integers(0, 12, number), random.integers(0, 12, (2, number))
    rows = []
    for i in range(number):
        names = FIRST[first[i]], LAST[last[0, i]], LAST[last[1, i]]
        email = f"{names[0]}.{names[1]}{documents[i] % 1000}@example.org".lower()
        numbers = (int(years[i]), int(children[i]), int(born[i]))
        words = (EDUCATION[education[i]], SEGMENTS[segment[i]], *CITIES[home[i]])
        rows.append((str(documents[i]), " ".join(names), email, *numbers, *words, int(income[i])))
    return rows


def accounts(people: Sequence[tuple[Any, ...]], random: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Give most clients one account or more; a few accounts belong to nobody who is in the first table."""
    number = random.poisson(1.4, len(people))
    for i, person in enumerate(people):
        for n in range(number[i]):
            kind = KINDS[random.choice(4, p=[0.55, 0.2, 0.2, 0.05])]
            opened = int(random.integers(2024 - person[3], 2025))
            holder = person[0] if random.random() > 0.01 else str(99_000_000 + i)
            balance = int(round(float(np.exp(random.normal(13, 1.4))), -3))
            yield f"{i:09d}{n:03d}", holder, kind, opened, person[8], balance


def main(number: int = 5000, url: str | None = None) -> None:
    """Write both tables."""
    random = np.random.default_rng(1)
    people = clients(number, random)
    tables = {"clients": (CLIENTS, people), "accounts": (ACCOUNTS, accounts(people, random))}
    if url is None:
        _into_sqlite(HERE / "data" / "bank.db", tables)
    else:
        _into_server(url, tables)


def _into_sqlite(path: Path, tables: dict[str, tuple[dict[str, str], Iterable[tuple[Any, ...]]]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        for name, (columns, rows) in tables.items():
            database.execute(f"CREATE TABLE {name} ({', '.join(f'{key} {kind}' for key, kind in columns.items())})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608
    database.close()


def _into_server(url: str, tables: dict[str, tuple[dict[str, str], Iterable[tuple[Any, ...]]]]) -> None:
    """Write with SQLAlchemy (pip install 'antifaz[databases]'); the password may stand in PGPASSWORD or the URL."""
    from sqlalchemy import create_engine, text

    drivers = {"mariadb": "mariadb+pymysql", "mysql": "mysql+pymysql", "postgresql": "postgresql+psycopg"}
    scheme, _, rest = url.partition("://")
    engine = create_engine(f"{drivers.get(scheme, scheme)}://{rest}")
    with engine.begin() as database:
        for name, (columns, rows) in tables.items():
            database.execute(text(f"DROP TABLE IF EXISTS {name}"))
            fields = ", ".join(f"{key} {kind}" for key, kind in columns.items())
            database.execute(text(f"CREATE TABLE {name} ({fields})"))
            insert = text(f"INSERT INTO {name} VALUES ({', '.join(f':{key}' for key in columns)})")  # noqa: S608
            database.execute(insert, [dict(zip(columns, row, strict=True)) for row in rows])
    engine.dispose()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000, sys.argv[2] if len(sys.argv) > 2 else None)
