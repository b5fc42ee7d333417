"""Characters masked from the right, some more at each level: 53706, 5370*, 537**."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field, field_validator

from antifaz.core.arrays import Codes
from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.values import ANY, canonical
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import EncodedLevel, Hierarchy, encoded

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
        leaves = sorted(dict.fromkeys(values))
        length = max(map(len, leaves), default=0)
        full = -(-length // self.step)
        count = full if self.levels is None else min(self.levels, full)
        if count > MOST_LEVELS:
            raise HierarchyError(
                "hierarchy.masking-makes-too-many-levels", step=self.step, longest=length, count=count, most=MOST_LEVELS
            )
        # What a level masks is told by the texts of the level before, which are fewer than the leaves.
        above: list[EncodedLevel] = []
        texts: Sequence[str] = leaves
        codes = np.arange(len(leaves), dtype=np.int32)
        for hidden in range(self.step, count * self.step + 1, self.step):
            stars = self.character * hidden
            texts, became = encoded([text[:-hidden] + stars[: len(text)] for text in texts])
            codes = became[codes]
            above.append((texts, codes))
        above = [self._named(*column) for column in above]
        if count and count == full:
            above[-1] = ((ANY,), np.zeros(len(leaves), np.int32))
        return self._made_of(leaves, above, kind, suppression=self.top or self.suppression)

    def _named(self, texts: Sequence[str], codes: Codes) -> EncodedLevel:
        """Return the names of masked values; several may have one."""
        named, became = encoded([self.names.get(text, text) for text in texts])
        return named, became[codes]
