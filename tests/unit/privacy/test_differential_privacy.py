"""The k and β of differentially private records: against the definition, exact sums and numbers printed elsewhere."""

import math
from fractions import Fraction
from math import comb

import pytest
from scipy.stats import binom
from tests.failing import failing

import antifaz as az
from antifaz.privacy.differential_privacy import largest_rate, smallest_class
from antifaz.releases.verifier.private_classes import least_class
from antifaz.testing import check


def tail(n, rate, first):
    """The probability of `first` draws or more, summed exactly in whole numbers and rounded once."""
    drawn, whole = Fraction(rate).as_integer_ratio()
    return sum(comb(n, j) * drawn**j * (whole - drawn) ** (n - j) for j in range(first, n + 1)) / whole**n


def exceeded(k, rate, epsilon, more=12):
    """Li, Qardaji and Su's d(k, β, ε), by its definition and exact sums: the largest tail over all n."""
    gamma = (math.exp(epsilon) - 1 + rate) / math.exp(epsilon)
    first = math.ceil(k / gamma - 1)
    return max(tail(n, rate, math.floor(gamma * n) + 1) for n in range(first, first + more))


def private(p, q, epsilon):
    """The δ that two distributions need at this ε, in both directions."""
    one = sum(max(0.0, float(a) - math.exp(epsilon) * float(b)) for a, b in zip(p, q, strict=True))
    other = sum(max(0.0, float(b) - math.exp(epsilon) * float(a)) for a, b in zip(p, q, strict=True))
    return max(one, other)


def released(n, rate, k, longest):
    """What is seen of n look-alikes: nothing, or how many were drawn."""
    drawn = [*binom.pmf(range(n + 1), n, rate), *[0.0] * (longest - n)]
    return [sum(drawn[:k]), *drawn[k:]]


def test_it_keeps_what_every_model_promises():
    models = [
        az.DifferentialPrivacy(1),
        az.DifferentialPrivacy(2, delta=1e-9, search=0.5),
        az.DifferentialPrivacy(1, beta=0.2),
    ]
    check(az.DifferentialPrivacy, models)


@pytest.mark.parametrize(("k", "printed"), [(10, 0.9043821), (50, 0.6050061)])
def test_the_definition_used_here_gives_the_numbers_printed_elsewhere(k, printed):
    # R. Cardell-Oliver's tables for Li et al. 2012 (makeSafeKanonTables.R): β = 0.99, ε = 4.5, k from 10 to 50.
    assert exceeded(k, 0.99, 4.5) == pytest.approx(printed, abs=5e-8)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2])
@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
def test_k_is_the_smallest_whose_exact_tail_is_at_most_delta(epsilon, delta):
    rate = largest_rate(epsilon)
    k = smallest_class(epsilon, delta, rate)
    assert exceeded(k, rate, epsilon) <= delta < exceeded(k - 1, rate, epsilon)


@pytest.mark.parametrize(("epsilon", "beta"), [(1, 0.1), (1, 0.5), (0.5, 0.3), (2, 0.2), (0.05, 0.02)])
def test_it_is_so_for_other_sampling_rates(epsilon, beta):
    k = smallest_class(epsilon, 1e-5, beta)
    assert exceeded(k, beta, epsilon) <= 1e-5 < exceeded(k - 1, beta, epsilon)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.9, 1, 1.5, 2, 5])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_the_verifier_finds_the_same_k_by_other_sums(epsilon, delta):
    k, rate = least_class(epsilon, delta)
    assert k == az.DifferentialPrivacy(epsilon, delta=delta).k
    assert rate == pytest.approx(1 - math.exp(-epsilon), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1])
def test_no_number_of_look_alikes_shows_whether_somebody_is_there(epsilon):
    # The definition of (ε, δ)-differential privacy itself, by the exact distributions of what is seen.
    model = az.DifferentialPrivacy(epsilon, delta=1e-3)
    for n in range(1, 3 * model.k):
        with_one, without = (released(many, model.rate, model.k, n) for many in (n, n - 1))
        assert private(with_one, without, epsilon) <= 1e-3


def test_without_the_sample_or_with_a_small_k_the_definition_fails():
    model = az.DifferentialPrivacy(1, delta=1e-3)
    certain = private(released(model.k, 1, model.k, model.k), released(model.k - 1, 1, model.k, model.k), 1)
    assert certain == 1
    careless = max(private(released(n, model.rate, 3, n), released(n - 1, model.rate, 3, n), 1) for n in range(1, 20))
    assert careless > 0.1


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1, 5])
def test_nobody_drawn_is_at_most_e_to_the_epsilon_times_as_likely_without_a_record(epsilon):
    rate = largest_rate(epsilon)
    assert -math.log1p(-rate) <= epsilon < -math.log1p(-rate * (1 + 1e-9))


def test_the_search_takes_its_part_of_epsilon():
    searched, given = az.DifferentialPrivacy(1, search=0.25), az.DifferentialPrivacy(0.75)
    assert (searched.k, searched.rate) == (given.k, given.rate)


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"epsilon": 1, "search": 1}, "expected.search-below-epsilon"),
        ({"epsilon": 1, "beta": 0.64}, "expected.rate-at-most"),
    ],
)
def test_what_can_not_be_meant_is_refused(parameters, code):
    with pytest.raises(az.ParameterError) as error:
        az.DifferentialPrivacy(**parameters)
    assert error.value.message.values["what"].code == code


def test_k_can_not_be_given():
    with failing("dp.k-follows"):
        az.DifferentialPrivacy(1).with_class_size(5)


def test_the_largest_rate_may_be_given():
    model = az.DifferentialPrivacy(1)
    assert az.DifferentialPrivacy(1, beta=model.rate).k == model.k
    (verdict,) = az.verify({"a": ["x"] * model.k}, ["a"], az.DifferentialPrivacy(1, beta=model.rate))
    assert verdict.holds
