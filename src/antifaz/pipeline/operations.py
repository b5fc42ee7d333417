"""What is done to the columns of a table before anything is decided: operations, perturbations, a sample of rows."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.randomness import shuffle_key
from antifaz.core.roles import Role
from antifaz.engines.engine import Data
from antifaz.methods.operations.apply import Sample, apply_operations, apply_to_columns
from antifaz.methods.operations.operation import Operation, Perturbation
from antifaz.releases.perturbation_evidence import measured
from antifaz.sources.frames import column_names


class ErrorPlaces(Protocol):
    """Puts in front of an error where a project file speaks of what is wrong."""

    def of_columns(self) -> AbstractContextManager[None]: ...  # noqa: D102
    def of_operations(self) -> AbstractContextManager[None]: ...  # noqa: D102
    def of_perturbation(self, i: int) -> AbstractContextManager[None]: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class JointPerturbation:
    """One entry of `perturbation`: what is done to some columns together."""

    perturbation: Perturbation
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Operations:
    """All that is done to the columns of one table.

    Rows are drawn first. Then come the first operations of all columns, the second ones, and so on; in each turn
    perturbations after the others. Last come the perturbations of several columns, in their order.
    """

    columns: Mapping[str, tuple[Operation, ...]]
    joint: tuple[JointPerturbation, ...]
    sample: Sample | None
    #: The folder that paths of keys are relative to, and the folders in which no key may be.
    folder: Path
    no_keys_in: tuple[Path, ...]
    places: ErrorPlaces

    @property
    def any(self) -> bool:
        """Whether anything is done."""
        return bool(self.columns or self.joint or self.sample is not None)


def operate(
    operations: Operations, opened: Data, seed: int, roles: Mapping[str, Role]
) -> tuple[Data, list[dict[str, Any]]]:
    """Return the table after its operations, and what may be told of its perturbations; `opened` must stay open."""
    work = _Work(operations, opened, seed, roles)
    with operations.places.of_operations():
        opened.schema.require(list(operations.columns))
        if operations.sample is not None:
            work.mask({}, sample=operations.sample)
        for turn in range(max(map(len, operations.columns.values()), default=0)):
            work.turn({column: each[turn] for column, each in operations.columns.items() if len(each) > turn})
    for i, step in enumerate(operations.joint):
        with operations.places.of_perturbation(i):
            work.perturb(step.perturbation, step.columns, shared=True)
    return work.data, work.evidence


class _Work:
    """A table on its way: every step gives a new one, and what is in between is given back."""

    def __init__(self, operations: Operations, opened: Data, seed: int, roles: Mapping[str, Role]) -> None:
        self._opened, self.data = opened, opened
        pointing = {name for name, role in roles.items() if role.names_people or role is Role.QUASI_IDENTIFIER}
        self._naming = tuple(name for name in opened.schema.names if name in pointing)
        self._seed, self._wanted = seed, operations
        self.evidence: list[dict[str, Any]] = []
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
            more |= {"folder": self._wanted.folder, "away": self._wanted.no_keys_in, "naming": self._naming}
            self._next(apply_operations(self.data, operations, seed=self._seed, **more))

    def perturb(self, perturbation: Perturbation, columns: Sequence[str], *, shared: bool) -> None:
        """Do a perturbation, and take down what may be told of it."""
        made = apply_to_columns(self.data, perturbation, columns, self._key())
        parameters = perturbation.evidence()
        self.evidence.append(
            {
                "name": parameters.pop("name"),
                "columns": list(columns),
                "shared": shared,
                "parameters": parameters,
                "measures": {name: each.document() for name, each in measured(made.before, made.after).items()},
                **({"counts": dict(made.counts)} if made.counts else {}),
            }
        )
        if left := made.counts.get("without_donor"):
            made.data.notes.append(Message("note.households-not-swapped", count=left, n=made.counts["at_risk"]))
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
        return shuffle_key(self._secret, str(len(self.evidence)).encode())


def read_joint_perturbation(given: Mapping[str, Any]) -> JointPerturbation:
    """Read an entry of `perturbation` as a project file has it."""
    from antifaz.methods.operations.perturb import PERTURBATIONS

    parameters = {str(key): value for key, value in given.items() if key not in ("name", "columns")}
    made = PERTURBATIONS.make(str(given["name"]), parameters)
    names = tuple(column_names(made.name, given["columns"]))
    if not all(isinstance(name, str) for name in names):
        raise ParameterError("columns.not-names", who=made.name)
    return JointPerturbation(perturbation=made, columns=names)


def read_operation(name: str, parameters: dict[str, Any]) -> Operation:
    """Make what stands under a column's `operation`: an operation, or a perturbation of that column alone."""
    from antifaz.methods.operations.mask import OPERATIONS
    from antifaz.methods.operations.perturb import PERTURBATIONS

    if name in OPERATIONS.names:
        return OPERATIONS.make(name, parameters)
    if name in PERTURBATIONS.names:
        return PERTURBATIONS.make(name, parameters)
    raise ParameterError("operation.unknown", name=name, hint=hint(name, (*OPERATIONS.names, *PERTURBATIONS.names)))
