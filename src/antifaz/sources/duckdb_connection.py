"""A DuckDB connection that can reach nothing but what it was given, and errors that quote no cell.

DuckDB's defaults are made for exploring: any file may be read, extensions are fetched from the network, settings can
be changed by a statement. Here the database lives in memory, sees no file but those allowed, and is locked before use.

What does not fit in memory is spilled to a private folder, encrypted (AES-GCM) under a key that DuckDB makes when it
starts and never writes. DuckDB has two cipher modules: OpenSSL's, which comes with an extension that would have to be
fetched from the network, and its own, which it asks us to acknowledge with `force_mbedtls_unsafe`, because the random
numbers behind its keys are seeded with 64 bits and not made for cryptography. That protects what is left on a disk
after a kill against anyone who reads the disk, not against a laboratory; docs/limitations.md says so. With a limit of
memory, tables lie in a file of the same folder from the start, encrypted under a key made here. Where even that is
too little, give no limit, and enough memory that nothing is spilled.
"""

import atexit
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, finalize

import duckdb

from antifaz.core.errors import ParameterError
from antifaz.core.machine import available_memory, private_folder, processors
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_size
from antifaz.sources.safe_errors import FOREIGN, FULL_MEMORY, reason, safe_errors

#: Share of the available memory that is used when no limit is given.
SHARE = 0.6
#: What the names of folders begin with that hold what is spilled.
SPILLED = "antifaz-spill-"
_STORE = "antifaz_rows"
#: How much of a text file is read at a time; DuckDB would take 32 MB, several times, where memory may be limited.
BUFFER = 4 << 20
_folders: set[str] = set()
#: What detaches the catalog of each connection to a shared DuckDB, and the number of the next one.
_catalogs: WeakKeyDictionary[duckdb.DuckDBPyConnection, Any] = WeakKeyDictionary()
_numbers = count(1)


def connect(
    *, memory: str | None = None, threads: int | None = None, allow: Sequence[Path] = ()
) -> duckdb.DuckDBPyConnection:
    """Open a locked in-memory database; `close` forgets its tables and removes what it spilled.

    Without a limit it may use 60 % of the memory that the machine has available now, and all processors that this
    process may run on. `allow` names the files and folders that statements may read and write.

    To start DuckDB takes 20 ms, which is half of a run on a small table. Databases without a limit of memory and
    without files are therefore catalogs of one DuckDB per process, each emptied when its connection is closed or
    garbage.
    """
    if threads is not None and threads < 1:
        raise ParameterError("engine.threads-below-1", threads=threads)
    if memory is not None or allow:
        return _start(memory, threads, allow)
    with duckdb_errors():
        return _attach(_shared(os.getpid(), threads or processors()))


@cache
def _shared(process: int, threads: int) -> duckdb.DuckDBPyConnection:
    """Start the DuckDB of a process: a forked one can't use its parent's, whose threads it does not have."""
    return _start(None, threads, ())


