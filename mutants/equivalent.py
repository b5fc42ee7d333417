"""Mutants that change no answer, as somebody judged who read them, and why."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LIST = Path(__file__).with_suffix(".toml")


def judged() -> dict[str, str]:
    """Return the reason for each mutant, by its name. A name that is listed twice is a mistake."""
    found: dict[str, str] = {}
    for group in tomllib.loads(_LIST.read_text(encoding="utf-8"))["group"]:
        for name in group["mutants"]:
            if name in found:
                raise ValueError(f"Listed twice: {name}")
            found[name] = group["why"]
    return found
