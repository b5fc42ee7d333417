"""The forms of bodies: what is sent and what is answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from antifaz.core.types import DataType
from antifaz.service.dataset_sources import Origin, Reading


class Body(BaseModel):
    """What is sent; a key that is not known is an error."""

    model_config = ConfigDict(extra="forbid")


class SignIn(Body):
    """A code of one use, or a name with its password."""

    code: str | None = Field(default=None, max_length=200)
    user: str | None = Field(default=None, max_length=200)
    password: str | None = Field(default=None, max_length=1000)


class SessionUser(BaseModel):
    """Who is signed in."""

    user: str
    csrf: str
    accounts: bool
    languages: list[str]


#: The path of a file.
PathText = Annotated[str, Field(min_length=1, max_length=4096)]


class OpenPath(Body):
    """A file of the machine that the service runs on."""

    path: PathText
    options: Reading | None = None


class DatabaseAddress(Body):
    """Where a database is; the address is put together from these fields."""

    kind: str = Field(max_length=40, description="One of the databases that /meta lists.")
    host: str | None = Field(default=None, max_length=255)
    port: int | None = Field(default=None, ge=1, le=65535)
    database: str = Field(min_length=1, max_length=4096)
    user: str | None = Field(default=None, max_length=255)
    password: str | None = Field(default=None, max_length=1000, repr=False)
    schema_: str | None = Field(default=None, alias="schema", max_length=255)
    tls: bool = False


class DatabaseTable(DatabaseAddress):
    """A table of a database."""

    table: str = Field(min_length=1, max_length=255)
    options: Reading | None = None


class Example(Body):
    """Made-up data."""

    name: Literal["six-people", "people", "nineteen-people", "salaries", "students"]
    rows: int | None = Field(default=None, ge=1, le=1_000_000)


class ChangeDataset(Body):
    """Another name, or other options to read it anew with."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    options: Reading | None = None


class DatasetColumn(BaseModel):
    """What is known of a column, with no rare value in it."""

    name: str
    type: DataType
    distinct: int
    missing: int
    longest: int = Field(description="Characters of the longest value: the length that is proposed.")
    low: str | None
    high: str | None
    common: list[str]


class Dataset(BaseModel):
    """A data set."""

    id: str
    name: str
    origin: Origin
    rows: int
    bytes: int | None
    options: dict[str, Any]
    columns: list[DatasetColumn]
    notes: list[str]
    made: str


class WaitingFile(BaseModel):
    """A file that is not open yet."""

    id: str
    name: str
    origin: Literal["upload", "path"]
    bytes: int | None


class FileLine(BaseModel):
    """A line of a file as it stands there, or a row of a sheet."""

    number: int
    cells: list[str]
    more: bool


class FileFault(BaseModel):
    """Why a file can't be read as it is asked for, and where, from 1."""

    code: str
    message: str
    #: What is wrong with the line or the header, by its code, and its figures.
    reason: str
    values: dict[str, int]
    line: int | None
    columns: list[int]


class RepairChoice(BaseModel):
    """A repair that finds something to do, and whether it is asked for."""

    name: str
    what: str
    chosen: bool


class Sheet(BaseModel):
    """A sheet of a workbook."""

    name: str
    rows: int
    columns: int


class PreviewCode(BaseModel):
    """A value that may mean missing."""

    code: str
    count: int
    reason: str


class PreviewColumn(BaseModel):
    """A column as it would be read, the forms that its text may be written in, and what may mean missing in it."""

    name: str
    type: str
    forms: list[str]
    codes: list[PreviewCode]


class Preview(BaseModel):
    """The first rows as they would be read, of how many rows and columns."""

    total: int
    width: int
    columns: list[PreviewColumn]
    rows: list[list[str | None]]


class FilePreview(WaitingFile):
    """A file before it is opened: either a fault or a preview."""

    lines: list[FileLine]
    fault: FileFault | None
    repairs: list[RepairChoice]
    sheets: list[Sheet]
    preview: Preview | None
    options: dict[str, Any]
    notes: list[str]


