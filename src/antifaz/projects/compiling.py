"""Say when a work has to wait for a kernel to be compiled."""

from collections.abc import Iterator
from contextlib import contextmanager

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.kernels.compiling import listening


@contextmanager
def report_compiling(progress: Progress) -> Iterator[None]:
    """Say on the way of a work when it has to wait for a kernel to be compiled, which is done once."""

    def listener(kernel: str, seconds: float | None) -> None:
        if seconds is None:
            progress.tell(None, Message("progress.compiling", kernel=kernel))

    with listening(listener):
        yield
