"""Encryption: values that only whoever has the key can read.

Two ciphers: AES-SIV, which gives equal values equal texts, and AES-GCM, which never does.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pyarrow as pa
from pydantic import Field

from antifaz.core.errors import DataError, MissingExtra, ParameterError, silence
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import text
from antifaz.methods.operations.keys import Key, derived, read_key
from antifaz.methods.operations.operation import Operation, Setting

Cipher = Literal["aes-siv", "aes-gcm"]
#: What an encrypted value begins with: the cipher and the version of this format.
PREFIXES: dict[str, str] = {"aes-siv": "s1.", "aes-gcm": "g1."}
_NONCE = 12
#: What AES-GCM encrypts is filled up to a multiple of so many bytes: the length would tell which value it is.
_BLOCK = 32


class Encrypt(Operation):
    """Encrypt the values of a column; whoever has the key can decrypt them."""

    name: ClassVar[str] = "encrypt"
    summary: ClassVar[str] = "Encrypts values, so that only whoever has the key can read them."
    details: ClassVar[str] = (
        "AES-SIV gives equal values equal texts, so tables can still be joined, and how often a value occurs can still "
        "be seen. AES-GCM gives every cell a text of its own. Both notice any change. The name of the column is "
        "authenticated with the value; `joins` names what columns of several tables share. Missing stays missing; with "
        "AES-SIV the length of a value can be told. The key is never stored beside the data."
    )
    source: ClassVar[str] = "D. Harkins, RFC 5297 (AES-SIV), 2008; M. Dworkin, NIST SP 800-38D (AES-GCM), 2007"
    protects: ClassVar[bool] = True
    personal: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("key",)
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"key": "k"}, {"key": "keyring:antifaz/k", "cipher": "aes-gcm", "joins": "person"},
    )  # fmt: skip

    key: Key
    cipher: Cipher = Field(default="aes-siv", description="Equal values equal texts (aes-siv), or never (aes-gcm).")
    joins: str | None = Field(default=None, description="A name that columns share whose values are to be joined.")

    def prepare(self, setting: Setting) -> ColumnChange:
        """Read the key."""
        if self.key is None:
            raise ParameterError("encrypt.key-needed")
        aead()
        key = read_key(self.name, self.key, setting.folder, setting.away)
        same = self.cipher == "aes-siv"
        return ColumnChange(
            column=setting.column,
            needs=(setting.column,),
            work=Encrypted(self.cipher, key, self.joins or setting.column),
            by_value=same,
            costly=same,
            result=DataType.TEXT,
        )


class Decrypt(Operation):
    """Decrypt the values of a column that were encrypted here."""

    name: ClassVar[str] = "decrypt"
    summary: ClassVar[str] = "Decrypts values that were encrypted here, with the same key."
    details: ClassVar[str] = (
        "The values come back as text. The column must have the name it had when it was encrypted, or `joins` must "
        "say it. A wrong key or a changed value is noticed, and nothing is decrypted."
    )
    hidden: ClassVar[tuple[str, ...]] = ("key",)
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"key": "k"}, {"key": "k", "joins": "person"})

    key: Key
    joins: str | None = Field(default=None, description="The name that was given when the values were encrypted.")

    def prepare(self, setting: Setting) -> ColumnChange:
        """Read the key."""
        if self.key is None:
            raise ParameterError("decrypt.key-needed")
        aead()
        key = read_key(self.name, self.key, setting.folder, setting.away)
        work = Decrypted(setting.column, key, self.joins or setting.column)
        return ColumnChange(
            column=setting.column, needs=(setting.column,), work=work, costly=True, result=DataType.TEXT
        )


def aead() -> Any:
    """Return the module of authenticated ciphers, or say what to install."""
    try:
        from cryptography.hazmat.primitives.ciphers import aead as module
    except ImportError:
        raise MissingExtra("operation.cryptography-missing") from None
    return module


def gcm_key(key: bytes) -> bytes:
    """Return the key of AES-256-GCM; another one than AES-SIV's, because no key should serve two ciphers."""
    return derived(key, "aes-gcm")


@dataclass(frozen=True)
class Encrypted:
    """Encrypts every value; what columns share (`name`) is authenticated with it."""

    cipher: Cipher
    key: bytes = field(repr=False)
    name: str

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Return the encrypted texts; missing stays missing."""
        values = [None if value is None else value.encode() for value in text(arrays[0]).to_pylist()]
        prefix, shared = PREFIXES[self.cipher], self.name.encode()
        if self.cipher == "aes-siv":
            seal = aead().AESSIV(self.key).encrypt
            sealed: Iterable[bytes | None] = (None if value is None else seal(value, [shared]) for value in values)
        else:
            close = aead().AESGCM(gcm_key(self.key)).encrypt
            random = os.urandom(_NONCE * len(values))
            nonces = (random[at : at + _NONCE] for at in range(0, len(random), _NONCE))
            sealed = (
                None if value is None else nonce + close(nonce, _padded(value), shared)
                for value, nonce in zip(values, nonces, strict=True)
            )
        written = base64.urlsafe_b64encode
        return pa.array([None if one is None else prefix + written(one).decode() for one in sealed], pa.string())


@dataclass(frozen=True)
class Decrypted:
    """Decrypts every value, by the cipher that it says it was encrypted with."""

    column: str
    key: bytes = field(repr=False)
    name: str

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Return what was encrypted, or raise."""
        from cryptography.exceptions import InvalidTag

        shared = self.name.encode()
        siv, gcm = aead().AESSIV(self.key), aead().AESGCM(gcm_key(self.key))
        ways: dict[str, Callable[[bytes], bytes]] = {
            PREFIXES["aes-siv"]: lambda sealed: siv.decrypt(sealed, [shared]),
            PREFIXES["aes-gcm"]: lambda sealed: _bare(gcm.decrypt(sealed[:_NONCE], sealed[_NONCE:], shared)),
        }
        try:
            opened = [
                None if value is None else ways[value[:3]](base64.urlsafe_b64decode(value[3:])).decode()
                for value in text(arrays[0]).to_pylist()
            ]
        except InvalidTag:
            raise DataError("operation.decrypted-with-other-key", column=self.column) from None
        except (KeyError, binascii.Error, ValueError, UnicodeError) as error:
            silence(error)
            raise DataError("operation.never-encrypted", column=self.column) from None
        return pa.array(opened, pa.string())


def _padded(value: bytes) -> bytes:
    """Fill a value up to whole blocks: a byte that ends it, then zeros."""
    return value + b"\x80" + bytes(-(len(value) + 1) % _BLOCK)


def _bare(value: bytes) -> bytes:
    return value.rstrip(b"\0")[:-1]
