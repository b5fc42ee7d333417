"""Tables that people are drawn from."""

from __future__ import annotations

from antifaz.datasets import people_tables
from antifaz.datasets.people_names import CULTURE_OF, CULTURES, words
from antifaz.datasets.people_trees import TREES


def test_tables_are_rectangular() -> None:
    assert {tuple(len(words(part)) for part in parts) for parts in CULTURES.values()} == {(16, 16, 20)}
    assert set(CULTURE_OF.values()) <= set(CULTURES)
    education, occupation, marital = (len(TREES[c]) for c in ("education", "occupation", "marital_status"))
    assert {len(row) for row in people_tables.EDUCATION} == {education} == {len(people_tables.BASE_INCOME)}
    assert {len(row) for row in people_tables.WORK} == {occupation - 4}
    assert len(people_tables.WORK) == education
    assert len(people_tables.PAY) == occupation
    assert {len(row) for pair in people_tables.MARITAL for row in pair} == {marital}
    assert {len(row) for pair in people_tables.SICK for row in pair} == {len(people_tables.DIAGNOSES)}
    by_band = (people_tables.EDUCATION, people_tables.MARITAL, people_tables.ACTIVITY, people_tables.SICK,
               people_tables.AGE_PAY, people_tables.WOMEN)  # fmt: skip
    assert {len(rows) for rows in by_band} == {len(people_tables.BAND_STARTS)}
