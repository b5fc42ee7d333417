"""What somebody would write by hand in DuckDB: `python bench/peers/duckdb_script.py SOURCE TARGET LEVELS K [MEMORY]`.

It counts the combinations of the file, recodes every column at a level that it is told, leaves out the classes of fewer
than k rows, shuffles, writes, and counts what it wrote. It searches nothing, reads leniently, proves and reports
nothing. So it is the limit of a run on large files: one read, one hash pass, one write, one read.
"""

from __future__ import annotations

import json
import sys
import tempfile

import duckdb


def interval(column: str, width: int) -> str:
    """Return the SQL of an interval of a whole number."""
    begin = f"({column} - {column} % {width})"
    return f"'[' || {begin} || ', ' || ({begin} + {width}) || ')'"


def masked(column: str, characters: int) -> str:
    """Return the SQL of a code of five characters whose last ones are masked."""
    return f"left(CAST({column} AS VARCHAR), {5 - characters}) || '{'*' * characters}'"


#: Per column what is released at each level, the values themselves first; above the last one is '*'.
RECODINGS: dict[str, list[str]] = {
    "age": ["age", *(interval("age", width) for width in (5, 10, 20, 40))],
    "income": ["income", *(interval("income", width) for width in (1_000, 10_000, 100_000))],
    "zip": ["zip", *(masked("zip", characters) for characters in (1, 2, 3, 4))],
    "born": ["born", "left(CAST(born AS VARCHAR), 7)", "left(CAST(born AS VARCHAR), 4)"],
    "sex": ["sex"],
    "education": ["education"],
    "occupation": ["occupation"],
    "country": ["country"],
}


def release(source: str, target: str, levels: dict[str, int], k: int, memory: str | None = None) -> int:
    """Release a file; return the size of the smallest class that was written."""
    with tempfile.TemporaryDirectory(prefix="antifaz-bench-") as folder:
        db = duckdb.connect(config={"temp_directory": folder, **({"memory_limit": memory} if memory else {})})
        db.execute(f"CREATE TABLE source AS FROM '{source}'")
        names = ", ".join(RECODINGS)
        db.execute(f"SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM source GROUP BY {names})").fetchall()
        chosen = []
        for name, recodings in RECODINGS.items():
            recoded = recodings[levels[name]] if levels[name] < len(recodings) else "'*'"
            chosen.append(f"{recoded} AS {name}")
        recoded = f"SELECT {', '.join(chosen)}, diagnosis FROM source"
        # A window that counts would hold all rows; two passes don't.
        kept = f"SELECT {names} FROM ({recoded}) GROUP BY ALL HAVING count(*) >= {k}"
        rows = f"SELECT r.* FROM ({recoded}) AS r SEMI JOIN ({kept}) AS c USING ({names}) ORDER BY random()"
        options = "FORMAT parquet, COMPRESSION zstd" if target.endswith(".parquet") else "FORMAT csv, HEADER true"
        db.execute(f"COPY ({rows}) TO '{target}' ({options})")
        least = f"SELECT min(n) FROM (SELECT count(*) AS n FROM '{target}' GROUP BY {names})"
        return int(db.execute(least).fetchall()[0][0])


if __name__ == "__main__":
    least = release(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:6])
    if least < int(sys.argv[4]):
        sys.exit(f"The smallest class has {least} rows.")