class Window(BaseModel):
    """Some rows, as text."""

    start: int
    total: int
    columns: list[str]
    rows: list[list[str | None]]


class Reason(BaseModel):
    """Why something is proposed, as a code with values."""

    code: str
    values: dict[str, Any]


class RoleProposal(BaseModel):
    """A proposed role, how sure it is, and its reason, as a text in the reader's language and as a code."""

    role: str
    confidence: float
    reason: str
    message: Reason


class RolesProposal(BaseModel):
    """The proposed role of every column, and which columns may be the weight and the household of a survey."""

    columns: dict[str, RoleProposal]
    survey: dict[str, str]


class ColumnByRule(RoleProposal):
    """A column as a project by a rule has it: all its settings, and whether the rule itself says them."""

    settings: dict[str, Any]
    by_rule: bool


class PresetProposal(BaseModel):
    """What a rule makes of a data set, as a project file says it."""

    preset: str
    source: str
    columns: dict[str, ColumnByRule]
    privacy: list[dict[str, Any]]
    method: dict[str, Any]
    audience: Literal["known", "many", "public"]


class ColumnCost(BaseModel):
    """How much of their detail the other columns lose with a quasi-identifier, with it coarsened, and without it."""

    proposal: Literal["leave out", "coarsen", "keep"]
    column: str
    loss: float
    others: float
    without: float
    coarsened: float | None
    reason: str
    message: Reason


class ColumnCosts(BaseModel):
    """What each quasi-identifier costs, the most expensive first."""

    columns: list[ColumnCost]


class RolesAsked(Body):
    """The roles of columns, and whom the release is for."""

    roles: dict[Annotated[str, Field(max_length=1000)], Annotated[str, Field(max_length=40)]] = Field(max_length=20_000)
    audience: Literal["known", "many", "public"] = "many"


class PrivacyProposal(BaseModel):
    """Models that a project may begin with, as its file says them, and how many columns have which role."""

    privacy: list[dict[str, Any]]
    quasi_identifiers: int
    sensitive: int


class QuasiIdentifiers(BaseModel):
    """The few columns that tell nearly as many people apart as all."""

    columns: list[str]
    reason: str
    message: Reason
    details: dict[str, Any]


class HierarchyProposal(BaseModel):
    """A proposed hierarchy, as a project file says it."""

    hierarchy: dict[str, Any]
    reason: str
    message: Reason


class HierarchyAsked(Body):
    """A hierarchy as a project file says it, for a column of a data set."""

    dataset: str = Field(max_length=64)
    column: str = Field(max_length=1000)
    hierarchy: Any


class HierarchyShown(BaseModel):
    """A hierarchy on the values of a column: how many levels, and what each value becomes."""

    levels: int
    total: int
    table: list[list[str]]
    covers: bool
    problems: list[str]
    #: The values of the data that it leaves out.
    missing: list[str]


class Catalogue(BaseModel):
    """Everything that can be chosen, for forms and help."""

    version: str
    languages: list[str]
    limits: dict[str, int]
    #: Whether a master of Spark is configured.
    spark: bool
    roles: list[dict[str, Any]]
    types: list[str]
    #: What released rows can be taken away as.
    formats: list[str]
    #: The databases that tables are read from, with what people call each; a database in a file has no port.
    databases: list[dict[str, Any]]
    models: list[dict[str, Any]]
    methods: list[dict[str, Any]]
    operations: list[dict[str, Any]]
    perturbations: list[dict[str, Any]]
    hierarchies: list[dict[str, Any]]
    qualities: list[dict[str, Any]]
    #: Of tables of counts and sums: what makes a cell sensitive, and how cells are protected.
    rules: list[dict[str, Any]]
    protections: list[dict[str, Any]]
    #: The rules that a project can be made by, and what their clauses ask, by the keys that evidence has.
    presets: list[dict[str, Any]]
    clauses: dict[str, str]
    #: Whom a release may be for, with the risk that is accepted then and the k that keeps to it.
    audiences: list[dict[str, Any]]
