"""Brute force in plain Python: slow, short and obviously right. Everything faster is compared with this.

A table is a list of dicts. A tree is a dict from a leaf to its labels, level 0 (the leaf itself) first, all rows of one
length. A level vector follows the order of the trees. A class predicate is `ok(members, table)`, made by one of the
functions below, e.g. `k_anonymous(3)`. Numbers are integers and fractions wherever the definition allows,
so that a decision at an exact boundary is the true one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

Row = Mapping[str, str | None]
Tree = Mapping[str | None, Sequence[str]]
Levels = tuple[int, ...]
ClassOk = Callable[[Sequence[Row], Sequence[Row]], bool]
Score = Callable[[Sequence[Row], Mapping[str, Tree], Levels, ClassOk], float]


# Tables and lattices


def classes(rows: Sequence[Row], qis: Sequence[str]) -> list[list[int]]:
    """Return the row numbers of each class, classes in the order of their first row."""
    found: dict[tuple[str | None, ...], list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in qis), []).append(number)
    return list(found.values())


def generalize(rows: Sequence[Row], trees: Mapping[str, Tree], levels: Sequence[int]) -> list[Row]:
    """Return the rows with each quasi-identifier replaced by its label at the level asked for."""
    wanted = dict(zip(trees, levels, strict=True))
    return [
        {name: trees[name][value][wanted[name]] if name in wanted else value for name, value in row.items()}
        for row in rows
    ]


def heights(trees: Mapping[str, Tree]) -> list[int]:
    """Return the highest level of each tree."""
    return [len(next(iter(tree.values()))) - 1 for tree in trees.values()]


def lattice(highest: Sequence[int]) -> Iterator[Levels]:
    """Return every level vector from all zeros to `highest`, both included."""
    return product(*(range(top + 1) for top in highest))


def every(ok: ClassOk) -> Callable[[Sequence[Row], Sequence[str]], bool]:
    """Make a predicate on a whole table out of one on a class: all of its classes pass."""

    def holds(rows: Sequence[Row], qis: Sequence[str]) -> bool:
        return all(ok([rows[i] for i in members], rows) for members in classes(rows, qis))

    return holds


def satisfying(
    rows: Sequence[Row], trees: Mapping[str, Tree], predicate: Callable[[Sequence[Row], Sequence[str]], bool]
) -> list[Levels]:
    """Return all level vectors whose generalized table satisfies the predicate, nothing suppressed."""
    qis = list(trees)
    return [levels for levels in lattice(heights(trees)) if predicate(generalize(rows, trees, levels), qis)]


def suppressed_by(rows: Sequence[Row], trees: Mapping[str, Tree], levels: Levels, ok: ClassOk) -> set[int]:
    """Return the numbers of the rows that lie in classes which fail."""
    table = generalize(rows, trees, levels)
    lost: set[int] = set()
    for members in classes(table, list(trees)):
        if not ok([table[i] for i in members], table):
            lost.update(members)
    return lost


# Quality, exactly as ARX computes it


def shares(tree: Tree, level: int, domain: int) -> dict[str | None, Fraction]:
    """Return, for each leaf, the share of the leaves that its label at `level` covers."""
    under = Counter(labels[level] for labels in tree.values())
    return {leaf: Fraction(under[labels[level]], domain) for leaf, labels in tree.items()}


def arx_loss(
    rows: Sequence[Row],
    trees: Mapping[str, Tree],
    domains: Mapping[str, int] | None,
    levels: Levels,
    ok: ClassOk,
) -> float:
    """Return ARX's loss of one level vector: the geometric mean of (1 + x) over attributes, minus 1.

    `domains` holds the number of leaves per attribute; None counts those of the trees.
    """
    lost = suppressed_by(rows, trees, levels, ok)
    total, logarithm = len(rows), 0.0
    for (name, tree), level in zip(trees.items(), levels, strict=True):
        domain = domains[name] if domains else len(tree)
        share = shares(tree, level, domain)
        aggregate = sum(share[row[name]] for number, row in enumerate(rows) if number not in lost) + len(lost)
        logarithm += math.log1p(attribute_loss(aggregate, total, domain))
    return math.expm1(logarithm / len(trees))


def attribute_loss(aggregate: Fraction | int, total: int, domain: int) -> float:
    """Return x = (agg − N/dom)/(N − N/dom), at least 0, cut to 10 decimals; an attribute of one value loses nothing."""
    least = Fraction(total, domain)
    if total == least:
        return 0.0
    exact = max(Fraction(0), (aggregate - least) / (total - least))
    return math.floor(exact * 10**10) / 10**10


def loss(rows: Sequence[Row], trees: Mapping[str, Tree], levels: Levels, ok: ClassOk) -> float:
    """Return ARX's loss with the domains of the trees: a score for `optimum`."""
    return arx_loss(rows, trees, None, levels, ok)


def level_sum(rows: Sequence[Row], trees: Mapping[str, Tree], levels: Levels, ok: ClassOk) -> float:
    """Return the sum of the levels: a score for `optimum`."""
    return sum(levels)


