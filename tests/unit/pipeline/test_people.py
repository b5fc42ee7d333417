"""A person key: people are counted where somebody has several rows, from the plan to the evidence."""

import json
import random
from collections import Counter

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.pipeline.people import spell_keys
from antifaz.projects import actions
from failing import failing
from oracles.people import fewest_by_columns, fewest_people

ROLES = {
    "patient": "person", "visit": "insensitive", "age": "quasi-identifier", "sex": "quasi-identifier",
    "diagnosis": "sensitive",
}  # fmt: skip
HIERARCHIES = {"age": az.hierarchy.intervals(5, 10, 20), "sex": az.hierarchy.flat()}


def visits(people=60, most=6, seed=3):
    """Patients and their visits; the number of the visit tells rows of a release apart."""
    generator, rows = random.Random(seed), []
    for person in range(people):
        age, sex = generator.choice([30, 35, 40, 45, 50]), generator.choice("FM")
        for _ in range(generator.randint(1, most)):
            diagnosis = generator.choice(["flu", "asthma", "cold", "gout"])
            rows.append((f"P{person}", len(rows), age + generator.choice([0, 1]), sex, diagnosis))
    columns = ("patient", "visit", "age", "sex", "diagnosis")
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(columns)})


def people_found(table, released, known=1):
    """Count in plain Python what an attacker finds: whose visit is each released row?"""
    whose = dict(zip(table["visit"].to_pylist(), table["patient"].to_pylist(), strict=True))
    rows = [(whose[int(row["visit"])], (row["age"], row["sex"])) for row in released.to_pylist()]
    return fewest_people(rows, known)


@pytest.mark.parametrize(
    "method",
    [
        az.FullDomain(suppression=0.1), az.FullDomain(suppression=0.1, rounds=3), az.Datafly(suppression=0.1),
        az.BottomUp(), az.Specialization(), az.Specialization(cut="level"), az.Specialization(phases=2),
        az.LGreedy(), az.KMembers(), az.LocalSuppression(suppression=0.1), az.Auto(),
    ],
    ids=lambda method: f"{method.name}-{len(method.parameters())}",
)  # fmt: skip
@pytest.mark.parametrize("known", [1, 2, "all"])
def test_every_class_has_k_people(method, known):
    table = visits()
    release = az.anonymize(
        table, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3, rows=known), method=method, seed=1
    )
    found = people_found(table, release.frame, known)
    assert found >= 3, release.evidence["method"]
    assert release.evidence["privacy"][0]["achieved"] == found
    assert "patient" not in release.frame.column_names


@pytest.mark.parametrize(
    "method",
    [
        az.Mondrian(),
        az.Mondrian(mode="relaxed", round_ends=True),
        az.Mondrian(split="distribution"),
        az.LGreedy(),
        az.LocalSuppression(),
        az.Auto(purpose="numbers"),
    ],
)
@pytest.mark.parametrize("model", [az.KAnonymity(4), az.LDiversity(2, kind="entropy"), az.TCloseness(0.3)])
def test_every_group_satisfies_the_model_by_people(method, model):
    table = visits()
    release = az.anonymize(
        table, roles=ROLES, hierarchies=HIERARCHIES, privacy=[az.KAnonymity(3), model], method=method
    )
    assert people_found(table, release.frame) == release.evidence["privacy"][0]["achieved"] >= 3
    assert release.evidence["privacy"][1]["holds"]
    assert release.evidence["classes"]["after"]["count"] > 1


@pytest.mark.parametrize("method", [az.FullDomain(suppression=0.1), az.Specialization(), az.LGreedy(), az.Auto()])
@pytest.mark.parametrize("rows", [1, 2])
def test_whoever_knows_one_column_of_rows_finds_k_people(method, rows):
    table = visits()
    model = az.KAnonymity(5, known=1, rows=rows)
    release = az.anonymize(table, roles=ROLES, hierarchies=HIERARCHIES, privacy=model, method=method, seed=1)
    whose = dict(zip(table["visit"].to_pylist(), table["patient"].to_pylist(), strict=True))
    found = [(whose[int(row["visit"])], (row["age"], row["sex"])) for row in release.frame.to_pylist()]
    assert fewest_by_columns(found, 1, rows) == release.evidence["privacy"][0]["achieved"] >= 5


