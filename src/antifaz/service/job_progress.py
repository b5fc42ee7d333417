"""A job that is not over, as it is now: its steps, and how far the present one is."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from antifaz.service.worker_process import Process

_SHOWN = (
    "id", "project", "number", "kind", "asked", "dataset", "state", "steps", "message", "error", "queued", "began",
    "ended",
)  # fmt: skip


def shown(job: Mapping[str, Any], share: float | None = None) -> dict[str, Any]:
    """Return a job as the service shows it."""
    told = {key: job.get(key) for key in _SHOWN}
    told["share"] = 1.0 if job["state"] == "done" else share
    return told


class Live:
    """What is known in memory of a job that waits or runs. Whoever asks or changes it holds the queue's lock."""

    def __init__(self, job: dict[str, Any]) -> None:
        """Take a job as it is kept."""
        self.job = job
        self.process: Process | None = None
        self.cancelled = False
        #: What the process said of its end.
        self.ended: dict[str, Any] = {}
        self._steps: dict[str, dict[str, Any]] = {}
        self._step, self._since, self._share = "", 0.0, None

    _share: float | None

    def hear(self, said: Mapping[str, Any]) -> None:
        """Take in what the process said."""
        if "number" in said:
            self.job["number"] = said["number"]
        elif "step" in said:
            self._hear_step(str(said["step"]), said.get("share"), str(said.get("message", "")))
        else:
            self._close()
            self.ended = dict(said)

    def _hear_step(self, name: str, share: float | None, message: str) -> None:
        if name != self._step:
            self._close()
            self._step, self._since = name, monotonic()
            known = self._steps.setdefault(name, {"name": name, "message": message, "seconds": 0.0, "done": False})
            known["done"] = False
        if message:
            self._steps[name]["message"] = message
        self._share = share

    def _close(self) -> None:
        if self._step:
            step = self._steps[self._step]
            step["seconds"] = round(step["seconds"] + monotonic() - self._since, 3)
            step["done"] = True
            self._step, self._share = "", None

    def steps(self) -> list[dict[str, Any]]:
        """Return the steps until now; repeated ones of one name add up."""
        told = [dict(step) for step in self._steps.values()]
        for step in told:
            if step["name"] == self._step:
                step["seconds"] = round(step["seconds"] + monotonic() - self._since, 3)
        return told

    def shown(self) -> dict[str, Any]:
        """Return the job as the service shows it."""
        message = self._steps[self._step]["message"] if self._step else self.job["message"]
        return shown(self.job | {"steps": self.steps(), "message": message}, self._share)