def _attach(instance: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection, catalog = instance.cursor(), f"antifaz_{next(_numbers)}"
    connection.execute(f"ATTACH ':memory:' AS {catalog}")
    connection.execute(f"USE {catalog}")
    _catalogs[connection] = end = finalize(connection, _detach, instance, catalog)
    end.atexit = False
    return connection


def _detach(instance: duckdb.DuckDBPyConnection, catalog: str) -> None:
    # A connection that somebody broke off, or a process that ends, has nothing to detach from.
    with suppress(duckdb.Error), instance.cursor() as other:
        other.execute(f"DETACH DATABASE IF EXISTS {catalog}")


def _start(memory: str | None, threads: int | None, allow: Sequence[Path]) -> duckdb.DuckDBPyConnection:
    """Start DuckDB with settings that nothing can change any more."""
    available = available_memory()
    limit = f"{max(int(available * SHARE) >> 20, 256)}MiB" if available else "4GiB"
    folder = str(private_folder(SPILLED))
    _folders.add(folder)
    settings: dict[str, Any] = {
        "temp_directory": folder,
        "temp_file_encryption": True,
        "force_mbedtls_unsafe": True,
        "memory_limit": limit if memory is None else f"{parse_size(memory)}B",
        "threads": threads or processors(),
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_unsigned_extensions": False,
        "allow_persistent_secrets": False,
        "python_enable_replacements": False,
    }
    if memory is not None:
        # What it has freed counts for nothing to DuckDB, and for the whole process it does.
        settings |= {"allocator_flush_threshold": "16MB", "allocator_bulk_deallocation_flush_threshold": "32MB"}
    with duckdb_errors():
        connection = duckdb.connect(":memory:", config=settings)
        if memory is not None:
            # In memory, what says which cells are missing can't be spilled: of a hundred million rows more than a small
            # limit. Nobody else has the key. In the end the file is removed: no checkpoint writes all rows before.
            key = secrets.token_hex(32)
            connection.execute(f"ATTACH {literal(f'{folder}/rows.db')} AS {_STORE} (ENCRYPTION_KEY '{key}')")
            connection.execute(f"USE {_STORE}; PRAGMA disable_checkpoint_on_shutdown")
        _lock(connection, allow)
    return connection


@contextmanager
def database(*, stay_open: bool = False, **options: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a locked database, and close it in the end, or only where something fails; the options are `connect`'s."""
    connection, done = connect(**options), False
    try:
        yield connection
        done = True
    finally:
        if not (done and stay_open):
            close(connection)


def cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Open a second connection to the same tables; DuckDB's own would begin in an empty database."""
    (where,) = first_row(connection, "SELECT current_database()")
    other = connection.cursor()
    other.execute(f"USE {quote(where)}")
    return other


def close(connection: duckdb.DuckDBPyConnection) -> None:
    """Close the connection, which forgets its data, and remove its spill folder."""
    if end := _catalogs.pop(connection, None):
        connection.close()
        end()
        return
    folder = None
    with suppress(duckdb.Error):
        (folder,) = first_row(connection, "SELECT current_setting('temp_directory')")
    connection.close()
    if folder in _folders:
        _folders.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)


def quote(identifier: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def no_glob(path: Path) -> str:
    """Put the signs of a glob in brackets, or the file next door might be read instead."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.resolve()))


def first_row(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[Any, ...]:
    """Run a statement and return its first row, or an empty one.

    All rows are fetched: one that was not fetched keeps its connection busy, and the next statement is refused.
    """
    rows = connection.execute(statement).fetchall()
    return tuple(rows[0]) if rows else ()


@contextmanager
def duckdb_errors(what: str | None = None) -> Iterator[None]:
    """Turn errors of DuckDB, Arrow and the system into a `DataError` that quotes no cell of the data."""
    with safe_errors(what, (duckdb.Error, *FOREIGN), _reason):
        try:
            yield
        except (duckdb.Error, *FOREIGN) as error:
            if isinstance(error, duckdb.InterruptException) or "KeyboardInterrupt" in str(error):
                # Ctrl-C while DuckDB was reading from Python comes back wrapped in an error of DuckDB's.
                raise KeyboardInterrupt from None
            raise


#: What DuckDB says of a database file that somebody names.
_FILE_REASONS = (
    ("could not set lock", Message("database.locked")),
    ("read-only", Message("database.read-only")),
    ("not a valid duckdb database", Message("database.file-of-other-kind")),
)


def _reason(error: BaseException) -> str:
    text = str(error)
    # What runs out of memory while it commits is a failed transaction, and says what limit to raise.
    if (isinstance(error, duckdb.OutOfMemoryException) or "memory_limit" in text) and "No space left" not in text:
        return FULL_MEMORY
    if isinstance(error, duckdb.PermissionException):
        return Message("table.file-not-allowed")
    return next((words for sign, words in _FILE_REASONS if sign in text.lower()), None) or reason(error)


def _lock(connection: duckdb.DuckDBPyConnection, allow: Sequence[Path]) -> None:
    # In a notebook without ipywidgets there is no bar, and even to turn it off is an error.
    if first_row(connection, "SELECT current_setting('enable_progress_bar')") != (False,):
        connection.execute("SET enable_progress_bar = false")
    if files := [str(path.resolve()) for path in allow if not path.is_dir()]:
        connection.execute("SET allowed_paths = $1", [files])
    if folders := [str(path.resolve()) + os.sep for path in allow if path.is_dir()]:
        connection.execute("SET allowed_directories = $1", [folders])
    connection.execute("SET enable_external_access = false")
    # Last: after this no statement can undo any of the above.
    connection.execute("SET lock_configuration = true")


@atexit.register
def _remove_all() -> None:
    _shared.cache_clear()  # DuckDB complains of what outlives the interpreter
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
