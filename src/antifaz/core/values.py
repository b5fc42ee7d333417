"""One policy for what counts as the same value (docs/values.md says it in words).

The rule comes from what a recipient could do. Quasi-identifiers: whatever can be told apart counts as different, so
spellings are unified *before* the release (`canonical`) and what was released is compared byte by byte. Sensitive
values: whatever a reader would take for the same counts as the same (`sense`), or four spellings of one disease would
pass for diversity.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from antifaz.core.types import DataType

#: Plain digits only: Python's own reading of numbers would take 1_000 too.
_PLAIN_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{1,300}))?"
)
#: Texts and numbers that are their own canonical spelling, which is seen at a glance: nearly all of most columns.
_CANONICAL_TEXT = re.compile(r"[!-~]+(?: [!-~]+)*")
_CANONICAL_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,99}|-?(?:0|[1-9][0-9]{0,99})\.[0-9]{0,99}[1-9]")
#: Characters that a reader does not see: soft hyphens, zero-width and bidi marks, fillers, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
#: Numbers with more zeros than this are spelled with an exponent.
_LONGEST = 400
#: How a record or value that generalizes to "anything" is written.
ANY = "*"


def canonical(text: str | None, kind: DataType = DataType.TEXT) -> str | None:
    """Return the one spelling under which a quasi-identifier's value is counted and released.

    NFC, no invisible characters, no surrounding blanks and one between words, empty is missing; in a numeric column
    also one spelling per number (`1.0`, `01`, `+1` are `1`).
    """
    if text is None:
        return None
    number = kind.is_number
    if (_CANONICAL_NUMBER if number else _CANONICAL_TEXT).fullmatch(text):
        return text
    clean = _visible(text)
    if not clean:
        return None
    return _number(clean) or clean if number else clean


def canonical_values(texts: Sequence[str | None], kind: DataType = DataType.TEXT) -> list[str | None]:
    """Return the canonical spelling of each of many texts, as `canonical` says it."""
    pattern = _CANONICAL_NUMBER if kind.is_number else _CANONICAL_TEXT
    if all_match(pattern, texts):
        return list(texts)
    return [text if text is not None and pattern.fullmatch(text) else canonical(text, kind) for text in texts]


def all_match(pattern: re.Pattern[str], texts: Sequence[str | None]) -> bool:
    """Whether a pattern without groups matches every text that is there, in one look at all of them, one to a line."""
    there = [text for text in texts if text is not None]
    joined = "\n".join(there)
    # A text with a line break in it is for the caller to look at.
    return not there or (joined.count("\n") == len(there) - 1 and _lines(pattern).fullmatch(joined) is not None)


@cache
def _lines(pattern: re.Pattern[str]) -> re.Pattern[str]:
    line = rf"(?>(?:{pattern.pattern})(?=\n|\Z))"
    return re.compile(rf"{line}(?:\n{line})*+")


def sense(text: str | None) -> str | None:
    """Return what a reader takes a sensitive value for: canonical, without case, numbers by value."""
    folded = same_text(text)
    return _number(folded) or folded or None


def same_text(text: str | None) -> str:
    """Return what spellings of one text share: no case, nothing invisible, one blank; '' where it is missing."""
    clean = _visible(text or "")
    if clean.isascii():
        return clean.lower()
    # Again: some characters turn into a blank and an accent under NFKC.
    return _visible(unicodedata.normalize("NFKC", clean).casefold())


def _visible(text: str) -> str:
    """Return what a reader sees of a text, in NFC: no invisible characters, one blank where there are several."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return " ".join(text.split())


def without_accents(text: str) -> str:
    """Return a text without the accents of its letters."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def is_number(text: str) -> bool:
    """Say whether a text is read as a number everywhere: plain digits, with a point or an exponent at most."""
    return _number(text) is not None


def _number(text: str) -> str | None:
    """Return the one plain spelling of a finite number, whatever its size, or None for what is not one."""
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    read = _PLAIN_NUMBER.fullmatch(text)
    if read is None:
        return None
    whole, part = read["whole"] or "", read["part"] or ""
    digits = (whole + part).lstrip("0")
    power = int(read["power"] or 0) - len(part) + len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    sign = "-" if read["sign"] == "-" else ""
    if abs(power) > _LONGEST:
        # Written out it would have thousands of digits.
        return f"{sign}{digits}e{power}"
    if power >= 0:
        return f"{sign}{digits}{'0' * power}"
    digits = digits.rjust(1 - power, "0")
    return f"{sign}{digits[:power]}.{digits[power:]}"
