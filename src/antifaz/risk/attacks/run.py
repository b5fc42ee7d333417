"""Try attacks on a release: what each finds, what it finds of people who are not in it, and what chance would."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, SchemaError
from antifaz.core.messages import Message
from antifaz.core.randomness import fresh_seed
from antifaz.core.roles import Role
from antifaz.risk.attacks import singling_out
from antifaz.risk.attacks.knowledge import Attacker, Knowledge, all_of, controls, described, targets
from antifaz.risk.attacks.linkage import SearchIndexes, guess_chance, infer, is_number, link
from antifaz.risk.attacks.search import SearchIndex
from antifaz.risk.attacks.tables import AttackColumn, AttackTables, read_tables

Json = dict[str, Any]


def run_attacks(
    original: Any,
    released: Any,
    roles: Mapping[str, Role | str],
    *,
    control: Any = None,
    attacks: int = 1000,
    seed: int | None = None,
    attackers: Sequence[Attacker | Mapping[str, Any]] = (),
    covers: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    persons: tuple[Ints, Ints] | None = None,
) -> list[Json]:
    """Try linkage, inference, singling out and described attackers on a release; return each one's figures.

    Per attack: `name`, `success`, its 95 % `interval`, `control` (the same attack on people who are not in the table),
    `chance`, `number` of attempts, `excess` ((success − control)/(1 − control)) with `excess_interval`, the `seed`, and
    a `reading` in words.

    Args:
        original: The table before: a pandas, polars or pyarrow table, one row per person.
        released: The table that was released: any number of rows in any order, with the same names of columns.
        roles: The role of each column; identifiers are left out. Without quasi-identifiers the attackers know all
            columns that are not sensitive.
        control: A table of people who are like those of the original and not in it. Without one, control people are
            made from released records, one at a time, which are taken out of the release for that attack; and of
            singling out the most is taken that it can reach among people who have nothing to do with the release.
        attacks: How many attempts each attack makes, at most one per person.
        seed: Where the draws begin; the same seed gives the same figures.
        attackers: Attackers as described by you, or their parameters as in a project file.
        covers: What words such as "Higher education" stand for, by column and label. A word that is not told counts as
            one that fits anything.
        persons: Where somebody has several rows: whose each row of the original and of the release is, as numbers.
    """
    parsed = parse_each(attacks, attackers)
    return attack_tables(read_tables(original, released, roles, control, covers, persons), int(attacks), seed, parsed)


def parse_each(attacks: int, attackers: Sequence[Attacker | Mapping[str, Any]]) -> list[Attacker]:
    """Check how many attempts are wanted, and make attackers of what describes them."""
    if isinstance(attacks, bool) or not isinstance(attacks, (int, np.integer)) or attacks < 1:
        raise ParameterError("attack.attempts-below-1")
    return [one if isinstance(one, Attacker) else Attacker.parse(dict(one)) for one in attackers]


def attack_tables(tables: AttackTables, attacks: int, seed: int | None, attackers: Sequence[Attacker]) -> list[Json]:
    """Try all attacks on tables that were read; whoever read them need not keep the frames meanwhile."""
    run, exact, rough = _Run(tables, attacks, seed), all_of(tables), all_of(tables, roughly=True)
    roughly = Message("attack.known-roughly", known=_and(rough.columns))
    results = [run.link("linkage", exact, attacks), run.link("linkage, knowing roughly", rough, attacks, roughly)]
    results += [run.infer(f"inference of {tables.columns[i].name}", exact, i, attacks) for i in tables.sensitive]
    described = [figures for attacker in attackers for figures in run.described(attacker)]
    # Singling out groups both tables in its own ways, and there need not be memory for all of them.
    run.stores.clear()
    known, every = tables.quasi_identifiers, tuple(range(len(tables.columns)))
    results.append(run.single_out("singling out by one column", known, several=False))
    if len(known) > 1:
        results.append(run.single_out("singling out by several columns", known, several=True))
    if len(every) > len(known):
        # Also by what others should not know: the conditions that isolate most.
        results.append(run.single_out("singling out by any columns", every, several=True))
    return [*results, *described]


class _Run:
    """One run of all attacks on the same tables. Each attack has draws of its own, so that none changes another's."""

    def __init__(self, tables: AttackTables, attacks: int, seed: int | None) -> None:
        self.tables, self.attacks = tables, attacks
        self.seed = fresh_seed() if seed is None else int(seed)
        self.stores = SearchIndexes(tables)
        self.more: Json = {"seed": self.seed}
        if unknown := sorted(column.name for column in tables.columns if column.unknown):
            self.more["labels_not_understood"] = unknown

    def described(self, attacker: Attacker) -> list[Json]:
        tables, who = self.tables, attacker.who
        knowledge = described(tables, attacker)
        if attacker.goal == "identity":
            return [self.link(f"linkage: {who}", knowledge, attacker.of)]
        targets = tuple(i for i in tables.sensitive if tables.columns[i].name not in attacker.knows)
        if attacker.attribute is not None:
            targets = tables.places([attacker.attribute], f"attacker {who!r}")
        if not targets:
            raise SchemaError("attacker.knows-all-sensitive-columns", who=who)
        if attacker.attribute in attacker.knows:
            raise ParameterError("attacker.knows-attribute-already", who=who)
        names = {place: f"inference of {tables.columns[place].name}: {who}" for place in targets}
        return [self.infer(name, knowledge, place, attacker.of) for place, name in names.items()]

    def link(self, name: str, knowledge: Knowledge, number: int, known: str = "") -> Json:
        """Look for the records of people; `known` words what is known of them, where it is not whole columns."""
        random = self._random(name)
        attempts = link(self.stores, knowledge, targets(self.tables, number, random), random)
        base = link(self.stores, knowledge, controls(self.tables, max(number, self.attacks), random), random)
        reading = partial(Message, "attack.finds-record", known=known or _and(knowledge.columns))
        chance = 1 / (self.tables.records if self.tables.persons is None else self.tables.people)
        return result(name, attempts, base, chance, reading=reading, **self.more)

    def infer(self, name: str, knowledge: Knowledge, place: int, number: int) -> Json:
        random, column = self._random(name), self.tables.columns[place]
        people, others = targets(self.tables, number, random), controls(self.tables, max(number, self.attacks), random)
        attempts = infer(self.stores, knowledge, place, people, random)
        base = infer(self.stores, knowledge, place, others, random)
        code = "attack.guesses-number" if is_number(column) else "attack.guesses-value"
        reading = partial(Message, code, known=_and(knowledge.columns), column=column.name)
        return result(name, attempts, base, guess_chance(column), reading=reading, **self.more)

    def single_out(self, name: str, places: tuple[int, ...], *, several: bool) -> Json:
        """Take conditions from the release that one record meets, and see whether exactly one person does."""
        random, tables = self._random(name), self.tables
        columns = [tables.columns[place] for place in places]
        whose = tables.persons
        whole = singling_out.PredicateFinder(columns, 1 if whose is None else int(np.bincount(whose[0]).max()))
        made = whole.conditions(self.attacks, random, several=several)
        if whose is None:
            people = SearchIndex(columns, "values", [column.original for column in columns])
            attempts = [float(c is not None and singling_out.met_by_one(people, columns, c)) for c in made]
        else:
            attempts = [float(c is not None and singling_out.people_meeting(columns, whose[0], c) == 1) for c in made]
        weights = [0 if c is None else whole.weight(c) for c in made]
        likely = [singling_out.chance(weight, tables.records, tables.people) for weight in weights]
        if tables.control:
            # No more control people than there are in the original: among more, fewer would be alone.
            rows = random.permutation(tables.control)[: tables.people]
            others = SearchIndex(columns, "values", [c.control[rows] for c in columns if c.control is not None])
            base = [float(c is not None and singling_out.met_by_one(others, columns, c)) for c in made]
        else:
            # The most that people who have nothing to do with the release could give.
            base = [float(c is not None) * singling_out.chance(1, tables.people, tables.people) for c in made]
        code = "attack.singles-out-by-several" if several else "attack.singles-out-by-one"
        reading = partial(Message, code, columns=_and(columns))
        return result(name, attempts, base, float(np.mean(likely)) if likely else 0.0, reading=reading, **self.more)

    def _random(self, name: str) -> np.random.Generator:
        return np.random.default_rng([abs(self.seed), *name.encode()])


