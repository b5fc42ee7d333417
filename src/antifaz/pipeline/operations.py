"""A project's table after its operations and perturbations, with what is told of the latter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.randomness import shuffle_key
from antifaz.engines.engine import Data
from antifaz.methods.operations.apply import apply_operations, apply_to_columns
from antifaz.methods.operations.operation import Operation, Perturbation
from antifaz.projects.project import Loaded
from antifaz.releases.perturbation_evidence import measured


def treated(loaded: Loaded, opened: Data, seed: int, away: Sequence[Path], account: list[dict[str, Any]]) -> Data:
    """Return a project's table after all that is done to its columns; `opened` must stay open as long.

    Rows are drawn first. Then come the first operations of all columns, the second ones, and so on; in each turn
    perturbations after the others. Last come the perturbations of several columns, in their order.
    """
    work = _Work(opened, seed, loaded.folder, away, account)
    with loaded.operating():
        opened.schema.require(list(loaded.operations))
        if loaded.sample is not None:
            work.mask({}, sample=loaded.sample)
        for turn in range(max((len(given) for given in loaded.operations.values()), default=0)):
            work.turn({column: each[turn] for column, each in loaded.operations.items() if len(each) > turn})
    for i, step in enumerate(loaded.perturbation):
        with loaded.perturbing(i):
            work.perturb(step.perturbation, step.columns, shared=True)
    return work.data


class _Work:
    """A table on its way: every step gives a new one, and what is in between is given back."""

    def __init__(
        self, opened: Data, seed: int, folder: Path, away: Sequence[Path], account: list[dict[str, Any]]
    ) -> None:
        self._opened, self.data = opened, opened
        self._seed, self._folder, self._away = seed, folder, away
        self._account = account
        self._secret: int | None = None

    def turn(self, given: Mapping[str, Operation]) -> None:
        """Do one operation to each of some columns."""
        self.mask({column: [each] for column, each in given.items() if not each.whole_columns})
        for column, each in given.items():
            if isinstance(each, Perturbation):
                self.perturb(each, (column,), shared=False)

    def mask(self, operations: Mapping[str, Sequence[Operation]], **more: Any) -> None:
        """Do operations, each to the cells of its column."""
        if operations or more:
            self._next(
                apply_operations(self.data, operations, seed=self._seed, folder=self._folder, away=self._away, **more)
            )

    def perturb(self, perturbation: Perturbation, columns: Sequence[str], *, shared: bool) -> None:
        """Do a perturbation, and take down what may be told of it."""
        made = apply_to_columns(self.data, perturbation, columns, self._key())
        told = perturbation.evidence()
        self._account.append(
            {
                "name": told.pop("name"),
                "columns": list(columns),
                "shared": shared,
                "parameters": told,
                "measures": {name: each.document() for name, each in measured(made.before, made.after).items()},
            }
        )
        self._next(made.data)

    def _next(self, made: Data) -> None:
        before, self.data = self.data, made
        if before is not self._opened:
            before.close()

    def _key(self) -> int:
        """The secret of the next perturbation: another for each, and from the data as it came beside the seed.

        A seed such as 1 can be guessed, and noise that can be drawn again can be taken off again.
        """
        if self._secret is None:
            self._secret = shuffle_key(self._seed, self._opened.digest())
        return shuffle_key(self._secret, str(len(self._account)).encode())
