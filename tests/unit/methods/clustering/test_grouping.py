"""Methods that group records, on tables that are odd or wrong: a sentence, or a release that covers what went in."""

from __future__ import annotations

import warnings
from collections import defaultdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import antifaz as az
from failing import Like, failing, like

WAYS: dict[str, Any] = {
    **{f"mondrian {release}": az.Mondrian(release=release) for release in ("interval", "mode", "median", "mean")},
    **{f"mondrian relaxed {r}": az.Mondrian(mode="relaxed", release=r) for r in ("interval", "mean")},
    **{f"mondrian distribution {r}": az.Mondrian(split="distribution", release=r) for r in ("interval", "mode")},
    "k-members interval": az.KMembers(),
    "k-members mean": az.KMembers(release="mean", improve=True),
    "l-greedy interval": az.LGreedy(improve=True),
    "l-greedy median": az.LGreedy(release="median"),
    "hilbert interval": az.Hilbert(),
    "hilbert mode": az.Hilbert(release="mode"),
    "one-pass interval": az.OnePass(),
    "one-pass mean": az.OnePass(release="mean"),
}
MDAV = {"mdav mean": az.Mdav(), "mdav interval": az.Mdav(release="interval"), "mdav pca": az.Mdav(method="pca")}
ONE_OF_EACH = [az.Mondrian(), az.KMembers(), az.LGreedy(), az.Hilbert(), az.OnePass(), az.Mdav()]
EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]
INFINITE = [1.0, 2.0, float("inf"), 4.0, float("-inf"), 6.0, 7.0, 8.0]


def released(columns: dict[str, Any], method: Any, k: int) -> Any:
    """Release a table of which every named column is a quasi-identifier; `row` says which record came out where.

    Spans end with values of the data.
    """
    method = type(method)(**method.parameters() | {"round_ends": False})
    frame = pa.table({**columns, "row": list(range(len(columns["a"])))})
    roles = {**dict.fromkeys(columns, "quasi-identifier"), "row": "insensitive"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return az.anonymize(frame, roles=roles, privacy=az.KAnonymity(k), method=method, seed=1)


def classes(release: Any, columns: dict[str, Any]) -> dict[tuple[Any, ...], list[int]]:
    """Find the records of every combination that was released."""
    found = defaultdict(list)
    for row in release.frame.to_pylist():
        found[tuple(row[name] for name in columns)].append(row["row"])
    return found


def test_a_column_is_released_in_its_own_way_beside_the_rest() -> None:
    columns = {"a": [1, 3, 10, 14], "b": [5, 6, 7, 9]}
    found = classes(released(columns, az.Mondrian(release_columns={"a": "mean"}), 2), columns)
    assert sorted(found) == [(2, "[5, 6]"), (12, "[7, 9]")]
    assert len({az.Mondrian(release_columns={"a": way}) for way in ("mean", "mean", "mode")}) == 2
    with failing("method.releases-other-column", az.ParameterError, column="c"):
        released(columns, az.Mondrian(release_columns={"c": "mean"}), 2)


def covers(label: Any, values: list[Any], interval: bool) -> bool:
    """Say whether a released label is true of all values of its class."""
    known = [value for value in values if value is not None]
    if not known:
        return label is None
    if interval and len(known) < len(values):
        return bool(label == "*")
    if isinstance(known[0], str):
        # A word that stands for all is the most frequent value, and missing is a value like others.
        return set(label.strip("{}").split(", ")) == set(known) if interval else label in values
    if interval:
        ends = [float(end) for end in label.strip("[]").split(", ")]
        return (ends[0], ends[-1]) == (min(known), max(known))
    return bool(min(known) <= label <= max(known))


#: Tables that are odd and yet right, each with a k.
ODD: dict[str, tuple[dict[str, Any], int]] = {
    "numbers among words": ({"a": ["1", "x", "3", "4", "5", "6", "x", "8"], "b": EIGHT}, 2),
    "constants": ({"a": [5] * 8, "b": EIGHT, "c": ["x"] * 8}, 2),
    "nothing but constants": ({"a": [5] * 8, "b": [1.5] * 8}, 2),
    "missing values": (
        {"a": pa.array([1, None, 3, 4, None, 6, 7, 8]), "b": ["x", None, "y", "x", None, "y", "z", "z"]},
        3,
    ),
    "all missing": ({"a": pa.array([None] * 8, pa.int64()), "b": EIGHT}, 2),
    "k = n": ({"a": [1, 2, 3], "b": [4, 5, 6]}, 3),
    "fewer than 2k": ({"a": [1, 2, 3, 4, 5], "b": [1, 2, 3, 4, 9]}, 3),
    "one row": ({"a": [1], "b": [2]}, 1),
    "duplicates": ({"a": [1] * 4 + [2] * 4, "b": [7] * 4 + [9] * 4}, 2),
}
NUMBERS = ("nothing but constants", "k = n", "fewer than 2k", "one row", "duplicates")


def check_odd(table: str, method: Any) -> None:
    columns, k = ODD[table]
    release = released(columns, method, k)
    assert release.frame.num_rows == len(columns["a"])
    before = {name: pa.table({name: column})[name].to_pylist() for name, column in columns.items()}
    for labels, rows in classes(release, columns).items():
        assert len(rows) >= k
        for name, label in zip(columns, labels, strict=True):
            assert covers(label, [before[name][row] for row in rows], method.release == "interval")
    assert 0 <= release.evidence["utility"]["gcp"] <= 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", ODD)
def test_odd_tables_are_released_and_labels_are_true(table: str, way: str) -> None:
    check_odd(table, WAYS[way])


@pytest.mark.parametrize("way", MDAV)
@pytest.mark.parametrize("table", NUMBERS)
def test_odd_tables_of_numbers_are_released_by_mdav(table: str, way: str) -> None:
    check_odd(table, MDAV[way])


@pytest.mark.parametrize("way", WAYS)
def test_spellings_of_one_value_are_one_value_and_others_are_not(way: str) -> None:
    # Composed and decomposed é are one value; case and ligatures tell values apart.
    columns = {"a": ["café", "cafe\u0301"] * 2 + ["CAFÉ"] * 4 + ["ﬁn"] * 4 + ["fin"] * 4}
    release = released(columns, WAYS[way], 4)
    labels = {label for (label,) in classes(release, columns)}
    assert {name for label in labels for name in label.strip("{}").split(", ")} <= {"café", "CAFÉ", "ﬁn", "fin"}
    # One-pass draws its first records, and draws one value twice.
    assert len(labels) == 4 or way.startswith("one-pass")


@pytest.mark.parametrize("method", ONE_OF_EACH, ids=lambda method: method.name)
class TestRefused:
    @pytest.mark.parametrize("rows", [1, 3])
    def test_k_above_the_number_of_records(self, method: Any, rows: int) -> None:
        with failing("method.no-grouping-satisfies-k", az.PrivacyNotReached, rows=rows):
            released({"a": EIGHT[:rows], "b": EIGHT[:rows]}, method, rows + 1)

    def test_no_records(self, method: Any) -> None:
        with failing("method.no-grouping-satisfies-k", az.PrivacyNotReached, rows=0):
            released({"a": pa.array([], pa.int64())}, method, 2)

    def test_a_column_of_mixed_types(self, method: Any) -> None:
        mixed = pd.DataFrame({"a": [1, "x", 2.5, None]})
        with failing("frame.column-mixes-types", az.DataError, name="a"):
            az.anonymize(mixed, roles={"a": "quasi-identifier"}, privacy=az.KAnonymity(2), method=method)

    def test_nothing_to_protect(self, method: Any) -> None:
        frame = pa.table({"a": EIGHT})
        with failing("plan.no-quasi-identifier", az.SchemaError):
            az.anonymize(frame, roles={"a": "insensitive"}, privacy=az.KAnonymity(2), method=method)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (list("abcdefgh"), "text"),
        ([True, False] * 4, "boolean"),
        ([date(2020, 1, day) for day in EIGHT], "date"),
        (["1", "x", "3", "4", "5", "6", "x", "8"], "text"),
    ],
)
def test_mdav_refuses_what_is_not_numbers(column: list[Any], kind: str) -> None:
    with failing("method.quasi-identifier-not-numbers", az.ParameterError, column="a", kind=kind):
        released({"a": column, "b": EIGHT}, az.Mdav(), 2)


