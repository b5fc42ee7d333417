"""Steps of a run, timed and told."""

from __future__ import annotations

import pytest

from antifaz.core.progress import Progress


def test_steps_add_up_and_tell() -> None:
    told: list[tuple[str, float | None, str]] = []
    progress = Progress(lambda *said: told.append(said))
    with progress.step("outer", "begins"):
        with progress.step("inner"):
            progress.tell(0.5, "half")
        progress.tell(None)
    with pytest.raises(ValueError, match="x"), progress.step("inner"):
        raise ValueError("x")
    assert told == [
        ("outer", None, "begins"),
        ("inner", None, ""),
        ("inner", 0.5, "half"),
        ("outer", None, ""),
        ("inner", None, ""),
    ]
    assert set(progress.seconds) == {"outer", "inner"}
    with progress.step("inner"):
        pass
    Progress().tell(1.0)  # without a listener nothing happens
