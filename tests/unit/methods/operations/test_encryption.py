"""Encryption and pseudonyms against the libraries that define them, and keys that are kept well."""

from __future__ import annotations

import base64
import hmac

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from failing import failing

KEY = bytes(range(64))
CANARY = "Zebedäus Quintanilla"
FRAME = pa.table({"name": [CANARY, "", None, CANARY]})


def _values(frame):
    return frame.column("name").to_pylist()


@pytest.mark.parametrize("size", [32, 64])
def test_aes_siv_is_the_one_of_rfc_5297_with_the_columns_name_beside_it(size):
    made = _values(az.mask.encrypt(FRAME, "name", key=KEY[:size]))
    sealed = AESSIV(KEY[:size]).encrypt(CANARY.encode(), [b"name"])
    assert made[0] == "s1." + base64.urlsafe_b64encode(sealed).decode()
    assert made[0] == made[3]
    assert made[2] is None


def test_the_example_of_rfc_5297_comes_out():
    # Appendix A.1, with its one header as the name that columns share.
    key = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    header = bytes.fromhex("101112131415161718191a1b1c1d1e1f2021222324252627")
    made = az.mask.encrypt(pa.table({"x": ["abc"]}), "x", key=key, joins=header.decode())
    sealed = base64.urlsafe_b64decode(made.column("x")[0].as_py()[3:])
    assert AESSIV(key).decrypt(sealed, [header]) == b"abc"
    assert AESSIV(key).encrypt(bytes.fromhex("112233445566778899aabbccddee"), [header]).hex() == (
        "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"
    )


def test_aes_gcm_never_gives_the_same_text_and_does_not_tell_the_length():
    made = _values(az.mask.encrypt(FRAME, "name", key=KEY, cipher="aes-gcm"))
    assert made[0] != made[3]
    assert len(made[0]) == len(made[1])
    sealed = base64.urlsafe_b64decode(made[0][3:])
    key = hmac.digest(KEY, b"antifaz aes-gcm", "sha256")
    assert AESGCM(key).decrypt(sealed[:12], sealed[12:], b"name").startswith(CANARY.encode() + b"\x80\0")


@pytest.mark.parametrize("cipher", ["aes-siv", "aes-gcm"])
@settings(max_examples=30)
@given(values=st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_was_encrypted_comes_back(cipher, values):
    frame = pa.table({"x": pa.array(values, pa.string())})
    sealed = az.mask.encrypt(frame, "x", key=KEY, cipher=cipher)
    assert az.mask.decrypt(sealed, "x", key=KEY).equals(frame)


def test_joins_hold_across_columns_only_where_they_share_a_name():
    table = pa.table({"a": ["x"], "b": ["x"]})
    for operation in (az.mask.encrypt, az.mask.pseudonymize):
        apart, together = operation(table, ["a", "b"], key=KEY), operation(table, ["a", "b"], key=KEY, joins="person")
        assert apart.column("a") != apart.column("b")
        assert together.column("a") == together.column("b")


@pytest.mark.parametrize("cipher", ["aes-siv", "aes-gcm"])
def test_a_wrong_key_or_a_changed_value_is_one_sentence_without_the_value(cipher):
    sealed = az.mask.encrypt(FRAME, "name", key=KEY, cipher=cipher)
    for frame, key in ((sealed, KEY[::-1]), (sealed.rename_columns(["other"]), KEY)):
        with failing("operation.decrypted-with-other-key", az.DataError) as refused:
            az.mask.decrypt(frame, frame.column_names, key=key)
        assert "s1." not in str(refused.value)
    with failing("operation.never-encrypted", az.DataError) as refused:
        az.mask.decrypt(FRAME, "name", key=KEY)
    assert CANARY not in str(refused.value)
