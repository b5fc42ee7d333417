"""Projects as the page works on them: the stored projects by their ids, drafts that may be incomplete, and their data.

They are the same projects as those of `antifaz project`. Beside each, the queue's file says which data set it is bound
to and at which step the page is.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError, ProjectError
from antifaz.projects import store_actions
from antifaz.projects.store import ProjectStore, checked_name, open_store
from antifaz.projects.template import project_template
from antifaz.projects.yaml_file import to_yaml
from antifaz.service import project_drafts as drafts
from antifaz.service.dataset_sources import DatasetReference, ErasedPart
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, Gone, NotFound
from antifaz.service.job_store import OVER
from antifaz.service.jobs import JobQueue
from antifaz.service.project_drafts import parse_draft

#: The file that errors and downloads speak of.
FILE = "project.yaml"
STEPS = ("data", "roles", "hierarchies", "privacy", "run", "explore", "judge", "release", "finish")


class UserProjects:
    """The projects of one person."""

    def __init__(self, jobs: JobQueue, datasets: Datasets, owner: str) -> None:
        """Take the queue and the data sets of the service."""
        self._jobs, self._datasets, self._owner = jobs, datasets, owner

    def all(self) -> list[dict[str, Any]]:
        """Return all projects without their texts, the one that was changed last first."""
        with self._store() as store:
            rows = store.projects()
        return sorted((self._headed(row) for row in rows), key=lambda project: str(project["changed"]), reverse=True)

    def show(self, id: str) -> dict[str, Any]:
        """Return one project with its text, what it says, and what is missing in it."""
        row = self._row(id)
        shown = self._headed(row)
        source, gone = None, []
        try:
            given = self._given(shown["dataset"])
            source = None if given is None else given.source
        except (NotFound, Gone) as error:
            # The data set was erased, or the service started anew: the project is there, its data is not.
            shown["dataset"] = None
            gone = [drafts.problem_document(error.message, "source")]
        place, document = Path(row["folder"]) / row["file"], {}
        with suppress(ProjectError):
            document = parse_draft(row["text"], place)
        problems = [*gone, *drafts.find_problems(row["text"], place, source)]
        return shown | {"document": document, "yaml": row["text"], "problems": problems}

    def make(
        self,
        name: str,
        *,
        dataset: str | None = None,
        document: Mapping[str, Any] | None = None,
        yaml: str | None = None,
        dialect: str | None = None,
    ) -> dict[str, Any]:
        """Make a project: from a document or a text, or with proposals for the columns of a data set.

        A document or text of Anonylitics is imported, and `notes` say what was not taken over; `dialect` is the kind of
        its database where the port does not say it.
        """
        given = self._given(dataset)
        document, yaml, notes = drafts.import_foreign(document, yaml, dialect)
        if document is None and yaml is None:
            text = self._template(name, dataset, given)
        else:
            source = None if given is None else given.source
            text = drafts.draft_text(document, yaml, "", source=source, name=name, given=given)
        with self._store() as store:
            store.add(name, text, str(self._jobs.work / "files"), FILE)
            id = str(store.project(checked_name(name))["id"])
        self._jobs.store.set_page(id, self._owner, dataset, "data" if dataset is None else "roles")
        return self.show(id) | {"notes": notes}

    def save(
        self,
        id: str,
        *,
        document: Mapping[str, Any] | None = None,
        yaml: str | None = None,
        dataset: str | None = None,
        step: str | None = None,
    ) -> dict[str, Any]:
        """Keep what was changed of a project: what is None stays as it is."""
        row, page = self._row(id), self._jobs.store.page(id)
        if step is not None and step not in STEPS:
            raise InputError("service.unknown-step", step=step, steps=STEPS)
        # Only another data set changes where the project says its data is: a text that a person wrote stays as it is.
        other = dataset if dataset != page["dataset"] else None
        if document is not None or yaml is not None or other is not None:
            given = self._given(other) if other is not None else self._bound(page["dataset"])
            if given is not None:
                given = self._read_as_said(other or page["dataset"], given, yaml, row["text"] if other else None)
            source = given.source if given is not None and other is not None else None
            text = drafts.draft_text(document, yaml, row["text"], source=source, name=row["name"], given=given)
            self._rewrite(row, text)
        self._jobs.store.set_page(id, self._owner, dataset or page["dataset"], step or page["step"])
        return self.show(id)

    def reread(
        self, dataset: str, *, name: str | None = None, options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Give a data set another name, or read it anew; what its projects say of the reading follows."""
        before = self._datasets.reference(dataset, self._owner).types
        described = self._datasets.change(self._owner, dataset, name=name, options=options)
        if options is not None:
            given = self._datasets.reference(dataset, self._owner)
            for id in self._jobs.store.projects_of(dataset, self._owner):
                with suppress(NotFound, ProjectError):  # deleted, or a draft that can't be read
                    row = self._row(id)
                    known = parse_draft(row["text"], Path(FILE))
                    wanted = drafts.apply_reading(known, given, before)
                    self._rewrite(row, row["text"] if wanted == known else to_yaml(wanted))
        return described

    def rename(self, id: str, name: str) -> dict[str, Any]:
        """Give a project another name."""
        with self._store() as store:
            store.rename(self._row(id)["name"], name)
        return self.show(id)

    def copy(self, id: str, name: str) -> dict[str, Any]:
        """Make a copy under another name, with the same data, and without runs."""
        row, page = self._row(id), self._jobs.store.page(id)
        with self._store() as store:
            store.copy(row["name"], name)
            new = str(store.project(checked_name(name))["id"])
        self._jobs.store.set_page(new, self._owner, page["dataset"], page["step"])
        return self.show(new)

    def delete(self, id: str) -> list[ErasedPart]:
        """Erase a project with its runs, their results and what they released; say of each whether it is gone."""
        row = self._row(id)
        runs = self._jobs.all(self._owner, id)
        if any(run["state"] not in OVER for run in runs):
            raise Busy("service.project-run-not-over")
        erased = [part for run in runs for part in self._jobs.delete(run["id"], self._owner)]
        with self._store() as store:
            store.delete(row["name"])
            gone = store.by_id(id) is None
        self._jobs.store.forget_page(id)
        return [*erased, {"what": "project", "where": row["name"], "gone": gone}]

    def compare(self, id: str, first: int, second: int) -> dict[str, Any]:
        """Put two runs side by side, by their numbers."""
        name = self._row(id)["name"]
        return store_actions.compare_runs(name, first, second, store=self._jobs.project_store, owner=self._owner)

    def text(self, id: str) -> tuple[str, str]:
        """Return a project's name and its text, as a file."""
        row = self._row(id)
        return row["name"], row["text"]

    def free_name(self, name: str) -> str:
        """Return the name, with a number behind it where it is taken."""
        with self._store() as store:
            taken = set(store.names())
        tried = (name, *(f"{name} {i}" for i in range(2, len(taken) + 2)))
        return next(free for free in tried if free not in taken)

    def _store(self) -> AbstractContextManager[ProjectStore]:
        return open_store(self._jobs.project_store, self._owner)

    def _row(self, id: str) -> dict[str, Any]:
        with self._store() as store:
            row = store.by_id(id)
        if row is None:
            raise NotFound("service.project-not-found")
        return row

    def _given(self, dataset: str | None) -> DatasetReference | None:
        return None if dataset is None else self._datasets.reference(dataset, self._owner)

    def _bound(self, dataset: str | None) -> DatasetReference | None:
        with suppress(NotFound, Gone):
            return self._given(dataset)
        return None

    def _read_as_said(self, id: str, given: DatasetReference, yaml: str | None, before: str | None) -> DatasetReference:
        """Read a data set as a text says, or as the project did before with the same file; return it as it is then."""
        options = None
        if yaml is not None:
            options = drafts.changed_reading(parse_draft(yaml, Path(FILE)), given)
        elif before is not None:
            with suppress(ProjectError):
                options = drafts.missing_words_to_keep(parse_draft(before, Path(FILE)), given)
        if options is None:
            return given
        self.reread(id, options=options)
        return self._datasets.reference(id, self._owner)

    def _rewrite(self, row: Mapping[str, Any], text: str) -> None:
        if text != row["text"]:
            with self._store() as store:
                store.add(row["name"], text, row["folder"], row["file"], replace=True)

    def _template(self, name: str, dataset: str | None, given: DatasetReference | None) -> str:
        if dataset is None or given is None:
            return to_yaml({"antifaz": 1, "name": checked_name(name)})
        with self._datasets.using(self._owner, dataset) as data:
            return project_template(data, Path(f"{name}.csv"), Path(FILE), {}, given.source, given.types)

    def _headed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        keys = ("id", "number", "kind", "state", "message", "queued", "began", "ended")
        runs = [{key: run[key] for key in keys} for run in self._jobs.all(self._owner, row["id"])]
        own = {key: row[key] for key in ("id", "name", "made", "changed")}
        return own | self._jobs.store.page(row["id"]) | {"runs": runs}
