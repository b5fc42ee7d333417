"""One policy for what counts as the same value (docs/values.md says it in words).

The rule comes from what a recipient could do. Quasi-identifiers: whatever can be told apart counts as different, so
spellings are unified *before* the release (`canonical`) and what was released is compared byte by byte. Sensitive
values: whatever a reader would take for the same counts as the same (`sense`), or four spellings of one disease would
pass for diversity.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from antifaz.core.types import DataType

#: Plain digits only: Python's own reading of numbers would take 1_000 and digits of other scripts too.
_PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
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


def _number(text: str) -> str | None:
    """Return the shortest plain spelling of a finite number, or None for what is not one."""
    if not _PLAIN_NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    # An exponent of thousands would print thousands of digits: such text is left as it is.
    if abs(number.adjusted()) > 400:
        return None
    plain = format(number, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain
