"""A project as a Python script: the same release with the public functions, to read, to run and to go on from."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from pprint import pformat
from typing import Any

import antifaz
from antifaz import hierarchies
from antifaz.core.declaration import Declared
from antifaz.core.errors import InputError
from antifaz.core.files import write_text
from antifaz.core.version import VERSION
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.file import File
from antifaz.pipeline.state import TableRequest
from antifaz.projects.loaded_project import LoadedProject, load_project
from antifaz.projects.project_actions import table_request
from antifaz.reports.report import ReportOptions

_WIDTH = 100


class _Code(str):
    """Python that is written as it is; its `repr` is itself, so that it may stand in lists and mappings."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def script_of(project: str | Path | LoadedProject, out: Path | None = None) -> str:
    """Return a script that makes the release of a project; write it to a file where one is named.

    Paths are said from the script's own folder: that of the file, or the project's.
    """
    loaded = load_project(project)
    folder = loaded.folder if out is None else out.resolve().parent
    text = _Script(loaded, folder).text()
    if out is not None:
        write_text(out, text)
    return text


class _Script:
    """What is written, piece by piece; paths become relative to the script's folder."""

    def __init__(self, loaded: LoadedProject, folder: Path) -> None:
        self.request: TableRequest = table_request(loaded)
        self._project, self._folder = loaded.project, folder
        if self.request.light or self.request.operations.any:
            raise InputError("script.operations-not-in-library")

    def text(self) -> str:
        arguments, request = self._arguments(), self.request
        lines = [
            f'"""A release, as its project file asks for it. Made by antifaz {VERSION}."""',
            "",
            *(["import os"] if self.request.table.get("password_env") else []),
            "from pathlib import Path",
            "",
            "import antifaz as az",
            "",
            "HERE = Path(__file__).resolve().parent",
            "",
            _call("data = az.open", self._place(request.source), **self._reading()),
            _call("release = az.anonymize", _Code("data"), **arguments),
            _call("release.save", *self._target(), **self._saving()),
            'print(release.evidence["privacy"])',
        ]
        if unsaid := self._unsaid():
            place = lines.index("HERE = Path(__file__).resolve().parent")
            lines[place:place] = [
                f"# The project file also says what only 'antifaz run' knows: {', '.join(unsaid)}.",
                "",
            ]
        return "\n".join(lines) + "\n"

    def _reading(self) -> dict[str, Any]:
        types = {name: str(kind) for name, kind in self.request.types.items()}
        # Files are opened on this machine anyway.
        anyway = isinstance(self.request.source, Path) and self.request.engine.get("engine") == "local"
        engine = {name: value for name, value in self.request.engine.items() if not (anyway and name == "engine")}
        return {**self.request.reading, **({"types": types} if types else {}), **engine}

    def _arguments(self) -> dict[str, Any]:
        request = self.request
        hierarchies = {name: self._hierarchy(builder) for name, builder in request.hierarchies.items()}
        given = {
            "roles": {name: str(role) for name, role in request.roles.items()},
            "hierarchies": hierarchies,
            "privacy": [self._constructor(model) for model in request.models],
            "method": self._constructor(request.method),
            "missing": dict(request.missing),
            "microaggregate": dict(request.microaggregate),
            "sets": {name: own.model_dump() for name, own in request.items.items()},
            "limit_rows": request.limit_rows,
            "weight": request.weight,
            "household": request.household,
            "hardened": request.hardened,
            "audience": request.audience,
            "seed": request.seed,
        }
        arguments = {name: value for name, value in given.items() if value not in ({}, None, False)}
        return arguments | {"name": request.name, "others": request.others}

    def _target(self) -> list[Any]:
        request = self.request
        if "name" in request.text:
            folder, name = request.folder, request.text["name"]
            return [f"{folder}/{name}" if isinstance(folder, str) else self._place(folder / name)]
        return [self._place(request.folder), *([request.format] if request.format != "csv" else [])]

    def _saving(self) -> dict[str, Any]:
        usual, report = ReportOptions(), self.request.report
        options = {name: value for name, value in report.model_dump().items() if value != getattr(usual, name)}
        table = {name: value for name, value in self.request.table.items() if value not in (None, False)}
        password = {}
        if "password_env" in table:
            password["password"] = _Code(f"os.environ[{table.pop('password_env')!r}]")
        delimiter = {name: value for name, value in self.request.text.items() if name == "delimiter"}
        return delimiter | table | password | options

    def _unsaid(self) -> list[str]:
        project = self._project
        named: dict[str, Any] = {"controller": project.controller, "ledger": project.ledger, "preset": project.preset}
        named["release.to"] = project.release.to
        return [name for name, value in named.items() if value is not None]

    def _place(self, place: Any) -> Any:
        """Return a path as it is said from the script's folder; an address as it is."""
        if not isinstance(place, Path):
            return place
        with suppress(ValueError):  # another drive
            return _Code(f"HERE / {Path(os.path.relpath(place, self._folder)).as_posix()!r}")
        return str(place)

    def _hierarchy(self, builder: HierarchyBuilder) -> Any:
        settings = hierarchies.describe(builder)
        if isinstance(builder, File):
            return _Code(_call("az.hierarchy.from_file", self._place(Path(settings.pop("file"))), **settings))
        function = builder.name.replace("-", "_")
        if type(builder) not in hierarchies.BUILTIN or function not in hierarchies.__all__:
            return settings
        main = settings.pop(builder.name)
        return _Code(_call(f"az.hierarchy.{function}", *([] if main is None else [main]), **settings))

    def _constructor(self, declared: Declared) -> _Code:
        """Return the call that makes a model or a method, with what differs from what it would be anyway."""
        name = type(declared).__name__
        if getattr(antifaz, name, None) is not type(declared):
            raise InputError("script.name-not-public", name=declared.name)
        usual = {key: f.get_default(call_default_factory=True) for key, f in type(declared).model_fields.items()}
        parameters = {key: value for key, value in declared.parameters().items() if value != usual.get(key, ...)}
        path = getattr(declared, "population_path", None)
        known = {
            key: self._place(Path(value)) if value == path and path else value for key, value in parameters.items()
        }
        return _Code(_call(f"az.{name}", **known))


def _call(function: str, *values: Any, **named: Any) -> str:
    """Return a call: on one line where it fits, else with one argument per line."""
    parts = [_literal(value) for value in values]
    parts += [f"{name}={_literal(value)}" for name, value in named.items()]
    short = f"{function}({', '.join(parts)})"
    if len(short) <= _WIDTH and "\n" not in short:
        return short
    return f"{function}(\n" + "".join(map(_indented, parts)) + ")"


def _indented(part: str) -> str:
    return "    " + part.replace("\n", "\n    ") + ",\n"


def _literal(value: Any) -> str:
    if isinstance(value, Mapping) and value and len(repr(value)) > _WIDTH // 2:
        return "{\n" + "".join(_indented(f"{key!r}: {_literal(each)}") for key, each in value.items()) + "}"
    return repr(value) if isinstance(value, _Code) else pformat(value, width=_WIDTH, sort_dicts=False)
