"""The part of the evidence about surveys: what sampling weights and households say of the risk."""

from pydantic import Field

from antifaz.releases.evidence_parts import Count, Number, Part, Share


class LogLinearEvidence(Part):
    """Who is alone in the population, after a log-linear model with all pairs of quasi-identifiers."""

    uniques_expected: Number = Field(description="Records that the model expects to be alone in such a sample.")
    population_uniques: Number = Field(description="How many of those alone in the table are so in the population.")
    unique_matches: Number = Field(description="How many of those alone in the table are matched rightly.")


class SurveyRisk(Part):
    """The risk of the records of one table, after Benedetti and Franconi."""

    records: Count = Field(description="Records of the table.")
    uniques: Count = Field(description="Records that are alone with their quasi-identifiers in the table.")
    expected: Number = Field(description="Records that somebody who tries all of them matches rightly, on average.")
    share: Share = Field(description="The same as a share of the records: the global risk.")
    highest: Share = Field(description="The highest risk of a record.")
    household_expected: Number | None = Field(
        default=None, description="Records in a household of which somebody is found, on average."
    )
    household_share: Share | None = Field(default=None, description="The same as a share of the records.")
    log_linear: LogLinearEvidence | None = Field(
        default=None, description="Who is alone in the population; absent without weights, or where it can't be fitted."
    )


class HouseholdsEvidence(Part):
    """Households that can be told apart in the release, because it says which records are of one household."""

    number: Count = Field(description="Households of the release.")
    alone: Count = Field(description="Those of whose members, taken together, no other household has the like.")
    records: Count = Field(description="The records of those.")


class SurveyEvidence(Part):
    """What sampling weights and households say of the risk, before and after."""

    weight: str | None = Field(default=None, description="The column with the sampling weight.")
    household: str | None = Field(default=None, description="The column that says which records are of one household.")
    population: Number | None = Field(default=None, description="The people that the released records stand for.")
    before: SurveyRisk | None = Field(default=None, description="In the data as it came.")
    after: SurveyRisk = Field(description="In the release, counted there.")
    households: HouseholdsEvidence | None = Field(
        default=None, description="Where the release has the household's column."
    )
