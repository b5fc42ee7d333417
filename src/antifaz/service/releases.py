"""What runs released, for whoever looks at it or takes it away: windows of rows, other formats, the report."""

import json
import shutil
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from antifaz.core.errors import InputError, ParameterError, checked_language, hint
from antifaz.core.files import json_text
from antifaz.reports.templating import POLICY as REPORT_POLICY
from antifaz.service.dataset_process import DatasetProcess
from antifaz.service.errors import NotFound, error_from_document
from antifaz.service.jobs import JobQueue
from antifaz.service.release_folder import (
    EVIDENCE,
    RECORD,
    archive_file,
    describe_release,
    read_release,
    reading_of,
    report_file,
    rows_file,
    table_folder,
)
from antifaz.service.worker_process import HAND_OUT
from antifaz.sources.text_options import DOWNLOADS
from antifaz.sources.text_options import DownloadFormat as DownloadFormat

__all__ = ["REPORT_POLICY", "Releases"]
#: How many releases are held open for looking at.
_OPEN = 2
#: What each of them may take.
_MEMORY = "1GB"
#: How the name of a file ends that is being made.
_PARTIAL = ".partial"


class Releases:
    """The releases of a service's runs; each is its owner's alone."""

    def __init__(self, jobs: JobQueue, folder: Path) -> None:
        """Take the queue, which knows whose runs they are, and a private folder for what is written aside."""
        self._jobs, self._folder = jobs, folder
        self._opened: OrderedDict[tuple[str, str | None], DatasetProcess] = OrderedDict()
        self._lock = Lock()
        self._taking: dict[str, Lock] = {}
        #: The runs that were handed out since the service began, and to whom.
        self._handed: set[tuple[str, str]] = set()

    def describe(self, id: str, owner: str) -> dict[str, Any]:
        """Return what a run released."""
        return describe_release(self._jobs.release_of(id, owner))

    def rows(
        self,
        id: str,
        owner: str,
        *,
        start: int,
        count: int,
        table: str | None = None,
        sort: str | None = None,
        descending: bool = False,
    ) -> dict[str, Any]:
        """Return a window of the released rows as text."""
        path = rows_file(self._jobs.release_of(id, owner), table)
        window = {"start": start, "count": count, "sort": sort, "descending": descending}
        with self._lock:
            opened = self._open((id, table), path)
            try:
                return dict(opened.ask("rows", **window))
            finally:
                if not opened.alive:
                    self._opened.pop((id, table)).close()

    def file(
        self,
        id: str,
        owner: str,
        format: str | None = None,
        table: str | None = None,
        *,
        to: str,
        despite: str | None = None,
    ) -> Path:
        """Return a file with the released rows to be taken away: the one that was checked, or another format of it.

        With it the release is handed out `to` somebody, and registered in the ledger; `despite` is the reason for that
        where earlier releases speak against it.
        """
        folder = self._jobs.release_of(id, owner)
        path = rows_file(folder, table)
        if format is not None and format not in DOWNLOADS:
            raise ParameterError("release.unknown-download-format", format=format, hint=hint(format, DOWNLOADS))
        target = path if format is None else path.with_suffix(f".{format}")
        with self._release_lock(id):
            draft = self._jobs.drafts / id
            spec = _conversion(path, target)
            if draft.is_dir() or ((id, to) not in self._handed and "ledger" in read_release(path.parent)):
                spec |= {"draft": str(draft), "owner": owner, "to": to, "despite": despite}
            if spec:
                self._prepare(id, folder, spec)
            self._handed.add((id, to))
        return target

    def _prepare(self, id: str, folder: Path, todo: dict[str, Any]) -> None:
        """Have another process do what must be done before a file leaves, and wait for it."""
        aside = self._jobs.aside / f"{id}-out"
        spec = {"kind": HAND_OUT, "release": str(folder), "aside": str(aside), **todo}
        aside.mkdir(mode=0o700, exist_ok=True)
        spec["ledger_entry"] = self._jobs.hosts.ledger_entry()
        try:
            *_, ended = [{}, *self._jobs.workers.start(spec, []).lines()]
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if "done" not in ended:
            raise error_from_document(ended.get("error"))

    @contextmanager
    def _release_lock(self, id: str) -> Iterator[None]:
        """Let one at a time take a release; others go on."""
        with self._lock:
            own = self._taking.setdefault(id, Lock())
        with own:
            yield

    def archive(self, id: str, owner: str, format: str, language: str, *, to: str, despite: str | None = None) -> Path:
        """Return one file with all tables of a release in a format, with the evidence and the reports in a language.

        The record of processing stays inside. With it the release is handed out, as with any of its files.
        """
        folder = self._jobs.release_of(id, owner)
        tables = list(read_release(folder).get("tables", {}))
        if not tables:
            raise InputError("service.archive-needs-tables")
        rows = {table: self.file(id, owner, format, table, to=to, despite=despite) for table in tables}
        members = {EVIDENCE: folder / EVIDENCE, "report.html": self.report(id, owner, language)}
        for table, path in rows.items():
            members[f"{table}/{path.name}"] = path
            members[f"{table}/{EVIDENCE}"] = folder / table / EVIDENCE
            members[f"{table}/report.html"] = self.report(id, owner, language, table=table)
        target = folder / archive_file(format, checked_language(language))
        with self._release_lock(id):
            if not _is_current(target, folder):
                _write_archive(target, members)
        return target

    def document(self, id: str, owner: str, name: str, table: str | None = None) -> Path:
        """Return the evidence or the record of a release, or of one of its tables."""
        path = table_folder(self._jobs.release_of(id, owner), table) / name
        if name not in (EVIDENCE, RECORD) or not path.is_file():
            raise NotFound("service.no-such-document")
        return path

    def record(
        self, id: str, owner: str, controller: Mapping[str, str], *, format: str, language: str, table: str | None
    ) -> bytes:
        """Return the record of processing of a release, or of one of its tables, with what the controller says now.

        The file that is kept follows, so that its SHA-256 is that of what is handed out.
        """
        from antifaz.releases.record import article_30, controller_fields, to_fill_in
        from antifaz.reports.processing_record import record_docx, record_pdf

        path = self.document(id, owner, RECORD, table)
        with self._release_lock(id):
            kept, evidence = json.loads(path.read_text(encoding="utf-8")), read_release(path.parent)
            before = controller_fields(kept["article_30"])
            after = before | dict(controller)
            if after != before:
                fields = article_30(evidence, after)
                changed = kept | {"article_30": fields, "to_fill_in": to_fill_in(fields)}
                with _whole(path) as aside:
                    aside.write_text(json_text(changed), encoding="utf-8")
            if format == "json":
                return path.read_bytes()
        write = record_pdf if format == "pdf" else record_docx
        return write(evidence, after, checked_language(language))

    def report(self, id: str, owner: str, language: str, *, format: str = "html", table: str | None = None) -> Path:
        """Return the file of the report on a release, or on one of its tables, made of its evidence as it is."""
        folder = table_folder(self._jobs.release_of(id, owner), table)
        path = folder / report_file(checked_language(language), format)
        with self._release_lock(id):
            if not _is_current(path, folder):
                _write_report(path, read_release(folder), language)
        return path

    def sweep(self, id: str, folder: Path) -> list[Path]:
        """Remove what was cut off while an archive or a report of a release was made; return what was there."""
        with self._release_lock(id):
            left = [*folder.rglob(f".*{_PARTIAL}")]
            for path in left:
                path.unlink(missing_ok=True)
        return left

    def forget(self, id: str) -> None:
        """Close what is held open of a run."""
        with self._lock:
            self._taking.pop(id, None)
            for key in [key for key in self._opened if key[0] == id]:
                self._opened.pop(key).close()

    def close(self) -> None:
        """Close everything."""
        with self._lock:
            while self._opened:
                self._opened.popitem()[1].close()

    def _open(self, key: tuple[str, str | None], path: Path) -> DatasetProcess:
        if key in self._opened:
            self._opened.move_to_end(key)
            return self._opened[key]
        spec = {"place": {"path": str(path)}, "reading": reading_of(path)}
        self._opened[key] = DatasetProcess(self._jobs.workers, self._folder, spec, memory=_MEMORY)
        while len(self._opened) > _OPEN:
            self._opened.popitem(last=False)[1].close()
        return self._opened[key]


