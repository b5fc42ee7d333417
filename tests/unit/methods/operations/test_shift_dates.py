"""All dates of one person move by the same secret number of days."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pyarrow as pa
import pytest

import antifaz as az
from failing import failing
from unit.methods.operations.test_substitute import KEY


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
    with failing("shift-dates.end-of-calendar", az.DataError):
        _shifted(pa.table({"id": list("abcdefgh"), "d": [dt.date(9999, 12, 31)] * 8}), key=KEY)
    with failing("shift-dates.column-not-dates", az.SchemaError, column="d", type="integer"):
        _shifted(pa.table({"id": ["a"], "d": [1]}))
    with failing("column.unknown", az.SchemaError, name="who"):
        az.mask.shift_dates(table, "d", person="who")


@pytest.mark.parametrize("kind", ["date", "time", "text"])
def test_days_between_dates_of_a_person_are_coarsened_together_and_their_order_stays(kind):
    first = dt.datetime(2020, 1, 1, 22, 30)
    moments = [first + dt.timedelta(hours=17 * i) for i in range(600)]
    cells = {"date": [m.date() for m in moments], "time": moments, "text": [m.isoformat() for m in moments]}[kind]
    table = pa.table({"id": [str(i % 3) for i in range(600)], "visit": cells})
    made = _shifted(table, days=200, interval=14, key=KEY)["visit"].to_pylist()
    days = [(dt.datetime.fromisoformat(str(cell)) - dt.datetime(1970, 1, 1)) for cell in made]
    assert all(day.seconds == 0 for day in days)
    for person in range(3):
        own = [day.days for day in days[person::3]]
        assert own == sorted(own) and {(b - a) % 14 for a, b in pairwise(own)} == {0}
        # No visit is moved further from the next than one interval.
        told = [(b - a).days for a, b in pairwise(moments[person::3])]
        assert all(abs((b - a) - real) <= 14 for (a, b), real in zip(pairwise(own), told, strict=True))
    assert len({day.days - (m - dt.datetime(1970, 1, 1)).days for day, m in zip(days, moments, strict=True)}) > 14
