"""Blanks that match any value: the verifier's own count, what the gate makes of it, and how it is said."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antifaz as az
from antifaz.core.errors import CheckFailed, ParameterError
from antifaz.core.recount import Recount
from antifaz.counting import matching
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.releases.gate import admit, examine, model_as_data
from antifaz.releases.verifier import blanks as verifier_blanks
from antifaz.releases.verifier.models import verify
from antifaz.reports.report import report_html
from failing import failing


def _frame(*rows, names=("a", "b", "c")):
    width = len(rows[0])
    return pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names[:width])})


def _judged(frame, k, blanks="match"):
    (verdict,) = az.verify(frame, frame.column_names, az.KAnonymity(k, blanks=blanks))
    return verdict


def _agree(one, other):
    return all(x is None or y is None or x == y for x, y in zip(one, other, strict=True))


def test_in_a_chain_each_agrees_with_its_neighbours_only():
    # 1 - 2 - 3 - 4: the blanks of 2 and 3 join what does not itself agree.
    chain = _frame(("x", "p"), ("x", None), (None, "q"), ("y", "q"))
    for k, exposed in ((1, 0), (2, 0), (3, 2), (4, 4)):
        verdict = _judged(chain, k)
        assert (verdict.achieved, verdict.failing, verdict.holds) == (2, exposed, exposed == 0)
    assert _judged(chain, 2, "value").failing == 4


def test_records_that_are_blank_throughout_hide_everybody_and_k_may_be_all():
    nobody = (None, None, None)
    hidden = _judged(_frame(("x", "p", "1"), ("y", "q", "2"), nobody, nobody), 3)
    assert (hidden.achieved, hidden.holds) == (3, True)
    assert "4 of 4 records look like fewer than 3" in hidden.note
    everybody = _frame(*[nobody] * 5)
    assert (_judged(everybody, 5).achieved, _judged(everybody, 6).holds) == (5, False)
    # All alike is all of them in both readings.
    same = _frame(*[("x", "p")] * 4)
    assert _judged(same, 4).holds
    assert _judged(same, 4, "value").holds
    assert "0 of 4 records" in _judged(same, 4).note


def test_values_that_were_missing_from_the_start_match_too_and_a_star_or_an_empty_text_does_not():
    assert _judged(_frame(("x", "p"), ("x", None)), 2).holds
    for other in ("*", "", "NA"):
        assert _judged(_frame(("x", "p"), ("x", other)), 2).achieved == 1


def test_without_rows_or_with_one_there_is_nothing_to_match():
    assert _judged(_frame(("x",)).slice(0, 0), 3).holds
    assert _judged(_frame((None,)), 1).achieved == 1
    assert _judged(_frame((None,)), 2).failing == 1


def test_numbers_dates_and_booleans_are_compared_as_what_they_are():
    frame = pa.table({"n": [1, 1, None], "x": [0.5, None, 0.5], "v": [True, True, None]})
    verdict = _judged(frame, 3)
    assert (verdict.achieved, verdict.failing) == (3, 0)
    assert _judged(frame.set_column(0, "n", pa.array([1, 2, None])), 3).achieved == 2


def _counted(rows):
    """The classes of some rows, as the auditor counts them: a number for every value, -1 for none."""
    classes = Counter(rows)
    numbers = [[-1 if value is None else ord(value) for value in column] for column in zip(*classes, strict=True)]
    sizes = np.array(list(classes.values()), np.int64)
    return Recount(len(rows), (), sizes, {}, {}, {f"q{i}": np.array(codes) for i, codes in enumerate(numbers)})


records = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.none() | st.sampled_from("ab")] * width), min_size=1, max_size=25)
)


@given(records, st.sampled_from([0, 3, 2**14]), st.sampled_from([0, 2, 32]), st.integers(1, 6))
def test_it_counts_what_the_measures_of_risk_count_and_what_comparing_all_pairs_finds(rows, lookup, few, k):
    frame = _frame(*rows, names=("a", "b", "c", "d"))
    with pytest.MonkeyPatch.context() as patched:
        # Small tables would never come to what is done with large ones.
        patched.setattr(verifier_blanks, "_LOOKUP", lookup)
        patched.setattr(matching, "_FEW", few)
        (verdict,) = verify(_counted(rows), [{"model": "k-anonymity", "k": k, "blanks": "match"}])
        weights = [1.5 + i for i in range(len(rows))]
        measured = az.risk.frequencies(frame, frame.column_names, weights=weights, missing="match")
    plainly = [sum(_agree(one, other) for other in rows) for one in rows]
    assert verdict.achieved == min(plainly)
    assert verdict.failing == sum(found < k for found in plainly)
    assert measured.sample.tolist() == plainly
    weighed = [sum(w for w, other in zip(weights, rows, strict=True) if _agree(one, other)) for one in rows]
    assert measured.population.tolist() == pytest.approx(weighed)
    assert verdict.failing == measured.below(k)
    strictly = az.risk.frequencies(frame, frame.column_names).below(k)
    assert f"{strictly} of {len(rows)} records" in verdict.note


def test_the_verdict_and_the_report_say_which_reading_was_meant():
    frame = _frame(("x", None), (None, "q"))
    told = _judged(frame, 2).as_dict()
    assert (told["blanks"], told["holds"]) == ("match", True)
    assert "2 of 2 records look like fewer than 2" in told["note"]
    page = report_html({"privacy": [told]})
    for words in ("a blank matching any value", "at least 2 records", "fewest that agree: 2", "may still differ"):
        assert words in page
    strict = _judged(frame, 2, "value").as_dict()
    assert "blanks" not in strict
    assert "note" not in strict
    assert '<span class="label">k-anonymity</span>' in report_html({"privacy": [strict]})


def test_the_strict_reading_is_the_default_and_asks_for_no_values():
    assert model_as_data(az.KAnonymity(3)) == {"model": "k-anonymity", "k": 3}
    frame = _frame(("x", None), (None, "q"))
    for model, asked in ((az.KAnonymity(2), False), (az.KAnonymity(2, blanks="match"), True)):
        counted, (verdict,) = examine(LocalAuditor(), frame, [model], ["a", "b"])
        assert (counted.classes is not None) == asked == verdict.holds


def test_without_the_values_of_classes_the_verifier_does_not_guess():
    counted = LocalAuditor().recount(_frame(("x",), ("x",)), ["a"])
    with failing("verifier.blanks-not-counted", ParameterError):
        verify(counted, [{"model": "k-anonymity", "k": 2, "blanks": "match"}])
    with failing("verifier.not-one-of", ParameterError, name="blanks"):
        verify(counted, [{"model": "k-anonymity", "k": 2, "blanks": "any"}])
    with failing("declared.parameter-wrong", ParameterError, where="blanks", what="'value' or 'match'", input="any"):
        az.KAnonymity(2, blanks="any")


def test_a_flipped_cell_that_takes_a_match_away_is_refused_by_the_gate(tmp_path):
    rows = [("x", "p"), ("x", None), (None, "q"), ("y", "q")]
    path = tmp_path / "release.csv"
    models, expected = [az.KAnonymity(2, blanks="match")], {"rows": 4, "columns": ("a", "b")}

    def written(changed):
        pyarrow.csv.write_csv(_frame(*changed), path)
        return admit(LocalAuditor(), path, models, ["a", "b"], expected)

    assert written(rows)[1][0].achieved == 2
    for row in range(4):
        for column in range(2):
            flipped = [list(cells) for cells in rows]
            flipped[row][column] = "z"
            if (row, column) in ((0, 1), (3, 0)):
                # What stands against the blank of the neighbour may be anything.
                assert written(flipped)[1][0].holds
                continue
            with failing("gate.privacy-does-not-hold", CheckFailed) as caught:
                written(flipped)
            assert caught.value.message.values["words"][0].startswith("k-anonymity reaches 1 ")
