"""Count what was released again, from the written bytes: the evidence that the gate judges.

Plain SQL over the file, and the policy of `engines.recount`; nothing of the counting that the methods use.
"""

# Statements are put together from names made here (c0, q1, s2) and from quoted paths; no name of the data is in them.
# ruff: noqa: S608
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from antifaz.core import recount as policy
from antifaz.core.arrays import Ints
from antifaz.core.counted_people import CountedPeople
from antifaz.core.errors import CheckFailed, DataError, ParameterError
from antifaz.core.folding import fold_spellings, persons
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_size
from antifaz.sources.duckdb_connection import BUFFER, database, duckdb_errors, first_row, literal, no_glob, quote
from antifaz.sources.read_back import decoded_rows, plain_rows, read_header
from antifaz.sources.statistical_writer import STATISTICAL, read_texts

#: What the name of a text file may end in, and what then separates its columns.
_SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t"}


def recount(
    place: Path | Any,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    classes: bool = False,
    fingerprint: bool = False,
    population: Any = None,
    people: pa.Table | Sequence[str] | None = None,
    memory: str | None = None,
    threads: int | None = None,
) -> policy.Recount:
    """Count the classes of a written file or of a frame, from its rows alone, which are read once.

    Args:
        place: A file in the dialect that antifaz writes, anything that Arrow takes for a table, or groups of its rows.
        quasi_identifiers: What makes a class; without any, all rows are one. Without rows there are no classes.
        sensitive: The attributes whose values are counted in each class.
        classes: Also say which values each class has.
        fingerprint: Also return the fingerprint of all rows, as the writer took it (`WriteResult`).
        population: A table of people: count them together with the released rows, too, by the quasi-identifiers.
        people: The person keys of the rows, in their order, or the columns that hold them: count people, too.
        memory: The most memory to use, e.g. "2GB"; beyond it, work is spilled to disk.
        threads: The most threads to use; the answer does not depend on it.
    """
    file = Path(place).resolve() if isinstance(place, str | os.PathLike) else None
    allow = [file, Path(no_glob(file))] if file else []
    bound = None if memory is None else parse_size(memory)
    failed = Message("table.checked-not-readable")
    with database(memory=memory, threads=threads, allow=allow) as connection, duckdb_errors(failed), _line_named():
        if isinstance(place, policy.GroupedRows):
            columns, total = place.columns, None
            if population is not None:  # in texts as Arrow spells them, which is how servers spell numbers
                population = pa.table({name: population.column(name).cast("string") for name in quasi_identifiers})
            _take_groups(connection, place.atoms)
            _classes(connection, [f"q{i}" for i in range(len(quasi_identifiers))], bound, alone=False)
        else:
            beside = _named_keys(people) if isinstance(people, pa.Table) else None
            source, columns = _file(connection, file, place) if file else _frame(connection, place, beside)
            keys = people if isinstance(people, Sequence) else ()
            policy.require_columns([*quasi_identifiers, *sensitive, *keys], columns)
            if beside is not None:
                rows, keyed = _with_keys(connection, source, beside) if file else (source, source)
                source = _with_persons(connection, rows, keyed, beside.column_names)
            elif people is not None:
                source = _with_persons(connection, source, source, [f"c{columns.index(name)}" for name in keys])
            hashed = [name for name in columns if name not in keys] if fingerprint else ()
            asked = (quasi_identifiers, sensitive)
            total = _group(connection, source, columns, *asked, bound, people=people is not None, hashed=hashed)
        counted = _collect(connection, columns, quasi_identifiers, sensitive)
        if people is not None:
            counted = replace(counted, people=_people(connection, len(quasi_identifiers), sensitive))
        if classes:
            counted = replace(counted, classes=_coded(connection, quasi_identifiers))
        if population is not None:
            beside = _with_people(connection, population, quasi_identifiers, bound)
            beside = replace(beside, classes=_coded(connection, quasi_identifiers)) if classes else beside
            counted = replace(counted, population=beside)
        return replace(counted, fingerprint=total) if fingerprint else counted


