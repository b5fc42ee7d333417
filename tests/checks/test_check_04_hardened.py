"""Check 4: the hardened mode of a run, in the library, in project files and on the command line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

import antifaz as az
from antifaz.cli.main import cli
from antifaz.core.randomness import hidden
from antifaz.privacy.hardening import draw_margin, margins, without_sensitive
from failing import failing

ROLES = {"place": "quasi-identifier", "illness": "sensitive"}
TREE = [["north", "*"], ["south", "*"]]
MODELS = [az.KAnonymity(3), az.LDiversity(2, attribute="illness")]


def people(north: int = 20, south: int = 20) -> pa.Table:
    places = ["north"] * north + ["south"] * south
    return pa.table({"place": places, "illness": [("flu", "gout", "cold")[i % 3] for i in range(len(places))]})


def hardened(table: pa.Table, **more: Any) -> Any:
    said: dict[str, Any] = {"roles": ROLES, "hierarchies": {"place": az.hierarchy.table(TREE)}, "privacy": MODELS}
    return az.anonymize(table, **said | {"hardened": True} | more)


def test_check_04_what_is_asked_is_larger_and_says_nothing_of_sensitive_values() -> None:
    models = [az.AlphaK(alpha=0.1, k=4, attribute="illness"), az.KAnonymity(5), az.HighestRisk(0.25)]
    assert list(margins(models)) == list(range(1, 11))
    assert without_sensitive(models, 3) == (az.KAnonymity(13), az.HighestRisk(0.25))
    assert without_sensitive([az.TCloseness(0.2)], 1) == (az.KAnonymity(3),)
    assert without_sensitive([az.KAnonymity(k=5, blanks="match")], 2) == (az.KAnonymity(k=7, blanks="match"),)
    drawn = Counter(draw_margin(models, hidden(seed, "margin")) for seed in range(400))
    assert set(drawn) == set(margins(models))


def test_check_04_the_margin_is_in_no_document(tmp_path: Path) -> None:
    # Both of the places are larger than any margin asks for, so that only the margin could tell these two runs apart.
    told = {}
    for seed in range(20):
        margin = draw_margin(MODELS, hidden(seed, "margin"))
        if margin in told:
            continue
        folder = tmp_path / str(seed)
        hardened(people(), seed=seed).save(folder)
        evidence = json.loads((folder / "evidence.json").read_text())
        for key in ("created", "seconds", "peak_memory_bytes", "released", "article_30", "attacks", "criteria"):
            evidence.pop(key, None)
        told[margin] = json.dumps(evidence, sort_keys=True)
    assert len(told) == 3
    assert len(set(told.values())) == 1
    first = json.loads(told[1])
    assert first["hardened"] is True
    assert [verdict.get("k") for verdict in first["privacy"]] == [3, None]
    assert any(note.startswith("Hardened: ") for note in first["notes"])


def test_check_04_how_a_method_found_its_way_is_not_told() -> None:
    # What a first phase asked for, how many combinations were tried, the steps on the way: all follow from the margin.
    two = az.Specialization(phases=2, partitions=2)
    assert hardened(people(), method=two, hardened=False, seed=1).evidence["method"]["k_first"] == 3
    told = hardened(people(), method=two, seed=1).evidence["method"]
    assert not {"k_first", "trace", "specializations"} & told.keys()
    assert "lattice" not in hardened(people(), seed=1).evidence["method"]
    with failing("hardened.k-first-given", az.ParameterError):
        hardened(people(), method=az.Specialization(phases=2, partitions=2, k_first=9))


def test_check_04_a_run_that_is_not_hardened_prints_what_knowing_the_method_can_add() -> None:
    open_to_all = hardened(people(), hardened=False, seed=1)
    assert open_to_all.evidence["hardened"] is False
    [finding] = [one for one in open_to_all.verdict["findings"] if one["code"] == "method-known"]
    assert "full-domain lets them be sure of an illness up to 100%" in finding["words"]
    assert (finding["weight"], finding["remedy"]["change"]) == ("yes", {"hardened": True})
    plain = hardened(people(), hardened=False, privacy=az.KAnonymity(3), seed=1)
    for other in (plain, hardened(people(), seed=1)):
        assert "method-known" not in {one["code"] for one in other.verdict["findings"]}


def test_check_04_ties_are_broken_at_random() -> None:
    # Either column may be generalized, and both lose the same; by the rule it would always be the second.
    rows = [("a", "a")] * 10 + [("b", "b")] * 10 + [("a", "b"), ("b", "a")]
    table = pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})
    chosen = {}
    for way in (False, True):
        chosen[way] = Counter(
            tuple(
                az.anonymize(
                    table,
                    roles=dict.fromkeys("xy", "quasi-identifier"),
                    hierarchies=dict.fromkeys("xy", az.hierarchy.flat()),
                    privacy=az.KAnonymity(2),
                    seed=seed,
                    hardened=way,
                ).levels[name]
                for name in "xy"
            )
            for seed in range(12)
        )
    assert chosen[False] == {(0, 1): 12}
    assert set(chosen[True]) == {(0, 1), (1, 0)}


def test_check_04_the_same_seed_gives_the_same_release() -> None:
    for method in (az.FullDomain(), az.KMembers(starts=2)):
        one, other = (hardened(people(7, 9), seed=5, method=method, privacy=az.KAnonymity(2)).frame for _ in range(2))
        assert one.equals(other)


def test_check_04_larger_classes_that_can_t_be_reached_are_refused_without_saying_their_size() -> None:
    with pytest.raises(az.PrivacyNotReached) as error:
        hardened(people(4, 4), privacy=az.KAnonymity(8), seed=1)
    assert "Hardened" in str(error.value)
    assert not any(letter.isdigit() for letter in str(error.value))


def test_check_04_classes_that_fail_a_model_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    table = pa.table({"place": ["north"] * 9 + ["south"] * 9, "illness": ["flu"] * 9 + ["gout", "cold", "flu"] * 3})
    release = az.anonymize(table, roles=ROLES, hierarchies={"place": az.hierarchy.table(TREE)}, privacy=MODELS, seed=1)
    assert release.levels == {"place": 1}
    with failing("hardened.classes-do-not-satisfy", az.PrivacyNotReached, models=["l-diversity"]):
        hardened(table, seed=1)


def test_check_04_what_would_have_to_see_sensitive_values_is_refused() -> None:
    with failing("hardened.target-is-sensitive", az.ParameterError, name="illness"):
        hardened(people(), method=az.FullDomain(quality="classification", target="illness"))
    ages = people().append_column("age", pa.array([20 + i for i in range(40)]))
    with failing("hardened.hierarchy-learnt", az.ParameterError, column="age"):
        hardened(
            ages,
            roles=ROLES | {"age": "quasi-identifier"},
            hierarchies={"place": az.hierarchy.table(TREE), "age": az.hierarchy.information_gain()},
        )


def project(folder: Path, **more: Any) -> Path:
    import pyarrow.csv as csv

    csv.write_csv(people(), folder / "people.csv")
    said = {
        "antifaz": 1,
        "source": {"path": "people.csv"},
        "attributes": {
            "place": {"role": "quasi-identifier", "hierarchy": {"table": TREE}},
            "illness": {"role": "sensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}],
        "ledger": {"keep": False},
        "seed": 1,
    }
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump({**said, **more}, sort_keys=False), encoding="utf-8")
    return path


def test_check_04_hardened_in_a_project_file_and_on_the_command_line(tmp_path: Path) -> None:
    assert az.run(project(tmp_path, hardened=True))["hardened"] is True
    path = project(tmp_path)
    assert az.run(path)["hardened"] is False
    run = CliRunner().invoke(cli, ["run", str(path), "--hardened", "--json"], catch_exceptions=False)
    assert run.exit_code == 0
    assert json.loads(run.stdout)["hardened"] is True


def test_check_04_a_light_project_has_nothing_to_harden(tmp_path: Path) -> None:
    path = project(tmp_path, kind="light", hardened=True)
    said = yaml.safe_load(path.read_text())
    del said["privacy"]
    path.write_text(yaml.safe_dump(said, sort_keys=False))
    with failing("project.light-and-hardened", az.ProjectError):
        az.run(path)
