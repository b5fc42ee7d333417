"""One policy for what counts as the same value (docs/values.md says it in words).

The rule comes from what a recipient could do. Quasi-identifiers: whatever can be told apart counts as different, so
spellings are unified *before* the release (`canonical`) and what was released is compared byte by byte. Sensitive
values: whatever a reader would take for the same counts as the same (`sense`), or four spellings of one disease would
pass for diversity.
"""

import re
import unicodedata

from antifaz.core.types import DataType

#: Plain digits only: Python's own reading of numbers would take 1_000 too.
_PLAIN_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{1,300}))?"
)
#: Numbers with more zeros than this are spelled with an exponent.
_LONGEST = 400
#: How a record or value that generalizes to "anything" is written.
ANY = "*"


def canonical(text: str | None, kind: DataType = DataType.TEXT) -> str | None:
    """Return the one spelling under which a quasi-identifier's value is counted and released.

    NFC, no surrounding blanks, empty is missing; in a numeric column also one spelling per number (`1.0`, `01`, `+1`
    are `1`).
    """
    if text is None:
        return None
    clean = unicodedata.normalize("NFC", text).strip()
    if not clean:
        return None
    return _number(clean) or clean if kind.is_number else clean


def sense(text: str | None) -> str | None:
    """Return what a reader takes a sensitive value for: canonical, without case, numbers by value."""
    clean = canonical(text)
    if clean is None:
        return None
    # Blanks again: some characters turn into a blank and an accent under NFKC.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", clean).casefold()).strip()
    return _number(folded) or folded or None


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
