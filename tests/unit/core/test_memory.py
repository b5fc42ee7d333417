"""How a budget of memory is shared out, worked out by hand."""

from __future__ import annotations

import pytest

from antifaz.core import memory
from antifaz.core.errors import ParameterError
from antifaz.core.memory import PROGRAM
from failing import failing

GB = 1_000_000_000


def test_without_a_budget_nothing_is_limited() -> None:
    assert memory.database_limits(None, 3) == (None, {"memory": None, "threads": 3})
    assert memory.second_database_limits(None, {"threads": 3}) == {"threads": 3}


def test_the_database_gets_a_third_of_what_the_program_leaves_and_the_second_a_fifth() -> None:
    budget, limits = memory.database_limits(f"{PROGRAM + 3 * GB}B", 2)
    assert (budget, limits) == (PROGRAM + 3 * GB, {"memory": "1000000000B", "threads": 2})
    assert memory.second_database_limits(budget, limits) == {"memory": "600000000B", "threads": 2}


def test_a_database_gets_the_least_it_can_do_with() -> None:
    _, limits = memory.database_limits("200MB", 1)
    assert limits["memory"] == "100000000B"
    assert memory.second_database_limits(200_000_000, limits)["memory"] == "100000000B"


def test_threads_are_as_many_as_processors_and_memory_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "processors", lambda: 8)
    threads = [
        memory.database_limits(f"{budget}B", None)[1]["threads"]
        for budget in (PROGRAM, PROGRAM + 3 * 300_000_000, 100 * GB)
    ]
    assert threads == [1, 4, 8]  # the least is 100 MB, of which each thread needs 75


def test_records_get_two_fifths_or_too_little_is_said() -> None:
    assert memory.records_memory(PROGRAM + 500_000_000) == 200_000_000
    with failing("memory.too-little-for-parts", ParameterError, budget=599.999999, program=600.0):
        memory.records_memory(PROGRAM + 149_999_999)


def test_a_chunk_of_a_file_is_from_one_to_thirty_two_mebibytes() -> None:
    assert memory.read_chunk(PROGRAM) == 100_000_000 // 32
    assert memory.read_chunk(100 * GB) == 32 << 20
