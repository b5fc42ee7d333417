"""SparkTPTDS's inputs, run as they are: what `az.compat` offers; they are published as JSON Schemas too."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from antifaz.core.errors import HierarchyError, ParameterError, ProjectError, hint
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.counting.filling import Way
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.hierarchies import information_gain
from antifaz.hierarchies.tree import Tree
from antifaz.ledger.check import LedgerCheck
from antifaz.ledger.ledger import Ledger, default_ledger
from antifaz.methods import Specialization
from antifaz.pipeline.plan import Plan, make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.privacy import KAnonymity
from antifaz.projects.project import within
from antifaz.projects.yaml_file import first_problem

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
    master: str | None = None,
    session: Any = None,
    ledger: Ledger | str | Path | bool | None = None,
    despite: str | None = None,
    report: Mapping[str, Any] | None = None,
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
        master: Where a Spark session that is made here runs, such as local[2] or yarn.
        session: A Spark session to use.
        ledger: The ledger that a saved release is checked with; True is the user's own. It is a draft there, until
            `hand_out` registers who gets it.
        despite: Why to hand out even where earlier releases break k; it is recorded.
        report: language, recipient, pdf and attacks of the report.
        progress: Told of every step.
    """
    progress, folder = progress or Progress(), _folder(data_information)
    wanted = check_information(read_object(data_information, "data_information"))
    grown = check_trees(read_object(categorical_trees, "categorical_trees"), wanted)
    KAnonymity(k)  # raises where it is none
    if k_first is not None and k_first < k:
        raise ParameterError("project.k-first-below-k", k=k, k_first=k_first)
    place = within(folder, wanted.file_path)
    check = _ledger_check(place, ledger, despite) if wanted.save_anonymization_result else None
    with progress.step("read", Message("progress.reading")):
        opened = open_data(place, **_reading(wanted, engine, master, session))
    cut = information_gain(depth, target=wanted.sensitive_attributes)
    hierarchies = {**grown, **dict.fromkeys(wanted.continous_attributes, cut)}
    plan = _plan(opened, wanted, hierarchies, k, k_first, seed)
    release = Release(start_run(plan, opened, progress))
    if wanted.save_anonymization_result:
        target = _target(out, folder, result_name(wanted.result_file_name, k, date.today()))
        release.save(target, ledger=check, **(report or {}))
        release.evidence |= {"folder": str(target)}
    else:
        release.check()
    return release


def run_spark_tptds(*, data_information: Path, categorical_trees: Path, **options: Any) -> dict[str, Any]:
    """Run SparkTPTDS's input from two files; return the evidence, with `folder` where something was saved."""
    return spark_tptds(data_information, categorical_trees, **options).evidence


def result_name(name: str, k: int, day: date) -> str:
    """Return the name of a result with k and the date of its run."""
    return f"{name}_k{k}_{day.isoformat()}"


def _folder(given: Mapping[str, Any] | str | Path) -> Path:
    """The folder that paths are relative to: that of the file, or the one at hand."""
    return Path(given).resolve().parent if isinstance(given, str | Path) else Path.cwd()


def _target(out: str | Path | None, folder: Path, name: str) -> str | Path:
    if out is None:
        return folder / name
    return f"{str(out).rstrip('/')}/{name}" if "://" in str(out) else Path(out) / name


def _ledger_check(
    place: str | Path, ledger: Ledger | str | Path | bool | None, despite: str | None
) -> LedgerCheck | None:
    known = default_ledger() if ledger is True else ledger or None
    if known is None:
        return None
    known = known if isinstance(known, Ledger) else Ledger(known)
    return known.new_check(dataset=known.name_of(str(place)), despite=despite)


def _reading(wanted: "DataInformation", engine: str | None, master: str | None, session: Any) -> dict[str, Any]:
    sparks = {key: value for key, value in (("session", session), ("master", master)) if value is not None}
    options: dict[str, Any] = {"engine": engine or ("spark" if sparks else None), **sparks}
    if sparks and options["engine"] != "spark":
        raise ParameterError("project.session-needs-spark" if session is not None else "project.master-needs-spark")
    types = dict.fromkeys(wanted.categorical_attributes, DataType.TEXT)
    return options | {"types": types, "missing": MISSING if wanted.dataset_missing_values else ()}


def _plan(
    opened: Data, wanted: "DataInformation", hierarchies: dict[str, Any], k: int, k_first: int | None, seed: int | None
) -> Plan:
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
    partitions = wanted.partitions or min(opened.partitions, 10_000)
    two = {"phases": 2, "partitions": partitions, "k_first": k_first or k} if partitions > 1 else {}
    filled: dict[str, Way] = dict.fromkeys(known, "most-frequent") if wanted.dataset_missing_values else {}
    method = Specialization(cut="level", score="igpl", target=wanted.sensitive_attributes, **two)
    return make_plan(
        opened.schema, roles=roles, hierarchies=hierarchies, privacy=[KAnonymity(k)], method=method, seed=seed,
        name=wanted.result_file_name, missing=filled, others="release",
    )  # fmt: skip


