"""Keys: made, read, and kept away from the data."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.core.keys import new_key, read_key
from failing import failing, like
from unit.methods.operations.test_encryption import FRAME, KEY


def test_a_new_key_is_random_and_only_its_owners(tmp_path):
    one, other = az.mask.new_key(tmp_path / "one.key"), az.mask.new_key(tmp_path / "other.key")
    assert one.stat().st_mode & 0o777 == 0o600
    assert len(read_key("x", one)) == 64
    assert read_key("x", one) != read_key("x", other)
    with failing("operation.key-file-exists-already", az.InputError, file="one.key"):
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
        (b"x" * 31, 0o600, like("operation.key-of-wrong-length", count=31)),
        (b"", 0o600, like("operation.key-of-wrong-length", count=0)),
        (base64.b64encode(b"short"), 0o600, like("operation.key-of-wrong-length", count=5)),
        (b"x" * 5000, 0o600, like("operation.key-file-of-wrong-size", bytes=5000)),
        (KEY, 0o644, "operation.key-file-readable-by-others"),
        (KEY, 0o640, "operation.key-file-readable-by-others"),
    ],
)
def test_a_bad_key_file_is_one_sentence(tmp_path, content, mode, words):
    with failing(words, az.ParameterError) as refused:
        az.mask.encrypt(FRAME, "name", key=_file(tmp_path / "k", content, mode))
    assert str(refused.value).startswith("encrypt: ")


def test_a_key_may_not_be_beside_the_data(tmp_path):
    key = az.mask.new_key(tmp_path / "k")
    with failing("operation.key-file-beside-data", az.ParameterError):
        read_key("x", key, away=[tmp_path])
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    with failing("operation.key-file-beside-data", az.ParameterError):
        read_key("x", tmp_path / "link" / "k", away=[tmp_path])


def test_a_key_that_was_written_where_its_path_belongs_is_not_repeated():
    secret = base64.b64encode(KEY).decode()
    with failing("operation.key-file-not-readable", az.ParameterError) as refused:
        az.mask.encrypt(FRAME, "name", key=secret)
    assert secret not in str(refused.value)
    for wrong in ({"a": secret}, 5, ""):
        with failing("operation.key-not-a-path", az.ParameterError) as refused:
            az.mask.encrypt(FRAME, "name", key=wrong)
        assert secret not in str(refused.value)
    with failing("encrypt.key-needed", az.ParameterError):
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
        with failing("operation.keyring-has-no-entry", az.ParameterError):
            read_key("x", "keyring:antifaz/other")
    finally:
        keyring.set_keyring(before)
    with failing("operation.keyring-name-incomplete", az.ParameterError):
        read_key("x", "keyring:antifaz")


def test_a_key_file_that_is_a_link_is_refused(tmp_path):
    made = new_key(tmp_path / "a.key")
    (tmp_path / "link.key").symlink_to(made)
    assert len(read_key("encrypt", made)) == 64
    with failing("operation.key-file-is-link", ParameterError):
        read_key("encrypt", tmp_path / "link.key")


@pytest.mark.parametrize("key", [b"k" * 32, bytes(64), b"0123456789" * 3 + b"01", base64.b64encode(b"ab" * 16)])
def test_a_key_that_nobody_drew_is_refused(key):
    with failing("operation.key-without-variety", ParameterError):
        read_key("encrypt", key)
