"""Judge a recounted table against the privacy asked for, sharing nothing with the models that the methods ask.

Everything follows from the size of each class and from how often each sensitive value occurs in it. Notation: a class E
of |E| records, f of them with value v, so q = f/|E|; W records in the reference table (the released one unless counts
are handed in), n of them with v, so p = n/W. Ratios are divided once, from exact integers, and so rounded correctly: a
class that is exactly at a limit is found to be at it.

What `achieved` means, per model (the strictest parameter that the table still meets):

| model | achieved | holds when |
|---|---|---|
| k-anonymity | k, the smallest class | at least k |
| k-anonymity, known m | fewest records that share the values of a class in any m columns | at least k |
| k-anonymity, match | fewest records that agree with a class where neither is blank | at least k |
| alpha-k | alpha, the largest q | at most alpha, and every class at least k |
| l-diversity, distinct | the fewest different values | at least l |
| l-diversity, entropy | exp of the smallest entropy | at least l, with a slack of 1e-12 for rounding |
| l-diversity, recursive | largest r1/(r_l+…+r_m), an infimum | strictly below c |
| t-closeness | the largest distance between q and p | at most t |
| delta-disclosure | largest |log2(q/p)| over values that a class has | strictly below delta |
| beta-likeness | largest (q−p)/p; enhanced: no gain may exceed −ln p either | at most beta |
| highest-risk | 1/smallest class | at most the threshold |
| average-risk | classes/records | at most the threshold; a failing table fails as a whole |
| sample-uniqueness | classes of one record/records | at most the threshold; a failing table fails as a whole |
| population-uniqueness | estimated share unique in the population | at most the threshold, 1e-9 of it for rounding |
| k-map | fewest people a class may be; estimated: the smallest class | at least k; at least what stands for k |
| delta-presence | largest share of a class's people who are released | between low and high |
| no-attack | fewest people a record hides among | at least gain/cost |
| profitability | what the record is worth that is worth least | at least 0, with a slack of 1e-12 for rounding |
| differential-privacy | the smallest class | at least the k that follows from epsilon, delta and beta |

`achieved` is None where no parameter would do (a class with fewer than l values, a gain above −ln p), and for a table
without rows, where every model holds because there is nobody to be told apart. A missing value is a value like others.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import CheckFailed, ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.core.verdicts import Verdict
from antifaz.releases.verifier.blanks import agreeing, same, sharing
from antifaz.releases.verifier.distances import (
    Integers,
    JudgedAttribute,
    Tree,
    branches,
    divide,
    hierarchical,
    integer_type,
    is_finite,
    largest,
    ordered,
    sum_by,
)
from antifaz.releases.verifier.games import no_attack, profitability
from antifaz.releases.verifier.private_classes import least_class
from antifaz.releases.verifier.question import Counted, ModelFinding, ModelQuestion
from antifaz.releases.verifier.uniqueness import population_uniqueness

#: Entropies are sums of logarithms; a class of exactly l equal counts must not fail by a rounding error. Much larger
#: slack would let real violations through: 49,999 to 50,001 is short of ln 2 by 2e-10.
_SLACK = 1e-12
#: Weights are added up as whole numbers of this part of a person.
_PART = 10**9


def verify(
    recount: Counted,
    privacy: Sequence[Mapping[str, Any]],
    *,
    reference: Mapping[str, Mapping[str | None, int]] | None = None,
    trees: Mapping[str, Tree] | None = None,
    population: Counted | None = None,
    paths: Mapping[str, Sequence[Sequence[str | None]]] | None = None,
) -> list[Verdict]:
    """Return one verdict per model asked for, e.g. `{"model": "k-anonymity", "k": 5}`; an unknown model raises.

    Args:
        recount: The table as it was counted from its written rows.
        privacy: The models with all their parameters.
        reference: Per sensitive attribute, how many records have each value in the table that p is taken from;
            without it, p is that of the table itself.
        trees: For hierarchical t-closeness, per attribute: from each value, spelled as the recount's labels are, to the
            labels above it, nearest first, all of one length. Missing, when not in it, is a branch of its own.
        population: The released rows and the people of the population counted together, with one sensitive attribute
            that says 'released' or 'person'.
        paths: For profitability, per quasi-identifier: one row per value that there can be, missing included, from the
            value to the labels above it.
    """
    references = (reference or {}, trees or {}, population, paths or {})
    return [judge(ModelQuestion(recount, asked, *references)) for asked in privacy]


def judge(question: ModelQuestion) -> Verdict:
    """Judge one model, or raise where it is unknown."""
    parameters = dict(question.parameters)
    model = str(parameters.pop("model", ""))
    if model not in _MODELS:
        raise ParameterError("verifier.unknown-model", model=model, hint=hint(model, _MODELS))
    find, known = _MODELS[model]
    for name in parameters:
        if name not in known:
            raise ParameterError("verifier.unknown-parameter", model=model, name=name, hint=hint(name, known))
    sizes = question.table.sizes
    if not len(sizes):
        return Verdict(model=model, parameters=parameters, achieved=None, holds=True, note=Message("note.no-rows"))
    finding = find(question)
    worst = finding.by_class.min() if finding.smallest else finding.by_class.max()
    failing = int((sizes if finding.sizes is None else finding.sizes)[~finding.passes].sum())
    outcome = {"achieved": worst.item(), "note": finding.note}
    if math.isinf(worst):
        note = Message("note.followed-by-no-parameter", note=finding.note) if finding.note else None
        outcome = {"achieved": None, "note": note or Message("note.no-parameter-would-do")}
    parameters |= finding.figures
    return Verdict(model=model, parameters=parameters, holds=not failing, failing=failing, **outcome)


def _k_anonymity(question: ModelQuestion) -> ModelFinding:
    k, sizes = question.whole_number("k"), question.table.sizes
    # Left out, it is the strict reading, which asks for more; and so does knowing all columns.
    match = "blanks" in question.parameters and question.choice("blanks", ("value", "match")) == "match"
    known = question.whole_number("known") if "known" in question.parameters else None
    if not match and known is None:
        return ModelFinding(sizes, sizes >= k, smallest=True)
    classes = question.table.classes
    if classes is None:
        raise ParameterError("verifier.blanks-not-counted")
    if any(codes.size != sizes.size for codes in classes.values()):
        raise CheckFailed("verifier.fewer-values-than-classes")
    below = int(sizes[sizes < k].sum())
    if known is not None:
        shared = sharing(list(classes.values()), sizes, known, agreeing if match else same)
        note = Message("note.columns-known", known=known, below=below, rows=question.table.rows, k=k)
        return ModelFinding(shared, shared >= k, smallest=True, note=note)
    shared = agreeing(list(classes.values()), sizes)
    note = Message("note.blanks-matched", below=below, rows=question.table.rows, k=k)
    return ModelFinding(shared, shared >= k, smallest=True, note=note)


def _highest_risk(question: ModelQuestion) -> ModelFinding:
    risks = 1 / question.table.sizes
    return ModelFinding(risks, risks <= question.number("threshold", 0, 1))


def _average_risk(question: ModelQuestion) -> ModelFinding:
    sizes = question.table.sizes
    risk = np.full(len(sizes), len(sizes) / question.table.rows)
    return ModelFinding(risk, risk <= question.number("threshold", 0, 1))


def _sample_uniqueness(question: ModelQuestion) -> ModelFinding:
    sizes = question.table.sizes
    share = np.full(len(sizes), np.count_nonzero(sizes == 1) / question.table.rows)
    return ModelFinding(share, share <= question.number("threshold", 0, 1))


def _k_map(question: ModelQuestion) -> ModelFinding:
    k, sizes = question.whole_number("k"), question.table.sizes
    if question.parameters.get("population") is not None:
        released, people = question.population_counts()
        released, people = released[released > 0], people[released > 0]
        return ModelFinding(people, people >= k, smallest=True, sizes=released)
    if (weight := question.parameters.get("weight")) is not None:
        people = count_by_weights(str(weight), question.table.cells, sizes)
        return ModelFinding(people, people >= k, smallest=True)
    needed = _sampled(k, question.number("fraction", 0, 1), question.number("significance", 0, 1))
    note = Message("note.smallest-class-reached", needed=needed)
    return ModelFinding(sizes, sizes >= needed, smallest=True, note=note)


def _sampled(k: int, fraction: float, significance: float) -> int:
    """Return the least n of which a Poisson draw of mean k·fraction, known not to be 0, gives n or more but rarely."""
    rate = k * fraction
    many = int(rate + 60 * math.sqrt(rate) + 1000)
    chances = [math.exp(-rate + n * math.log(rate) - math.lgamma(n + 1)) for n in range(1, many)]
    # From the far end: tiny numbers are added before large ones, and nothing is lost to rounding.
    tails = np.cumsum(chances[::-1])[::-1] / -math.expm1(-k * fraction)
    return int(np.argmax(tails <= significance)) + 1


def _delta_presence(question: ModelQuestion) -> ModelFinding:
    released, people = question.population_counts()
    # Some people may look like no released row.
    absent = bool(((released == 0) & (people > 0)).any())
    released, people = released[released > 0], people[released > 0]
    shares = divide(released, people)
    low, high = question.number("low", 0, 1), question.number("high", 0, 1)
    inside = (shares >= low) & (shares <= high)
    if low > 0 and absent:
        inside[:] = False
    return ModelFinding(shares, inside, note=Message("note.largest-share-reached"), sizes=released)


def _alpha_k(question: ModelQuestion) -> ModelFinding:
    sensitive, sizes = question.sensitive(), question.table.sizes
    shares = largest(sensitive.counts / sizes[sensitive.classes], sensitive)
    large = sizes >= question.whole_number("k")
    note = "" if large.all() else Message("note.smallest-class", number=sizes.min())
    return ModelFinding(shares, (shares <= question.number("alpha", 0, 1)) & large, note=note)


def _l_diversity(question: ModelQuestion) -> ModelFinding:
    sensitive = question.sensitive()
    kind = question.choice("kind", ("distinct", "entropy", "recursive"))
    different = sum_by(np.ones_like(sensitive.counts), sensitive.classes, len(sensitive.sizes))
    if kind == "distinct":
        return ModelFinding(different, different >= question.whole_number("l"), smallest=True)
    if kind == "recursive":
        ratios = _recursive(sensitive, question.whole_number("l"))
        return ModelFinding(ratios, ratios < question.number("c", 0))
    least, sizes = question.number("l", 1), sensitive.sizes
    # H ≥ ln l, multiplied by |E|: |E|(ln|E| − ln l) ≥ Σ f ln f
    powers = sum_by(sensitive.counts * np.log(sensitive.counts), sensitive.classes, len(sizes))
    room = sizes * (np.log(sizes) - math.log(least)) - powers
    passes = (room >= -_SLACK * sizes * np.log(sizes)) & (different >= least)
    return ModelFinding(np.exp(np.log(sizes) - powers / sizes), passes, smallest=True)


def _recursive(sensitive: JudgedAttribute, least: int) -> Floats:
    """Return r1/(r_l + … + r_m) per class, counts from the most to the least frequent; infinite for fewer than l."""
    order = np.lexsort((-sensitive.counts, sensitive.classes))
    counts, classes = sensitive.counts[order], sensitive.classes[order]
    place = np.arange(len(counts)) - np.searchsorted(classes, classes)
    tail = sum_by(np.where(place >= least - 1, counts, 0), classes, len(sensitive.sizes))
    first = sum_by(np.where(place == 0, counts, 0), classes, len(sensitive.sizes))
    return divide(first, tail)


def _delta_disclosure(question: ModelQuestion) -> ModelFinding:
    sensitive = question.sensitive()
    # Only values that the class has are asked: with those it lacks, no class but the whole table would pass.
    ratios = largest(np.abs(np.log2(divide(*_odds(sensitive)))), sensitive)
    return ModelFinding(ratios, ratios < question.number("delta", 0))


def _beta_likeness(question: ModelQuestion) -> ModelFinding:
    sensitive = question.sensitive()
    inside, outside = _odds(sensitive)
    gains = divide(inside - outside, outside)
    if question.choice("enhanced", (False, True)):
        with np.errstate(divide="ignore"):
            ceiling = -np.log(sensitive.totals / sensitive.whole)[sensitive.values]
        gains = np.where(gains <= ceiling, gains, np.inf)
    maxima = largest(gains, sensitive)
    return ModelFinding(maxima, maxima <= question.number("beta", 0))


def _odds(sensitive: JudgedAttribute) -> tuple[Integers, Integers]:
    """Return f·W and n·|E| per cell, whose ratio is q/p."""
    kind = integer_type(sensitive, 1)
    expected = sensitive.totals[sensitive.values].astype(kind) * sensitive.sizes[sensitive.classes]
    return sensitive.counts.astype(kind) * sensitive.whole, expected


def _t_closeness(question: ModelQuestion) -> ModelFinding:
    sensitive = question.sensitive()
    distance = question.choice("distance", ("equal", "ordered", "hierarchical"))
    if distance == "ordered":
        distances = ordered(sensitive)
    else:
        # Where moving mass to any other value costs the same, the tree has a root and leaves only.
        distances = hierarchical(sensitive, branches(sensitive) if distance == "hierarchical" else [])
    return ModelFinding(distances, distances <= question.number("t", 0, 1))


def _differential_privacy(question: ModelQuestion) -> ModelFinding:
    epsilon, delta = question.number("epsilon", 0.01, 5), question.number("delta", 1e-15, 0.01)
    own = epsilon - (question.number("search", 0, epsilon) if "search" in question.parameters else 0)
    beta = question.number("beta", 0, 1) if "beta" in question.parameters else None
    k, rate = least_class(own, delta, beta)
    note = Message("note.differential-privacy", k=k, beta=rate)
    sizes = question.table.sizes
    return ModelFinding(sizes, sizes >= k, smallest=True, note=note, figures={"beta": rate, "k": k})


_MODELS: dict[str, tuple[Callable[[ModelQuestion], ModelFinding], tuple[str, ...]]] = {
    "k-anonymity": (_k_anonymity, ("k", "blanks", "known")),
    "alpha-k": (_alpha_k, ("alpha", "k", "attribute")),
    "l-diversity": (_l_diversity, ("kind", "l", "c", "attribute")),
    "t-closeness": (_t_closeness, ("t", "distance", "attribute")),
    "delta-disclosure": (_delta_disclosure, ("delta", "attribute")),
    "beta-likeness": (_beta_likeness, ("beta", "enhanced", "attribute")),
    "highest-risk": (_highest_risk, ("threshold",)),
    "average-risk": (_average_risk, ("threshold",)),
    "sample-uniqueness": (_sample_uniqueness, ("threshold",)),
    "population-uniqueness": (population_uniqueness, ("threshold", "population_size", "country", "estimator")),
    "k-map": (_k_map, ("k", "population", "weight", "fraction", "significance")),
    "delta-presence": (_delta_presence, ("population", "low", "high")),
    "no-attack": (no_attack, ("gain", "cost", "population")),
    "profitability": (profitability, ("benefit", "loss", "gain", "cost", "population")),
    "differential-privacy": (_differential_privacy, ("epsilon", "delta", "search", "beta")),
}

#: The models that can be judged here.
KNOWN = tuple(_MODELS)


def count_by_weights(name: str, cells: Mapping[str, Any], sizes: Ints) -> Ints:
    """Return how many people each class stands for by a column of weights, and no fewer than it has rows.

    `cells` are counts of the values of columns in every class, as the auditor has them.
    """
    if name not in cells:
        raise SchemaError("verifier.not-counted-sensitive", model="k-map", name=name, known=hint(name, cells))
    own = cells[name]
    weights = [Fraction(label) if label is not None and is_finite(label) else Fraction(0) for label in own.labels]
    if not all(0 < weight < _PART for weight in weights):
        raise CheckFailed("verifier.weights-not-positive", name=name)
    parts, people = [math.floor(weight * _PART) for weight in weights], [0] * len(sizes)
    # Python's whole numbers have no end, so that no sum can run over.
    for at, value, count in zip(own.classes.tolist(), own.values.tolist(), own.counts.tolist(), strict=True):
        people[at] += parts[value] * count
    return np.array([max(whole // _PART, size) for whole, size in zip(people, sizes.tolist(), strict=True)], np.int64)
