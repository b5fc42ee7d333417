"""Made-up values and shifted dates: shapes kept, nobody left as they were, and only the secret tells."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.kernels.keyed import siphash

KEY = bytes(range(64))


def _made(values, **options):
    options = options or {"key": KEY}
    return az.mask.substitute(pa.table({"x": pa.array(values, pa.string())}), "x", made=True, **options)[
        "x"
    ].to_pylist()


def test_siphash_is_the_one_of_the_paper():
    # Appendix A of the paper, and the first of the vectors that its authors published.
    key, data, state = np.frombuffer(bytes(range(16)), np.uint64), np.arange(16, dtype=np.uint8), np.empty(4, np.uint64)
    assert siphash(data, 0, 15, key, state) == 0xA129CA6149BE45E5
    assert siphash(data, 0, 0, key, state) == 0x726FDB47DD0E0E31


@pytest.mark.parametrize("alphabet", ["0123456789", "abcdefghijklmnopqrstuvwxyz"])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_all_values_of_a_shape_become_all_values_of_that_shape_and_none_stays(alphabet, length):
    everything = [a + "-" for a in alphabet]
    for _ in range(length - 1):
        everything = [a + rest for a in alphabet for rest in everything]
    made = _made(everything)
    assert sorted(made) == sorted(everything)
    assert not any(old == new for old, new in zip(everything, made, strict=True))


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), unique=True))
def test_shapes_and_differences_are_kept_whatever_the_script(values):
    made = _made(values)
    assert len(set(made)) == len(values)
    for old, new in zip(values, made, strict=True):
        assert len(old) == len(new)
        for before, after in zip(old, new, strict=True):
            assert before.isdecimal() == after.isdecimal()
            assert before.isupper() == after.isupper()
            assert before.isalpha() == after.isalpha() or after == before


def test_the_same_value_becomes_the_same_in_every_table_with_the_same_key():
    one, other = _made(["Ana Pérez", "12345678Z", None]), _made(["77-x", "12345678Z"])
    assert one[1] == other[1] != "12345678Z"
    assert re.fullmatch(r"[A-Z][a-z]{2} [A-Z]\w[a-z]{3}", one[0])
    assert one[2] is None
    assert _made(["12345678Z"], key=KEY[::-1]) != [one[1]]


def test_without_a_key_values_follow_from_the_seed_and_the_data_or_are_drawn():
    values = ["12345678Z", "87654321X"]
    assert _made(values, seed=1) == _made(values[::-1], seed=1)[::-1]
    assert _made(values, seed=1) != _made(values, seed=2)
    assert _made(values, seed=1)[0] != _made([*values, "00000000A"], seed=1)[0]  # a guessed seed is not enough
    assert _made(values, seed=1, joins="p")[0] == _made([*values, "0"], seed=1, joins="p")[0]
    assert _made(values, seed=None) != _made(values, seed=None)


def _shifted(table, **options):
    return az.mask.shift_dates(table, [n for n in table.column_names if n != "id"], person="id", **options)


def test_all_dates_of_a_person_move_by_the_same_days_never_zero():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(3000)]
    table = pa.table({"id": [str(i % 1000) for i in range(3000)], "a": days, "b": days[::-1]})
    made = _shifted(table, days=5, key=KEY)
    shifts: dict[str, set[int]] = {}
    for name in ("a", "b"):
        for person, old, new in zip(
            *(t.column(c).to_pylist() for t, c in ((table, "id"), (table, name), (made, name))), strict=True
        ):
            shifts.setdefault(person, set()).add((new - old).days)
    assert all(len(found) == 1 for found in shifts.values())
    seen = sorted({next(iter(found)) for found in shifts.values()})
    assert seen == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    counts = [sum(found == {shift} for found in shifts.values()) for shift in seen]
    assert min(counts) > 60  # of about a hundred each


@pytest.mark.parametrize(
    "column",
    [
        pa.array([dt.date(2024, 2, 29), None]),
        pa.array([dt.datetime(2024, 2, 29, 23, 59, 1), None], pa.timestamp("ns")),
        pa.array([dt.datetime(2024, 2, 29, 23, 59, 1), None], pa.timestamp("s", "UTC")),
        pa.array(["2024-02-29", None]),
        pa.array(["2024-02-29T23:59:01+02:00", None]),
    ],
)
def test_dates_move_in_whatever_type_they_come(column):
    table = pa.table({"id": ["p", "q"], "d": column})
    made = _shifted(table, days=1, key=KEY)
    by = _shifted(pa.table({"id": ["p"], "d": [dt.date(2024, 2, 29)]}), days=1, key=KEY)["d"][0].as_py()
    old, new = column[0].as_py(), made["d"][0].as_py()
    assert made["d"].type == column.type
    assert made["d"][1].as_py() is None
    assert str(new) == str(old).replace("2024-02-29", str(by))


def test_a_date_without_a_person_becomes_missing_and_the_calendar_ends():
    table = pa.table({"id": pa.array([None, "p"], pa.string()), "d": [dt.date(2020, 1, 1)] * 2})
    assert _shifted(table, key=KEY)["d"].to_pylist()[0] is None
    with pytest.raises(az.DataError, match="end of the calendar"):
        _shifted(pa.table({"id": list("abcdefgh"), "d": [dt.date(9999, 12, 31)] * 8}), key=KEY)
    with pytest.raises(az.SchemaError, match="column 'd' is not dates but integer"):
        _shifted(pa.table({"id": ["a"], "d": [1]}))
    with pytest.raises(az.SchemaError, match="There is no column 'who'"):
        az.mask.shift_dates(table, "d", person="who")
