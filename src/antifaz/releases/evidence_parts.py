"""What all parts of the evidence document are made of."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, model_serializer

Share = Annotated[float, Field(ge=0, le=1)]
#: Below 0 without a limit: where the control is near 1, little less than it is a lot less of what is left.
Excess = Annotated[float, Field(le=1)]
Count = Annotated[int, Field(ge=0)]
#: Whole numbers stay whole numbers in the document.
Number = int | float
#: A sentence in English. A message stays one, so that whoever shows it can say it in another language.
Sentence = InstanceOf[str]


class Part(BaseModel):
    """A part of the evidence: it has the keys that are declared, and no others."""

    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="constants", populate_by_name=True, defer_build=True)

    def document(self) -> dict[str, Any]:
        """Return the part as it stands in evidence.json."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class OpenPart(Part):
    """A part with keys that its maker chooses (a method, a model, an operation): they stand after the first field."""

    model_config = ConfigDict(extra="allow")

    @model_serializer(mode="wrap")
    def _in_order(self, write: Callable[[Part], dict[str, Any]]) -> dict[str, Any]:
        written, fields = write(self), type(self).model_fields
        first = next(iter(fields))
        own = {key: value for key, value in written.items() if key not in fields}
        return {first: written[first]} | own | {key: value for key, value in written.items() if key in fields}


class MessageEvidence(Part):
    """A sentence as a code with values, from which it can be said in any language."""

    code: str = Field(description="The key of its words in the catalogues.")
    values: dict[str, Any] = Field(description="What is filled in.")
    text: Sentence = Field(description="The sentence in English.")


class MessagesEvidence(Part):
    """The warnings and notes as codes with values."""

    warnings: list[MessageEvidence] = Field(description="The warnings, in their order.")
    notes: list[MessageEvidence] = Field(default=[], description="The notes, in their order.")
    others: list[MessageEvidence] = Field(
        default=[], description="Those that stand elsewhere, such as verdicts' notes."
    )
