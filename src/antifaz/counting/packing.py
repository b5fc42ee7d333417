"""Packing: where in a key of 64-bit words each attribute's code lies. Shifts and masks only, no divisions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Ints

WORD = 64


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyLayout:
    """The field of every attribute: its word, the shift inside the word, and its mask before shifting.

    A field never straddles two words; what does not fit one word goes on in the next, so any number of attributes
    packs. The lowest `value_bits` of the first word are kept free for a sensitive value.
    """

    word: Ints
    shift: NDArray[np.uint64]
    field: NDArray[np.uint64]
    words: int
    value_bits: int

    @property
    def value_mask(self) -> NDArray[np.uint64]:
        """The bits of the sensitive value, as a key of one row."""
        mask = np.zeros((1, self.words), np.uint64)
        mask[0, 0] = (1 << self.value_bits) - 1
        return mask


def bits(size: int) -> int:
    """Return how many bits hold the codes 0 … size - 1."""
    return max(size - 1, 0).bit_length()


def layout(sizes: Sequence[int], values: int = 1) -> KeyLayout:
    """Place attributes with so many codes each, and a sensitive attribute with `values` values, in as few words."""
    value_bits = bits(values)
    word, shift, at = [], [], value_bits
    for size in sizes:
        if at % WORD + bits(size) > WORD or (at and at % WORD == 0 and bits(size)):
            at += -at % WORD
        word.append(at // WORD)
        # A field of no bits at the very end of a word would shift by 64, which is undefined.
        shift.append(at % WORD)
        at += bits(size)
    places = np.minimum(np.array(word, np.int64), max(0, (at - 1) // WORD))
    fields, words = np.array([(1 << bits(size)) - 1 for size in sizes], np.uint64), max(1, -(-at // WORD))
    return KeyLayout(word=places, shift=np.array(shift, np.uint64), field=fields, words=words, value_bits=value_bits)
