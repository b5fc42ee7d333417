"""Pseudonyms: keyed hashes, and none without a key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os

import pyarrow as pa
import pytest

import antifaz as az
from failing import failing
from unit.methods.operations.test_encryption import CANARY, FRAME, KEY


def _values(frame):
    return frame.column("name").to_pylist()


@pytest.mark.parametrize("size", [32, 64])
def test_check_12_pseudonyms_are_hmac_sha256(size):
    made = _values(az.mask.pseudonymize(FRAME, "name", key=KEY[:size]))
    code = hmac.new(KEY[:size], b"column name\0" + CANARY.encode(), hashlib.sha256).digest()
    assert made[0] == base64.b32encode(code).decode()[:20]
    assert made[2] is None
    as_hex = _values(az.mask.pseudonymize(FRAME, "name", key=KEY[:size], form="hex", length=32, joins="p"))
    assert as_hex[0] == hmac.new(KEY[:size], b"joins p\0" + CANARY.encode(), hashlib.sha256).hexdigest()[:32]


@pytest.mark.parametrize("values", [["31 January 1980"], ["00000600123456"], ["ES9121000418450200051332"], ["f" * 200]])
def test_check_12_there_is_no_pseudonym_without_a_key(values):
    frame = pa.table({"id": [os.urandom(32).hex(), *values]})
    with failing("pseudonymize.needs-key", az.ParameterError):
        az.mask.pseudonymize(frame, "id")
    for given in ({"unkeyed": True}, {"unkeyed": True, "key": KEY}):
        with pytest.raises(az.ParameterError, match="by trying values") as refused:
            az.mask.pseudonymize(frame, "id", **given)
        assert not any(value and value in str(refused.value) for value in values)


def test_a_code_that_two_values_could_share_is_refused():
    frame = pa.table({"id": [str(i) for i in range(5000)]})
    with failing("pseudonymize.too-short", az.ParameterError, length=8):
        az.mask.pseudonymize(frame, "id", key=KEY, length=8)
    assert len(set(az.mask.pseudonymize(frame, "id", key=KEY, length=16).column("id").to_pylist())) == 5000
