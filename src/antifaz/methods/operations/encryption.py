"""Encryption and pseudonyms: values that only whoever has the key can read, or make again."""

import base64
import binascii
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pyarrow as pa
from pydantic import Field, model_validator

from antifaz.core.changes import ColumnChange
from antifaz.core.errors import DataError, MissingExtra, ParameterError, silence
from antifaz.core.keys import Key, derived, read_key
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import Operation, OperationContext
from antifaz.sources.column_values import text

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

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Read the key."""
        if self.key is None:
            raise ParameterError("encrypt.key-needed")
        aead()
        key = read_key(self.name, self.key, context.folder, context.away)
        same = self.cipher == "aes-siv"
        work = Encrypted(self.cipher, key, self.joins or context.column)
        return context.change(work, by_value=same, costly=same, result=DataType.TEXT)


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

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Read the key."""
        if self.key is None:
            raise ParameterError("decrypt.key-needed")
        aead()
        key = read_key(self.name, self.key, context.folder, context.away)
        work = Decrypted(context.column, key, self.joins or context.column)
        return context.change(work, costly=True, result=DataType.TEXT)


def aead() -> Any:
    """Return the module of authenticated ciphers, or say what to install."""
    try:
        from cryptography.hazmat.primitives.ciphers import aead as module
    except ImportError:
        raise MissingExtra("operation.cryptography-missing") from None
    return module


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
            # A key of its own: no key should serve two ciphers.
            close = aead().AESGCM(derived(self.key, "aes-gcm")).encrypt
            random = os.urandom(_NONCE * len(values))
            nonces = (random[at : at + _NONCE] for at in range(0, len(random), _NONCE))
            # A value is filled up to whole blocks: a byte that ends it, then zeros.
            sealed = (
                None if v is None else nonce + close(nonce, v + b"\x80" + bytes(-(len(v) + 1) % _BLOCK), shared)
                for v, nonce in zip(values, nonces, strict=True)
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
        siv, gcm = aead().AESSIV(self.key), aead().AESGCM(derived(self.key, "aes-gcm"))
        ways: dict[str, Callable[[bytes], bytes]] = {
            PREFIXES["aes-siv"]: lambda sealed: siv.decrypt(sealed, [shared]),
            PREFIXES["aes-gcm"]: lambda s: gcm.decrypt(s[:_NONCE], s[_NONCE:], shared).rstrip(b"\0")[:-1],
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


#: The most that the chance of two values sharing a pseudonym may be.
_CHANCE = 1e-6
_BITS = {"base32": 5, "hex": 4}


class Pseudonymize(Operation):
    """Replace every value by a keyed hash of it."""

    name: ClassVar[str] = "pseudonymize"
    summary: ClassVar[str] = "Replaces every value by a code that only whoever has the key can make again."
    details: ClassVar[str] = (
        "Equal values get equal codes, other columns others, unless `joins` says that columns share them. Without the "
        "key nobody can tell a value's code by trying values. There is no pseudonym without a key: a plain hash is "
        "undone by hashing what the values may be. Pseudonyms are personal data (GDPR art. 4(5)), and how often one "
        "occurs can be seen."
    )
    formula: ClassVar[str] = "HMAC-SHA256(key, domain ∥ 0 ∥ value), the first `length` characters"
    source: ClassVar[str] = "H. Krawczyk, M. Bellare, R. Canetti, RFC 2104 (HMAC), 1997"
    protects: ClassVar[bool] = True
    personal: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("key",)
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"key": "k"}, {"key": "k", "joins": "person", "form": "hex", "length": 32},
    )  # fmt: skip

    key: Key
    joins: str | None = Field(default=None, description="A name that columns share whose values are to be joined.")
    form: Literal["base32", "hex"] = Field(default="base32", description="How the code is written.")
    length: int = Field(default=20, ge=8, le=52, description="How many characters it has.")

    @model_validator(mode="before")
    @classmethod
    def _keyed(cls, given: Any) -> Any:
        """Say why there is no pseudonym without a key any more, to whoever still asks for one."""
        if isinstance(given, Mapping) and "unkeyed" in given:
            raise ValueError(Message("expected.key-instead-of-unkeyed"))
        return given

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Read the key."""
        if self.key is None:
            raise ParameterError("pseudonymize.needs-key", column=context.column)
        key = read_key(self.name, self.key, context.folder, context.away)
        self._check(context)
        domain = f"column {context.column}" if self.joins is None else f"joins {self.joins}"
        work = Pseudonyms(key, domain.encode() + b"\0", self.form, self.length)
        return context.change(work, costly=True, result=DataType.TEXT)

    def _check(self, context: OperationContext) -> None:
        bits = self.length * _BITS[self.form]
        # With 100 bits, two of a hundred billion values share a code with a chance below the limit: no need to count.
        number = len(context.distinct(context.column)) if bits < 93 else 0
        if number**2 / 2 ** (bits + 1) > _CHANCE:
            raise ParameterError("pseudonymize.too-short", length=self.length, column=context.column)


@dataclass(frozen=True)
class Pseudonyms:
    """HMAC-SHA256 of every value, as text."""

    key: bytes = field(repr=False)
    domain: bytes
    form: str
    length: int

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Return the codes; missing stays missing."""
        # One half of HMAC is the same for all values: copying it is twice as fast as beginning anew.
        padded = self.key.ljust(64, b"\0")
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
        inner.update(self.domain)
        outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))
        made: list[str | None] = []
        for value in text(arrays[0]).to_pylist():
            if value is None:
                made.append(None)
                continue
            first = inner.copy()
            first.update(value.encode())
            second = outer.copy()
            second.update(first.digest())
            digest = second.digest()
            code = digest.hex() if self.form == "hex" else base64.b32encode(digest).decode()
            made.append(code[: self.length])
        return pa.array(made, pa.string())
