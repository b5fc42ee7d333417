"""A Spark session: one that is handed in or active is taken as it is, else one is made with safe defaults.

A session of ours has no page, listens on the loopback only where its master is this machine, encrypts what it spills,
writes no log (its errors quote cells; they reach us as exceptions), keeps its temporary files in a private folder, and
ends, with its Java process, when the last data opened on it is closed.
"""

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pyspark
from pyspark import SparkContext
from pyspark.sql import SparkSession

from antifaz.core.errors import DataError, MissingExtra, ParameterError
from antifaz.core.machine import available_memory, private_folder
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_size
from antifaz.engines.spark.frames import spark_errors

#: The oldest Java that Spark 4 runs on.
JAVA = 17
#: Seconds that a master has to answer.
PATIENCE = 5.0
_PREFIX = "antifaz-spark-"
_MASTER = re.compile(
    r"local|local\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\]|local-cluster\[\s*[1-9]\d*\s*,\s*[1-9]\d*\s*,\s*[1-9]\d*\s*\]"
    r"|spark://[^\s/]+|k8s://\S+|yarn"
)
# Spark takes a configuration without an appender for none, and puts its own in its place.
_QUIET = """rootLogger.level = off
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""


class SessionUse:
    """A session in use; `release` gives it back, and ends it if it is ours and nobody else uses it."""

    def __init__(self, session: SparkSession, made: "_Made | None") -> None:
        """Take note of one more user."""
        self.session = session
        self._made = made
        if made is not None:
            made.users += 1

    def share(self) -> "SessionUse":
        """Return the same session for one more user."""
        return SessionUse(self.session, self._made)

    def fit_partitions(self) -> None:
        """Shuffle to as many parts as tasks run at a time, in a session of ours; hundreds take longer than the work.

        How many run is known of a cluster once its executors are there. Where they come and go, Spark's number stays.
        """
        context = self.session.sparkContext
        if self._made is not None and context.getConf().get("spark.dynamicAllocation.enabled") != "true":
            self.session.conf.set("spark.sql.shuffle.partitions", max(4, 2 * context.defaultParallelism))

    def release(self) -> None:
        """Give the session back; a second call does nothing."""
        made, self._made = self._made, None
        if made is not None:
            made.users -= 1
            if made.users <= 0:
                made.stop()


@dataclass(eq=False)
class _Made:
    """The one session of this process that we made, its private folder, and how many use it."""

    current: ClassVar["_Made | None"] = None
    session: SparkSession
    folder: Path
    #: Whether the Java process was started for it.
    java: bool
    users: int = 0

    def stop(self) -> None:
        _Made.current = None
        with suppress(Exception):  # a session whose Java process died can't be stopped again
            self.session.stop()
        if self.java:
            _end_java()
        shutil.rmtree(self.folder, ignore_errors=True)


def use_session(
    session: Any = None, *, master: str | None = None, memory: str | None = None, threads: int | None = None
) -> SessionUse:
    """Take the session that is handed in, the active one, or make one.

    Args:
        session: A session that stays the caller's: it is never stopped here.
        master: Where Spark runs, e.g. "local[2]", "local-cluster[2,1,1024]", "spark://host:7077", "yarn"; all
            processors of this machine when not told.
        memory: The memory of the driver of a session that is made, e.g. "4GB".
        threads: How many tasks run at a time where the master is this machine and not told.
    """
    # Said at every call that uses Arrow; we hand it no pandas frame.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
    session = SparkSession.getActiveSession() if session is None else session
    if session is None:
        return _start(_checked(master, threads), memory)
    if not isinstance(session, SparkSession):
        kind = type(session)
        raise ParameterError("spark.session-of-other-kind", split=kind.__module__.split(".")[0], type=kind.__name__)
    with spark_errors(Message("spark.session-not-usable")):
        if session.sparkContext._jsc is None:
            raise DataError("spark.session-stopped")
        running = str(session.sparkContext.master)
    if master is not None and master != running:
        raise ParameterError("spark.session-with-other-master", running=running)
    made = _Made.current
    return SessionUse(session, made if made is not None and made.session.sparkContext is session.sparkContext else None)


def _checked(master: str | None, threads: int | None) -> str:
    """Return the master, or raise if its name is none or nobody answers there."""
    if threads is not None and threads < 1:
        raise ParameterError("engine.threads-below-1", threads=threads)
    if master is None:
        return f"local[{threads or '*'}]"
    if not _MASTER.fullmatch(master):
        raise ParameterError("spark.unknown-master", master=master)
    if master == "yarn" and not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
        raise ParameterError("spark.yarn-needs-hadoop-conf-dir")
    if "://" in master:
        _reach(master)
    return master


def _reach(master: str) -> None:
    """Raise unless one of the master's addresses answers: Spark itself would try for minutes."""
    addresses = master.removeprefix("k8s://") if master.startswith("k8s://https") else master
    for address in addresses.split(","):
        parts = urlsplit(address if "://" in address else f"spark://{address}")
        try:
            port = parts.port or (443 if master.startswith("k8s") else 7077)
            with socket.create_connection((parts.hostname or "", port), timeout=PATIENCE):
                return
        except (OSError, ValueError):
            continue
    raise DataError("spark.master-does-not-answer", master=master)


