"""What a hardened run asks of its method: nothing about sensitive values, and larger classes than were promised.

A method that looks at sensitive values tells of them by what it decides: see docs/theory/knowing-the-method.md. So it
is asked only for what can be judged without them, by a margin more than the models need, and the models that were
promised are judged afterwards, by the gate.
"""

from collections.abc import Sequence

import numpy as np

from antifaz.privacy.k_anonymity import KAnonymity
from antifaz.privacy.model import PrivacyModel

#: What a hardened run is, for every face.
HARDENED = (
    "Against those who know the method: it decides without seeing sensitive values, for larger classes than promised "
    "by a secret margin, with ties broken at random. Refused where the models then don't hold."
)


def margins(models: Sequence[PrivacyModel]) -> range:
    """Return the margins that are drawn from, each as likely as the others: up to as many records as are needed."""
    return range(1, _least(models) + 1)


def draw_margin(models: Sequence[PrivacyModel], random: np.random.Generator) -> int:
    """Draw by how many records classes are to be larger than the models need."""
    return int(random.choice(margins(models)))


def without_sensitive(models: Sequence[PrivacyModel], margin: int) -> tuple[PrivacyModel, ...]:
    """Return what a method is asked for that must not see sensitive values."""
    size = _least(models) + margin
    own = [model.with_class_size(size) for model in models if model.in_classes().class_size is not None]
    others = [
        model
        for model in models
        if not (model.needs_sensitive or model.sensitive()) and model.in_classes().class_size is None
    ]
    return (*(own or [KAnonymity(size)]), *others)


def _least(models: Sequence[PrivacyModel]) -> int:
    # A class of one hides nobody, whatever its models say.
    return max([2, *(model.in_classes().least for model in models)])
