"""What every hierarchy builder must do."""

from collections.abc import Sequence

import numpy as np

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.core.values import ANY
from antifaz.hierarchies import describe, parse
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.testing.broken import refused, require
from antifaz.testing.examples import COLOURS, examples

#: Values that a builder can build on, where it can't build on any text.
_VALUES: dict[str, tuple[tuple[str, ...], DataType]] = {
    "intervals": (("17", "3", "88", "-4", "20"), DataType.INTEGER),
    "information-gain": (("17", "3", "88", "-4", "20"), DataType.INTEGER),
    "dates": (("1986-03-14", "1991-12-31", "1986-04-01"), DataType.DATE),
    "masking": (("53706", "53711", "02138"), DataType.TEXT),
}


def check_builder(
    cls: type[HierarchyBuilder],
    instances: Sequence[HierarchyBuilder] | None = None,
    *,
    values: Sequence[str] | None = None,
    kind: DataType | None = None,
) -> None:
    """Check that a builder makes a hierarchy over all values, the same one always, that ends in one root."""
    usual, known = _VALUES.get(cls.name, (COLOURS, DataType.TEXT))
    given, data_type = tuple(values or usual), kind or known
    for builder in list(instances) if instances is not None else examples(cls):
        made = _built(builder, given, data_type)
        _check_shape(builder, made)
        lost = made.missing_from(given)
        require(not lost, f"{builder!r}: {len(lost)} of the values are not covered.")
        _check_same(builder, made, given, data_type)
        topped = _built(builder.model_copy(update={"suppression": True}), given, data_type)
        require(topped.levels[-1] == (ANY,), f"{builder!r}: with suppression the root must be '*'.")
        again = parse(describe(builder))
        require(again == builder, f"{builder!r}: parse(describe()) must give the same builder.")
        described = _built(again, given, data_type)
        require(described.paths() == made.paths(), f"{builder!r}: described, it must build the same.")


def _built(builder: HierarchyBuilder, values: Sequence[str], kind: DataType) -> Hierarchy:
    """Build it, or let it learn from counts that depend on the values alone, whatever their order."""
    if not builder.needs_target:
        return builder.build(values, kind)
    error = refused(HierarchyError, lambda: builder.build(values, kind), f"{builder!r} needs more than values")
    require("data" in str(error), f"{builder!r}: the error must say that the data is needed.")
    counts = np.array([[len(value), sum(map(ord, value)) % 7] for value in values], np.int64).reshape(-1, 2)
    return builder.learn(values, kind, counts)


def _check_shape(builder: HierarchyBuilder, made: Hierarchy) -> None:
    who = repr(builder)
    require(made.height >= 1, f"{who}: a hierarchy must have a level above its leaves.")
    require(len(made.levels[-1]) == 1, f"{who}: the last level must be one root.")
    for h, (labels, up) in enumerate(zip(made.levels, made.up, strict=True)):
        require(len(set(labels)) == len(labels), f"{who}: no label may stand twice in level {h}.")
        require(up.shape == (len(made.leaves),), f"{who}: level {h} must say it of each leaf.")
        require(np.array_equal(np.unique(up), np.arange(len(labels))), f"{who}: each label of level {h} must be used.")
    for h in range(made.height):
        together = np.array_equal(made.parents(h)[made.up[h]], made.up[h + 1])
        require(together, f"{who}: what is together in level {h} must stay together.")


def _check_same(builder: HierarchyBuilder, made: Hierarchy, values: Sequence[str], kind: DataType) -> None:
    who = repr(builder)
    listed = list(values)
    require(_built(builder, listed, kind).paths() == made.paths(), f"{who} must build the same twice.")
    require(listed == list(values), f"{who} must not change the values it is given.")
    require(_built(builder, listed[::-1], kind).paths() == made.paths(), f"{who}: the order of values must not matter.")
    if not builder.needs_data:
        other = _built(builder, [f"not {listed[0]}"], kind)
        require(other.paths() == made.paths(), f"{who} is declared not to need data, but asks it.")
