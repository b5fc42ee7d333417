"""Several tables in one project: one mapping for what they share, all of them released or none."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from antifaz.core.errors import AntifazError, CheckFailed, InputError, PrivacyNotReached, ProjectError
from antifaz.projects import actions
from antifaz.projects.tables import LoadedTables, read_project
from failing import failing, like, near

#: Two tables that share a town (a quasi-identifier) and a number (insensitive). Accounts need towns at level 2.
PROJECT: dict[str, Any] = {
    "antifaz": 1,
    "name": "bank",
    "tables": {
        "clients": {
            "source": {"path": "clients.csv"},
            "attributes": {
                "name": {"role": "identifier"},
                "town": {"role": "quasi-identifier", "hierarchy": {"masking": 1}},
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
                "number": {"role": "insensitive"},
            },
            "privacy": [{"model": "k-anonymity", "k": 2}],
        },
        "accounts": {
            "source": {"path": "accounts.csv"},
            "attributes": {
                "place": {"role": "quasi-identifier", "hierarchy": {"masking": 1}},
                "client": {"role": "insensitive"},
                "balance": {"role": "sensitive"},
            },
            "privacy": [{"model": "k-anonymity", "k": 6}],
        },
    },
    "repeated": [
        {"name": "town", "columns": {"clients": "town", "accounts": "place"}},
        {"name": "client", "columns": {"clients": "number", "accounts": "client"}},
    ],
    "release": {"path": "out/"},
    "seed": 1,
}

CLIENTS = [
    ("Ana", "111", 30, "c1"), ("Eva", "111", 31, "c2"), ("Leo", "112", 32, "c3"), ("Teo", "112", 33, "c4"),
    ("Ivo", "121", 34, "c5"), ("Ada", "121", 35, "c6"),
]  # fmt: skip
ACCOUNTS = [
    ("111", "c1", 5), ("111", "c1", 6), ("111", "c2", 7), ("112", "c3", 8), ("113", "c9", 9), ("121", "c5", 1),
]  # fmt: skip


def _write(path: Path, head: list[str], rows: list[Any]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _write(tmp_path / "clients.csv", ["name", "town", "age", "number"], CLIENTS)
    _write(tmp_path / "accounts.csv", ["place", "client", "balance"], ACCOUNTS)
    return tmp_path


def _project(folder: Path, **changes: Any) -> Path:
    path = folder / "bank.yaml"
    path.write_text(yaml.safe_dump({**PROJECT, **changes}, sort_keys=False), encoding="utf-8")
    return path


def _changed(table: str, **changes: Any) -> dict[str, Any]:
    return {**PROJECT["tables"], table: {**PROJECT["tables"][table], **changes}}


def _joined(one: list[dict[str, str]], other: list[dict[str, str]], mine: str, theirs: str) -> int:
    """A join by two loops."""
    return sum(a[mine] == b[theirs] for a in one for b in other)


def test_all_tables_are_released_at_one_level_of_what_they_share(folder):
    evidence = actions.run(_project(folder))
    clients, accounts = (_rows(folder / "out" / name / "release.csv") for name in ("clients", "accounts"))
    # By hand: six accounts are alike only at 1**; clients alone would have stayed at 11* or below.
    assert {row["place"] for row in accounts} == {row["town"] for row in clients} == {"1**"}
    levels = {name: told["method"]["levels"] for name, told in evidence["tables"].items()}
    assert levels["clients"]["town"] == levels["accounts"]["place"] == 2
    assert "name" not in clients[0]
    assert json.loads((folder / "out" / "evidence.json").read_text("utf-8")) == {
        key: value for key, value in evidence.items() if key != "folder"
    }
    for name in ("clients", "accounts"):
        files = {path.name for path in (folder / "out" / name).iterdir()}
        assert files == {"release.csv", "evidence.json", "report.html", "record.json"}
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert 'href="clients/report.html"' in page and 'href="accounts/report.html"' in page


def test_the_joins_in_the_evidence_are_those_that_two_loops_find(folder):
    evidence = actions.run(_project(folder))
    town, client = evidence["repeated"]
    before = [_rows(folder / f"{name}.csv") for name in ("clients", "accounts")]
    after = [_rows(folder / "out" / name / "release.csv") for name in ("clients", "accounts")]
    for told, columns in ((town, ("town", "place")), (client, ("number", "client"))):
        (join,) = told["joins"]
        assert join["matching_rows"] == {"before": _joined(*before, *columns), "after": _joined(*after, *columns)}
    assert (town["mapping"], client["mapping"]) == ("many-to-one", "one-to-one")
    assert client["joins"][0]["matching_values"] == {"before": 4, "after": 4}


def _replaced(column: str) -> dict[str, Any]:
    attributes = {**PROJECT["tables"]["clients"]["attributes"]}
    attributes[column] = {"role": "quasi-identifier", "hierarchy": {"masking": 1}, "microaggregate": "interval"}
    return {"tables": _changed("clients", attributes=attributes)}


def test_a_column_of_one_table_is_released_as_one_value_of_each_class(folder):
    attributes = {**PROJECT["tables"]["clients"]["attributes"]}
    attributes["age"] = {"role": "quasi-identifier", "microaggregate": "mean"}
    actions.run(_project(folder, tables=_changed("clients", attributes=attributes)))
    clients = _rows(folder / "out" / "clients" / "release.csv")
    assert {(row["town"], row["age"]) for row in clients} == {("1**", "32")}  # 32.5, to the even side


def test_without_the_repeated_attribute_tables_go_their_own_ways(folder):
    """What the test above would miss: the clients alone do not need level 2."""
    evidence = actions.run(_project(folder, repeated=[]))
    assert evidence["tables"]["clients"]["method"]["levels"]["town"] < 2


def test_one_hierarchy_spans_the_values_of_all_tables(folder):
    """Masking goes up to the longest value: '12' alone has two levels above it, beside '1234' four."""
    _write(folder / "clients.csv", ["name", "town", "age", "number"], [("a", "12", 1, "x"), ("b", "13", 1, "y")])
    _write(folder / "accounts.csv", ["place", "client", "balance"], [("1234", "x", 1), ("1235", "y", 2)] * 3)
    for repeated, height in ((PROJECT["repeated"], 4), ([], 2)):
        evidence = actions.run(_project(folder, repeated=repeated))
        (town,) = [told for told in evidence["tables"]["clients"]["attributes"] if told["name"] == "town"]
        assert town["height"] == height


def test_what_a_table_does_not_say_the_project_says(folder):
    tables = {
        name: {key: value for key, value in said.items() if key != "privacy"}
        for name, said in PROJECT["tables"].items()
    }
    path = _project(folder, tables=tables, privacy=[{"model": "k-anonymity", "k": 3}], source={"delimiter": ","})
    loaded = read_project(path)
    assert isinstance(loaded, LoadedTables)
    assert [table.models[0].k for table in loaded.tables.values()] == [3, 3]
    assert loaded.tables["clients"].project.source.options() == {"delimiter": ","}


def test_nothing_is_released_where_one_table_can_not_be(folder):
    path = _project(folder, tables=_changed("accounts", privacy=[{"model": "k-anonymity", "k": 7}]))
    with pytest.raises(PrivacyNotReached):
        actions.run(path)
    assert sorted(entry.name for entry in folder.iterdir()) == ["accounts.csv", "bank.yaml", "clients.csv"]


def test_nothing_is_released_where_a_join_broke(folder, monkeypatch):
    """A release in which one table's column was changed by something else on the way."""
    from antifaz.pipeline import several_tables as tables_run

    honest = tables_run._read_back

    def broken(place, column, data):
        found = dict(honest(place, column, data))
        return {f"{value}'": n for value, n in found.items()} if column == "client" else found

    monkeypatch.setattr(tables_run, "_read_back", broken)
    with failing(
        "gate.repeated-attribute-matches-differ",
        CheckFailed,
        name="client",
        table="clients",
        table2="accounts",
        number=4,
    ):
        actions.run(_project(folder))
    assert not (folder / "out").exists()


