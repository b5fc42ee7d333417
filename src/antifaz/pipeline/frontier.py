"""The frontier of a plan: what each k costs, with its own method or with several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.engines.engine import Data
from antifaz.methods.method import Method
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.prepare import make_task
from antifaz.proposals.frontier import try_every_k


def frontier(
    plan: Plan, data: Data, ks: Sequence[int], progress: Progress | None = None, methods: Sequence[Method] = ()
) -> dict[str, Any]:
    """Decide for every k, without writing anything, and recommend one with its reason.

    With `methods` each of them is tried instead of the plan's own.
    """
    progress = progress or Progress()
    plans = [plan.with_method(method) for method in methods] or [plan]
    with progress.step("count", Message("progress.counting")):
        tasks = [(one.method, make_task(one, data, progress)) for one in plans]
    with progress.step("decide", Message("progress.trying-every-k")):
        return try_every_k(tasks, ks, progress)
