"""The vault: what goes in comes out, nothing of it is on the disk in clear, and what was touched is refused."""

import os
import subprocess
import sys

import pytest

from antifaz.core.errors import DataError
from antifaz.service.errors import Gone, TooLarge
from antifaz.service.vault import CHUNK, Vault
from failing import failing


def put(vault, *pieces, limit=None):
    with vault.open_writer(limit) as writer:
        for piece in pieces:
            writer.write(piece)
        return writer.finish()


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 7])
def test_what_goes_in_comes_out(tmp_path, size):
    content = os.urandom(size)
    vault = Vault(tmp_path)
    encrypted = put(vault, content[: size // 3], content[size // 3 :])
    assert encrypted.bytes == size
    with vault.decrypted(encrypted.id, ".csv") as found:
        assert found.path.suffix == ".csv"
        assert found.path.read_bytes() == content
        assert found.path.read_bytes() == content  # a second reader begins at the beginning


def test_check_35_nothing_of_it_is_on_the_disk_even_while_it_is_read(tmp_path):
    canary = b"Zebediah Quux 99-CANARY"
    vault = Vault(tmp_path)
    encrypted = put(vault, canary * 1000)
    with vault.decrypted(encrypted.id):
        # Links lead into memory; what is on the disk are files.
        files = [path for path in tmp_path.iterdir() if not path.is_symlink()]
        assert files
        assert all(canary not in path.read_bytes() for path in files)
        assert encrypted.place.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [encrypted.id]


def test_two_files_with_the_same_content_look_different(tmp_path):
    vault = Vault(tmp_path)
    first, second = put(vault, b"same" * 100), put(vault, b"same" * 100)
    assert first.place.read_bytes() != second.place.read_bytes()
    assert first.key != second.key
    assert first.key.hex() not in repr(first)


@pytest.mark.parametrize("harm", ["flip", "cut a chunk", "swap chunks", "empty"])
def test_what_was_touched_is_refused(tmp_path, harm):
    vault = Vault(tmp_path)
    encrypted = put(vault, b"x" * (3 * CHUNK))
    raw, whole = encrypted.place.read_bytes(), CHUNK + 16
    raw = {
        "flip": raw[:100] + bytes([raw[100] ^ 1]) + raw[101:],
        "cut a chunk": raw[: 2 * whole],
        "swap chunks": raw[whole : 2 * whole] + raw[:whole] + raw[2 * whole :],
        "empty": b"",
    }[harm]
    encrypted.place.write_bytes(raw)
    with failing("service.upload-not-readable-back", DataError), vault.decrypted(encrypted.id):
        pass


def test_a_file_that_is_too_large_is_refused_as_it_comes_and_leaves_nothing(tmp_path):
    vault = Vault(tmp_path)
    with pytest.raises(TooLarge), vault.open_writer(10) as writer:
        writer.write(b"12345")
        writer.write(b"123456")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_finished_leaves_nothing(tmp_path):
    vault = Vault(tmp_path)
    with vault.open_writer() as writer:
        writer.write(b"x" * (2 * CHUNK))
    assert list(tmp_path.iterdir()) == []


def test_what_is_erased_is_gone(tmp_path):
    vault = Vault(tmp_path)
    encrypted = put(vault, b"secret")
    assert vault.erase(encrypted.id)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Gone), vault.decrypted(encrypted.id):
        pass


def test_check_31_a_name_never_leads_elsewhere(tmp_path):
    vault = Vault(tmp_path)
    encrypted = put(vault, b"x")
    with vault.decrypted(encrypted.id, "/../../etc/passwd") as found:
        assert found.path.parent == tmp_path
        assert found.path.read_bytes() == b"x"


def test_a_child_reads_it_by_its_number(tmp_path):
    vault = Vault(tmp_path)
    encrypted = put(vault, b"for the child")
    with vault.decrypted(encrypted.id) as found:
        read = f"import os; print(os.pread({found.fd}, 100, 0).decode(), end='')"
        done = subprocess.run([sys.executable, "-c", read], pass_fds=(found.fd,), capture_output=True, text=True)
    assert done.stdout == "for the child"