def test_a_run_replaces_an_earlier_one_and_nothing_else(folder):
    path = _project(folder)
    actions.run(path)
    actions.run(path)
    strange = folder / "out" / "clients" / "mine.txt"
    strange.write_text("mine", encoding="utf-8")
    with failing("release.target-not-free", InputError, what=like("release.holds-strange-files")):
        actions.run(path)
    strange.unlink()
    (folder / "out" / "other").mkdir()
    with failing("release.target-not-free", InputError, what=like("release.holds-strange-files")):
        actions.run(path)
    assert strange.parent.is_dir()


def test_a_folder_of_single_releases_is_not_taken_for_a_release_of_several(folder):
    """Two projects released into out/a and out/b: a third one may not have out/."""
    single = {key: value for key, value in PROJECT.items() if key not in ("tables", "repeated")}
    for name in ("a", "b"):
        (folder / "one.yaml").write_text(yaml.safe_dump({**single, **PROJECT["tables"]["clients"]}), encoding="utf-8")
        actions.run(folder / "one.yaml", out=folder / "out" / name)
    with failing("release.target-not-free", InputError, what=like("release.holds-strange-files")):
        actions.run(_project(folder))
    assert (folder / "out" / "a" / "release.csv").is_file()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tables": {}}, like("project.key-wrong", key="tables")),
        ({"tables": {**PROJECT["tables"], "a/b": PROJECT["tables"]["clients"]}}, "project.table-name-not-a-folder"),
        ({"tables": {**PROJECT["tables"], "Clients": PROJECT["tables"]["clients"]}}, "project.tables-share-folder"),
        (
            {"tables": _changed("clients", privat=[])},
            like("project.unknown-key", key="tables.clients.privat", hint=near("privacy")),
        ),
        ({"tables": _changed("clients", source={"pat": "x"})}, like("project.unknown-key", key="source.pat")),
        ({"tables": _changed("clients", privacy=[{"model": "k-anonimity", "k": 2}])}, "declared.unknown-name"),
        (
            {"repeated": [{"name": "x", "columns": {"clients": "town"}}]},
            like("project.key-wrong", key="repeated.0.columns"),
        ),
        (
            {"repeated": [{"name": "x", "columns": {"clients": "town", "account": "place"}}]},
            like("project.unknown-table", near=near("accounts")),
        ),
        ({"repeated": [PROJECT["repeated"][0]] * 2}, like("project.repeated-of-one-name", what="town")),
        (
            {"repeated": [PROJECT["repeated"][0], {**PROJECT["repeated"][0], "name": "t"}]},
            like("project.column-repeated-already", taken="town"),
        ),
        ({"repeated": [{**PROJECT["repeated"][0], "hierarchy": {"masking": 1}}]}, "project.repeated-said-twice"),
        (
            {"repeated": [{"name": "x", "columns": {"clients": "town", "accounts": "client"}}]},
            like(
                "plan.repeated-roles-differ",
                what="x",
                words=[
                    like("plan.outcome-in-table", outcome=like("plan.generalized"), table="clients"),
                    like("plan.outcome-in-table", outcome=like("plan.released-as-it-is"), table="accounts"),
                ],
            ),
        ),
        (
            {"repeated": [{"name": "x", "columns": {"clients": "town", "accounts": "nowhere"}}]},
            like("column.unknown", name="nowhere"),
        ),
        (
            {"tables": _changed("clients", method={"name": "mondrian"})},
            like("plan.repeated-released-in-several-ways", method="mondrian"),
        ),
        (_replaced("town"), like("plan.repeated-released-in-several-ways", method="microaggregate")),
        (
            {"tables": _changed("clients", method={"name": "full-domain", "rounds": 2})},
            "plan.repeated-released-in-several-ways",
        ),
        (
            {"tables": _changed("clients", method={"name": "full-domain", "highest": {"town": 1}})},
            like("plan.repeated-level-not-allowed", column="town", level=2),
        ),
        (
            {"tables": _changed("clients", source={"url": "sqlite:///a.db", "table": "c"}, release={"table": "x"})},
            "project.several-tables-into-one-file",
        ),
        ({"release": {"path": "out/", "table": "x"}}, "project.release-table-of-several"),
        ({"release": {"path": "hdfs://there/out"}}, "plan.several-tables-need-folder"),
    ],
)
def test_what_can_not_be_is_said_in_one_sentence(folder, changes, words):
    with failing(words) as caught:
        actions.run(_project(folder, **changes))
    assert "\n" not in str(caught.value)
    assert not (folder / "out").exists()


