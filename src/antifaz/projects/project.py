"""The project: everything about a run, as one description that can be saved, edited and run again."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from antifaz.core import sizes
from antifaz.core.item_options import Items
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.types import SIZED_TEXT, DataType
from antifaz.counting.filling import Way
from antifaz.counting.group_labels import Release
from antifaz.engines.addresses import has_password, is_address, placed
from antifaz.methods import FullDomain
from antifaz.pipeline.plan import Others
from antifaz.privacy.hardening import HARDENED
from antifaz.proposals.audiences import Audience
from antifaz.proposals.presets import PresetChoice, PresetName
from antifaz.reports.report import ReportOptions
from antifaz.sources.missing_codes import MissingKey
from antifaz.sources.place_address import has_secret, is_place
from antifaz.sources.repairs import RepairName
from antifaz.sources.text_options import Encoding, RowsFormat
from antifaz.sources.written_forms import PATTERN

SizedText = Annotated[str, Field(pattern=f"{SIZED_TEXT}|{PATTERN}")]


def within(folder: Path, path: str) -> str | Path:
    """Return a path relative to a folder; one with a scheme, such as hdfs://, is complete as it is."""
    return path if "://" in path else folder / path


class ProjectPart(BaseModel):
    """A part of a project file: it has the keys that are declared, and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def check_address(url: str, table: str | None) -> None:
    """Say what is wrong with the address of a database in a project file."""
    if not is_address(url):
        raise ValueError(Message("expected.database"))
    if has_password(url):
        raise ValueError(Message("expected.no-password-in-url"))
    if table is None:
        raise ValueError(Message("expected.database-with-table"))


class ProjectSource(ProjectPart):
    """Where the rows are, and how the file is written where that can't be told from it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["spark"]}, {"required": ["url", "table"]}]}
    )

    path: str | None = Field(
        default=None,
        description="The data file, relative to the project file: CSV, TSV, JSON, Parquet or XLSX; or its address in a "
        "store: s3://, gs://, hdfs://, https://.",
    )
    spark: str | None = Field(default=None, description="Instead: what Spark opens, such as hdfs://host/folder.")
    url: str | None = Field(
        default=None, description="Instead: a database, such as mariadb://user@host/name; never with a password."
    )
    table: str | None = Field(default=None, description="Of a database: the table or view.")
    schema_: str | None = Field(default=None, alias="schema", description="Of a database: the table's schema.")
    password_env: str | None = Field(
        default=None, description="Of a database: the variable that holds the password; else ANTIFAZ_PASSWORD."
    )
    format: str | None = Field(default=None, description="csv, json, jsonl, parquet or xlsx, where the name is mute.")
    delimiter: str | None = Field(
        default=None, description="The separator of columns, one or more characters; detected when left out."
    )
    quote: str | None = Field(default=None, description="The quote character; detected when left out.")
    encoding: str | None = Field(default=None, description="Such as utf-8 or cp1252; detected when left out.")
    header: bool | None = Field(default=None, description="Whether the first line names the columns.")
    missing: MissingKey = Field(
        default=(),
        description="Texts that mean 'missing', beside the empty field: for all columns, or by column.",
    )
    sheet: str | None = Field(default=None, description="The sheet of a workbook; the first when left out.")
    widths: dict[str, Annotated[int, Field(ge=1)]] | None = Field(
        default=None, description="Of text of fixed width: its columns in order, and how many characters each has."
    )
    repair: tuple[RepairName, ...] = Field(
        default=(), description="The repairs that may be made where the file can't be read exactly, by name."
    )
    types: str | None = Field(
        default=None,
        description="A file with types and lengths of columns, as `antifaz inspect --save-types` writes it.",
    )

    def options(self) -> dict[str, Any]:
        """Return what the reader is to be told."""
        places = {"path", "spark", "url", "types"}
        return self.model_dump(exclude=places, exclude_none=True, exclude_defaults=True, by_alias=True)

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if sum(place is not None for place in (self.path, self.url, self.spark)) != 1:
            raise ValueError(Message("expected.one-place"))
        if self.url is None and (self.table or self.schema_ or self.password_env):
            raise ValueError(Message("expected.url-for-table"))
        if self.url is not None:
            check_address(self.url, self.table)
        if is_place(self.path) and has_secret(str(self.path)):
            raise ValueError(Message("expected.no-secret-in-path"))
        return self

    def place(self, folder: Path) -> str | Path:
        """Return where the rows are; a path is relative to the project's folder."""
        if self.url is not None:
            return placed(self.url, folder)
        return within(folder, self.path) if self.path is not None else str(self.spark)


