"""The verifier in plain SQL, on a release whose answers are known by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from properties.sql import worst

PEOPLE = [{"sick": sick} for sick in ("flu", "flu", "flu", "flu", "cold", "cold", "asthma", "asthma")]
#: Two classes: three records, of them two with flu; and four, two of each of two. One person with flu is left out.
RELEASE = "a,b,sick\n" + "1,x,flu\n1,x,flu\n1,x,cold\n" + ",x,flu\n,x,asthma\n,x,asthma\n,x,cold\n"


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("k", 3),
        ("distinct", 2),
        ("entropy", math.exp(-(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)))),
        ("alpha", 2 / 3),
        ("t", 0.25),  # both classes: 2/3 - 1/2 + 1/3 - 1/4, and 1/2 - 1/4
        ("beta", 1.0),  # asthma in the second class: 1/2 instead of 1/4
    ],
)
def test_the_worst_class_is_found(tmp_path: Path, model: str, answer: float) -> None:
    file = tmp_path / "release.csv"
    file.write_text(RELEASE, encoding="utf-8")
    assert worst(file, PEOPLE, ("a", "b"), model) == pytest.approx(answer)
