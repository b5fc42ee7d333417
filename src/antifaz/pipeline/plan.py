"""A plan: what is wanted of one table, checked against that table before any work."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

from antifaz.core.errors import AntifazError, HierarchyError, ParameterError, SchemaError, hint
from antifaz.core.item_options import Items
from antifaz.core.messages import Message
from antifaz.core.randomness import fresh_seed
from antifaz.core.roles import Role
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.counting.domains import Domain
from antifaz.counting.filling import Way
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.group_labels import Release
from antifaz.counting.rollup import Ladder
from antifaz.counting.targets import cross, target_of
from antifaz.hierarchies import parse as parse_hierarchy
from antifaz.hierarchies.binding import bind, bind_sensitive
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.methods.method import Method
from antifaz.methods.operations.operation import Operation, operation_warnings, protects
from antifaz.pipeline.hardening import Hardening
from antifaz.pipeline.microaggregation import check_microaggregated
from antifaz.pipeline.people import LeaveOut, check_left_out, check_people, people_warnings
from antifaz.pipeline.set_columns import check_sets, class_models, items_of, sets_of, with_sets
from antifaz.privacy import PrivacyModel
from antifaz.privacy.model import largest_class_size
from antifaz.privacy.people import by_people
from antifaz.proposals.presets import PresetChoice

#: What becomes of columns that nobody named: an error lists them, they are left out, or released as they are.
Others = Literal["refuse", "drop", "release"]
#: Errors about columns that nobody decided about, which their messages list.
UNANSWERED = ("plan.columns-not-named", "plan.columns-undecided")
#: Said wherever a light release is told of.
NOT_EVALUATED = Message("warning.light-release")


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Roles, hierarchies, models and method for one table."""

    schema: Schema
    hierarchies: Mapping[str, HierarchyBuilder]
    models: tuple[PrivacyModel, ...]
    method: Method
    seed: int
    name: str = "release"
    controller: Mapping[str, str] | None = None
    #: Whom the release is for: known, many or public; None where nobody said.
    audience: str | None = None
    #: The rule whose clauses the report judges.
    preset: PresetChoice | None = None
    warnings: tuple[str, ...] = ()
    #: What becomes of records in which a quasi-identifier is missing; those not named keep it as a value of its own.
    missing: Mapping[str, Way] = field(default_factory=dict)
    #: Quasi-identifiers that are not generalized but released as one value of each class.
    microaggregate: Mapping[str, Release] = field(default_factory=dict)
    #: What was done to the cells of columns before.
    operations: Mapping[str, Sequence[Operation]] = field(default_factory=dict)
    #: What is told of the perturbations that were done: settings, measures, pictures; no value of the data.
    perturbed: Sequence[Mapping[str, Any]] = ()
    #: Whether operations are all there is: nothing is generalized, and no privacy evaluated.
    light: bool = False
    #: The most rows of a person that are used, drawn at random; None for all.
    limit_rows: int | None = None
    #: How many times k the method is asked for, where the table must also hold k together with others.
    stricter: int = 1
    #: Per column of sets, how its cells are written and what may become of their items.
    items: Mapping[str, Items] = field(default_factory=dict)
    #: What is left out where something fails: its rows, or everybody who has one of them, with all rows.
    leave_out: LeaveOut = "rows"
    #: Of a survey: the column with the sampling weight, and the one that says which records are of one household.
    weight: str | None = None
    household: str | None = None
    #: Whether the method decides without seeing sensitive values, by a secret margin and with secret ties.
    hardened: bool = False
    #: The classes that were released before under the same recoding, with which the gate judges; None: by itself.
    earlier: Any = field(default=None, repr=False)
    #: Hierarchies of sensitive attributes that were built, each with the values that it was built for.
    _trees: dict[str, tuple[Sequence[str], Hierarchy]] = field(default_factory=dict, repr=False)

    @cached_property
    def hardening(self) -> Hardening:
        """What is hidden from the method, and of it."""
        return Hardening(self.hardened, self.seed, self.method.name)

    @cached_property
    def asked_models(self) -> tuple[PrivacyModel, ...]:
        """The models that the method is asked for: those promised, or in a hardened run what it may know of them."""
        models = self.hardening.raise_models(self.class_models)
        if self.stricter > 1:
            sizes = [(model, model.class_size) for model in models]
            models = tuple(m if k is None else m.with_class_size(k * self.stricter) for m, k in sizes)
        # What a class is released with after the method decided is nothing that it could compare.
        if self.microaggregate or not self.method.compares_classes:
            models = tuple(model.in_classes() for model in models)
        return tuple(map(by_people, models)) if self.person else models

    @cached_property
    def class_models(self) -> tuple[PrivacyModel, ...]:
        """The models as they are asked of the classes alone; where items are known, they are judged beside these."""
        return class_models(self.models, self.sets, self.person, self.quasi_identifiers)

    @cached_property
    def column_order(self) -> tuple[str, ...]:
        """The quasi-identifiers in the order that the method sees them in, which is how it breaks ties."""
        return self.hardening.random_ties(self.quasi_identifiers)

    def digest(self) -> bytes:
        """Return a digest of the models and the method."""
        asked: list[Any] = [[part.name, part.parameters()] for part in (self.method, *self.models)]
        if self.hardened:
            asked.append("hardened")
        if self.limit_rows is not None:
            asked.append(["limit-rows", self.limit_rows])
        asked.extend([name, own.model_dump()] for name, own in self.items.items())
        if self.leave_out != "rows":
            asked.append(["leave-out", self.leave_out])
        if self.microaggregate:
            asked.append(["microaggregate", dict(self.microaggregate)])
        return hashlib.blake2b(json.dumps(asked, sort_keys=True, default=str).encode(), digest_size=16).digest()

    @cached_property
    def types(self) -> dict[str, DataType]:
        """The types of the columns."""
        return {column.name: column.type for column in self.schema}

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers that make the classes, in the order of the table; sets don't."""
        return tuple(name for name in self.schema.of(Role.QUASI_IDENTIFIER) if name not in self.sets)

    @property
    def without_part(self) -> tuple[str, ...]:
        """The quasi-identifiers that take no part in making the classes."""
        return tuple(name for name in self.microaggregate if name not in self.hierarchies)

    @property
    def sets(self) -> tuple[str, ...]:
        """The quasi-identifiers whose cells hold several items of a person."""
        return sets_of(self.schema) if not self.light else ()

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that are removed: identifiers and person keys, unless an operation protects them."""
        named = [column.name for column in self.schema if column.role.names_people]
        return tuple(name for name in named if not protects(self.operations.get(name, ())))

    @property
    def person(self) -> tuple[str, ...]:
        """The columns that tell people apart, where a person may have several rows; none where every row is one."""
        return self.schema.of(Role.PERSON)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes that some model asks about."""
        return tuple(sorted(_sensitive(self.models)))

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns whose values are counted in every class: what the models and the method ask about."""
        sensitive = _sensitive(self.hardening.counted_models(self.models))
        learnt = (name for names in self.targets for name in names)
        return tuple(sorted({*sensitive, *self.method.needs(), *learnt}))

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The columns, alone or together, about whose values the method or a hierarchy learns something."""
        everything = self.schema.of(Role.SENSITIVE)
        wanted = {builder.targets() or everything for builder in self.hierarchies.values() if builder.needs_target}
        if self.method.wants_sensitive:
            wanted.add(self.method.needs() or everything)
        return self.hardening.learnt_targets(tuple(sorted(wanted - {()})))

    @property
    def k(self) -> int:
        """Below how many look-alikes a record counts as singled out."""
        return largest_class_size(self.models, default=2)

    def with_method(self, method: Method) -> "Plan":
        """Return the same plan with another method, which must suit it."""
        self.schema.require(method.needs())
        changed = replace(self, method=method)
        changed.check()
        return changed

    def with_levels(self, levels: Mapping[str, int]) -> "Plan":
        """Return the plan with one candidate of full-domain generalization chosen by its levels."""
        method = self.method.level_search()
        if not method.chooses_levels:
            raise ParameterError("plan.levels-need-full-domain", method=self.method.name)
        return self.with_method(method.model_copy(update={"levels": dict(levels)}))

    def check(self) -> None:
        """Raise where the method can't be meant for these models and columns."""
        check_sets(self.models, self.sets, hardened=self.hardened)
        check_people(self.models, self.method, self.person, hardened=self.hardened, sets=self.sets)
        check_left_out(self.leave_out, self.person)
        for name in self.sensitive:
            if name in (*self.identifiers, *self.schema.of(Role.QUASI_IDENTIFIER)):
                raise SchemaError("plan.counted-column-not-released", name=name)
        check_microaggregated(
            self.microaggregate, self.types, self.quasi_identifiers, self.method, self.models, self.leave_out
        )
        if self.microaggregate and not set(self.quasi_identifiers) - set(self.without_part):
            raise SchemaError("microaggregate.none-left")
        self.method.refuse(self.asked_models, self.quasi_identifiers)
        for model in self.models:
            if model.needs_levels and not self.method.level_search().needs_hierarchies:
                raise ParameterError("model.levels-needed", name=model.name)
        for column in self.quasi_identifiers if self.method.needs_hierarchies else ():
            if column not in (*self.hierarchies, *self.microaggregate):
                raise HierarchyError("plan.method-needs-hierarchy", column=column, method=self.method.name)
        self.hardening.check(self.method, self.hierarchies, self.quasi_identifiers, self.schema.of(Role.SENSITIVE))

    def with_trees(self, frequencies: FrequencySet) -> FrequencySet:
        """Bind the hierarchies of those sensitive attributes whose models ask for one."""
        cells = dict(frequencies.cells)
        for name, tree in self._sensitive_trees(frequencies).items():
            cells[name] = replace(cells[name], up=bind_sensitive(cells[name].domain, tree))
        return replace(frequencies, cells=cells)

    def trees(self, frequencies: FrequencySet) -> dict[str, dict[str | None, tuple[str, ...]]]:
        """Return the same hierarchies as plain text, for the verifier: from each leaf to the labels above it."""
        built = self._sensitive_trees(frequencies)
        return {name: {path[0]: path[1:] for path in tree.paths()} for name, tree in built.items()}

    def paths(self, frequencies: FrequencySet) -> dict[str, list[tuple[str | None, ...]]]:
        """Return the hierarchies of quasi-identifiers as plain text, where a model asks what is lost, for the verifier.

        One row per leaf, from it to the top; a missing value is one, and stays missing below a top of "anything".
        """
        if not any(model.needs_levels for model in self.models):
            return {}
        found: dict[str, list[tuple[str | None, ...]]] = {}
        for domain in frequencies.domains:
            hierarchy = self._hierarchy(domain, frequencies)
            rows: list[tuple[str | None, ...]] = [*hierarchy.paths()]
            if domain.has_missing:
                top = ANY if hierarchy.levels[-1] == (ANY,) else None
                rows.append((*(None for _ in range(hierarchy.height)), top))
            found[domain.column] = rows
        return found

    def _sensitive_trees(self, frequencies: FrequencySet) -> dict[str, Hierarchy]:
        trees = {}
        for model in self.models:
            for name in model.sensitive() if model.needs_tree else ():
                if name not in self.hierarchies:
                    raise HierarchyError("plan.model-needs-hierarchy", model=model.name, name=name)
                domain = frequencies.cells[name].domain
                if self._trees.get(name, (None, None))[0] != domain.spellings:
                    self._trees[name] = domain.spellings, self._built(name, domain)
                trees[name] = self._trees[name][1]
        return trees

    def _built(self, column: str, domain: Domain) -> Hierarchy:
        """Build the hierarchy of a column for the values it has; errors name the column."""
        with _column_named(column):
            return self.hierarchies[column].build(domain.spellings, self.schema[column].type)

    def item_hierarchy(self, domain: Domain) -> Hierarchy:
        """Build the hierarchy of the items of a column of sets, which are text."""
        with _column_named(domain.column):
            return self.hierarchies[domain.column].build(domain.spellings, DataType.TEXT)

    def ladders(self, frequencies: FrequencySet) -> tuple[Ladder, ...]:
        """Bind every quasi-identifier's hierarchy to the values that the data has."""
        return tuple(
            bind(domain, self._hierarchy(domain, frequencies), self.schema[domain.column].type)
            for domain in frequencies.domains
            if domain.column in self.hierarchies
        )

    def _hierarchy(self, domain: Domain, frequencies: FrequencySet) -> Hierarchy:
        if not domain.spellings:
            # Nothing but missing values: builders that look at values have none to look at.
            return Hierarchy.from_rows([(ANY, ANY)])
        builder = self.hierarchies[domain.column]
        if not builder.needs_target:
            return self._built(domain.column, domain)
        # It depends on what values tell about a sensitive attribute.
        names = builder.targets() or self.schema.of(Role.SENSITIVE)
        cells = target_of(frequencies, names, builder.name) if names else None
        if cells is None:
            raise HierarchyError("plan.hierarchy-needs-sensitive-attribute", column=domain.column, builder=builder.name)
        counts = cross(frequencies, domain.column, cells)[: len(domain.spellings)]
        with _column_named(domain.column):
            return builder.learn(domain.spellings, self.schema[domain.column].type, counts)


