"""Sampling: some of the rows, chosen at random; what was not drawn protects what was."""

from __future__ import annotations

import hashlib
from typing import ClassVar, Self

from pydantic import Field, model_validator

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.core.randomness import fresh_seed
from antifaz.engines.changes import Sampling


class Sample(Declared):
    """Keep some of the rows, chosen at random."""

    name: ClassVar[str] = "sample"
    summary: ClassVar[str] = "Keeps some of the rows, chosen at random."
    details: ClassVar[str] = (
        "A share or a number of rows; exactly so many are kept. Who looks for a person can't be sure that the person "
        "is in the table. In a project file it is the key `sample`: below 1 a share, else a number of rows."
    )
    primary: ClassVar[str] = "share"
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"share": 0.5}, {"number": 100})

    share: float | None = Field(default=None, gt=0, le=1, description="What part of the rows is kept.")
    number: int | None = Field(default=None, ge=1, description="Instead: how many rows are kept.")

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.share is None) == (self.number is None):
            raise ValueError("one of two: 'share' or 'number'")
        return self

    def bound(self, rows: int, seed: int | None) -> Sampling:
        """Return which rows of a table are kept: how many, and the key by which they are drawn."""
        number = self.number if self.number is not None else round((self.share or 0) * rows)
        if number > rows:
            raise ParameterError("sample.more-rows-than-there-are", number=number, rows=rows)
        if not number and rows:
            raise ParameterError("sample.share-of-no-row", rows=rows)
        chosen = fresh_seed() if seed is None else seed
        mixed = hashlib.blake2b(b"sample", key=chosen.to_bytes(16, "big", signed=True), digest_size=8).digest()
        return Sampling(number=number, key=int.from_bytes(mixed, "big") >> 1)


def sample_of(number: float) -> Sample:
    """Return the sample that a project file's number means: below 1 a share, else a number of rows."""
    if number < 1:
        return Sample(share=number)
    if number != int(number):
        raise ParameterError("sample.neither-share-nor-number")
    return Sample(number=int(number))
