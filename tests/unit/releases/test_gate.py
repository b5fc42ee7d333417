"""The gate refuses whatever is not what was decided."""

from __future__ import annotations

import csv
import io
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.core.errors import CheckFailed, PrivacyNotReached
from antifaz.engines.local.apply import LocalApplied
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.engines.local.recount import recount
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.releases.gate import admit, examine, make_reference, model_as_data
from failing import failing, like

COLUMNS = ("age", "sex", "diagnosis", "note")
ROWS = [
    *(["[20, 30)", "f", diagnosis, "a"] for diagnosis in ("flu", "gout", "flu")),
    *(["[20, 30)", "m", diagnosis, "b"] for diagnosis in ("cold", "gout", "flu")),
    *(["[30, 40)", "m", diagnosis, "c"] for diagnosis in ("cold", "gout", "flu", "flu")),
]
MODELS = (KAnonymity(3), LDiversity(2, attribute="diagnosis"))
EXPECTED = {"rows": 10, "columns": COLUMNS, "sizes": [3, 3, 4]}
#: Any other content of a cell, that of its neighbours included.
OTHERS = ("other", "m", "[30, 40)", "gout", "", "A")


def _written(tmp_path, rows=ROWS, columns=COLUMNS, format="csv"):
    path = tmp_path / f"release.{format}"
    if format == "parquet":
        pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(columns)}), path)
        return path
    text = io.StringIO()
    csv.writer(text, delimiter="\t" if format == "tsv" else ",", lineterminator="\n").writerows([columns, *rows])
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def _admit(path, expected=EXPECTED, models=MODELS):
    return admit(LocalAuditor(), path, models, ("age", "sex"), expected)


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_what_was_decided_is_let_through(tmp_path, format):
    counted, verdicts = _admit(_written(tmp_path, format=format))
    assert counted.rows == 10
    assert [verdict.holds for verdict in verdicts] == [True, True]
    assert [verdict.achieved for verdict in verdicts] == [3, 2]


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_check_01_any_flipped_cell_is_refused(tmp_path, format):
    whole = recount(_written(tmp_path, format=format), (), fingerprint=True).fingerprint
    for row, column, new in product((0, 9), range(4), OTHERS):
        rows = [list(cells) for cells in ROWS]
        if rows[row][column] == new:
            continue
        rows[row][column] = new
        with pytest.raises(CheckFailed) as caught:
            _admit(_written(tmp_path, rows, format=format), {**EXPECTED, "fingerprint": whole})
        assert caught.value.code in ("gate.rows-differ", "gate.classes-differ")


def test_a_record_that_moved_to_another_class_is_refused(tmp_path):
    whole = recount(_written(tmp_path), (), fingerprint=True).fingerprint
    rows = [list(cells) for cells in ROWS]
    rows[0][1] = "m"
    rows[3][1] = "f"
    with failing("gate.rows-differ", CheckFailed):
        _admit(_written(tmp_path, rows), {**EXPECTED, "fingerprint": whole})
    rows[4][0] = "[30, 40)"
    models = (KAnonymity(1),)
    with failing("gate.classes-differ", CheckFailed):
        _admit(_written(tmp_path, rows), models=models)


def test_the_order_of_rows_is_no_part_of_the_fingerprint(tmp_path):
    whole = recount(_written(tmp_path), (), fingerprint=True).fingerprint
    assert _admit(_written(tmp_path, ROWS[::-1]), {**EXPECTED, "fingerprint": whole})


def test_a_sensitive_value_that_makes_a_class_uniform_is_refused(tmp_path):
    rows = [list(cells) for cells in ROWS]
    rows[1][2] = " FLU"
    reached = [like("gate.model-reaches", model="l-diversity", achieved=1, failing=3)]
    with failing("gate.privacy-does-not-hold", CheckFailed, words=reached):
        _admit(_written(tmp_path, rows))


@pytest.mark.parametrize("rows", [ROWS[:-1], [*ROWS, ROWS[-1]], []])
def test_another_number_of_rows_is_refused(tmp_path, rows):
    with failing("gate.number-of-records-differs", CheckFailed, rows2=10):
        _admit(_written(tmp_path, rows))


@pytest.mark.parametrize(
    "columns",
    [("age", "sex", "diagnosis", "name"), ("age", "sex", "note", "diagnosis"), (*COLUMNS, "id")],
)
def test_other_columns_are_refused(tmp_path, columns):
    rows = [[*row, "1"][: len(columns)] for row in ROWS]
    with failing("gate.columns-differ", CheckFailed):
        _admit(_written(tmp_path, rows, columns), models=(KAnonymity(3),))


def test_models_are_told_to_the_verifier_as_plain_data():
    assert model_as_data(KAnonymity(3)) == {"model": "k-anonymity", "k": 3}


def test_examining_counts_whoever_made_the_table():
    counted, verdicts = examine(LocalAuditor(), pa.table({"a": ["x", "x", None]}), [KAnonymity(2)], ["a"])
    assert (counted.rows, verdicts[0].holds, verdicts[0].achieved) == (3, False, 1)