def _sensitive(models: Sequence[PrivacyModel]) -> set[str]:
    return {name for model in models for name in model.sensitive()}


@contextmanager
def _column_named(column: str) -> Iterator[None]:
    """Name the column in an error of its hierarchy that does not."""
    try:
        yield
    except AntifazError as error:
        if repr(column) not in str(error):
            error.place("plan.hierarchy-of-column", column=column)
        raise


def make_plan(
    schema: Schema,
    *,
    roles: Mapping[str, Role | str],
    hierarchies: Mapping[str, Any],
    privacy: Sequence[PrivacyModel],
    method: Method,
    seed: int | None = None,
    missing: Mapping[str, Way] | None = None,
    light: bool = False,
    others: Others = "release",
    **more: Any,
) -> Plan:
    """Check what is wanted against the table's columns and return the plan; a light one has operations only.

    `others` says what becomes of columns that have no role; `more` are other fields of the plan: name, controller,
    audience, operations, perturbed, items, hardened, earlier.
    """
    schema = with_sets(with_others(schema.with_roles(roles), roles, others), more.get("items") or {})
    if undecided := schema.of(Role.DECIDE):
        raise SchemaError("plan.columns-undecided", columns=list(undecided))
    schema.require([name for name in (more.get("weight"), more.get("household")) if name is not None])
    unnamed = unnamed_warnings(schema, roles) if others == "release" else ()
    operations = more.get("operations", {})
    warnings = (*unnamed, *operation_warnings(operations), *people_warnings(schema.of(Role.PERSON), operations))
    own: dict[str, Any] = {"hierarchies": {}, "models": (), "light": light}
    if light:
        if more.get("microaggregate"):
            raise ParameterError("microaggregate.light")
        warnings = (NOT_EVALUATED, *warnings)
    else:
        schema.require(list(hierarchies))
        if not privacy:
            raise ParameterError("plan.no-privacy-model")
        own["models"] = tuple(model.bound(schema.of(Role.SENSITIVE)) for model in privacy)
        schema.require([*method.needs(), *_sensitive(own["models"])])
        if not schema.of(Role.QUASI_IDENTIFIER):
            raise SchemaError("plan.no-quasi-identifier")
        own["hierarchies"] = {column: parse_hierarchy(given, None) for column, given in hierarchies.items()}
        if any(way != "category" for way in (missing or {}).values()):
            method = method.on_counts()
        more["items"] = items_of(schema, more.get("items") or {})
        qis = [name for name in schema.of(Role.QUASI_IDENTIFIER) if name not in more["items"]]
        own["missing"] = _ways(missing or {}, qis, method)
    seed = fresh_seed() if seed is None else seed
    plan = Plan(schema=schema, method=method, seed=seed, warnings=warnings, **own, **more)
    if not light:
        plan.check()
    return plan


