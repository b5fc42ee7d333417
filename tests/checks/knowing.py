"""What those conclude who know the method: it is run on every table that there could have been.

The attacker knows everybody's quasi-identifiers, how often each illness occurs, the method, the models, and which seeds
there could have been. Not known is who has which illness: every assignment is as likely as any other. Given a release,
the attacker keeps the assignments from which exactly this release is made, each as often as it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any

import pyarrow as pa

import antifaz as az
from antifaz.core.randomness import hidden
from antifaz.privacy.hardening import draw_margin, margins

Tree = Mapping[str, Sequence[str]]
#: Per cell of people who look alike, how many of them have each illness.
World = tuple[tuple[int, ...], ...]
#: The rows of a release and how often each is there, in no order.
Seen = frozenset[tuple[tuple[str, str], int]]

TREE: Tree = {"north": ["north", "*"], "south": ["south", "*"]}


@dataclass(frozen=True)
class People:
    """How many live in each place, and how many have each illness; all others have an illness of their own.

    Those illnesses are told apart by their names only, so that assignments which differ in nothing else count as one. A
    place may be said several times: then its people are told apart, as the rows of a table are.
    """

    places: tuple[tuple[str, int], ...]
    illnesses: tuple[int, ...]
    tree: Tree

    def worlds(self) -> Iterator[tuple[World, int]]:
        """Every assignment of illnesses to places, and in how many ways the people there can have them."""
        sizes = tuple(size for _, size in self.places)
        for columns in _spread(self.illnesses, sizes):
            world = tuple(zip(*columns, strict=True))
            yield world, prod(_ways(size, counts) for size, counts in zip(sizes, world, strict=True))

    def table(self, world: World) -> pa.Table:
        """A table of this world."""
        places, illnesses = [], []
        for (place, size), counts in zip(self.places, world, strict=True):
            places += [place] * size
            illnesses += [f"illness {i}" for i, count in enumerate(counts) for _ in range(count)]
            illnesses += [f"own {i}" for i in range(len(illnesses), len(places))]
        return pa.table({"place": places, "illness": illnesses})


def _ways(size: int, counts: Sequence[int]) -> int:
    return factorial(size) // (prod(map(factorial, counts)) * factorial(size - sum(counts)))


def _spread(numbers: Sequence[int], room: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to put so many of each kind into places with so much room."""
    if not numbers:
        yield []
        return
    for first in parts(numbers[0], room):
        left = tuple(size - taken for size, taken in zip(room, first, strict=True))
        yield from ([first, *rest] for rest in _spread(numbers[1:], left))


def parts(number: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to put so many things of one kind into places with so much room."""
    if len(room) == 1:
        if number <= room[0]:
            yield (number,)
        return
    for taken in range(min(number, room[0]) + 1):
        yield from ((taken, *rest) for rest in parts(number - taken, room[1:]))


#: Two people in the north and four in the south; two of the six have the flu.
SIX = People((("north", 2), ("south", 4)), (2,), TREE)
SIX_ROWS = People((*[("north", 1)] * 2, *[("south", 1)] * 4), (2,), TREE)
#: Enough of them that a hardened run can be reached with a k of 2.
TWELVE = People((("north", 4), ("south", 8)), (3,), TREE)


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What is concluded from one release: in how many ways it comes about, and per place how often of each illness."""

    seen: Seen
    ways: int
    had: tuple[tuple[int, ...], ...]

    def shares(self, people: People) -> list[tuple[str, int, Fraction]]:
        """Per place and illness, how likely it is that somebody there has it."""
        return [
            (place, i, Fraction(had, self.ways * size))
            for (place, size), counts in zip(people.places, self.had, strict=True)
            for i, had in enumerate(counts)
        ]


def release_of(people: People, world: World, method: Any, models: Any, **more: Any) -> Seen | None:
    """Return what anybody sees of the release of a world, from the source to the gate; None where it is refused."""
    roles = {"place": "quasi-identifier", "illness": "sensitive"}
    hierarchies = {"place": az.hierarchy.table(list(people.tree.values()))}
    table = people.table(world)
    try:
        frame = az.anonymize(
            table, roles=roles, hierarchies=hierarchies, privacy=models, method=method, **more
        ).frame.to_pylist()
    except az.PrivacyNotReached:
        return None
    rows = ((row["place"], row["illness"] if row["illness"].startswith("illness") else "own") for row in frame)
    return frozenset(Counter(rows).items())


def beliefs(
    people: People, method: Any, models: Any, seeds: Sequence[int] = (1,), **more: Any
) -> tuple[list[Belief], Fraction]:
    """Return what is concluded from every release that there can be, and how often there is one."""
    ways: Counter[Seen] = Counter()
    had: dict[Seen, list[Counter[int]]] = defaultdict(lambda: [Counter() for _ in people.places])
    every = 0
    for world, number in people.worlds():
        for seed in seeds:
            every += number
            seen = release_of(people, world, method, models, seed=seed, **more)
            if seen is None:
                continue
            ways[seen] += number
            for place, counts in zip(had[seen], world, strict=True):
                place.update({i: number * count for i, count in enumerate(counts)})
    kinds = range(len(people.illnesses))
    found = [
        Belief(seen=seen, ways=ways[seen], had=tuple(tuple(place[i] for i in kinds) for place in had[seen]))
        for seen in ways
    ]
    return found, Fraction(sum(ways.values()), every)


def seeds_of(models: Sequence[Any]) -> list[int]:
    """Return one seed for every margin that can be drawn."""
    drawn: dict[int, int] = {}
    seed = 0
    while len(drawn) < len(margins(models)):
        drawn.setdefault(draw_margin(models, hidden(seed, "margin")), seed)
        seed += 1
    return list(drawn.values())


def surest(people: People, found: Sequence[Belief]) -> Fraction:
    """How sure of somebody's illness those can be at most who know the method."""
    return max(share for belief in found for _, _, share in belief.shares(people))


def gain(people: People, found: Sequence[Belief]) -> Fraction:
    """How much surer they can be at most than those who only count in the class of a person.

    For methods that release everybody of a place alike.
    """
    gains = []
    for belief in found:
        for place, i, share in belief.shares(people):
            own = {label: n for (label, illness), n in belief.seen if illness == f"illness {i}"}
            sizes: Counter[str] = Counter()
            for (label, _), n in belief.seen:
                sizes[label] += n
            (label,) = [label for label in sizes if place in covered(label, people.tree)]
            gains.append(share - Fraction(own.get(label, 0), sizes[label]))
    return max(gains)


def covered(label: str, tree: Tree) -> set[str]:
    """The values that a label of a level, or a set of values, may stand for."""
    words = {word.strip() for word in label.strip("{}").split(",")}
    return {leaf for leaf, labels in tree.items() if words & set(labels)}
