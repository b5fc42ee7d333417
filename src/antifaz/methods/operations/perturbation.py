"""What every perturbation declares, and how its declaration becomes a function: frame in, frame out."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.randomness import fresh_seed, generator
from antifaz.sources.frames import kind_of, to_arrow, to_kind
from antifaz.sources.safe_errors import safe_errors

_ALL = """Rows keep their order and all other columns stay as they are, so whoever knows a person's place in the table
still knows which row is theirs: what comes out is not a release. `frame` itself is not changed. As everywhere, the
index of a pandas frame is not data and is left out."""


class Perturbation(Declared):
    """Changes the values of some columns of a table; rows keep their order, other columns stay as they are."""

    #: Whether it draws random numbers; otherwise the seed does not matter.
    draws: ClassVar[bool] = True
    #: Whether text that spells numbers is read as numbers; otherwise columns are categories, as they are written.
    numbers: ClassVar[bool] = True
    #: Whether each cell can be worked on by itself, given its column's spread: such ones run on Spark, too.
    by_cell: ClassVar[bool] = False
    #: Parameters that hold values of the data, which are never shown.
    hidden: ClassVar[tuple[str, ...]] = ()
    #: As of an operation: a direct identifier is not released after it, and nobody has a key that turns it back.
    protects: ClassVar[bool] = False
    personal: ClassVar[bool] = False

    @abstractmethod
    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Return the table with these columns changed."""

    def cells(self, table: pa.Table, column: str, draws: NDArray[np.float64], spread: float) -> pa.Table:
        """Return some rows with a column changed, by a draw between 0 and 1 for each and the whole column's spread."""
        raise ParameterError(f"{self.name} needs whole columns; use the local engine.")

    def besides(self) -> tuple[str, ...]:
        """Return the columns that it looks at beside those that it changes."""
        return ()

    def told(self) -> dict[str, Any]:
        """Return what may be told of it: its name and parameters, of values only that there are some."""
        said = self.model_dump(mode="json", exclude_none=True, exclude=set(self.hidden))
        given = {name: "given" for name in self.hidden if getattr(self, name) is not None}
        return {"name": self.name, **{key: value for key, value in said.items() if value != []}, **given}

    def perturb(self, frame: Any, columns: Sequence[str] | str, seed: int | None = None) -> Any:
        """Return a frame of the same kind with these columns changed."""
        names = listed(self.name, columns)
        _check_seed(self.name, seed)
        table = to_arrow(frame)
        random = _random(seed, table, names) if self.draws else generator(0)
        with safe_errors(f"{self.name}: the columns could not be changed"):
            made = self.apply(table, names, random)
        return to_kind(made, kind_of(frame) or "pyarrow")


def listed(who: str, columns: Sequence[str] | str) -> list[str]:
    """Return the names of the columns that were asked for, one or several."""
    if not isinstance(columns, Sequence):
        raise ParameterError(f"{who}: columns should be a column's name, or a list of names.")
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ParameterError(f"{who}: columns should name at least one column.")
    if len(set(names)) < len(names):
        raise ParameterError(f"{who}: columns names a column twice.")
    return names


def require_column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a column, or say which name is nearest."""
    at = table.schema.get_field_index(name) if isinstance(name, str) else -1
    if at < 0:
        raise SchemaError(f"There is no column {name!r}{hint(str(name), table.column_names)}.")
    return table.column(at)


def as_function(kind: type[Perturbation]) -> Callable[..., Any]:
    """Return the function of a perturbation: its parameters, their defaults and its help come from the declaration."""

    def perturb(frame: Any, columns: Sequence[str] | str, *, seed: int | None = None, **parameters: Any) -> Any:
        return kind.parse(parameters).perturb(frame, columns, seed)

    perturb.__name__ = perturb.__qualname__ = kind.name.replace("-", "_")
    perturb.__module__ = kind.__module__
    perturb.__doc__ = _help(kind)
    given = list(inspect.signature(perturb).parameters.values())
    perturb.__signature__ = inspect.Signature([*given[:2], *_parameters(kind), given[2]])  # type: ignore[attr-defined]
    return perturb


def _fields(kind: type[Perturbation]) -> list[str]:
    """The names of the parameters, those of the class itself before those that it shares with others."""
    return sorted(kind.model_fields, key=lambda name: name not in kind.__annotations__)


def _parameters(kind: type[Perturbation]) -> list[inspect.Parameter]:
    made = []
    for name in _fields(kind):
        field = kind.model_fields[name]
        default = inspect.Parameter.empty if field.is_required() else field.default
        made.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    return made


def _help(kind: type[Perturbation]) -> str:
    lines = [kind.summary, "", *textwrap.wrap(kind.details, 110), "", *_ALL.splitlines(), "", "Args:"]
    lines += ["    frame: A pandas, polars or pyarrow table.", "    columns: The column or columns to change."]
    lines += [f"    {name}: {kind.model_fields[name].description}" for name in _fields(kind)]
    lines.append(
        "    seed: The same data and seed give the same result to the byte; without one, another result every time."
        if kind.draws
        else "    seed: Nothing here is random; taken so that all perturbations are called alike."
    )
    return "\n".join([*lines, "", f"Formula: {kind.formula}", f"Source: {kind.source}"])


def _check_seed(who: str, seed: int | None) -> None:
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if seed is not None and not (whole and 0 <= seed < 2**63):
        raise ParameterError(f"{who}: seed should be a whole number from 0 to 2^63 - 1, or None (got {seed!r}).")


def _random(seed: int | None, table: pa.Table, names: Sequence[str]) -> np.random.Generator:
    """The generator of one call.

    The values go in beside the seed: a seed such as 1 can be guessed, and noise that can be drawn again can be taken
    off again. So, too, two columns that are changed by two calls with one seed do not get the same noise.
    """
    if seed is None:
        return generator(fresh_seed())
    mixed = int(seed)
    for name in names:
        mixed = mixed << 64 | _digest(require_column(table, name))
    return generator(mixed)


def _digest(column: pa.ChunkedArray) -> int:
    """A number of 64 bits that no one knows who does not know the column's values."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        values = column.to_numpy()
        bits = (values if values.dtype.itemsize == 8 else values.astype(np.float64)).view(np.uint64)
        # A hash of all bytes would cost as much as drawing the noise; a sum that wraps around is one quick pass.
        return int(np.dot(bits, np.arange(1, 2 * bits.size, 2, dtype=np.uint64)))
    sink = pa.BufferOutputStream()
    whole = pa.table({"": column}).combine_chunks()
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    return int.from_bytes(hashlib.blake2b(sink.getvalue(), digest_size=8).digest(), "big")
