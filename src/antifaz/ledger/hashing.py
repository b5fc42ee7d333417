"""Keyed hashes of cells: who has not the ledger's key can't try values until one fits.

A cell's hash is the beginning of the SHA-256 of the key and the text that it is recognized by, so that a database can
make the same hash where the rows are. Cells that come from an engine carry a mark: `HASHED` before a hash in
hexadecimal digits, `PLAIN` before a text that is hashed here.
"""

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.types import DataType
from antifaz.core.values import canonical, canonical_values
from antifaz.engines.relational.trace import HASHED, WIDTH, hash_key

Hashes = NDArray[np.uint64]
Number = TypeVar("Number", np.uint64, np.int64)

_ODD = np.uint64(0x9E3779B97F4A7C15)
#: What stands for a missing cell; as any hash, it is as unlikely to be another's as 1 in 2 to the 64.
MISSING = np.uint64(0x5BF03635F0A31D6B)


def recognized_as(text: str, kind: DataType = DataType.TEXT) -> str | None:
    """Return the text that a cell is recognized by: as docs/values.md says of its type, and without case."""
    return _folded(canonical(text, kind), kind)


def _folded(clean: str | None, kind: DataType) -> str | None:
    """A canonical text without case."""
    if clean is None or clean.isascii():
        return None if clean is None else clean.lower()
    return canonical(unicodedata.normalize("NFKC", clean).casefold(), kind)


def hash_texts(texts: Iterable[str | None], key: bytes) -> Hashes:
    """Return the keyed hash of each text; missing has one of its own."""
    start, digests = hashlib.sha256(hash_key(key).encode()), bytearray()
    missing = int(MISSING).to_bytes(8, "big")
    for text in texts:
        if text is None:
            digests += missing
            continue
        own = start.copy()
        own.update(text.encode(errors="surrogatepass"))
        digests += own.digest()[: WIDTH // 2]
    return np.frombuffer(bytes(digests), ">u8").astype(np.uint64)


def hash_cells(cells: pa.Array, key: bytes, *, exact: bool = False) -> tuple[Hashes, NDArray[np.int32]]:
    """Return the keyed hashes of a column's distinct texts, and for every cell the place of its own.

    The last hash is that of a missing cell. With `exact`, whatever can be told apart is different.
    """
    texts, codes = distinct_texts(cells)
    known = texts.to_pylist() if exact else [recognized_as(text) for text in texts.to_pylist()]
    return hash_texts([*known, None], key), codes


def hash_traced(cells: pa.Array, key: bytes, kind: DataType) -> tuple[Hashes, NDArray[np.int32], pa.Array]:
    """Return the same of cells as an engine traces them, and the distinct texts that came as they are."""
    texts, codes = distinct_texts(cells)
    ready = pc.fill_null(pc.starts_with(texts, HASHED), False).to_numpy(zero_copy_only=False)
    plain = pc.utf8_slice_codeunits(texts.filter(pa.array(~ready)), 1)
    hashes = np.full(len(texts) + 1, MISSING, np.uint64)
    if ready.any():
        digits = "".join(pc.utf8_slice_codeunits(texts.filter(pa.array(ready)), 1).to_pylist())
        hashes[:-1][ready] = np.frombuffer(bytes.fromhex(digits), ">u8").astype(np.uint64)
    hashes[:-1][~ready] = hash_texts([_folded(text, kind) for text in canonical_values(plain.to_pylist(), kind)], key)
    return hashes, codes, plain


def distinct_texts(cells: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return the distinct texts of a column, and for every cell the place of its own; missing comes after the last."""
    encoded = cells.dictionary_encode()
    texts = encoded.dictionary.cast(pa.string())
    return texts, encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.int32)


def mix_hashes(state: Hashes, more: Hashes | np.uint64) -> Hashes:
    """Take one more hash into each state; the order matters (the finalizer of SplitMix64)."""
    with np.errstate(over="ignore"):
        word = (state * np.uint64(3) + _ODD) ^ more
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))


def text_hash(text: str, key: bytes) -> np.uint64:
    """Return the keyed hash of one text, as it stands."""
    return np.uint64(hash_texts([text], key)[0])


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the different values, sorted. (NumPy's own way of late, by hashing, takes many times as long on these.)"""
    ordered = np.sort(values)
    first = np.ones(ordered.size, np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def occurrences(hashes: Hashes) -> NDArray[np.int64]:
    """Number equal hashes in the order in which they stand: 0 for the first of its kind, 1 for the second."""
    order = np.argsort(hashes, kind="stable")
    ordered, places = hashes[order], np.arange(hashes.size)
    first = np.ones(ordered.size, np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    numbers = np.empty(hashes.size, np.int64)
    numbers[order] = places - np.maximum.accumulate(np.where(first, places, 0)) if places.size else places
    return numbers
