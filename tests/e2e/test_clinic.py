"""The example of the clinic: from six people to a candidate that a person chose, counted again by hand."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from e2e import preloaded
from oracles.tables import SIX_K2, SIX_PEOPLE, SIX_TREES

ROOT = Path(__file__).resolve().parents[2]
CLINIC = ROOT / "examples" / "clinic"
COLUMNS = ("fnac", "cod_postal")
_BLOCK = re.compile(r"^(?:<!-- exit: (?P<exit>\d+) -->\n)?```bash\n(?P<code>.*?)^```$", re.M | re.S)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A copy of the example, without what somebody who tried it may have left there."""
    ignored = shutil.ignore_patterns("out", "*.html")
    return Path(shutil.copytree(CLINIC, tmp_path / "clinic", ignore=ignored))


def shell(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    with preloaded.commands() as found:
        path = os.pathsep.join([str(found), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": source, "COLUMNS": "160", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
        )


def done(folder: Path, code: str) -> str:
    ran = shell(folder, code)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected(levels: tuple[int, int]) -> Counter[tuple[tuple[str, str | None], ...]]:
    """The six people with the labels of the hand-made trees: what a release must hold, in whatever order."""
    rows = []
    for person in SIX_PEOPLE:
        labels = {c: SIX_TREES[c][person[c]][level] for c, level in zip(COLUMNS, levels, strict=True)}
        rows.append(tuple(sorted({**person, **labels}.items())))
    return Counter(rows)


def check_release(folder: Path, levels: tuple[int, int]) -> None:
    released = read(folder / "release.csv")
    assert Counter(tuple(sorted(row.items())) for row in released) == expected(levels)
    classes = Counter(tuple(row[column] for column in COLUMNS) for row in released)
    assert min(classes.values()) >= 2
    evidence: dict[str, Any] = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    assert evidence["method"]["levels"] == dict(zip(COLUMNS, levels, strict=True))
    assert evidence["privacy"][0]["achieved"] == min(classes.values())
    assert evidence["rows"] == {"read": 6, "released": 6, "suppressed": 0}


def test_the_files_are_the_six_people_and_their_trees() -> None:
    assert read(CLINIC / "people.csv") == SIX_PEOPLE
    for column in COLUMNS:
        with (CLINIC / f"{column}.csv").open(encoding="utf-8", newline="") as file:
            assert {row[0]: row for row in csv.reader(file)} == SIX_TREES[column]


def test_candidates(clinic: Path) -> None:
    found = json.loads(done(clinic, "antifaz candidates project.yaml --json"))
    levels = [tuple(candidate["levels"][column] for column in COLUMNS) for candidate in found["candidates"]]
    assert sorted(levels) == SIX_K2 and len(levels) == len(SIX_K2)
    best = [candidate["best"] for candidate in found["candidates"]]
    assert levels[:2] == [(0, 2), (2, 0)] and best == [True, True, False, False, False]
    assert [candidate["quality"] for candidate in found["candidates"]] == [2, 2, 3, 3, 4]
    for candidate, at in zip(found["candidates"], levels, strict=True):
        classes: Counter[tuple[str | None, ...]] = Counter()
        for row, n in expected((at[0], at[1])).items():
            classes[tuple(dict(row)[column] for column in COLUMNS)] += n
        assert (candidate["smallest_class"], candidate["classes"]) == (min(classes.values()), len(classes))
        assert candidate["suppressed"] == 0
    assert found["lattice"]["size"] == 9


def test_the_picture_has_all_nine(clinic: Path) -> None:
    done(clinic, "antifaz candidates project.yaml --html candidates.html")
    page = (clinic / "candidates.html").read_text(encoding="utf-8")
    assert page.count('<g class="node holds best"') == 2
    assert page.count('<g class="node holds"') == 3
    assert page.count('<g class="node"') == 4


@pytest.mark.parametrize("levels", SIX_K2)
def test_any_candidate_can_be_released(clinic: Path, levels: tuple[int, int]) -> None:
    done(clinic, f"antifaz run project.yaml --levels fnac={levels[0]},cod_postal={levels[1]}")
    check_release(clinic / "out", levels)


def test_the_choice_can_be_kept_in_the_project_file(clinic: Path) -> None:
    (said,) = re.findall(r"^```yaml\n(.*?)^```$", (clinic / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    text = (clinic / "project.yaml").read_text(encoding="utf-8")
    for levels in ((0, 2), (2, 0)):
        method = said.strip().replace("fnac: 0, cod_postal: 2", f"fnac: {levels[0]}, cod_postal: {levels[1]}")
        changed = re.sub(r"^method: .*$", method, text, flags=re.M)
        assert changed != text
        (clinic / "chosen.yaml").write_text(changed, encoding="utf-8")
        done(clinic, f"antifaz run chosen.yaml --out out{levels[0]}")
        check_release(clinic / f"out{levels[0]}", levels)


@pytest.mark.parametrize(
    ("levels", "code"),
    [("fnac=1,cod_postal=1", 1), ("fnac=0,cod_postal=3", 2), ("fnac=2", 2), ("fnac=0,postal=2", 2), ("nonsense", 2)],
)
def test_what_is_no_candidate_is_refused(clinic: Path, levels: str, code: int) -> None:
    ran = shell(clinic, f"antifaz run project.yaml --levels {levels}")
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr and len(ran.stderr.strip().splitlines()) == 1
    assert not (clinic / "out").exists()


def test_the_commands_of_the_readme(clinic: Path) -> None:
    blocks = list(_BLOCK.finditer((clinic / "README.md").read_text(encoding="utf-8")))
    assert len(blocks) == 4
    for block in blocks:
        ran = shell(clinic, block["code"])
        assert ran.returncode == int(block["exit"] or 0), block["code"] + ran.stdout + ran.stderr
    check_release(clinic / "out", (0, 2))
    assert (clinic / "candidates.html").exists() and not (clinic / "refused").exists()
    # The one woman born in 1986, of whom the page warns.
    rows = [row for row in read(clinic / "out" / "release.csv") if (row["fnac"], row["sexo"]) == ("1986", "F")]
    assert len(rows) == 1
