"""Differentially private microdata: the sample, the choice of levels, what is refused; and an attack from outside."""

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import beta as beta_distribution
from scipy.stats import chisquare
from tests.failing import failing, like

import antifaz as az
from antifaz.core.messages import Message
from antifaz.core.secret_bits import SecretBits
from antifaz.counting.frequencies import Tuples, frequency_set
from antifaz.counting.lattice import Lattice
from antifaz.engines.registry import open_data
from antifaz.hierarchies.binding import bind
from antifaz.pipeline import differential_privacy as dp

PEOPLE = az.datasets.people(3000, seed=1).select(["age", "sex"])
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
HIERARCHIES = {"age": az.hierarchy.intervals(10, 20), "sex": az.hierarchy.flat()}
LEVELS = az.FullDomain(levels={"age": 2, "sex": 0})


def released(data=PEOPLE, privacy=None, method=LEVELS, **changed):
    given = {"roles": ROLES, "hierarchies": HIERARCHIES, "seed": 1} | changed
    return az.anonymize(data, privacy=privacy or az.DifferentialPrivacy(1), method=method, **given)


# -- an attack from outside: how often things are seen, with one record and without it


def interval(seen, of, level):
    """Bounds of a probability (Clopper and Pearson) that are wrong with the probability `level`."""
    low = beta_distribution.ppf(level / 2, seen, of - seen + 1) if seen else 0.0
    high = beta_distribution.ppf(1 - level / 2, seen + 1, of - seen) if seen < of else 1.0
    return low, high


