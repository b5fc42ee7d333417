import itertools
import json
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

import antifaz as az
from antifaz.projects.actions import run, verify_file
from antifaz.projects.script import script_of
from failing import failing

GROUPS = {"heart": ["I10", "I20", "I50"], "lung": ["J18", "J44", "J45"], "skin": ["L20", "L40"]}
LEAVES = [leaf for leaves in GROUPS.values() for leaf in leaves]
ROLES = {"diagnoses": "quasi-identifier"}


def fewest_sharing(people, m):
    """By hand: the fewest people who share any m of somebody's items; each of them is a list of items."""
    shared = Counter()
    for items in people:
        shared.update({c for n in range(1, m + 1) for c in itertools.combinations(sorted(items), n)})
    return min(shared.values(), default=None)


def cells(table, column="diagnoses", separator=";"):
    return [set(cell.split(separator)) if cell else set() for cell in table.column(column).to_pylist()]


def visits(number, seed, most=3, **more):
    draw = random.Random(seed)
    return pa.table(
        {
            "diagnoses": pa.array(
                [";".join(draw.sample(LEAVES, draw.randint(0, most))) or None for _ in range(number)], pa.string()
            ),
            **{name: [draw.choice(values) for _ in range(number)] for name, values in more.items()},
        }
    )


def released(table, k, m, suppression=0.0, roles=ROLES, **more):
    given = {"hierarchies": {"diagnoses": az.hierarchy.groups(GROUPS)}, "seed": 1} | more
    sets = {"diagnoses": az.Items(suppression=suppression)}
    return az.anonymize(table, roles=roles, privacy=az.KAnonymity(k, rows=m), sets=sets, **given)


def test_a_table_solved_by_hand():
    # I10 with J18, I20 with J18 and I10 with J44 are of one person each: only heart with lung are of two or more.
    table = pa.table({"diagnoses": ["I10;J18", "I20;J18", " J44;I10 ", "J44", "J18", "I20", "I10", None]})
    release = released(table, 2, 2)
    both, lung, heart = {"heart", "lung"}, {"lung"}, {"heart"}
    assert Counter(map(frozenset, cells(release.frame))) == Counter(
        map(frozenset, [both, both, both, lung, lung, heart, heart, set()])
    )
    (own,) = release.evidence["sets"]
    assert own == {
        "column": "diagnoses", "separator": ";", "k": 2, "m": 2, "items": 10, "different_before": 4,
        "different_after": 2, "rare_before": [0, 3], "generalized": 10, "suppressed": 0, "loss": pytest.approx(2 / 7),
    }  # fmt: skip
    (verdict,) = release.evidence["privacy"]
    assert (verdict["achieved"], verdict["holds"], verdict["rows"]) == (3, True, 2)
    # One branch could keep its items if two were left out: 5 · 2/7 + 2 is more than 10 · 2/7.
    assert released(table, 2, 2, suppression=0.2).evidence["sets"] == [own]


def test_an_item_of_one_person_is_left_out_where_that_costs_less_than_all_the_others():
    table = pa.table({"diagnoses": ["I10"] * 20 + ["I10;L40"]})
    (own,) = released(table, 2, 2, suppression=0.05).evidence["sets"]
    assert (own["suppressed"], own["generalized"], own["rare_before"]) == (1, 0, [1, 1])
    (own,) = released(table, 2, 2).evidence["sets"]
    assert (own["suppressed"], own["different_after"], own["loss"]) == (0, 1, 1.0)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_known_k_people_share_it_within_their_class(seed):
    draw = random.Random(seed)
    k, m, suppression = draw.choice([2, 3, 5]), draw.choice([1, 2, 3]), draw.choice([0.0, 0.1, 1.0])
    table = visits(120, seed, sex=["F", "M"], who=[f"P{i}" for i in range(60)])
    key = draw.choice([{}, {"who": "person"}])
    classes = draw.choice([{}, {"sex": "quasi-identifier"}])
    roles = ROLES | {"sex": "insensitive", "who": "insensitive"} | key | classes
    hierarchies = {"diagnoses": az.hierarchy.groups(GROUPS), "sex": az.hierarchy.flat()}
    try:
        release = released(
            table.append_column("i", [[str(i) for i in range(120)]]), k, m, suppression, roles | {"i": "insensitive"},
            hierarchies=hierarchies, others="release", method=az.FullDomain(suppression=0.5),
        )  # fmt: skip
    except az.PrivacyNotReached:
        assert suppression < 1
        return
    frame, whose = release.frame, table.column("who").to_pylist()
    people = {}
    for row, own, sex in zip(frame["i"].to_pylist(), cells(frame), frame["sex"].to_pylist(), strict=True):
        person = whose[int(row)] if key else row
        people.setdefault(person, []).extend((sex if classes else "", item) for item in own)
    fewest = fewest_sharing(people.values(), m)
    assert fewest is None or fewest >= k
    (own,) = release.evidence["sets"]
    assert own["suppressed"] <= suppression * own["items"]
    # An item becomes itself or something above it, or is left out; nothing is added.
    above = {leaf: {leaf, group, "*"} for group, leaves in GROUPS.items() for leaf in leaves}
    before = cells(table)
    for row, items in zip(frame["i"].to_pylist(), cells(frame), strict=True):
        assert all(any(item in above[leaf] for leaf in before[int(row)]) for item in items)


def test_a_child_table_with_a_person_key_is_the_same_thing():
    together = visits(80, 3, most=2)
    rows = [(i, item) for i, own in enumerate(cells(together)) for item in sorted(own)]
    child = pa.table({"patient": [str(i) for i, _ in rows], "diagnoses": [item for _, item in rows]})
    one = released(together, 4, 2)
    other = released(child, 4, 2, roles=ROLES | {"patient": "person"})
    assert one.evidence["sets"][0]["rare_before"] == other.evidence["sets"][0]["rare_before"]
    assert other.evidence["people"]["released"] == len({i for i, _ in rows})
    assert "patient" not in other.frame.column_names and other.frame.num_rows == child.num_rows


