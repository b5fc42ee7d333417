"""Columns of Arrow in dictionary form: their distinct values as texts, and the place of each entry's among them."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Semaphore
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.arrays import Codes

#: Distinct texts, sorted, missing last; and the code of each entry.
Coded = tuple[tuple[str | None, ...], Codes]
Spell = Callable[[Any], str | None]
#: The texts of so many columns are held at once: those of all would take several times the memory.
_AT_ONCE = 4


def encode(column: pa.ChunkedArray, spell: Spell) -> Coded:
    """Return the distinct values of a column as texts, and the code of each entry; decimals are spelled by `spell`."""
    if not pa.types.is_floating(column.type):
        return encode_texts(column)
    coded = _coded(column)
    texts = [spell(value) for value in coded.dictionary.to_pylist()]
    # Sorted as texts are elsewhere; minus zero is zero.
    values = sorted(set(texts), key=lambda text: (text is None, (text or "").encode()))
    ids = {text: i for i, text in enumerate(values)}
    place = np.array([ids[text] for text in texts], np.int32)
    return tuple(values), place[coded.indices.to_numpy(zero_copy_only=False)]


def encode_texts(column: pa.ChunkedArray) -> Coded:
    """Return the distinct texts of a column, and the code of each entry."""
    coded = _coded(column)
    # Sorted, because the order in which threads meet the values is any; missing comes last.
    texts = coded.dictionary.cast(pa.string())
    order = np.asarray(pc.sort_indices(texts))
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    values = tuple(texts.take(pa.array(order)).to_pylist())
    return values, place[coded.indices.to_numpy(zero_copy_only=False)]


def encode_all(fetches: Sequence[tuple[Callable[[], pa.ChunkedArray], Spell]], threads: int) -> list[Coded]:
    """Fetch and encode columns one after another; while one is fetched, those before it are encoded.

    The last comes first: there are the keys of people, of which there are most, and they take longest.
    """
    at_once = max(1, min(threads, _AT_ONCE))
    room, futures = Semaphore(at_once), list[Future[Coded]]()

    def work(column: pa.ChunkedArray, spell: Spell) -> Coded:
        try:
            return encode(column, spell)
        finally:
            room.release()

    with ThreadPoolExecutor(at_once) as pool:
        for fetch, spell in reversed(fetches):
            room.acquire()  # before the column is there
            futures.append(pool.submit(work, fetch(), spell))
    return [future.result() for future in reversed(futures)]


def _coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    chunk = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    coded = chunk.dictionary_encode(null_encoding="encode")
    return coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