def test_two_tables_may_not_understand_what_they_share_differently(folder):
    tables = _changed("clients", attributes={**PROJECT["tables"]["clients"]["attributes"],
                      "town": {"role": "quasi-identifier", "type": "text", "hierarchy": {"masking": 1}}})  # fmt: skip
    with failing("plan.repeated-types-differ", ProjectError, what="town", words=["integer", "text"]):
        actions.run(_project(folder, tables=tables))


def test_the_schema_of_project_files_takes_several_tables_and_refuses_broken_ones():
    import jsonschema

    from antifaz.projects.catalogue import project_schema

    validate = jsonschema.Draft202012Validator(project_schema()).validate
    validate(PROJECT)
    for changes in ({"tables": {}}, {"repeated": [{"name": "x", "columns": {"clients": "town"}}]}, {"nam": "x"},
                    {"tables": _changed("clients", privacy=[{"model": "nothing"}])}):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            validate({**PROJECT, **changes})


def test_what_looks_at_one_table_refuses_several(folder):
    for action in (actions.candidates_of, lambda path: actions.frontier_of(path, [2, 3])):
        with failing("project.needs-one-table", ProjectError):
            action(_project(folder))


# Repeated attributes with an operation

KEY = {"columns": {"clients": "number", "accounts": "client"}, "name": "client"}


