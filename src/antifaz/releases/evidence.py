"""The evidence document: what was done to a table and what holds of its release, with no raw value in it.

`Evidence` is the document of one table, `TablesEvidence` that of several, and `TabulationEvidence` that of a table of
counts or sums; `evidence_schema` is their published JSON Schema. `document()` gives the JSON: fields stand in it in the
order of the model, and one that was never set is left out. A field that the document always has, be it as null,
therefore has no default here.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, TypeAdapter

from antifaz.core.messages import messages_in
from antifaz.releases.criteria_evidence import Article30, Criteria, HipaaIdentifier, PresetEvidence
from antifaz.releases.evidence_parts import Count, MessagesEvidence, Number, OpenPart, Part, Sentence, Share
from antifaz.releases.ledger_evidence import LedgerEvidence
from antifaz.releases.survey_evidence import SurveyEvidence
from antifaz.releases.tabulation_evidence import TabulationEvidence, TabulationsEvidence
from antifaz.releases.verdict_evidence import ReleaseVerdict


class RowCounts(Part):
    """How many rows came in and how many went out."""

    read: Count = Field(description="Rows that were read.")
    released: Count = Field(description="Rows of the release, counted there.")
    suppressed: int = Field(description="Rows that were left out.")


class PeopleCounts(Part):
    """How many people came in and went out, where a person may have several rows."""

    key: list[str] = Field(description="The columns that tell people apart.")
    read: Count = Field(description="People in the data.")
    released: Count = Field(description="People with a row in the release, counted there.")
    suppressed: int = Field(description="People all of whose rows were left out.")


class SetEvidence(Part):
    """What became of the items of a column whose cells hold several; rare ones are counted, never named."""

    column: str = Field(description="The column.")
    separator: str = Field(description="What stands between two items of a cell.")
    k: Count = Field(description="How many people must share what is known.")
    m: Count = Field(description="How many items of a person somebody may know.")
    items: Count = Field(description="Items in the cells of released rows, as they came.")
    different_before: Count = Field(description="Different ones among them.")
    different_after: Count = Field(description="Different labels in the release.")
    rare_before: list[Count] = Field(
        description="Sets of one item, of two, … that fewer than k people of a class had, as the data came; those of "
        "all columns of sets together."
    )
    generalized: Count = Field(description="Items that were released under the label of an ancestor.")
    suppressed: Count = Field(description="Items that were left out of their cells.")
    loss: Share = Field(description="Between 0, all items as they came, and 1, nothing left of them.")


class RepairEvidence(Part):
    """A repair that was made while the file was read, because somebody asked for it."""

    name: str = Field(description="Its name in project files.")
    count: Count = Field(description="How often it was made.")
    line: int | None = Field(description="The first line of the file on which it was.")
    left_out: Count = Field(description="Records that it left out.")


class MethodEvidence(OpenPart):
    """What decided: the method, with its parameters and its decision (such as `levels`) under names of its own."""

    name: str = Field(description="The method's name in project files; masking where only operations were done.")


class VerdictEvidence(OpenPart):
    """Whether a privacy model holds in the written rows; its parameters stand beside it."""

    model: str = Field(description="The model's name in project files.")
    achieved: Number | None = Field(description="What was counted, such as the smallest class; null where nothing is.")
    holds: bool = Field(description="Whether the model holds.")
    failing: Count = Field(default=0, description="Records in classes that fail the model.")
    note: Sentence = Field(default="", description="How the verdict is to be read, where that needs saying.")


class UtilityEvidence(OpenPart):
    """What the release still tells; measures that a plug-in adds stand beside these."""

    loss: Number | None = Field(default=None, description="Information loss between 0 and 1.")
    gcp: Number | None = Field(default=None, description="Global certainty penalty between 0 and 1.")
    height: Number | None = Field(
        default=None, description="The shares of their hierarchies that values were taken up, summed over attributes."
    )
    precision: Number | None = Field(default=None, description="1 less the average share of the height that was used.")
    discernibility: Number | None = Field(default=None, description="The sum of the squares of the class sizes.")
    average_class_size: Number | None = Field(default=None, description="Records per class.")
    ks: dict[str, Number | None] | None = Field(
        default=None, description="Per numeric quasi-identifier the p-value of the Kolmogorov-Smirnov test."
    )


class RiskEvidence(Part):
    """How likely people are found, before and after."""

    k: int = Field(description="In classes below this size a record counts as singled out.")
    singled_out_before: Count = Field(description="Records singled out in the data as it came.")
    singled_out_after: Count = Field(description="Records singled out in the release.")
    prosecutor_before: Share = Field(description="The highest risk of a record in the data as it came.")
    prosecutor: Share = Field(description="The highest risk of a record in the release: one by the smallest class.")
    marketer_before: Share = Field(description="The average risk in the data as it came.")
    marketer: Share = Field(description="The average risk in the release: classes by records.")


class ClassSizes(Part):
    """The classes of one table, by how many there are of each size."""

    count: Count = Field(description="Classes.")
    smallest: int | None = Field(description="Records in the smallest class; null where there is none.")
    average: float | None = Field(description="Records per class.")
    largest: int | None = Field(description="Records in the largest class.")
    sizes: list[tuple[int, int]] = Field(description="Pairs of a size and how many classes have it, from the smallest.")


class ClassesEvidence(Part):
    """The classes before and after."""

    before: ClassSizes = Field(description="Of the data as it came.")
    after: ClassSizes = Field(description="Of the release.")


class OperationEvidence(OpenPart):
    """One operation on a column with what may be told of its parameters: of keys and tables only that there are."""

    name: str = Field(description="The operation's name in project files.")


class AttributeEvidence(Part):
    """One column of the source."""

    name: str = Field(description="The column.")
    role: str = Field(description="Its role.")
    type: str = Field(description="Its type.")
    level: int | None = Field(default=None, description="The level it was generalized to.")
    height: int | None = Field(default=None, description="The highest level of its hierarchy.")
    operations: list[OperationEvidence] = Field(default=[], description="What was done to it, in order.")
    released: bool | None = Field(
        default=None, description="Of an identifier in a run with operations: whether it is in the release after them."
    )


class Histogram(Part):
    """Counts in bars, each with none or at least five records."""

    edges: list[float] = Field(description="Where bars begin and the last one ends.")
    before: list[int] = Field(description="Records per bar before.")
    after: list[int] = Field(description="Records per bar after.")


class PerturbedColumn(Part):
    """How far the values of a column moved; all but the first only of numbers."""

    changed: Share = Field(description="The share of values that are others afterwards.")
    interval_risk: Share | None = Field(default=None, description="The share within 0.2 standard deviations.")
    mean_moved: float | None = Field(default=None, description="How far the mean moved, in standard deviations.")
    sd_times: float | None = Field(default=None, description="The factor of the standard deviation.")
    il1s: float | None = Field(default=None, description="IL1s per cell.")
    histogram: Histogram | None = Field(default=None, description="Before and after in bars.")
    errors: list[float] | None = Field(default=None, description="Sorted errors, each the mean of at least five.")


class PerturbationEvidence(Part):
    """One perturbation."""

    name: str = Field(description="The perturbation's name in project files.")
    columns: list[str] = Field(description="The columns that it changed.")
    shared: bool = Field(description="Whether it was given for several columns, apart from the columns' operations.")
    parameters: dict[str, Any] = Field(description="What may be told of its parameters.")
    measures: dict[str, PerturbedColumn] = Field(description="Per column; empty where rows stayed away.")
    counts: dict[str, int] | None = Field(
        default=None, description="Of record swapping: households, swapped, at_risk, and those at risk without_donor."
    )


class ReleasedEvidence(Part):
    """The released rows: where they are, and by what they can be told from others."""

    table: str | None = Field(default=None, description="The table of a database.")
    file: str = Field(description="The file, folder or table.")
    format: str = Field(description="csv, tsv, parquet, xlsx, …, or table.")
    schema_: str | None = Field(default=None, alias="schema", description="The database schema of the table.")
    parts: int | None = Field(default=None, description="The number of files, where it is a folder.")
    delimiter: str | None = Field(default=None, description="What separates columns, where the format does not tell.")
    encoding: str | None = Field(default=None, description="The encoding, where that is not UTF-8.")
    bom: bool | None = Field(default=None, description="Whether text begins with a byte order mark.")
    written: dict[str, str] | None = Field(
        default=None, description="Columns whose cells are written in a form, such as decimal(comma)."
    )
    kinds: dict[str, str] | None = Field(
        default=None, description="Of a file of SPSS, Stata or SAS: columns that are numbers, dates or labels there."
    )
    sha256: str | None = Field(default=None, description="The file's SHA-256.")
    fingerprint: str | None = Field(default=None, description="A sum over the rows, where there is no single file.")
    rows: Count = Field(description="Rows, counted in what was written.")
    columns: list[str] = Field(description="Columns, in the order of the file.")


class ReportEvidence(Part):
    """Which report was written."""

    language: str = Field(description="Its language.")
    files: list[str] = Field(description="Its files.")


class Evidence(Part):
    """What was done to one table and what holds of its release."""

    antifaz: Literal[1] = Field(description="The version of this document.")
    project: str = Field(description="The project's name.")
    kind: Literal["light"] | None = Field(default=None, description="light: only operations, no privacy evaluated.")
    state: Literal["draft", "handed out"] | None = Field(
        default=None, description="draft: nobody has it yet, as far as the ledger knows; absent in memory."
    )
    created: str = Field(description="When, in UTC.")
    version: str = Field(description="The version of antifaz.")
    rows: RowCounts = Field(description="How many rows came in and went out.")
    people: PeopleCounts | None = Field(
        default=None, description="Where a person has several rows: privacy, risk and classes count people."
    )
    sets: list[SetEvidence] | None = Field(default=None, description="What became of the items of sets.")
    repairs: list[RepairEvidence] | None = Field(default=None, description="What was repaired in the file.")
    method: MethodEvidence = Field(description="What decided.")
    hardened: bool | None = Field(default=None, description="Whether the method decided without sensitive values.")
    privacy: list[VerdictEvidence] = Field(description="What holds, counted in the written rows.")
    evaluated: Sentence | None = Field(default=None, description="Of a light release: that no privacy was evaluated.")
    checked_by: Sentence = Field(description="Who counted.")
    utility: UtilityEvidence | None = Field(default=None, description="What the release still tells.")
    risk: RiskEvidence | None = Field(default=None, description="How likely people are found.")
    survey: SurveyEvidence | None = Field(default=None, description="The risk by sampling weights and households.")
    classes: ClassesEvidence | None = Field(default=None, description="The classes before and after.")
    attributes: list[AttributeEvidence] = Field(description="The columns.")
    warnings: list[Sentence] = Field(description="What somebody has to decide on or answer for.")
    notes: list[Sentence] = Field(description="What was found in the data and done about it.")
    messages: MessagesEvidence | None = Field(default=None, description="Warnings and notes as codes with values.")
    perturbation: list[PerturbationEvidence] | None = Field(default=None, description="What was perturbed.")
    released: ReleasedEvidence | None = Field(default=None, description="The released rows; absent in memory.")
    criteria: Criteria | None = Field(default=None, description="The three European criteria.")
    hipaa: list[HipaaIdentifier] | None = Field(
        default=None, min_length=18, max_length=18, description="HIPAA's eighteen identifiers."
    )
    preset: PresetEvidence | None = Field(default=None, description="The rule of the project, clause by clause.")
    article_30: Article30 | None = Field(default=None, description="Article 30(1) GDPR.")
    verdict: ReleaseVerdict | None = Field(default=None, description="May it be handed over, and what speaks against.")
    report: ReportEvidence | None = Field(default=None, description="The report.")
    ledger: LedgerEvidence | None = Field(default=None, description="Earlier releases of the same people.")
    seconds: dict[str, Number] | None = Field(default=None, description="Seconds per step of the run.")
    peak_memory_bytes: Count | None = Field(default=None, description="The most memory that the process had.")
    folder: str | None = Field(default=None, description="Where the release is; only in what a run returns.")
    run: int | None = Field(default=None, description="The number of the stored run; only in what a run returns.")


class BeforeAfter(Part):
    """A number in the sources and in the releases."""

    before: Count = Field(description="In the sources.")
    after: Count = Field(description="In the releases.")


class JoinEvidence(Part):
    """Two tables joined by a repeated attribute."""

    tables: list[str] = Field(description="The two tables.")
    matching_values: BeforeAfter = Field(description="Values that both have.")
    matching_rows: BeforeAfter = Field(description="Pairs of records that a join finds.")
    left_out: dict[str, int] = Field(description="Records that were left out, per table.")
    holds: bool = Field(description="Whether the join finds what it should.")


class RepeatedEvidence(Part):
    """An attribute that several tables have."""

    name: str = Field(description="The attribute.")
    columns: dict[str, str] = Field(description="Its column in each table.")
    mapping: str = Field(description="one-to-one, many-to-one or removed.")
    operation: list[str] | None = Field(default=None, description="The operations on it.")
    joins: list[JoinEvidence] = Field(description="Each pair of tables.")


class JoinedPeople(Part):
    """The people of tables that can be joined by their key: what may be known of them in all tables together."""

    name: str = Field(description="The repeated attribute that is the key.")
    tables: list[str] = Field(description="The tables.")
    k: Count = Field(description="How many people must share what is known.")
    rows: int | Literal["all"] = Field(description="How many rows of a person, of all tables, somebody may know.")
    people: Count = Field(description="People in the released tables.")
    stricter: Count = Field(description="For how many times its k each table was decided so that it holds.")
    left_out: Count = Field(description="People whose rows were left out of all tables so that it holds.")
    not_joined: list[str] = Field(
        default_factory=list,
        description="Models of sensitive values: they hold in each table, and were not judged in the join.",
    )
    achieved: Count | None = Field(description="The fewest people who share what may be known of anybody.")
    failing: Count = Field(description="People who share it with fewer than k.")
    holds: bool = Field(description="Whether it holds in the joined tables.")


class TablesEvidence(Part):
    """What was done to several tables that were released together."""

    antifaz: Literal[1] = Field(description="The version of this document.")
    project: str = Field(description="The project's name.")
    state: Literal["draft", "handed out"] | None = Field(
        default=None, description="draft: nobody has it yet, as far as the ledger knows."
    )
    created: str = Field(description="When, in UTC.")
    version: str = Field(description="The version of antifaz.")
    tables: dict[str, Evidence] = Field(description="The evidence of each table.")
    repeated: list[RepeatedEvidence] = Field(description="Attributes that several tables have.")
    joined: list[JoinedPeople] | None = Field(
        default=None, description="What holds of people in tables that can be joined by their key."
    )
    verdict: ReleaseVerdict | None = Field(default=None, description="May they be handed over together?")
    warnings: list[Sentence] = Field(description="What somebody has to decide on or answer for.")
    messages: MessagesEvidence | None = Field(default=None, description="Warnings as codes with values.")
    seconds: dict[str, Number] = Field(description="Seconds per step, of all tables together.")
    peak_memory_bytes: Count = Field(description="The most memory that the process had.")
    folder: str | None = Field(default=None, description="Where the release is; only in what a run returns.")
    run: int | None = Field(default=None, description="The number of the stored run; only in what a run returns.")


def add_messages(evidence: Evidence | TablesEvidence) -> None:
    """Add the messages of the evidence as codes with values, so that they can be shown in any language."""
    parts = evidence.model_dump(exclude_unset=True, exclude={"tables"})
    evidence.messages = MessagesEvidence.model_validate(messages_in(parts))


def under(document: object, *keys: str) -> Any:
    """Return what a document that may lack parts has under a path of keys; None where there is nothing on the way."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; nothing where it is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def evidence_schema() -> dict[str, Any]:
    """Return the JSON Schema of evidence.json."""
    about = "What was done and what holds of a release: evidence.json, and what `antifaz run --json` prints."
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Evidence", "description": about}
    return head | TypeAdapter(Evidence | TablesEvidence | TabulationEvidence | TabulationsEvidence).json_schema()
