"""Workers that are forked from one process: it has no threads and no secrets, and its end is noticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from antifaz.kernels.swapping import swap_ranks
from antifaz.service import fork_request
from antifaz.service.worker_environment import worker_environment
from antifaz.service.worker_process import DATASET, HAND_OUT, WorkerPool

pytestmark = pytest.mark.skipif(not fork_request.supported(), reason="workers are forked on Linux only")


def spec(folder):
    """What takes no time: a hand-out with nothing to do."""
    return {"kind": HAND_OUT, "aside": str(folder)}


def names(process, what):
    return Path(f"/proc/{process}/{what}").read_bytes()


@pytest.fixture(scope="module")
def pool():
    made = WorkerPool()
    with pytest.MonkeyPatch.context() as environment:
        for name in ("PGPASSWORD", "ANTIFAZ_PASSWORD"):
            environment.setenv(name, "hush-canary")
        made.warm()
        yield made
    made.close()


def test_check_33_workers_are_forked_from_a_process_without_threads_and_secrets(pool, tmp_path):
    first, second = pool.start(spec(tmp_path), []), pool.start(spec(tmp_path), [])
    server = pool._server.pid
    assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1
    assert names(first.pid, "comm").strip() == fork_request.WORKER_NAME.encode()
    assert b"hush-canary" not in names(server, "environ") + names(first.pid, "environ")
    assert os.getpgid(first.pid) == first.pid != os.getpgid(second.pid)
    assert [list(worker.lines()) for worker in (first, second)] == [[{"done": True}]] * 2
    assert not any(Path(f"/proc/{worker.pid}").exists() for worker in (first, second))


def test_a_worker_has_the_files_that_it_is_given_under_their_numbers_and_no_others(pool, tmp_path):
    (tmp_path / "a").write_text("a", encoding="utf-8")
    mine, given = (os.open(tmp_path / "a", os.O_RDONLY) for _ in range(2))
    try:
        worker = pool.start(spec(tmp_path), [given])
        opened = {path.name for path in Path(f"/proc/{worker.pid}/fd").iterdir()}
        assert Path(f"/proc/{worker.pid}/fd/{given}").readlink() == tmp_path / "a"
        links = [str(Path(f"/proc/{worker.pid}/fd/{number}").readlink()) for number in opened]
        assert links.count(str(tmp_path / "a")) == 1
        assert list(worker.lines()) == [{"done": True}]
    finally:
        os.close(mine)
        os.close(given)


def test_whoever_kills_the_process_that_forks_ends_its_workers_and_no_later_one(pool, tmp_path):
    worker = pool.start(spec(tmp_path), [])
    os.kill(pool._server.pid, signal.SIGKILL)
    assert {} in [{}, *worker.lines()]  # it ends, done or not
    assert list(pool.start(spec(tmp_path), []).lines()) == [{"done": True}]


def test_a_worker_that_does_not_listen_is_killed_with_its_group(pool, tmp_path, monkeypatch):
    monkeypatch.setattr("antifaz.service.worker_process.PATIENCE", 0.3)
    worker = pool.start(spec(tmp_path), [])
    os.kill(worker.pid, signal.SIGSTOP)
    worker.terminate()
    assert list(worker.lines()) in ([], [{"stopped": True}])
    assert not Path(f"/proc/{worker.pid}").exists()


def test_where_there_is_no_such_process_a_worker_is_a_new_one(monkeypatch, tmp_path):
    monkeypatch.setattr(fork_request, "supported", lambda: False)
    pool = WorkerPool()
    pool.warm()
    worker = pool.start(spec(tmp_path), [])
    assert pool._server is None
    assert list(worker.lines()) == [{"done": True}]


def test_where_processes_have_no_groups_a_worker_stops_when_its_input_ends(monkeypatch, tmp_path):
    monkeypatch.setattr(fork_request, "supported", lambda: False)
    monkeypatch.setattr("antifaz.service.worker_process.has_process_groups", lambda: False)
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    asked = {"kind": DATASET, "aside": str(tmp_path), "place": None}
    worker = WorkerPool().start(asked, [0])  # such a system hands no files over
    said = worker.lines()
    assert next(said) == {"answer": None}
    worker.terminate()
    assert list(said) in ([], [{"done": True}], [{"stopped": True}])
    assert not Path(f"/proc/{worker.pid}").exists()


def test_kernels_that_were_compiled_before_are_loaded():
    """Numba's cache is asked by names that are not public: here it is seen that they are still there."""
    swap_ranks(1, np.zeros(4), np.zeros(4, np.int64))  # compiled, if it was not
    code = """if True:
        from antifaz.kernels import swapping
        from antifaz.service.fork_server import load_kernels
        assert not hasattr(swapping.swap_ranks, "nopython_signatures")  # Numba is not loaded yet
        load_kernels()
        assert swapping.swap_ranks.nopython_signatures
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_environment_of_a_worker_is_a_list_of_names(monkeypatch, tmp_path):
    for name in ("AWS_SECRET_ACCESS_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "MYSQL_PWD", "SPARK_AUTH", "PGHOST"):
        monkeypatch.setenv(name, "hush")
    monkeypatch.setenv("LC_TIME", "C")
    found = worker_environment(tmp_path)
    assert "hush" not in found.values()
    assert found["LC_TIME"] == "C"
    assert found["HOME"] == found["TMPDIR"] == str(tmp_path)
    assert found["PGPASSFILE"] == os.devnull
