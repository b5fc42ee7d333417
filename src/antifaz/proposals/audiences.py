"""Who gets a release, and how likely it may then be that a guess at who is who is right.

| audience | highest risk of a record | k | where the figure comes from |
|---|---|---|---|
| known | 0.33 | 3 | the least of the cell sizes in use, for recipients bound by a contract (El Emam, Arbuckle: Anonymizing Health Data, 2013) |
| many | 0.2 | 5 | the usual cell size of health and statistics agencies (same place; Eurostat) |
| public | 0.09 | 11 | European Medicines Agency, Policy 0070 (2016); Health Canada, Public Release of Clinical Information (2019) |
"""  # noqa: E501

from dataclasses import dataclass
from typing import Literal

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message

Audience = Literal["known", "many", "public"]


@dataclass(frozen=True, kw_only=True)
class AudienceLimit:
    """What is accepted for an audience."""

    risk: float
    #: The smallest class that keeps to it; 1/11 is what both agencies write as 0.09.
    k: int


AUDIENCES: dict[str, AudienceLimit] = {
    "known": AudienceLimit(risk=0.33, k=3),
    "many": AudienceLimit(risk=0.2, k=5),
    "public": AudienceLimit(risk=0.09, k=11),
}
#: Whom a release is taken to be for where nobody says.
USUAL: Audience = "many"


def audience_words(audience: str | None) -> Message:
    """Return who is meant, in words."""
    return {
        "known": Message("audience.known"),
        "many": Message("audience.many"),
        "public": Message("audience.public"),
    }.get(audience or "", Message("audience.anybody"))


def audience_limit(audience: str) -> AudienceLimit:
    """Return what is accepted for an audience, or say which there are."""
    if audience not in AUDIENCES:
        raise ParameterError("proposal.unknown-audience", audience=audience, hint=hint(audience, list(AUDIENCES)))
    return AUDIENCES[audience]
