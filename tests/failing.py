"""What fails is known by its code, not by its words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from antifaz.core.errors import AntifazError


@contextmanager
def failing(code: str) -> Iterator[pytest.ExceptionInfo[AntifazError]]:
    """Expect an error with this code."""
    with pytest.raises(AntifazError) as caught:
        yield caught
    assert caught.value.code == code, f"{caught.value.code}: {caught.value}"
