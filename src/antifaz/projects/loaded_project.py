"""A project bound to the file it came from: its parts are made on demand, and errors say the line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from antifaz.core.errors import AntifazError, DataError, HierarchyError, ParameterError, ProjectError, SchemaError
from antifaz.core.roles import Role
from antifaz.hierarchies import parse as parse_hierarchy
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.methods import METHODS, Method
from antifaz.methods.operations.apply import sample_of
from antifaz.methods.operations.operation import Operation
from antifaz.pipeline.operations import JointPerturbation, read_joint_perturbation, read_operation
from antifaz.pipeline.plan import UNANSWERED
from antifaz.privacy import MODELS, PrivacyModel
from antifaz.projects.project import PARTS, Project
from antifaz.projects.yaml_file import Document, Place, checked, read_yaml

T = TypeVar("T")
OneOperation = TypeVar("OneOperation", bound=Operation)


class LoadedFile:
    """A project bound to the file it came from, so that errors say the line."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def folder(self) -> Path:
        """The folder that the file's paths are relative to."""
        return self._document.path.resolve().parent

    def as_hardened(self) -> Self:
        """Return the project with the wish to be hardened."""
        return type(self)(replace(self._document, data={**self._document.data, "hardened": True}))


class LoadedProject(LoadedFile):
    """A project of one table: parts are made on demand."""

    def __init__(self, document: Document) -> None:
        """Check the whole description at once; hierarchies' files are read when the data is there."""
        super().__init__(document)
        if not isinstance(document.data, dict):
            raise ProjectError("project.not-a-mapping", file=document.path.name)
        if "tables" in document.data:
            raise ProjectError("project.needs-one-table", place=document.where(("tables",)))
        self.project = checked(Project, document, PARTS)
        self._check_kind()
        privacy, method = self.project.privacy or (), self.project.method
        self.models = tuple(self._model(("privacy", i), settings) for i, settings in enumerate(privacy))
        self.method = self._method(("method",), method)
        self.compared = tuple(self._method(("frontier", i), each) for i, each in enumerate(self.project.frontier))
        self.hierarchies = {
            name: self._hierarchy(name, attribute.hierarchy)
            for name, attribute in self.project.attributes.items()
            if attribute.hierarchy is not None
        }
        self.operations = {
            name: self._operations(name, attribute.operation)
            for name, attribute in self.project.attributes.items()
            if attribute.operation is not None
        }
        self.perturbation = tuple(self._perturbation(i, each) for i, each in enumerate(self.project.perturbation))
        sample = self.project.sample
        self.sample = None if sample is None else self._at(("sample",), lambda: sample_of(sample))

    def _check_kind(self) -> None:
        """A complete project says what must hold; a light one evaluates nothing, so nothing can be asked of it."""
        light = self.project.kind == "light"
        if not light and self.project.privacy is None:
            raise ProjectError("project.key-needed", where=self._document.where(()), key="privacy")
        if light and self.project.privacy is not None:
            raise ProjectError("project.light-with-privacy", place=self._document.where(("privacy",)))
        if light and self.project.hardened:
            raise ProjectError("project.light-and-hardened", place=self._document.where(("hardened",)))

    def released_into(self, into: Mapping[str, Any]) -> Self:
        """Return the project with other words about the table that the rows go to."""
        data = self._document.data
        return type(self)(replace(self._document, data={**data, "release": {**(data.get("release") or {}), **into}}))

    def _perturbation(self, i: int, settings: dict[str, Any]) -> JointPerturbation:
        place: Place = ("perturbation", i)
        for key in ("name", "columns"):
            if key not in settings:
                raise ProjectError("project.perturbation-needs-key", where=self._document.where(place), key=key)
        return self._at(place, lambda: self._in_strata(read_joint_perturbation(settings)), settings)

    def _in_strata(self, made: JointPerturbation) -> JointPerturbation:
        """Keep a perturbation that says nothing of strata within those of the survey, but for what it changes."""
        strata = tuple(name for name in self.project.survey.strata if name not in made.columns)
        return replace(made, perturbation=_within(made.perturbation, strata))

    def _operations(self, column: str, settings: Any) -> tuple[Operation, ...]:
        place: Place = ("attributes", column, "operation")
        strata = tuple(name for name in self.project.survey.strata if name != column)
        if not isinstance(settings, list):
            return (_within(self._operation(place, settings), strata),)
        return tuple(_within(self._operation((*place, i), each), strata) for i, each in enumerate(settings))

    def _operation(self, place: Place, settings: Any) -> Operation:
        return self._named(place, "name", settings, "project.operation-needs-name", read_operation)

    def _model(self, place: Place, settings: Any) -> PrivacyModel:
        def make(name: str, parameters: dict[str, Any]) -> PrivacyModel:
            return MODELS.make(name, parameters).placed(self.folder)

        return self._named(place, "model", settings, "project.privacy-needs-model", make)

    def _method(self, place: Place, settings: Any) -> Method:
        return self._named(place, "name", settings, "project.method-needs-key-name", METHODS.make)

    def _named(self, place: Place, key: str, settings: Any, needed: str, make: Callable[[str, dict[str, Any]], T]) -> T:
        """Make what is named under a key, with the other keys as its parameters."""
        if not isinstance(settings, dict) or key not in settings:
            raise ProjectError(needed, place=self._document.where(place))
        parameters = {str(name): value for name, value in settings.items() if name != key}
        return self._at(place, lambda: make(str(settings[key]), parameters), settings)

    def _hierarchy(self, column: str, settings: Any) -> HierarchyBuilder:
        place: Place = ("attributes", column, "hierarchy")
        return self._at(place, lambda: parse_hierarchy(settings, self.folder))

    def _at(self, place: Place, make: Callable[[], T], given: Mapping[str, Any] | None = None) -> T:
        """Make a part; an error says where: at the key of `given` that it names, or whose value it names."""
        try:
            return make()
        except AntifazError as error:
            words = {key: (repr(key), f" {key} should", repr(value)) for key, value in (given or {}).items()}
            where = self._document.where((*place, *_first_named(str(error), words)))
            raise ProjectError("project.in-file", file=where, error=error) from None

    @property
    def roles(self) -> dict[str, Role]:
        """The roles of columns that somebody decided about: by a role, or by what is done to their cells."""
        changed = dict.fromkeys((name for step in self.perturbation for name in step.columns), Role.INSENSITIVE)
        changed |= dict.fromkeys(self.operations, Role.INSENSITIVE)
        return changed | {name: own.role for name, own in self.project.attributes.items() if own.role is not None}

    @contextmanager
    def _placed(self, kinds: tuple[type[AntifazError], ...], find: Callable[[str], Place]) -> Iterator[None]:
        """Put in front of an error the place of the file that it is found to be about, unless it says one already."""
        try:
            yield
        except kinds as error:
            place = find(str(error))
            if place and not self._document.placed(str(error)):
                error.place("project.in-file", file=self._document.where(place))
            raise

    @contextmanager
    def of_columns(self) -> Iterator[None]:
        """Put in front of an error about a column the place where the file speaks of it."""

        def find(message: str) -> Place:
            named = _first_named(message, {name: (repr(name),) for name in self.project.attributes})
            return ("attributes", *named) if named else ()

        with self._placed((SchemaError, HierarchyError), find):
            try:
                yield
            except SchemaError as error:
                if error.code in UNANSWERED:
                    self._place_unanswered(error)
                raise

    def _place_unanswered(self, error: SchemaError) -> None:
        """Say which table has columns that nobody decided about, and where the file should answer."""
        source = self.project.source
        named = [name for name in error.message.values["columns"] if name in self.project.attributes]
        error.place("plan.in-table", table=source.table or Path(source.path or str(source.spark)).name)
        error.place("project.in-file", file=self._document.where(("attributes", *named[:1])))

    def of_operations(self) -> AbstractContextManager[None]:
        """Put in front of an error about an operation the place where the file speaks of it."""

        def find(message: str) -> Place:
            named = _first_named(message, {name: (repr(name),) for name in self.operations})
            sampling: Place = ("sample",) if message.startswith("sample") else ()
            return ("attributes", *named, "operation") if named else sampling

        return self._placed((ParameterError, SchemaError, DataError), find)

    def of_perturbation(self, i: int) -> AbstractContextManager[None]:
        """Put in front of an error of the perturbation at that place of the list where the file speaks of it."""
        return self._placed((ParameterError, SchemaError, DataError), lambda message: ("perturbation", i))


def _first_named(message: str, words: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the key that a message names first, by any of its words, if it names one: a hint may name others."""
    places = {key: [message.find(word) for word in spellings if word in message] for key, spellings in words.items()}
    positions = {key: min(at) for key, at in places.items() if at}
    return (min(positions, key=positions.__getitem__),) if positions else ()


def load_project(project: str | Path | LoadedProject) -> LoadedProject:
    """Read and check a project file; one that was read before is returned as it is."""
    return project if isinstance(project, LoadedProject) else LoadedProject(read_yaml(Path(project)))


def _within(operation: OneOperation, strata: tuple[str, ...]) -> OneOperation:
    """Return an operation that has strata and says nothing of them with these; others as they are."""
    if not strata or "strata" not in type(operation).model_fields or "strata" in operation.model_fields_set:
        return operation
    return operation.model_copy(update={"strata": strata})
