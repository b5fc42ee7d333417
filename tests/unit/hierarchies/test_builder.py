"""The smallest hierarchy: a value, or nothing."""

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import flat
from failing import failing


def test_flat() -> None:
    assert flat().build(["M", "F"], DataType.TEXT).paths() == [("F", "*"), ("M", "*")]
    with failing("hierarchy.without-values", HierarchyError):
        flat().build([], DataType.TEXT)
