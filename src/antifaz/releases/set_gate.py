"""The gate of sets: the items of what was written are read back and judged, within the classes of the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import CheckFailed
from antifaz.core.item_options import Items
from antifaz.core.messages import Message
from antifaz.core.recount import Recount
from antifaz.core.verdicts import Verdict
from antifaz.engines.engine import Auditor
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.gate import model_as_data, require_all
from antifaz.releases.verifier.sets import items_of, items_of_people, judge_sets


@dataclass(frozen=True)
class CountableTable:
    """A table where somebody can count it: who, where, its quasi-identifiers beside sets, and the keys of people."""

    auditor: Auditor
    place: Any
    quasi_identifiers: Sequence[str]
    people: pa.Table | None = None


def examine_sets(
    table: CountableTable, models: Sequence[PrivacyModel], of_classes: Sequence[Verdict], items: Mapping[str, Items]
) -> tuple[list[Verdict], dict[str, set[str]]]:
    """Judge sets by the models; return one verdict for each, the worse of classes and items, and all items there are.

    `of_classes` are the verdicts on the classes alone.
    """
    names = (*table.quasi_identifiers, *items)
    keys: dict[str, Any] = {} if table.people is None else {"people": table.people}
    counted = table.auditor.recount(table.place, names, classes=True, **keys)
    cells = {name: _cells(counted, name, own.separator) for name, own in items.items()}
    codes = counted.classes or {}
    alike = zip(*(codes[name].tolist() for name in table.quasi_identifiers), strict=True)
    groups = list(alike) if table.quasi_identifiers else [()] * len(counted.sizes)
    classes = [(one, {name: cells[name][i] for name in items}) for i, one in enumerate(groups)]
    verdicts = []
    for model, verdict in zip(models, of_classes, strict=True):
        model_data, own = model_as_data(model), counted.people
        pairs = None if own is None else zip(own.classes.tolist(), own.persons.tolist(), own.rows.tolist(), strict=True)
        everybody = items_of_people(classes, counted.sizes.tolist(), pairs)
        judged = judge_sets(everybody, int(model_data["k"]), m := int(model_data.get("rows", 1)))
        worst = [n for n in (verdict.achieved, judged.fewest) if n is not None]
        verdicts.append(
            replace(
                verdict, parameters={key: value for key, value in model_data.items() if key != "model"},
                achieved=min(worst, default=None), holds=verdict.holds and not judged.failing,
                failing=max(verdict.failing, judged.failing),
                note=Message("note.items-counted", m=m, names=list(items)),
            )
        )  # fmt: skip
    return verdicts, {name: set().union(*own) for name, own in cells.items()}


def _cells(counted: Recount, name: str, separator: str) -> list[set[str]]:
    """Return the items of every group of rows: its number is the place of its text among all texts, in their order."""
    texts = sorted(value for value in counted.values[name] if value is not None)
    numbers = (counted.classes or {})[name]
    if int(numbers.max(initial=0)) > len(texts) or len(np.unique(numbers[numbers >= 0])) != len(texts):
        raise CheckFailed("verifier.fewer-values-than-classes")
    known = [items_of(text, separator) for text in texts]
    return [known[number - 1] if number > 0 else set() for number in numbers.tolist()]


def admit_sets(
    table: CountableTable,
    models: Sequence[PrivacyModel],
    of_classes: Sequence[Verdict],
    items: Mapping[str, Items],
    labels: Mapping[str, frozenset[str]],
) -> list[Verdict]:
    """Examine the sets of what is about to be released, and raise unless they are as they must be."""
    verdicts, rare_sets = examine_sets(table, models, of_classes, items)
    for name, own in rare_sets.items():
        if not own <= labels[name]:
            raise CheckFailed("gate.label-not-decided", name=name)
    require_all(verdicts)
    return verdicts
