"""Missing values, filled on the counts: the same as filling the records first, in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import SchemaError
from antifaz.core.recoding import Recoding
from antifaz.core.types import DataType
from antifaz.counting.filling import FilledFrequencies, Way, fill_missing, with_dropped
from antifaz.counting.frequencies import FrequencySet
from antifaz.hierarchies import intervals, table
from antifaz.hierarchies.binding import bind
from antifaz.methods import Specialization, Task
from antifaz.privacy import KAnonymity
from failing import failing
from oracles.counted import frequencies_of

Rows = list[dict[str, str | None]]
AGES = ("3", "7", "12.5", "30", None)
COLOURS = ("blue", "green", "red", None)
WAYS: tuple[Way, ...] = ("most-frequent", "median", "category", "drop")


def counts_of(frequencies: FrequencySet) -> Counter[tuple[Any, ...]]:
    """The records behind a frequency set, sensitive value last."""
    found: Counter[tuple[Any, ...]] = Counter()
    cells = frequencies.cells["s"]
    for t, value, n in zip(cells.tuples, cells.values, cells.counts, strict=True):
        tuple_ = (d.labels[codes[t]] for d, codes in zip(frequencies.domains, frequencies.codes, strict=True))
        found[(*tuple_, cells.domain.labels[value])] += int(n)
    assert found.total() == frequencies.rows
    assert [int(n) for n in frequencies.counts] == [
        int(cells.counts[cells.tuples == t].sum()) for t in range(frequencies.counts.size)
    ]
    return found


def filled_rows(rows: Rows, ways: dict[str, Way]) -> Rows:
    """First leave out, then fill."""
    kept = [row for row in rows if not any(way == "drop" and row[name] is None for name, way in ways.items())]
    for name, way in ways.items():
        known = [row[name] for row in kept if row[name] is not None]
        if not known:
            continue
        order = AGES if name == "age" else COLOURS
        if way == "most-frequent":
            best = max(Counter(known).values())
            value = next(v for v in order if Counter(known)[v] == best)
        elif way == "median":
            value = sorted(known, key=lambda text: float(str(text)))[(len(known) - 1) // 2]
        else:
            continue
        kept = [{**row, name: value if row[name] is None else row[name]} for row in kept]
    return kept


def frequencies(rows: Rows) -> FrequencySet:
    return frequencies_of(rows, ("age", "colour"), ("s",), age=DataType.DECIMAL)


def released(rows: Rows, recoding: Recoding) -> Counter[tuple[str | None, ...]]:
    """Apply a recoding to records as an engine does."""
    become = {c.column: dict(zip(c.values, c.labels, strict=True)) for c in recoding.columns}
    labelled = (tuple(own[row[name]] for name, own in become.items()) for row in rows)
    return Counter(labels for labels in labelled if labels not in recoding.suppressed)


TABLES = st.lists(
    st.fixed_dictionaries(
        {"age": st.sampled_from(AGES), "colour": st.sampled_from(COLOURS), "s": st.sampled_from(["1", "2"])}
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=150)
@given(TABLES, st.sampled_from(WAYS), st.sampled_from(["most-frequent", "category", "drop"]))
def test_filling_counts_is_filling_records(rows: Rows, age: Way, colour: Way) -> None:
    ways: dict[str, Way] = {"age": age, "colour": colour}
    kept = [row for row in rows if not any(way == "drop" and row[name] is None for name, way in ways.items())]
    for name, way in ways.items():
        gone = any(row[name] is None for row in rows)
        if way in ("most-frequent", "median") and gone and all(row[name] is None for row in kept):
            with failing("column.all-values-missing", SchemaError):
                fill_missing(frequencies(rows), ways)
            return
    before = frequencies(rows)
    found = fill_missing(before, ways)
    expected = filled_rows(rows, ways)
    assert counts_of(found.frequencies) == Counter((row["age"], row["colour"], row["s"]) for row in expected)
    assert found.dropped == len(rows) - len(expected)
    blank = {name: sum(row[name] is None for row in kept) for name in ways}
    assert all(found.filled.get(name, 0) in (0, blank[name]) for name in ways)
    if expected:
        check_release(rows, expected, before, ways)


def check_release(rows: Rows, expected: Rows, before: FrequencySet, ways: dict[str, Way]) -> None:
    """What is decided on the filled counts, applied to the records as they are, is what filled records would get."""
    found = fill_missing(before, ways)
    trees = {
        "age": intervals(10, 40, suppression=True).build([v for v in AGES if v], DataType.TEXT),
        "colour": table([[v, "cold" if v != "red" else "warm", "*"] for v in COLOURS if v]).build((), DataType.TEXT),
    }
    ladders = tuple(bind(domain, trees[domain.column]) for domain in found.frequencies.domains)
    task = Task(
        frequencies=found.frequencies, ladders=ladders, models=(KAnonymity(1),), random=np.random.default_rng(1)
    )
    recoding = Specialization(cut="subtree").decide(task).recoding
    assert released(rows, with_dropped(recoding, before, found)) == released(expected, recoding)


def test_what_can_not_be_filled_is_said() -> None:
    rows: Rows = [{"age": None, "colour": None, "s": "1"}, {"age": None, "colour": "red", "s": "1"}]
    with failing("column.all-values-missing", SchemaError, column="age"):
        fill_missing(frequencies(rows), {"age": "median"})
    with failing("column.no-median-without-numbers", SchemaError, column="colour"):
        fill_missing(frequencies(rows), {"colour": "median"})
    grouped: Rows = [{"age": "1_000", "colour": "red", "s": "1"}, {"age": None, "colour": "red", "s": "1"}]
    with failing("column.no-median-without-numbers", SchemaError, column="age"):
        fill_missing(frequencies(grouped), {"age": "median"})
    endless: Rows = [{"age": age, "colour": "red", "s": "1"} for age in ("3", "inf", None)]
    with failing("column.no-median-without-numbers", SchemaError, column="age"):
        fill_missing(frequencies(endless), {"age": "median"})
    with failing("missing.names-no-quasi-identifier", SchemaError):
        fill_missing(frequencies(rows), {"colours": "drop"})


def test_the_median_is_the_record_in_the_middle() -> None:
    for ages, middle in ((("3", "7", "30"), "7"), (("3", "7", "12.5", "30"), "7"), (("3", "30", "30", "30"), "30")):
        rows: Rows = [{"age": age, "colour": "red", "s": "1"} for age in (*ages, None)]
        (age, _) = fill_missing(frequencies(rows), {"age": "median"}).frequencies.domains
        assert age.labels[dict(zip(age.values, age.codes.tolist(), strict=True))[None]] == middle


def test_what_was_done_is_told_per_column() -> None:
    rows: Rows = [
        {"age": "3", "colour": "red", "s": "1"},
        {"age": None, "colour": "red", "s": "1"},
        {"age": None, "colour": "red", "s": "2"},
        {"age": None, "colour": None, "s": "1"},
        {"age": "7", "colour": None, "s": "1"},
    ]
    both = fill_missing(frequencies(rows), {"age": "median", "colour": "most-frequent"})
    assert (both.filled, both.dropped, both.lost) == ({"age": 3, "colour": 2}, 0, ())
    # First two records go for want of a colour; of the others two are filled.
    left = fill_missing(frequencies(rows), {"age": "median", "colour": "drop"})
    assert (left.filled, left.dropped) == ({"age": 2}, 2)
    ages, colours = left.lost
    assert (sorted(ages.tolist()), colours.tolist()) == ([1, 2], [1, 1])
    # Printed, it does not list them.
    assert "lost" not in repr(left)
    # Of an even number the lower one; it is still written as missing in the data.
    age = left.frequencies.domains[0]
    assert (age.labels, age.has_missing) == (("3", "7"), False)
    assert dict(zip(age.values, age.codes.tolist(), strict=True)) == {"3": 0, None: 0, "7": 1}
    nothing = FilledFrequencies(frequencies=frequencies(rows))
    assert (nothing.filled, nothing.dropped, nothing.lost) == ({}, 0, ())
    untouched = fill_missing(frequencies(rows), {})
    assert (untouched.filled, untouched.dropped) == ({}, 0)
