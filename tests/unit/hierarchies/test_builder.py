"""The smallest hierarchy: a value, or nothing."""

import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import flat


def test_flat() -> None:
    assert flat().build(["M", "F"], DataType.TEXT).paths() == [("F", "*"), ("M", "*")]
    with pytest.raises(HierarchyError, match="at least one value"):
        flat().build([], DataType.TEXT)
