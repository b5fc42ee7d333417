"""The gate: what was written is read back and judged before anyone may have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.errors import CheckFailed
from antifaz.core.verdicts import Verdict
from antifaz.engines.local.recount import Recount, fold_tree, recount, recount_beside
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.verifier import verify


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known beside the released rows: the sensitive values of the data they came from, and their trees."""

    #: Per sensitive attribute, how many records of the original data have each value.
    reference: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    #: Per sensitive attribute, from each value to the labels above it.
    trees: Mapping[str, Mapping[str | None, Sequence[str]]] = field(default_factory=dict)
    #: The population's quasi-identifiers, generalized as the release's, where a model compares with it.
    people: Any = None


def known(
    original: Any,
    sensitive: Sequence[str],
    trees: Mapping[str, Mapping[str | None, Sequence[str]]],
    people: Any = None,
) -> Known:
    """Count the original's sensitive values the way the released ones will be counted."""
    cells = recount(original, (), sensitive).cells if sensitive else {}
    return Known(
        reference={name: cells[name].totals for name in sensitive},
        trees={name: fold_tree(tree) for name, tree in trees.items()},
        people=people,
    )


def said(model: PrivacyModel) -> dict[str, Any]:
    """Return a model as plain data: all that the verifier is told of it."""
    return {"model": model.name, **model.parameters()}


def examine(
    place: Path | Any,
    models: Sequence[PrivacyModel],
    quasi_identifiers: Sequence[str],
    known: Known | None = None,
    **reading: Any,
) -> tuple[Recount, list[Verdict]]:
    """Count a table, whoever made it, and judge it. The verifier shares no code with what made the table."""
    sensitive = sorted({name for model in models for name in model.sensitive()})
    counted = recount(place, quasi_identifiers, sensitive, **reading)
    before = known or Known()
    people = None
    if before.people is not None:
        people = recount_beside(place, before.people, quasi_identifiers, **reading)
    asked = [said(model) for model in models]
    return counted, verify(counted, asked, reference=before.reference, trees=before.trees, population=people)


def admit(
    place: Path | Any,
    models: Sequence[PrivacyModel],
    quasi_identifiers: Sequence[str],
    expected: Mapping[str, Any],
    known: Known | None = None,
    **reading: Any,
) -> tuple[Recount, list[Verdict]]:
    """Examine what is about to be released, and raise unless all of it is as it must be.

    `expected` says how many rows there must be, which columns, in their order, and, where known, the sizes of the
    classes, in any order: a cell changed on the way is found even if what it says is common.
    """
    counted, verdicts = examine(place, models, quasi_identifiers, known, **reading)
    if counted.rows != expected["rows"]:
        raise CheckFailed(
            f"The written table has {counted.rows:,} records where {expected['rows']:,} were decided; "
            "nothing is released."
        )
    if tuple(counted.columns) != tuple(expected["columns"]):
        raise CheckFailed("The written table does not have the columns that were decided; nothing is released.")
    if "sizes" in expected and not np.array_equal(np.sort(counted.sizes), np.sort(expected["sizes"])):
        raise CheckFailed("The written table does not have the classes that were decided; nothing is released.")
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed:
        words = "; ".join(f"{v.model} reaches {v.achieved} and {v.failing:,} records fail" for v in failed)
        raise CheckFailed(f"The written table was counted again and does not hold: {words}; nothing is released.")
    return counted, verdicts
