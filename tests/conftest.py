"""What holds for all tests."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from compiled_once import compile_once

# Machines are of all speeds, so no example may fail for being slow. In CI the examples are the same every time: a run
# must not fail for what the change did not touch, and half as many. On a developer's machine they are new each time, to
# find more.
settings.register_profile("anywhere", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")

# Java that lives for a test need not compile its code twice: a third less work. It loads thousands of classes, which
# need not be verified, and must not run short of room for them, nor for what was compiled of them: another eighth.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=512m -XX:+UseSerialGC -XX:NewRatio=1"
_JAVA += " -XX:InitialRAMPercentage=4 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# Pages of memory fit the heap otherwise, not the tables: a tenth of the time went to collecting them.
_JAVA += " -Dspark.buffer.pageSize=1m"
os.environ.setdefault("SPARK_SUBMIT_OPTS", _JAVA)

# The threads of OpenBLAS wait for work without sleeping, and take processors from the tests beside them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Few tests leave cycles behind; looking for them takes a twentieth of the time otherwise.
gc.set_threshold(100_000, 20, 20)

if os.environ.get("PYTEST_XDIST_WORKER"):
    compile_once()
    # A second thread of DuckDB takes a processor from another test. Tests of threads ask for several.
    from antifaz.sources import duckdb_connection as duck

    duck.processors = lambda: 1

# No test may write to the ledger of whoever runs it; those about the ledger, and the pages, have their own.
os.environ["ANTIFAZ_LEDGER"] = "off"


@pytest.fixture(scope="session")
def workers():
    """Start workers for all services that run in the process of the tests: what they import is imported once."""
    from antifaz.service.worker_process import WorkerPool

    pool = WorkerPool()
    yield pool
    pool.close()


@pytest.fixture(scope="session")
def s3_server():
    """Start a server that speaks S3, in this process; return its address."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(s3_server, monkeypatch):
    """Return an empty bucket that pyarrow reaches with the rights of the environment: its store and its name."""
    import secrets

    from pyarrow import fs

    known = {"ACCESS_KEY_ID": "somebody", "SECRET_ACCESS_KEY": "very/secret", "REGION": "us-east-1"}
    for name, value in (known | {"ENDPOINT_URL": s3_server, "EC2_METADATA_DISABLED": "true"}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    name = f"bucket-{secrets.token_hex(4)}"
    store = fs.S3FileSystem(
        endpoint_override=s3_server.removeprefix("http://"), scheme="http", allow_bucket_creation=True
    )
    store.create_dir(name)
    return store, name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest, and keep together what shares something that is dear to start.

    All tests with Spark share one Java process, those of a module its service or its browser; the pages of the
    documents share nothing. Tests of kernels and methods come before those that start processes, each of which would
    compile the same kernels otherwise.
    """
    items.sort(key=_late)
    for item in items:
        # What a browser waited for in vain is tried once more, and the summary says so: machines stall, browsers too.
        if item.nodeid.startswith("tests/e2e/web"):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError"]))
    gc.freeze()  # the tests themselves, and what they import, are no garbage before the end
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            if item.path.name != "test_documents.py":
                together = "spark" if _on_spark(item) else item.nodeid.split("::")[0]
                item.add_marker(pytest.mark.xdist_group(together))


def _on_spark(item: pytest.Item) -> bool:
    chosen = getattr(getattr(item, "callspec", None), "params", {})
    named = any(isinstance(value, str) and value == "Spark" for value in chosen.values())
    return named or "spark" in getattr(item, "fixturenames", ())


def _late(item: pytest.Item) -> int:
    first = ("unit/kernels", "unit/methods", "e2e/web", "e2e", "checks", "engines")
    place = item.nodeid.removeprefix("tests/")
    return 0 if _on_spark(item) else next((i for i, part in enumerate(first, 1) if place.startswith(part)), 9)
