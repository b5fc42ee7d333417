"""Any table, any hierarchy, any k and l: what comes out is counted here once more, in plain Python, row by row."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from failing import failing, like

Row = dict[str, Any]
QIS = ("plz", "größe")
ROLES = {"name": "identifier", "plz": "quasi-identifier", "größe": "quasi-identifier", "leiden": "sensitive"}
ROLES |= {"row": "insensitive", "note": "insensitive"}

#: Postcodes of one shape, some in other spellings or missing; what each is released as, by level.
POSTCODES = ["53703", "53706", "53715", "61000"]
PLZ: dict[str, list[str]] = {code: [code, code[:4] + "*", code[:2] + "***", "*"] for code in POSTCODES}
SIZES: dict[str, list[str]] = {s: [s, "small" if s in ("é", "1") else "large", "any"] for s in ("é", "1", "1.0", "x")}
SPELLINGS: dict[str | None, str | None] = {"e\u0301": "é", " é": "é", "é": "é", "1": "1", "1.0": "1.0", "x": "x"}
SPELLINGS |= {"": None, None: None}
ILLNESSES = ["flu", "Flu ", "FLU", "cold", "ﬂu", "1", "1.0", "01", "", None]

TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.text(max_size=3),
            "plz": st.sampled_from([*POSTCODES, " 53703", None]),
            "größe": st.sampled_from(list(SPELLINGS)),
            "leiden": st.sampled_from(ILLNESSES),
            "note": st.sampled_from(["", None, "ok", "=1+1", 'say "hi"']),
        }
    ),
    min_size=1,
    max_size=20,
).filter(lambda rows: all(any(row[name] for row in rows) for name in QIS))  # nothing but missing: see test_edges


def table(rows: list[Row]) -> pa.Table:
    """Return the rows in order, each with its number."""
    columns = {name: pa.array([row[name] for row in rows], pa.string()) for name in ROLES if name != "row"}
    return pa.table({**columns, "row": pa.array(range(len(rows)), pa.int64())})


def hierarchies() -> dict[str, Any]:
    return {"plz": az.hierarchy.table(list(PLZ.values())), "größe": az.hierarchy.table(list(SIZES.values()))}


def opened(rows: list[Row]) -> Any:
    """Return the rows with quasi-identifiers that are text, even where all of them happen to be numbers."""
    return az.open(table(rows), types=dict.fromkeys(QIS, "text"))


def released(rows: list[Row], models: list[Any], limit: float, seed: int = 1) -> Any:
    return az.anonymize(
        opened(rows),
        roles=ROLES,
        hierarchies=hierarchies(),
        privacy=models,
        method=az.FullDomain(suppression=limit),
        seed=seed,
    )


def label(paths: dict[str, list[str]], value: str | None, level: int) -> str | None:
    """Return what a value is released as; missing stays missing but for a top that says anything."""
    clean = None if value is None else unicodedata.normalize("NFC", value).strip() or None
    top = next(iter(paths.values()))
    if clean is None:
        return "*" if level == len(top) - 1 and top[-1] == "*" else None
    return paths[clean][level]


def meaning(value: str | None) -> str | None:
    """Return what a reader takes an illness for."""
    folded = unicodedata.normalize("NFKC", value or "").casefold().strip()
    return str(float(folded)) if folded.replace(".", "").isdigit() else folded or None


def groups(rows: list[Row]) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in QIS)].append(row)
    return found


MODELS = st.tuples(st.integers(1, 5), st.integers(0, 3), st.sampled_from(["distinct", "entropy", "recursive"]))


def models_of(k: int, l: int, kind: str) -> list[Any]:  # noqa: E741
    if not l:
        return [az.KAnonymity(k)]
    return [az.KAnonymity(k), az.LDiversity(l, kind=kind, c=2.0 if kind == "recursive" else None)]


def diverse(counts: list[int], l: int, kind: str) -> bool:  # noqa: E741
    """Say by definition whether the counts of a class's values are diverse enough."""
    if kind == "entropy":
        shares = [count / sum(counts) for count in counts]
        return -sum(q * math.log(q) for q in shares) >= math.log(l) - 1e-9
    if kind == "recursive":
        return counts[0] < 2 * sum(counts[l - 1 :])
    return len(counts) >= l


