"""Use cases on stored projects: each gives back plain data.

`store` says where the store is (ANTIFAZ_STORE, or the user's data folder, when left out) and `owner` whose projects
are meant (the system's user when left out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace as replaced
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError, InputError, ProjectError
from antifaz.core.files import json_text, replace_file
from antifaz.core.messages import Message
from antifaz.projects.store import ProjectStore, open_store
from antifaz.projects.yaml_file import parse_yaml, read_text
from antifaz.releases.atomic import staging
from antifaz.releases.evidence import under
from antifaz.storage.secrets import refuse_passwords_in

if TYPE_CHECKING:
    from antifaz.projects.loaded_project import LoadedProject
    from antifaz.projects.tables import LoadedTables

Place = str | Path | None


def add_project(
    path: str | Path, *, name: str | None = None, replace: bool = False, store: Place = None, owner: str | None = None
) -> dict[str, Any]:
    """Keep a project file, comments and all; paths in it stay relative to the folder it was added from.

    Its name is what the file says, or that of the file, if none is given. With `replace`, the text of a project of
    that name is replaced, and its runs stay.
    """
    path = Path(path)
    text = read_text(path)
    project = checked_text(text, path).project
    if name is None:
        name = project.name if "name" in project.model_fields_set else path.stem
    return add_text(text, name=name, folder=path.parent, file=path.name, replace=replace, store=store, owner=owner)


def add_text(
    text: str,
    *,
    name: str,
    folder: str | Path,
    file: str = "project.yaml",
    replace: bool = False,
    store: Place = None,
    owner: str | None = None,
) -> dict[str, Any]:
    """Keep the text of a project; `folder` is what its paths are relative to, `file` what errors call it."""
    place = Path(folder).resolve()
    checked_text(text, place / file)
    try:
        str(place / file).encode()
    except UnicodeEncodeError:
        raise ProjectError("store.path-not-utf-8") from None
    with open_store(store, owner) as opened:
        opened.add(name, text, str(place), file, replace=replace)
        return _describe_project(opened, name)


def checked_text(text: str, path: Path, data: Any = None) -> LoadedProject | LoadedTables:
    """Read a project's text as if it stood in its file; refuse what can't be run, and passwords.

    `data` is what the text says, where something is to be understood otherwise; errors still say the line.
    """
    from antifaz.projects.tables import loaded

    document = parse_yaml(text, path)
    refuse_passwords_in(document.data, text, path.name)
    return loaded(document if data is None else replaced(document, data=data))


def _describe_project(store: ProjectStore, name: str) -> dict[str, Any]:
    row = store.project(name)
    runs = [_summary(run) for run in store.runs(name)]
    keys = ("name", "owner", "made", "changed", "folder", "file", "text")
    return {key: row[key] for key in keys} | {"runs": runs}


def list_projects(*, store: Place = None, owner: str | None = None) -> list[dict[str, Any]]:
    """Return the projects by name: who made each and when, how many runs it has, how the last one ended."""
    with open_store(store, owner) as opened:
        return opened.projects()


def show_project(name: str, *, store: Place = None, owner: str | None = None) -> dict[str, Any]:
    """Return a project with its text and a summary of its runs."""
    with open_store(store, owner) as opened:
        return _describe_project(opened, name)


def copy_project(name: str, new: str, *, store: Place = None, owner: str | None = None) -> dict[str, Any]:
    """Keep a project under another name too; the copy begins without runs."""
    with open_store(store, owner) as opened:
        opened.copy(name, new)
        return _describe_project(opened, new)


def rename_project(name: str, new: str, *, store: Place = None, owner: str | None = None) -> dict[str, Any]:
    """Give a project another name; its runs go with it."""
    with open_store(store, owner) as opened:
        opened.rename(name, new)
        return _describe_project(opened, new)


def delete_project(name: str, *, store: Place = None, owner: str | None = None) -> dict[str, Any]:
    """Erase a project and all its runs from the store; released files stay where they are."""
    with open_store(store, owner) as opened:
        known = opened.project(name)["name"]
        return {"deleted": known, "runs": opened.delete(known)}


def export_project(
    name: str,
    path: str | Path,
    *,
    runs: bool = False,
    force: bool = False,
    store: Place = None,
    owner: str | None = None,
) -> dict[str, Any]:
    """Write a project's text into a file, as it was added; with `runs`, its runs into a JSON file beside it."""
    with open_store(store, owner) as opened:
        row = opened.project(name)
        document = {"antifaz": 1, "project": row["name"], "owner": row["owner"], "runs": opened.runs(name)}
    target = Path(path)
    listed = json_text(document)
    contents = {target.with_name(f"{target.stem}.runs.json"): listed} if runs else {}
    contents[target] = row["text"]
    for file in contents:
        if file.is_dir() or (file.exists() and not force):
            raise InputError("store.file-exists-already", file=file)
    _write_all(contents)
    return {"name": row["name"], "files": [str(file) for file in reversed(contents)], "folder": row["folder"]}


def _write_all(contents: dict[Path, str]) -> None:
    """Write files that only their owner can read; they are complete before the first one appears."""
    last = list(contents)[-1]
    with staging(last.with_name(f"{last.name}.export")) as stage:
        for path, text in contents.items():
            replace_file(stage.folder / path.name, text.encode())
        for path in contents:
            (stage.folder / path.name).replace(path)


