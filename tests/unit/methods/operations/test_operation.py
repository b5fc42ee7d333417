"""What is shown of an operation."""

from __future__ import annotations

import pytest

import antifaz as az
from unit.methods.operations.test_encryption import CANARY


def test_neither_key_nor_table_is_in_what_is_shown_of_an_operation():
    from antifaz.methods.operations.mask import OPERATIONS

    encrypt = OPERATIONS.make("encrypt", {"key": "/secret/place"})
    substitute = OPERATIONS.make("substitute", {"table": {CANARY: "x"}})
    suppress = OPERATIONS.make("suppress", {"where": {"equals": CANARY}})
    for operation in (encrypt, substitute, suppress):
        assert CANARY not in str(operation.evidence())
        assert "/secret/place" not in str(operation.evidence()) + repr(encrypt)
    with pytest.raises(az.ParameterError) as refused:
        OPERATIONS.make("substitute", {"table": [CANARY]})
    assert CANARY not in str(refused.value)
