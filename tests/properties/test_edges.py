"""Tables at the edges: one row, one class, nothing, everything missing, odd names, odd numbers."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from failing import failing, like

QI = "quasi-identifier"


def anonymize(columns: dict[str, Any], k: int = 2, hierarchy: Any = None, limit: float = 0.0, **more: Any) -> Any:
    """Release a table all of whose columns are quasi-identifiers, unless told otherwise."""
    roles = more.pop("roles", dict.fromkeys(columns, QI))
    built = hierarchy or az.hierarchy.flat()
    return az.anonymize(
        pa.table(columns),
        roles=roles,
        hierarchies={name: built for name, role in roles.items() if role == QI},
        privacy=more.pop("privacy", az.KAnonymity(k)),
        method=az.FullDomain(suppression=limit),
        seed=1,
        **more,
    )


def rows(release: Any) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*release.frame.to_pydict().values(), strict=True))


def test_one_row() -> None:
    release = anonymize({"a": ["x"], "b": ["y"]}, k=1)
    assert rows(release) == Counter([("x", "y")])
    with failing("method.not-reached-but", az.PrivacyNotReached, nearest=[like("method.nearest-k", k=1)]):
        anonymize({"a": ["x"], "b": ["y"]}, k=2)


def test_one_row_with_a_number_has_evidence_that_is_json() -> None:
    release = anonymize({"a": [5]}, k=1)
    json.dumps(release.evidence, allow_nan=False)


def test_one_class_is_released_untouched() -> None:
    release = anonymize({"a": ["x"] * 5, "b": [1] * 5}, k=5)
    assert rows(release) == Counter({("x", 1): 5})
    assert release.evidence["method"]["levels"] == {"a": 0, "b": 0}
    assert release.evidence["utility"]["loss"] == 0


def test_k_of_all_and_one_more() -> None:
    columns = {"a": ["x", "y", "z"]}
    assert rows(anonymize(columns, k=3)) == Counter({("*",): 3})
    with failing("method.not-reached-but", az.PrivacyNotReached, nearest=[like("method.nearest-k", k=3)]):
        anonymize(columns, k=4)
    with pytest.raises(az.PrivacyNotReached):
        anonymize(columns, k=4, limit=1.0)


def test_no_rows() -> None:
    empty = pa.table({"a": pa.array([], pa.string())})
    with pytest.raises(az.AntifazError):
        az.anonymize(empty, roles={"a": QI}, hierarchies={"a": az.hierarchy.flat()}, privacy=az.KAnonymity(2))
    with failing("method.not-reached-without-records", az.PrivacyNotReached):
        az.anonymize(
            empty, roles={"a": QI}, hierarchies={"a": az.hierarchy.table([["x", "*"]])}, privacy=az.KAnonymity(2)
        )


def test_many_duplicates() -> None:
    release = anonymize({"a": ["x", "y"] * 500, "b": ["1"] * 1000}, k=500)
    assert rows(release) == Counter({("x", "1"): 500, ("y", "1"): 500})


def test_check_02_missing_is_a_class_of_its_own_and_not_dropped() -> None:
    release = anonymize({"a": ["x", "x", None, None, ""]}, k=2)
    assert rows(release) == Counter({("x",): 2, (None,): 3})
    with_one = anonymize({"a": ["x", "x", None]}, k=2)
    assert rows(with_one) == Counter({("*",): 3})
    left_out = anonymize({"a": ["x", "x", None]}, k=2, limit=0.34)
    assert rows(left_out) == Counter({("x",): 2})


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.null()])
@pytest.mark.parametrize("hierarchy", [az.hierarchy.flat(), az.hierarchy.masking(1)])
def test_a_column_of_nothing_but_missing(kind: pa.DataType, hierarchy: Any) -> None:
    """A column that is empty in this extract tells nobody apart; it is no reason to refuse the others."""
    release = anonymize({"a": pa.nulls(3, kind), "b": ["x", "x", "x"]}, k=3, hierarchy=hierarchy)
    assert rows(release) == Counter({(None, "x"): 3})


NAMES = [
    "select", "order", "group by", "count(*)", "*", "c0", "c1", "n", "one", "id", "s", "q0", "s0", "value", "label",
    "map_0", "source", "suppressed", "frame", "atoms", "classes", "rowid", "antifaz row position", "größe", "年齢",
    "عمر", "e\u0301", 'say "hi"', "it's", "a.b", "a,b", "a;b", "a\tb", "a\nb", "%s", "{x}", "$1", "?", ":a", "--",
    "/* x */", "\\", "x y", "🙂", "'; DROP TABLE source; --", '"; DROP TABLE source; --', "1", "NULL", "true",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_column(name: str) -> None:
    columns = {
        name: ["x", "x", "z", "w"],
        "other": ["1", "2", "1", "2"],
        "sick": ["p", "q", "p", "q"],
        "kept": [1, 2, 3, 4],
    }
    roles = {name: QI, "other": QI, "sick": "sensitive", "kept": "insensitive"}
    release = anonymize(columns, roles=roles, privacy=[az.KAnonymity(2), az.LDiversity(2)], limit=0.5)
    assert release.frame.column_names == [name, "other", "sick", "kept"]
    assert rows(release) == Counter([("x", "*", "p", 1), ("x", "*", "q", 2)])
    assert release.evidence["method"]["levels"] == {name: 0, "other": 1}


@pytest.mark.parametrize(
    "name", ["select", "c0", "one", "s", "s0", "value", "年齢", 'say "hi"', "it's", "a.b", "%s", "\\"]
)
def test_any_name_of_a_sensitive_column_and_of_an_identifier(name: str) -> None:
    columns = {"a": ["x", "x", "y"], name: ["p", "q", "p"]}
    release = anonymize(
        columns, roles={"a": QI, name: "sensitive"}, privacy=az.LDiversity(2, attribute=name), limit=0.4
    )
    assert rows(release) == Counter([("x", "p"), ("x", "q")])
    gone = anonymize(columns, roles={"a": QI, name: "identifier"}, limit=0.4)
    assert (gone.frame.column_names, rows(gone)) == (["a"], Counter({("x",): 2}))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 1, 2, 2], pa.int64()),
        ([1, 1, 2**62, 2**62], pa.int64()),
        ([1, 1, 2, 2], pa.uint8()),
        ([1.5, 1.5, 2.25, 2.25], pa.float64()),
        ([1.0, 1.0, 2.0, 2.0], pa.float64()),
        ([1e300, 1e300, -1e-300, -1e-300], pa.float64()),
        ([0.1, 0.1, 0.5, 0.5], pa.float32()),
        ([Decimal("1.50"), Decimal("1.50"), Decimal("2.00"), Decimal("2.00")], pa.decimal128(10, 2)),
        ([True, True, False, False], pa.bool_()),
        ([datetime.date(2020, 1, 2)] * 2 + [datetime.date(1999, 12, 31)] * 2, pa.date32()),
        ([datetime.datetime(2020, 1, 2, 3, 4, 5)] * 4, pa.timestamp("us")),
    ],
    ids=str,
)
def test_what_is_released_as_it_is_keeps_its_type(values: list[Any], kind: pa.DataType) -> None:
    """A number released as a number stays that type."""
    column = pa.array(values, kind)
    release = anonymize({"a": column, "same": ["x"] * 4})
    assert release.evidence["method"]["levels"]["a"] == 0
    assert release.frame.schema.field("a").type == kind
    assert Counter(release.frame.column("a").to_pylist()) == Counter(column.to_pylist())


def test_minus_zero_is_zero() -> None:
    release = anonymize({"a": [0.0, -0.0, 1.5, 1.5], "b": ["x", "x", "y", "y"]})
    assert rows(release) == Counter({(0.0, "x"): 2, (1.5, "y"): 2})


def test_not_a_number_is_a_value_like_others() -> None:
    release = anonymize({"a": [math.nan, math.nan, 1.5, 1.5]})
    found = release.frame.column("a").to_pylist()
    assert len(found) == 4
    assert sorted(str(value) for value in found) in (
        ["1.5", "1.5", "nan", "nan"],
        ["*"] * 4,
        ["1.5", "1.5", "None", "None"],
    )
    json.dumps(release.evidence, allow_nan=False)


def test_infinite_numbers_have_evidence_that_is_json() -> None:
    release = anonymize({"a": [math.inf, math.inf, 1.5, 1.5]})
    assert release.frame.num_rows == 4
    json.dumps(release.evidence, allow_nan=False)


def test_digits_of_other_scripts_are_the_same_numbers_to_method_and_verifier() -> None:
    """Either they are two values to both or one to both; refusing what was decided is neither."""
    columns = {"a": ["x", "x"], "s": ["1", "١"]}
    try:
        anonymize(columns, roles={"a": QI, "s": "sensitive"}, privacy=az.LDiversity(2))
    except az.PrivacyNotReached as error:
        assert "l-diversity reaches 1" in str(error)


@pytest.mark.parametrize(("c", "first", "rest"), [(1.1, 55, 50), (2.2, 55, 25)])
def test_method_and_verifier_agree_at_a_decimal_boundary(c: float, first: int, rest: int) -> None:
    columns = {"a": ["x"] * (first + rest), "s": ["p"] * first + ["q"] * rest}
    with pytest.raises(az.PrivacyNotReached):
        anonymize(
            columns, roles={"a": QI, "s": "sensitive"}, privacy=az.LDiversity(2, kind="recursive", c=c, attribute="s")
        )
