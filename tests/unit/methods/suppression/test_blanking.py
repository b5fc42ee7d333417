"""Which cells are blanked."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.progress import Progress
from antifaz.methods.suppression.blanking import gather_rare, merge_failing, sets_in_order
from failing import failing, like


def test_sets_come_smaller_first_and_by_the_column_kept_longest():
    assert sets_in_order(3, 100) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert sets_in_order(3, 2) == [(0,), (1,), (0, 1, 2)]


MATCH = az.LocalSuppression(reading="match")


def _people(seed=1, rows=150, missing=0.0):
    random = np.random.default_rng(seed)
    columns = {f"c{a}": random.geometric(0.5, rows) for a in range(4)}
    return pa.table({n: pa.array(c, mask=random.random(rows) < missing) for n, c in columns.items()})


def _release(people, k=3, method=MATCH, **given):
    roles = dict.fromkeys(people.column_names, "quasi-identifier")
    return az.anonymize(people, roles=roles, privacy=az.KAnonymity(k, blanks="match"), method=method, seed=1, **given)


def _rows(frame, names=None):
    return list(zip(*(frame[name].to_pylist() for name in names or frame.column_names), strict=True))


def _matching(rows):
    return [sum(all(x is None or y is None or x == y for x, y in zip(r, s, strict=True)) for s in rows) for r in rows]


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_it_releases_what_the_function_makes_and_says_who_is_strictly_below(missing):
    people = _people(missing=missing)
    release = _release(people)
    assert min(_matching(_rows(release.frame))) >= 3
    function = az.suppress_locally(people, people.column_names, 3, reading="match")
    assert sorted(map(repr, _rows(release.frame))) == sorted(map(repr, _rows(function.frame)))
    told = release.evidence
    assert told["method"]["blanked"] == function.blanked
    assert told["method"]["reading"] == "match"
    assert function.below_strictly > 0
    assert told["risk"]["singled_out_after"] == function.below_strictly
    (verdict,) = told["privacy"]
    assert (verdict["blanks"], verdict["holds"]) == ("match", True)
    assert f"{function.below_strictly} of 150 records" in verdict["note"]
    assert verdict["note"] in told["warnings"]


def test_far_fewer_cells_go_than_strictly_and_a_strict_result_holds_as_well():
    people = _people()
    strict = _release(people, method=az.LocalSuppression())
    cells = [sum(told.evidence["method"]["blanked"].values()) for told in (_release(people), strict)]
    assert 0 < cells[0] < cells[1]
    assert strict.evidence["risk"]["singled_out_after"] == 0
    assert strict.evidence["warnings"] == []


def test_other_methods_reach_it_by_reaching_the_strict_reading():
    release = _release(_people(), method=az.Mondrian())
    assert release.evidence["privacy"][0]["blanks"] == "match"
    assert release.evidence["risk"]["singled_out_after"] == 0


def test_combinations_of_few_columns_are_matched_beside_all_of_them():
    people = _people()
    method = az.LocalSuppression(reading="match", combinations={3: 5, 2: 10})
    frame = _release(people, k=2, method=method).frame
    assert min(_matching(_rows(frame))) >= 2
    for size, needed in ((3, 5), (2, 10)):
        for names in combinations(people.column_names, size):
            assert min(_matching(_rows(frame, names))) >= needed
            assert az.verify(frame, names, az.KAnonymity(needed, blanks="match"))[0].holds


def test_k_may_be_everybody_and_not_one_more():
    people = _people(rows=9)
    assert min(_matching(_rows(_release(people, k=9).frame))) == 9
    with failing("method.no-suppression-satisfies-k", az.PrivacyNotReached, rows=9):
        _release(people, k=10)


def test_columns_that_are_blank_throughout_are_released_so():
    people = pa.table({"p": pa.array([None] * 6, pa.int64()), "q": [1, 1, 1, 2, 2, 3]})
    frame = _release(people).frame
    assert frame["p"].null_count == 6
    assert min(_matching(_rows(frame))) >= 3


def test_the_frontier_keeps_to_the_reading():
    people = _people()
    roles = dict.fromkeys(people.column_names, "quasi-identifier")
    asked = [az.KAnonymity(2, blanks="match")]
    found = az.frontier(people, roles=roles, privacy=asked, method=MATCH, k=[2, 3, 5])
    assert [point["k"] for point in found["points"]] == [2, 3, 5]


@pytest.mark.parametrize(
    ("method", "privacy", "words"),
    [
        (MATCH, [az.KAnonymity(3)], "method.reading-match-needs-blanks-match"),
        (MATCH, [az.KAnonymity(3, blanks="match"), az.HighestRisk(0.5)], "method.reading-match-needs-blanks-match"),
        (
            az.LocalSuppression(combinations={2: 5}),
            [az.KAnonymity(3)],
            like("method.combinations-need-reading-match", name="local-suppression"),
        ),
        (
            az.LocalSuppression(reading="match", combinations={5: 5}),
            [az.KAnonymity(3, blanks="match")],
            like("method.combinations-out-of-bounds", width=4, size=5),
        ),
        (
            az.LocalSuppression(reading="match", combinations={4: 5}),
            [az.KAnonymity(3, blanks="match")],
            like("method.combinations-and-k", width=4),
        ),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence_before_any_work(method, privacy, words):
    people = _people()
    roles = dict.fromkeys(people.column_names, "quasi-identifier")
    told = Progress()
    with failing(words, az.ParameterError) as raised:
        az.anonymize(people, roles=roles, privacy=privacy, method=method, progress=told)
    assert str(raised.value).count(". ") == 0
    assert list(told.seconds) == ["read"]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"combinations": {0: 3}}, "combinations.0.[key]"),
        ({"combinations": {2: 0}}, "combinations.2"),
        ({"reading": "loose"}, "reading"),
    ],
)
def test_bad_parameters_are_named(given, where):
    with failing("declared.parameter-wrong", az.ParameterError, name="local-suppression", where=where):
        az.LocalSuppression(**given)


def test_where_nobody_can_spare_a_record_classes_are_joined():
    # Two classes of exactly 2 and one record: it must join one of them.
    codes, counts = np.array([[0, 0], [1, 1], [1, 2]], np.int32), np.array([2, 2, 1])
    gathered = merge_failing(gather_rare(codes, counts, 2, np.arange(2)), lambda parts: parts.sizes >= 2)
    assert sorted(gathered.sizes.tolist()) == [2, 3]
    assert sorted(gathered.labels.tolist()) == [[0, 0], [1, -1]]