@pytest.fixture
def key(tmp_path_factory) -> str:
    """A key, away from the data."""
    from antifaz.methods.operations.mask import new_key

    return str(new_key(tmp_path_factory.mktemp("keys") / "bank.key"))


def _identified(**changes: Any) -> dict[str, Any]:
    """The tables with the shared number an identifier, as it is."""
    tables = {name: {**said, "attributes": dict(said["attributes"])} for name, said in PROJECT["tables"].items()}
    tables["clients"]["attributes"]["number"] = {"role": "identifier"}
    tables["accounts"]["attributes"]["client"] = {"role": "identifier"}
    return {"tables": tables, **changes}


def _numbers(folder: Path) -> tuple[list[str], list[str]]:
    return (
        [row["number"] for row in _rows(folder / "out" / "clients" / "release.csv")],
        [row["client"] for row in _rows(folder / "out" / "accounts" / "release.csv")],
    )


@pytest.mark.parametrize(
    "operation",
    [{"name": "pseudonymize", "key": "KEY"}, {"name": "encrypt", "key": "KEY"},
     {"name": "substitute", "made": True}, {"name": "substitute", "made": True, "key": "KEY"},
     [{"name": "substitute", "made": True}, {"name": "encrypt", "key": "KEY"}]],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("seed", [1, None])
def test_a_value_becomes_the_same_in_every_table(folder, key, operation, seed):
    operation = json.loads(json.dumps(operation).replace("KEY", key))
    evidence = actions.run(_project(folder, **_identified(repeated=[{**KEY, "operation": operation}], seed=seed)))
    clients, accounts = _numbers(folder)
    # By hand: of c1 to c6, c1 has two accounts, c2, c3 and c5 one; c9 is nobody's number.
    assert sorted(Counter(accounts)[number] for number in clients) == [0, 0, 1, 1, 1, 2]
    assert len(set(clients)) == 6 and len(set(accounts)) == 5
    # One of a few hundred made-up numbers may happen to be one that was there.
    assert set(clients) != {f"c{i}" for i in range(1, 7)}
    assert evidence["repeated"][0]["mapping"] == "one-to-one"
    assert evidence["repeated"][0]["joins"][0]["matching_rows"] == {"before": 5, "after": 5}
    assert "can be joined by 'client'" in evidence["warnings"][0]


def test_made_up_values_follow_from_the_seed_and_not_from_it_alone(folder):
    changes = _identified(repeated=[{**KEY, "operation": {"name": "substitute", "made": True}}])
    found = []
    for seed in (1, 1, 2, None):
        actions.run(_project(folder, **changes, seed=seed))
        found.append(sorted(_numbers(folder)[0]))
    assert found[0] == found[1] and found[0] != found[2] and found[3] not in found[:3]


def test_tables_by_themselves_make_up_different_values(folder):
    """What sharing the secret is for."""
    tables = _identified()["tables"]
    for name, column in KEY["columns"].items():
        tables[name]["attributes"][column]["operation"] = {"name": "substitute", "made": True}
    actions.run(_project(folder, tables=tables, repeated=[]))
    clients, accounts = _numbers(folder)
    assert sorted(Counter(accounts)[number] for number in clients) != [0, 0, 1, 1, 1, 2]


def test_values_may_become_coarser_together(folder):
    table = {"c1": "x", "c2": "x", "c3": "y", "c4": "y", "c5": "z", "c6": "z", "c9": "z"}
    operation = {"name": "substitute", "table": table}
    evidence = actions.run(_project(folder, **_identified(repeated=[{**KEY, "operation": operation}])))
    clients, accounts = _numbers(folder)
    assert Counter(clients) == {"x": 2, "y": 2, "z": 2} and Counter(accounts) == {"x": 3, "y": 1, "z": 2}
    told = evidence["repeated"][0]
    # 2·3 + 2·1 + 2·2 pairs.
    assert (told["mapping"], told["joins"][0]["matching_rows"]) == ("many-to-one", {"before": 5, "after": 12})


def test_what_is_suppressed_is_suppressed_everywhere(folder):
    evidence = actions.run(_project(folder, **_identified(repeated=[{**KEY, "operation": {"name": "suppress"}}])))
    assert evidence["repeated"][0]["mapping"] == "removed" and evidence["repeated"][0]["joins"] == []
    evidence = actions.run(_project(folder, **_identified(repeated=[KEY])))
    assert evidence["repeated"][0]["mapping"] == "removed"
    assert "number" not in _rows(folder / "out" / "clients" / "release.csv")[0]


def test_light_tables_are_released_together_too(folder, key):
    tables = {
        "clients": {"source": {"path": "clients.csv"}, "attributes": {"name": {"role": "identifier"}}},
        "accounts": {"source": {"path": "accounts.csv"}},
    }
    operation = {"name": "pseudonymize", "key": key}
    repeated = [{**KEY, "operation": operation}]
    light = _project(folder, kind="light", tables=tables, repeated=repeated, others="release")
    evidence = actions.run(light)
    clients, accounts = _numbers(folder)
    assert sorted(Counter(accounts)[number] for number in clients) == [0, 0, 1, 1, 1, 2]
    assert all(told["kind"] == "light" for told in evidence["tables"].values()) and not evidence["warnings"]
    # One light table beside a complete one, under models that stand beside both.
    tables = {**tables, "accounts": {**PROJECT["tables"]["accounts"], "privacy": None}}
    del tables["accounts"]["privacy"]
    tables["clients"]["kind"] = "light"
    models = [{"model": "k-anonymity", "k": 3}]
    mixed = actions.run(_project(folder, tables=tables, repeated=[], privacy=models, others="release"))
    assert [bool(told["privacy"]) for told in mixed["tables"].values()] == [False, True]


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (
            {"name": "encrypt", "cipher": "aes-gcm", "key": "k"},
            like("plan.repeated-operation", operation="encrypt", why=like("plan.repeated-equal-values-differ")),
        ),
        (
            {"name": "suppress", "where": {"in": ["c1"]}},
            like("plan.repeated-operation", operation="suppress", why=like("plan.repeated-condition")),
        ),
        (
            {"name": "top-code", "percentile": 90},
            like("plan.repeated-operation", operation="top-code", why=like("plan.repeated-by-percentile")),
        ),
        (
            {"name": "shift-dates", "person": "name"},
            like("plan.repeated-operation", operation="shift-dates", why=like("plan.repeated-looks-at-other-column")),
        ),
        ({"name": "pseudonimize"}, like("operation.unknown", hint=near("pseudonymize"))),
        ("encrypt", "project.operation-needs-name"),
    ],
)
def test_operations_that_are_no_function_of_the_value_are_refused(folder, operation, words):
    with failing(words, ProjectError):
        actions.run(_project(folder, **_identified(repeated=[{**KEY, "operation": operation}])))


