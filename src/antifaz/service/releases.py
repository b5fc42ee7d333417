"""What runs released, for whoever looks at it or takes it away: windows of rows, other formats, the report."""

import shutil
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from antifaz.core.errors import ParameterError, checked_language, hint
from antifaz.engines.engine import Data
from antifaz.engines.local.convert import FORMATS
from antifaz.engines.opening import open_data
from antifaz.reports.templating import POLICY as REPORT_POLICY
from antifaz.service.datasets import window
from antifaz.service.errors import NotFound, error_from_document
from antifaz.service.jobs import JobQueue
from antifaz.service.release_folder import EVIDENCE, RECORD, delimiter_of, describe_release, read_release, rows_file
from antifaz.service.worker_process import HAND_OUT, WorkerProcess

__all__ = ["REPORT_POLICY", "Releases"]
#: How many releases are held open for looking at.
_OPEN = 2


class Releases:
    """The releases of a service's runs; each is its owner's alone."""

    def __init__(self, jobs: JobQueue) -> None:
        """Take the queue, which knows whose runs they are."""
        self._jobs = jobs
        self._opened: OrderedDict[tuple[str, str | None], Data] = OrderedDict()
        self._lock = Lock()
        self._taking: dict[str, Lock] = {}

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
        with self._lock:
            return window(self._open((id, table), path), start, count, sort, descending)

    def file(self, id: str, owner: str, format: str | None = None, table: str | None = None) -> Path:
        """Return a file with the released rows to be taken away: the one that was checked, or another format of it.

        With it the release leaves, and is registered in the ledger.
        """
        folder = self._jobs.release_of(id, owner)
        path = rows_file(folder, table)
        if format is not None and format not in FORMATS:
            raise ParameterError("release.unknown-download-format", format=format, hint=hint(format, FORMATS))
        target = path if format is None else path.with_suffix(f".{format}")
        with self._alone(id):
            self._prepare(id, folder, path, target)
        return target

    def _prepare(self, id: str, folder: Path, path: Path, target: Path) -> None:
        """Have another process do what must be done before a file leaves, and wait for it."""
        aside = self._jobs.aside / f"{id}-out"
        order = _hand_out_order(folder, self._jobs.drafts / id, aside, path, target)
        if order is None:
            return
        aside.mkdir(mode=0o700, exist_ok=True)
        try:
            *_, ended = [{}, *WorkerProcess(order, []).lines()]
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if "done" not in ended:
            raise error_from_document(ended.get("error"))

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        """Let one at a time take a release; others go on."""
        with self._lock:
            own = self._taking.setdefault(id, Lock())
        with own:
            yield

    def document(self, id: str, owner: str, name: str) -> Path:
        """Return the evidence or the record of a release."""
        path = self._jobs.release_of(id, owner) / name
        if name not in (EVIDENCE, RECORD) or not path.is_file():
            raise NotFound("service.no-such-document")
        return path

    def report(self, id: str, owner: str, language: str) -> str:
        """Return the report of a release as a page, in a language, made anew from its evidence."""
        from antifaz.reports.report import report_html

        return report_html(read_release(self._jobs.release_of(id, owner)), checked_language(language))

    def report_pdf(self, id: str, owner: str, language: str) -> bytes:
        """Return the same report as PDF."""
        from antifaz.reports.report import report_pdf

        return report_pdf(read_release(self._jobs.release_of(id, owner)), checked_language(language))

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

    def _open(self, key: tuple[str, str | None], path: Path) -> Data:
        if key in self._opened:
            self._opened.move_to_end(key)
            return self._opened[key]
        between = delimiter_of(path)
        known: dict[str, Any] = {} if between is None else {"delimiter": between, "header": True}
        self._opened[key] = open_data(path, engine="local", **known)
        while len(self._opened) > _OPEN:
            self._opened.popitem(last=False)[1].close()
        return self._opened[key]


def _hand_out_order(folder: Path, draft: Path, aside: Path, path: Path, target: Path) -> dict[str, Any] | None:
    """Return what is to be done before a file of a release leaves; None where it was done before."""
    todo: dict[str, Any] = {"draft": str(draft)} if draft.is_dir() else {}
    if target != path and not target.is_file():
        todo |= {
            "path": str(path),
            "delimiter": delimiter_of(path),
            "target": str(target),
            "format": target.suffix.lstrip("."),
        }
    return {"kind": HAND_OUT, "release": str(folder), "aside": str(aside), **todo} if todo else None
