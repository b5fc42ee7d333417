"""Which quasi-identifiers cost most: what leaving out or coarsening each would bring for the other columns.

A sample of the records is grouped by Mondrian, with all columns, without each, and with each made coarser. What is
compared is how much the *other* columns lose, so that a column is not found cheap because it is gone.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from antifaz.core.arrays import Codes
from antifaz.core.errors import InputError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.counting.frequencies import FrequencySet
from antifaz.counting.groups import GroupedTable, scale_order
from antifaz.counting.records import QuasiIdentifier, Records, records, spread_out
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.privacy import KAnonymity
from antifaz.proposals.roles import roles
from antifaz.utility.ncp import penalties

#: So many records are looked at.
SAMPLE = 10_000
#: A coarser column has so many values: bands of numbers, or the most frequent categories and one for the others.
COARSE = 8
#: A gain below this is none worth a proposal.
LEAST = 0.02


def columns(
    data: Any, candidates: Sequence[str] | None = None, k: int = 5, progress: Progress | None = None
) -> list[Proposal]:
    """Return what each quasi-identifier costs the others, the most expensive first.

    `candidates` are by default the columns whose proposed role is quasi-identifier. A proposal is to leave a column
    out ("leave out"), to make it coarser first ("coarsen"), where that brings at least half as much, or to keep it
    ("keep"). Its `details` have the column, its own loss (`loss`), and the mean loss of the other columns as it is
    (`others`), without it (`without`) and with it coarsened (`coarsened`, None where it has few values).
    """
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return columns(opened, candidates, k, progress)
    if candidates is None:
        candidates = [name for name, own in roles(data).items() if own.value == Role.QUASI_IDENTIFIER]
    data.schema.require(candidates)
    if len(candidates) < 2 or not data.rows:
        raise InputError("proposal.costs-need-two-columns")
    if not 1 <= k <= data.rows:
        raise ParameterError("proposal.costs-k-above-records", k=k, rows=data.rows)
    sample = _sample(data, candidates)
    return _compare(sample, min(k, sample.rows), progress or Progress())


def _sample(data: Data, names: Sequence[str]) -> Records:
    """Return records evenly from all, in the order of their values: which are taken does not depend on rows' order."""
    types = {column.name: column.type for column in data.schema}
    own = records(data.records(names) if data.by_row else spread_out(data.count(names)), names, (), types)
    if own.rows <= SAMPLE:
        return own
    order = np.lexsort([attribute.codes for attribute in own.attributes])
    return own.take(np.sort(order[np.linspace(0, own.rows - 1, SAMPLE).astype(np.int64)]))


def _compare(sample: Records, k: int, progress: Progress) -> list[Proposal]:
    now = _losses(sample, k)
    whole, many = sum(now.values()), len(now)
    proposals = []
    for place, attribute in enumerate(sample.attributes):
        progress.tell(place / many, Message("progress.column-cost", column=attribute.column))
        name, others = attribute.column, [own for own in sample.attributes if own is not attribute]
        without = sum(_losses(replace(sample, attributes=tuple(others)), k).values()) / (many - 1)
        coarsened = None
        if np.unique(attribute.codes).size > COARSE:
            coarse = replace(attribute, codes=_coarse(attribute)[attribute.codes])
            parts = _losses(replace(sample, attributes=(*others, coarse)), k)
            coarsened = (sum(parts.values()) - parts[name]) / (many - 1)
        left = (whole - now[name]) / (many - 1)
        figures = {"loss": now[name], "others": left, "without": without, "coarsened": coarsened}
        proposals.append(_proposal(name, figures))
    return sorted(proposals, key=lambda own: float(str(own.details["without"])) - float(str(own.details["others"])))


def _proposal(column: str, figures: dict[str, Any]) -> Proposal:
    others, without, coarsened = figures["others"], figures["without"], figures["coarsened"]
    gain = others - without
    by_bands = 0.0 if coarsened is None else others - coarsened
    value = "keep" if gain < LEAST else "coarsen" if by_bands >= gain / 2 else "leave out"
    code = {"keep": "reason.column-costs-little", "coarsen": "reason.column-coarsen"}.get(value, "reason.column-costs")
    values = {"column": column, "others": others, "without": without, "coarsened": coarsened, "number": COARSE}
    return Proposal(value=value, reason=Message(code, **values), details={"column": column, **figures})


def _losses(sample: Records, k: int) -> dict[str, float]:
    """Group the records; return the loss of every column."""
    from antifaz.methods.clustering.mondrian import Mondrian
    from antifaz.methods.method import Task

    nothing = FrequencySet(domains=(), codes=(), counts=np.array([sample.rows]))
    task = Task(frequencies=nothing, ladders=(), models=(KAnonymity(k),), random=np.random.default_rng(0))
    groups, _ = Mondrian().group(sample, task)
    sums = GroupedTable(sample, groups).penalty_sums(penalties)
    return {own.column: part / sample.rows for own, part in zip(sample.attributes, sums, strict=True)}


def _coarse(attribute: QuasiIdentifier) -> Codes:
    """Return for every code the one that stands for its band of numbers, or for all categories but the frequent."""
    counts = np.bincount(attribute.codes, minlength=attribute.domain.size)
    became = np.arange(counts.size, dtype=np.int32)
    if attribute.scale is None:
        rare = np.lexsort((became, -counts))[COARSE - 1 :]
        became[rare] = rare[0]
        return became
    order, known = scale_order(attribute)
    order = order[:known]
    before = np.cumsum(counts[order]) - counts[order]
    bands = before * COARSE // max(int(counts[order].sum()), 1)
    became[order] = order[np.searchsorted(bands, bands)]
    return became