def run_stored(name: str, *, store: Place = None, owner: str | None = None, **options: Any) -> dict[str, Any]:
    """Run a project as its file would be run (see `run` for the options), and keep the run and how it ends.

    Return the evidence, with the `run`'s number.
    """
    from antifaz.projects.project_actions import run

    with open_store(store, owner) as opened:
        row = opened.project(name)
    loaded = checked_text(row["text"], Path(row["folder"]) / row["file"])
    began = perf_counter()

    def finish(state: str, **values: Any) -> None:
        # On a connection of its own: a server may have closed the other one in the meantime.
        with open_store(store, owner) as opened:
            opened.finish(row["id"], number, state, seconds=perf_counter() - began, **values)

    with open_store(store, owner) as opened, opened.held() as lock_name:
        number = opened.begin(row, lock_name)
        try:
            evidence = run(loaded, **options)
        except BaseException as error:
            with suppress(AntifazError):  # what went wrong first is what has to be told
                finish("cancelled" if _by_user(error) else "failed", error=_sentence(error))
            raise
        try:
            finish("done", evidence=evidence)
        except AntifazError as error:
            raise InputError("store.run-not-kept", where=evidence.get("folder"), error=error) from None
    return evidence | {"run": number}


def _sentence(error: BaseException) -> str:
    """Say how a run ended, in words that can be kept: those of somebody else may quote the data."""
    if isinstance(error, AntifazError):
        return str(error)
    if _by_user(error):
        return Message("store.stopped-by-user")
    return Message("store.internal-error", type=type(error).__name__)


def _by_user(error: BaseException) -> bool:
    """Whether somebody pressed Ctrl-C; in the middle of a statement it is the database that says so."""
    return not isinstance(error, Exception) or (isinstance(error, RuntimeError) and "interrupted" in str(error).lower())


def runs_of(name: str, *, store: Place = None, owner: str | None = None) -> list[dict[str, Any]]:
    """Return the runs of a project in short: state, when, how long, what was reached and lost, where."""
    with open_store(store, owner) as opened:
        return [_summary(run) for run in opened.runs(name)]


def show_run(name: str, number: int, *, store: Place = None, owner: str | None = None) -> dict[str, Any]:
    """Return one run with the project's text as it was then and its evidence."""
    with open_store(store, owner) as opened:
        return opened.run(name, number)


def compare_runs(
    name: str, first: int, second: int, *, store: Place = None, owner: str | None = None
) -> dict[str, Any]:
    """Put two runs side by side: by its path every parameter that differs, and every measure, as what each run has."""
    with open_store(store, owner) as opened:
        row = opened.project(name)
        runs = [opened.run(name, number) for number in (first, second)]
    documents = [parse_yaml(run["text"], Path(row["file"])).data for run in runs]
    return {
        "project": row["name"], "runs": [_summary(run) for run in runs],
        "parameters": _side_by_side([_flat(each) for each in documents], only_different=True),
        "measures": _side_by_side([_measures(run["evidence"] or {}) for run in runs]),
    }  # fmt: skip


def _summary(run: dict[str, Any]) -> dict[str, Any]:
    evidence = run["evidence"] or {}
    return {
        "run": run["number"], **{key: run[key] for key in ("state", "began", "ended", "seconds")},
        "k": _smallest_class(evidence), "loss": under(evidence, "utility", "loss"), "place": evidence.get("folder"),
        "error": run["error"],
    }  # fmt: skip


def _smallest_class(evidence: dict[str, Any]) -> int | None:
    """Return the k that was counted in the release: of several tables, the smallest."""
    tables = evidence.get("tables", {"": evidence}).values()
    sizes = [under(table, "classes", "after", "smallest") for table in tables]
    return min((size for size in sizes if size is not None), default=None)


#: The parts of the evidence that are measured, and not only said again.
_MEASURED = ("rows", "utility", "risk", "seconds")


def _measures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of an evidence document by their paths; of the privacy models, what was achieved."""
    measures: dict[str, Any] = {}
    for verdict in evidence.get("privacy", []):
        place = "/".join(str(verdict[key]) for key in ("model", "attribute") if verdict.get(key) is not None)
        measures[f"privacy.{place}"] = verdict.get("achieved")
    for part in _MEASURED:
        measures |= _flat(evidence.get(part), part)
    measures |= _flat(under(evidence, "method", "levels"), "levels")
    for name, table in evidence.get("tables", {}).items():
        measures |= {f"{name}: {key}": value for key, value in _measures(table).items()}
    return {key: value for key, value in measures.items() if not isinstance(value, str)}


def _flat(data: Any, place: str = "") -> dict[str, Any]:
    """Return nested mappings and lists as one mapping from paths to values."""
    if isinstance(data, Mapping) and data:
        pairs = [(str(key), value) for key, value in data.items()]
    elif isinstance(data, list) and any(isinstance(value, (Mapping, list)) for value in data):
        pairs = [(str(i + 1), value) for i, value in enumerate(data)]
    else:
        return {place: data} if place and data is not None else {}
    flat = (_flat(value, f"{place}.{key}" if place else key) for key, value in pairs)
    return {key: value for part in flat for key, value in part.items()}


def _side_by_side(sides: Sequence[Mapping[str, Any]], only_different: bool = False) -> dict[str, list[Any]]:
    keys = dict.fromkeys(key for side in sides for key in side)
    rows = {key: [side.get(key) for side in sides] for key in keys}
    return {key: row for key, row in rows.items() if not only_different or row[0] != row[1]}
