"""Any table with a person key, any method: no attacker finds fewer people than was asked, whatever rows are known.

Everything is counted here from the released rows and from whose they are, by the definitions and by brute force: every
choice of rows and columns that an attacker may know is tried. On as many tables as wanted with `ANTIFAZ_EXAMPLES=200`.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

import antifaz as az
from oracles.people import by_class, distribution, fewest_by_columns, fewest_people, shares
from properties.methods import METHODS

Row = dict[str, Any]
EXAMPLES = int(os.environ.get("ANTIFAZ_EXAMPLES", "3"))
QIS = ("age", "town", "job")
ROLES = {"who": "person", **dict.fromkeys(QIS, "quasi-identifier"), "sick": "sensitive", "row": "insensitive"}
#: Per model, what is asked at a strictness from 1 to 3, and the worst of the classes by the definition.
MODELS = {
    "distinct": (lambda n: (az.LDiversity(n), n), lambda part, whole: len(shares(part))),
    "entropy": (
        lambda n: (az.LDiversity(n, kind="entropy"), n),
        lambda part, whole: math.exp(-sum(float(q) * math.log(q) for q in distribution(part).values())),
    ),
    "alpha": (
        lambda n: (az.AlphaK(alpha=1 - n / 10, k=1), n / 10),
        lambda part, whole: 1 - float(max(shares(part).values())),
    ),
    "t": (
        lambda n: (az.TCloseness(0.8 - n / 10), n / 10 - 0.8),
        lambda part, whole: (
            -float(sum(max(distribution(part).get(v, 0) - p, 0) for v, p in distribution(whole).items()))
        ),
    ),
    "beta": (
        lambda n: (az.BetaLikeness(beta=5 - n), n - 5),
        lambda part, whole: -float(max(q / shares(whole)[v] - 1 for v, q in shares(part).items())),
    ),
}
_VISIT = st.fixed_dictionaries(
    {
        "age": st.one_of(st.sampled_from([30, 31, 40, 55]), st.none()),
        "town": st.sampled_from(["53703", "53706", "61000", None]),
        "job": st.sampled_from(["nurse", "Nurse", "lærer", None]),
        "sick": st.sampled_from(["flu", "cold", "asthma"]),
    }
)
#: Who, and the visits of each: some have the first row of somebody else, so that not everybody is alone.
PEOPLE = st.lists(st.lists(_VISIT, min_size=1, max_size=4), min_size=1, max_size=8).filter(
    lambda people: all(any(row[name] is not None for rows in people for row in rows) for name in QIS)
)
ASKED = st.fixed_dictionaries(
    {
        "k": st.integers(1, 3),
        "rows": st.sampled_from([1, 1, 2, "all"]),
        "known": st.sampled_from([None, None, 1, 2]),
        "model": st.one_of(st.none(), st.tuples(st.sampled_from(list(MODELS)), st.integers(1, 3))),
        "share": st.sampled_from([0.0, 0.3, 1.0]),
        "leave_out": st.sampled_from(["rows", "people"]),
    }
)
#: One that every method can release by people.
EASY = [[{"age": 30 + i % 2, "town": "53703", "job": "nurse", "sick": ("flu", "cold")[i % 2]}] * 2 for i in range(8)]
HIERARCHIES = {"age": az.hierarchy.intervals(10, 50), "town": az.hierarchy.masking(2), "job": az.hierarchy.flat()}


def _table(people: list[list[Row]]) -> pa.Table:
    """Lay the rows of people among each other, as they come in a table of visits."""
    rows = [(turn, person, row) for person, own in enumerate(people) for turn, row in enumerate(own)]
    rows.sort(key=lambda one: one[:2])
    kinds = {"who": pa.string(), "age": pa.int64(), "town": pa.string(), "job": pa.string(), "sick": pa.string()}
    whole = [
        {**row, "who": (f"p{person}", f" P{person}")[turn % 2], "row": i} for i, (turn, person, row) in enumerate(rows)
    ]
    return pa.Table.from_pylist(whole, pa.schema([*kinds.items(), ("row", pa.int64())]))


def _whose(table: pa.Table, released: pa.Table) -> list[tuple[Any, ...]]:
    """Return person, class and sensitive value of the released rows."""
    who = [name.strip().casefold() for name in table["who"].to_pylist()]
    return [(who[int(row["row"])], tuple(str(row[name]) for name in QIS), row["sick"]) for row in released.to_pylist()]


@pytest.mark.parametrize("name", METHODS)
@settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(people=PEOPLE, asked=ASKED)
@example(people=EASY, asked={"k": 2, "rows": 1, "known": None, "model": None, "share": 0.3, "leave_out": "people"})
def test_no_attacker_finds_fewer_people(name: str, people: list[list[Row]], asked: dict[str, Any]) -> None:
    table, model = _table(people), asked["model"]
    models: list[Any] = [az.KAnonymity(asked["k"], rows=asked["rows"], known=asked["known"])]
    if model is not None:
        models.append(MODELS[model[0]][0](model[1])[0])
    try:
        with az.open(table, types={"town": "text"}) as data:
            release = az.anonymize(
                data, roles=ROLES, hierarchies=HIERARCHIES, privacy=models, seed=1,
                method=METHODS[name](asked["share"]),
                leave_out=asked["leave_out"],
            )  # fmt: skip
            released = release.frame
    except (az.PrivacyNotReached, az.ParameterError) as error:
        assert people is not EASY or "rounds" in name, error
        event(f"{name}: {type(error).__name__}")
        return
    event(f"{name}: released")
    rows = _whose(table, released)
    assert rows
    columns = len(QIS) if asked["known"] is None else asked["known"]
    found = fewest_by_columns(rows, columns, asked["rows"])
    assert found >= asked["k"], (found, asked)
    if asked["known"] is None:
        assert fewest_people(rows, asked["rows"]) == release.evidence["privacy"][0]["achieved"]
    if model is not None:
        limit, worst = MODELS[model[0]][0](model[1])[1], MODELS[model[0]][1]
        whole = _whose(table, table)
        assert min(worst(part, whole) for part in by_class(rows).values()) >= limit - 1e-9, (model, asked)
    assert "who" not in released.column_names
    _left_out(table, rows, asked)


def _left_out(table: pa.Table, rows: list[tuple[Any, ...]], asked: dict[str, Any]) -> None:
    """Compare what is left out with its limit; a person is there with all rows, or not at all, where that was asked."""
    before, after = Counter(who for who, *_ in _whose(table, table)), Counter(who for who, *_ in rows)
    if asked["leave_out"] == "rows":
        assert table.num_rows - len(rows) <= math.floor(asked["share"] * table.num_rows + 1e-9)
    else:
        assert len(before) - len(after) <= math.floor(asked["share"] * len(before) + 1e-9)
        assert all(before[who] == number for who, number in after.items())
