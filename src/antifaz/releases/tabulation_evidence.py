"""The evidence of a table of counts or sums as typed models: what `antifaz tabulate` writes."""

from typing import Literal

from pydantic import Field

from antifaz.releases.evidence_parts import Count, MessagesEvidence, Number, OpenPart, Part, Sentence
from antifaz.releases.ledger_evidence import LedgerEvidence


class TabulatedRows(Part):
    """How many rows were counted."""

    read: Count = Field(description="Rows that were read.")
    without_amount: Count = Field(description="Rows without an amount, which are not in a table of sums.")


class DimensionEvidence(Part):
    """A column that was counted by."""

    column: str = Field(description="The column.")
    labels: Count = Field(description="Its labels: values, subtotals and the total.")
    tree: list[tuple[str | None, str | None]] = Field(description="Each label with the one above it, the total first.")


class CellsEvidence(Part):
    """What the table has."""

    dimensions: list[DimensionEvidence] = Field(description="The columns that were counted by.")
    measure: str | None = Field(description="The column that was summed; null for counts.")
    person: list[str] = Field(description="The columns that tell people apart, who are counted then.")
    decimals: Count = Field(description="The decimals of its cells.")
    cells: Count = Field(description="Cells, totals and empty ones included.")
    shown: Count = Field(description="Those that are published.")
    suppressed: Count = Field(description="Those that are not.")
    adds_up: bool = Field(description="Whether each true total is the sum of its parts.")


class RuleEvidence(OpenPart):
    """A rule with its parameters, and how many cells it finds."""

    rule: str = Field(description="Its name.")
    sensitive: Count = Field(description="Cells that it finds sensitive.")


class ProtectionEvidence(OpenPart):
    """A protection with its parameters, but never its key, and its own account."""

    name: str = Field(description="Its name.")


class AuditEvidence(Part):
    """What the auditor found when it attacked the written table."""

    holds: Literal[True] = Field(description="Every sensitive cell keeps the interval that the rules ask for.")
    sensitive: Count = Field(description="Sensitive cells, by the auditor's own count.")
    attacked: Count = Field(description="Cells that were attacked.")
    narrowest_interval: Number | None = Field(description="The narrowest interval; null where none has an end.")
    median_interval: Number | None = Field(description="The one in the middle.")


class LinkedEvidence(Part):
    """What the table was protected and attacked with, because it counts the same."""

    tables: list[str] = Field(description="The tables that were made together with it.")
    earlier: list[str] = Field(description="Tables that were handed out before, by their releases in the ledger.")
    circle: bool = Field(description="Whether they share columns in a circle, and what follows from that was attacked.")


class TableFileEvidence(Part):
    """The released file."""

    file: str = Field(description="Its name.")
    bytes: Count = Field(description="Its size.")
    sha256: str = Field(description="Its SHA-256.")


class TabulationEvidence(Part):
    """What was done to a table of counts or sums, and what an attack found of it."""

    antifaz: Literal[1] = Field(description="The version of this document.")
    version: str = Field(description="The version of antifaz.")
    kind: Literal["table"] = Field(description="That it is a table of counts or sums.")
    project: str = Field(description="What the table is called.")
    created: str = Field(description="When, in UTC.")
    rows: TabulatedRows = Field(description="The rows that it was counted from.")
    people: Count | None = Field(default=None, description="How many people, where there is a person key.")
    table: CellsEvidence = Field(description="Its dimensions and cells.")
    rules: list[RuleEvidence] = Field(description="What is sensitive.")
    protection: ProtectionEvidence = Field(description="How cells are protected.")
    audit: AuditEvidence = Field(description="What the auditor found.")
    linked: LinkedEvidence = Field(description="The other tables of the attack.")
    warnings: list[Sentence] = Field(description="What somebody has to decide on or answer for.")
    notes: list[Sentence] = Field(description="What was found in the data and done about it.")
    seconds: dict[str, Number] = Field(description="Seconds per step.")
    messages: MessagesEvidence = Field(description="Warnings and notes as codes with values.")
    released: TableFileEvidence | None = Field(default=None, description="The released file; absent in memory.")
    state: Literal["draft", "handed out"] | None = Field(
        default=None, description="draft: nobody has it yet, as far as the ledger knows; absent in memory."
    )
    ledger: LedgerEvidence | None = Field(default=None, description="What the ledger says of it.")
    folder: str | None = Field(default=None, description="Where the table is; only in what `antifaz tabulate` prints.")


class TabulationsEvidence(Part):
    """Tables of counts or sums that were made, protected and attacked together."""

    antifaz: Literal[1] = Field(description="The version of this document.")
    version: str = Field(description="The version of antifaz.")
    kind: Literal["tables"] = Field(description="That these are tables of counts or sums.")
    project: str = Field(description="What they are called together.")
    state: Literal["draft", "handed out"] = Field(description="draft: nobody has them yet, as far as the ledger knows.")
    tables: dict[str, TabulationEvidence] = Field(description="The evidence of each, by its name.")
    folder: str | None = Field(default=None, description="Where they are; only in what `antifaz tabulate` prints.")
