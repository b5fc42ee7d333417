"""What is said to stay when the work is erased."""

import pytest

from antifaz.service.erasure import _ledger_parts, holds_values
from antifaz.service.jobs import JobQueue
from antifaz.service.releases import Releases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("attributes: {a: {hierarchy: {intervals: [5]}}}", False),
        ("attributes: {a: {hierarchy: {table: {Ana: [x]}}}}", True),
        ("attributes: {a: {hierarchy: {tree: {value: '*', children: []}}}}", True),
        ("attributes: {a: {operation: [{name: substitute, table: [[Ana, X]]}]}}", True),
        ("source: {table: people}", False),
        ("[", True),
    ],
)
def test_a_project_whose_text_has_values_is_said_to_have_them(text, expected):
    assert holds_values(text) is expected


class Whole:
    """A queue of which nothing is asked here."""


def test_what_was_cut_off_while_an_archive_was_made_goes_and_the_rest_stays(tmp_path):
    (tmp_path / "table").mkdir()
    cut = [tmp_path / ".release-csv-en.zip.partial", tmp_path / "table" / ".report-en.html.partial"]
    kept = [tmp_path / "release.csv", tmp_path / "release-csv-en.zip"]
    for path in (*cut, *kept):
        path.touch()
    assert sorted(Releases(Whole(), tmp_path).sweep("1" * 32, tmp_path)) == sorted(cut)
    assert not any(path.exists() for path in cut) and all(path.exists() for path in kept)


def test_what_is_held_of_a_run_that_is_erased_goes_at_the_next_start(tmp_path):
    queue = JobQueue(tmp_path, None)
    for folder in (queue.drafts, queue.aside):
        (folder / ("2" * 32)).mkdir()
    assert queue.sweep() == 0
    assert [*queue.drafts.iterdir(), *queue.aside.iterdir()] == []


def test_the_ledger_and_its_key_are_said_to_stay_where_they_are_there(tmp_path, monkeypatch):
    place = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(place))
    assert _ledger_parts() == []
    place.touch()
    place.with_name("ledger.sqlite.key").touch()
    assert [part["where"] for part in _ledger_parts()] == [str(place), f"{place}.key"]
    monkeypatch.setenv("ANTIFAZ_LEDGER", "off")
    assert _ledger_parts() == []