@pytest.mark.parametrize(
    ("cells_of", "k", "released_cells"),
    [
        (["a;b"], 1, {"a;b": 1}),
        ([None, None], 2, {None: 2}),
        (["a;a; a ;;", "a"], 2, {"a": 2}),
        (["café;x", "cafe\u0301", "x"], 2, {"café": 1, "x": 1, "café;x": 1}),
        (["=1+1;a", "=1+1", "a"], 2, {"'=1+1": 1, "a": 1, "'=1+1;a": 1}),
        (["\u200b;a", "a"], 2, {"a": 2}),
    ],
)
def test_odd_cells(cells_of, k, released_cells, tmp_path):
    table = pa.table({"diagnoses": pa.array(cells_of, pa.string())})
    release = released(table, k, 1, hierarchies={})
    release.save(tmp_path / "out", attacks=0)
    text = (tmp_path / "out/release.csv").read_text("utf-8").splitlines()[1:]
    assert Counter(line.strip('"') or None for line in text) == Counter(released_cells)


def test_what_can_not_be_had_is_said():
    table = visits(60, 1, sex=["F", "M"])
    with failing("sets.not-reached", az.PrivacyNotReached, k=60, m=1):
        released(table.select(["diagnoses"]), 60, 1)
    with failing("method.not-reached-but", az.PrivacyNotReached):
        released(table.select(["diagnoses"]), 61, 1)
    refused = [
        (az.LDiversity(2, attribute="sex"), "sets.only-k-anonymity"),
        (az.KAnonymity(2, known=1), "sets.only-k-anonymity"),
        (az.KAnonymity(2, rows="all"), "sets.rows-too-many"),
        (az.KAnonymity(2, rows=4), "sets.rows-too-many"),
    ]
    for model, code in refused:
        with failing(code, az.ParameterError):
            az.anonymize(table, roles=ROLES | {"sex": "sensitive"}, privacy=model, sets={"diagnoses": ";"})
    with failing("sets.not-quasi-identifier", az.SchemaError, name="sex"):
        az.anonymize(table, roles=ROLES | {"sex": "sensitive"}, privacy=az.KAnonymity(2), sets={"sex": ";"})
    with failing("sets.options-wrong", az.ParameterError, column="diagnoses"):
        az.anonymize(table, roles=ROLES, privacy=az.KAnonymity(2), sets={"diagnoses": ""}, others="drop")
    with failing("sets.separator-in-label", az.HierarchyError, count=1):
        hierarchy = az.hierarchy.groups({"heart;lung": LEAVES})
        released(table.select(["diagnoses"]), 2, 1, hierarchies={"diagnoses": hierarchy})
    with failing("sets.not-frozen", az.ParameterError):
        released(table.select(["diagnoses"]), 2, 1).recoding  # noqa: B018


def test_a_project_with_a_set_says_in_numbers_what_became_of_rare_items(tmp_path):
    pa.csv.write_csv(visits(200, 5, sex=["F", "M"]).append_column("rare", [["x"] * 200]), tmp_path / "visits.csv")
    (tmp_path / "project.yaml").write_text(
        f"""
antifaz: 1
source: {{path: visits.csv}}
attributes:
  diagnoses:
    role: quasi-identifier
    type: set
    items: {{separator: ";", suppression: 0.05}}
    hierarchy: {{groups: {json.dumps(GROUPS)}}}
  sex: {{role: quasi-identifier, hierarchy: flat}}
  rare: {{role: insensitive}}
privacy: [{{model: k-anonymity, k: 5, rows: 2}}]
seed: 1
"""
    )
    evidence = run(tmp_path / "project.yaml")
    (own,) = evidence["sets"]
    assert own["k"] == 5 and own["m"] == 2 and sum(own["rare_before"]) > 0
    folder = Path(evidence["folder"])
    report = (folder / "report.html").read_text("utf-8")
    assert "sets of at most 2 items were shared by fewer than 5 people" in report
    # Anybody can count it again; the data as it came fails, by as many people as brute force finds.
    (verdict,) = verify_file(
        folder / "release.csv", ["sex"], [{"model": "k-anonymity", "k": 5, "rows": 2}], sets={"diagnoses": ";"}
    )["privacy"]
    assert (verdict["holds"], verdict["achieved"]) == (True, evidence["privacy"][0]["achieved"])
    assert '"limit_rows": None' not in (text := script_of(tmp_path / "project.yaml")) and "'suppression': 0.05" in text


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_verifier_counts_what_brute_force_counts(m):
    table = visits(60, m, sex=["F", "M"], who=[f"P{i}" for i in range(25)])
    for person, classes in itertools.product([(), ("who",)], [(), ("sex",)]):
        people = {}
        for i, row in enumerate(table.to_pylist()):
            items = set((row["diagnoses"] or "").split(";")) - {""}
            known = [(tuple(row[name] for name in classes), item) for item in items]
            people.setdefault(row["who"] if person else i, []).extend(known)
        shared = Counter()
        choices = {
            p: {c for n in range(1, m + 1) for c in itertools.combinations(sorted(known), n)}
            for p, known in people.items()
        }
        for own in choices.values():
            shared.update(own)
        failing_people = sum(any(shared[c] < 2 for c in own) for own in choices.values())
        (verdict,) = az.verify(
            table, [*classes, "diagnoses"], az.KAnonymity(2, rows=m), person=person, sets={"diagnoses": ";"}
        )
        assert (verdict.achieved, verdict.failing) == (min(shared.values()), failing_people)
