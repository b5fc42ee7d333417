"""Keys: made, read, and kept away from the data."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

import antifaz as az
from antifaz.methods.operations.keys import read_key
from unit.methods.operations.test_encryption import FRAME, KEY


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
