"""Columns of sets: what can be asked where a cell holds several items of a person."""

from collections.abc import Mapping, Sequence

from antifaz.core.errors import ParameterError, SchemaError
from antifaz.core.item_options import Items
from antifaz.core.roles import Role
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.privacy import PrivacyModel

#: The most items of a person that somebody may be said to know: sets of more are too many to count.
MOST = 3


def sets_of(schema: Schema) -> tuple[str, ...]:
    """Return the quasi-identifiers whose cells are sets."""
    return tuple(c.name for c in schema if c.type is DataType.SET and c.role is Role.QUASI_IDENTIFIER)


def with_sets(schema: Schema, items: Mapping[str, object]) -> Schema:
    """Return the schema in which the columns that items are told of are sets; they must be quasi-identifiers."""
    for name in items:
        if schema[name].role is not Role.QUASI_IDENTIFIER:
            raise SchemaError("sets.not-quasi-identifier", name=name)
    return schema.with_types(dict.fromkeys(items, DataType.SET))


def items_of(schema: Schema, items: Mapping[str, object]) -> dict[str, Items]:
    """Return how the cells of each column of sets are written: as told, or in the usual way."""
    return {name: Items.of(items.get(name, {}), name) for name in sets_of(schema)}


def check_sets(models: Sequence[PrivacyModel], sets: Sequence[str], *, hardened: bool) -> None:
    """Raise where a model can't be asked of sets."""
    if not sets:
        return
    for model in models:
        rows = model.known_rows
        if not model.counts_items or model.needs_values:
            raise ParameterError("sets.only-k-anonymity", model=model.name)
        if rows == "all" or rows > MOST:
            raise ParameterError("sets.rows-too-many", rows=rows, most=MOST)
    if hardened:
        raise ParameterError("sets.not-hardened")


def class_models(
    models: tuple[PrivacyModel, ...], sets: Sequence[str], person: Sequence[str], quasi_identifiers: Sequence[str]
) -> tuple[PrivacyModel, ...]:
    """Return the models as they are asked of classes: where each person has one row there, one is known."""
    if not sets or (person and quasi_identifiers):
        return models
    return tuple(model.model_copy(update={"rows": 1}) for model in models)
