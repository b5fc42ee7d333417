"""The whole run on Spark, against plain Spark jobs over the same rows in the same session."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any

import pyarrow.parquet as pq

import antifaz as az
from antifaz.core.errors import MissingExtra
from antifaz.engines.spark.data import open_spark
from antifaz.engines.spark.session import SessionUse, use_session
from antifaz.methods.method import Method
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from bench.measure import WHOLE_RUN, Unavailable, Work, case

#: The session of the last case; it ends with the next one, or with the process.
_IN_USE: list[SessionUse] = []
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


def release(
    place: Path, out: Path, session: Any, method: Method, qis: Sequence[str] = QIS, tuples: int | None = None
) -> Release:
    """Open, count, decide, apply, write as Parquet, and count again what was written."""
    ladders = {name: ladder for name, ladder in hierarchies().items() if name in qis}
    others = {name: "insensitive" for name in QIS if name not in qis}
    with open_spark(place, session=session, tuples=tuples) as data:
        roles = {name: role for name, role in (ROLES | others).items() if name in data.schema.names}
        plan = make_plan(
            data.schema, roles=roles, hierarchies=ladders, privacy=[az.KAnonymity(10)], method=method, seed=1
        )
        made = Release(start_run(plan, data))
        made.save(out, "parquet")
    return made


def _whole_run(
    method: Method,
    files: int,
    *,
    master: str = "local[2]",
    memory: str = "6GB",
    qis: Sequence[str] = QIS,
    tuples: int | None = None,
) -> tuple[Work, Work]:
    folder = Path(tempfile.mkdtemp(prefix="antifaz-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = folder / "people"
    source.mkdir()
    for i in range(files):
        pq.write_table(az.datasets.people(_FILE, seed=i + 1), source / f"part-{i}.parquet")
    while _IN_USE:  # by the case before: a process has one session, and each case has a master and memory of its own
        _IN_USE.pop().release()
    try:
        _IN_USE.append(use_session(master=master, memory=memory))
    except MissingExtra as error:
        raise Unavailable(str(error)) from None
    session = _IN_USE[-1].session

    def ours(read: Path = source) -> None:
        release(read, folder / "ours", session, method, qis, tuples)

    def plain(read: Path = source) -> None:
        rows = session.read.parquet(str(read))
        rows.groupBy(*qis).count().write.format("noop").mode("overwrite").save()
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
    return _whole_run(az.FullDomain(suppression=0.02), 1 if quick else 20)


def _cluster() -> str:
    """Start a master and a worker of two processors on this machine; they end with this process."""
    try:
        import pyspark
    except ModuleNotFoundError:
        raise Unavailable("PySpark is not installed") from None
    home = Path(pyspark.__path__[0])
    work = tempfile.mkdtemp(prefix="antifaz-bench-")
    atexit.register(shutil.rmtree, work, ignore_errors=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    place = ["--host", "127.0.0.1", "--webui-port", "0"]
    parts = {
        "master.Master": [*place, "--port", str(port)],
        "worker.Worker": [*place, "--cores", "2", "--memory", "4g", "--work-dir", work, master],
    }
    environment = os.environ | {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    for name, arguments in parts.items():
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(process.terminate)
    for _ in range(120):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return master
        sleep(1)
    raise Unavailable("no Spark master answers")


@case(
    claim="Spark standalone, 2 million people × 7 QIs, full-domain k=10, from opening to the verified release",
    against=_PLAIN,
    limit=1.7,
    best_of=1,
    slow=True,
)
def spark_standalone(quick: bool) -> tuple[Work, Work]:
    qis = tuple(name for name in QIS if name != "income")
    return _whole_run(az.FullDomain(suppression=0.02), 1 if quick else 4, master=_cluster(), memory="2GB", qis=qis)


@case(
    claim="Spark local[2], 10 million people × 8 QIs, specialization k=10, from opening to the verified release",
    against=_PLAIN,
    limit=3,
    best_of=1,
    slow=True,
    least=WHOLE_RUN,
)
def spark_specialization(quick: bool) -> tuple[Work, Work]:
    return _whole_run(az.Specialization(score="loss"), 1 if quick else 20)


@case(
    claim="Spark local[2], 1 million people × 8 QIs, nearly all distinct, specialization k=10 on the executors",
    against=_PLAIN,
    limit=3,
    best_of=1,
    slow=True,
)
def spark_specialization_remote(quick: bool) -> tuple[Work, Work]:
    return _whole_run(az.Specialization(score="loss"), 1 if quick else 2, tuples=200_000)