@pytest.mark.parametrize("column", [INFINITE, [1.0, None, 3.0, 4.0, float("nan"), 6.0, 7.0, 8.0]])
def test_mdav_refuses_what_is_not_finite(column: list[Any]) -> None:
    with failing("method.column-has-missing-numbers", az.DataError, column="a", missing=2):
        released({"a": column, "b": EIGHT}, az.Mdav(), 2)


@pytest.mark.parametrize("way", WAYS)
def test_infinite_values_are_hidden_as_missing_ones_are(way: str) -> None:
    """What is infinite has no place between numbers: no span reaches it, and no average is infinite."""
    columns = {"a": INFINITE, "b": EIGHT}
    release = released(columns, WAYS[way], 2)
    for (label, _), rows in classes(release, columns).items():
        values = [None if abs(INFINITE[row]) == float("inf") else INFINITE[row] for row in rows]
        assert len(rows) >= 2 and covers(label, values, WAYS[way].release == "interval")


class TestMicroaggregate:
    FRAME = pa.table(
        {
            "x": [float(x) for x in EIGHT],
            "word": list("abcdefgh"),
            "yes": [True] * 8,
            "infinite": INFINITE,
            "missing": pa.array([None, *EIGHT[1:]]),
            "long": [2**60 + 1] * 8,
        }
    )

    @pytest.mark.parametrize(
        ("column", "error", "words"),
        [
            ("word", az.SchemaError, like("operation.column-not-numbers", name="word", type="string")),
            ("yes", az.SchemaError, like("operation.column-not-numbers", name="yes", type="bool")),
            ("infinite", az.DataError, like("operation.column-has-infinite-values", name="infinite", count=2)),
            ("missing", az.DataError, like("operation.column-missing-values", name="missing", count=1)),
            ("long", az.DataError, "operation.whole-numbers-beyond-2-53"),
            ("y", az.SchemaError, like("column.unknown", name="y")),
        ],
    )
    def test_columns_that_can_not_be_averaged(self, column: str, error: type[Exception], words: str | Like) -> None:
        with failing(words, error):
            az.perturb.microaggregate(self.FRAME, columns=["x", column], k=2)

    @pytest.mark.parametrize("k", [0, -1, 2.5, True, "2", None])
    def test_no_k(self, k: Any) -> None:
        with failing("declared.parameter-wrong", az.ParameterError, where="k"):
            az.perturb.microaggregate(self.FRAME, columns="x", k=k)

    def test_k_above_the_number_of_records(self) -> None:
        with failing("operation.k-above-records", az.ParameterError, k=9, rows=8):
            az.perturb.microaggregate(self.FRAME, columns="x", k=9)

    @pytest.mark.parametrize(("columns", "code"), [([], "columns.none-named"), (["x", "x"], "columns.one-twice")])
    def test_no_columns(self, columns: list[str], code: str | Like) -> None:
        with failing(code, az.ParameterError):
            az.perturb.microaggregate(self.FRAME, columns=columns, k=2)

    @pytest.mark.parametrize("method", ["mdav", "single", "pca", "onedims"])
    def test_constants_and_fewer_than_2k(self, method: Any) -> None:
        frame = pa.table({"a": [7] * 3, "b": [1, 5, 9]})
        made = az.perturb.microaggregate(frame, columns=["a", "b"], k=2, method=method)
        assert made.to_pydict() == {"a": [7.0] * 3, "b": [5.0] * 3}

    def test_one_row(self) -> None:
        made = az.perturb.microaggregate(self.FRAME.slice(0, 1), columns="x", k=1)
        assert made["x"].to_pylist() == [1.0]

    def test_numbers_so_large_that_their_sum_is_not_one(self) -> None:
        made = az.perturb.microaggregate(pa.table({"a": [1.5e308] * 4 + [1e308] * 4}), columns="a", k=4)
        assert made["a"].to_pylist() == [1.5e308] * 4 + [1e308] * 4

    def test_columns_of_none(self) -> None:
        with failing("columns.not-names", az.ParameterError):
            az.perturb.microaggregate(self.FRAME, columns=None, k=2)  # type: ignore[arg-type]


