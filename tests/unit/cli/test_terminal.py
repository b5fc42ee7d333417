"""Showing results: names of columns and folders are text, whatever signs are in them."""

from __future__ import annotations

import json
import sys

from antifaz.cli.terminal import print_json, print_release, progress

EVIDENCE = {
    "project": "[red]mine[/blue]",
    "rows": {"read": 10, "released": 9, "suppressed": 1},
    "risk": {"k": 5, "singled_out_before": 4, "singled_out_after": 0, "prosecutor_before": 1.0, "prosecutor": 0.2},
    "classes": {
        "before": {"smallest": 1, "average": 1.5, "count": 6},
        "after": {"smallest": 5, "average": 9.0, "count": 1},
    },
    "privacy": [
        {"model": "l-diversity", "l": 2.0, "attribute": "[/x]", "achieved": 3, "holds": True, "failing": 0},
        {"model": "k-map", "k": 2, "achieved": None, "holds": False, "failing": 3},
    ],
    "utility": {"loss": 0.25},
    "method": {"name": "full-domain", "levels": {"[bold]": 1}},
    "attributes": [{"name": "[bold]", "height": 2}],
    "seconds": {"read": 0.1},
    "warnings": ["No role for [/y]."],
    "notes": ["delimiter [;]"],
    "folder": "/tmp/[out]/",
}


def test_signs_of_markup_in_names_are_shown_as_they_are(capsys):
    print_release(EVIDENCE)
    said = capsys.readouterr().out
    for text in ("[red]mine[/blue]", "[/x]", "[bold] 1/2", "[/y]", "[;]", "/tmp/[out]/  release"):
        assert text in said


def test_a_release_without_levels_or_folder_is_shown_too(capsys):
    print_release({**EVIDENCE, "method": {"name": "mondrian"}, "folder": "x"})
    assert "loss 0.250" in capsys.readouterr().out


def test_json_keeps_every_letter(capsys):
    print_json({"ñ": "日本"})
    said = capsys.readouterr().out
    assert "日本" in said
    assert json.loads(said) == {"ñ": "日本"}


def test_progress_says_nothing_where_nobody_looks(capsys):
    with progress() as told, told.step("read", "reading"):
        told.tell(0.5, "half")
    assert capsys.readouterr() == ("", "")
    assert set(told.seconds) == {"read"}


def test_progress_is_shown_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress() as told, told.step("read", "reading [/x]"):
        told.tell(0.5, "half [/y]")
    assert told.listener is not None


def test_a_small_limit_is_not_shown_as_none(capsys):
    limit = {"model": "population-uniqueness", "threshold": 0.002, "achieved": 0.00123, "holds": True, "failing": 0}
    print_release({**EVIDENCE, "privacy": [limit]})
    said = " ".join(capsys.readouterr().out.split())
    assert "threshold = 0.002" in said
    assert "released file: 0.0012" in said
