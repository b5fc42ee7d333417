"""Tables of the same data, protected and attacked together: by brute force over all data that says the same."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
import yaml
from click.testing import CliRunner

import antifaz as az
from antifaz.cli.main import cli
from antifaz.engines.registry import open_data
from antifaz.hierarchies import flat
from antifaz.releases.tabulation_evidence import TabulationsEvidence
from antifaz.tabulation import CellRounding, CellSuppression, Threshold
from antifaz.tabulation.cell_counts import TabulationRequest
from antifaz.tabulation.linked_cells import in_circle
from antifaz.tabulation.release import TabulationRelease, release_tables
from failing import failing


def rows_of(counts: dict[tuple[str, ...], int], columns: str) -> pa.Table:
    rows = [key for key, count in counts.items() for _ in range(count)]
    return pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)})


def released(table: pa.Table, *by: str, k: int = 3, **more: Any) -> list[TabulationRelease]:
    """Tables by columns whose names are single letters."""
    requests = [
        TabulationRequest(
            dimensions={name: flat() for name in own}, rules=(Threshold(k=k),), protection=CellSuppression(), name=own,
            seed=1, **more,
        )
        for own in by
    ]  # fmt: skip
    with open_data(table) as data:
        return release_tables(data, requests)


def said(release: TabulationRelease) -> dict[frozenset[tuple[str, str]], int | None]:
    """What a table says of each cell, by its labels other than totals."""
    return {
        frozenset((name, row[name]) for name in list(row)[:-2] if row[name] != "*"): row["count"]
        for row in release.frame.to_pylist()
    }


def possible(tables: list[dict[frozenset[tuple[str, str]], int | None]], atoms: list[tuple[str, ...]], columns: str):
    """All data that agrees with every shown cell, as counts of the atoms, by trying: the last resort of an attacker."""
    shown = {cell: value for table in tables for cell, value in table.items() if value is not None}
    member = {
        cell: [at for at, atom in enumerate(atoms) if all(atom[columns.index(c)] == v for c, v in cell)]
        for cell in shown
    }
    # Where even the total is hidden, no more than so many are tried.
    total = shown.get(frozenset(), 20)
    ordered = sorted(shown, key=lambda cell: max(member[cell], default=-1))

    def go(at: int, counts: list[int]):
        for cell in ordered:
            inside = [counts[i] for i in member[cell] if i < at]
            if sum(inside) > shown[cell] or (max(member[cell], default=-1) < at and sum(inside) != shown[cell]):
                return
        if at == len(atoms):
            yield list(counts)
            return
        for value in range(total - sum(counts[:at]) + 1):
            counts[at] = value
            yield from go(at + 1, counts)
        counts[at] = 0

    yield from go(0, [0] * len(atoms))


@pytest.mark.parametrize(
    ("by", "columns"), [(("ab", "a"), "ab"), (("ab", "bc"), "abc"), (("ab", "bc", "ac"), "abc"), (("abc", "ab"), "abc")]
)
@pytest.mark.parametrize("seed", range(4))
def test_no_data_that_says_the_same_tells_a_sensitive_cell(by: tuple[str, ...], columns: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    atoms = list(itertools.product(*(("0", "1"),) * len(columns)))
    counts = {atom: int(draw.integers(0, 5)) for atom in atoms}
    table = rows_of(counts, columns)
    k = 2
    try:
        releases = released(table, *by, k=k)
    except az.PrivacyNotReached:
        return  # refused: nothing is published
    tables = [said(release) for release in releases]
    found = list(possible(tables, atoms, columns))
    assert [counts[atom] for atom in atoms] in found
    for own in tables:
        for cell, value in own.items():
            inside = [at for at, atom in enumerate(atoms) if all(atom[columns.index(c)] == v for c, v in cell)]
            true = sum(counts[atoms[at]] for at in inside)
            values = {sum(each[at] for at in inside) for each in found}
            if value is not None:
                assert values == {true}
            if 0 < true < k:
                assert value is None and max(values) - min(values) >= k - 1


def test_what_one_table_hides_the_other_does_not_show() -> None:
    counts = {("n", "x"): 1, ("n", "y"): 9, ("s", "x"): 8, ("s", "y"): 7}
    alone = az.tabulate(rows_of(counts, "ab"), ["a"], rules=az.Threshold(3))
    assert alone.evidence["table"]["suppressed"] == 0
    # A single person in a by itself: the table by a alone must hide what the table by a and b hides.
    counts = {("n", "x"): 1, ("s", "x"): 8, ("s", "y"): 7, ("w", "y"): 5}
    two, one = released(rows_of(counts, "ab"), "ab", "a")
    assert said(one)[frozenset({("a", "n")})] is None
    shared = said(two).keys() & said(one).keys()
    assert len(shared) == 4 and all(said(two)[cell] == said(one)[cell] for cell in shared)
    assert two.evidence["linked"] == {"tables": ["a"], "earlier": [], "circle": False}


def test_a_circle_of_tables_is_attacked_with_the_table_by_all_columns() -> None:
    assert not in_circle([{"a", "b"}, {"b", "c"}, {"c", "d"}])
    assert not in_circle([{"a", "b", "c"}, {"a", "b"}, {"b", "c"}, {"a", "c"}])
    assert in_circle([{"a", "b"}, {"b", "c"}, {"a", "c"}])
    assert in_circle([{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}])
    counts = dict.fromkeys(itertools.product("01", repeat=3), 4)
    found = released(rows_of(counts, "abc"), "ab", "bc", "ac")
    assert [release.evidence["linked"]["circle"] for release in found] == [True] * 3


def test_a_circle_that_is_too_large_is_said() -> None:
    draw = np.random.default_rng(1)
    table = pa.table({name: draw.integers(0, 20, 30_000).astype(str) for name in "abc"})
    found = released(table, "ab", "bc", "ac")
    assert "tabulation.circle-not-attacked" in [note["code"] for note in found[0].evidence["messages"]["notes"]]


def test_sums_and_counts_are_not_mixed_up() -> None:
    table = rows_of({("n", "x"): 4, ("s", "x"): 5, ("s", "y"): 6}, "ab").append_column("v", pa.array(range(15)))
    count = TabulationRequest(dimensions={"a": flat()}, rules=(Threshold(k=2),), protection=CellSuppression(), name="n")
    total = TabulationRequest(
        dimensions={"a": flat()}, measure="v", rules=(Threshold(k=2),), protection=CellSuppression(), name="v"
    )
    with open_data(table) as data:
        found = release_tables(data, [count, total])
    assert [release.evidence["linked"]["tables"] for release in found] == [[], []]


def test_rounding_twice_is_attacked_as_both() -> None:
    """Random rounding of one cell in two tables may tell it closer than either."""
    counts = {("n",): 2, ("s",): 40}
    requests = [
        TabulationRequest(
            dimensions={"a": flat()}, rules=(Threshold(k=5),), protection=CellRounding(base=5, kind="random"),
            seed=seed, name=f"t{seed}",
        )
        for seed in range(6)
    ]  # fmt: skip
    with open_data(rows_of(counts, "a")) as data:
        assert release_tables(data, requests[:1])
        with failing("tabulation.audit-cells-found", az.CheckFailed):
            release_tables(data, requests)


# -- files of tables, and the ledger


def project(folder: Path, **changes: Any) -> Path:
    counts = {("n", "x"): 1, ("n", "y"): 9, ("s", "x"): 8, ("s", "y"): 7, ("w", "y"): 2, ("w", "x"): 11}
    pyarrow.csv.write_csv(rows_of(counts, "ab"), folder / "rows.csv")
    told: dict[str, Any] = {
        "antifaz": 1,
        "kind": "tables",
        "source": {"path": "rows.csv"},
        "rules": [{"rule": "threshold", "k": 3}],
        "tables": {"both": {"by": ["a", "b"]}, "first": {"by": {"a": {"groups": {"land": ["n", "s"], "sea": ["w"]}}}}},
        "seed": 1,
    }
    (folder / "tables.yaml").write_text(yaml.safe_dump(told | changes))
    return folder / "tables.yaml"


def test_a_file_of_tables_is_released_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(tmp_path / "ledger.sqlite"))
    found = CliRunner().invoke(cli, ["tabulate", str(project(tmp_path)), "--json"])
    assert found.exit_code == 0, found.output
    evidence = json.loads(found.stdout)
    TabulationsEvidence.model_validate(evidence)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["both", "evidence.json", "first"]
    rows = list(csv.DictReader((tmp_path / "out" / "first" / "release.csv").read_text().splitlines()))
    assert {row["a"] for row in rows} == {"*", "land", "sea", "n", "s", "w"}
    assert evidence["tables"]["both"]["linked"]["tables"] == ["first"]
    # A second time it takes the place of the first.
    again = CliRunner().invoke(cli, ["tabulate", str(tmp_path / "tables.yaml")])
    assert again.exit_code == 0 and again.stdout.count("Written to") == 2


def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path) -> None:
    for changes, code in (
        ({"tables": {"both": {"by": ["a", "b"], "rules": [{"rule": "treshold"}]}}}, "project.in-file"),
        ({"tables": {"../both": {"by": ["a"]}}}, "project.table-name-not-a-folder"),
        ({"tables": {}}, "project.key-wrong"),
        ({"rulez": []}, "project.unknown-key"),
    ):
        with failing(code, az.ProjectError):
            az.tabulate_tables(project(tmp_path, **changes))
    assert not (tmp_path / "out").exists()
    options = [str(project(tmp_path)), "--threshold", "3"]
    assert CliRunner().invoke(cli, ["tabulate", *options]).exit_code == 2


def call(folder: Path, *options: str, out: str) -> dict[str, Any]:
    found = CliRunner().invoke(cli, ["tabulate", str(folder / "rows.csv"), *options, "-o", str(folder / out), "--json"])
    assert found.exit_code == 0, found.output
    return dict(json.loads(found.stdout))


def cells(folder: Path, out: str) -> dict[tuple[str, ...], str]:
    rows = list(csv.reader((folder / out / "release.csv").read_text().splitlines()))
    return {tuple(row[:-2]): row[-2] for row in rows[1:]}


def test_tables_that_were_handed_out_are_part_of_the_attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(tmp_path / "ledger.sqlite"))
    project(tmp_path)
    asked = ("--by", "a,b", "--threshold", "3")
    alone = call(tmp_path, *asked, out="alone")
    first = call(tmp_path, "--by", "a,b", "--threshold", "3", "--to", "ministry", out="first")
    assert alone["linked"]["earlier"] == first["linked"]["earlier"] == []
    second = call(tmp_path, *asked, "--minimize", "cells", out="second")
    assert len(second["linked"]["earlier"]) == 1 and second["ledger"]["notes"] == []
    # What the first hides may be shown by the second only as far as both together tell nothing.
    hidden = {cell for cell, value in cells(tmp_path, "first").items() if not value}
    assert {cell for cell, value in cells(tmp_path, "second").items() if not value} <= hidden
    # Sums say nothing of counts; what was released beside is counted.
    (tmp_path / "rows.csv").write_text((tmp_path / "rows.csv").read_text() + '"s","x"\n' * 3)
    third = call(tmp_path, *asked, out="third")
    assert third["linked"]["earlier"] == []  # the data has changed
    assert [note["values"]["others"] for note in third["messages"]["warnings"]] == [1]


def test_what_was_published_can_not_be_hidden_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(tmp_path / "ledger.sqlite"))
    project(tmp_path)
    counts = {("n", "x"): 3, ("n", "y"): 9, ("s", "x"): 8, ("s", "y"): 7}
    pyarrow.csv.write_csv(rows_of(counts, "ab"), tmp_path / "rows.csv")
    call(tmp_path, "--by", "a,b", "--threshold", "3", "--to", "ministry", out="first")
    found = CliRunner().invoke(
        cli, ["tabulate", str(tmp_path / "rows.csv"), "--by", "a,b", "--threshold", "5", "-o", str(tmp_path / "second")]
    )
    assert found.exit_code == 1 and "published before" in str(found.exception)
    assert not (tmp_path / "second").exists()
    counted = Counter(bool(value) for value in cells(tmp_path, "first").values())
    assert counted == {True: 9}


def test_tables_of_a_file_are_handed_out_together_and_count_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(tmp_path / "ledger.sqlite"))
    az.tabulate_tables(project(tmp_path, dataset="rows"))
    early = call(tmp_path, "--by", "b", "--threshold", "3", "--dataset", "rows", out="early")
    assert early["linked"]["earlier"] == []  # drafts do not count
    handed = CliRunner().invoke(cli, ["hand-out", str(tmp_path / "out"), "--to", "ministry"])
    assert handed.exit_code == 0, handed.output
    whole = json.loads((tmp_path / "out" / "evidence.json").read_text())
    TabulationsEvidence.model_validate(whole)
    assert whole["state"] == whole["tables"]["both"]["state"] == "handed out"
    assert whole["tables"]["both"]["ledger"]["notes"] == []
    late = call(tmp_path, "--by", "b", "--threshold", "3", "--dataset", "rows", out="late")
    assert len(late["linked"]["earlier"]) == 2 and late["ledger"]["notes"] == []
    assert "handed out earlier" in (tmp_path / "late" / "report.html").read_text()
    # The draft that was made before says so when it is handed out.
    handed = CliRunner().invoke(cli, ["hand-out", str(tmp_path / "early"), "--to", "ministry"])
    assert handed.exit_code == 0, handed.output
    evidence = json.loads((tmp_path / "early" / "evidence.json").read_text())
    assert [note["values"]["others"] for note in evidence["messages"]["warnings"]] == [2]
