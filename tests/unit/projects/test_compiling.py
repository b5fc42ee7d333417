"""Who waits for a kernel to be compiled is told so, once, before."""

from __future__ import annotations

from antifaz.core.progress import Progress
from antifaz.kernels import compiling
from antifaz.projects.compiling import report_compiling


def test_progress_says_that_a_kernel_is_compiled():
    told: list[tuple[str, float | None, str]] = []
    progress = Progress(lambda *heard: told.append(heard))
    with report_compiling(progress), progress.step("decide"):
        for listener in compiling._listeners:
            listener("growing.grow_all", None)
            listener("growing.grow_all", 3.5)
    assert [(step, share) for step, share, _ in told] == [("decide", None), ("decide", None)]
    assert told[1][2].text("en").startswith("compiling growing.grow_all: once")
    assert told[1][2].text("es").startswith("compilando growing.grow_all")
    assert not compiling._listeners
