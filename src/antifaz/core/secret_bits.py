"""Random bits from a secret key, and exact draws from them: no rounding of a probability gives anything away."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antifaz.core.arrays import Flags

_BLOCK = 64


class SecretBits:
    """A stream of bits that can't be told from random ones by whoever lacks the key: SHAKE-256, block by block."""

    def __init__(self, key: bytes) -> None:
        """Begin the stream of a key; the same key gives the same bits."""
        self._key, self._number, self._left = key, 0, b""

    def flags(self, number: int, probability: float) -> Flags:
        """Return so many independent flags, each true with the probability, rounded down to a multiple of 2^-64."""
        import numpy as np  # here, because `antifaz --help` must not pay for NumPy

        drawn = np.frombuffer(hashlib.shake_256(self._key + b" flags").digest(8 * number), "<u8")
        return drawn < np.uint64(int(Fraction(probability) * 2**64))

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to limit - 1, each as likely as any other."""
        bits = (limit - 1).bit_length()
        while True:
            drawn = int.from_bytes(self._bytes(-(-bits // 8)), "big") >> (-bits % 8)
            if drawn < limit:
                return drawn

    def happens(self, probability: Fraction) -> bool:
        """Say yes with exactly this probability."""
        return self.below(probability.denominator) < probability.numerator

    def happens_exp(self, exponent: Fraction) -> bool:
        """Say yes with probability e^-exponent, exactly.

        The method of Canonne, Kamath and Steinke (2020): coins of probability x, x/2, x/3, … are thrown until one
        fails; the number of throws is odd with probability e^-x, for x from 0 to 1. Larger exponents are so many ones.
        """
        whole = int(exponent)
        return all(self._happens_exp_below(Fraction(1)) for _ in range(whole)) and self._happens_exp_below(
            exponent - whole
        )

    def _happens_exp_below(self, exponent: Fraction) -> bool:
        throws = 1
        while self.happens(exponent / throws):
            throws += 1
        return throws % 2 == 1

    def _bytes(self, number: int) -> bytes:
        while len(self._left) < number:
            block = self._key + self._number.to_bytes(8, "big")
            self._left += hashlib.shake_256(block).digest(_BLOCK)
            self._number += 1
        taken, self._left = self._left[:number], self._left[number:]
        return taken
