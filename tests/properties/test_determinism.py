"""One and the same output whatever the hash seed, the number of threads, the time zone and the locale."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import antifaz as az

SCRIPT = """
import hashlib
import antifaz as az

people = az.datasets.people(1000, seed=4)
release = az.anonymize(
    people,
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "postcode": "quasi-identifier"},
    others="release",
    hierarchies={
        "age": az.hierarchy.intervals(5, 10, 20),
        "sex": az.hierarchy.flat(),
        "postcode": az.hierarchy.masking(1),
    },
    privacy=az.KAnonymity(5),
    method=az.FullDomain(suppression=0.05),
    seed=9,
)
told = {key: release.evidence[key] for key in ("rows", "method", "privacy", "utility", "risk", "classes")}
print(hashlib.sha256((repr(told) + repr(release.frame.to_pydict())).encode()).hexdigest())
"""


def output(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_check_24_hash_seed_time_zone_and_locale_change_nothing() -> None:
    one = output(PYTHONHASHSEED="1", TZ="Pacific/Kiritimati", LC_ALL="C")
    other = output(PYTHONHASHSEED="4242", TZ="America/Caracas", LC_ALL="C.UTF-8", NUMBA_NUM_THREADS="1")
    assert len(one) == 64
    assert one == other


def _released(threads: int) -> Any:
    people = az.datasets.people(5_000, seed=4)
    return az.anonymize(
        az.open(people, threads=threads),
        roles={"age": "quasi-identifier", "sex": "quasi-identifier", "postcode": "quasi-identifier"},
        others="release",
        hierarchies={
            "age": az.hierarchy.intervals(5, 10, 20),
            "sex": az.hierarchy.flat(),
            "postcode": az.hierarchy.masking(1),
        },
        privacy=az.KAnonymity(5),
        method=az.FullDomain(suppression=0.05),
        seed=9,
    )


@pytest.mark.parametrize("threads", [2, 5])
def test_check_24_the_number_of_threads_changes_nothing(threads: int) -> None:
    one, other = _released(1), _released(threads)
    assert one.frame.equals(other.frame)
    assert one.evidence["method"] == other.evidence["method"]
    assert one.evidence["classes"] == other.evidence["classes"]
