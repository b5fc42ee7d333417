"""A release: what `anonymize` returns. It holds the state of a run and asks for its steps when they are needed.

`run_table` takes one table through all of them, from its source to the place of its release.
"""

from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pyarrow as pa

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.inline import Inline, InlineDict
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.engines.engine import Stage
from antifaz.engines.registry import into_table
from antifaz.ledger.check import LedgerCheck, NewRelease
from antifaz.ledger.ledger import Ledger, check_with
from antifaz.pipeline import steps
from antifaz.pipeline.frozen_recoding import FrozenRecoding, freeze
from antifaz.pipeline.state import Destination, Planned, Recoded, Requested, Staged, TableRequest
from antifaz.pipeline.steps import run_steps
from antifaz.releases.atomic import staging
from antifaz.releases.evidence import add_messages
from antifaz.releases.remote_staging import remote_staging
from antifaz.reports.report import report_options
from antifaz.sources.place_address import is_place, without_end
from antifaz.sources.text_options import FORMATS

#: What a release is called that nobody gave a name: no name of a data set.
UNNAMED = "release"


def written_as(place: str | Path, format: str, **told: Any) -> tuple[str | Path, str, dict[str, Any]]:
    """Return the folder, the format and what else is told of the file; a place may name the file, out/people.txt."""
    text = {key: value for key, value in told.items() if value}
    place = without_end(place)
    path = Path(place)
    if path.suffix[1:] not in FORMATS or ("://" in str(place) and not is_place(place)):
        return place, format, text
    folder = str(place).rpartition("/")[0] if is_place(place) else path.parent
    return folder, path.suffix[1:], {"name": path.name} | text


class Release(Inline):
    """What `anonymize` returns. It exists only if the privacy asked for was counted in the rows it holds."""

    inline_template: ClassVar[str] = "release"

    def __init__(self, planned: Planned) -> None:
        """Take a plan with its table; nothing is done yet."""
        self._planned = planned
        self._frame: Any = None
        self._checked: Any = None
        self._counted: Any = None
        #: The evidence document (see the contract); filled when the rows have been counted again.
        self.evidence: dict[str, Any] = {}

    @cached_property
    def recoded(self) -> Recoded:
        """The rows with what was decided of them; counts and decides when it is first asked for."""
        deciding = steps.LIGHT_DECIDING if self._planned.plan.light else steps.DECIDING
        recoded: Recoded = run_steps(deciding, self._planned)
        return recoded

    @property
    def levels(self) -> dict[str, int]:
        """The level that each quasi-identifier was generalized to, where the method gives every value the same."""
        return self.recoded.levels

    @property
    def frame(self) -> Any:
        """The released rows, as the same kind of object that came in (a pyarrow table for a file)."""
        while self._checked is None:
            self.check()
        if self._frame is None:
            # Only now: rows of a database leave the server here.
            self._frame = self.recoded.applied.to_source_kind(self._checked)
        return self._frame

    @cached_property
    def recoding(self) -> FrozenRecoding:
        """What was decided, as a document: `save` it, and `antifaz.apply` it to rows that come later.

        It names values of the data: keep it where the data is.
        """
        while not isinstance(self._checked, pa.Table):
            if self._checked is not None:
                raise ParameterError("recoding.only-on-this-machine", engine=self._planned.data.engine)
            self.check()
        return freeze(self.recoded, self._checked)

    def first_rows(self, number: int = 5) -> tuple[list[str], list[list[Any]]]:
        """Return the columns and a few released rows, where they are in memory: no row is fetched for it."""
        if not isinstance(self._checked, pa.Table):
            return [], []
        few = self._checked.slice(0, number)
        return list(few.column_names), [list(row.values()) for row in few.to_pylist()]

    def check(self) -> None:
        """Apply the decision in memory, count the result again and keep it, or raise.

        What was decided part by part is not held at first: it is written to a private place, and judged there.
        """
        with self._planned.original.snapshot():
            self._check()

    def _check(self) -> None:
        state = self.recoded
        parted = state.decided is not None and not state.decided.decision.table.in_memory
        if parted and not self.evidence:
            with TemporaryDirectory(prefix="antifaz-") as folder:
                self.save(Path(folder) / "release", "parquet")
            del self.evidence["released"]
            return
        with state.progress.step("apply", Message("progress.recoding")):
            table, keys = state.applied.collect_keyed(() if state.decided is None else state.plan.person)
        with state.progress.step("verify", Message("progress.counting-again")):
            counted, evidence = steps.examine_rows(state, table, **({} if keys is None else {"people": keys}))
        steps.add_cost(evidence, state.progress)
        add_messages(evidence)
        self.evidence = InlineDict("evidence", evidence.document())
        self._checked, self._frame, self._counted = table, None, (counted, evidence)

    @property
    def verdict(self) -> dict[str, Any]:
        """The answer to "may I hand this over?" with its findings, as in the evidence.

        Of a release that was not saved, attacks are tried when this is first asked for.
        """
        if "verdict" not in self.evidence:
            while self._checked is None:
                self.check()
            with self._planned.original.snapshot():
                evidence = steps.judge_rows(self.recoded, self._checked, *self._counted)
            add_messages(evidence)
            self.evidence = InlineDict("evidence", evidence.document())
        return InlineDict("verdict", self.evidence["verdict"])

    def save(
        self,
        folder: str | Path,
        format: str = "csv",
        *,
        delimiter: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        bom: bool = False,
        table: str | None = None,
        schema: str | None = None,
        replace: bool = False,
        url: str | None = None,
        password: str | None = None,
        ledger: Ledger | LedgerCheck | str | Path | None = None,
        despite: str | None = None,
        to: str | None = None,
        language: str = "en",
        recipient: str | None = None,
        pdf: bool = False,
        attacks: int | None = None,
    ) -> str | Path:
        """Write data, evidence.json, report.html and record.json into a folder: all of them or none.

        The rows are written to a private place, read back and judged there, and only then moved to the folder. They are
        `release.csv` there, or another `format` (tsv, txt, parquet); a path such as out/people.txt names the file, and
        `delimiter` what separates columns of text. Text is UTF-8, with a byte order mark if `bom` is asked for, or of
        another `encoding` (cp1252, latin-1, utf-16); `decimal="comma"` writes decimal commas, and then ; between
        columns. With
        `table`, the rows of a database go to a new table beside their source, or in another schema, instead; with `url`
        as well, rows from anywhere go to a table of that database. With
        `ledger`, the release is checked with the earlier ones in that ledger and registered there as handed out `to`
        somebody; one that breaks k together with them raises `LedgerRefused`, unless `despite` gives the reason for
        making it all the same. Without a ledger it is a draft, of which no ledger knows. The folder may be an address
        of a store (s3://, gs://, hdfs://): then all is judged on this machine first, and uploaded after.

        The report is written in a `language` ("en", "es", "ca") for a named `recipient`, with `pdf` also as report.pdf;
        `attacks` says how many attempts each attack makes on the release, 0 for none.
        """
        folder, format, text = written_as(
            folder, format, delimiter=delimiter, encoding=encoding, decimal=decimal, bom=bom
        )
        report = report_options(language=language, recipient=recipient, pdf=pdf, attacks=attacks)
        name = self._planned.plan.name
        check = check_with(ledger, "" if name == UNNAMED else name, to, despite)
        data = self._planned.data
        with ExitStack() as stack:
            stack.enter_context(self._planned.original.snapshot())
            stage: Stage = stack.enter_context(data.staging(folder) or _staging(folder))
            if table is not None:
                into: dict[str, Any] = {"table": table, "schema": schema, "replace": replace, "url": url}
                stage = stack.enter_context(into_table(data, stage, **into, password=password))
            destination = Destination(
                stage=stage, place=folder, format=format, text=text, report=report, ledger_check=check
            )
            self.publish(destination)
        return folder if "://" in str(folder) else Path(folder)

    def publish(self, destination: Destination) -> None:
        """Write everything to a private place, judge it there, and put it into place."""
        staged = Staged.after(self.recoded, destination=destination)
        published = run_steps((*steps.DESCRIBING, steps.PUBLISH), staged)
        self.evidence = InlineDict("evidence", published.evidence.document())

    def new_release(self) -> NewRelease:
        """Return what a ledger must know of this release."""
        return steps.new_release(self.recoded)


