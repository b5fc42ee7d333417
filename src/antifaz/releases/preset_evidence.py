"""A rule clause by clause as a part of the evidence: what holds, what does not, and what only a person can say."""

from typing import Literal

from pydantic import Field

from antifaz.releases.evidence_parts import Part, Sentence

#: Counted in the release: it holds, or fails. Or nobody can count it.
Answer = Literal["holds", "fails", "person"]


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
