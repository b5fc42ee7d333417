"""The true cells, counted a second time for the auditor: by Arrow's grouping, from what the rows contribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Labels = tuple[str | None, ...]
#: Of one dimension, the label above each label; the total has none, and is not in it.
Tree = Mapping[str | None, str | None]
#: The sum of keys is taken by this.
_KEYS = 1 << 32


@dataclass
class CellTruth:
    """One cell as it was counted again."""

    contributors: int = 0
    total: int = 0
    #: Pairs of an amount and how many contribute it, in any order.
    entries: list[tuple[int, int]] = field(default_factory=list)
    key: int = 0

    def amounts(self, many: int) -> list[int]:
        """Return the largest amounts."""
        largest: list[int] = []
        for amount, times in sorted(self.entries, reverse=True)[:many]:
            largest += [amount] * min(times, many)
        return largest[:many]


@dataclass(frozen=True, kw_only=True)
class TableTruth:
    """All true cells that are not empty, and which label is above which."""

    trees: Sequence[Tree]
    totals: Labels
    counts: bool
    decimals: int
    cells: Mapping[Labels, CellTruth]
    #: Whether the parts of each total add up to it.
    additive: bool = True

    def value(self, labels: Labels) -> int:
        """Return what a cell truly says, in units."""
        cell = self.cells.get(labels)
        return 0 if cell is None else cell.contributors if self.counts else cell.total

    def key(self, labels: Labels) -> int:
        """Return the key of a cell's people."""
        cell = self.cells.get(labels)
        return 0 if cell is None else cell.key

    def all_labels(self) -> list[Labels]:
        """Return the labels of all cells, empty ones included."""
        return list(product(*([top, *tree] for top, tree in zip(self.totals, self.trees, strict=True))))

    def relations(self) -> Iterator[tuple[Labels, list[Labels]]]:
        """Go through what adds up, where it does: a total and its parts."""
        if not self.additive:
            return
        every = self.all_labels()
        for place, tree in enumerate(self.trees):
            below: dict[str | None, list[str | None]] = {}
            for label, above in tree.items():
                below.setdefault(above, []).append(label)
            for labels in every:
                if parts := below.get(labels[place]):
                    yield labels, [(*labels[:place], part, *labels[place + 1 :]) for part in parts]


def recount(entries: pa.Table, trees: Sequence[Tree], totals: Labels, *, counts: bool, decimals: int) -> TableTruth:
    """Count all cells from entries: the leaf of each dimension ("0", "1", …), person or null, amount, records, key."""
    cells: dict[Labels, CellTruth] = {}
    paths = [_paths(tree, top) for tree, top in zip(trees, totals, strict=True)]
    for depths in product(*(range(max(map(len, own.values()), default=0)) for own in paths)):
        for labels, group in _grouped(entries, paths, depths):
            cells[labels] = _cell(group, counts)
    truth = TableTruth(trees=trees, totals=totals, counts=counts, decimals=decimals, cells=cells)
    adds_up = all(truth.value(total) == sum(map(truth.value, parts)) for total, parts in truth.relations())
    return TableTruth(**{**vars(truth), "additive": adds_up})


def _paths(tree: Tree, top: str | None) -> dict[str | None, list[str | None]]:
    """Return for every label the way from the total down to it."""
    paths: dict[str | None, list[str | None]] = {top: [top]}
    for label in tree:
        way = [label]
        while way[-1] in tree:
            way.append(tree[way[-1]])
        paths[label] = way[::-1]
    return paths


def _grouped(
    entries: pa.Table, paths: Sequence[Mapping[str | None, list[str | None]]], depths: Sequence[int]
) -> Iterator[tuple[Labels, dict[str, list[Any]]]]:
    """Go through the cells whose labels are at these depths, with amounts, records and keys of who is in them."""
    names, deep = [str(place) for place in range(len(paths))], entries
    for name, own, depth in zip(names, paths, depths, strict=True):
        codes = deep[name].combine_chunks().dictionary_encode(null_encoding="encode")
        leaves = codes.dictionary.to_pylist()
        enough = pa.array([len(own[leaf]) > depth for leaf in leaves], pa.bool_()).take(codes.indices)
        raised = pa.array([own[leaf][depth] if len(own[leaf]) > depth else None for leaf in leaves], pa.string())
        deep = deep.set_column(deep.column_names.index(name), name, raised.take(codes.indices)).filter(enough)
    if not deep.num_rows:
        return
    if pc.all(pc.is_valid(deep["person"])).as_py():
        # Somebody's amounts in one cell are one contribution.
        whole = deep.set_column(
            deep.column_names.index("amount"), "amount", pc.multiply(deep["amount"], deep["records"])
        )
        people = whole.group_by([*names, "person"]).aggregate([("amount", "sum"), ("key", "min")])
        ones = pa.array([1] * people.num_rows, pa.int64())
        deep = people.select([*names, "amount_sum", "key_min"]).rename_columns([*names, "amount", "key"])
        deep = deep.append_column("records", ones)
    lists = deep.group_by(names).aggregate([("amount", "list"), ("records", "list"), ("key", "list")])
    for row in lists.to_pylist():
        group = {part: row[f"{part}_list"] for part in ("amount", "records", "key")}
        yield tuple(row[name] for name in names), group


def _cell(group: Mapping[str, list[Any]], counts: bool) -> CellTruth:
    records, amounts = group["records"], group["amount"]
    return CellTruth(
        contributors=sum(records), total=sum(a * r for a, r in zip(amounts, records, strict=True)),
        entries=[] if counts else list(zip(amounts, records, strict=True)), key=sum(group["key"]) % _KEYS,
    )  # fmt: skip
