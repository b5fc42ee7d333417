"""Compile the kernels before they are needed."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from antifaz.core.errors import AntifazError
from antifaz.datasets import people
from antifaz.kernels.compiling import listening, load_numba
from antifaz.methods import METHODS, Method, Mondrian
from antifaz.methods.operations.frame_functions import apply_to_frame
from antifaz.methods.operations.perturb import PERTURBATIONS, Perturbation
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness
from antifaz.projects.data_actions import anonymize, inspect
from antifaz.projects.demo import HIERARCHIES, ROLES
from antifaz.risk.attacks.run import run_attacks

_ROWS = 400
_K: tuple[PrivacyModel, ...] = (KAnonymity(3),)
_MODELS: tuple[tuple[PrivacyModel, ...], ...] = (
    _K,
    (*_K, LDiversity(2, attribute="diagnosis")),
    (*_K, TCloseness(0.6, attribute="diagnosis"), TCloseness(0.6, attribute="income")),
)


def warm_up(on_compiled: Callable[[str, float], None] | None = None) -> dict[str, float]:
    """Compile what is not compiled yet, by doing what is usual once with a few made-up people.

    Repairs, pseudonyms, rows that don't fit in memory and some options use other kernels, compiled when first used.

    Numba keeps what it compiled beside the program, or where NUMBA_CACHE_DIR says. `on_compiled` is called with each
    kernel and the seconds that it took. Return these.
    """
    seconds: dict[str, float] = {}

    def listener(kernel: str, took: float | None) -> None:
        if took is not None:
            seconds[kernel] = seconds.get(kernel, 0.0) + took
            if on_compiled is not None:
                on_compiled(kernel, took)

    load_numba()
    table = people(_ROWS, seed=1)
    with listening(listener), TemporaryDirectory(prefix="antifaz-warm-up-") as folder:
        for work in _works(table, Path(folder)):
            # What can't be reached with so few people was tried all the same.
            with suppress(AntifazError):
                work()
    return seconds


def _works(table: pa.Table, folder: Path) -> Iterator[Callable[[], Any]]:
    """Give what is usual: reading, each method with several models, attacks, perturbations; each as a function."""
    yield partial(_file, table, folder)
    for method in METHODS:
        for models in _MODELS:
            yield partial(_release, table, method, models)
    yield partial(_release, table, partial(Mondrian, split="distribution"), _K)
    # Two rows of each person.
    yield partial(_release, table.take(np.repeat(np.arange(_ROWS), 2)), Mondrian, _K, person="id_number")
    yield partial(run_attacks, table, table, ROLES, attacks=20, seed=1)
    for kind in PERTURBATIONS:
        yield partial(_perturb, table, kind)


def _file(table: pa.Table, folder: Path) -> Any:
    """Read a file, and look at it as before a project."""
    path = folder / "people.csv"
    pacsv.write_csv(table, path)
    return inspect(path)


def _release(
    table: pa.Table, method: Callable[[], Method], models: tuple[PrivacyModel, ...], person: str | None = None
) -> Any:
    roles = ROLES if person is None else {**ROLES, person: "person"}
    return anonymize(table, roles=roles, hierarchies=HIERARCHIES, privacy=models, method=method(), seed=1).frame


def _perturb(table: pa.Table, kind: type[Perturbation]) -> Any:
    parameters = {"k": 3} if "k" in kind.model_fields else {}
    return apply_to_frame(table, ["age", "income"], kind.parse(parameters), 1)
