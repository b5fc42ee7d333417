"""Characters masked from the right, some more at each level: 53706, 5370*, 537**."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy

#: More levels than this come from free text, and fill the memory before they help anybody.
MOST_LEVELS = 100


class Masking(HierarchyBuilder):
    """Masks the last characters of every value, `step` more at each level."""

    name: ClassVar[str] = "masking"
    summary: ClassVar[str] = "Mask characters from the right: 53706, 5370*, 537**, …, *."
    details: ClassVar[str] = (
        "For codes whose first characters say most: postcodes, years, classifications. Values keep their length, so of "
        "values of different lengths the length stays known until the last level, where all are '*'."
    )
    primary: ClassVar[str] = "step"
    needs_data: ClassVar[bool] = True

    step: int = Field(default=1, ge=1, description="How many more characters each level masks.")
    levels: int | None = Field(
        default=None, ge=1, le=MOST_LEVELS, description="Stop after so many levels; by default when all is masked."
    )
    character: str = Field(default="*", description="What stands for a masked character.")
    names: dict[str, str] = Field(
        default_factory=dict, description="What masked values are called: {'2***': '2 Professionals'}."
    )
    top: bool = Field(default=True, description="Put '*' on top; else the last level must be the same for all values.")

    @field_validator("character")
    @classmethod
    def _one_visible(cls, character: str) -> str:
        # A combining mark would melt into the letter before it, a blank would be trimmed.
        if len(character) != 1 or not character.isprintable() or canonical(f"e{character}") != f"e{character}":
            raise ValueError(Message("expected.visible-character"))
        return character

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the values, sorted, each masked level by level."""
        leaves = sorted(set(values))
        length = max(map(len, leaves), default=0)
        full = -(-length // self.step)
        count = full if self.levels is None else min(self.levels, full)
        if count > MOST_LEVELS:
            raise HierarchyError(
                "hierarchy.masking-makes-too-many-levels", step=self.step, longest=length, count=count, most=MOST_LEVELS
            )
        rows = [(leaf, *(self._masked(leaf, level) for level in range(1, count + 1))) for leaf in leaves]
        if count == full:
            rows = [(*row[:-1], ANY) for row in rows]
        return self._made(rows, kind, suppression=self.top or self.suppression)

    def _masked(self, leaf: str, level: int) -> str:
        kept = max(0, len(leaf) - level * self.step)
        masked = leaf[:kept] + self.character * (len(leaf) - kept)
        return self.names.get(masked, masked)