def test_less_need_be_generalized_where_one_column_is_known():
    asked = {"roles": ROLES, "hierarchies": HIERARCHIES, "seed": 1}
    one, all_ = (az.anonymize(visits(), privacy=az.KAnonymity(8, known=m), **asked) for m in (1, None))
    assert one.evidence["utility"]["loss"] < all_.evidence["utility"]["loss"]


def test_rows_would_have_been_too_few():
    table = pa.table({"patient": ["A"] * 5 + ["B"] * 5, "age": [30] * 5 + [40] * 5})
    asked = {"hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.KAnonymity(2), "seed": 1}
    by_rows = az.anonymize(table, roles={"patient": "identifier", "age": "quasi-identifier"}, **asked)
    by_people = az.anonymize(table, roles={"patient": "person", "age": "quasi-identifier"}, **asked)
    assert by_rows.frame["age"].to_pylist().count(30) == 5
    assert set(by_people.frame["age"].to_pylist()) == {"*"}
    assert by_people.evidence["people"] == {"key": ["patient"], "read": 2, "released": 2, "suppressed": 0}
    assert by_people.evidence["risk"]["singled_out_before"] == 2
    assert by_people.evidence["classes"]["after"]["smallest"] == 2


def test_several_columns_are_one_key_and_spellings_are_one_person():
    table = pa.table({"first": ["Ana", "ana ", "Ana"], "last": ["Roca", "ROCA", "Pons"], "age": [30, 30, 40]})
    release = az.anonymize(
        table,
        roles={"first": "person", "last": "person", "age": "quasi-identifier"},
        hierarchies={"age": az.hierarchy.flat()},
        privacy=az.KAnonymity(2),
    )
    assert release.evidence["people"] == {"key": ["first", "last"], "read": 2, "released": 2, "suppressed": 0}


def test_rows_without_a_key_are_taken_for_one_person():
    table = pa.table({"patient": [None, None, None, "A"], "age": [30, 30, 30, 40]})
    roles = {"patient": "person", "age": "quasi-identifier"}
    asked = {"hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.KAnonymity(2)}
    assert az.anonymize(table, roles=roles, **asked).evidence["people"]["read"] == 2


@pytest.mark.parametrize("format", ["csv", "parquet", "tsv"])
def test_the_gate_counts_people_in_the_file_as_it_was_written(tmp_path, format):
    table = visits()
    release = az.anonymize(
        table, roles=ROLES, hierarchies=HIERARCHIES, privacy=[az.KAnonymity(4), az.TCloseness(0.3)], seed=1
    )
    release.save(tmp_path / "out", format)
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    with az.open(tmp_path / "out" / f"release.{format}") as written:
        rows = written.to_arrow()
    assert "patient" not in rows.column_names
    assert evidence["privacy"][0]["achieved"] == people_found(table, rows)
    assert evidence["people"]["read"] == 60
    assert "P1" not in (tmp_path / "out" / "evidence.json").read_text()


def test_a_sensitive_value_counts_once_per_person():
    table = pa.table({"patient": ["A"] * 9 + ["B", "C"], "age": [30] * 11, "diagnosis": ["flu"] * 9 + ["gout", "cold"]})
    roles = {"patient": "person", "age": "quasi-identifier", "diagnosis": "sensitive"}
    asked = {"hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.AlphaK(alpha=0.34, k=3)}
    release = az.anonymize(table, roles=roles, **asked)
    assert release.evidence["privacy"][0]["achieved"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        ("people.method-counts-records", {"method": az.Mdav()}),
        ("method.rows-compare-classes", {"method": az.Mondrian()}),
        ("people.model-counts-records", {"privacy": az.KMap(3, fraction=0.1)}),
        ("people.model-compares-values", {"privacy": az.KAnonymity(3, blanks="match")}),
        ("people.not-hardened", {"hardened": True}),
        ("people.rows-without-person", {"roles": ROLES | {"patient": "identifier"}}),
    ],
)
def test_what_can_not_count_people_says_so(code, asked):
    wanted = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(3, rows=2)} | asked
    with failing(code, ParameterError):
        az.anonymize(visits(), **wanted)


def test_too_few_people_are_not_enough_rows():
    table = pa.table({"patient": ["A"] * 50, "age": [30] * 50})
    with pytest.raises(az.PrivacyNotReached):
        az.anonymize(
            table,
            roles={"patient": "person", "age": "quasi-identifier"},
            hierarchies={"age": az.hierarchy.flat()},
            privacy=az.KAnonymity(2),
        )


def test_rows_of_a_person_are_limited_by_a_draw_that_repeats():
    asked = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(3, rows="all"), "limit_rows": 1}
    table = visits()
    first, again, other = (az.anonymize(table, seed=seed, **asked) for seed in (1, 1, 2))
    assert first.frame.equals(again.frame)
    assert first.frame["visit"].to_pylist() != other.frame["visit"].to_pylist()
    assert first.evidence["rows"]["read"] == first.evidence["people"]["read"] == 60
    assert people_found(table, first.frame, "all") >= 3
    assert any("60 of 214" in note for note in first.evidence["notes"])