def _start(master: str, memory: str | None) -> SessionUse:
    had_java = SparkContext._gateway is not None
    if not had_java:
        _check_java()
    folder = private_folder(_PREFIX)
    try:
        builder = SparkSession.builder.master(master).appName("antifaz")
        for key, value in _settings(master, memory, folder).items():
            builder = builder.config(key, value)
        with _environment(_variables(master, folder)), _muted(), spark_errors(Message("spark.not-started")):
            session = builder.getOrCreate()
            session.sparkContext.setLogLevel("OFF")
            _name_classes(session)
    except BaseException:
        if not had_java:
            _end_java()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _Made.current = _Made(session, folder, not had_java)
    use = SessionUse(session, _Made.current)
    use.fit_partitions()
    return use


def _name_classes(session: SparkSession) -> None:
    """Tell PySpark once where the classes are that every expression needs.

    It asks for them by their short names each time, and Java looks through all archives of Spark for such a class in
    every package that it may be in.
    """
    java: Any = session.sparkContext._jvm
    for name in ("sql.functions", "api.python.PythonUtils", "sql.api.python.PythonSQLUtils"):
        setattr(java, name.rpartition(".")[2], getattr(java, f"org.apache.spark.{name}"))


def _settings(master: str, memory: str | None, folder: Path) -> dict[str, str]:
    logs = folder / "log4j2.properties"
    logs.write_text(_QUIET, encoding="ascii")
    options = f"-Dlog4j2.configurationFile=file:{logs} -Djava.io.tmpdir={folder}"
    # A driver that runs no tasks plans and waits: what Java spends on optimizing that code takes longer than it saves.
    quick = "" if re.match(r"local(\[|$)", master) else " -XX:TieredStopAtLevel=1"
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.io.encryption.enabled": "true",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.memory": _memory(memory),
        "spark.driver.maxResultSize": "0",
        "spark.driver.extraJavaOptions": options + quick,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        # Else a kept frame has all shuffle partitions, 200 on a cluster, and each job on it has as many tasks.
        "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Else every expression that is built notes where in our code that was, for errors whose texts nobody sees.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.python.daemon.module": "antifaz.engines.spark.worker_daemon",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if master.startswith("local-cluster"):
        settings["spark.executor.extraJavaOptions"] = options
        settings["spark.executor.memory"] = re.findall(r"\d+", master)[2] + "m"
        settings["spark.executorEnv.SPARK_HOME"] = str(folder / "home")
        ours = str(Path(__file__).resolve().parents[3])
        path = [ours, *(entry for entry in sys.path if entry and entry != ours)]
        settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(path)
    elif master.startswith("local"):
        # Others who work on this machine can reach its ports too. (With executors of their own the secret would have
        # to be given, and would stand in the command line, which everybody can read.)
        settings |= {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}
    return settings


def _memory(memory: str | None) -> str:
    if memory is None:  # the other half is for Python and the system
        return f"{max(int(available_memory() * 0.5) >> 20, 1024)}m"
    size = parse_size(memory)
    if size < 512_000_000:
        raise ParameterError("spark.memory-too-small", memory=memory)
    return f"{size >> 20}m"


def _variables(master: str, folder: Path) -> dict[str, str]:
    """Return what the environment must say while the session starts."""
    found = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    if master.startswith("local"):
        found["SPARK_LOCAL_IP"] = "127.0.0.1"
    if master.startswith("local-cluster"):
        # Its workers write into the folder of the installation; so they get one of their own, made of links.
        home = folder / "home"
        home.mkdir()
        for entry in Path(os.environ.get("SPARK_HOME") or pyspark.__path__[0]).iterdir():
            (home / entry.name).symlink_to(entry)
        found |= {"SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "2.13"}
    return found


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update({name: value for name, value in before.items() if value is not None})


@contextmanager
def _muted() -> Iterator[None]:
    """Let a process that is started meanwhile write its errors nowhere: Java's and its workers' quote cells."""
    try:
        before = os.dup(2)
    except OSError:  # nobody listens anyway
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stderr.flush()
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(nowhere)


def _check_java() -> None:
    """Raise unless there is a Java that Spark runs on."""
    wanted = Message("spark.needs-java", java=JAVA)
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        where = Message("spark.java-home-without-java") if home else Message("spark.no-java-here")
        raise MissingExtra("spark.java-missing", wanted=wanted, where=where)
    try:
        completed = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        raise MissingExtra("spark.java-does-not-run", wanted=wanted, program=program) from None
    version = re.search(r'version "(?:1\.)?(\d+)', completed.stderr + completed.stdout)
    if version and int(version[1]) < JAVA:
        raise MissingExtra("spark.java-too-old", wanted=wanted, program=program, version=version[1])


def _end_java() -> None:
    """End the Java process that PySpark started; the next session gets a new one, with its own memory."""
    gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
    if gateway is None:
        return
    with suppress(Exception):
        gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        with suppress(OSError):
            process.stdin.close()  # it ends when its input does
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@atexit.register
def _stop_all() -> None:
    if _Made.current is not None:
        _Made.current.stop()
