"""Encryption and pseudonyms against the libraries that define them, and keys that are kept well."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from pathlib import Path

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.methods.operations.keys import read_key

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
        with pytest.raises(az.DataError, match="can't be decrypted: it is another key") as refused:
            az.mask.decrypt(frame, frame.column_names, key=key)
        assert "s1." not in str(refused.value)
    with pytest.raises(az.DataError, match="were not encrypted by antifaz") as refused:
        az.mask.decrypt(FRAME, "name", key=KEY)
    assert CANARY not in str(refused.value)


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
    with pytest.raises(az.ParameterError, match="needs a 'key'"):
        az.mask.pseudonymize(frame, "id")
    with pytest.raises(az.ParameterError, match=r"one of about 2\^\d+, and a hash without a key .* 2\^80") as refused:
        az.mask.pseudonymize(frame, "id", unkeyed=True)
    assert not any(value and value in str(refused.value) for value in values)


def test_long_random_tokens_may_be_hashed_without_a_key():
    token = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    made = az.mask.pseudonymize(pa.table({"id": [token]}), "id", unkeyed=True, form="hex", length=32)
    assert made.column("id")[0].as_py() == hashlib.sha256(b"column id\0" + token.encode()).hexdigest()[:32]


def test_a_code_that_two_values_could_share_is_refused():
    frame = pa.table({"id": [str(i) for i in range(5000)]})
    with pytest.raises(az.ParameterError, match="8 characters are too few"):
        az.mask.pseudonymize(frame, "id", key=KEY, length=8)
    assert len(set(az.mask.pseudonymize(frame, "id", key=KEY, length=16).column("id").to_pylist())) == 5000


def test_a_new_key_is_random_and_only_its_owners(tmp_path):
    one, other = az.mask.new_key(tmp_path / "one.key"), az.mask.new_key(tmp_path / "other.key")
    assert one.stat().st_mode & 0o777 == 0o600
    assert len(read_key("x", one)) == 64
    assert read_key("x", one) != read_key("x", other)
    with pytest.raises(az.InputError, match=r"one\.key is there already"):
        az.mask.new_key(one)


def _file(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_keys_are_read_raw_and_in_base64(tmp_path):
    for content in (KEY, KEY[:32], base64.b64encode(KEY) + b"\n"):
        assert read_key("x", _file(tmp_path / "k", content)) in (KEY, KEY[:32])


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (b"x" * 31, 0o600, "a key has 32 or 64 bytes, raw or in base64, and this one has 31"),
        (b"", 0o600, "this one has 0"),
        (base64.b64encode(b"short"), 0o600, "this one has 5"),
        (b"x" * 5000, 0o600, "has 5,000 bytes"),
        (KEY, 0o644, "may be read by others"),
        (KEY, 0o640, "may be read by others"),
    ],
)
def test_a_bad_key_file_is_one_sentence(tmp_path, content, mode, words):
    with pytest.raises(az.ParameterError, match=words) as refused:
        az.mask.encrypt(FRAME, "name", key=_file(tmp_path / "k", content, mode))
    assert str(refused.value).startswith("encrypt: ")


def test_a_key_may_not_be_beside_the_data(tmp_path):
    key = az.mask.new_key(tmp_path / "k")
    with pytest.raises(az.ParameterError, match="in the folder of the data"):
        read_key("x", key, away=[tmp_path])
    (tmp_path / "link").symlink_to(key)
    with pytest.raises(az.ParameterError, match="in the folder of the data"):
        read_key("x", tmp_path / "link", away=[tmp_path])


def test_a_key_that_was_written_where_its_path_belongs_is_not_repeated():
    secret = base64.b64encode(KEY).decode()
    with pytest.raises(az.ParameterError, match="can't be read") as refused:
        az.mask.encrypt(FRAME, "name", key=secret)
    assert secret not in str(refused.value)
    for wrong in ({"a": secret}, 5, ""):
        with pytest.raises(az.ParameterError, match="key should be the path") as refused:
            az.mask.encrypt(FRAME, "name", key=wrong)
        assert secret not in str(refused.value)
    with pytest.raises(az.ParameterError, match="'key' is needed"):
        az.mask.encrypt(FRAME, "name")


def test_keys_come_from_the_keyring(monkeypatch):
    import keyring
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):
        priority = 1

        def get_password(self, service, username):
            return base64.b64encode(KEY).decode() if (service, username) == ("antifaz", "clinic/1") else None

        def set_password(self, service, username, password): ...

        def delete_password(self, service, username): ...

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        assert read_key("x", "keyring:antifaz/clinic/1") == KEY
        with pytest.raises(az.ParameterError, match="no entry of that service and name"):
            read_key("x", "keyring:antifaz/other")
    finally:
        keyring.set_keyring(before)
    with pytest.raises(az.ParameterError, match="'keyring:service/name'"):
        read_key("x", "keyring:antifaz")


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