def test_what_is_known_of_the_original_is_counted_with_folded_values():
    with az.open(pa.table({"d": ["Flu", " flu", None]})) as original:
        told = make_reference(original.totals(["d"]), {"d": {"Flu": ("cold", "*")}})
    assert told.counts == {"d": {"flu": 2, None: 1}}
    assert told.trees == {"d": {"flu": ("cold", "*")}}


def _save(tmp_path, format):
    people = az.datasets.people(200, seed=1).select(["sex", "age", "diagnosis"])
    release = az.anonymize(
        people,
        roles={"sex": "quasi-identifier", "age": "quasi-identifier", "diagnosis": "sensitive"},
        hierarchies={"sex": az.hierarchy.flat(), "age": az.hierarchy.intervals(10, 20)},
        privacy=az.KAnonymity(3),
        method=az.FullDomain(suppression=0.05),
        seed=1,
    )
    return release.save(tmp_path / "out", format)


def _first_quarter(path):
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 4]), encoding="utf-8")


def _cell(path):
    lines = path.read_text("utf-8").splitlines(keepends=True)
    lines[1] = lines[1].replace("female", "fe_male").replace("male", "ma_le").replace("*", "**")
    path.write_text("".join(lines), encoding="utf-8")


def _column(path):
    lines = path.read_text("utf-8").splitlines()
    path.write_text(
        "\n".join(f"{line},{'id' if i == 0 else i}" for i, line in enumerate(lines)) + "\n", encoding="utf-8"
    )


@pytest.mark.parametrize("damage", [_first_quarter, _cell, _column])
def test_check_01_a_file_damaged_between_writing_and_checking_is_never_published(tmp_path, monkeypatch, damage):
    write = LocalApplied.write

    def write_and_damage(applied, folder, format):
        written = write(applied, folder, format)
        damage(written.path)
        return written

    monkeypatch.setattr(LocalApplied, "write", write_and_damage)
    with pytest.raises(CheckFailed):
        _save(tmp_path, "csv")
    assert list(tmp_path.iterdir()) == []


def test_an_undamaged_file_is_published(tmp_path):
    assert {path.name for path in _save(tmp_path, "csv").iterdir()} >= {"release.csv", "evidence.json"}


def test_a_label_that_was_not_decided_is_refused(tmp_path):
    rows = [[age.replace("[20, 30)", "[20, 25)"), *rest] for age, *rest in ROWS]
    decided = {**EXPECTED, "labels": {"age": frozenset({"[20, 30)", "[30, 40)"})}}
    assert _admit(_written(tmp_path, ROWS), decided)
    with failing("gate.label-not-decided", CheckFailed, name="age"):
        _admit(_written(tmp_path, rows), decided)


def test_a_label_that_a_spreadsheet_would_run_may_have_an_apostrophe(tmp_path):
    rows = [["'=1+1", *row[1:]] if row[0] == "[30, 40)" else row for row in ROWS]
    for label, fine in [("=1+1", True), ("'=1+1", True), ("1+1", False)]:
        decided = EXPECTED | {"labels": {"age": {"[20, 30)", label}}}
        if fine:
            assert _admit(_written(tmp_path, rows), decided)[0].rows == 10
        else:
            with failing("gate.label-not-decided", CheckFailed, name="age"):
                _admit(_written(tmp_path, rows), decided)


def test_where_a_method_may_fail_the_refusal_is_worded_by_what_failed(tmp_path):
    expected = EXPECTED | {"refusal": lambda models: f"Not reached: {', '.join(models)}."}
    assert _admit(_written(tmp_path), expected)[0].rows == 10
    models = (KAnonymity(4), LDiversity(2, attribute="diagnosis"), LDiversity(4, attribute="diagnosis"))
    with failing("text", PrivacyNotReached, text="Not reached: k-anonymity, l-diversity."):
        _admit(_written(tmp_path), expected, models)
    with failing(
        "gate.privacy-does-not-hold",
        CheckFailed,
        words=["k-anonymity reaches 3 and 6 records fail", "l-diversity reaches 2 and 10 records fail"],
    ):
        _admit(_written(tmp_path), models=models)


@pytest.mark.parametrize("most", [5, 1 << 21])
def test_sizes_are_compared_whatever_their_order(most: int) -> None:
    from antifaz.releases.gate import _same_sizes

    one = np.array([3, 4, most])
    assert _same_sizes(one, np.array([most, 3, 4]))
    assert not _same_sizes(one, np.array([3, 3, most]))
    assert not _same_sizes(one, np.array([3, 4, most, 3]))
    assert not _same_sizes(one, one[:0])
    assert _same_sizes(one[:0], one[:0])


def test_classes_larger_than_any_memory_are_compared_all_the_same():
    from antifaz.releases.gate import _same_sizes

    large, small = np.array([3, 1 << 60]), np.array([3, 4])
    assert _same_sizes(large, large[::-1])
    assert not _same_sizes(large, small)
    assert not _same_sizes(small, large)