def is_caught(with_one, without, epsilon, delta, level=1e-6):
    """Say whether what was seen contradicts (ε, δ), in either direction; one half of it finds the event to look for."""
    for one, other in ((with_one, without), (without, with_one)):
        first, second = (Counter(seen[: len(seen) // 2]) for seen in (one, other))
        event = {what for what in first if first[what] > math.exp(epsilon) * second[what]}
        halves = [seen[len(seen) // 2 :] for seen in (one, other)]
        low, high = (interval(sum(what in event for what in half), len(half), level) for half in halves)
        if low[0] > math.exp(epsilon) * high[1] + delta:
            return True
    return False


def seen_of_look_alikes(many, rate, k, runs, key):
    """What is released of so many equal records, run after run: nothing, or how many."""
    codes = np.zeros(many, np.int32)
    records = Tuples(columns=("a",), values=(("x",),), codes=(codes,), counts=np.ones(many, np.int64))
    drawn = (int(dp.draw_rows(records, rate, SecretBits(b"%s %d" % (key, run))).sum()) for run in range(runs))
    return [number if number >= k else 0 for number in drawn]


@pytest.mark.parametrize("epsilon", [0.5, 1])
def test_what_is_seen_does_not_contradict_the_promise(epsilon):
    model = az.DifferentialPrivacy(epsilon, delta=0.01)
    for many in (model.k, model.k + 3, 2 * model.k):
        seen = [seen_of_look_alikes(n, model.rate, model.k, 2000, b"%d" % n) for n in (many, many - 1)]
        assert not is_caught(*seen, epsilon, 0.01)


@pytest.mark.parametrize(
    ("rate", "k", "many"),
    [(1 - 1e-12, 20, 20), (0.63, 1, 1), (0.95, 3, 3), (0.95, 20, 20)],
    ids=["no sample", "no k", "small k", "too large a sample"],
)
def test_a_broken_mechanism_is_caught(rate, k, many):
    seen = [seen_of_look_alikes(n, rate, k, 2000, b"%d" % n) for n in (many, many - 1)]
    assert is_caught(*seen, 1, 0.01)


def rows_of_runs(many, runs):
    """How many rows whole runs release of equal records; 0 where nothing can be."""
    table = pa.table({"a": ["x"] * many})
    given = {"roles": {"a": "quasi-identifier"}, "hierarchies": {"a": az.hierarchy.flat()}}
    rows = []
    for run in range(runs):
        try:
            model, method = az.DifferentialPrivacy(1, delta=0.01), az.FullDomain(levels={"a": 0})
            rows.append(az.anonymize(table, privacy=model, method=method, seed=run, **given).frame.num_rows)
        except az.PrivacyNotReached:
            rows.append(0)
    return rows


def test_whole_runs_are_not_caught_and_without_the_sample_they_are(monkeypatch):
    k = az.DifferentialPrivacy(1, delta=0.01).k
    many = math.ceil(k / (1 - math.exp(-1)))
    drawn = rows_of_runs(many, 40)
    assert len(set(drawn)) > 3
    assert not is_caught(drawn, rows_of_runs(many - 1, 40), 1, 0.01, level=1e-3)
    monkeypatch.setattr(dp, "draw_rows", lambda records, rate, bits: np.ones(records.counts.size, np.bool_))
    assert is_caught(rows_of_runs(k, 60), rows_of_runs(k - 1, 60), 1, 0.01, level=1e-3)


# -- the sample


def test_the_order_of_the_rows_changes_nothing():
    shuffled = PEOPLE.take(np.random.default_rng(3).permutation(PEOPLE.num_rows))
    one, other = (Counter(map(tuple, map(dict.values, released(t).frame.to_pylist()))) for t in (PEOPLE, shuffled))
    assert one == other


def test_one_seed_draws_others_of_other_data():
    # Else the difference of two releases with one seed would show who came.
    one, other = (released(PEOPLE.slice(n)).evidence["rows"]["read"] for n in (0, 1))
    assert abs(one - other) > 1


def test_classes_have_k_records_and_the_evidence_says_what_it_can_not_show(tmp_path):
    released().save(tmp_path / "out", attacks=0)
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text("utf-8"))
    (verdict,) = evidence["privacy"]
    assert verdict["k"] == az.DifferentialPrivacy(1).k <= verdict["achieved"]
    assert verdict["beta"] == pytest.approx(1 - math.exp(-1))
    assert "note.differential-privacy" in [each["code"] for each in evidence["messages"]["others"]]
    codes = [each["code"] for each in evidence["messages"]["warnings"]]
    assert {"warning.dp-stays-inside", "warning.dp-seed-can-be-guessed"} <= set(codes)


def test_a_seed_that_was_drawn_is_not_warned_of():
    warned = [str(each) for each in released(seed=None).evidence["warnings"]]
    assert str(Message("warning.dp-seed-can-be-guessed")) not in warned
    assert str(Message("warning.dp-stays-inside")) in warned


@pytest.mark.parametrize("rows", [1, 20])
def test_too_few_records_for_k_release_nothing(rows):
    with pytest.raises(az.PrivacyNotReached):
        released(PEOPLE.slice(0, rows))


def test_missing_values_are_values():
    table = pa.table({"age": [None] * 400 + [30] * 400, "sex": ["f"] * 800})
    frame = released(table).frame
    assert 100 < frame["age"].null_count < 400


# -- the choice of levels


def lattice_of(table):
    with open_data(table) as data:
        counted = frequency_set(data.count(table.column_names), table.column_names)
        kinds = {column.name: column.type for column in data.schema}
    ladders = [
        bind(domain, az.hierarchy.flat().build(domain.spellings, kinds[domain.column]), kinds[domain.column])
        for domain in counted.domains
    ]
    return Lattice(counted, ladders)


def test_one_record_raises_a_score_by_one_at_most_and_lowers_none():
    random = np.random.default_rng(5)
    weights = [Fraction(1), Fraction(3)]
    for _ in range(30):
        rows = int(random.integers(2, 40))
        cells = {name: random.integers(0, 3, rows).astype(str).tolist() for name in "ab"}
        before, after = lattice_of(pa.table({n: c[:-1] for n, c in cells.items()})), lattice_of(pa.table(cells))
        for levels in ((0, 0), (0, 1), (1, 0), (1, 1)):
            for size in (1, 2, 5):
                change = dp.score(after, levels, weights, size) - dp.score(before, levels, weights, size)
                assert 0 <= change <= 1


def test_the_score_is_that_of_a_table_solved_by_hand():
    table = pa.table({"a": ["x"] * 5 + ["y"] * 2, "b": ["u"] * 4 + ["v"] * 3})
    # Classes (x, u) 4, (x, v) 1, (y, v) 2; of a alone 5 and 2. Beyond 1: 3 + 0 + 1, and 4 + 1 with half the precision.
    assert dp.score(lattice_of(table), (0, 0), [Fraction(1)] * 2, 2) == 4
    assert dp.score(lattice_of(table), (0, 1), [Fraction(1)] * 2, 2) == Fraction(5, 2)
    assert dp.score(lattice_of(table), (1, 1), [Fraction(1)] * 2, 2) == 0


def test_levels_are_chosen_with_the_probabilities_of_the_exponential_mechanism():
    scores = [Fraction(0), Fraction(2), Fraction(5, 2), Fraction(-30)]
    bits = SecretBits(b"choose")
    chosen = np.bincount([dp.choose(scores, Fraction(1, 2), bits) for _ in range(4000)], minlength=4)
    weights = np.exp([float(score) / 2 for score in scores])
    expected = 4000 * weights / weights.sum()
    assert chisquare(chosen[:3], expected[:3] * chosen[:3].sum() / expected[:3].sum()).pvalue > 1e-4
    assert chosen[3] == 0


def test_with_a_large_part_of_epsilon_the_best_levels_are_chosen():
    release = released(privacy=az.DifferentialPrivacy(2, search=1), method=az.FullDomain(highest={"age": 2}))
    levels = release.evidence["method"]["levels"]
    assert levels["age"] <= 2
    assert release.evidence["privacy"][0]["k"] == az.DifferentialPrivacy(1).k


def test_too_many_combinations_are_refused(monkeypatch):
    monkeypatch.setattr(dp, "MOST_CANDIDATES", 3)
    with failing("dp.too-many-candidates", number=8, most=3):
        released(privacy=az.DifferentialPrivacy(1, search=0.1), method=az.FullDomain())


# -- what is no part of what was proven


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"method": az.FullDomain()}, "levels"),
        ({"privacy": az.DifferentialPrivacy(1, search=0.1)}, "search"),
        ({"method": az.Mondrian()}, "method"),
        ({"method": az.FullDomain(levels={"age": 2, "sex": 0}, rounds=2)}, "method"),
        ({"method": az.FullDomain(levels={"age": 2, "sex": 0}, suppression=0.1)}, "suppression"),
        ({"privacy": [az.DifferentialPrivacy(1), az.KAnonymity(3)]}, "models"),
        ({"roles": ROLES | {"sex": "sensitive"}, "method": az.FullDomain(levels={"age": 2})}, "columns"),
        ({"roles": ROLES | {"sex": "insensitive"}, "method": az.FullDomain(levels={"age": 2})}, "columns"),
        ({"hierarchies": HIERARCHIES | {"sex": az.hierarchy.masking(1)}}, "hierarchies"),
        ({"missing": {"sex": "most-frequent"}}, "missing"),
    ],
)
def test_what_is_not_proven_is_refused(changed, why):
    with failing("dp.not-with", why=like(f"dp.why-{why}")):
        released(**changed)


def test_no_other_k_is_put_in_its_place():
    with failing("dp.k-follows"):
        released(hardened=True)


def test_a_person_with_several_rows_is_refused():
    table = PEOPLE.append_column("who", pa.array(range(PEOPLE.num_rows)))
    with pytest.raises(az.ParameterError):
        released(table, roles=ROLES | {"who": "person"})


def test_nobody_picks_among_candidates():
    with failing("dp.not-with", why=like("dp.why-candidates")):
        az.candidates(PEOPLE, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.DifferentialPrivacy(1))


def test_an_identifier_is_removed():
    table = PEOPLE.append_column("who", pa.array(range(PEOPLE.num_rows)))
    assert released(table, roles=ROLES | {"who": "identifier"}).frame.column_names == ["age", "sex"]
