"""What the evidence says of attacks and of rules: Opinion 05/2014, HIPAA, presets by clause, and Article 30 GDPR."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from antifaz.releases.evidence_parts import Count, Excess, Part, Sentence, Share

#: What the European Medicines Agency (Policy 0070) and Health Canada accept for publication.
LIMIT = 0.09

#: Why attacks were not tried, by the key of the words for it.
Reason = Literal["rows_stay", "too_many", "no_rows", "memory", "unfit", "not_asked", "no_sensitive"]
#: Counted in the release: it holds, or fails. Or nobody can count it.
Answer = Literal["holds", "fails", "person"]


class Attack(Part):
    """One attack: how often it succeeded, on people who are not in the release, and by chance."""

    name: str = Field(description="The attack.")
    success: Share = Field(description="The share of attempts that succeeded.")
    interval: tuple[Share, Share] = Field(description="Its 95 % interval.")
    control: Share = Field(description="The same on people who are not in the release.")
    control_interval: tuple[Share, Share] = Field(description="Its 95 % interval.")
    chance: Share = Field(description="What guessing gives.")
    number: Count = Field(description="Attempts.")
    excess: Excess = Field(description="(success − control) / (1 − control)")
    excess_interval: tuple[Excess, Excess] = Field(description="Its 95 % interval.")


class Criterion(Part):
    """One of the three: the attack that gains most over its control, and all that were tried; or why none was."""

    measured: bool = Field(description="Whether attacks were tried.")
    reason: Reason | None = Field(description="Why none was.")
    beyond_control: bool | None = Field(
        description="Whether some attack finds more than it would of people who are not in the release."
    )
    worst: Attack | None = Field(description="The attack that gains most over its control.")
    attacks: list[Attack] = Field(description="All attacks that answer this criterion.")


class RiskLimit(Part):
    """The highest and the average risk of a record against the limit; null where no classes were counted."""

    threshold: Share = Field(description="The limit, that of the EMA and Health Canada.")
    highest: Share | None = Field(description="The highest risk of a record.")
    highest_within: bool | None = Field(description="Whether it is within the limit.")
    average: Share | None = Field(description="The average risk of a record.")
    average_within: bool | None = Field(description="Whether it is within the limit.")


class Criteria(Part):
    """The three criteria of Opinion 05/2014 for a recipient, and the risk against the limit."""

    source: Literal["Opinion 05/2014 (WP 216)"] = Field(description="Where the criteria come from.")
    recipient: str | None = Field(description="For whom; null where none was named.")
    singling_out: Criterion = Field(description="Can someone be singled out?")
    linkability: Criterion = Field(description="Can records of one person be linked?")
    inference: Criterion = Field(description="Can something be inferred about a person?")
    risk: RiskLimit = Field(description="The risk of a record against the limit.")


class HipaaIdentifier(Part):
    """One of HIPAA's eighteen identifiers, and the columns whose names point to it."""

    identifier: str = Field(description="The identifier, by the key of its words.")
    removed: list[str] = Field(description="Columns that are not in the release.")
    released: list[str] = Field(description="Columns that are.")


class Article30(Part):
    """Article 30(1) GDPR, letters (a) to (g); what nobody said is null."""

    a_controller: dict[str, str | None] = Field(description="Controller, representative, data protection officer.")
    b_purposes: str | None = Field(description="The purposes of the processing.")
    c_categories: dict[str, Any] = Field(description="Categories of data subjects and of personal data.")
    d_recipients: str | list[str] | None = Field(description="Categories of recipients.")
    e_third_country_transfers: str | None = Field(description="Transfers to third countries.")
    f_erasure: dict[str, str | None] = Field(description="Time limits for erasure.")
    g_measures: list[str] = Field(min_length=1, description="Technical and organisational measures.")


class Declaration(BaseModel):
    """The part of the evidence that a person answers for; every written release has it."""

    criteria: Criteria
    hipaa: list[HipaaIdentifier] = Field(min_length=18, max_length=18)
    article_30: Article30


class ClauseEvidence(Part):
    """One clause of a rule."""

    clause: str = Field(description="Where it stands in the rule.")
    key: str = Field(description="The key of the words for what it asks.")
    answer: Answer = Field(description="holds, fails, or person: only a person can say.")
    columns: list[str] = Field(description="The released columns that it is about.")
    words: Sentence = Field(description="What was counted, or what a person has to say.")


class PresetEvidence(Part):
    """The rule of a project, clause by clause."""

    name: str = Field(description="The preset.")
    source: str = Field(description="Where the rule stands.")
    clauses: list[ClauseEvidence] = Field(description="Its clauses, in their order.")
