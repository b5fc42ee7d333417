"""A table on Spark, opened and described: what the verbs of the Spark engine work on. Rows stay on the executors."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from antifaz.core.changes import ColumnChange, Sampling
from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.counting.remote import BoxedTuples, RemoteTuples
from antifaz.engines.engine import Auditor, Data, Remote, Stage
from antifaz.engines.relational.profile import profile
from antifaz.engines.relational.types import infer
from antifaz.engines.spark import change, count
from antifaz.engines.spark.apply import SparkApplied
from antifaz.engines.spark.auditor import SparkAuditor
from antifaz.engines.spark.frames import SparkTable, quoted, spark_errors, unpersist
from antifaz.engines.spark.reading import Loaded, load, prepared
from antifaz.engines.spark.remote import recodable_tuples
from antifaz.engines.spark.remote_boxes import boxed_tuples
from antifaz.engines.spark.session import SessionUse, use_session
from antifaz.engines.spark.store import stage
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.missing_codes import missing_words
from antifaz.sources.types_file import resolve_types


class SparkData(SparkTable, Data):
    """One frame on a Spark session, and what is known about it. A session that was handed in is never stopped."""

    engine: ClassVar[str] = "spark"
    streams_releases: ClassVar[bool] = False
    by_row: ClassVar[bool] = False

    def __init__(self, use: SessionUse, loaded: Loaded, *, schema: Schema, kind: str, limits: dict[str, Any]) -> None:
        """Take over the session and the frame; `open_spark` is the way to make one."""
        super().__init__(use.session, loaded.frame, schema, loaded.rows, kind, limits)
        self._use, self._loaded = use, loaded
        self.notes = list(loaded.notes)
        self._auditor = SparkAuditor(use.session)
        self._remote: list[RemoteTuples] = []
        self._expected = self._closed = False
        self._digest: Future[bytes] | None = None

    @property
    def partitions(self) -> int:
        """In how many partitions Spark has put the rows."""
        with spark_errors():
            return int(self.frame.rdd.getNumPartitions())

    def profile(self) -> Profile:
        """Describe every column without showing any rare value."""
        with count.frame_relation(self.session, self.frame, self.schema, self.rows) as relation:
            return profile(relation)

    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns; only the tuples come to the driver."""
        return count.count(self, columns)

    def remote(self, columns: Sequence[str], kind: type[Remote]) -> Remote | None:
        """Return the tuples on the executors if they are too many for the driver."""
        tuples = boxed_tuples(self, columns) if issubclass(kind, BoxedTuples) else recodable_tuples(self, columns)
        if not isinstance(tuples, kind):
            return None
        self._remote.append(tuples)
        return tuples

    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, if they are few enough for the driver."""
        return count.records(self, columns)

    def totals(self, columns: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""
        self.schema.require(columns)
        chosen = self.frame.select([quoted(name) for name in columns])
        cells = self._auditor.recount(chosen, (), columns).cells if columns else {}
        return {name: cells[name].totals for name in columns}

    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order and partitions."""
        try:
            return count.digest(self) if self._digest is None else self._digest.result()
        finally:
            self._end_digest()

    def expect_digest(self) -> None:
        """Let executors make the digest while the driver groups what it fetched."""
        self._end_digest()
        self._expected = True

    def fetched(self) -> None:
        """Begin with the digest in the background, if it is expected."""
        if self._expected and self._digest is None:
            worker = ThreadPoolExecutor(1)
            self._digest = worker.submit(self._digest_in_group)
            worker.shutdown(wait=False)

    def _end_digest(self) -> None:
        """Make no more digests early; forget the last one, and end what makes it."""
        early, self._digest, self._expected = self._digest, None, False
        if early is not None:
            if not early.done():
                self.session.sparkContext.cancelJobGroup(f"antifaz-{id(self)}")
            early.exception()  # waits: nothing may run on a session that ends

    def _digest_in_group(self) -> bytes:
        self.session.sparkContext.setJobGroup(f"antifaz-{id(self)}", "", interruptOnCancel=True)
        return count.digest(self)

    def apply(self, recoding: Recoding, key: int) -> SparkApplied:
        """Bind a decision to the rows."""
        return SparkApplied(self, recoding, key)

    def changed(self, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> "SparkData":
        """Return the frame with some columns changed, worked out on the executors."""
        frame, rows = change.changed(self, changes, keep)
        types = {one.column: one.result for one in changes if one.result is not None}
        loaded = replace(self._loaded, frame=frame, rows=rows, persisted=True)
        schema = self.schema.with_types(types)
        return SparkData(self._use.share(), loaded, schema=schema, kind=self.kind, limits=self.limits)

    def standard_deviation(self, column: str) -> float:
        """Return the sample standard deviation of a column of numbers."""
        return change.standard_deviation(self, column)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again: always the same one, who need not read them twice."""
        return self._auditor

    def another_table(self, place: str, types: Mapping[str, DataType]) -> "SparkData":
        """Open another table on the same session, its columns understood as told."""
        return open_spark(place, session=self.session, types=types)

    def whole(self) -> Any:
        """Return the frame of all rows."""
        return self.frame

    def staging(self, folder: Any) -> AbstractContextManager[Stage] | None:
        """Return the stage of a release that Spark itself writes."""
        return stage(self, folder)

    def to_arrow(self) -> pa.Table:
        """Load all rows into this process."""
        with spark_errors(Message("spark.rows-not-loaded")):
            return self.frame.toArrow()

    def close(self) -> None:
        """Forget the data, and end the session if it was made here and nothing else uses it."""
        if not self._closed:
            self._closed = True
            self._end_digest()
            for tuples in self._remote:
                tuples.close()
            _forget(self._loaded)
            self._use.release()


def open_spark(
    place: Any,
    *,
    session: Any = None,
    master: str | None = None,
    format: str | None = None,
    types: Mapping[str, DataType | str] | Path | str | None = None,
    missing: Sequence[str] | str = (),
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    memory: str | None = None,
    threads: int | None = None,
    tuples: int | None = None,
) -> SparkData:
    """Open a Spark frame, or any path that Spark opens.

    Args:
        place: A Spark frame; or a file, a folder of parts or a pattern: a plain path, file://, hdfs://, s3a://, ….
        session: The session to use, which stays the caller's; the active one, or one made here, when not told.
        master: Where a session that is made here runs, e.g. "local[2]" or "spark://host:7077".
        format: csv, json, jsonl or parquet; by the names of the files when not told.
        types: How columns are to be understood, or the file of `save_types`; found from all values where not told.
        missing: Spellings that mean missing, such as "?" or "NA"; an empty field without quotes always does.
        delimiter: One or more characters; found out when not told.
        quote: The quote character, '' if quotes mean nothing; '"' when not told.
        header: Whether the first record of each file holds the names; found out when not told.
        encoding: As Python names it; UTF-8, or what a byte order mark says, when not told.
        memory: The memory of a session that is made here, e.g. "4GB".
        threads: How many tasks run at a time in a session that is made here.
        tuples: How many distinct combinations may come to the driver at a time, about; by its memory when not told.
    """
    given = resolve_types(types)
    words = missing_words(missing)
    if tuples is not None and tuples < 1:
        raise ParameterError("spark.tuples-below-1", tuples=tuples)
    named = isinstance(place, (str, Path))
    use = use_session(session if named else place.sparkSession, master=master, memory=memory, threads=threads)
    loaded = None
    try:
        if named:
            options = ReadOptions(
                format=format, delimiter=delimiter, quote=quote, header=header, encoding=encoding, missing=words
            )
            loaded = load(use.session, str(place), options)
        else:
            frame = prepared(place, words, Message("note.the-frame"))
            with spark_errors(Message("spark.rows-not-counted")):
                loaded = Loaded(frame=frame, rows=frame.count())
        if not use.session.sparkContext.master.startswith("local["):
            use.fit_partitions()  # a job has run, so executors are there
        with count.frame_relation(use.session, loaded.frame, Schema(()), loaded.rows) as relation:
            schema = infer(relation, settled=loaded.settled, given=given)
        limits = {"memory": memory, "threads": threads, "tuples": tuples}
        return SparkData(use, loaded, schema=schema, kind="path" if named else "spark", limits=limits)
    except BaseException:
        if loaded is not None:
            _forget(loaded)
        use.release()
        raise


def _forget(loaded: Loaded) -> None:
    if loaded.persisted:
        unpersist(loaded.frame)