def _conversion(path: Path, target: Path) -> dict[str, Any]:
    """Return what is to be done to have the rows in another format; nothing where they are."""
    if target == path or target.is_file():
        return {}
    return {
        "path": str(path),
        "reading": reading_of(path),
        "target": str(target),
        "format": target.name.removeprefix(f"{path.stem}."),
    }


def _is_current(path: Path, folder: Path) -> bool:
    """Say whether a file was made of the evidence as it is: handing out changes that."""
    return path.is_file() and path.stat().st_mtime_ns >= (folder / EVIDENCE).stat().st_mtime_ns


def _write_report(path: Path, evidence: dict[str, Any], language: str) -> None:
    from antifaz.reports.report import report_html, report_pdf

    html = path.suffix == ".html"
    content = report_html(evidence, language).encode() if html else report_pdf(evidence, language)
    with _whole(path) as aside:
        aside.write_bytes(content)


def _write_archive(target: Path, members: Mapping[str, Path]) -> None:
    with _whole(target) as aside, zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in members.items():
            # Without the time of writing: the same files make the same archive.
            with path.open("rb") as source, archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as part:
                shutil.copyfileobj(source, part)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Give a file to write; it gets its name when it is whole."""
    aside = path.with_name(f".{path.name}{_PARTIAL}")
    aside.touch(mode=0o600)
    try:
        yield aside
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
