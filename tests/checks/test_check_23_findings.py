"""Check 23: what fuzzing found is read, or refused in a sentence, ever since."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.__main__ import FINDINGS, read_apart
from fuzz.seeds import Target, targets

TARGETS = targets()


def findings(target: Target) -> list[bytes]:
    return [path.read_bytes() for path in sorted((FINDINGS / target.name).glob("*")) if path.is_file()]


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_check_23_findings_stay_mended(target: Target) -> None:
    assert [what for _, what in read_apart(target, [target.content, *findings(target)])] == []


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_well_formed_inputs_are_read(target: Target, tmp_path: Path) -> None:
    """An input that is refused whatever is damaged in it would test nothing."""
    path = tmp_path / f"input{target.suffix}"
    path.write_bytes(target.content)
    target.read(path)
