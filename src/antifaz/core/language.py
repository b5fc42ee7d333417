"""Words and numbers for people, in their language: one folder per language, with JSON files of texts by key.

`languages/<language>/` holds `language.json` (its name, how it writes numbers) and a folder per kind of text:
`messages` (see `core.messages`), `reports` and `page`. What these two say of the things that are declared (models,
methods, operations, …) is in one file, `declared.json`: keys that begin with `declared.` are the page's, all others the
reports'. The folders are all there is to a language: a new one is a new folder. The language is chosen by whoever asks,
never by the machine: results don't depend on its locale.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

_FOLDER = files("antifaz") / "languages"


@cache
def about(language: str) -> Mapping[str, Any]:
    """Return what `language.json` says: the name of the language, and how it writes numbers."""
    settings: dict[str, Any] = json.loads((_FOLDER / language / "language.json").read_text("utf-8"))
    return settings


#: The languages that there are words in; English, in which everything is written first, is the first.
LANGUAGES: tuple[str, ...] = tuple(
    sorted((path.name for path in _FOLDER.iterdir() if path.is_dir()), key=lambda name: about(name)["order"])
)
if TYPE_CHECKING:
    Language = str
else:
    Language = Literal[LANGUAGES]

NONE = "—"
# With a space that does not break: a sign alone at the start of a line reads badly.
_PERCENT = "\u00a0%"


class Numbers:
    """Numbers as a language writes them."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._about = about(language)

    def localized(self, english: str) -> str:
        """Return a number that is written the English way as this language writes it."""
        plain = english.replace(",", "")
        if plain != english and abs(int(re.split(r"[.e]", plain)[0])) < self._about["grouped_from"]:
            english = plain
        signs = {",": self._about["thousands"], ".": self._about["decimal"], "%": self._about["percent"]}
        return english.translate(str.maketrans(signs))

    def number(self, value: object) -> str:
        """Return a number with thousands separators; what is missing or not finite is a dash."""
        if isinstance(value, int):
            return self.localized(f"{value:,}")
        if isinstance(value, float):
            return self._decimal(value)
        return NONE if value is None else str(value)

    def _decimal(self, value: float) -> str:
        if not math.isfinite(value):
            return NONE
        if value.is_integer() and abs(value) < 1e15:
            return self.localized(f"{int(value):,}")
        if abs(value) >= 1000:
            return self.localized(f"{value:,.0f}")
        if abs(value) >= 0.001:
            digits = max(0, 3 - math.floor(math.log10(abs(value))) - 1)
            text = f"{value:,.{digits}f}"
            return self.localized(text.rstrip("0").rstrip(".") if "." in text else text)
        return self.localized(f"{value:.1e}")

    def fixed(self, value: float, digits: int) -> str:
        """Return a number with so many decimals."""
        return self.localized(f"{value:,.{digits}f}")

    def size(self, count_of_bytes: object) -> str:
        """Return a number of bytes in the unit people use."""
        if isinstance(count_of_bytes, bool) or not isinstance(count_of_bytes, int | float) or count_of_bytes <= 0:
            return NONE
        value = float(count_of_bytes)
        for unit in ("bytes", "kB", "MB"):
            if value < 1000:
                return f"{value:.0f} {unit}"
            value /= 1000
        return f"{self.localized(f'{value:.1f}')} GB"


class Words(Numbers):
    """The messages of one language. Messages hold no markup, so they can stand on a page as they are."""

    def __init__(self, language: Language, messages: Mapping[str, str]) -> None:
        """Made by `words`."""
        super().__init__(language)
        self.messages = messages

    def __call__(self, key: str, /, **values: str) -> str:
        """Return a message with its places filled in."""
        return self.messages[key].format_map(values)

    def __contains__(self, key: str) -> bool:
        return key in self.messages

    def either(self, key: str, otherwise: str) -> str:
        """Return a message, or what is said where there is none: names of plug-ins are known to nobody here."""
        return self.messages.get(key, otherwise)

    def count(self, key: str, n: object) -> str:
        """Return '1 record', '2,000 records'."""
        return self(f"count.{key}.{'one' if n == 1 else 'other'}", n=self.number(n))

    def number(self, value: object) -> str:
        """Return a number, or yes and no, in this language."""
        if isinstance(value, bool):
            return self("yes") if value else self("no")
        return super().number(value)

    def percent(self, share: object) -> str:
        """Return a share between 0 and 1 as a percentage."""
        if isinstance(share, bool) or not isinstance(share, int | float) or not math.isfinite(share):
            return NONE
        hundredths = share * 100
        if hundredths == 0 or hundredths == 100:
            return f"{hundredths:.0f}{_PERCENT}"
        if abs(hundredths) < 0.01:
            return self("percent.below", share=self.localized("0.01") + _PERCENT)
        text = f"{hundredths:.{1 if abs(hundredths) >= 1 else 2}f}"
        if text == "100.0" and hundredths < 100:
            # 99.97 must not be shown as 100: that would say that nothing is left over.
            return self("percent.above", share=self.localized(str(math.floor(hundredths * 10) / 10)) + _PERCENT)
        return self.localized(text) + _PERCENT


def preferred(accepted: str | None) -> Language:
    """Return the first language of an Accept-Language header that there are words in, else English."""
    tags = [tag.split(";")[0].strip()[:2].lower() for tag in (accepted or "").split(",")]
    return next((tag for tag in tags if tag in LANGUAGES), LANGUAGES[0])


@cache
def words(kind: str, language: Language) -> Words:
    """Return the texts of a kind, such as `reports`, in a language."""
    # The sign of percent stays with its number.
    return Words(language, {key: text.replace(" %", _PERCENT) for key, text in texts(kind, language).items()})


@cache
def texts(kind: str, language: Language) -> Mapping[str, str]:
    """Return the texts of a kind by their keys, as the files have them."""
    words: dict[str, str] = {}
    if kind in ("page", "reports"):
        declared = json.loads((_FOLDER / language / "declared.json").read_text("utf-8"))
        words |= {key: text for key, text in declared.items() if key.startswith("declared.") == (kind == "page")}
    folder = _FOLDER / language / kind
    for path in sorted(folder.iterdir(), key=lambda path: path.name) if folder.is_dir() else ():
        words |= json.loads(path.read_text("utf-8"))
    return words
