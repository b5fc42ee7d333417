"""The example of ages and salaries: its figures are computed again by hand, its pages are whole."""

from __future__ import annotations

import math
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import antifaz as az

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "salaries"
ROWS = 1_500
LINE = re.compile(r"^(?P<what>\D.{17}.{17}) +(?P<figures>\d\S+(?: +[-+]?\d\S+){5})$", re.M)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("salaries") / "out"
    script = str(EXAMPLE / "salaries.py")
    done = subprocess.run(
        [sys.executable, "-W", "error", script, "--rows", str(ROWS), "--out", str(out)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return out, done.stdout


def tables(text: str) -> dict[str, dict[str, list[float]]]:
    """By column, the figures of every line: risk, linkage, IL1s, mean, sd, KS p."""
    parts = re.split(r"^(age|salary): ", text, flags=re.M)
    found = {}
    for column, part in zip(parts[1::2], parts[2::2], strict=True):
        block = part.split("\n\n")[0]
        found[column] = {
            re.sub(r" +", " ", line["what"]).strip(): [float(word) for word in line["figures"].split()]
            for line in LINE.finditer(block)
        }
    return found


def by_hand(x: np.ndarray, y: np.ndarray) -> list[float]:
    """The figures of one line, by brute force."""
    sd = np.std(x, ddof=1)
    risk = np.mean([abs(a - b) <= 0.2 * np.std(y, ddof=1) for a, b in zip(x, y, strict=True)])
    linked = []
    for a, b in zip(x, y, strict=True):
        gaps, own = np.abs(x - b) / sd, abs(a - b) / sd
        nearer, ties = (gaps < own - 1e-9).sum(), (np.abs(gaps - own) <= 1e-9).sum()
        linked.append(0.0 if nearer else 1 / ties)
    il1s = sum(abs(a - b) / math.sqrt(2) / sd for a, b in zip(x, y, strict=True)) / x.size
    changes = 100 * (y.mean() / x.mean() - 1), 100 * (np.std(y, ddof=1) / sd - 1)
    return [risk, float(np.mean(linked)), il1s, *changes, stats.ks_2samp(x, y, method="asymp").pvalue]


#: Half of the last digit that is printed.
PRECISION = [0.5e-4, 0.5e-6, 0.5e-5, 0.5e-2, 0.5e-2, 0.5e-3]


def close(found: list[float], wanted: list[float]) -> None:
    for one, other, precision in zip(found, wanted, PRECISION, strict=True):
        assert one == pytest.approx(other, abs=1.02 * precision)


def test_noise_on_salaries_is_what_brute_force_finds(run: tuple[Path, str]) -> None:
    table = az.datasets.salaries(ROWS, seed=0).select(["salary"])
    released = az.perturb.additive_noise(table, "salary", p=0.2, seed=1)
    wanted = by_hand(table["salary"].to_numpy(), released["salary"].to_numpy())
    close(tables(run[1])["salary"]["additive noise p=0.2"], wanted)


def test_microaggregated_ages_are_means_of_five_neighbours(run: tuple[Path, str]) -> None:
    x = np.sort(az.datasets.salaries(714, seed=0)["age"].to_numpy()).astype(float)
    # 142 groups; the last takes the four that remain.
    cuts = [*range(0, 710, 5), 714]
    assert len(cuts) == 143
    y = np.concatenate([np.full(b - a, x[a:b].mean()) for a, b in pairwise(cuts)])
    close(tables(run[1])["age"]["microaggregation k=5"], by_hand(x, y))


def test_what_theory_says_of_any_data_comes_out(run: tuple[Path, str]) -> None:
    """Noise of p standard deviations costs p/√π per record, and leaves 2Φ(k·√(1 + p²)/p) − 1 within k."""
    risk, _, il1s, _, sd, _ = tables(run[1])["age"]["additive noise p=0.2"]
    assert il1s == pytest.approx(0.2 / math.sqrt(math.pi), rel=0.02)
    assert risk == pytest.approx(2 * stats.norm.cdf(math.sqrt(1.04)) - 1, abs=0.01)
    assert sd == pytest.approx(100 * (math.sqrt(1.04) - 1), abs=0.5)


def test_swapping_and_shuffling_keep_the_column_itself(run: tuple[Path, str]) -> None:
    for column in tables(run[1]).values():
        for what in ("rank swap p=0.2", "rank swap p=0.02", "rank swap, blocks p=0.2", "shuffling"):
            assert column[what][3:] == [0.0, 0.0, 1.0]
        assert column["shuffling"][0] < column["rank swap p=0.2"][0] < column["rank swap p=0.02"][0]


def test_every_line_has_a_page_that_is_whole_and_loads_nothing(run: tuple[Path, str]) -> None:
    out, printed = run
    index = ET.fromstring((out / "index.html").read_text(encoding="utf-8"))
    pages = [link.attrib["href"] for link in index.iter("a")]
    assert sorted([*pages, "index.html"]) == sorted(path.name for path in out.iterdir())
    assert len(pages) == sum(len(lines) for lines in tables(printed).values()) == 30
    for page in pages:
        text = (out / page).read_text(encoding="utf-8")
        root = ET.fromstring(text)
        drawn = [chart.findtext("title") or "" for chart in root.iter("svg")]
        assert [title.split(" ")[0] for title in drawn] == ["Distribution", "How"]
        assert "http://" not in text and "https://" not in text and "<script" not in text


def test_the_readme_shows_what_comes_out_for_ages(run: tuple[Path, str]) -> None:
    """Salaries are as many as one asks for; ages are always the same."""
    shown, found = tables((EXAMPLE / "README.md").read_text(encoding="utf-8"))["age"], tables(run[1])["age"]
    assert shown.keys() == found.keys()
    for what, figures in found.items():
        assert shown[what] == pytest.approx(figures, abs=1e-2, rel=1e-2), what


def test_a_seed_gives_the_same_text_again(run: tuple[Path, str]) -> None:
    names: dict[str, Any] = runpy.run_path(str(EXAMPLE / "salaries.py"))
    data = names["make_data"](ROWS)
    for part in (names["relation"](data["salary"]), names["categories"](data["age"])):
        assert part in run[1]
