"""Proposes quasi-identifiers by what the rows say: the fewest columns that tell nearly as many people apart as all.

The method is Omer and Mohamad's (Simple and Effective Method for Selecting Quasi-identifier, JATIT 2016): over all
combinations of the candidates count the distinct tuples, take the largest count, and of the combinations within 5 % of
it the one with the fewest columns. Distinction and separation are Motwani and Xu's (2007): the share of tuples that are
distinct, and the share of pairs of records that are told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.values import canonical
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.proposals.combinations import EXACT, FewestColumns, exact_sizes, fewest_columns
from antifaz.proposals.roles import roles

#: All combinations are counted and shown for no more columns than this.
SHOW_ALL = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class _Table:
    """The distinct tuples of the candidates, as codes, and how often each occurs."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @cached_property
    def rows(self) -> int:
        return int(self.counts.sum())

    def measured(self, columns: Sequence[int]) -> dict[str, object]:
        """Count the tuples of some columns, exactly, and say how well they tell people apart."""
        classes = exact_sizes(self.codes, self.sizes, columns, self.counts)
        # Squares of fewer than 2^31 records fit; Python's own integers fit any.
        whole = classes if self.rows < 2**31 else classes.astype(object)
        alike = int(np.dot(whole, whole - 1))
        pairs = self.rows * (self.rows - 1)
        return {
            "columns": [self.names[column] for column in columns],
            "distinct": int(classes.size),
            "distinction": classes.size / self.rows,
            "separation": 1 - alike / pairs if pairs else 0.0,
            "singled_out": int((classes == 1).sum()),
        }


def quasi_identifiers(data: Any, candidates: Sequence[str] | None = None, tolerance: float = 0.05) -> Proposal:
    """Return the fewest columns with nearly as many distinct tuples as all candidates; its `details` have the counts.

    `data` is a table, a path, or what `antifaz.open` returned. `candidates` are by default the columns whose proposed
    role is quasi-identifier. `tolerance` is the share of the distinct tuples that may be lost. The chosen columns are
    `details["columns"]`.

    The columns left out are not harmless: they tell little more than the chosen ones do, but whoever knows them can use
    them. Generalize them too, or leave them out of the release.
    """
    if not 0 <= tolerance < 1:
        raise ParameterError("proposal.tolerance-out-of-bounds")
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return quasi_identifiers(opened, candidates, tolerance)
    if candidates is None:
        proposed = roles(data.profile()).items()
        candidates = [name for name, proposal in proposed if proposal.value == Role.QUASI_IDENTIFIER]
    names = list(dict.fromkeys(candidates))
    data.schema.require(names)
    if not names or not data.rows:
        reason = "reason.no-records" if names else "reason.no-candidates"
        return Proposal(value="", reason=Message(reason), details={"columns": []})
    table = _table(data, names)
    result = fewest_columns(table.codes, table.sizes, tolerance)
    chosen = [table.names[column] for column in result.columns]
    return Proposal(
        value=", ".join(chosen), reason=_reason(table, result, tolerance), details=_details(table, result, tolerance)
    )


def _table(data: Data, names: Sequence[str]) -> _Table:
    """Count the tuples where the rows are, and give values that are released alike one code."""
    counted = data.count(names)
    codes = np.empty((len(names), counted.counts.size), np.int32)
    sizes = []
    for column, name in enumerate(names):
        place: dict[str | None, int] = {}
        kind = data.schema[name].type
        same = [place.setdefault(canonical(value, kind), len(place)) for value in counted.values[column]]
        codes[column] = np.array(same, np.int32)[counted.codes[column]]
        sizes.append(len(place))
    if not counted.counts.size:
        raise InputError("proposal.no-records")
    return _Table(names=tuple(names), sizes=tuple(sizes), codes=codes, counts=counted.counts)


def _reason(table: _Table, result: FewestColumns, tolerance: float) -> Message:
    many, all_of = len(result.columns), len(table.names)
    if many == all_of:
        return Message("reason.all-candidates-needed", candidates=all_of, wanted=result.wanted, most=result.most)
    search = Message("reason.no-smaller-and-none-better" if result.first else "reason.no-smaller")
    if not result.smallest:
        tried = {"combinations": result.combinations, "tried": result.counted, "excluded": result.excluded}
        search = Message("reason.no-smaller-found", **tried)
    return Message(
        "reason.fewest-columns", distinct=result.distinct, rows=table.rows, candidates=all_of, most=result.most,
        wanted=result.wanted, tolerance=tolerance, search=search,
    )  # fmt: skip


def _details(table: _Table, result: FewestColumns, tolerance: float) -> dict[str, object]:
    every, chosen = range(len(table.names)), result.columns
    shown: list[tuple[int, ...]] = [(column,) for column in every]
    if len(table.names) <= SHOW_ALL:
        shown = [some for size in range(1, len(table.names) + 1) for some in combinations(every, size)]
    else:
        # What each chosen column adds shows in what is left without it.
        shown += [tuple(c for c in chosen if c != out) for out in chosen if len(chosen) > 2]
        shown += [chosen] if chosen not in shown else []
    counts = [table.measured(some) for some in shown]
    counts.sort(key=lambda count: (-int(str(count["distinct"])), len(str(count["columns"]))))
    return {
        **table.measured(chosen),
        "most": result.most,
        "wanted": result.wanted,
        "tolerance": tolerance,
        "rows": table.rows,
        "candidates": list(table.names),
        "together": table.measured(every),
        "counts": counts,
        "search": {
            "smallest": result.smallest,
            "first": result.first,
            "exact": table.counts.size <= EXACT,
            "combinations": result.combinations,
            "tried": result.counted,
            "excluded": result.excluded,
        },
    }
