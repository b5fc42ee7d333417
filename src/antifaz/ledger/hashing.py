"""Keyed hashes of cells: who has not the ledger's key can't try values until one fits."""

from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Number = TypeVar("Number", np.uint64, np.int64)

_ODD = np.uint64(0x9E3779B97F4A7C15)
#: What stands for a missing cell; as any hash, it is as unlikely to be another's as 1 in 2 to the 64.
_MISSING = np.uint64(0x5BF03635F0A31D6B)


def words(key: bytes) -> Hashes:
    """Return the first 16 bytes of a key as the two words that SipHash takes."""
    return np.frombuffer(key[:16], "<u8").astype(np.uint64)


def hash_cells(cells: pa.Array, key: Hashes, *, folded: bool = False) -> tuple[Hashes, NDArray[np.int32]]:
    """Return the keyed hashes of a column's distinct texts, and for every cell the place of its own.

    With `folded`, case and blanks around a text make no difference, as they make none to the models.
    """
    from antifaz.kernels.keyed_hash import hashes

    encoded = cells.dictionary_encode()
    texts = encoded.dictionary.cast(pa.string())
    if folded:
        texts = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    codes = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.int32)
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1] if len(texts) else _NONE
    content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    return np.append(hashes(content, starts, key), _MISSING), codes


_NONE = np.zeros(1, np.int32)


def mix_hashes(state: Hashes, more: Hashes | np.uint64) -> Hashes:
    """Take one more hash into each state; the order matters (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        word = (state * np.uint64(3) + _ODD) ^ more
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))


def text_hash(text: str, key: Hashes) -> np.uint64:
    """Return the keyed hash of one text."""
    return np.uint64(hash_cells(pa.array([text], pa.string()), key)[0][0])


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the different values, sorted. (NumPy's own way of late, by hashing, takes many times as long on these.)"""
    ordered = np.sort(values)
    first = np.ones(ordered.size, np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def occurrences(sorted_hashes: Hashes) -> NDArray[np.int64]:
    """Number equal neighbours: 0 for the first of its kind, 1 for the second, and so on."""
    places = np.arange(sorted_hashes.size)
    first = np.ones(sorted_hashes.size, np.bool_)
    first[1:] = sorted_hashes[1:] != sorted_hashes[:-1]
    return places - np.maximum.accumulate(np.where(first, places, 0)) if places.size else places
