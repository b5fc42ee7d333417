"""Models that count people instead of records: any model, asked about the people of the classes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import group_codes
from antifaz.counting.people import People
from antifaz.counting.person_rows import fewest_sharing, rare_people, rarest_classes
from antifaz.privacy.model import PrivacyModel


class ByPeople(PrivacyModel):
    """Another model, asked about people: somebody with ten rows in a class is one person there.

    Merging two classes may make a value more frequent among people, where the same people are in both. So only what
    asks how many there are is monotone; see `CountsPeople`.
    """

    name: ClassVar[str] = "by people"
    summary: ClassVar[str] = "The same model, counting people instead of records."
    monotone_generalization: ClassVar[bool] = False
    by_people: ClassVar[bool] = True

    model: PrivacyModel

    @property
    def monotone_suppression(self) -> bool:
        """Where it is monotone by records, and one row at a time is known."""
        return self.monotone_generalization and self.model.monotone_suppression and self.known_rows == 1

    @property
    def least(self) -> int:
        """A class has no more people than records."""
        return self.model.least

    @property
    def needs_tree(self) -> bool:
        """As the model."""
        return self.model.needs_tree

    @property
    def needs_pairs(self) -> bool:
        """Whether all people of every class must be known, not only as many as k."""
        return self.known_rows != 1 or bool(self.model.sensitive()) or self.model.class_size is None

    @property
    def known_rows(self) -> int | Literal["all"]:
        """As the model."""
        return self.model.known_rows

    @property
    def any_columns(self) -> tuple[int, int] | None:
        """As the model."""
        return self.model.any_columns

    def in_classes(self) -> Self:
        """Whoever knows some columns finds at least as many people as somebody who knows all."""
        return self.model_copy(update={"model": self.model.in_classes()})

    def sensitive(self) -> tuple[str, ...]:
        """The attributes of the model."""
        return self.model.sensitive()

    def parameters(self) -> dict[str, Any]:
        """The model's name and its parameters."""
        return {"model": self.model.name, **self.model.parameters()}

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether its people satisfy the model."""
        if classes.count_heads is not None and not self.needs_pairs:
            return classes.count_heads(self.least) >= self.least
        return self.model.passes(self._view(classes))

    def achieved(self, classes: ClassTable) -> float | int | None:
        """Return the strictest parameter that the people of all classes satisfy."""
        return self.model.achieved(self._view(classes))

    def keep_within(self, classes: ClassTable, kept: NDArray[np.bool_], allowed: int) -> NDArray[np.bool_]:
        """Return which classes may stay. Where several rows may be known, leaving some out is judged again."""
        enough = kept & (classes.sizes >= self.least)
        if int(classes.sizes[~enough].sum()) > allowed:
            return np.zeros_like(kept)  # too few records are too few people, and need not be counted
        if self.known_rows == 1 and self.any_columns is None:
            return enough & self.passes(classes)
        return self._keep_rows(classes, enough, allowed)

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the kept classes may stay."""
        return self.keep_within(classes, kept, classes.rows)

    def _keep_rows(self, classes: ClassTable, kept: Flags, allowed: int) -> Flags:
        """Leave out classes until nothing fails: who is left has fewer rows, and others may share fewer."""
        while True:
            before = kept
            for place, people in self._known_groupings(classes, kept):
                if self.known_rows == 1:
                    kept = kept & (people.heads[place] >= self._k)
                else:
                    sizes = np.bincount(place, classes.sizes, people.many).astype(np.int64)
                    inside = np.bincount(place, kept, people.many) > 0
                    worst = rarest_classes(people, inside, self.known_rows, self._k, sizes)
                    kept = kept & ~np.isin(place, worst)
                if int(classes.sizes[~kept].sum()) > allowed:
                    return np.zeros_like(kept)
            if np.array_equal(before, kept):
                return kept

    @property
    def _k(self) -> int:
        return self.least if self.any_columns is None else self.any_columns[1]

    def _known_groupings(self, classes: ClassTable, kept: Flags | None = None) -> Iterator[tuple[Ints, People]]:
        """Go through what of the columns may be known: which classes look the same then, and who is in them.

        Whoever knows fewer columns finds more people, so sets of as many as may be known are enough.
        """
        people, many = people_in(classes), classes.sizes.size
        inside = np.ones(many, np.bool_) if kept is None else kept
        if self.any_columns is None or not classes.values:
            place = np.arange(many)
            yield place, people if inside.all() else people.moved(np.where(inside, place, -1), many, ())
            return
        sizes = [int(column.max(initial=0)) + 1 for column in classes.values]
        for chosen in combinations(range(len(sizes)), min(self.any_columns[0], len(sizes))):
            columns, each = [classes.values[a] for a in chosen], [sizes[a] for a in chosen]
            _, place, counts = group_codes(columns, each, np.ones(many, np.int64))
            yield place, people.moved(np.where(inside, place, -1), counts.size, ())

    def leaving(self, classes: ClassTable) -> Ints:
        """Return everybody who must be left out: who has a row in a class that fails, or rows that too few share."""
        people = people_in(classes)
        if self.known_rows == 1:
            return np.unique(people.persons[~self.passes(classes)[people.owners]])
        rare = [rare_people(known, self.known_rows, self._k) for _, known in self._known_groupings(classes)]
        return np.unique(np.concatenate(rare))

    def _view(self, classes: ClassTable) -> ClassTable:
        """Return the classes as the model is to see them: people for records."""
        people = people_in(classes)
        if self.known_rows != 1 or self.any_columns is not None:
            fewest = np.full(classes.sizes.size, people.number + 1, np.int64)
            for place, known in self._known_groupings(classes):
                everybody = np.ones(known.many, np.bool_)
                shared = known.heads if self.known_rows == 1 else fewest_sharing(known, everybody, self.known_rows)
                np.minimum(fewest, shared[place], out=fewest)
            return ClassTable(sizes=fewest)
        if not self.model.sensitive():
            return ClassTable(sizes=people.heads)
        (name,) = self.model.sensitive()
        shares, counted = people.shares(name, divided=self.model.divides_people), classes.sensitive[name]
        table = replace(
            counted, offsets=shares.offsets, values=shares.values.astype(np.int32), counts=shares.counts,
            totals=shares.totals, of_people=shares.whole,
        )  # fmt: skip
        return ClassTable(sizes=shares.sizes, sensitive={name: table})


