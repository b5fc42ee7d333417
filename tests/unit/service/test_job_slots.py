"""Whose job is next, and how the memory is shared."""

from threading import Thread
from types import SimpleNamespace

from antifaz.service.job_slots import JobSlots, MemoryBudget, asked_memory, places


def waiting(*owners):
    return [SimpleNamespace(owner=owner, number=i) for i, owner in enumerate(owners)]


def served(slots, jobs):
    """Run all, one after another, and return whose turn it was."""
    owners = []
    while jobs:
        job = slots.order(jobs)[0]
        slots.begin(job.owner)
        jobs.remove(job)
        owners.append(f"{job.owner}{job.number}")
        slots.end(job.owner)
    return owners


def test_people_take_turns_and_each_keeps_their_order():
    jobs = waiting("a", "a", "a", "b", "c", "b")
    assert served(JobSlots(1, shared=True), jobs) == ["a0", "b3", "c4", "a1", "b5", "a2"]


def test_nobody_has_all_places_where_people_share_them():
    shared, alone = JobSlots(2, shared=True), JobSlots(2, shared=False)
    for slots in (shared, alone):
        slots.begin("a")
    assert [job.owner for job in shared.order(waiting("a", "b"))] == ["b"]
    assert shared.order(waiting("a", "a")) == []
    assert [job.owner for job in alone.order(waiting("a", "b"))] == ["b", "a"]
    assert JobSlots(1, shared=True).order(waiting("a")), "one place is for everybody"


def test_the_memory_of_all_is_never_more_than_there_is():
    budget, large = MemoryBudget(4_000, 2), "engine: {memory: 4KB}"
    began, ended = [], []

    def run(text):
        with budget.share(text, lambda: False) as memory:
            began.append(memory)
        ended.append(memory)

    with budget.share("", lambda: False) as first:
        assert first == "2000B"
        other = Thread(target=run, args=[large])
        other.start()
        later = Thread(target=run, args=["engine: {memory: 1KB}"])
        other.join(0.2)
        later.start()
        later.join(0.2)
        assert began == [], "what came later and is small does not pass by what waits"
    other.join(10)
    later.join(10)
    assert began == ["4000B", "1000B"]


def test_a_project_gets_no_more_than_there_is_and_one_that_is_not_wanted_does_not_wait():
    budget = MemoryBudget(1_000, 1)
    with budget.share("engine: {memory: 5TB}", lambda: False) as memory:
        assert memory == "1000B"
        with budget.share("", lambda: True):
            pass
    with MemoryBudget(None, 2).share("engine: {memory: 5TB}", lambda: False) as memory:
        assert memory is None


def test_what_can_not_be_read_asks_for_nothing():
    assert [asked_memory(text) for text in ("engine: {memory: 1KB}", "engine: {memory: x}", "[", "engine: 3", "")] == [
        1000, None, None, None, None,
    ]  # fmt: skip


def test_places_need_memory():
    assert places(1_000) == 1
    assert places(10**15) == places(None)
