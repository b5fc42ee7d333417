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
    privacy: [{{model: k-anonymity, k: {k}, rows: {rows}}}]
repeated:
  - {{name: who, columns: {{patients: id, visits: patient}}, operation: {{name: pseudonymize, key: {key}}}}}
method: {{name: full-domain, suppression: {suppression}}}
release: {{path: out}}
seed: 1
"""


def shared(folder, rows, strip=True):
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


def released(folder, *, rows, suppression, k=3, most=2, people=120):
    draw = random.Random(1)
    patients = [{"id": f"P{i:03d}", "age": draw.randint(20, 79)} for i in range(people)]
    visits = [
        {"patient": one["id"], "month": draw.randint(1, 12)} for one in patients for _ in range(draw.randint(0, most))
    ]
    pa.csv.write_csv(pa.Table.from_pylist(patients), folder / "patients.csv")
    pa.csv.write_csv(pa.Table.from_pylist(visits), folder / "visits.csv")
    (folder / "keys").mkdir()
    key = make_key(folder / "keys" / "secret.key")
    project = folder / "project.yaml"
    project.write_text(PROJECT.format(k=k, rows=rows, key=key, suppression=suppression))
    return run(project)


@pytest.mark.parametrize("rows", [1, 2, "all"])
def test_people_are_left_out_until_k_share_what_is_known_in_both_tables(tmp_path, rows):
    evidence = released(tmp_path, rows=rows, suppression=0.3)
    (join,) = evidence["joined"]
    found, people = shared(tmp_path, rows)
    assert (join["achieved"], join["people"]) == (min(found.values()), people)
    assert join["holds"] and join["achieved"] >= 3 and join["left_out"] <= 36
    # One row known says nothing of joined rows, which are made of two.
    assert bool(evidence["warnings"]) == (rows == 1)


def test_where_too_many_would_be_left_out_the_warning_stays_with_the_figures(tmp_path):
    evidence = released(tmp_path, rows=2, suppression=0.0, k=4, most=3)
    (join,) = evidence["joined"]
    found, _ = shared(tmp_path, 2)
    assert join["achieved"] == min(found.values())
    assert (join["left_out"], join["holds"]) == (0, join["achieved"] >= 4)
    assert bool(evidence["warnings"]) == (not join["holds"])
