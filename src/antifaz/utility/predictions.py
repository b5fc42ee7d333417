"""Predictions: can a sensitive value be told as well by what is learned from the release as from the original?

Classifiers are trained on released records and tested on original ones that the comparison has not been trained on.
An original record enters as one mark per column and bin, a released one as the share of each bin that its labels cover.
"""

from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.values import sense
from antifaz.utility.distributions import Grid, grid
from antifaz.utility.pair import PairColumn, TablePair

#: Rows to learn from and to test on, bins of a feature, and values of a target that are told apart.
TRAIN, TEST, BINS, CLASSES = 10_000, 10_000, 20, 10
#: What a coefficient costs. With a thirtieth of it, what was learned from records that share a label, as small shares
#: of many bins, is stretched to the one bin of an original record, and guesses worse than the commonest value does.
_RIDGE = 3e-3
NO_TREES = Message("warning.no-decision-tree")


def predictions(pair: TablePair, random: np.random.Generator) -> dict[str, Any]:
    """Return for every sensitive attribute the accuracy of classifiers, and that of always guessing the commonest."""
    features = [column for column in pair.of(Role.QUASI_IDENTIFIER) if column.domain.size > 1]
    if not features:
        return {}
    grids = [grid(column, BINS) for column in features]
    measured = {target.name: _of_target(pair, target, features, grids, random) for target in pair.of(Role.SENSITIVE)}
    return {name: scores for name, scores in measured.items() if scores is not None}


def _of_target(
    pair: TablePair, target: PairColumn, features: list[PairColumn], grids: list[Grid], random: np.random.Generator
) -> dict[str, Any] | None:
    before, after, classes = _classes(pair, target)
    learned = np.where(pair.informative, pair.released.counts, 0)
    half = random.binomial(pair.original.counts, 0.5)  # half of the records of every tuple, by chance
    if classes < 2 or not learned.sum() or not half.sum() or half.sum() == pair.original.rows:
        return None
    rest = pair.original.counts - half
    train, test = _drawn(half, TRAIN, random), _drawn(rest, TEST, random)
    # No more released rows than original ones, or the comparison would be of sizes.
    other = _drawn(learned, int(train.sum()), random)
    marks = [np.eye(cells.bins) for cells in grids], [c.bin_of[f.before] for f, c in zip(features, grids, strict=True)]
    shares = [c.patterns for c in grids], [c.pattern_of[f.after] for f, c in zip(features, grids, strict=True)]
    sides = {
        "original": (_features(*marks, train), before[train > 0], train[train > 0].astype(np.float64)),
        "released": (_features(*shares, other), after[other > 0], other[other > 0].astype(np.float64)),
    }
    seen, truth, weight = _features(*marks, test), before[test > 0], test[test > 0].astype(np.float64)
    common = int(np.argmax(np.bincount(before, weights=half, minlength=classes)))
    scores: dict[str, Any] = {"chance": float(np.average(truth == common, weights=weight))}
    # Decision trees need the extra `ml`.
    for name, learn in {"logistic": logistic, **({"tree": tree} if find_spec("sklearn") else {})}.items():
        scores[name] = {
            side: float(np.average(learn(*given, classes, seen) == truth, weights=weight))
            for side, given in sides.items()
        }
    return scores


def _classes(pair: TablePair, target: PairColumn) -> tuple[Ints, Ints, int]:
    """The class of each tuple's value in both tables: the most frequent values, and one for all others."""
    at = pair.original.columns.index(target.name)
    sides = [[sense(text) for text in table.values[at]] for table in (pair.original, pair.released)]
    totals: Counter[str | None] = Counter()
    records = np.bincount(pair.original.codes[at], weights=pair.original.counts)
    for text, n in zip(sides[0], records.tolist(), strict=True):
        totals[text] += int(n)
    ranked = sorted(totals, key=lambda text: (-totals[text], text or ""))[: CLASSES - 1]
    place, rest = {text: i for i, text in enumerate(ranked)}, len(ranked)
    class_of = [np.array([place.get(text, rest) for text in texts], np.int64) for texts in sides]
    before, after = class_of[0][pair.original.codes[at]], class_of[1][pair.released.codes[at]]
    return before, after, rest + int((before == rest).any() or (after == rest).any())


def _drawn(counts: Ints, many: int, random: np.random.Generator) -> Ints:
    """Draw so many records without putting any back: how many of each tuple."""
    total = int(counts.sum())
    if total <= many:
        return np.asarray(counts, np.int64)
    chosen = np.sort(random.choice(total, many, replace=False))
    return np.bincount(np.searchsorted(np.cumsum(counts), chosen, side="right"), minlength=counts.size)


def _features(patterns: list[Floats], codes: list[Ints], drawn: Ints) -> Any:
    """A constant, and for every column the row of its pattern: mostly zeros, so that only the others are kept."""
    from scipy.sparse import csr_array, hstack

    some = drawn > 0
    parts = [csr_array(rows)[code[some]] for rows, code in zip(patterns, codes, strict=True)]
    return hstack([csr_array(np.ones((int(some.sum()), 1))), *parts], format="csr")


def logistic(features: Any, classes: Ints, weights: Floats, many: int, seen: Any) -> Ints:
    """Fit a logistic regression of several classes with a ridge; return its guess for each row of `seen`."""
    from scipy.optimize import minimize

    one_hot = np.eye(many)[classes]
    total, width = float(weights.sum()), features.shape[1]

    def misfit(flat: Floats) -> tuple[float, Floats]:
        beta = flat.reshape(width, many)
        scores = features @ beta
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        sums = chances.sum(axis=1, keepdims=True)
        chances /= sums
        likely = (one_hot * (scores - np.log(sums))).sum(axis=1)
        slope = features.T @ ((chances - one_hot) * weights[:, None]) / total + _RIDGE * beta
        return float(-np.dot(weights, likely) / total + _RIDGE * (beta**2).sum() / 2), slope.ravel()

    fitted = minimize(misfit, np.zeros(width * many), jac=True, method="L-BFGS-B", options={"maxiter": 50})
    return np.asarray(np.argmax(seen @ fitted.x.reshape(width, many), axis=1))


def tree(features: Any, classes: Ints, weights: Floats, many: int, seen: Any) -> Ints:
    """Grow a decision tree (scikit-learn's); return its guess for each row of `seen`."""
    grown = import_module("sklearn.tree").DecisionTreeClassifier(min_weight_fraction_leaf=0.001, random_state=0)
    return np.asarray(grown.fit(features, classes, sample_weight=weights).predict(seen))