def _with_people(
    connection: duckdb.DuckDBPyConnection, people: Any, quasi_identifiers: Sequence[str], bound: int | None
) -> policy.Recount:
    """Count released rows and people together, from the classes of the rows; both tables of the count are replaced."""
    connection.register("people", people)
    qis = [f"q{i}" for i in range(len(quasi_identifiers))]
    ours = [*(f"CAST({q} AS VARCHAR) AS {q}" for q in qis), f"'{policy.RELEASED}' AS s0", "size AS n"]
    theirs = [*(f"CAST({quote(name)} AS VARCHAR)" for name in quasi_identifiers), f"'{policy.PERSON}'", "1"]
    rows = f"SELECT {', '.join(ours)} FROM classes UNION ALL SELECT {', '.join(theirs)} FROM people"
    connection.execute(f"CREATE TABLE together AS {rows}")
    connection.execute("DROP TABLE atoms")
    connection.execute("DROP TABLE classes")
    parts = 1 if bound is None else _parts(connection, "together", len(qis) + 1, bound)
    _tally(connection, "atoms", ", ".join([*qis, "s0"]), "sum(n)::BIGINT AS n", "together", parts)
    connection.execute("DROP TABLE together")
    _classes(connection, qis, bound, alone=False)
    return _collect(connection, (*quasi_identifiers, policy.ROW_KIND), quasi_identifiers, [policy.ROW_KIND])


@contextmanager
def _line_named() -> Iterator[None]:
    """Keep the line number of a malformed file, and nothing else of a message that quotes the line."""
    try:
        yield
    except duckdb.InvalidInputException as error:
        line = re.search(r"CSV Error on Line: (\d+)", str(error))
        if line is None:
            raise
        error.args = ()
        raise DataError("table.checked-not-readable-exactly", line=line[1]) from None


def _frame(
    connection: duckdb.DuckDBPyConnection, frame: Any, keys: pa.Table | None = None
) -> tuple[str, tuple[str, ...]]:
    try:
        table = pa.table(frame)
    except (TypeError, ValueError) as error:  # Arrow's own errors are kinds of these, and quote cells
        error.args = ()
        raise DataError("table.checked-not-arrow") from None
    names, columns = [f"c{i}" for i in range(table.num_columns)], table.columns
    if keys is not None:
        # One table, because the database joins two by the places of their rows on one processor.
        _require_as_many(keys, table.num_rows)
        names, columns = names + keys.column_names, columns + keys.columns
    connection.register("frame", pa.table(columns, names))
    return "frame", tuple(table.column_names)


def _file(connection: duckdb.DuckDBPyConnection, place: Path, told: Any) -> tuple[str, tuple[str, ...]]:
    """Return the rows of a file and its columns; `told` may say what the name of the file does not."""
    if not place.is_file():
        raise DataError("table.no-file-to-check", file=place.name)
    suffix = place.suffix.lower()
    if suffix[1:] in STATISTICAL:
        return _frame(connection, read_texts(place, getattr(told, "kinds", {})))
    if suffix not in (*_SEPARATORS, ".parquet", ".pq"):
        raise ParameterError("table.unknown-format-of-file", file=place.name)
    delimiter, encoding = getattr(told, "delimiter", None), getattr(told, "encoding", None)
    between = delimiter or _SEPARATORS[suffix] if suffix in _SEPARATORS else None
    if between is None:
        from pyarrow.parquet import read_schema

        names = read_schema(place).names
    else:  # bad bytes further down are the database's to find: it knows their line
        with place.open(encoding=encoding or "utf-8-sig", errors="surrogateescape", newline="") as lines:
            names = read_header(lines, between, place.name)
    if between is not None and encoding is not None:
        source = decoded_rows(connection, place, between, encoding, len(names))
    else:
        source = written_rows(place, between, len(names))
    forms = {names.index(name): form for name, form in (getattr(told, "written", None) or {}).items()}
    return plain_rows(connection, source, len(names), forms) if forms else source, tuple(names)


