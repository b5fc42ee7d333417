"""Targeted record swapping: households at risk change places with similar ones of another region."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.record_swaps import levels_at_risk, pair_households, profile_codes
from antifaz.methods.operations.grouped import GroupedPerturbation
from antifaz.sources.column_values import column_list, move, read_strata, require_apart


def _profiles(profiles: Any) -> Any:
    """Let a list of names, or one name, stand for a list of one profile."""
    named = column_list(profiles)
    if isinstance(named, list | tuple) and named and all(isinstance(each, str) for each in named):
        return (tuple(named),)
    return named


class RecordSwap(GroupedPerturbation):
    """Exchanges the places of households at risk, and of some others, with similar households elsewhere."""

    name: ClassVar[str] = "record-swap"
    summary: ClassVar[str] = "Households at risk change places with similar households of another region."
    details: ClassVar[str] = (
        "The columns are those of the place, from the largest region to the smallest, and are exchanged together. A "
        "person is at risk in a region where fewer than k people have the same 'risk' values; a household, where one "
        "of its members is. It changes places with a household of another region of the largest level at which it is "
        "at risk, within the smallest region in which it is not. Households that change places have as many members, "
        "so people and households of each size are in each region as many as before; and the same values in the "
        "columns of a profile. Each household changes places at most once. Where no similar one is left, it stays: "
        "that is counted and said. Missing is a value; a row without a household is one of its own."
    )
    formula: ClassVar[str] = (
        "(r₁ … r_L)ᵢ ↔ (r₁ … r_L)ⱼ, j uniform among the unswapped with rₕ(j) ≠ rₕ(i), rₕ₋₁(j) = rₕ₋₁(i), profile(j) = "
        "profile(i), h = min{level : |{x : r(x) = r(i), risk(x) = risk(i)}| < k}"
    )
    source: ClassVar[str] = (
        "N. Shlomo, C. Tudor, P. Groom, Data swapping for protecting census tables, PSD 2010; P.-P. de Wolf, "
        "Perturbative methods for ESS census tables, NTTS 2019"
    )
    primary: ClassVar[str] = "k"
    numbers: ClassVar[bool] = False
    #: Households are kept within their strata by their profiles.
    knows_strata: ClassVar[bool] = True

    risk: Annotated[tuple[str, ...], BeforeValidator(column_list)] = Field(
        default=(), description="The columns by which a person may be recognized within a region."
    )
    k: int = Field(default=3, ge=1, description="A person is at risk where fewer than k people have the same values.")
    similar: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_profiles)] = Field(
        default=((),),
        description="Profiles, lists of columns, the closest first: households that change places have members with "
        "the same values in all columns of one. The next is tried where nobody of the one before is left.",
    )
    rate: float = Field(
        default=0.0, ge=0, le=1,
        description="What part of the households of each smallest region changes places at least; those at risk count.",
    )  # fmt: skip
    carry: Annotated[tuple[str, ...], BeforeValidator(column_list)] = Field(
        default=(), description="Of the columns, those that only go along, such as a postcode: no level of regions."
    )

    def other_columns(self) -> tuple[str, ...]:
        """The columns of risk and similarity, the strata and the household."""
        named = (*self.risk, *(name for profile in self.similar for name in profile), *super().other_columns())
        return tuple(dict.fromkeys(named))

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Change all rows at once: strata are part of the profiles."""
        return self.change(table, columns, random)

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Exchange the columns of households with those of their partners."""
        first, member, regions, levels = self._at_risk(table, columns)
        asked = [(*profile, *self.strata) for profile in self.similar or ((),)]
        profiles = [profile_codes(read_strata(self.name, table, names), member) for names in asked]
        partners = pair_households([codes[first] for codes in regions], levels, profiles, self.rate, random)
        for name in columns:
            table = move(table, name, first[partners[member]])
        return table

    def counts(self, before: pa.Table, after: pa.Table, columns: Sequence[str]) -> dict[str, int]:
        """Count the households that changed places and those that stay where they are at risk, from both tables."""
        first, _, regions, levels = self._at_risk(before, columns)
        both = pa.concat_tables([each.select(columns) for each in (before, after)])
        moved = np.zeros((len(regions) + 1, first.size), np.bool_)
        for level in range(len(regions)):
            names = self._hierarchy(columns)[: level + 1]
            codes = read_strata(self.name, both, names)
            moved[level] = codes[first] != codes[before.num_rows + first]
        at_risk = levels < len(regions)
        away = moved[levels, np.arange(first.size)]
        return {
            "households": int(first.size), "swapped": int(moved.any(axis=0).sum()), "at_risk": int(at_risk.sum()),
            "without_donor": int((at_risk & ~away).sum()),
        }  # fmt: skip

    def _hierarchy(self, columns: Sequence[str]) -> list[str]:
        levels = [name for name in columns if name not in self.carry]
        if not levels or not set(self.carry) <= set(columns):
            raise ParameterError("operation.record-swap-carries", name=self.name)
        return levels

    def _at_risk(self, table: pa.Table, columns: Sequence[str]) -> tuple[Ints, Ints, list[Ints], Ints]:
        """A row of each household, the household of each row, the regions of each level, and where one is at risk."""
        for name, others in (("risk", self.risk), *(("similar", profile) for profile in self.similar)):
            require_apart(self.name, columns, others, name)
        hierarchy = self._hierarchy(columns)
        member = self.once(table, columns)[1]
        first = np.unique(member, return_index=True)[1]
        regions = [read_strata(self.name, table, hierarchy[: level + 1]) for level in range(len(hierarchy))]
        values = read_strata(self.name, table, self.risk)
        # Without columns of risk nobody is known by anything, however few there are.
        levels = levels_at_risk(regions, values, member, self.k if self.risk else 0)
        return first, member, regions, levels
