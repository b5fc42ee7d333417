"""The secret behind what an operation makes up: from its key, from the run's seed and the data, or drawn afresh."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import numpy as np
import pyarrow.compute as pc

from antifaz.methods.operations.keys import derived, read_key
from antifaz.methods.operations.operation import Setting


def secret(who: str, key: Any, setting: Setting, column: str, joins: str | None = None) -> bytes:
    """Return 32 secret bytes for one use.

    With a key they are the same in every run and table. Without one they follow from the seed and from the values of a
    column, because a seed such as 1 can be guessed; where several tables are to `join`, from the seed alone. Without a
    seed they are drawn.
    """
    if key is not None:
        return derived(read_key(who, key, setting.folder, setting.away), who)
    if setting.seed is None:
        return secrets.token_bytes(32)
    mixed = hashlib.blake2b(digest_size=32, key=setting.seed.to_bytes(16, "big", signed=True), person=who.encode()[:16])
    if joins is not None:
        mixed.update(joins.encode())
        return mixed.digest()
    values = setting.distinct(column)
    values = values.take(pc.sort_indices(values))
    # Values of any length stand one after the other: their lengths keep them apart.
    lengths = np.asarray(pc.binary_length(values), np.int64)
    mixed.update(lengths.tobytes())
    if values.buffers()[2] is not None:
        mixed.update(bytes(values.buffers()[2][: int(lengths.sum())]))
    return mixed.digest()
