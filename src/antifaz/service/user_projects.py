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
from antifaz.projects.yaml_file import to_yaml
from antifaz.service import project_drafts as drafts
from antifaz.service import project_tables as tables
from antifaz.service.dataset_sources import DatasetReference, ErasedPart
from antifaz.service.datasets import Datasets
from antifaz.service.errors import Busy, Gone, NotFound
from antifaz.service.explorer_answers import ASKED
from antifaz.service.job_request import check_request
from antifaz.service.job_store import OVER, Job
from antifaz.service.jobs import JobQueue
from antifaz.service.project_drafts import parse_draft
from antifaz.service.project_tables import ONLY, table_parts

#: The file that errors and downloads speak of.
FILE = "project.yaml"
#: What the explorer was asked with last, and found right: whoever moves a slider asks many times of one project.
_CHECKED: dict[str, Any] = {}


class UserProjects:
    """The projects of one person."""

    def __init__(self, jobs: JobQueue, datasets: Datasets, owner: str) -> None:
        self._jobs, self._datasets, self._owner = jobs, datasets, owner

    def all(self) -> list[dict[str, Any]]:
        """Return all projects without their texts, the one that was changed last first."""
        with self._store() as store:
            projects = [self._project_summary(row) for row in store.projects()]
            for one in projects:
                one["untouched"] = not one["datasets"] and not one["runs"] and _says_nothing(store, one)
        return sorted(projects, key=lambda project: str(project["changed"]), reverse=True)

    def show(self, id: str) -> dict[str, Any]:
        """Return one project with its text, what it says, and what is missing in it."""
        row = self._row(id)
        shown = self._project_summary(row)
        place, document = Path(row["folder"]) / row["file"], {}
        with suppress(ProjectError):
            document = parse_draft(row["text"], place)
        sources, gone = {}, []
        for name in table_parts(document):
            try:
                if (reference := self._reference(shown["datasets"].get(name))) is not None:
                    sources[name] = reference.source
            except (NotFound, Gone) as error:
                # The data set was erased, or the service started anew: the project is there, its data is not.
                gone.append(drafts.problem_document(error.message, "source"))
        bound = {name: shown["datasets"][name] for name in sources}
        problems = [*gone[:1], *drafts.find_problems(row["text"], place, sources)]
        shown["runs"] = self._with_outdated(id, row["text"], bound, shown["runs"])
        content = {"document": document, "yaml": row["text"], "problems": problems}
        return shown | content | {"dataset": bound.get(ONLY), "datasets": bound}

    def make(
        self,
        name: str,
        *,
        dataset: str | None = None,
        datasets: Mapping[str, str] | None = None,
        document: Mapping[str, Any] | None = None,
        yaml: str | None = None,
        dialect: str | None = None,
        preset: str | None = None,
    ) -> dict[str, Any]:
        """Make a project: from a document or a text, or with proposals for the columns of a data set.

        `datasets` are those of several tables by their names; `dataset` is that of the only one. A document or text of
        Anonylitics is imported, and `notes` say what was not taken over; `dialect` is the kind of its database where
        the port does not say it. With a `preset` the proposals are those of a rule.
        """
        bound = _datasets_by_table(dataset, datasets)
        given = {table: self._datasets.reference(id, self._owner) for table, id in bound.items()}
        document, yaml, notes = drafts.import_foreign(document, yaml, dialect)
        if document is None and yaml is None:
            text = self._template(name, dataset, given.get(ONLY), preset)
        elif preset is not None:
            raise InputError("service.preset-needs-data")
        else:
            text = drafts.draft_text(document, yaml, "", name=name, given=given, bound_anew=given)
        with self._store() as store:
            store.add(name, text, str(self._jobs.work / "files"), FILE)
            id = str(store.project(checked_name(name))["id"])
        self._jobs.store.set_page(id, self._owner, bound, "roles" if bound else "data")
        return self.show(id) | {"notes": notes}

    def save(
        self,
        id: str,
        *,
        document: Mapping[str, Any] | None = None,
        yaml: str | None = None,
        dataset: str | None = None,
        datasets: Mapping[str, str] | None = None,
        step: str | None = None,
    ) -> dict[str, Any]:
        """Keep what was changed of a project, and at which step the page is; what is None stays as it is."""
        row, page = self._row(id), self._jobs.store.page(id)
        bound = page["datasets"] | _datasets_by_table(dataset, datasets)
        # Only another data set changes where the project says its data is: a text that a person wrote stays as it is.
        anew = {name: own for name, own in bound.items() if page["datasets"].get(name) != own}
        if document is not None or yaml is not None or anew:
            given = self._readable(bound, anew)
            for name, each in given.items():
                before = row["text"] if name in anew else None
                given[name] = self._read_as_said(name, bound[name], each, yaml, before)
            changed = {name: given[name] for name in anew}
            text = drafts.draft_text(document, yaml, row["text"], name=row["name"], given=given, bound_anew=changed)
            self._rewrite(row, text)
        self._jobs.store.set_page(id, self._owner, bound, step or page["step"])
        return self.show(id)

    def add_table(self, id: str, dataset: str, name: str | None = None) -> dict[str, Any]:
        """Add a table to a project, with its data set; a project of one table becomes one of several."""
        row, page = self._row(id), self._jobs.store.page(id)
        known, reference = parse_draft(row["text"], Path(FILE)), self._datasets.reference(dataset, self._owner)
        bound = page["datasets"]
        if "tables" not in known and ONLY in bound:
            bound = {tables.only_name(known): bound[ONLY]}
        new = name or tables.proposed_name(reference.name, bound | tables.table_parts(known))
        self._rewrite(
            row, to_yaml(drafts.apply_reading(tables.add_table(known, new, reference.source), {new: reference}))
        )
        self._jobs.store.set_page(id, self._owner, bound | {new: dataset}, page["step"])
        return self.show(id)

    def remove_table(self, id: str, name: str) -> dict[str, Any]:
        """Take a table out of a project; its data set stays."""
        row, page = self._row(id), self._jobs.store.page(id)
        known = parse_draft(row["text"], Path(FILE))
        left = tables.remove_table(known, name)
        bound = {table: own for table, own in page["datasets"].items() if table in table_parts(known)}
        bound.pop(name, None)
        if "tables" not in left:
            bound = dict.fromkeys([ONLY], next(iter(bound.values()))) if bound else {}
        self._rewrite(row, to_yaml(left))
        self._jobs.store.set_page(id, self._owner, bound, page["step"])
        return self.show(id)

    def rename_table(self, id: str, name: str, new: str) -> dict[str, Any]:
        """Give one of several tables another name, which is also that of the folder of its release."""
        row, page = self._row(id), self._jobs.store.page(id)
        self._rewrite(row, to_yaml(tables.rename_table(parse_draft(row["text"], Path(FILE)), name, new)))
        bound = {new if table == name else table: own for table, own in page["datasets"].items()}
        self._jobs.store.set_page(id, self._owner, bound, page["step"])
        return self.show(id)

    def reread(
        self, dataset: str, *, name: str | None = None, options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Give a data set another name, or read it anew; what its projects say of the reading follows."""
        before = self._datasets.reference(dataset, self._owner).types
        described = self._datasets.change(self._owner, dataset, name=name, options=options)
        if options is not None:
            reference = self._datasets.reference(dataset, self._owner)
            for id, table in self._jobs.store.projects_of(dataset, self._owner):
                with suppress(NotFound, ProjectError):  # deleted, or a draft that can't be read
                    row = self._row(id)
                    known = parse_draft(row["text"], Path(FILE))
                    draft = drafts.apply_reading(known, {table: reference}, before)
                    self._rewrite(row, row["text"] if draft == known else to_yaml(draft))
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
        self._jobs.store.set_page(new, self._owner, page["datasets"], page["step"])
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

    def controller(self, id: str) -> dict[str, str]:
        """Return what a project says of who answers for the data, as it is now."""
        with suppress(ProjectError, NotFound):
            controller = parse_draft(self._row(id)["text"], Path(FILE)).get("controller") or {}
            if isinstance(controller, Mapping):
                return {str(key): str(value) for key, value in controller.items()}
        return {}

    def explore(self, id: str, question: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the explorer, which answers in the process of the data set; with no k it says what can be asked."""
        row, bound = self._row(id), self._jobs.store.page(id)["datasets"]
        table = question.get("table") or ONLY
        if table not in bound:
            raise InputError("service.choose-data-set-first")
        references = {name: self._datasets.reference(own, self._owner) for name, own in bound.items()}
        keys = self._jobs.keys
        checked = (row["text"], table, bound, keys.names(self._owner))
        if _CHECKED.get(id) != checked:
            named, accounts = {"table": table} if table else {}, self._jobs.accounts
            check_request(row, "candidates", named, references, accounts=accounts, keys=keys.names(self._owner))
            _CHECKED.clear()
            _CHECKED[id] = checked
        place = str(Path(row["folder"]) / row["file"])
        project = {"text": row["text"], "file": place, "table": table, "source": dict(references[table].source)}
        project["keys"] = keys.for_job(self._owner)
        asked = {key: question.get(key) for key in ("k", *ASKED)}
        return dict(self._datasets.ask(self._owner, bound[table], "explore", project=project, asked=asked))

    def free_name(self, name: str) -> str:
        """Return the name, with a number behind it where it is taken."""
        with self._store() as store:
            taken = set(store.names())
        tried = (name, *(f"{name} {i}" for i in range(2, len(taken) + 2)))
        return next(free for free in tried if free not in taken)

    def _with_outdated(
        self, id: str, text: str, bound: Mapping[str, str], runs: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Say of each run whether the project asks for something else by now, or has other data."""
        jobs = {job.id: job for job in self._jobs.store.jobs(owner=self._owner, project=id)}

        def outdated(job: Job) -> bool:
            other = any(job.datasets.get(name, own) != own for name, own in bound.items())
            return other or not drafts.is_same_request(job.text, text, job.kind)

        return [run | {"outdated": run["id"] in jobs and outdated(jobs[run["id"]])} for run in runs]

    def _store(self) -> AbstractContextManager[ProjectStore]:
        return open_store(self._jobs.project_store, self._owner)

    def _row(self, id: str) -> dict[str, Any]:
        with self._store() as store:
            row = store.by_id(id)
        if row is None:
            raise NotFound("service.project-not-found")
        return row

    def _reference(self, dataset: str | None) -> DatasetReference | None:
        return None if dataset is None else self._datasets.reference(dataset, self._owner)

    def _readable(self, bound: Mapping[str, str], anew: Mapping[str, str]) -> dict[str, DatasetReference]:
        """Return the data sets of a project's tables; those that were bound before may be gone, new ones may not."""
        references = {name: self._datasets.reference(id, self._owner) for name, id in anew.items()}
        for name, id in bound.items():
            if name not in anew:
                with suppress(NotFound, Gone):
                    references[name] = self._datasets.reference(id, self._owner)
        return references

    def _read_as_said(
        self, table: str, id: str, reference: DatasetReference, yaml: str | None, before: str | None
    ) -> DatasetReference:
        """Read a data set as a text says, or as the project did before with the same file; return it as it is then."""
        options = None
        if yaml is not None:
            options = drafts.changed_reading(parse_draft(yaml, Path(FILE)), table, reference)
        elif before is not None:
            with suppress(ProjectError):
                options = drafts.missing_words_to_keep(parse_draft(before, Path(FILE)), table, reference)
        if options is None:
            return reference
        self.reread(id, options=options)
        return self._datasets.reference(id, self._owner)

    def _rewrite(self, row: Mapping[str, Any], text: str) -> None:
        if text != row["text"]:
            with self._store() as store:
                store.add(row["name"], text, row["folder"], row["file"], replace=True)

    def _template(self, name: str, dataset: str | None, reference: DatasetReference | None, preset: str | None) -> str:
        if dataset is None or reference is None:
            if preset is not None:
                raise InputError("service.preset-needs-data")
            return to_yaml({"antifaz": 1, "name": checked_name(name)})
        data = {"source": dict(reference.source), "types": dict(reference.types)}
        return str(self._datasets.ask(self._owner, dataset, "template", name=name, file=FILE, preset=preset, **data))

    def _project_summary(self, row: Mapping[str, Any]) -> dict[str, Any]:
        keys = ("id", "number", "kind", "state", "message", "queued", "began", "ended", "wanted")
        runs = [{key: run[key] for key in keys} for run in self._jobs.all(self._owner, row["id"])]
        own = {key: row[key] for key in ("id", "name", "made", "changed")}
        page = self._jobs.store.page(row["id"])
        return own | page | {"dataset": page["datasets"].get(ONLY), "runs": runs}


def _datasets_by_table(dataset: str | None, datasets: Mapping[str, str] | None) -> dict[str, str]:
    """Return the data sets by the names of their tables; that of the only table has the empty one."""
    return dict(datasets or {}) | ({} if dataset is None else {ONLY: dataset})


def _says_nothing(store: ProjectStore, project: Mapping[str, Any]) -> bool:
    """Say whether nothing was put into a project: somebody began one, and went away."""
    with suppress(ProjectError):
        return parse_draft(str((store.by_id(project["id"]) or {}).get("text")), Path(FILE)).keys() <= {
            "antifaz",
            "name",
        }
    return False