class CountsPeople(ByPeople):
    """A model that asks how many people or how many values there are: a larger class never has fewer."""

    monotone_generalization: ClassVar[bool] = True


def by_people(model: PrivacyModel) -> ByPeople:
    """Return a model that is asked about people."""
    counts = model.class_size is not None or (model.monotone_suppression and model.monotone_generalization)
    return CountsPeople(model=model) if counts else ByPeople(model=model)


def people_in(classes: ClassTable) -> People:
    """Return who is in the classes; raise where only records were counted."""
    if classes.people is None:
        raise ParameterError("people.not-counted")
    return classes.people


def people_counted(models: tuple[PrivacyModel, ...], people: People) -> People:
    """Return the people whom these models must know: no more of each class than k where that is all they ask."""
    asked = [model for model in models if isinstance(model, ByPeople)]
    if not asked or any(model.needs_pairs for model in asked):
        return people
    return people.few(max(model.least for model in asked))


def people_staying(classes: ClassTable, models: Sequence[PrivacyModel], most: int, kept: Flags | None) -> Flags | None:
    """Return who stays where a person with a failing row is left out with all rows; None where that is too many.

    It is judged again until nothing fails. Where only numbers of people or values are asked for, nobody goes who could
    have stayed: who fails among many fails among fewer.
    """
    people = people_in(classes)
    there = np.bincount(people.persons, minlength=people.number) > 0
    stay = there.copy() if kept is None else kept.copy()
    while stay.any():
        now = classes if stay[there].all() else classes.without(~stay)
        leaving = [model.leaving(now) for model in models if isinstance(model, ByPeople)]
        gone = np.concatenate([*leaving, np.zeros(0, np.int64)])
        if not gone.size:
            return stay
        stay[gone] = False
        if int((there & ~stay).sum()) > most:
            return None
    return stay
