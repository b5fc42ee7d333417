import itertools
import random
from collections import Counter

import pyarrow as pa
import pyarrow.csv
import pytest

from antifaz.projects.actions import make_key, run

PROJECT = """
antifaz: 1
name: clinic
tables:
  patients:
    source: {{path: patients.csv}}
    attributes:
      id: {{role: person}}
      age: {{role: quasi-identifier, hierarchy: {{intervals: [20, 40]}}}}
    privacy: [{{model: k-anonymity, k: {k}, rows: {rows}}}]
  visits:
    source: {{path: visits.csv}}
    attributes:
      patient: {{role: person}}
      month: {{role: quasi-identifier, hierarchy: {{intervals: [3, 6]}}}}
      illness: {{role: sensitive}}
    privacy: [{{model: k-anonymity, k: {k}, rows: {rows}}}{more}]
repeated:
  - {{name: who, columns: {{patients: id, visits: patient}}, operation: {{name: pseudonymize, key: {key}}}}}
method: {{name: full-domain, suppression: {suppression}}}
release: {{path: out}}
seed: 1
"""


def shared(folder, rows):
    """By hand, from the files: how many people share each choice of somebody's rows, of both tables."""
    own = {}
    for table, key, column in (("patients", "id", "age"), ("visits", "patient", "month")):
        for row in pa.csv.read_csv(folder / "out" / table / "release.csv").to_pylist():
            own.setdefault(row[key], []).append((table, str(row[column])))
    found = Counter()
    for known in own.values():
        known.sort()
        sizes = [len(known)] if rows == "all" else range(1, rows + 1)
        found.update({choice for size in sizes for choice in itertools.combinations(known, size)})
    return found, len(own)


def released(folder, *, rows, suppression, k=3, most=2, people=120, more=""):
    draw = random.Random(1)
    patients = [{"id": f"P{i:03d}", "age": draw.randint(20, 79)} for i in range(people)]
    visits = [
        {"patient": one["id"], "month": draw.randint(1, 12)} for one in patients for _ in range(draw.randint(0, most))
    ]
    for i, visit in enumerate(visits):
        visit["illness"] = ("flu", "gout", "none")[i % 3]
    pa.csv.write_csv(pa.Table.from_pylist(patients), folder / "patients.csv")
    pa.csv.write_csv(pa.Table.from_pylist(visits), folder / "visits.csv")
    (folder / "keys").mkdir()
    key = make_key(folder / "keys" / "secret.key")
    project = folder / "project.yaml"
    project.write_text(PROJECT.format(k=k, rows=rows, key=key, suppression=suppression, more=more))
    return run(project)


@pytest.mark.parametrize(
    ("rows", "k", "most", "suppression"), [(1, 3, 2, 0.3), (2, 4, 3, 0.05), (2, 4, 3, 0.0), ("all", 2, 2, 0.1)]
)
def test_tables_hold_k_together_by_leaving_people_out_and_by_larger_classes(tmp_path, rows, k, most, suppression):
    evidence = released(tmp_path, rows=rows, k=k, most=most, suppression=suppression)
    (join,) = evidence["joined"]
    found, people = shared(tmp_path, rows)
    assert (join["achieved"], join["people"]) == (min(found.values()), people)
    assert join["holds"] and join["achieved"] >= k and join["left_out"] <= 120 * suppression
    if rows != 1:
        assert bool(join["left_out"]) == (suppression == 0.05) and (join["stricter"] > 1) == (suppression != 0.05)
    # One row known says nothing of joined rows, which are made of two.
    assert bool(evidence["warnings"]) == (rows == 1)


def test_where_nothing_helps_the_warning_stays_with_the_figures(tmp_path):
    # Every table by itself is fine as one class; who has a visit and who has none tells people apart.
    evidence = released(tmp_path, rows="all", suppression=0.0, k=4, most=1, people=7)
    (join,) = evidence["joined"]
    found, people = shared(tmp_path, "all")
    assert (join["achieved"], join["people"], join["holds"]) == (min(found.values()), people, False)
    assert (join["left_out"], join["stricter"]) == (0, 1)
    assert [each["code"] for each in evidence["verdict"]["findings"]].count("tables-can-be-joined") == 1
    assert len(evidence["warnings"]) == 1


def test_k_holds_in_the_join_beside_models_of_values_and_the_warning_stays_for_these(tmp_path):
    more = ", {model: l-diversity, kind: distinct, l: 2, attribute: illness}"
    evidence = released(tmp_path, rows=2, k=4, most=3, suppression=0.05, more=more)
    (join,) = evidence["joined"]
    found, people = shared(tmp_path, 2)
    assert (join["achieved"], join["people"]) == (min(found.values()), people)
    assert join["holds"] and join["achieved"] >= 4 and join["not_joined"] == ["l-diversity"]
    assert len(evidence["warnings"]) == 1
    assert "tables-can-be-joined" in {each["code"] for each in evidence["verdict"]["findings"]}
