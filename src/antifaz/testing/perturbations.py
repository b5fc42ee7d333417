"""What every perturbation must do: change the columns asked for and nothing else, repeatably."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from antifaz.core.errors import AntifazError, SchemaError
from antifaz.core.randomness import generator
from antifaz.methods.operations.operation import Perturbation
from antifaz.testing.broken import refused, require
from antifaz.testing.examples import examples

_ROWS = 200


def check_perturbation(cls: type[Perturbation], instances: Sequence[Perturbation] | None = None) -> None:
    """Check that a perturbation keeps rows, order and other columns, that a seed repeats it, and what it declares."""
    random = np.random.default_rng(5)
    people = {
        "row": np.arange(_ROWS),
        "age": random.integers(20, 60, _ROWS),
        "income": random.lognormal(10, 0.5, _ROWS),
        "colour": random.choice(["blue", "red"], _ROWS),
    }
    table, column = pa.table(people), "income" if cls.numbers else "colour"
    for perturbation in list(instances) if instances is not None else examples(cls):
        _check_applied(perturbation, table, column)
        _check_refusals(perturbation, table, column)
        if perturbation.by_cell:
            _check_cells(perturbation, table, column)


def _check_applied(perturbation: Perturbation, table: pa.Table, column: str) -> None:
    who, before = repr(perturbation), table.to_pydict()
    made = perturbation.apply(table, [column], generator(1))
    require(table.to_pydict() == before, f"{who} must not change the table it is given.")
    require(made.column_names == table.column_names, f"{who} must keep the columns and their order.")
    require(made.num_rows == table.num_rows, f"{who} must keep all rows.")
    others = [name for name in table.column_names if name != column]
    require(made.select(others).equals(table.select(others)), f"{who} must leave the other columns as they are.")
    require(made.equals(perturbation.apply(table, [column], generator(1))), f"{who} must give the same for one seed.")
    if not perturbation.draws:
        other = perturbation.apply(table, [column], generator(2))
        require(made.equals(other), f"{who} is declared not to draw, but depends on the seed.")
    require(set(perturbation.hidden) <= set(type(perturbation).model_fields), f"{who}.hidden must name parameters.")


def _check_refusals(perturbation: Perturbation, table: pa.Table, column: str) -> None:
    who = repr(perturbation)

    def apply(name: str) -> pa.Table:
        return perturbation.apply(table, [name], generator(1))

    error = refused(SchemaError, lambda: apply(f"{column}x"), f"{who} must refuse a column that is not there")
    require(repr(column) in str(error), f"{who}: the error must name the nearest column, {column!r}.")
    if perturbation.numbers:
        refused(AntifazError, lambda: apply("colour"), f"{who} must refuse categories")


def _check_cells(perturbation: Perturbation, table: pa.Table, column: str) -> None:
    """A cell depends on its own draw, so it does not matter in which piece of the table it stands."""
    who = repr(perturbation)
    draws = np.random.default_rng(2).random(_ROWS)
    whole = perturbation.cells(table, column, draws, 1.0)
    parts = [perturbation.cells(table.slice(at, 37), column, draws[at : at + 37], 1.0) for at in range(0, _ROWS, 37)]
    require(pa.concat_tables(parts).equals(whole), f"{who}: a cell must not depend on those worked on beside it.")
    others = [name for name in table.column_names if name != column]
    require(whole.select(others).equals(table.select(others)), f"{who} must leave the other columns as they are.")
