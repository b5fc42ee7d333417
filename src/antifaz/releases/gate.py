"""The gate: what was written is read back and judged before anyone may have it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.arrays import Ints
from antifaz.core.counted_people import KeyedRows
from antifaz.core.errors import CheckFailed, PrivacyNotReached
from antifaz.core.folding import fold_tree
from antifaz.core.messages import Message
from antifaz.core.recount import Recount
from antifaz.core.verdicts import Verdict
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.engines.engine import Applied, Auditor
from antifaz.privacy.model import PrivacyModel
from antifaz.releases.verifier.models import KNOWN, verify
from antifaz.releases.verifier.people import verify_people

#: Sizes of classes below this are compared by how many classes have each.
_TALLIED = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What released rows are compared with: the sensitive values of the original data, their trees, a population."""

    #: Per sensitive attribute, how many records of the original data have each value.
    counts: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    #: Per sensitive attribute, from each value to the labels above it.
    trees: Mapping[str, Mapping[str | None, Sequence[str]]] = field(default_factory=dict)
    #: Per quasi-identifier, the hierarchy's rows from a value to the labels above it, where a model asks what is lost.
    paths: Mapping[str, Sequence[Sequence[str | None]]] = field(default_factory=dict)
    #: The population's quasi-identifiers, generalized as the release's, where a model compares with it.
    people: Applied | None = None
    #: Where people are counted: the sensitive values of the original data, counted by people.
    whole: Recount | None = None


def make_reference(
    counts: Mapping[str, Mapping[str | None, int]],
    trees: Mapping[str, Mapping[str | None, Sequence[str]]],
    people: Applied | None = None,
) -> Reference:
    """Put together what the release is compared with; the leaves of trees are folded as sensitive values are."""
    return Reference(counts=counts, trees={name: fold_tree(tree) for name, tree in trees.items()}, people=people)


def model_as_data(model: PrivacyModel) -> dict[str, Any]:
    """Return a model as plain data: all that the verifier gets of it."""
    return {"model": model.name, **model.parameters()}


def examine(
    auditor: Auditor,
    place: Any,
    models: Sequence[PrivacyModel],
    quasi_identifiers: Sequence[str],
    reference: Reference | None = None,
    *,
    fingerprint: bool = False,
    people: pa.Table | KeyedRows | Sequence[str] | None = None,
) -> tuple[Recount, list[Verdict]]:
    """Count a table, whoever made it, and judge it. The verifier shares no code with what made the table.

    `people` are the person keys of its rows, where people are counted: in their order, the columns that hold them, or
    the same rows with their keys.
    """
    reference = reference or Reference()
    sensitive = sorted({name for model in models for name in model.sensitive()})
    # Only a model that compares the values of classes has them counted.
    options: dict[str, Any] = {"population": reference.people}
    options["classes"] = any(model.needs_values for model in models)
    if isinstance(people, KeyedRows):
        counted = _with_people(auditor, place, people, quasi_identifiers, sensitive, **options)
    else:
        more: dict[str, Any] = {} if people is None else {"people": people}
        counted = auditor.recount(place, quasi_identifiers, sensitive, fingerprint=fingerprint, **options, **more)
    if people is not None:
        return counted, [verify_people(counted, model_as_data(m), reference.whole, reference.trees) for m in models]
    references: dict[str, Any] = {"reference": reference.counts, "trees": reference.trees, "paths": reference.paths}
    references["population"] = counted.population
    verdicts = [
        verify(counted, [model_as_data(model)], **references)[0]
        if model.name in KNOWN
        else _own_verdict(model, counted, reference)
        for model in models
    ]
    return counted, verdicts


def _with_people(
    auditor: Auditor,
    place: Any,
    people: KeyedRows,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    **asked: Any,
) -> Recount:
    """Count the people of written rows that have no order, from the same rows with their keys; raise if they differ."""
    counted = (quasi_identifiers, sensitive)
    written = auditor.recount(place, *counted, fingerprint=True)
    keyed = auditor.recount(people.rows, *counted, fingerprint=True, people=people.keys, **asked)
    if written.fingerprint != keyed.fingerprint or not _same_sizes(written.sizes, keyed.sizes):
        raise CheckFailed("gate.people-differ-from-rows")
    return replace(keyed, columns=written.columns)