def test_infinite_values_are_told() -> None:
    release = released({"a": INFINITE, "b": EIGHT}, az.Mondrian(), 2)
    assert any("'a'" in warning for warning in release.evidence["warnings"])


@pytest.mark.parametrize("method", ONE_OF_EACH[:5], ids=lambda method: method.name)
def test_times_of_one_day_lie_apart(method: Any) -> None:
    columns = {"a": pa.array([datetime(2020, 1, 1, 8 + i) for i in range(8)])}
    release = released(columns, method, 2)
    assert len(classes(release, columns)) > 1
    assert release.evidence["utility"]["gcp"] > 0


def test_the_median_of_dates_is_in_their_middle() -> None:
    columns = {"a": [date(2020, 1, day) for day in (1, 2, 3, 4, 5)]}
    release = released(columns, az.Mondrian(release="median"), 5)
    assert {str(label) for (label,) in classes(release, columns)} == {"2020-01-03"}


@pytest.mark.parametrize("method", ONE_OF_EACH, ids=lambda method: method.name)
def test_numbers_whose_sums_would_overflow_are_refused(method: Any) -> None:
    columns = {"a": [1e308, -1e308, 0.0, 5e307, 1.0, 2.0, 3.0, 4.0]}
    with failing("column.number-beyond-1e300", az.DataError, column="a"):
        released(columns, method, 2)


def test_long_whole_numbers_stay_whole_numbers() -> None:
    columns = {"a": [2**62, 2**62, 5, 6] * 2}
    release = released(columns, az.Mondrian(release="mean"), 2)
    assert pa.types.is_integer(release.frame.schema.field("a").type)


def test_nothing_that_stays_nothing_is_kept() -> None:
    release = released({"a": pa.array([None] * 8, pa.int64()), "b": EIGHT}, az.Mondrian(), 2)
    assert release.evidence["utility"]["ks"].get("a", 1.0) == 1.0


@pytest.mark.parametrize("weights", [{"nobody": 2.0}, {"a": -1.0}, {"a": float("nan")}, {"a": float("inf")}])
def test_weights_that_mean_nothing(weights: dict[str, float]) -> None:
    with pytest.raises(az.InputError):
        released({"a": EIGHT, "b": EIGHT[::-1]}, az.KMembers(weights=weights), 2)


def test_decimals_stay_decimals() -> None:
    columns = {"a": pa.array([Decimal("1.10"), Decimal("2.25")] * 4)}
    release = released(columns, az.Mondrian(release="mean"), 4)
    assert {label for (label,) in classes(release, columns)} == {Decimal("1.10"), Decimal("2.25")}
