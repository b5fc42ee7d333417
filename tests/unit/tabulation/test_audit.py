"""The auditor refuses what a careless or hostile writer would have published."""

import pyarrow as pa
import pytest
from tests.failing import failing

import antifaz as az
from antifaz.tabulation.audit import audit
from antifaz.tabulation.audit_cells import recount
from antifaz.tabulation.audit_reading import ReadCell, read_cells

RULES = [{"name": "threshold", "k": 3, "zeros": False, "within": 0.1}]
SUPPRESSION = {"name": "suppression"}
TREES = ({"a": "*", "b": "*"}, {"m": "*", "w": "*"})


def truth(counts, person=None):
    rows = [key for key, count in counts.items() for _ in range(count)]
    many = len(rows)
    entries = pa.table(
        {
            "0": pa.array([row[0] for row in rows], pa.string()), "1": pa.array([row[1] for row in rows], pa.string()),
            "person": pa.nulls(many, pa.int64()) if person is None else pa.array(person),
            "amount": [1] * many, "records": [1] * many, "key": [0] * many,
        }
    )  # fmt: skip
    return recount(entries, TREES, ("*", "*"), counts=True, decimals=0)


TRUTH = truth({("a", "m"): 1, ("a", "w"): 5, ("b", "m"): 6, ("b", "w"): 7})


def cells(*hidden):
    return {labels: ReadCell(None if labels in hidden else TRUTH.value(labels)) for labels in TRUTH.all_labels()}


def test_it_counts_the_cells_by_itself():
    assert TRUTH.value(("*", "*")) == 19
    assert TRUTH.value(("*", "m")) == 7
    assert TRUTH.additive


def test_people_in_several_cells_do_not_add_up():
    found = truth({("a", "m"): 1, ("b", "m"): 1}, person=[1, 1])
    assert (found.value(("*", "*")), found.additive) == (1, False)


def test_a_rectangle_holds():
    found = audit(cells(("a", "m"), ("a", "w"), ("b", "m"), ("b", "w")), TRUTH, RULES, SUPPRESSION)
    assert (found.sensitive, found.attacked, found.narrowest) == (1, 4, 6)
    assert found.intervals["a", "m"] == (0, 6)


@pytest.mark.parametrize(
    "hidden",
    [(), (("a", "m"),), (("a", "m"), ("a", "w")), (("a", "m"), ("b", "m"), ("*", "m"))],
    ids=["all shown", "hidden alone", "a row", "a column with its total"],
)
def test_a_sensitive_cell_that_can_be_computed_is_refused(hidden):
    with failing("tabulation.audit-cells-found", az.CheckFailed, cells=1, sensitive=1):
        audit(cells(*hidden), TRUTH, RULES, SUPPRESSION)


def test_a_shown_cell_must_be_true():
    wrong = cells(("a", "m"), ("a", "w"), ("b", "m"), ("b", "w")) | {("*", "m"): ReadCell(8)}
    with failing("tabulation.audit-value-differs", az.CheckFailed):
        audit(wrong, TRUTH, RULES, SUPPRESSION)


def test_all_cells_must_be_there():
    less = cells()
    del less["a", "m"]
    with failing("tabulation.audit-cells-differ", az.CheckFailed):
        audit(less, TRUTH, RULES, SUPPRESSION)


def test_everything_may_be_hidden_and_then_has_no_largest_value():
    found = audit(cells(*TRUTH.all_labels()), TRUTH, RULES, SUPPRESSION)
    assert found.narrowest is None


def test_rounded_cells_must_be_multiples_near_the_truth_that_add_up():
    asked = {"name": "rounding", "base": 5, "kind": "controlled", "steps": 0}
    good = {("*", "*"): 20, ("*", "m"): 5, ("*", "w"): 15, ("a", "*"): 5, ("a", "m"): 0, ("a", "w"): 5, ("b", "*"): 15,
            ("b", "m"): 5, ("b", "w"): 10}  # fmt: skip
    assert audit({k: ReadCell(v) for k, v in good.items()}, TRUTH, RULES, asked).sensitive == 1
    for labels, value in ((("a", "w"), 6), (("a", "m"), 10), (("*", "*"), 15)):
        with failing("tabulation.audit-value-differs", az.CheckFailed):
            audit({k: ReadCell(v) for k, v in (good | {labels: value}).items()}, TRUTH, RULES, asked)


def test_noise_must_follow_from_the_keys():
    asked = {"name": "cell-key", "noise": 5, "variance": 3.0, "smallest": 0}
    with failing("tabulation.audit-noise-not-by-key", az.CheckFailed):
        # All keys are the same here, so the counts 6 (one a total) must have the same noise.
        audit(cells() | {("b", "m"): ReadCell(8)}, TRUTH, [], asked)
    with failing("tabulation.audit-value-differs", az.CheckFailed):
        audit(cells() | {("b", "m"): ReadCell(12)}, TRUTH, [], asked)


@pytest.mark.parametrize(
    "text",
    ["a,count,status\nx,1,shown\nx,1,shown\n", "a,count,status\nx,1,suppressed\n", "a,count,status\nx,,shown\n",
     "a,count,status\nx,1.5,shown\n", "a,count,status\nx,many,shown\n", "a,n,status\nx,1,shown\n",
     "a,count,status\nx,1,shown,2\n", "a,count,status\nx,1,hidden\n"],
)  # fmt: skip
def test_a_file_that_says_two_things_is_refused(tmp_path, text):
    (tmp_path / "release.csv").write_text(text)
    with failing("tabulation.audit-file-unclear", az.CheckFailed):
        read_cells(tmp_path / "release.csv", ["a"], "count", "status", 0)


def test_an_only_contributor_who_finds_the_other_one_is_enough_to_refuse():
    amounts = {("a", "m"): 40, ("a", "w"): 60, ("b", "m"): 500, ("b", "w"): 700}
    entries = pa.table(
        {
            "0": [labels[0] for labels in amounts], "1": [labels[1] for labels in amounts],
            "person": pa.nulls(4, pa.int64()), "amount": list(amounts.values()), "records": [1, 1, 5, 5],
            "key": [0] * 4,
        }
    )  # fmt: skip
    found = recount(entries, TREES, ("*", "*"), counts=False, decimals=0)
    hidden = (("a", "m"), ("a", "w"), ("b", "m"), ("b", "w"))
    read = {labels: ReadCell(None if labels in hidden else found.value(labels)) for labels in found.all_labels()}
    # Nobody outside finds the 40 or the 60 of which the first row has 100; but each of the two firms knows its own.
    with failing("tabulation.audit-cells-found", az.CheckFailed, cells=2, sensitive=2):
        audit(read, found, [RULES[0] | {"k": 2}], SUPPRESSION)


def test_what_has_no_second_half_is_not_released():
    for rules, protection in ((RULES, {"name": "blur"}), ([{"name": "odd-cells"}], SUPPRESSION)):
        with failing("tabulation.audit-has-no-check", az.CheckFailed):
            audit(cells(), TRUTH, rules, protection)