def written_rows(path: Path, between: str | None, columns: int) -> str:
    """SQL for the rows of a file in our dialect, in columns c0, c1, …; Parquet has no separator."""
    place = literal(no_glob(path))
    if between is None:
        return _named(f"read_parquet({place}, hive_partitioning=false)", columns)
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    # Nothing guessed, all text, unquoted empty is missing.
    return _named(
        f"read_csv({place}, auto_detect=false, header=true, delim={literal(between)}, quote='\"', "
        f"escape='\"', nullstr='', allow_quoted_nulls=false, strict_mode=true, null_padding=false, "
        f"ignore_errors=false, hive_partitioning=false, buffer_size={BUFFER}, columns={{{types}}})",
        columns,
    )


def _named(expression: str, columns: int) -> str:
    """Return the table with names of our own, because SQL would take `Age` and `age` for one column."""
    return f"{expression} AS source({', '.join(f'c{i}' for i in range(columns))})"


def _group(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    columns: Sequence[str],
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    bound: int | None,
    *,
    people: bool,
    hashed: Sequence[str],
) -> int:
    """Read the rows once: `atoms` counts them by all columns asked for, `classes` by the quasi-identifiers.

    Where people are counted, an atom has the list of its rows' persons, because nearly every row would be an atom of
    its own if persons were among the columns. Return the sum of the hashes of all rows over some columns.
    """
    qis = [f"q{i}" for i in range(len(quasi_identifiers))]
    taken = [f"c{columns.index(name)} AS {alias}" for name, alias in zip(quasi_identifiers, qis, strict=True)]
    types = dict(connection.sql(f"SELECT column_name, column_type FROM (DESCRIBE FROM {source})").fetchall())
    for i, name in enumerate(sensitive):
        column = f"c{columns.index(name)}"
        # A reader takes a number that is not one for a missing value.
        clean = f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END"
        taken.append(f"CAST({clean if types[column] in ('FLOAT', 'DOUBLE') else column} AS VARCHAR) AS s{i}")
    taken += ["p"] if people else []
    counted = "count(*)::BIGINT AS n" + (", list(p) AS p" if people else "")
    by = ", ".join([*qis, *(f"s{i}" for i in range(len(sensitive)))])
    cells = ", ".join(f"CAST(c{columns.index(name)} AS VARCHAR)" for name in hashed)
    chosen = ", ".join([*taken, f"{f'hash({cells})' if hashed else '0'} AS h"])
    if bound is None or not by:
        _tally(connection, "atoms", by, f"{counted}, sum(h) AS h", f"(SELECT {chosen} FROM {source})")
        total = _fingerprint(connection, "atoms")
    else:
        # Reading takes memory that grouping needs: one after the other, and never all groups at once.
        connection.execute(f"CREATE TABLE rows AS SELECT {chosen} FROM {source}")
        parts = _parts(connection, "rows", len(taken), bound)
        _tally(connection, "atoms", by, counted, "rows", parts)
        total = _fingerprint(connection, "rows")
        connection.execute("DROP TABLE rows")
    _classes(connection, qis, bound, alone=not sensitive)
    return total


def _take_groups(connection: duckdb.DuckDBPyConnection, atoms: pa.Table) -> None:
    """Take over what was counted elsewhere; where keys of people are in it, each atom has the list of its one."""
    keys = [name for name in atoms.column_names if name.startswith("p")]
    if keys:
        atoms = atoms.drop_columns(keys).append_column("p", pa.array(persons(atoms.select(keys))))
    connection.register("given", atoms)
    # Several spellings of a key are one person now.
    added = "(SELECT * EXCLUDE (n), sum(n)::BIGINT AS n FROM given GROUP BY ALL)"
    rows = f"SELECT * REPLACE ([p] AS p) FROM {added}" if keys else "FROM given"
    connection.execute(f"CREATE TABLE atoms AS {rows}")


def _named_keys(keys: pa.Table) -> pa.Table:
    return keys.rename_columns([f"k{i}" for i in range(keys.num_columns)])


def _require_as_many(keys: pa.Table, rows: int) -> None:
    if keys.num_rows != rows:
        raise CheckFailed("gate.people-differ-from-rows")


