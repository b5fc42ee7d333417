"""Check 40: the rules of bandit, which ruff has as its S rules, hold in all of the source; nothing escapes unsaid."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import antifaz

SOURCE = Path(antifaz.__file__).parent
ROOT = SOURCE.parents[1]


def test_check_40_bandits_rules_hold_in_the_source() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    assert "S" in rules["select"]
    assert not [rule for rule in rules["ignore"] if re.match(r"S\d", rule)]
    assert not [place for place, left in rules["per-file-ignores"].items() if "src" in place and "S" in left]
    command = [Path(sys.executable).with_name("ruff"), "check", "--select", "S", "--no-cache", SOURCE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_check_40_the_worst_is_excused_nowhere() -> None:
    # Code from text, objects from bytes, shells, weak hashes, certificates that are not checked.
    worst = re.compile(r"noqa:.*\b(S102|S301|S302|S307|S324|S501|S602|S605)\b")
    assert [path.name for path in SOURCE.rglob("*.py") if worst.search(path.read_text("utf-8"))] == []
