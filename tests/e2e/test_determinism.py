"""One and the same release whatever the machine's mood: hash seed, time zone, language, threads."""

from __future__ import annotations

import json

import pytest

from e2e.conftest import changed

MOODS = {
    "hash seed": {"PYTHONHASHSEED": "1"},
    "another hash seed": {"PYTHONHASHSEED": "4242"},
    "time zone": {"TZ": "Pacific/Kiritimati"},
    "language": {"LC_ALL": "C", "LANG": "C"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8"},
    "numba": {"NUMBA_NUM_THREADS": "1"},
}


def test_check_24_the_same_bytes_for_the_same_seed(antifaz, folder):
    assert antifaz("run", "project.yaml", PYTHONHASHSEED="0").code == 0
    first = (folder / "out/release.csv").read_bytes()
    for mood, env in MOODS.items():
        assert antifaz("run", "project.yaml", **env).code == 0
        assert (folder / "out/release.csv").read_bytes() == first, mood


@pytest.mark.parametrize("engine", ["threads: 1", "threads: 2, memory: 1GB"])
def test_threads_and_memory_change_nothing(antifaz, folder, engine):
    assert antifaz("run", "project.yaml").code == 0
    first = (folder / "out/release.csv").read_bytes()
    changed(folder, "threads: 2", engine)
    assert antifaz("run", "project.yaml").code == 0
    assert (folder / "out/release.csv").read_bytes() == first


def test_check_24_the_evidence_is_the_same_but_for_the_clock(antifaz, folder):
    told = [json.loads(antifaz("run", "project.yaml", "--json").out) for _ in range(2)]
    for key in ("created", "seconds", "peak_memory_bytes"):
        for one in told:
            one.pop(key)
    assert told[0] == told[1]


def test_without_a_seed_runs_differ_and_the_record_keeps_the_seed(antifaz, folder):
    changed(folder, "seed: 1\n", "")
    releases, seeds = set(), set()
    for _ in range(2):
        assert antifaz("run", "project.yaml").code == 0
        releases.add((folder / "out/release.csv").read_bytes())
        seeds.add((folder / "out/record.json").read_bytes())
    assert len(releases) == len(seeds) == 2
