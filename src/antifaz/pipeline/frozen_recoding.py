"""A decided recoding as a document: what was asked, what every value became, and which classes were released.

It names values of the data, so it belongs to whoever holds the data: it is never among the files of a release.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.files import replace_file
from antifaz.core.recoding import Recoding
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.core.version import VERSION
from antifaz.hierarchies import describe, parse
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.state import Recoded
from antifaz.privacy import MODELS, PrivacyModel
from antifaz.releases.gate import model_as_data

#: How many records a row of counts stands for.
COUNT = "records"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class FrozenColumn(_Part):
    """What a column is, and what each of its values became."""

    role: str
    type: str
    #: The level of the hierarchy at which its values are released, null where each has its own; and the hierarchy as a
    #: project file says it.
    level: int | None = Field(default=0, ge=0)
    hierarchy: dict[str, Any] | None = None
    #: Per label the values that it was released for.
    labels: dict[str, list[str]] = Field(default_factory=dict)

    def seen(self) -> dict[str, str]:
        """Return every value that was there, with its label."""
        return {value: label for label, values in self.labels.items() for value in values}

    def builder(self) -> HierarchyBuilder:
        """Return the hierarchy."""
        return parse(self.hierarchy)


class ReleasedClasses(_Part):
    """The classes that were released, by labels and sensitive values, with how many records have them."""

    columns: list[str]
    classes: list[list[str | int | None]]

    def table(self) -> pa.Table:
        """Return the counts as a table of texts, and `COUNT`."""
        each = [[row[i] for row in self.classes] for i in range(len(self.columns) + 1)]
        texts = {name: pa.array(cells, pa.string()) for name, cells in zip(self.columns, each[:-1], strict=True)}
        return pa.table({**texts, COUNT: pa.array(each[-1], pa.int64())})


class FrozenRecoding(_Part):
    """A decided recoding: `save` it, and `antifaz.apply` it to rows that come later."""

    antifaz_recoding: Literal[1] = 1
    #: The version of the program that decided.
    version: str = VERSION
    name: str
    method: dict[str, Any]
    privacy: list[dict[str, Any]]
    columns: dict[str, FrozenColumn]
    #: Columns whose missing values leave a record out.
    missing: dict[str, Literal["drop"]] = Field(default_factory=dict)
    released: ReleasedClasses

    @property
    def roles(self) -> dict[str, str]:
        """The role of every column."""
        return {name: column.role for name, column in self.columns.items()}

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the table."""
        return tuple(name for name, column in self.columns.items() if column.role == Role.QUASI_IDENTIFIER)

    @property
    def levels(self) -> dict[str, int]:
        """The level of every quasi-identifier that has one for all of its values."""
        levels = {name: self.columns[name].level for name in self.quasi_identifiers}
        return {name: level for name, level in levels.items() if level is not None}

    @property
    def types(self) -> dict[str, DataType]:
        """The type of every column."""
        return {name: DataType(column.type) for name, column in self.columns.items()}

    def models(self) -> list[PrivacyModel]:
        """Return the models that were asked for."""
        asked = [dict(each) for each in self.privacy]
        return [MODELS.make(str(each.pop("model")), each) for each in asked]

    def save(self, path: str | Path) -> Path:
        """Write it to a file that only its owner can read: it names values of the data."""
        place = Path(path)
        text = json.dumps(self.model_dump(exclude_defaults=False), ensure_ascii=False, indent=1)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            replace_file(place, text.encode("utf-8") + b"\n")
        except OSError as error:
            raise InputError("file.not-writable", path=str(place), reason=error.strerror) from None
        return place


def load_recoding(path: str | Path) -> FrozenRecoding:
    """Read a recoding that was saved; an error quotes nothing of it."""
    try:
        return FrozenRecoding.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise InputError("recoding.not-readable", path=str(path), reason=error.strerror) from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors(include_input=False)[0]["loc"][:2]))
        raise InputError("recoding.not-understood", path=Path(path).name, where=where or "-") from None


