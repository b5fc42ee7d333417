"""Items: how the cells of a column hold several values of one person, and how many of them may be left out."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import ParameterError


class Items(BaseModel):
    """How the cells of a column of sets are written, and what may become of their items."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    separator: str = Field(default=";", min_length=1, description="What stands between two items of a cell.")
    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of items that may be left out of their cells."
    )

    @classmethod
    def of(cls, options: object, column: str) -> Self:
        """Read what is told of a column: all of it, or its separator alone."""
        try:
            if isinstance(options, str):
                return cls(separator=options)
            return cls.model_validate(options.model_dump() if isinstance(options, Items) else options)
        except ValidationError:
            raise ParameterError("sets.options-wrong", column=column) from None

    def split(self, cell: str | None) -> list[str]:
        """Return the items of a cell; blanks around them don't count, and an empty one is none."""
        return [item for part in (cell or "").split(self.separator) if (item := part.strip())]