class Attribute(ProjectPart):
    """What is known and wanted of one column."""

    role: Role | None = Field(
        default=None,
        description="What the column may give away about a person. Without one, and without an operation, nobody "
        "decided about it: see `others`.",
    )
    type: DataType | SizedText | None = Field(
        default=None,
        description="How its values are understood; detected when left out. Text may have a length: text(5).",
    )
    missing: Way = Field(
        default="category",
        description="What becomes of records in which a quasi-identifier is missing: it stays a value of its own "
        "(category), is filled with the most-frequent value or the median, or the record is left out (drop).",
    )
    hierarchy: Any = Field(default=None, description="What its values generalize to (quasi-identifiers).")
    microaggregate: Release | None = Field(
        default=None,
        description="Of a quasi-identifier: it is not generalized but released as one value of each class (mean, "
        "median, mode) or as its span (interval). Without a hierarchy it takes no part in making the classes.",
    )
    items: Items | None = Field(
        default=None, description="Of a set, several items of a person in a cell (a;b;c): how it is written."
    )
    operation: Any = Field(
        default=None,
        description="What is done to its cells before all else: an operation or a perturbation, or a list in order.",
    )


class ProjectEngine(ProjectPart):
    """What does the work, and how much of the machine it may use."""

    name: Literal["local", "database", "sql", "spark"] | None = Field(
        default=None, description="Where the rows are counted; as the source says when left out. (sql is database.)"
    )
    master: str | None = Field(
        default=None, description="Of Spark: local[2], spark://host:7077, yarn; this machine when left out."
    )
    tuples: int | None = Field(
        default=None,
        ge=1,
        description="Of Spark: the most distinct combinations that are brought to the driver; from its memory when "
        "left out. Beyond it, specialization and Mondrian decide on the executors; other methods are refused.",
    )
    memory: str | None = Field(default=None, pattern=sizes.PATTERN, description="Most memory for rows, such as 2GB.")
    threads: int | None = Field(default=None, ge=1, description="The most threads.")

    def options(self) -> dict[str, Any]:
        """Return what the engine is to be told."""
        return self.model_dump(exclude_none=True)

    @model_validator(mode="after")
    def _own_options(self) -> Self:
        for key in ("master", "tuples"):
            if self.name in ("local", "database", "sql") and getattr(self, key) is not None:
                raise ValueError(Message("expected.not-for-spark", key=key))
        return self


class Target(ProjectPart):
    """Where the release goes."""

    path: str = Field(
        default="out/",
        description="The folder, relative to the project file, or an address in a store (s3://, gs://, hdfs://); or "
        "the file in it that the rows go to: out/people.txt.",
    )
    format: RowsFormat = Field(default="csv", description="How the rows are written.")
    delimiter: str | None = Field(
        default=None, min_length=1, max_length=1, description="Of text: the separator of columns; of txt ; if left out."
    )
    encoding: Encoding | None = Field(default=None, description="Of text: its encoding; utf-8 if left out.")
    decimal: Literal["point", "comma"] | None = Field(
        default=None, description="Of text: the sign in decimal numbers; with a comma, columns are separated by ;."
    )
    bom: bool = Field(
        default=False, description="Of text: whether it begins with the byte order mark of UTF-8, as Excel wants it."
    )
    to: str | None = Field(
        default=None, min_length=1, max_length=200,
        description="Who gets the release: the run hands it out, which the ledger may refuse. Else it is a draft.",
    )  # fmt: skip
    table: str | None = Field(
        default=None, description="Of a database: the new table that the rows go to; the documents go to the path."
    )
    schema_: str | None = Field(default=None, alias="schema", description="Its schema; that of the source if left out.")
    replace: bool = Field(default=False, description="Whether an earlier table of that name makes room.")
    url: str | None = Field(
        default=None, description="The database of the table, where that is not the source's; never with a password."
    )
    password_env: str | None = Field(
        default=None, description="The variable that holds its password; else ANTIFAZ_PASSWORD."
    )

    audience: Audience | None = Field(
        default=None,
        description="Whom the release is for: a known partner (known), many, or anybody (public); the verdict asks for "
        "a k of 3, 5 or 11 then.",
    )

    @model_validator(mode="after")
    def _whole_table(self) -> Self:
        if self.url is not None:
            check_address(self.url, self.table)
        elif self.password_env is not None:
            raise ValueError(Message("expected.url-for-password"))
        return self

    def text(self) -> dict[str, Any]:
        """Return what is said of a file of text."""
        options = {"delimiter": self.delimiter, "encoding": self.encoding, "decimal": self.decimal, "bom": self.bom}
        return {key: value for key, value in options.items() if value}

    def of_table(self, folder: Path) -> dict[str, Any]:
        """Return what is said of a table; the path of a database file is relative to a folder."""
        if self.table is None:
            return {}
        options: dict[str, Any] = {"table": self.table, "schema": self.schema_, "replace": self.replace}
        if self.url is not None:
            options |= {"url": placed(self.url, folder), "password_env": self.password_env}
        return options


