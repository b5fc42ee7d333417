"""Pseudonyms: keyed hashes, and when one without a key is refused."""

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


@pytest.mark.parametrize(
    "values", [["12345678Z"], ["maria.garcia@example.com"], ["1980-01-31"], ["600123456"], ["f" * 200], [""]]
)
def test_check_12_a_hash_without_a_key_is_refused_where_values_can_be_tried_out(values):
    frame = pa.table({"id": [os.urandom(32).hex(), *values]})
    with failing("pseudonymize.needs-key", az.ParameterError):
        az.mask.pseudonymize(frame, "id")
    with failing("pseudonymize.values-can-be-tried", az.ParameterError, least_bits=80) as refused:
        az.mask.pseudonymize(frame, "id", unkeyed=True)
    assert not any(value and value in str(refused.value) for value in values)


def test_long_random_tokens_may_be_hashed_without_a_key():
    token = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    made = az.mask.pseudonymize(pa.table({"id": [token]}), "id", unkeyed=True, form="hex", length=32)
    assert made.column("id")[0].as_py() == hashlib.sha256(b"column id\0" + token.encode()).hexdigest()[:32]


def test_a_code_that_two_values_could_share_is_refused():
    frame = pa.table({"id": [str(i) for i in range(5000)]})
    with failing("pseudonymize.too-short", az.ParameterError, length=8):
        az.mask.pseudonymize(frame, "id", key=KEY, length=8)
    assert len(set(az.mask.pseudonymize(frame, "id", key=KEY, length=16).column("id").to_pylist())) == 5000
