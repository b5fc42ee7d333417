"""Use cases on tables of counts and sums: of a frame, or of a file into a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.hierarchies import HierarchyBuilder, flat, parse
from antifaz.ledger.ledger import Ledger, default_ledger
from antifaz.tabulation import CellSuppression, Protection, SensitivityRule, protection_of, rules_of
from antifaz.tabulation.cell_counts import TabulationRequest
from antifaz.tabulation.earlier_tables import EarlierTable, read_earlier
from antifaz.tabulation.release import TabulationRelease, release_tables, save_tables


def tabulate(
    data: Any,
    dimensions: Sequence[str] | Mapping[str, Any],
    *,
    measure: str | None = None,
    person: str | Sequence[str] = (),
    rules: SensitivityRule | Sequence[SensitivityRule] = (),
    protection: Protection | None = None,
    seed: int | None = None,
    name: str = "table",
    progress: Progress | None = None,
) -> TabulationRelease:
    """Count or sum by some columns, with all totals, and return a table that no sensitive cell can be computed from.

    Args:
        data: A pandas, polars or pyarrow table, a path, or what `open` returned.
        dimensions: The columns to count by; as a mapping, each with its hierarchy, whose labels become subtotals.
        measure: The column to sum; records, or people, are counted when left out.
        person: The columns that tell people apart: then people are counted, and are the contributors to sums.
        rules: What makes a cell sensitive: `Threshold`, `Dominance`, `PPercent`.
        protection: `CellSuppression` (when left out), `CellRounding`, `CellKeyNoise`, or by differential privacy
            `LaplaceNoise`, `GaussianNoise`.
        seed: Makes random rounding repeatable; a secure one is drawn when left out.
        name: What the table is called in its evidence.
        progress: Told of every step.
    """
    request = TabulationRequest(
        dimensions=_dimensions(dimensions), measure=measure,
        person=(person,) if isinstance(person, str) else tuple(person),
        rules=(rules,) if isinstance(rules, SensitivityRule) else tuple(rules),
        protection=CellSuppression() if protection is None else protection, seed=seed, name=name,
    )  # fmt: skip
    request.check()
    if isinstance(data, Data):
        return release_tables(data, [request], progress)[0]
    progress = progress or Progress()
    with progress.step("read", Message("progress.reading")):
        opened = open_data(data)
    with opened:
        return release_tables(opened, [request], progress)[0]


def tabulate_file(
    place: str | Path,
    out: str | Path,
    dimensions: Mapping[str, Any],
    *,
    rules: Sequence[Mapping[str, Any]] = (),
    protection: Mapping[str, Any] | None = None,
    format: str = "csv",
    language: str = "en",
    progress: Progress | None = None,
    measure: str | None = None,
    person: Sequence[str] = (),
    seed: int | None = None,
    dataset: str | None = None,
    to: str | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Tabulate a file into a folder and return the evidence; rules and protection are given as data, by name.

    The table is a draft of the user's ledger, or with `to` registered there as handed out to somebody.
    """
    ledger = default_ledger()
    named = dataset or ("" if ledger is None else ledger.name_of(str(Path(str(place)).absolute())))
    request = TabulationRequest(
        dimensions=_dimensions(dimensions), measure=measure, person=tuple(person), seed=seed,
        rules=tuple(rules_of(rules)), protection=protection_of(protection), name=Path(str(place)).stem,
    )  # fmt: skip
    with open_data(place, **reading) as data:
        (release,) = release_tables(data, [request], progress, earlier_tables(ledger, named))
        folder = release.save(out, format, language=language, ledger=ledger, dataset=named, to=to)
    return release.evidence | {"folder": str(folder)}


def tabulate_tables(
    path: str | Path, out: str | Path | None = None, *, to: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Make the tables that a file describes, protected and attacked together, and return the evidence of all.

    Args:
        path: The file, with `kind: tables`.
        out: The folder to write, instead of the file's; each table has a folder in it.
        to: Who gets them, instead of what the file says; each is a draft where neither says it.
        progress: Told of every step.
    """
    from antifaz.projects.tabulation_file import load_tabulation

    loaded = load_tabulation(Path(path))
    file, ledger = loaded.file, default_ledger()
    place = file.source.place(loaded.folder)
    named = file.dataset or ("" if ledger is None else ledger.name_of(str(place)))
    target = loaded.folder / file.release.path if out is None else Path(out)
    with open_data(place, types=file.types, **file.source.options()) as data:
        releases = release_tables(data, loaded.requests, progress, earlier_tables(ledger, named))
        return save_tables(
            releases, target, file.release.format, name=file.name, language=file.language, ledger=ledger,
            dataset=named, to=to or file.release.to,
        )  # fmt: skip


def earlier_tables(ledger: Ledger | None, dataset: str) -> list[EarlierTable]:
    """Return the tables of a data set that were handed out, as far as their files are still there."""
    if ledger is None or not dataset:
        return []
    earlier = [read_earlier(row) for row in ledger.handed_out() if row["dataset"] == dataset]
    return [table for table in earlier if table is not None]


def check_tabulation(
    dimensions: Sequence[str] | Mapping[str, Any],
    *,
    measure: str | None = None,
    person: Sequence[str] = (),
    rules: Sequence[Mapping[str, Any]] = (),
    protection: Mapping[str, Any] | None = None,
) -> None:
    """Refuse what can't be meant, before any data is opened."""
    TabulationRequest(
        dimensions=_dimensions(dimensions), measure=measure, person=tuple(person), rules=tuple(rules_of(rules)),
        protection=protection_of(protection),
    ).check()  # fmt: skip


def _dimensions(dimensions: Sequence[str] | Mapping[str, Any]) -> dict[str, HierarchyBuilder]:
    if isinstance(dimensions, str):
        dimensions = [dimensions]
    if isinstance(dimensions, Mapping):
        return {name: flat() if spec is None else parse(spec) for name, spec in dimensions.items()}
    twice = next((name for name in dimensions if list(dimensions).count(name) > 1), None)
    if twice is not None:
        raise ParameterError("tabulation.column-twice", column=twice)
    return {name: flat() for name in dimensions}