def optimum(
    rows: Sequence[Row], trees: Mapping[str, Tree], ok: ClassOk, limit: float, score: Score
) -> tuple[float, list[Levels]] | None:
    """Return the best score and all level vectors that reach it at the lowest sum of levels, or None.

    At most ⌊limit · N⌋ records may be suppressed; the limit is the decimal that was written, not its binary neighbour.
    """
    most = math.floor(Fraction(str(limit)) * len(rows))
    admissible = [levels for levels in lattice(heights(trees)) if len(suppressed_by(rows, trees, levels, ok)) <= most]
    if not admissible:
        return None
    scored = {levels: score(rows, trees, levels, ok) for levels in admissible}
    best = min(scored.values())
    tied = [levels for levels, value in scored.items() if value == best]
    lowest = min(map(sum, tied))
    return best, [levels for levels in tied if sum(levels) == lowest]


# Privacy models, one class at a time


def both(*oks: ClassOk) -> ClassOk:
    """Make one class predicate of several: all must pass."""
    return lambda members, table: all(ok(members, table) for ok in oks)


def k_anonymous(k: int) -> ClassOk:
    """At least k members."""
    return lambda members, table: len(members) >= k


def alpha_share(alpha: float, attribute: str) -> ClassOk:
    """No value has more than a share alpha of the class."""
    return lambda members, table: max(_counts(members, attribute).values()) <= _decimal(alpha) * len(members)


def distinct_diverse(ell: int, attribute: str) -> ClassOk:
    """At least l different values."""
    return lambda members, table: len(_counts(members, attribute)) >= ell


def entropy_diverse(ell: int, attribute: str) -> ClassOk:
    """Entropy of at least ln l, in whole numbers: H ≥ ln l says the same as n^n ≥ l^n · Π f^f."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        size = len(members)
        powers = math.prod(count**count for count in _counts(members, attribute).values())
        return bool(size**size >= ell**size * powers)

    return ok


def recursive_diverse(c: float, ell: int, attribute: str) -> ClassOk:
    """r1 < c · (r_l + … + r_m), counts from most to least frequent; fewer than l values never pass."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        counts = sorted(_counts(members, attribute).values(), reverse=True)
        return counts[0] < _decimal(c) * sum(counts[ell - 1 :])

    return ok


def equal_close(t: float, attribute: str) -> ClassOk:
    """Half of the sum of |q − p| is at most t."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        q, p = _distribution(members, attribute), _distribution(table, attribute)
        return sum(abs(q.get(v, Fraction(0)) - p[v]) for v in p) / 2 <= _decimal(t)

    return ok


def ordered_close(t: float, attribute: str, order: Callable[[str | None], object] = str) -> ClassOk:
    """The sum of |cumulated q − p| over the values in order, divided by their number less one, is at most t."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        q, p = _distribution(members, attribute), _distribution(table, attribute)
        cumulated = moved = Fraction(0)
        for value in sorted(p, key=order):  # type: ignore[arg-type]
            cumulated += q.get(value, Fraction(0)) - p[value]
            moved += abs(cumulated)
        return moved / max(1, len(p) - 1) <= _decimal(t)

    return ok


def hierarchical_close(t: float, attribute: str, tree: Tree) -> ClassOk:
    """Mass is moved between siblings from the leaves up, at a cost of level/height per unit; at most t in all."""
    top = len(next(iter(tree.values()))) - 1

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        q, p = _distribution(members, attribute), _distribution(table, attribute)
        extra = {tuple(tree[v]): q.get(v, Fraction(0)) - p.get(v, Fraction(0)) for v in tree}
        cost = Fraction(0)
        for level in range(1, top + 1):
            families: dict[tuple[str, ...], list[Fraction]] = {}
            for path, amount in extra.items():
                families.setdefault(path[1:], []).append(amount)
            for amounts in families.values():
                too_much = sum(a for a in amounts if a > 0)
                too_little = -sum(a for a in amounts if a < 0)
                cost += Fraction(level, top) * min(too_much, too_little)
            extra = {path: sum(amounts, Fraction(0)) for path, amounts in families.items()}
        return cost <= _decimal(t)

    return ok


def delta_disclosed(delta: float, attribute: str) -> ClassOk:
    """|log2(q/p)| < delta for every value that the class has; values that it lacks are not asked."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        q, p = _distribution(members, attribute), _distribution(table, attribute)
        if delta == int(delta):  # then the bounds are whole powers of two, and nothing needs rounding
            bound = Fraction(2) ** int(delta)
            return all(1 / bound < q[v] / p[v] < bound for v in q)
        return all(abs(math.log2(q[v] / p[v])) < delta for v in q)

    return ok


def beta_like(beta: float, attribute: str, *, enhanced: bool) -> ClassOk:
    """(q − p)/p ≤ beta for every value of the class; enhanced: also ≤ −ln p."""

    def ok(members: Sequence[Row], table: Sequence[Row]) -> bool:
        q, p = _distribution(members, attribute), _distribution(table, attribute)
        gains = {v: (q[v] - p[v]) / p[v] for v in q}
        basic = all(gain <= _decimal(beta) for gain in gains.values())
        return basic and (not enhanced or all(gain <= -math.log(p[v]) for v, gain in gains.items()))

    return ok


def _counts(rows: Sequence[Row], attribute: str) -> Counter[str | None]:
    return Counter(row[attribute] for row in rows)


def _distribution(rows: Sequence[Row], attribute: str) -> dict[str | None, Fraction]:
    return {value: Fraction(count, len(rows)) for value, count in _counts(rows, attribute).items()}


def _decimal(limit: float) -> Fraction:
    """Return the decimal that a person wrote: 0.1 is a tenth."""
    return Fraction(str(limit))