def _own_verdict(model: PrivacyModel, counted: Recount, reference: Reference) -> Verdict:
    """Let a plug-in's model, which the verifier does not know, judge the classes that were counted again."""
    tables = {name: _table(counted, name, reference.counts.get(name)) for name in model.sensitive()}
    verdict = model.judge(ClassTable(sizes=counted.sizes, sensitive=tables))
    return replace(verdict, note=Message("note.judged-by-own-code"))


def _table(counted: Recount, name: str, original: Mapping[str | None, int] | None) -> SensitiveTable:
    cells = counted.cells[name]
    order = np.lexsort((cells.values, cells.classes))
    offsets = np.zeros(counted.sizes.size + 1, np.int64)
    np.cumsum(np.bincount(cells.classes, minlength=counted.sizes.size), out=offsets[1:])
    whole = cells.totals if original is None else original
    totals = np.array([whole.get(label, 0) for label in cells.labels], np.int64)
    return SensitiveTable(
        offsets=offsets, values=cells.values[order].astype(np.int32), counts=cells.counts[order], totals=totals,
        labels=cells.labels,
    )  # fmt: skip


def _same_sizes(one: Ints, other: Ints) -> bool:
    """Whether two lists of sizes differ in their order at most; small sizes are tallied, which makes no copy."""
    if one.size != other.size or not one.size:
        return one.size == other.size
    if max(one.max(), other.max()) < _TALLIED:
        return np.array_equal(np.bincount(one), np.bincount(other))
    return np.array_equal(np.sort(one), np.sort(other))


def admit(
    auditor: Auditor,
    place: Any,
    models: Sequence[PrivacyModel],
    quasi_identifiers: Sequence[str],
    expected: Mapping[str, Any],
    reference: Reference | None = None,
) -> tuple[Recount, list[Verdict]]:
    """Examine what is about to be released, and raise unless all of it is as it must be.

    `expected` says how many rows there must be, which columns, in their order, and, where known, the sizes of the
    classes, in any order, the labels that may occur, and the fingerprint of a file's rows: one cell changed on the way
    is enough; and the person keys of the rows, where people are counted. Where a method decides without seeing all that
    the models look at, `refusal` words what is no fault then.
    """
    has_fingerprint = "fingerprint" in expected
    more: dict[str, Any] = {"fingerprint": has_fingerprint, "people": expected.get("people")}
    counted, verdicts = examine(auditor, place, models, quasi_identifiers, reference, **more)
    if counted.rows != expected["rows"]:
        raise CheckFailed("gate.number-of-records-differs", rows=counted.rows, rows2=expected["rows"])
    if tuple(counted.columns) != tuple(expected["columns"]):
        raise CheckFailed("gate.columns-differ")
    if "sizes" in expected and not _same_sizes(counted.sizes, np.asarray(expected["sizes"])):
        raise CheckFailed("gate.classes-differ")
    for name, labels in expected.get("labels", {}).items():
        # A label that a spreadsheet would run was written with an apostrophe.
        if not all(v in labels or (v and v.removeprefix("'") in labels) for v in counted.values[name]):
            raise CheckFailed("gate.label-not-decided", name=name)
    if "fingerprint" in expected and counted.fingerprint != expected["fingerprint"]:
        raise CheckFailed("gate.rows-differ")
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed and "refusal" in expected:
        raise PrivacyNotReached(expected["refusal"]([verdict.model for verdict in failed]))
    require_all(verdicts)
    return counted, verdicts


def require_all(verdicts: Sequence[Verdict]) -> None:
    """Raise unless every model holds."""
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed:
        words = [Message("gate.model-reaches", model=v.model, achieved=v.achieved, failing=v.failing) for v in failed]
        raise CheckFailed("gate.privacy-does-not-hold", words=words)
