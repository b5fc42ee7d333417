"""The whole run on Spark, against plain Spark jobs over the same rows in the same session."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import antifaz as az
from antifaz.core.errors import MissingExtra
from antifaz.engines.spark.data import open_spark
from antifaz.engines.spark.session import use_session
from antifaz.methods.method import Method
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from bench.measure import WHOLE_RUN, Unavailable, Work, case

QIS = ("age", "sex", "postcode", "education", "marital_status", "occupation", "country", "income")
ROLES = {
    **dict.fromkeys(QIS, "quasi-identifier"), "id_number": "identifier", "name": "identifier",
    "birth_date": "identifier", "diagnosis": "sensitive",
}  # fmt: skip
#: Rows per file, and the seed of each is its number.
_FILE = 500_000
_PLAIN = "plain Spark: groupBy(QIs).count(), one read and one write of the same Parquet files"


def hierarchies() -> dict[str, Any]:
    """Return what the quasi-identifiers of made-up people generalize to."""
    flat = ("sex", "education", "marital_status", "occupation", "country")
    return {
        "age": az.hierarchy.intervals(5, 10, 20, 40),
        "postcode": az.hierarchy.masking(1),
        "income": az.hierarchy.intervals(5_000, 20_000, 100_000),
        **{name: az.hierarchy.flat() for name in flat},
    }


def release(place: Path, out: Path, session: Any, method: Method, qis: Sequence[str] = QIS) -> Release:
    """Open, count, decide, apply, write as Parquet, and count again what was written."""
    ladders = {name: ladder for name, ladder in hierarchies().items() if name in qis}
    roles = {name: role for name, role in ROLES.items() if role != "quasi-identifier" or name in qis}
    with open_spark(place, session=session) as data:
        plan = make_plan(
            data.schema, roles=roles, hierarchies=ladders, privacy=[az.KAnonymity(10)], method=method, seed=1
        )
        made = Release(start_run(plan, data))
        made.save(out, "parquet")
    return made


def _whole_run(method: Method, quick: bool) -> tuple[Work, Work]:
    folder = Path(tempfile.mkdtemp(prefix="antifaz-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = folder / "people"
    source.mkdir()
    for i in range(1 if quick else 20):
        pq.write_table(az.datasets.people(_FILE, seed=i + 1), source / f"part-{i}.parquet")
    try:
        session = use_session(master="local[2]", memory="6GB").session  # ended with the process
    except MissingExtra as error:
        raise Unavailable(str(error)) from None

    def ours(read: Path = source) -> None:
        release(read, folder / "ours", session, method)

    def plain(read: Path = source) -> None:
        rows = session.read.parquet(str(read))
        rows.groupBy(*QIS).count().write.format("noop").mode("overwrite").save()
        rows.write.format("noop").mode("overwrite").save()
        rows.write.mode("overwrite").option("compression", "zstd").parquet(str(folder / "plain"))

    # Both on a few rows before, so that Java has compiled what it will.
    few = source / "part-0.parquet"
    ours(few)
    plain(few)
    return ours, plain


@case(
    claim="Spark local[2], 10 million people × 8 QIs, full-domain k=10, from opening to the verified release",
    against=_PLAIN,
    limit=3,
    best_of=1,
    slow=True,
    least=WHOLE_RUN,
)
def spark_full_domain(quick: bool) -> tuple[Work, Work]:
    return _whole_run(az.FullDomain(suppression=0.02), quick)


@case(
    claim="Spark local[2], 10 million people × 8 QIs, specialization k=10, from opening to the verified release",
    against=_PLAIN,
    limit=3,
    best_of=1,
    slow=True,
    least=WHOLE_RUN,
)
def spark_specialization(quick: bool) -> tuple[Work, Work]:
    return _whole_run(az.Specialization(score="loss"), quick)