# -- what the two objects say

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: What is said of this format alone.
_WORDS = {"string_pattern_mismatch": Message("expected.plain-name")}
_LISTS = ("attributes_to_remove", "sensitive_attributes", "categorical_attributes", "continous_attributes")


class DataInformation(BaseModel):
    """What `data_information` holds, under the keys of the document (`continous_attributes` is spelled so there)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    attributes_to_remove: tuple[str, ...] = Field(strict=False, description="Columns that are not released.")
    sensitive_attributes: tuple[str, ...] = Field(
        strict=False, min_length=1, description="Columns that make up the sensitive value, taken together as a tuple."
    )
    categorical_attributes: tuple[str, ...] = Field(
        strict=False, description="Quasi-identifiers that are categories; each has a tree in categorical_trees."
    )
    continous_attributes: tuple[str, ...] = Field(
        strict=False, description="Quasi-identifiers that are numbers; their trees are made from the data."
    )
    dataset_missing_values: bool = Field(
        description="Whether values are missing ('?' or empty): then filled with the attribute's most frequent one."
    )
    save_anonymization_result: bool = Field(description="Whether the release is written, or only returned.")
    result_file_name: str = Field(
        min_length=1, pattern=r"^[^/\\]+$", description="The name of the result; k and the date of the run are added."
    )
    partitions: int | None = Field(
        default=None, ge=1, le=10_000, description="How many parts the first phase works on; 1 means a single phase. "
        "When left out as many as Spark has put the rows in; one on one machine.",
    )  # fmt: skip
    file_path: str = Field(
        min_length=1,
        description="The data: CSV, or JSON as an array or with an object per line; relative to this file.",
    )

    @model_validator(mode="after")
    def _one_role(self) -> Self:
        named = [(name, key) for key in _LISTS for name in getattr(self, key)]
        first: dict[str, str] = {}
        for name, key in named:
            if name in first:
                raise ProjectError("data-information.named-twice", name=name, first=first[name], key=key)
            first[name] = key
        if not self.categorical_attributes and not self.continous_attributes:
            raise ProjectError("data-information.no-attributes")
        return self


def check_information(given: Mapping[str, Any]) -> DataInformation:
    """Check `data_information`, or say which key is wrong and what was expected."""
    if not isinstance(given, Mapping):
        raise ProjectError("data-information.not-an-object")
    try:
        return DataInformation.model_validate(dict(given))
    except ValidationError as error:
        kind, place, expected = first_problem(error, _WORDS)
    key = ".".join(map(str, place))
    if kind == "extra_forbidden":
        raise ProjectError("data-information.unknown-key", key=key, hint=hint(key, DataInformation.model_fields))
    if kind == "missing":
        raise ProjectError("data-information.key-needed", key=key)
    raise ProjectError("data-information.key-wrong", key=key, what=expected)


def check_trees(given: Mapping[str, Any], wanted: DataInformation) -> dict[str, Tree]:
    """Check `categorical_trees`: one balanced tree for each categorical attribute, and for nothing else."""
    if not isinstance(given, Mapping):
        raise ProjectError("categorical-trees.not-an-object")
    for name in given:
        if name not in wanted.categorical_attributes:
            near = hint(name, wanted.categorical_attributes)
            raise ProjectError("categorical-trees.unknown-attribute", name=name, near=near)
    trees = {}
    for name in wanted.categorical_attributes:
        if name not in given:
            raise ProjectError("categorical-trees.tree-needed", name=name)
        try:
            trees[name] = Tree(root=given[name])
        except HierarchyError as error:
            raise HierarchyError("categorical-trees.tree-wrong", values=error.values, name=name, error=error) from None
    return trees


def read_object(given: Mapping[str, Any] | str | Path, what: str) -> Any:
    """Return an object, or that of a JSON file, or say why it can't be read."""
    if not isinstance(given, str | Path):
        return given
    path = Path(given)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        about = {"what": what, "path": str(path), "reason": error.strerror}
        raise ProjectError("project.other-file-not-readable", **about) from None
    except json.JSONDecodeError as error:
        raise ProjectError("project.not-json", file=path.name, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError:
        raise ProjectError("project.not-utf-8", file=path.name) from None


def data_information_schema() -> dict[str, Any]:
    """Return the JSON Schema of `data_information`."""
    return {"$schema": _DRAFT, **DataInformation.model_json_schema(), "title": "data_information"}


def categorical_trees_schema() -> dict[str, Any]:
    """Return the JSON Schema of `categorical_trees`; that trees are balanced is checked beyond it."""
    node = {
        "type": "object",
        "properties": {
            "value": {"type": ["string", "number"], "description": "The label; at a leaf, a value of the data."},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "description": "Leaves have none."},
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {
        "$schema": _DRAFT,
        "title": "categorical_trees",
        "description": "Per categorical attribute its tree; all leaves at one depth, no value twice in a level.",
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/node"},
        "$defs": {"node": node},
    }