def freeze(state: Recoded, rows: pa.Table) -> FrozenRecoding:
    """Return what was decided as a document; `rows` are the released rows. Raise for what no later row can follow."""
    plan, decided = state.plan, state.decided
    if decided is None or state.recoding is None:
        raise ParameterError("recoding.light-decides-nothing")
    recoding, levels = state.recoding, decided.decision.details.get("levels", {})
    local = recoding.tuples or recoding.rows or recoding.stored
    if plan.earlier is not None:
        raise ParameterError("recoding.frozen-already")
    if plan.microaggregate:
        raise ParameterError("microaggregate.not-frozen")
    if local is not None or not set(plan.quasi_identifiers) <= set(plan.hierarchies):
        raise ParameterError("recoding.method-not-frozen", method=plan.method.name)
    _refuse(plan)
    learnt = {ladder.column: ladder for ladder in decided.decision.table.ladders}
    names = (*plan.quasi_identifiers, *plan.sensitive)
    return FrozenRecoding(
        name=plan.name,
        method={"name": plan.method.name, **plan.method.parameters()},
        privacy=[model_as_data(model) for model in plan.models],
        columns={c.name: _column(plan, c.name, recoding, levels, learnt.get(c.name)) for c in plan.schema},
        missing={name: way for name, way in plan.missing.items() if way == "drop"},
        released=released_classes(rows, names, plan.types),
    )


def _refuse(plan: Plan) -> None:
    filled = [name for name, way in plan.missing.items() if way in ("most-frequent", "median")]
    if filled:
        raise ParameterError("recoding.filled-from-the-data", name=filled[0])
    if plan.sets:
        raise ParameterError("sets.not-frozen")
    if plan.operations or plan.perturbed:
        raise ParameterError("recoding.operations-not-frozen")
    if plan.person:
        # Classes are kept as counts of rows: whose they were is not in the release.
        raise ParameterError("recoding.people-not-counted-together", name=plan.person[0])
    for model in plan.models:
        asks_more = model.whole_table or model.needs_tree or model.needs_levels
        if asks_more or model.population_path or model.any_columns:
            raise ParameterError("recoding.model-not-judged-together", model=model.name)


def _column(plan: Plan, name: str, recoding: Recoding, levels: Mapping[str, int], ladder: Any) -> FrozenColumn:
    column = plan.schema[name]
    own: dict[str, Any] = {"role": str(column.role), "type": str(column.type)}
    mapped = next((each for each in recoding.columns if each.column == name), None)
    if mapped is None:
        return FrozenColumn(**own)
    labels: dict[str, list[str]] = {}
    for value, label in zip(mapped.values, mapped.labels, strict=True):
        text = canonical(value, column.type)
        if text is not None and label is not None and text not in labels.setdefault(label, []):
            labels[label].append(text)
    return FrozenColumn(
        **own,
        level=0 if mapped.keeps_type else levels.get(name),
        hierarchy=_hierarchy(plan, name, labels, ladder),
        labels=labels,
    )


def _hierarchy(plan: Plan, name: str, labels: Mapping[str, Sequence[str]], ladder: Any) -> dict[str, Any]:
    """Return the hierarchy as it is declared; as a table where a file or the data made it, which may change."""
    builder = plan.hierarchies[name]
    if builder.needs_target:
        # Of values that were there, all that was learnt: code after code, its label at every level.
        codes = range(ladder.up[0].size)
        paths = [[ladder.labels[h][ladder.up[h][code]] for h in range(ladder.height + 1)] for code in codes]
        return {"table": [path for path in paths if path[0] is not None]}
    if builder.needs_data:
        return describe(builder)
    built = builder.build([value for values in labels.values() for value in values], plan.schema[name].type)
    return {"table": [list(path) for path in built.paths()]}


def released_classes(rows: pa.Table, names: Sequence[str], types: Mapping[str, DataType]) -> ReleasedClasses:
    """Count released rows by some columns, as texts."""
    texts = spelled(rows, names, types)
    counted = texts.group_by(list(names), use_threads=False).aggregate([([], "count_all")])
    found = zip(*(counted.column(name).to_pylist() for name in (*names, "count_all")), strict=True)
    ordered = sorted(found, key=lambda row: [(cell is None, str(cell)) for cell in row[:-1]])
    return ReleasedClasses(columns=list(names), classes=[list(row) for row in ordered])


def spelled(rows: pa.Table, names: Sequence[str], types: Mapping[str, DataType]) -> pa.Table:
    """Return columns as texts, numbers in the one spelling that they are counted under, whatever file they are from."""
    columns = {}
    for name in names:
        coded = rows.column(name).combine_chunks().cast(pa.string()).dictionary_encode()
        kind = types[name] if types[name].is_number else DataType.TEXT
        words = pa.array([canonical(text, kind) for text in coded.dictionary.to_pylist()], pa.string())
        columns[name] = words.take(coded.indices)
    return pa.table(columns)
