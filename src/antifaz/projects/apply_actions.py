"""Use cases on a frozen recoding: it is applied to rows that come later, of a frame or of a file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import file_sha256
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.types import DataType
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.ledger.ledger import default_ledger
from antifaz.pipeline.apply_recoding import apply_recoding, recode_in_order
from antifaz.pipeline.frozen_recoding import FrozenRecoding, load_recoding
from antifaz.pipeline.release import Release
from antifaz.sources.frames import kind_of, to_kind


def apply(
    recoding: FrozenRecoding | str | Path,
    data: Any,
    *,
    earlier: Sequence[Any] = (),
    suppression: float = 1.0,
    seed: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Recode rows that come later as earlier ones were, and return a release that holds together with those, or raise.

    Args:
        recoding: `release.recoding`, or the file that it was saved to.
        data: A pandas, polars or pyarrow table, a path, or what `open` returned: new rows of the same columns.
        earlier: All tables or files released before under this recoding; when left out, the one that it was decided on.
        suppression: The largest share of the new rows that may be left out because too few are like them in the union.
        seed: Makes the order of rows repeatable; a secure one is drawn when left out.
        name: What the release is called in its evidence; as the earlier one when left out.
        progress: Told of every step.
    """
    frozen = recoding if isinstance(recoding, FrozenRecoding) else load_recoding(recoding)
    progress = progress or Progress()
    with ExitStack() as opened:
        before = [_rows(opened, place, frozen) for place in _once(earlier)]
        with progress.step("read", Message("progress.reading")):
            rows = data if isinstance(data, Data) else _opened(data, frozen)
        options: dict[str, Any] = {"suppression": suppression, "seed": seed, "name": name, "progress": progress}
        release = apply_recoding(frozen, rows, earlier=before, **options)
    release.check()
    return release


def apply_to_file(
    recoding: Path,
    data: str | Path,
    out: str | Path,
    *,
    earlier: Sequence[Path] = (),
    to: str | None = None,
    despite: str | None = None,
    suppression: float = 1.0,
    seed: int | None = None,
    report: dict[str, Any] | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Recode the rows of a file as earlier ones were, release them into a folder, and return the evidence.

    The user's ledger is asked, as for every release: it is a draft, or handed out `to` somebody.
    """
    frozen, ledger = load_recoding(recoding), default_ledger()
    check = None
    if ledger is not None:
        named = ledger.name_of(str(recoding.resolve()))
        check = ledger.new_check(dataset=named, to=to, despite=despite)
    with _opened(data, frozen, **reading) as rows:
        release = apply(frozen, rows, earlier=earlier, suppression=suppression, seed=seed, progress=progress)
        folder = release.save(out, ledger=check, **(report or {}))
    return release.evidence | {"folder": str(folder)}


def recode_frame(recoding: FrozenRecoding, frame: Any) -> Any:
    """Return a frame recoded row by row, for whoever trains on it; see `recode_in_order`. It is no release."""
    with open_data(frame) as data:
        table, _ = recode_in_order(recoding, data)
    return to_kind(table, kind_of(frame) or "pyarrow")


def _opened(data: Any, frozen: FrozenRecoding, **reading: Any) -> Data:
    """Open new rows, with their columns understood as those of the earlier rows were."""
    if isinstance(data, str | Path):
        reading["types"] = {**frozen.types, **reading.get("types", {})}
    return open_data(data, **reading)


def _rows(opened: ExitStack, place: Any, frozen: FrozenRecoding) -> Any:
    """Read the columns of an earlier release that are counted, as texts."""
    columns = frozen.released.columns
    types = {"types": dict.fromkeys(columns, DataType.TEXT)} if isinstance(place, str | Path) else {}
    data = opened.enter_context(open_data(place, engine="local", **types))
    data.schema.require(columns)
    return data.cells(columns)


def _once(earlier: Sequence[Any]) -> Sequence[Any]:
    """Refuse a file that is given twice: its people would count twice."""
    seen: set[str] = set()
    for place in earlier:
        if not isinstance(place, str | Path) or not Path(place).is_file():
            continue
        digest = file_sha256(Path(place))
        if digest in seen:
            raise InputError("recoding.given-twice", file=Path(place).name)
        seen.add(digest)
    return earlier
