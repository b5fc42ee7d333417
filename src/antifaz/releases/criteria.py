"""What a data protection officer signs, as data: the three European criteria, the risk limit, HIPAA's list, article 30.

Opinion 05/2014 (WP 216) of the European data protection authorities asks of anonymization whether someone can be
singled out, whether records of one person can be linked, and whether something can be inferred about a person. Each is
answered by attacks that were tried. `Declaration` is what the evidence of every release satisfies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from antifaz.releases.hipaa import checklist

#: What the European Medicines Agency (Policy 0070) and Health Canada accept for publication.
LIMIT = 0.09
CRITERIA = ("singling_out", "linkability", "inference")

#: Why attacks were not tried, by the key of the words for it.
Reason = Literal["rows_stay", "too_many", "no_rows", "memory", "unfit", "not_asked", "no_sensitive"]
Share = Annotated[float, Field(ge=0, le=1)]
#: Below 0 without a limit: where the control is near 1, little less than it is a lot less of what is left.
Excess = Annotated[float, Field(le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Attack(_Part):
    """One attack: how often it succeeded, on people who are not in the release, and by chance."""

    name: str
    success: Share
    interval: tuple[Share, Share] = Field(description="95 %.")
    control: Share
    control_interval: tuple[Share, Share]
    chance: Share
    number: int = Field(ge=0, description="Attempts.")
    excess: Excess = Field(description="(success − control) / (1 − control)")
    excess_interval: tuple[Excess, Excess]


class Criterion(_Part):
    """One of the three: the attack that gains most over its control, and all that were tried; or why none was."""

    measured: bool
    reason: Reason | None = None
    beyond_control: bool | None = Field(
        default=None, description="Whether some attack finds more than it would of people who are not in the release."
    )
    worst: Attack | None = None
    attacks: list[Attack] = []


class RiskLimit(_Part):
    """The highest and the average risk of a record against the limit; null where no classes were counted."""

    threshold: Share = LIMIT
    highest: Share | None
    highest_within: bool | None
    average: Share | None
    average_within: bool | None


class Criteria(_Part):
    """The three criteria for a recipient, and the risk against the limit."""

    source: Literal["Opinion 05/2014 (WP 216)"] = "Opinion 05/2014 (WP 216)"
    recipient: str | None = Field(description="For whom; null where none was named.")
    singling_out: Criterion
    linkability: Criterion
    inference: Criterion
    risk: RiskLimit


class Identifier(_Part):
    """One of HIPAA's eighteen identifiers, and the columns whose names point to it."""

    identifier: str
    removed: list[str]
    released: list[str]


class Article30(_Part):
    """Article 30(1) GDPR, letters (a) to (g)."""

    a_controller: dict[str, str | None]
    b_purposes: str | None
    c_categories: dict[str, Any]
    d_recipients: str | list[str] | None
    e_third_country_transfers: str | None
    f_erasure: dict[str, str | None]
    g_measures: list[str] = Field(min_length=1)


class Declaration(BaseModel):
    """The part of the evidence document that a person answers for."""

    criteria: Criteria
    hipaa: list[Identifier] = Field(min_length=18, max_length=18)
    article_30: Article30


def criterion_of(attack: Mapping[str, Any]) -> str | None:
    """Return which criterion an attack answers, by its name."""
    name = str(attack.get("name", ""))
    for start, criterion in (("singling out", CRITERIA[0]), ("linkage", CRITERIA[1]), ("inference", CRITERIA[2])):
        if name.startswith(start):
            return criterion
    return None


def criteria(
    attacks: Sequence[Mapping[str, Any]],
    risk: Mapping[str, Any],
    *,
    recipient: str | None,
    reason: Reason | None = None,
) -> dict[str, Any]:
    """Sort attacks by what they answer, and compare the risks with the limit; `reason` says why none was tried."""
    found = {key: _criterion([a for a in attacks if criterion_of(a) == key], reason, key) for key in CRITERIA}
    highest, average = risk.get("highest", risk.get("prosecutor")), risk.get("average", risk.get("marketer"))
    limit = RiskLimit(
        highest=highest,
        highest_within=None if highest is None else highest <= LIMIT,
        average=average,
        average_within=None if average is None else average <= LIMIT,
    )
    told = Criteria.model_validate({"recipient": recipient or None, "risk": limit, **found})
    return told.model_dump(mode="json")


def _criterion(attacks: Sequence[Mapping[str, Any]], reason: Reason | None, key: str) -> Criterion:
    if not attacks:
        return Criterion(measured=False, reason=reason or ("no_sensitive" if key == "inference" else "unfit"))
    kept = [Attack(**{field: attack[field] for field in Attack.model_fields}) for attack in attacks]
    worst = max(kept, key=lambda attack: (attack.excess, attack.success))
    beyond = any(attack.excess_interval[0] > 0 for attack in kept)
    return Criterion(measured=True, beyond_control=beyond, worst=worst, attacks=kept)


def hipaa(attributes: Sequence[dict[str, Any]], released: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the eighteen identifiers as data."""
    return [Identifier(**vars(found)).model_dump() for found in checklist(attributes, released)]
