"""Data sets in processes of their own: one that dies, takes too long or needs too much is an error and nothing else."""

import os
import signal
import threading
from contextlib import contextmanager, suppress

import pytest

from antifaz.core.messages import Message
from antifaz.service import dataset_process as module
from antifaz.service.dataset_process import DatasetProcess, temporary_process
from antifaz.service.dataset_worker import decode, encode
from antifaz.service.errors import TooLarge
from antifaz.sources.workbook_writer import write_archive
from failing import failing
from unit.service.uploading import kept


def process_of(data, id):
    return data._known[id].data._worker.pid


def test_check_21_whoever_kills_the_process_of_a_data_set_ends_no_other(vault, data, tmp_path):
    mine = data.add("ana", "a.csv", "upload", kept(vault, b"a,b\n1,2\n"))["id"]
    others = data.add("ben", "b.csv", "upload", kept(vault, b"a,b\n3,4\n"))["id"]
    before = process_of(data, others)
    os.kill(process_of(data, mine), signal.SIGKILL)
    with failing("service.data-set-process-ended", TooLarge):
        data.rows("ana", mine, start=0, count=1)
    assert data.rows("ben", others, start=0, count=1)["rows"] == [["3", "4"]]
    assert process_of(data, others) == before
    assert data.rows("ana", mine, start=0, count=1)["rows"] == [["1", "2"]], "who asks again opens it again"
    data.erase("ana", mine)
    data.erase("ben", others)
    assert list((tmp_path / "open").iterdir()) == []


def test_check_21_a_workbook_whose_cells_are_far_apart_is_refused_and_the_next_file_is_read(vault, data, tmp_path):
    write_archive(tmp_path / "a.xlsx", ["a"], [b'<row r="9"><c r="XFD1048576"><v>1</v></c></row>'], 100)
    with failing("workbook.too-large-for-memory"):
        data.add("ana", "a.xlsx", "upload", kept(vault, (tmp_path / "a.xlsx").read_bytes(), "a.xlsx"))
    assert data.all("ana") == []
    assert data.add("ana", "b.csv", "upload", kept(vault, b"a\n1\n"))["rows"] == 1


def test_check_21_what_needs_more_memory_than_it_is_given_is_refused_in_words(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_OVERHEAD", 250_000_000)  # hardly more than a process has from the start
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "x" * 60_000_000 + "\n", encoding="utf-8")
    spec = {"place": {"path": str(path)}, "reading": {}}
    with pytest.raises(Exception) as caught:
        DatasetProcess(workers, tmp_path / "open", spec, memory="100MB").close()
    assert caught.value.__class__.__module__.startswith("antifaz.")
    assert list((tmp_path / "open").iterdir()) == []


@contextmanager
def stopped(process):
    """Stop a process, as one that works for ever would seem from outside."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


def test_check_21_what_takes_too_long_is_given_up(vault, data, monkeypatch):
    id = data.add("ana", "a.csv", "upload", kept(vault, b"a,b\n1,2\n"))["id"]
    monkeypatch.setattr(module, "SECONDS", 0.3)
    monkeypatch.setattr("antifaz.service.worker_process.PATIENCE", 0.2)
    with stopped(process_of(data, id)), failing("service.data-set-took-too-long", TooLarge):
        data.rows("ana", id, start=0, count=1)
    monkeypatch.undo()
    assert data.rows("ana", id, start=0, count=1)["total"] == 1


def test_what_is_done_once_leaves_no_process_and_no_folder(workers, tmp_path):
    before = threading.active_count()
    with temporary_process(workers, tmp_path / "open", {}) as process, failing("engine.no-tables-to-choose"):
        process.ask("tables", url="oracle://h/d", schema=None)
    assert list((tmp_path / "open").iterdir()) == []
    assert threading.active_count() <= before + 1


@pytest.mark.parametrize(
    "value",
    [
        {"notes": [Message("service.data-erased"), "plain"], "rows": [[None, 1.5]]},
        {"$": {"code": "service.data-erased", "values": {}}, "$$": 1, "a": {"$b": ("x",)}},
        Message("csv.record-wrong", file="a", words=Message("service.data-erased")),
        None,
    ],
)
def test_an_answer_comes_through_as_it_was_also_one_that_looks_like_a_message(value):
    told = decode(encode(value))
    assert told == (value if not isinstance(value, dict) or "$" not in value else value | {"a": {"$b": ["x"]}})
    if isinstance(value, Message):
        assert told.code == value.code and told.text("es") == value.text("es")