def test_an_operation_is_said_once(folder):
    tables = _identified()["tables"]
    tables["clients"]["attributes"]["number"]["operation"] = {"name": "suppress"}
    for repeated in (KEY, {**KEY, "operation": {"name": "suppress"}}):
        with failing("project.repeated-said-twice", ProjectError, column="number"):
            actions.run(_project(folder, tables=tables, repeated=[repeated]))


def test_an_error_says_its_place_once(folder):
    """Both tables have a column of that name; only one lacks its hierarchy."""
    _write(folder / "accounts.csv", ["town", "client", "balance"], ACCOUNTS)
    attributes = {"town": {"role": "quasi-identifier", "hierarchy": {"table": [["111", "*"]]}}}
    tables = {**PROJECT["tables"], "accounts": {**PROJECT["tables"]["accounts"], "attributes": attributes}}
    with pytest.raises(AntifazError) as caught:
        actions.run(_project(folder, tables=tables, repeated=[], others="drop"))
    line = str(caught.value).split(":")[1]
    assert str(caught.value).count("bank.yaml") == 1
    assert "town" in (folder / "bank.yaml").read_text("utf-8").splitlines()[int(line) - 1]


def test_a_rule_is_judged_in_each_of_several_tables_unless_one_names_another(tmp_path: Path) -> None:
    for name, head in (("patients", "zip,sex"), ("visits", "zip,kind")):
        rows = "".join(f"{('100', '112', '941')[i % 3]},{'ab'[i % 2]}\n" for i in range(36))
        (tmp_path / f"{name}.csv").write_text(f"{head}\n{rows}")
    attributes = {"zip": {"role": "quasi-identifier", "type": "text", "hierarchy": {"flat": True}}}
    project = {
        "antifaz": 1,
        "preset": "hipaa-safe-harbor",
        "others": "release",
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "tables": {
            "patients": {"source": {"path": "patients.csv"}, "attributes": attributes},
            "visits": {"source": {"path": "visits.csv"}, "attributes": attributes, "preset": "gdpr"},
        },
    }
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(project))
    evidence = actions.run(tmp_path / "project.yaml", ledger=False)
    assert {name: table["preset"]["name"] for name, table in evidence["tables"].items()} == {
        "patients": "hipaa-safe-harbor",
        "visits": "gdpr",
    }