def _with_keys(connection: duckdb.DuckDBPyConnection, source: str, keys: pa.Table) -> tuple[str, str]:
    """Return the rows of a file with their keys, which are in the same order; and the keys."""
    _require_as_many(keys, first_row(connection, f"SELECT count(*) FROM {source}")[0])
    connection.register("keys", keys)
    return f"{source} POSITIONAL JOIN keys", "keys"


def _with_persons(connection: duckdb.DuckDBPyConnection, source: str, keyed: str, keys: Sequence[str]) -> str:
    """Return the rows with the number of every row's person, p; keys, which `keyed` has, go no further than here.

    The database finds the different keys and lays their numbers beside the rows, on all processors.
    """
    texts = [f"CAST({key} AS VARCHAR)" for key in keys]
    different = connection.sql(f"SELECT DISTINCT {', '.join(texts)} FROM {keyed}").to_arrow_table()
    different = different.rename_columns([f"t{i}" for i in range(len(texts))])
    connection.register("persons", different.append_column("p", pa.array(persons(different))))
    same = " AND ".join(f"{text} IS NOT DISTINCT FROM t{i}" for i, text in enumerate(texts))
    return f"{source} JOIN persons ON {same}"


def _people(connection: duckdb.DuckDBPyConnection, qis: int, sensitive: Sequence[str]) -> CountedPeople:
    same = " AND ".join(f"atoms.q{i} IS NOT DISTINCT FROM classes.q{i}" for i in range(qis)) or "true"
    # An atom's rows are one for each of its list, or all of them are of the only person in it.
    chosen = "SELECT classes.rowid AS class, unnest(p) AS person, n // len(p) AS n"
    pairs = f"SELECT class, person, sum(n)::BIGINT AS n FROM ({chosen} FROM atoms JOIN classes ON {same}) GROUP BY ALL"
    found, values = _integers(connection, pairs), {}
    for i, name in enumerate(sensitive):
        with _folded(connection, f"s{i}") as labels:
            meant = f"JOIN folded ON atoms.s{i} IS NOT DISTINCT FROM folded.spelling"
            triples = f"{chosen}, folded.value AS value FROM atoms JOIN classes ON {same} {meant}"
            each = _integers(connection, f"SELECT DISTINCT class, person, value FROM ({triples})")
        values[name] = (each["class"], each["person"], each["value"], labels)
    return CountedPeople(found["class"], found["person"], found["n"], values)