def test_a_project_file_says_how_many_rows_of_a_person_are_used(tmp_path):
    import pyarrow.csv

    pyarrow.csv.write_csv(visits(), tmp_path / "visits.csv")
    project = {
        "antifaz": 1,
        "source": {"path": "visits.csv"},
        "attributes": {
            "patient": {"role": "person"},
            "visit": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20]}},
            "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
            "diagnosis": {"role": "sensitive"},
        },
        "people": {"limit-rows": 2, "leave-out": "people"},
        "privacy": [{"model": "k-anonymity", "k": 3, "rows": 2}],
        "method": {"name": "full-domain", "suppression": 0.1},
        "release": {"path": "out/"},
        "seed": 1,
    }
    (tmp_path / "project.json").write_text(json.dumps(project))
    evidence = actions.run(tmp_path / "project.json")
    assert evidence["rows"]["read"] == sum(min(n, 2) for n in Counter(visits()["patient"].to_pylist()).values())
    assert evidence["privacy"][0] | {"achieved": 3} == evidence["privacy"][0] | {"achieved": 3, "rows": 2, "k": 3}
    assert evidence["people"]["read"] == 60
    assert 0 < evidence["people"]["suppressed"] <= 6


#: A and B look alike in one row; A has another row that nobody shares, and C and D share theirs.
SHARED = pa.table({"patient": ["A", "A", "B", "C", "D"], "age": [30, 90, 30, 40, 40], "visit": [0, 1, 2, 3, 4]})


@pytest.mark.parametrize("method", [az.FullDomain, az.Datafly, az.BottomUp, az.LocalSuppression])
@pytest.mark.parametrize(("leave_out", "left"), [("rows", [0, 2, 3, 4]), ("people", [3, 4])])
def test_people_are_left_out_with_all_their_rows_until_nothing_fails(method, leave_out, left):
    asked = {
        "roles": {"patient": "person", "age": "quasi-identifier", "visit": "insensitive"},
        "hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.KAnonymity(2), "seed": 1,
    }  # fmt: skip
    release = az.anonymize(SHARED, method=method(suppression=0.5), leave_out=leave_out, **asked)
    if method is not az.LocalSuppression or leave_out == "rows":  # who blanks cells need not leave B out
        assert sorted(map(int, release.frame["visit"].to_pylist())) == left
    released = [SHARED["patient"][int(visit)].as_py() for visit in release.frame["visit"].to_pylist()]
    evidence = release.evidence
    assert evidence["people"]["released"] == len(set(released))
    assert evidence["rows"] == {"read": 5, "released": len(released), "suppressed": 5 - len(released)}
    assert evidence["privacy"][0]["achieved"] >= 2


