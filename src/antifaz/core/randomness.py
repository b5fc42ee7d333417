"""Randomness is passed in: one generator per run, from the project's seed."""

from __future__ import annotations

import hashlib
import secrets
from numbers import Integral
from typing import TYPE_CHECKING

from antifaz.core.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np


def fresh_seed() -> int:
    """Return a secure seed for a run that was given none; it is recorded so that the run can be repeated."""
    return secrets.randbits(63)


def check_seed(who: str, seed: object) -> None:
    """Refuse what is no seed; None is one that is drawn."""
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if seed is not None and not (whole and 0 <= int(seed) < 2**63):  # type: ignore[call-overload]
        raise ParameterError("parameter.seed-not-a-whole-number", who=who, seed=seed)


def generator(seed: int) -> np.random.Generator:
    """Return the generator of a run."""
    import numpy as np  # here, because `antifaz --help` must not pay for NumPy

    return np.random.default_rng(seed)


def hidden(seed: int, what: str) -> np.random.Generator:
    """Return the generator of one thing that a hardened run keeps to itself, apart from what methods draw from.

    Of the seed alone, not of the data: whoever guesses a seed such as 1 then knows one margin for all tables that there
    could have been, which tells nothing of them.
    """
    mixed = hashlib.blake2b(what.encode(), key=seed.to_bytes(16, "big", signed=True), digest_size=8)
    return generator(int.from_bytes(mixed.digest(), "big") >> 1)


def shuffle_key(seed: int, digest: bytes) -> int:
    """Return the secret that orders the released rows: the same for the same data and seed.

    The data's digest goes in because a seed such as 1 can be guessed, and an order that can be guessed can be undone.
    """
    mixed = hashlib.blake2b(digest, key=seed.to_bytes(16, "big", signed=True), digest_size=8)
    return int.from_bytes(mixed.digest(), "big") >> 1