def _and(columns: Sequence[AttackColumn]) -> str:
    names = [column.name for column in columns]
    return names[0] if len(names) == 1 else Message("list.and", names=names[:-1], last=names[-1])


#: The 97.5 % point of the normal distribution.
_Z = 1.959963984540054


def wilson(share: float, number: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was seen in so many attempts; 0 to 1 for none.

    An attempt may succeed in part (one of three records that look alike). Such shares vary less than yes and no, so the
    interval is then wider than it would have to be.
    """
    if number <= 0:
        return 0.0, 1.0
    share = min(max(share, 0.0), 1.0)
    square = _Z * _Z / number
    middle = (share + square / 2) / (1 + square)
    half = _Z / (1 + square) * math.sqrt(share * (1 - share) / number + square / (4 * number))
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    # Rounding must not push the share itself out.
    return min(low, share), max(high, share)


def excess(success: float, number: float, control: float, controls: float) -> tuple[float, tuple[float, float]]:
    """Return what was found beyond the control, as a share of what could have been; and its 95 % interval.

    (success − control)/(1 − control), Abbott's correction. The interval is Newcombe's for the difference of two shares,
    divided by the same.
    """
    if control >= 1:
        return 0.0, (-1.0, 1.0)
    (low, high), (control_low, control_high) = wilson(success, number), wilson(control, controls)
    gap, rest = success - control, 1 - control
    under = math.hypot(success - low, control_high - control)
    over = math.hypot(high - success, control - control_low)
    ends = (max((gap - under) / rest, -1.0), min((gap + over) / rest, 1.0))
    return max(gap / rest, -1.0), ends


def result(
    name: str,
    attempts: Sequence[float],
    control: Sequence[float],
    chance: float,
    *,
    reading: Callable[..., Message],
    **more: Any,
) -> dict[str, Any]:
    """Return an attack's figures as plain data; `reading` makes the sentence that says what `success` is."""
    success, base = (math.fsum(part) / len(part) if part else 0.0 for part in (attempts, control))
    beyond, ends = excess(success, len(attempts), base, len(control))
    words = {"reading": reading(success=_percent(success)), "control": _percent(base), "chance": _percent(chance)}
    leak = Message("attack.is-a-leak", beyond=_percent(beyond), **words) if ends[0] > 0 else None
    return {
        "name": name, "success": success, "control": base, "chance": chance,
        "interval": list(wilson(success, len(attempts))), "control_interval": list(wilson(base, len(control))),
        "number": len(attempts), "excess": beyond, "excess_interval": list(ends),
        "reading": leak or Message("attack.is-no-leak", **words), **more,
    }  # fmt: skip


def _percent(share: float) -> Message:
    below = 0 < share < 0.001
    return Message("attack.below-percent", share=0.1) if below else Message("attack.percent", share=100 * share)