def test_the_limit_is_a_share_of_people():
    asked = {
        "roles": {"patient": "person", "age": "quasi-identifier", "visit": "insensitive"},
        "hierarchies": {"age": az.hierarchy.flat()}, "privacy": az.KAnonymity(2), "seed": 1,
        "leave_out": "people",
    }  # fmt: skip
    # Two of four people must go; with fewer allowed, all are generalized.
    for share, number in ((0.5, 2), (0.49, 4)):
        release = az.anonymize(SHARED, method=az.FullDomain(suppression=share), **asked)
        assert release.evidence["people"]["released"] == number


@pytest.mark.parametrize("method", [az.FullDomain(suppression=0.3), az.Datafly(suppression=0.3), az.Auto()])
@pytest.mark.parametrize("known", [1, 2, "all"])
def test_who_is_released_is_released_whole(tmp_path, method, known):
    table = visits(people=40, most=3)
    release = az.anonymize(
        table, roles=ROLES, hierarchies=HIERARCHIES, seed=1, method=method, leave_out="people",
        privacy=[az.KAnonymity(3, rows=known), az.LDiversity(2)],
    )  # fmt: skip
    release.save(tmp_path / "out")
    whose = dict(zip(table["visit"].to_pylist(), table["patient"].to_pylist(), strict=True))
    before, after = Counter(whose.values()), Counter(whose[int(v)] for v in release.frame["visit"].to_pylist())
    assert all(before[who] == rows for who, rows in after.items())
    assert people_found(table, release.frame, known) == release.evidence["privacy"][0]["achieved"] >= 3
    assert release.evidence["people"]["suppressed"] == 40 - len(after)


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        ("people.leave-out-without-person", {"roles": ROLES | {"patient": "identifier"}}),
        ("people.unknown-leave-out", {"leave_out": "persons"}),
        ("method.people-left-out-in-one-round", {"method": az.FullDomain(suppression=0.1, rounds=2)}),
    ],
)
def test_what_can_not_leave_people_out_says_so(code, asked):
    wanted = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(3), "leave_out": "people"} | asked
    with failing(code, ParameterError):
        az.anonymize(visits(), **wanted)


def test_a_limit_needs_a_person():
    with failing("people.limit-without-person", ParameterError):
        az.anonymize(
            visits(), roles=ROLES | {"patient": "identifier"}, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3),
            limit_rows=1,
        )  # fmt: skip


def test_candidates_say_how_many_people_the_smallest_class_has():
    table = visits()
    found = az.candidates(table, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3))
    for candidate in found[:3]:
        assert candidate.smallest_class == people_found(table, candidate.apply().frame)
    with failing("people.frontier-counts-records", ParameterError):
        az.frontier(table, roles=ROLES, hierarchies=HIERARCHIES)


def test_people_of_a_file_are_counted_in_the_table_that_it_becomes(tmp_path):
    pytest.importorskip("sqlalchemy")
    table, url = visits(), f"sqlite:///{tmp_path}/people.db"
    release = az.anonymize(table, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3), seed=1)
    release.save(tmp_path / "out", table="released", url=url)
    with az.open(url, table="released") as written:
        rows = written.to_arrow()
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert evidence["privacy"][0]["achieved"] == people_found(table, rows) >= 3
    assert "patient" not in rows.column_names


def test_every_spelling_of_a_key_gets_the_same_pseudonym(tmp_path):
    table = pa.table(
        {"patient": ["STRASSE", "straße", "P2 ", "p2", "P3", None, " "], "age": [30, 30, 30, 30, 40, 40, 30]}
    )
    with az.open(table) as data, spell_keys(["patient"], data) as spelled:
        assert spelled.to_arrow()["patient"].to_pylist() == ["STRASSE", "STRASSE", "P2 ", "P2 ", "P3", None, None]
        assert spell_keys(["patient"], spelled) is spelled