class LedgerUse(ProjectPart):
    """What the ledger of releases is told."""

    keep: bool = Field(default=True, description="Whether the release is checked with earlier ones and registered.")
    dataset: str | None = Field(
        default=None, description="What the data set is called in the ledger; a hash of its place if left out."
    )
    person: tuple[str, ...] = Field(
        default=(), description="The columns that people are known by from release to release; else the identifiers."
    )
    despite: str | None = Field(default=None, description="Why to release though earlier releases break k; recorded.")


class PeopleOptions(ProjectPart):
    """What becomes of people with many rows."""

    limit_rows: int | None = Field(
        default=None, alias="limit-rows", ge=1,
        description="The most rows of a person that are used, drawn at random; all if left out.",
    )  # fmt: skip
    leave_out: Literal["rows", "people"] = Field(
        default="rows", alias="leave-out",
        description="What is left out where something fails: its rows, or everybody who has one of them, with all "
        "rows; the method's suppression is a share of the same.",
    )  # fmt: skip


class SurveyOptions(ProjectPart):
    """What a survey says of its records, for the risk of a sample and of households."""

    weight: str | None = Field(
        default=None, description="The column with the sampling weight: how many people a record stands for."
    )
    household: str | None = Field(
        default=None, description="The column that says which records are of one household: who finds one finds all."
    )
    strata: tuple[str, ...] = Field(
        default=(),
        description="Columns within whose combinations perturbations change values, unless these say otherwise.",
    )


class AnyProject(ProjectPart):
    """What project files of one table and of several have in common."""

    antifaz: Literal[1] = Field(description="The version of this format.")
    kind: Literal["complete", "light"] = Field(
        default="complete", description="With privacy models (complete), or operations on columns only (light)."
    )
    name: str = Field(default="release", description="What the run is called in its evidence.")
    owner: str | None = Field(default=None, description="Who made the project.")
    engine: ProjectEngine = ProjectEngine()
    release: Target = Target()
    ledger: LedgerUse | None = Field(default=None, description="How the release is kept in the ledger of releases.")
    report: ReportOptions = ReportOptions()
    controller: dict[str, str] | None = Field(
        default=None, description="Who is responsible, for the record of processing: name, contact, purposes, …"
    )
    seed: int | None = Field(default=None, description="Makes a run repeatable; a secure one is drawn when left out.")
    hardened: bool = Field(default=False, description=HARDENED)
    others: Others = Field(
        default="refuse",
        description="What becomes of columns that are not named: an error lists them (refuse), they are left out "
        "(drop) or released as they are, with a warning (release).",
    )


class Project(AnyProject):
    """A project file, read and understood."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["kind"], "properties": {"kind": {"const": "light"}}},
            "then": {"not": {"required": ["privacy"]}},
            "else": {"required": ["privacy"]},
        }
    )

    source: ProjectSource
    attributes: dict[str, Attribute] = Field(description="The columns; see `others` for those not named.")
    sample: float | None = Field(
        default=None, gt=0, description="Draw rows at random first: below 1 a share of them, else so many."
    )
    people: PeopleOptions = PeopleOptions()
    survey: SurveyOptions = SurveyOptions()
    preset: PresetName | PresetChoice | None = Field(
        default=None,
        description="The rule that the report judges clause by clause; `antifaz init --preset` fills it in.",
    )
    perturbation: tuple[dict[str, Any], ...] = Field(
        default=(),
        description="What is done to several columns together, after their operations and before all else: each a "
        "perturbation by its name, with its columns and parameters.",
    )
    privacy: tuple[dict[str, Any], ...] | None = Field(
        default=None, description="What must hold of the release; needed unless the project is light."
    )
    method: dict[str, Any] = Field(default_factory=lambda: {"name": FullDomain.name}, description="How to get there.")
    frontier: tuple[dict[str, Any], ...] = Field(
        default=(),
        description="What a frontier compares: methods by their names, each with its settings; one may be there with "
        "several. The project's own if left out.",
    )


#: The parts of a project file, by the key that they stand under.
PARTS: dict[str, type[BaseModel]] = {
    "source": ProjectSource, "engine": ProjectEngine, "release": Target, "attributes": Attribute,
    "ledger": LedgerUse, "report": ReportOptions, "people": PeopleOptions,
    "survey": SurveyOptions,
}  # fmt: skip