def _staging(folder: str | Path) -> AbstractContextManager[Stage]:
    if is_place(folder):
        return remote_staging(str(folder))
    if "://" in str(folder):
        raise InputError("release.place-needs-spark", scheme=str(folder).partition("://")[0])
    return staging(Path(folder))


def run_table(
    request: TableRequest, progress: Progress, ledger_check: LedgerCheck | None = None, recoding: Path | None = None
) -> dict[str, Any]:
    """Run one table and return its evidence, with `folder` saying where the release is.

    With `recoding`, what was decided is written to that file, once the release is there.
    """
    folder = request.folder
    if recoding is not None and isinstance(folder, Path) and recoding.resolve().is_relative_to(folder.resolve()):
        raise InputError("recoding.inside-release", path=str(recoding))
    with ExitStack() as resources:
        # Whether a release can be put there is said before the work is done, not after.
        here = isinstance(folder, Path) and folder.parent.is_dir()
        early = here or (is_place(folder) and request.engine.get("engine") != "spark")
        stage: Stage | None = resources.enter_context(_staging(folder)) if early else None
        resources.enter_context(request.operations.places.of_columns())
        planned = steps.plan(Requested(request=request, progress=progress, resources=resources))
        release, data = Release(planned), planned.data
        release.recoded  # noqa: B018 - decided before a folder is made
        own = data.staging(folder)
        if own is not None or stage is None:
            stage = resources.enter_context(own or _staging(folder))
        if request.table:
            stage = resources.enter_context(into_table(data, stage, **request.table))
        destination = Destination(
            stage=stage, place=folder, format=request.format, text=request.text, report=request.report,
            ledger_check=ledger_check,
        )  # fmt: skip
        frozen = None if recoding is None else release.recoding
        release.publish(destination)
        if frozen is not None and recoding is not None:
            frozen.save(recoding)
    return release.evidence | {"folder": str(folder)}
