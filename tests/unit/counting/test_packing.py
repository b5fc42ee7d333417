"""Where each attribute's code lies in a key."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from antifaz.counting.packing import KeyLayout, bits, layout


def fields(made: KeyLayout) -> list[tuple[int, int, int]]:
    """Return word, shift and width of every attribute."""
    widths = [int(mask).bit_length() for mask in made.field]
    return list(zip(made.word.tolist(), [int(shift) for shift in made.shift], widths, strict=True))


def test_bits_hold_all_codes_and_no_more() -> None:
    assert [bits(size) for size in (0, 1, 2, 3, 4, 5, 256, 257, 2**63, 2**64)] == [0, 0, 1, 2, 2, 3, 8, 9, 63, 64]


def test_one_word_holds_what_fits() -> None:
    made = layout([4, 9, 2])
    assert fields(made) == [(0, 0, 2), (0, 2, 4), (0, 6, 1)]
    assert (made.words, made.value_bits, made.value_mask.tolist()) == (1, 0, [[0]])


def test_the_sensitive_value_has_the_lowest_bits() -> None:
    made = layout([4, 9], values=5)
    assert fields(made) == [(0, 3, 2), (0, 5, 4)]
    assert (made.words, made.value_bits, made.value_mask.tolist()) == (1, 3, [[7]])


def test_exactly_sixty_four_bits_are_one_word() -> None:
    made = layout([2**32, 2**31], values=2)
    assert fields(made) == [(0, 1, 32), (0, 33, 31)]
    assert made.words == 1


def test_one_bit_more_begins_a_new_word() -> None:
    made = layout([2**32, 2**32, 2])
    assert fields(made) == [(0, 0, 32), (0, 32, 32), (1, 0, 1)]
    assert made.words == 2


def test_a_field_does_not_straddle_two_words() -> None:
    made = layout([2**40, 2**40, 2**24])
    assert fields(made) == [(0, 0, 40), (1, 0, 40), (1, 40, 24)]
    assert made.words == 2


def test_a_whole_word_for_one_attribute() -> None:
    made = layout([2**64, 2**64], values=3)
    assert fields(made) == [(1, 0, 64), (2, 0, 64)]
    assert (made.words, made.value_mask.tolist()) == (3, [[3, 0, 0]])


def test_constant_columns_take_no_room() -> None:
    made = layout([1, 1, 1])
    assert (fields(made), made.words) == ([(0, 0, 0)] * 3, 1)
    assert (fields(layout([])), layout([]).words) == ([], 1)


def test_a_constant_column_after_a_full_word_needs_no_new_word() -> None:
    made = layout([2**32, 2**32, 1])
    assert made.words == 1
    assert made.word.tolist() == [0, 0, 0]
    assert int(made.shift[2]) < 64


SIZES = st.lists(
    st.one_of(st.integers(0, 5), st.sampled_from([2**7, 2**16, 2**31, 2**32 + 1, 2**63])), min_size=0, max_size=20
)


@settings(deadline=None, max_examples=200)
@given(SIZES, st.integers(1, 1000), st.randoms(use_true_random=False))
@example([2**32, 2**31, 1, 1], 2, Random(1))
def test_fields_never_overlap_and_give_every_code_back(sizes: list[int], values: int, random: Random) -> None:
    made = layout(sizes, values)
    taken = [(0, made.value_bits)]
    for word, shift, width in fields(made):
        assert 0 <= word < made.words
        assert shift < 64
        if width:
            assert shift + width <= 64
            taken.append((64 * word + shift, 64 * word + shift + width))
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(taken)))
    codes = [random.randrange(max(size, 1)) for size in sizes]
    keys = [0] * made.words
    for code, (word, shift, _) in zip(codes, fields(made), strict=True):
        keys[word] |= code << shift
    assert [(keys[w] >> s) & int(mask) for (w, s, _), mask in zip(fields(made), made.field, strict=True)] == codes
    # No word is left without a field.
    used = {word for word, _, width in fields(made) if width} | {0}
    assert used == set(range(made.words))
