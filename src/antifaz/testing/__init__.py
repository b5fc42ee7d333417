"""Checks that every model, method, builder, quality model and perturbation passes; public, for plug-ins too.

```python
from antifaz.testing import check

def test_mine():
    check(MyModel)
```

`check` chooses by kind. Each check makes its instances with `examples`; pass `instances` where a class needs others, or
let the class say its own: `examples: ClassVar[tuple[dict[str, Any], ...]]`. A check that fails raises `Broken`, an
`AssertionError` that says in one sentence what was expected.
"""

from collections.abc import Callable, Sequence
from typing import Any

from antifaz.core.declaration import Declared
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.methods.method import Method
from antifaz.methods.operations.perturb import Perturbation
from antifaz.privacy.model import PrivacyModel
from antifaz.testing.broken import Broken
from antifaz.testing.builders import check_builder
from antifaz.testing.declarations import check_declaration, forgotten
from antifaz.testing.examples import examples
from antifaz.testing.methods import check_method
from antifaz.testing.models import check_model, class_table, merged, random_classes
from antifaz.testing.perturbations import check_perturbation
from antifaz.testing.qualities import check_quality
from antifaz.utility.quality import Quality

__all__ = [
    "Broken", "check", "check_builder", "check_declaration", "check_method", "check_model", "check_perturbation",
    "check_quality", "class_table", "examples", "forgotten", "merged", "random_classes",
]  # fmt: skip
_CHECKS: tuple[tuple[type[Declared], Callable[..., None]], ...] = (
    (PrivacyModel, check_model),
    (Method, check_method),
    (HierarchyBuilder, check_builder),
    (Quality, check_quality),
    (Perturbation, check_perturbation),
)


def check(cls: type[Declared], instances: Sequence[Any] | None = None) -> None:
    """Run every check that is meant for a class of this kind."""
    check_declaration(cls, instances)
    for kind, check_kind in _CHECKS:
        if issubclass(cls, kind):
            check_kind(cls, instances)
