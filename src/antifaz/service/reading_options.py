"""How a data set is to be read, as people tell it beside the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import InputError, hint
from antifaz.core.types import DataType


class Reading(BaseModel):
    """How a file or table is to be read; what is left out is found from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str | None = Field(default=None, description="csv, json, jsonl, parquet or xlsx.")
    delimiter: str | None = Field(default=None, description="One character between columns.")
    quote: str | None = Field(default=None, description="The quote character; '' if quotes mean nothing.")
    encoding: str | None = Field(default=None, description="Such as utf-8 or cp1252.")
    header: bool | None = Field(default=None, description="Whether the first line names the columns.")
    missing: tuple[str, ...] = Field(default=(), description="Texts that mean missing, beside the empty field.")
    sheet: str | None = Field(default=None, description="The sheet of a workbook.")
    types: dict[str, DataType] = Field(default_factory=dict, description="How columns are to be understood.")

    @classmethod
    def parse(cls, said: Mapping[str, Any] | None) -> Reading:
        """Take what was said, or say in one sentence what is wrong with it."""
        if said is not None and not isinstance(said, Mapping):
            raise InputError("service.options-not-a-mapping")
        try:
            return cls(**{str(key): value for key, value in (said or {}).items()})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            if first["type"] == "extra_forbidden":
                raise InputError("service.unknown-option", key=key, hint=hint(key, cls.model_fields)) from None
            raise InputError("service.option-wrong", key=key, reason=first["msg"].lower()) from None

    def as_source(self) -> dict[str, Any]:
        """Return what a project file says of it under `source`; types are said of the attributes."""
        return self.model_dump(mode="json", exclude={"types"}, exclude_none=True, exclude_defaults=True)

    def as_open_options(self) -> dict[str, Any]:
        """Return what whoever opens the data is told."""
        return self.as_source() | {"types": dict(self.types)}