@settings(deadline=None, max_examples=30)
@given(TABLES, MODELS, st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_check_01_no_release_breaks_what_was_asked_and_every_row_is_what_it_was(
    rows: list[Row], asked: tuple[int, int, str], limit: float
) -> None:
    k, l, kind = asked  # noqa: E741
    try:
        release = released(rows, models_of(*asked), limit)
    except az.PrivacyNotReached as error:
        assert "No generalization" in str(error)
        return
    out, told = release.frame.to_pylist(), release.evidence
    # The models, counted from the rows alone.
    for members in groups(out).values():
        assert len(members) >= k
        if l:
            assert diverse(sorted(Counter(meaning(row["leiden"]) for row in members).values())[::-1], l, kind)
    # How many.
    assert 1 <= len(out) == told["rows"]["released"]
    assert told["rows"] == {"read": len(rows), "released": len(out), "suppressed": len(rows) - len(out)}
    assert len(rows) - len(out) <= math.floor(limit * len(rows) + 1e-9)
    # Row by row: identifiers gone, the rest as it was, quasi-identifiers at their level.
    assert release.frame.column_names == ["plz", "größe", "leiden", "note", "row"]
    assert len({row["row"] for row in out}) == len(out)
    levels = told["method"]["levels"]
    for row in out:
        source = rows[row["row"]]
        assert (row["leiden"], row["note"]) == (source["leiden"], source["note"])
        assert row["plz"] == label(PLZ, source["plz"], levels["plz"])
        assert row["größe"] == label(SIZES, source["größe"], levels["größe"])
    # Whoever was left out was in a class that fails: no class is torn.
    kept = groups(out)
    for i in {*range(len(rows))} - {row["row"] for row in out}:
        gone = rows[i]
        assert (label(PLZ, gone["plz"], levels["plz"]), label(SIZES, gone["größe"], levels["größe"])) not in kept
    assert all(verdict["holds"] for verdict in told["privacy"])
    assert told["privacy"][0]["achieved"] == min(map(len, kept.values()))


@settings(deadline=None, max_examples=10)
@given(TABLES, st.randoms(use_true_random=False))
def test_a_seed_repeats_and_the_order_of_rows_tells_nothing(rows: list[Row], random: Random) -> None:
    models = [az.KAnonymity(2)]
    try:
        once, again = (released(rows, models, 0.3) for _ in range(2))
    except az.PrivacyNotReached:
        with pytest.raises(az.PrivacyNotReached):
            released(rows[::-1], models, 0.3)
        return
    assert once.frame.equals(again.frame)
    mixed = list(enumerate(rows))
    random.shuffle(mixed)
    other = released([row for _, row in mixed], models, 0.3)
    back = [{**row, "row": mixed[row["row"]][0]} for row in other.frame.to_pylist()]
    assert sorted(map(str, back)) == sorted(map(str, once.frame.to_pylist()))
    for key in ("rows", "privacy", "utility", "risk", "classes"):
        assert str(once.evidence[key]) == str(other.evidence[key])


@settings(deadline=None, max_examples=10)
@given(TABLES)
def test_the_whole_table_reaches_its_own_size_and_no_more(rows: list[Row]) -> None:
    call = {
        "roles": ROLES,
        "hierarchies": {
            "plz": hierarchies()["plz"],
            "größe": az.hierarchy.table(list(SIZES.values()), suppression=True),
        },
        "seed": 1,
    }
    release = az.anonymize(opened(rows), privacy=az.KAnonymity(len(rows)), **call)
    assert release.frame.num_rows == len(rows)
    assert len(groups(release.frame.to_pylist())) == 1
    with failing("method.not-reached-but", az.PrivacyNotReached, nearest=[like("method.nearest-k", k=len(rows))]):
        az.anonymize(opened(rows), privacy=az.KAnonymity(len(rows) + 1), **call)


def test_the_input_is_not_changed() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    data = {"a": ["x", "x", "y", None], "n": [3, 1, 2, 2], "s": ["p", "q", "p", "q"]}
    call: dict[str, Any] = {
        "roles": {"a": "quasi-identifier", "n": "quasi-identifier", "s": "sensitive"},
        "hierarchies": {"a": az.hierarchy.flat(), "n": az.hierarchy.intervals(2, 4)},
        "privacy": az.KAnonymity(2),
        "seed": 1,
    }
    frames = {"pandas": pandas.DataFrame(data), "polars": polars.DataFrame(data), "pyarrow": pa.table(data)}
    copies = {"pandas": pandas.DataFrame(data), "polars": polars.DataFrame(data), "pyarrow": pa.table(data)}
    found = {}
    for kind, frame in frames.items():
        release = az.anonymize(frame, **call)
        assert type(release.frame) is type(frame)
        assert frame.equals(copies[kind])
        found[kind] = release.evidence["classes"]
    assert found["pandas"] == found["polars"] == found["pyarrow"]