def _fingerprint(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    return int(first_row(connection, f"SELECT coalesce(sum(h), 0)::VARCHAR FROM {table}")[0])


def _parts(connection: duckdb.DuckDBPyConnection, table: str, columns: int, bound: int) -> int:
    """Return in how many parts the rows of a table are grouped, so that the groups of one fit, as far as they spill."""
    (rows,) = first_row(connection, f"SELECT count(*) FROM {table}")
    return -(-rows * 2 * (columns + 1) // bound) or 1


def _tally(
    connection: duckdb.DuckDBPyConnection, target: str, keys: str, counted: str, source: str, parts: int = 1
) -> None:
    """Count rows by some columns into a table, the groups part by part: a hash tells which are of one."""
    for part in range(parts):
        begin = f"INSERT INTO {target}" if part else f"CREATE TABLE {target} AS"
        where = f"WHERE hash({keys}) % {parts} = {part}" if parts > 1 else ""
        # Without keys all rows are one group, and no rows are none.
        by = f"{where} GROUP BY {keys}" if keys else "HAVING count(*) > 0"
        chosen = f"{keys}, {counted}" if keys else counted
        connection.execute(f"{begin} SELECT {chosen} FROM {source} {by}")


def _classes(connection: duckdb.DuckDBPyConnection, qis: Sequence[str], bound: int | None, *, alone: bool) -> None:
    """Count the classes; the order of their values numbers them the same, whatever the number of threads.

    They are sorted into a table, whose rows have numbers: a window would have to hold all of them.
    """
    names = ", ".join(qis)
    if not qis:
        counted = "SELECT sum(n)::BIGINT AS size FROM atoms HAVING count(*) > 0"
    elif alone:
        counted = f"SELECT {names}, n AS size FROM atoms ORDER BY {names}"
    else:
        parts = 1 if bound is None else _parts(connection, "atoms", len(qis), bound)
        _tally(connection, "grouped", names, "sum(n)::BIGINT AS n", "atoms", parts)
        counted = f"SELECT {names}, n AS size FROM grouped ORDER BY {names}"
    connection.execute(f"CREATE TABLE classes AS {counted}")
    connection.execute("DROP TABLE IF EXISTS grouped")


def _collect(
    connection: duckdb.DuckDBPyConnection,
    columns: tuple[str, ...],
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
) -> policy.Recount:
    (many,) = first_row(connection, "SELECT count(*) FROM classes")
    # Fetched in pieces: there may be many millions.
    sizes, start = np.empty(many, np.int64), 0
    for batch in connection.sql("SELECT size FROM classes ORDER BY rowid").to_arrow_reader(100_000):
        sizes[start : start + batch.num_rows] = batch.column(0).to_numpy()
        start += batch.num_rows
    # `=` would never find a class with a missing value.
    same = " AND ".join(f"atoms.q{i} IS NOT DISTINCT FROM classes.q{i}" for i in range(len(quasi_identifiers)))
    cells = {name: _cells(connection, f"s{i}", same or "true") for i, name in enumerate(sensitive)}
    texts = ((name, f"CAST(q{i} AS VARCHAR)") for i, name in enumerate(quasi_identifiers))
    values = {name: frozenset(_distinct(connection, text, "classes")) for name, text in texts}
    return policy.Recount(int(sizes.sum()), columns, sizes, cells, values)


def _coded(connection: duckdb.DuckDBPyConnection, quasi_identifiers: Sequence[str]) -> dict[str, Ints]:
    """Return the value of every class as a number in the order of their texts, -1 where it is missing."""
    distinct = "SELECT DISTINCT {0} FROM classes WHERE {0} IS NOT NULL"
    ranked = f"SELECT {{0}}, row_number() OVER (ORDER BY CAST({{0}} AS VARCHAR)) AS code FROM ({distinct})"
    statement = (
        f"SELECT coalesce(code, -1) AS code FROM classes LEFT JOIN ({ranked}) AS ranked USING ({{0}}) "
        "ORDER BY classes.rowid"
    )
    coded = (_integers(connection, statement.format(f"q{i}"))["code"] for i in range(len(quasi_identifiers)))
    return dict(zip(quasi_identifiers, coded, strict=True))


def _distinct(connection: duckdb.DuckDBPyConnection, column: str, table: str) -> list[str | None]:
    return [row[0] for row in connection.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()]


def _cells(connection: duckdb.DuckDBPyConnection, column: str, same_class: str) -> policy.SensitiveCounts:
    """Fold the different spellings of one sensitive column, and count what they mean in each class."""
    with _folded(connection, column) as labels:
        found = _integers(
            connection,
            f"SELECT classes.rowid AS class, folded.value AS value, sum(atoms.n)::BIGINT AS count FROM atoms "
            f"JOIN classes ON {same_class} JOIN folded ON atoms.{column} IS NOT DISTINCT FROM folded.spelling "
            f"GROUP BY ALL ORDER BY ALL",
        )
    return policy.SensitiveCounts(found["class"], found["value"], found["count"], labels)


@contextmanager
def _folded(connection: duckdb.DuckDBPyConnection, column: str) -> Iterator[tuple[str | None, ...]]:
    """Register what each spelling of a sensitive column means, for as long as it is asked; yield the meanings."""
    spellings = _distinct(connection, column, "atoms")
    labels, values = fold_spellings(spellings)
    folded = {"spelling": pa.array(spellings, pa.string()), "value": pa.array(values, pa.int64())}
    connection.register("folded", pa.table(folded))
    yield labels
    connection.unregister("folded")


def _integers(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, Ints]:
    columns = connection.execute(query).fetchnumpy()
    return {name: np.asarray(column, dtype=np.int64) for name, column in columns.items()}
