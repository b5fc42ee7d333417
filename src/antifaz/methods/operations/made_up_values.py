"""Made-up values of the same shape: letters stay letters, digits stay digits, and no two values become the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.methods.operations.cells import text

#: Letters and digits are exchanged within blocks of so many code points: Latin stays Latin, Greek Greek.
_BLOCK = 128


@dataclass(frozen=True)
class Disguise:
    """Replaces every text by a made-up one of the same shape, always the same for the same secret."""

    secret: bytes

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Return the made-up texts; missing stays missing."""
        values = text(arrays[0])
        lengths = np.asarray(pc.fill_null(pc.utf8_length(values), 0), np.int64)
        result = values.to_pylist()
        key = np.frombuffer(self.secret[:16], np.uint64).copy()
        order = np.argsort(lengths, kind="stable")
        ends = np.flatnonzero(np.diff(lengths[order])) + 1
        for rows in np.split(order, ends):
            if rows.size and lengths[rows[0]]:
                made = _made(values.take(pa.array(rows)).to_pylist(), int(lengths[rows[0]]), key)
                for row, new in zip(rows.tolist(), made, strict=True):
                    result[row] = new
        return pa.array(result, pa.string())


def _made(values: list[str], length: int, key: NDArray[np.uint64]) -> list[str]:
    """Disguise values of one length."""
    from antifaz.kernels.keyed import disguise

    # As bytes of UTF-32, because NumPy's own text drops zeros at the end.
    codes = np.frombuffer("".join(values).encode("utf-32-le"), np.uint32).reshape(len(values), length)
    present = np.flatnonzero(np.bincount(codes.ravel()))
    alphabets = [_alphabet(int(code)) for code in present]
    place = np.zeros(int(present[-1]) + 1, np.int32)
    radix = np.ones_like(place)
    owner = np.zeros_like(place)
    for i, (code, letters) in enumerate(zip(present.tolist(), alphabets, strict=True)):
        place[code], radix[code], owner[code] = letters.index(code), len(letters), i
    digits, radices, owners = place[codes], radix[codes], owner[codes]
    disguise(digits, radices, key)
    table = np.zeros((len(alphabets), max(map(len, alphabets))), np.uint32)
    for i, letters in enumerate(alphabets):
        table[i, : len(letters)] = letters
    made = table[owners, digits].astype("<u4").tobytes().decode("utf-32-le")
    return [made[at : at + length] for at in range(0, len(made), length)]


def _alphabet(code: int) -> tuple[int, ...]:
    """Return the characters that one may become: letters or digits of the same kind and block, else only itself."""
    kind = unicodedata.category(chr(code))
    return _letters(code // _BLOCK, kind) if kind.startswith("L") or kind == "Nd" else (code,)


@cache
def _letters(block: int, kind: str) -> tuple[int, ...]:
    codes = range(block * _BLOCK, (block + 1) * _BLOCK)
    return tuple(code for code in codes if unicodedata.category(chr(code)) == kind)
