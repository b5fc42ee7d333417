"""Roles: what a column may give away about a person."""

from enum import StrEnum


class Role(StrEnum):
    """What a column may give away about a person, and so what happens to it."""

    IDENTIFIER = "identifier"
    #: A key of people whose rows repeat: models count people, and the key is removed or pseudonymized.
    PERSON = "person"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    #: Only a proposal: a person decides before anything is released.
    DECIDE = "decide"

    @property
    def names_people(self) -> bool:
        """Whether such a column names people, and is removed unless an operation protects it."""
        return self in (Role.IDENTIFIER, Role.PERSON)

    @property
    def help(self) -> str:
        """One sentence for someone who meets the word for the first time."""
        return {
            Role.IDENTIFIER: "Names a person by itself (id number, name, phone): removed from the release.",
            Role.PERSON: "Says whose row it is, where a person has several: people are counted, the key is removed.",
            Role.QUASI_IDENTIFIER: "Harmless alone, identifying in combination (age, postcode, sex): generalized.",
            Role.SENSITIVE: "What must not be learned about a person (diagnosis, income): released, but protected.",
            Role.INSENSITIVE: "Everything else: released as it is.",
            Role.DECIDE: "Not known: a person must give it one of the other roles before a run.",
        }[self]
