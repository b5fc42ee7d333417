"""Other programs' inputs, run as they are: what `az.compat` offers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError, ProjectError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.counting.filling import Way
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data
from antifaz.hierarchies import information_gain
from antifaz.methods import Specialization
from antifaz.pipeline.plan import Plan, make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.privacy import KAnonymity
from antifaz.projects.importers.spark_tptds_schema import DataInformation, check_information, check_trees, read_object
from antifaz.projects.project import within

#: How the document's data spells what is missing, beside the empty field.
MISSING = ("?",)


def spark_tptds(
    data_information: Mapping[str, Any] | str | Path,
    categorical_trees: Mapping[str, Any] | str | Path,
    *,
    k: int,
    k_first: int | None = None,
    out: str | Path | None = None,
    depth: int = 3,
    seed: int | None = None,
    engine: str | None = None,
    session: Any = None,
    progress: Progress | None = None,
) -> Release:
    """Run SparkTPTDS's own input: two-phase top-down specialization of level cuts, chosen by IGPL.

    Args:
        data_information: The document's object, or the path of a JSON file with it.
        categorical_trees: The document's object, or the path of a JSON file with it.
        k: The smallest class of the release.
        k_first: The smallest class within a partition; k when left out.
        out: The folder that the release's own folder is made in; that of the data when left out.
        depth: How often the range of a continuous attribute is cut in two.
        seed: Makes the run repeatable; a secure one is drawn when left out.
        engine: local or spark; as the data's path says when left out.
        session: A Spark session to use.
        progress: Told of every step.
    """
    progress, folder = progress or Progress(), _folder(data_information)
    wanted = check_information(_object(data_information, "data_information"))
    grown = check_trees(_object(categorical_trees, "categorical_trees"), wanted)
    _check_k(k, k_first)
    place = within(folder, wanted.file_path)
    with progress.step("read", Message("progress.reading")):
        opened = open_data(place, **_reading(wanted, engine, session))
    plan = _plan(opened, wanted, {**grown, **_numeric(wanted, depth)}, k, k_first, seed)
    release = Release(start_run(plan, opened, progress))
    if wanted.save_anonymization_result:
        place = _target(out, folder, result_name(wanted.result_file_name, k, date.today()))
        release.save(place)
        release.evidence |= {"folder": str(place)}
    else:
        release.check()
    return release


def run_spark_tptds(*, data_information: Path, categorical_trees: Path, **options: Any) -> dict[str, Any]:
    """Run SparkTPTDS's input from two files; return the evidence, with `folder` where something was saved."""
    return spark_tptds(data_information, categorical_trees, **options).evidence


def result_name(name: str, k: int, day: date) -> str:
    """Return the name of a result with k and the date of its run."""
    return f"{name}_k{k}_{day.isoformat()}"


def _object(given: Mapping[str, Any] | str | Path, what: str) -> Any:
    return read_object(Path(given), what) if isinstance(given, str | Path) else given


def _folder(given: Mapping[str, Any] | str | Path) -> Path:
    """The folder that paths are relative to: that of the file, or the one at hand."""
    return Path(given).resolve().parent if isinstance(given, str | Path) else Path.cwd()


def _target(out: str | Path | None, folder: Path, name: str) -> str | Path:
    if out is None:
        return folder / name
    return f"{str(out).rstrip('/')}/{name}" if "://" in str(out) else Path(out) / name


def _check_k(k: int, k_first: int | None) -> None:
    KAnonymity(k)
    if k_first is not None and k_first < k:
        raise ParameterError("project.k-first-below-k", k=k, k_first=k_first)


def _reading(wanted: DataInformation, engine: str | None, session: Any) -> dict[str, Any]:
    name = engine or ("spark" if session is not None else None)
    if session is not None and name != "spark":
        raise ParameterError("project.session-needs-spark")
    options: dict[str, Any] = {"engine": name} | ({"session": session} if session is not None else {})
    types = dict.fromkeys(wanted.categorical_attributes, DataType.TEXT)
    return options | {"types": types, "missing": MISSING if wanted.dataset_missing_values else ()}


def _numeric(wanted: DataInformation, depth: int) -> dict[str, Any]:
    return {name: information_gain(depth, target=wanted.sensitive_attributes) for name in wanted.continous_attributes}


def _plan(
    opened: Data, wanted: DataInformation, hierarchies: dict[str, Any], k: int, k_first: int | None, seed: int | None
) -> Plan:
    """Check what is wanted against the table."""
    if k > opened.rows:
        raise ParameterError("project.k-above-records", k=k, rows=opened.rows)
    known = (*wanted.categorical_attributes, *wanted.continous_attributes)
    roles = dict.fromkeys(known, Role.QUASI_IDENTIFIER)
    roles |= dict.fromkeys(wanted.attributes_to_remove, Role.IDENTIFIER)
    roles |= dict.fromkeys(wanted.sensitive_attributes, Role.SENSITIVE)
    opened.schema.require(list(roles))
    for name in wanted.continous_attributes:
        if not opened.schema[name].type.is_number:
            raise ProjectError("data-information.not-numbers", name=name)
    two = {"phases": 2, "partitions": wanted.partitions, "k_first": k_first or k} if wanted.partitions > 1 else {}
    filled: dict[str, Way] = dict.fromkeys(known, "most-frequent") if wanted.dataset_missing_values else {}
    return make_plan(
        opened.schema,
        roles=roles,
        hierarchies=hierarchies,
        privacy=[KAnonymity(k)],
        method=Specialization(cut="level", score="igpl", target=wanted.sensitive_attributes, **two),
        seed=seed,
        name=wanted.result_file_name,
        missing=filled,
    )
