"""k-anonymity."""

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.arrays import Codes, Ints
from antifaz.counting.classes import ClassTable
from antifaz.counting.frequencies import slots_for
from antifaz.privacy.model import PrivacyModel


class KAnonymity(PrivacyModel):
    """Every record shares its quasi-identifiers with at least k - 1 others."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Every record looks like at least k - 1 others."
    details: ClassVar[str] = (
        "Whoever knows the quasi-identifiers of a person finds at least k records, so no record can be singled out by "
        "them. It says nothing about what those k records have in common: if all share one diagnosis, it is learned. "
        "Add l-diversity or t-closeness where there is a sensitive attribute. A missing value counts as a value. "
        "With blanks 'match' a record is hidden among all that agree with it where neither is blank. That asks for "
        "less: a record may still differ from all others in what is not blank, and the verdict says how many do. "
        "With known, whoever knows at most so many of the quasi-identifiers finds at least k records: the promise for "
        "tables with many columns, of which nobody knows all. Whoever knows more may single a record out."
    )
    formula: ClassVar[str] = (
        "min over classes E of |E| ≥ k; match: Σ |F| over classes F that agree with E ≥ k; known m: the same "
        "in every set of m columns"
    )
    source: ClassVar[str] = "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    primary: ClassVar[str] = "k"
    size_parameter: ClassVar[str] = "k"
    achieves_size: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True
    counts_items: ClassVar[bool] = True
    monotone_generalization: ClassVar[bool] = True
    #: A class that grows stays large enough.
    monotone_suppression: ClassVar[bool] = True

    k: int = Field(ge=1, description="The smallest number of records that may look alike.")
    blanks: Literal["value", "match"] = Field(
        default="value",
        description="What a missing cell is: a value of its own, as a reader of the table sees it; or unknown, which "
        "any value matches, as in sdcMicro. A `*` is a value in both.",
    )

    known: int | None = Field(
        default=None,
        ge=1,
        description="How many of the quasi-identifiers somebody may know, any of them; all where it is not said.",
    )
    rows: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        default=1,
        description="Where a person has several rows, or several items in a cell: how many of them somebody may know, "
        "or all.",
    )

    @property
    def class_size(self) -> int | None:
        """The k where the size of classes is all that is asked."""
        return self.k if self.known is None else None

    @property
    def any_columns(self) -> tuple[int, int] | None:
        """How many columns may be known, and k."""
        return None if self.known is None else (self.known, self.k)

    @property
    def known_rows(self) -> int | Literal["all"]:
        """As told."""
        return self.rows

    def in_classes(self) -> Self:
        """Whoever knows some columns finds at least as many records as somebody who knows all."""
        return self if self.known is None else self.model_copy(update={"known": None})

    def with_class_size(self, k: int) -> Self:
        """Return the same model with another k."""
        return self.model_copy(update={"k": k})

    @property
    def needs_values(self) -> bool:
        """Which classes agree, in all columns or in some, shows only in their values."""
        return self.blanks == "match" or self.known is not None

    def parameters(self) -> dict[str, Any]:
        """Return k, what may be known where that is not all, and how blanks are read where not in the strict way."""
        known: dict[str, Any] = {} if self.known is None else {"known": self.known}
        known |= {} if self.rows == 1 else {"rows": self.rows}
        return {"k": self.k, **known, **({} if self.blanks == "value" else {"blanks": self.blanks})}

    def passes(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Say of each class whether it has at least k records: enough in either reading of blanks."""
        return self._shared(classes) >= self.k

    def keep(self, classes: ClassTable, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the kept classes may stay."""
        # Sets of few columns are counted first: they are few, and what they refuse is not counted again.
        for known in range(1, self.known or 1):
            kept = self.model_copy(update={"known": known}).keep_within(classes, kept, classes.rows)
        return self.keep_within(classes, kept, classes.rows)

    def keep_within(self, classes: ClassTable, kept: NDArray[np.bool_], allowed: int) -> NDArray[np.bool_]:
        """Return which may stay; leaving some out makes others rarer in the columns known, so it is asked again."""
        while True:
            now = kept & (self._shared(classes, kept, allowed) >= self.k)
            if self.known is None or np.array_equal(now, kept):
                return now
            if int(classes.sizes[~now].sum()) > allowed:
                return np.zeros_like(kept)
            kept = now

    def achieved(self, classes: ClassTable) -> int | None:
        """Return the size of the smallest class, or how many records share what is rarest in the columns known."""
        return int(self._shared(classes).min()) if classes.sizes.size else None

    def holds_after(self, classes: ClassTable, changed: int) -> bool:
        """Say whether all classes pass; of sets of columns, only those with the changed one are counted."""
        everyone = np.ones(classes.sizes.size, np.bool_)
        return bool((self._shared(classes, everyone, 0, changed) >= self.k).all())

    def blame(self, classes: ClassTable) -> Codes:
        """Return, per column and class, in how many combinations of too few records the value is."""
        result = np.zeros((len(classes.values or ()), classes.sizes.size), np.int32)
        for known in range(1, (self.known or 1) + 1):
            # Sets of few columns say most about what is rare, and sets of more need not be counted then.
            if self.model_copy(update={"known": known})._shared(classes, blame=result).min(initial=self.k) < self.k:
                break
        return result

    def _shared(
        self,
        classes: ClassTable,
        kept: NDArray[np.bool_] | None = None,
        allowed: int | None = None,
        changed: int | None = None,
        blame: Codes | None = None,
    ) -> Ints:
        """How many records share what is known of each class; where labels were not counted, its own ones at least."""
        if self.known is None or classes.values is None or not classes.values:
            return classes.sizes
        from antifaz.kernels.combinations import rarest_shared

        values = list(classes.values)
        if changed is not None:
            values.insert(0, values.pop(changed))
        columns = np.ascontiguousarray(values, np.int32)
        labels = columns.max(axis=1, initial=0).astype(np.int64) + 1
        inside = np.ones(classes.sizes.size, np.bool_) if kept is None else kept
        rarest, most = np.empty(classes.sizes.size, np.int64), classes.rows if allowed is None else allowed
        slots = slots_for(max(classes.sizes.size, 1 << 15))
        known = min(self.known, len(columns))
        first, blame = changed is not None, np.zeros((0, 0), np.int32) if blame is None else blame
        rarest_shared(columns, labels, classes.sizes, inside, known, self.k, most, slots, rarest, first, blame)
        return rarest
