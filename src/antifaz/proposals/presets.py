"""Rules as presets: what a rule asks of columns and models, filled into a project for a person to read.

A preset only proposes. Whether its clauses hold is counted in the release, by other code (`releases/presets.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from antifaz.core.messages import Message
from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.proposals.audiences import Audience
from antifaz.proposals.hipaa import hipaa_identifier
from antifaz.proposals.themes import POSTCODE
from antifaz.proposals.words import find_entry, vocabulary, words_of

PresetName = Literal["hipaa-safe-harbor", "hipaa-expert-determination", "ehds", "gdpr"]

#: The three-digit ZIP codes whose areas had 20,000 people or fewer in the census of 2000, as the guidance of the HHS on
#: 45 CFR 164.514 lists them (26 November 2012). It says not to rely on it once newer data are published.
RESTRICTED_ZIP3 = (
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890",
    "893",
)  # fmt: skip
#: Ages above this are one category, 90 or over.
OLDEST = 89
_AGE, _BIRTH = vocabulary("age edad edat"), vocabulary("birth birthday birthdate dob nacimiento naixement")
#: Identifiers whose words harmless columns have as well: a plan, a record, a number of children.
DOUBTFUL = ("medical_record", "health_plan", "licence", "other")


class PresetChoice(BaseModel):
    """A preset by its name, with what may be changed of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: PresetName = Field(description="The rule.")
    zip3: tuple[str, ...] = Field(
        default=RESTRICTED_ZIP3,
        description="Of Safe Harbor: the three-digit ZIP codes of areas with 20,000 people or fewer.",
    )


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What a rule is, and what it asks of models."""

    name: PresetName
    #: Where the rule stands.
    source: str
    #: The class size that is asked for, and whom the release is for.
    k: int = 5
    audience: Audience = "many"
    #: Whether the rule says what becomes of which columns.
    names_columns: bool = False


PRESETS: dict[str, Preset] = {
    each.name: each
    for each in (
        Preset(name="hipaa-safe-harbor", source="45 CFR 164.514(b)(2)", names_columns=True),
        # 0.09, the limit of the EMA and Health Canada for a record's risk, is one in eleven.
        Preset(name="hipaa-expert-determination", source="45 CFR 164.514(b)(1)", k=11, audience="public"),
        Preset(name="ehds", source="Regulation (EU) 2025/327, Article 66; TEHDAS2 D7.2", k=11, audience="public"),
        Preset(name="gdpr", source="Regulation (EU) 2016/679, Recital 26; Opinion 05/2014 (WP 216)"),
    )
}


@dataclass(frozen=True, kw_only=True)
class PresetColumn:
    """What a rule makes of one column, as a project file has it, and why."""

    reason: Message
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def role(self) -> str:
        """The role that the column gets."""
        return str(self.settings["role"])


def preset_columns(choice: PresetChoice, profile: Profile, proposed: Mapping[str, Proposal]) -> dict[str, PresetColumn]:
    """Return what a rule makes of the columns that it names; others keep what is proposed."""
    if not PRESETS[choice.name].names_columns:
        return {}
    year = datetime.now(UTC).year
    columns = {column.name: _safe_harbor(column, proposed[column.name], choice, year) for column in profile}
    return {name: column for name, column in columns.items() if column is not None}


def _safe_harbor(column: ColumnProfile, proposal: Proposal, choice: PresetChoice, year: int) -> PresetColumn | None:
    key, words = hipaa_identifier(column.name), words_of(column.name)
    if key == "places" and find_entry(words, POSTCODE) is not None and _is_zip(column):
        return _zip3(choice)
    if key == "dates" or column.type in (DataType.DATE, DataType.DATETIME):
        return _date(column, words, year)
    if key is None or (key in DOUBTFUL and proposal.value not in (Role.IDENTIFIER, Role.PERSON, Role.DECIDE)):
        return None
    role = Role.PERSON if proposal.value == Role.PERSON else Role.IDENTIFIER
    return PresetColumn(reason=Message("preset.identifier-removed"), settings={"role": str(role)})


def _is_zip(column: ColumnProfile) -> bool:
    """Five digits, or nine with a hyphen; a code that lost its zeros is no ZIP code any more."""
    return column.shortest >= 5 and column.longest in (5, 10) and not any("*" in value for value, _ in column.common)


def _zip3(choice: PresetChoice) -> PresetColumn:
    cut = {"name": "mask", "first": 3, "character": ""}
    hide = {"name": "suppress", "where": {"in": list(choice.zip3)}, "by": "*"}
    settings = {
        "role": str(Role.QUASI_IDENTIFIER),
        "type": "text",
        "hierarchy": {"flat": True},
        "operation": [cut, hide],
    }
    return PresetColumn(reason=Message("preset.zip3", number=len(choice.zip3)), settings=settings)


def _date(column: ColumnProfile, words: tuple[str, ...], year: int) -> PresetColumn:
    """Dates become years, ages over 89 become 90; people born so long ago that they are older, one year."""
    oldest_birth = year - OLDEST
    if column.type in (DataType.DATE, DataType.DATETIME):
        cut: dict[str, Any] = {"name": "mask", "first": 4, "character": ""}
        old = {"name": "bottom-code", "at": f"{oldest_birth}-01-01"}
        operation = [old, cut] if find_entry(words, _BIRTH) else cut
        settings = {"hierarchy": {"dates": ["decade"]}, "operation": operation}
        return PresetColumn(reason=Message("preset.year"), settings={"role": str(Role.QUASI_IDENTIFIER), **settings})
    if column.type is DataType.INTEGER and find_entry(words, _AGE):
        settings = {"hierarchy": {"intervals": [5, 10, 20]}, "operation": {"name": "top-code", "at": OLDEST + 1}}
        return PresetColumn(reason=Message("preset.age"), settings={"role": str(Role.QUASI_IDENTIFIER), **settings})
    if column.type is DataType.INTEGER and column.shortest == column.longest == 4 and find_entry(words, _BIRTH):
        settings = {"hierarchy": {"intervals": [5, 10, 20]}, "operation": {"name": "bottom-code", "at": oldest_birth}}
        return PresetColumn(reason=Message("preset.year"), settings={"role": str(Role.QUASI_IDENTIFIER), **settings})
    return PresetColumn(reason=Message("preset.date-removed"), settings={"role": str(Role.IDENTIFIER)})


def preset(data: Any, name: PresetName | PresetChoice) -> dict[str, dict[str, Any]]:
    """Return what a rule makes of the columns of a table, as the attributes of a project file have it.

    Columns that the rule does not speak of have the role that is proposed for them.
    """
    from antifaz.engines.registry import open_data
    from antifaz.proposals.roles import roles

    choice = name if isinstance(name, PresetChoice) else PresetChoice(name=name)
    with open_data(data) as opened:
        proposed = roles(opened)
        own = preset_columns(choice, opened.profile(), proposed)
    return {
        column: own[column].settings if column in own else {"role": str(proposal.value)}
        for column, proposal in proposed.items()
    }
