"""What counts as one value where written rows are counted again: the policy of the auditors.

Nothing here is shared with the counting that the methods use: the policy on equal values is written a second time. Two
programs that were written apart must agree before a table leaves.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import HierarchyError

_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,6}))?")
#: How the names of further characters begin that show nothing.
_UNSEEN = (
    "VARIATION SELECTOR-", "MONGOLIAN FREE VARIATION SELECTOR", "COMBINING GRAPHEME JOINER", "KHMER VOWEL INHERENT",
    "HANGUL FILLER", "HANGUL CHOSEONG FILLER", "HANGUL JUNGSEONG FILLER", "HALFWIDTH HANGUL FILLER",
)  # fmt: skip
#: Numbers with more leading or trailing zeros than this keep their exponent, or their label would fill a page.
_PLAIN = 400


def persons(keys: Any) -> Ints:
    """Number the people of rows by an Arrow table of their keys: spellings of one text are one person.

    Those whose keys are missing or blank are taken for one.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = np.zeros(keys.num_rows, np.int64)
    for column in keys.columns:
        encoded = pc.dictionary_encode(column.cast("string").combine_chunks(), null_encoding="encode")
        texts = pc.fill_null(encoded.dictionary, "")
        if pc.any(pc.match_substring_regex(texts, "[^!-~]")).as_py():
            folded = pa.array([_folded(text) for text in texts.to_pylist()], pa.string())
        else:  # printed ASCII without blanks: only the case makes spellings
            folded = pc.ascii_lower(texts)
        same = pc.dictionary_encode(folded)
        own = same.indices.to_numpy().astype(np.int64)[encoded.indices.to_numpy()]
        many = len(same.dictionary)
        numbers = np.unique(numbers * many + own, return_inverse=True)[1] if keys.num_columns > 1 else own
    return numbers


def fold_key(text: str | None) -> str:
    """Return what spellings of a person's key share; keys that are missing or blank are one."""
    return _folded(text or "")


def fold(text: str | None) -> str | None:
    """Return what a reader takes a sensitive value for: no case, nothing invisible, one spelling per number.

    Blanks around it don't count, nor how many stand between words. Missing, empty and blank are one value, None.
    """
    folded = _folded(text or "")
    return (number(folded) or folded) if folded else None


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.split()).lower()
    folded, before = text, None
    # Casefolding can undo a normal form, and the other way round; two or three rounds settle it.
    while folded != before:
        before = folded
        seen = "".join(c for c in folded if not _unseen(c))
        folded = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", seen).casefold()).strip()
    return folded


def _unseen(character: str) -> bool:
    """Say whether a reader sees nothing of a character: formats (Cf), selectors of variants, fillers."""
    if character.isascii():
        return False
    return unicodedata.category(character) == "Cf" or unicodedata.name(character, "").startswith(_UNSEEN)


def fold_spellings(spellings: Sequence[str | None]) -> tuple[tuple[str | None, ...], list[int]]:
    """Return what spellings mean, in order and missing last, and for each spelling the place of its meaning."""
    meanings = [fold(spelling) for spelling in spellings]
    labels = sorted(set(meanings), key=lambda label: (label is None, label or ""))
    ids = {label: i for i, label in enumerate(labels)}
    return tuple(labels), [ids[meaning] for meaning in meanings]


def fold_tree(tree: Mapping[str | None, Sequence[str]]) -> dict[str | None, tuple[str, ...]]:
    """Fold the leaves of a sensitive attribute's tree (leaf to the labels above it), as its values are folded."""
    folded: dict[str | None, tuple[str, ...]] = {}
    for leaf, above in tree.items():
        if folded.setdefault(fold(leaf), tuple(above)) != tuple(above):
            raise HierarchyError("verifier.spellings-have-different-ancestors", values=[leaf or ""])
    return folded


def number(text: str) -> str | None:
    """Return the one spelling of a decimal number (`1` for `1.0`, `01`, `+1`, `10e-1`), or None for other text."""
    parts = _NUMBER.fullmatch(text)
    if parts is None or not (parts[2] or parts[3]):
        return None
    exponent = int(parts[4] or 0) - len(parts[3] or "")
    digits = "".join(str(unicodedata.digit(digit)) for digit in parts[2] + (parts[3] or "")).lstrip("0")
    if not digits:
        return "0"
    exponent += len(digits) - len(digits.rstrip("0"))
    digits, sign = digits.rstrip("0"), "-" if parts[1] == "-" else ""
    if abs(exponent + len(digits) - 1) > _PLAIN:
        return f"{sign}{digits}e{exponent}"
    if exponent >= 0:
        return sign + digits + "0" * exponent
    padded = digits.rjust(1 - exponent, "0")
    return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
