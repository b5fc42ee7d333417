"""What the evidence says of earlier releases of the same people."""

from typing import Literal

from pydantic import Field

from antifaz.releases.evidence_parts import Count, Part


class SensitiveLeft(Part):
    """What several releases together leave of a sensitive attribute."""

    fewest_values: int | None = Field(description="The fewest values that somebody is narrowed down to.")
    disclosed: Count = Field(description="Records of which too few are left.")


class LedgerAttack(Part):
    """How one attack with earlier releases ended, and what it went by."""

    smallest: int | None = Field(description="The smallest set that somebody is narrowed down to; null: nobody is.")
    exposed: Count = Field(description="Records in sets below k.")
    holds: bool = Field(description="Whether nobody is exposed.")
    sensitive: dict[str, SensitiveLeft] | None = Field(default=None, description="Per sensitive attribute.")
    joined_on: list[str] | None = Field(default=None, description="The columns that both tables show.")
    came: int | None = Field(default=None, description="Records that are only in the new release.")
    went: int | None = Field(default=None, description="Records that are only in the earlier one.")
    same_classes: int | None = Field(default=None, description="Classes that are the same in both.")
    paired: bool | None = Field(default=None, description="Whether rows can be paired by their order.")
    correlation: float | None = Field(default=None, description="The correlation of the two orders.")
    agreement: float | None = Field(default=None, description="The share of rows that agree at the same place.")


class EarlierRelease(Part):
    """An earlier release of the same people, and how each attack with it alone ended."""

    release: str = Field(description="Its identifier in the ledger.")
    dataset: str = Field(description="The data set it was made of.")
    made: str = Field(description="When it was made.")
    k: int | None = Field(description="What it promised; null where it was light.")
    shared: Count = Field(description="People in both.")
    recipients: list[str] | None = Field(default=None, description="Who has it; an empty name where none was given.")
    by: list[str] | None = Field(default=None, description="The columns by which people were recognized.")
    composition: LedgerAttack | None = Field(default=None, description="Putting the classes together.")
    complementary: LedgerAttack | None = Field(default=None, description="Joining the released tables.")
    temporal: LedgerAttack | None = Field(default=None, description="Subtracting one from the other.")
    unsorted_matching: LedgerAttack | None = Field(
        default=None, alias="unsorted-matching", description="Pairing rows by their order."
    )


class Despite(Part):
    """Why a release was made although the ledger refused it."""

    reason: str = Field(description="The reason given.")
    when: str = Field(description="When.")
    by: str = Field(description="By whom.")


class BrokenPromiseEvidence(Part):
    """A k that does not hold any more once the new release is out."""

    release: str | None = Field(description="Whose it is; null: the new release's own.")
    k: int = Field(description="What was promised.")
    smallest: int = Field(description="How many people are left for somebody.")


class PrivacyAmount(Part):
    """An ε and a δ."""

    epsilon: float = Field(description="ε.")
    delta: float = Field(description="δ.")


class BudgetEvidence(PrivacyAmount):
    """What a differentially private release spends of its data set's budget."""

    together: PrivacyAmount = Field(description="The sums over all releases of the data set, this one included.")
    limit: PrivacyAmount | None = Field(description="What they may spend together; null where nobody set a limit.")
    within: bool = Field(description="Whether the limit is kept.")


class LedgerEvidence(Part):
    """What the ledger says of this release beside the earlier ones of the same people."""

    release: str = Field(description="Its identifier in the ledger.")
    dataset: str = Field(description="The data set it was made of.")
    kind: Literal["table"] | None = Field(default=None, description="table: of counts or sums, with nobody in it.")
    checked: bool = Field(description="Whether it was checked with earlier ones.")
    known_by: list[str] | str | None = Field(default=None, description="The columns by which people are known again.")
    recipient: str | None = Field(default=None, description="Who gets it; absent in a draft.")
    holds_for_recipient: bool | None = Field(
        default=None, description="Whether it holds with what the recipient has alone."
    )
    k: int | None = Field(default=None, description="The largest k that it or an earlier release has promised.")
    broken: list[BrokenPromiseEvidence] | None = Field(default=None, description="Whose k does not hold any more.")
    holds: bool | None = Field(default=None, description="Whether it does.")
    smallest_intersection: int | None = Field(default=None, description="The smallest set that any attack leaves.")
    exposed: Count | None = Field(default=None, description="Records that the worst attack exposes.")
    attacks: dict[str, LedgerAttack] | None = Field(default=None, description="Per attack, with all releases.")
    earlier: list[EarlierRelease] = Field(description="The earlier releases that were looked at.")
    compared: list[str] | None = Field(default=None, description="Of a table: the earlier ones it was attacked with.")
    notes: list[str] = Field(description="What could not be checked, and why.")
    despite: Despite | None = Field(default=None, description="Why it was made although it does not hold.")
    budget: BudgetEvidence | None = Field(default=None, description="Of a differentially private release.")
