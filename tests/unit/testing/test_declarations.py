"""The checks of declarations fail on classes that are broken in one way each."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from pydantic import ConfigDict, Field

from antifaz.privacy import KAnonymity
from antifaz.privacy.model import PrivacyModel
from antifaz.testing import Broken, check_declaration, examples


class Good(KAnonymity):
    """A model that is as it must be."""

    extra: int = Field(default=1, ge=0, description="Something more.")


class UpperCase(Good):
    """Its name is not as names are."""

    name: ClassVar[str] = "K_Anonymity"


class TwoLines(Good):
    """Its summary has two lines."""

    summary: ClassVar[str] = "One line.\nAnother."


class NoDetails(Good):
    """Says nothing of when to use it."""

    details: ClassVar[str] = ""


class NoFormula(Good):
    """A model without its formula."""

    formula: ClassVar[str] = ""


class NoSource(Good):
    """A model that comes from nowhere."""

    source: ClassVar[str] = " "


class NoDescription(Good):
    """One parameter is not described."""

    more: int = Field(default=1)


class Thawed(Good):
    """Its parameters can be changed."""

    model_config = ConfigDict(frozen=False)


class TakesAnything(Good):
    """Unknown parameters are kept in silence."""

    model_config = ConfigDict(extra="allow")


class StrangePrimary(Good):
    """The parameter without a name is none."""

    primary: ClassVar[str] = "q"


class Forgetful(Good):
    """Its parameters() leave something out."""

    def parameters(self):
        return {"k": self.k}


class NotJson(Good):
    """Its parameters() can't be written."""

    def parameters(self):
        return {"k": np.int64(self.k), "extra": self.extra}


class Nameless(Good):
    """Its repr() does not say what it is."""

    def __repr__(self):
        return "a model"


def test_a_good_class_passes():
    check_declaration(Good)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (UpperCase, "name must be in lower case"),
        (TwoLines, "summary must be one line"),
        (NoDetails, "details must say"),
        (NoFormula, "formula must say"),
        (NoSource, "source must say"),
        (NoDescription, "'more' must have a description"),
        (Thawed, "must not be changeable"),
        (TakesAnything, "unknown parameters must be forbidden"),
        (StrangePrimary, "primary must be a parameter"),
        (Nameless, "must say what it is"),
    ],
)
def test_a_broken_class_is_found_out(cls, words):
    with pytest.raises(Broken, match=words):
        check_declaration(cls)


def test_parameters_that_lose_something_are_found_out():
    with pytest.raises(Broken, match="must give the same"):
        check_declaration(Forgetful, [Forgetful(k=2, extra=5)])


def test_parameters_that_are_not_json_are_found_out():
    with pytest.raises(TypeError):
        check_declaration(NotJson)


def test_a_class_may_bring_its_own_examples():
    class Own(Good):
        """Knows best."""

        examples: ClassVar[tuple[dict[str, int], ...]] = ({"k": 7}, {"k": 8, "extra": 0})

    assert examples(Own) == [Own(k=7), Own(k=8, extra=0)]


def test_examples_stay_within_bounds():
    class Bounded(PrivacyModel):
        """Has parameters of every kind."""

        name: ClassVar[str] = "bounded"
        share: float = Field(gt=0, le=1, description="A share.")
        many: int = Field(ge=10, description="Many.")
        which: bool = Field(description="Which.")
        word: str = Field(description="A word.")

    Bounded.__abstractmethods__ = frozenset()
    made = examples(Bounded)
    assert (made[0].share, made[0].many, made[0].word) == (0.5, 11, "example")
    assert {instance.which for instance in made} == {False, True}
