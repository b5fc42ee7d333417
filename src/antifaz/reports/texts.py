"""The report's words for methods, privacy models and measures: what each is, how to read it, what it does not stop."""

from __future__ import annotations

from dataclasses import dataclass

from antifaz.core.errors import checked_language
from antifaz.core.language import Language, Words
from antifaz.core.language import words as words_of
from antifaz.reports.parts import Json, esc, name

ENGLISH = words_of("reports", "en")


def in_language(language: str) -> Words:
    """Return the report's words in a language; raise for one that there are none in."""
    chosen: Language = checked_language(language)
    return words_of("reports", chosen)


class _Parameters(dict[str, str]):
    """Parameters of a model; what a verdict does not say is worded as such."""

    def __init__(self, w: Words, known: dict[str, str]) -> None:
        super().__init__(known)
        self._w = w

    def __missing__(self, key: str) -> str:
        return self._w("model.some_attribute") if key == "attribute" else self._w("model.some_number")


def model_words(verdict: Json, w: Words = ENGLISH) -> tuple[str, str, str, str]:
    """Return (title, what was asked, what was found, what it does not stop) of a verdict, as HTML."""
    kind = str(verdict.get("model", w("model.unnamed")))
    lenient = f"model.{kind}.{verdict.get('blanks')}"
    key = lenient if f"{lenient}.title" in w else f"model.{kind}"
    if f"{key}.title" not in w:
        given = {k: v for k, v in verdict.items() if k not in ("model", "achieved", "holds", "failing", "note")}
        asked = ", ".join(f"{esc(k)} = {esc(w.number(v))}" for k, v in given.items() if not isinstance(v, dict | list))
        return esc(kind), asked or w("model.as_declared"), esc(w.number(verdict.get("achieved"))), ""
    said = _Parameters(w, {k: name(v) if k == "attribute" else esc(w.number(v)) for k, v in verdict.items()})
    title = w(f"{key}.title")
    flavour = verdict.get("kind")
    if isinstance(flavour, str):
        title += f" ({esc(w.either(f'model.kind.{flavour}', flavour))})"
    found = f"{w(f'{key}.found')}: {esc(w.number(verdict.get('achieved')))}"
    return title, w.messages[f"{key}.asks"].format_map(said), found, w(f"{key}.leaves")


@dataclass(frozen=True)
class Measure:
    """A measure in words; a share is shown as a percentage."""

    title: str
    text: str
    share: bool = False

    def show(self, w: Words, value: object) -> str:
        """Return the value as the report shows it."""
        return w.percent(value) if self.share else esc(w.number(value))


#: Measures that are shares of a whole.
_SHARES = {
    "loss", "gcp", "precision", "prosecutor", "journalist", "marketer", "highest", "average", "prosecutor_before",
    "marketer_before",
}  # fmt: skip


def measure(w: Words, family: str, key: str) -> Measure:
    """Return the words for a measure of utility or risk; one from a plug-in is shown under its own name."""
    if f"{family}.{key}.title" not in w:
        return Measure(esc(key.replace("_", " ").capitalize()), "")
    return Measure(w(f"{family}.{key}.title"), w(f"{family}.{key}.text"), key in _SHARES)
