"""A data set in a process of its own, seen from the service: opened, asked, and ended; its end is an ordinary error."""

import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any

from antifaz.core.sizes import parse_size
from antifaz.service.dataset_worker import decode
from antifaz.service.errors import TooLarge, error_from_document
from antifaz.service.worker_process import DATASET, WorkerPool

#: How long opening a data set, or one question to it, may take, in seconds.
SECONDS = 600.0
#: What a process may take beside the memory for its rows, in bytes.
_OVERHEAD = 1 << 30


class DatasetProcess:
    """An opened data set. One at a time asks it."""

    def __init__(
        self,
        workers: WorkerPool,
        folder: Path,
        spec: Mapping[str, Any],
        files: Sequence[int] = (),
        *,
        memory: str | None = None,
    ) -> None:
        """Open what `spec` names, or raise in words; what is known of it is in `facts`."""
        self._aside = folder / secrets.token_hex(8)
        self._aside.mkdir(mode=0o700, parents=True)
        limit = None if memory is None else parse_size(memory) + _OVERHEAD
        own = {"kind": DATASET, "aside": str(self._aside), "memory": memory, "limit": limit}
        try:
            self._worker = workers.start({**spec, **own}, files)
        except BaseException:
            shutil.rmtree(self._aside, ignore_errors=True)
            raise
        self._lines = self._worker.lines()
        self._expired = False
        self.facts = self._answer()

    def ask(self, question: str, /, **arguments: Any) -> Any:
        """Return the answer to a question, or raise what was wrong with it."""
        self._worker.send({"ask": question, "given": arguments})
        return self._answer()

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._aside.exists()

    def close(self) -> None:
        """End the process, and remove what it left."""
        self._worker.dismiss()
        with suppress(StopIteration):
            while True:
                next(self._lines)
        shutil.rmtree(self._aside, ignore_errors=True)

    def _answer(self) -> Any:
        timer = Timer(SECONDS, self._expire)
        timer.daemon = True
        timer.start()
        try:
            line = next(self._lines, None)
        finally:
            timer.cancel()
        if line is not None and "answer" in line:
            return decode(line["answer"])
        if line is not None and "refused" in line:
            raise error_from_document(line["refused"])
        self.close()
        if self._expired:
            raise TooLarge("service.data-set-took-too-long", seconds=SECONDS)
        if line is not None and "error" in line:
            raise error_from_document(line["error"])
        raise TooLarge("service.data-set-process-ended")

    def _expire(self) -> None:
        self._expired = True
        self._worker.terminate()


@contextmanager
def temporary_process(
    workers: WorkerPool, folder: Path, spec: Mapping[str, Any], files: Sequence[int] = (), *, memory: str | None = None
) -> Iterator[DatasetProcess]:
    """Give a process that has no data set open, for what is read once."""
    process = DatasetProcess(workers, folder, {"place": None, **spec}, files, memory=memory)
    try:
        yield process
    finally:
        process.close()
