"""Exact draws from secret bits."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from antifaz.core.secret_bits import SecretBits


def test_a_key_gives_the_same_bits_again_and_another_key_others():
    one, again, other = SecretBits(b"a"), SecretBits(b"a"), SecretBits(b"b")
    numbers = [one.below(10**9) for _ in range(5)]
    assert [again.below(10**9) for _ in range(5)] == numbers != [other.below(10**9) for _ in range(5)]


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 256, 257])
def test_each_number_below_a_limit_is_as_likely_as_any_other(limit):
    bits = SecretBits(b"below %d" % limit)
    drawn = np.bincount([bits.below(limit) for _ in range(20 * limit + 200)], minlength=limit)
    assert drawn.size == limit
    assert limit == 1 or chisquare(drawn).pvalue > 1e-4


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 7), Fraction(1), Fraction(5, 2)])
def test_yes_is_said_with_probability_e_to_the_minus_exponent(exponent):
    bits = SecretBits(b"exp")
    yes = sum(bits.happens_exp(exponent) for _ in range(4000))
    assert binomtest(yes, 4000, math.exp(-exponent)).pvalue > 1e-4


def test_flags_come_with_their_probability():
    flags = SecretBits(b"flags").flags(20_000, 0.3)
    assert binomtest(int(flags.sum()), 20_000, 0.3).pvalue > 1e-4
    pairs = Counter(zip(flags[::2].tolist(), flags[1::2].tolist(), strict=True))
    expected = [10_000 * p for p in (0.49, 0.21, 0.21, 0.09)]
    assert chisquare([pairs[a, b] for a in (False, True) for b in (False, True)], expected).pvalue > 1e-4


def test_no_flag_of_none():
    assert SecretBits(b"").flags(0, 0.5).size == 0
