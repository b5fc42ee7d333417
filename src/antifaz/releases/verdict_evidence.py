"""The verdict on a release as a part of its evidence: may it be handed over, what speaks against it, what helps."""

from typing import Any, Literal

from pydantic import Field

from antifaz.releases.evidence_parts import Part, Sentence

#: The answers, from the best to the worst.
HandOver = Literal["yes", "with care", "no"]
ANSWERS: tuple[HandOver, ...] = ("yes", "with care", "no")


class VerdictRemedy(Part):
    """What can be done about a finding."""

    words: Sentence = Field(description="What to do, in words.")
    change: dict[str, Any] | None = Field(
        default=None,
        description="The same as a part of the project file: mappings are laid over what it says; a model of `privacy` "
        "takes the place of the one of the same name and attribute, or is added. Null where no line of the file helps.",
    )
    line: str | None = Field(default=None, description="That part as one line of the project file.")


class VerdictFinding(Part):
    """One thing that was measured in the release and that somebody must know before it is handed over."""

    code: str = Field(description="What was found, by the key of its words without their 'finding.'.")
    weight: HandOver = Field(description="The best answer that this finding leaves; yes: it is only to be known.")
    columns: list[str] = Field(description="The columns it is about.")
    measured: dict[str, Any] = Field(description="The figures behind it.")
    words: Sentence = Field(description="What was found, in words.")
    remedy: VerdictRemedy = Field(description="What can be done about it.")


class ReleaseVerdict(Part):
    """The answer to: may I hand this over?"""

    hand_over: HandOver = Field(description="yes, with care, or no.")
    words: Sentence = Field(description="The answer in words.")
    audience: str | None = Field(description="For whom: known, many or public; null where the project does not say.")
    findings: list[VerdictFinding] = Field(description="What was found, the gravest first.")
