"""What is said to stay when the work is erased."""

import pytest

from antifaz.service.erasure import _ledger_parts, holds_values


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


def test_the_ledger_and_its_key_are_said_to_stay_where_they_are_there(tmp_path, monkeypatch):
    place = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(place))
    assert _ledger_parts() == []
    place.touch()
    place.with_name("ledger.sqlite.key").touch()
    assert [part["where"] for part in _ledger_parts()] == [str(place), f"{place}.key"]
    monkeypatch.setenv("ANTIFAZ_LEDGER", "off")
    assert _ledger_parts() == []