def _ways(missing: Mapping[str, Way], qis: Sequence[str], method: Method) -> dict[str, Way]:
    """Check what is to become of missing values: it is asked of quasi-identifiers that are counted."""
    for name, way in missing.items():
        if name not in qis:
            raise SchemaError("missing.names-no-quasi-identifier", name=name, hint=hint(name, qis))
        if way not in get_args(Way):
            raise ParameterError("missing.unknown-way", name=name, way=way, hint=hint(str(way), get_args(Way)))
        if method.needs_rows and way != "category":
            raise ParameterError("plan.method-keeps-missing-apart", method=method.name, name=name)
    return dict(missing)


def with_others(schema: Schema, roles: Mapping[str, Role | str], others: Others) -> Schema:
    """Return the schema with columns that nobody named left out, if that is wanted; raise where they are refused."""
    if others not in get_args(Others):
        raise ParameterError("plan.unknown-others", others=others, hint=hint(str(others), get_args(Others)))
    unnamed = [name for name in schema.names if name not in roles]
    if unnamed and others == "refuse":
        raise SchemaError("plan.columns-not-named", columns=unnamed)
    return schema.with_roles(dict.fromkeys(unnamed, Role.IDENTIFIER)) if others == "drop" else schema


def unnamed_warnings(schema: Schema, roles: Mapping[str, Role | str]) -> tuple[str, ...]:
    """Warn of columns that are released because nobody said a word about them."""
    unnamed = [name for name in schema.names if name not in roles]
    return (Message("warning.no-role-given", unnamed=unnamed),) if unnamed else ()
