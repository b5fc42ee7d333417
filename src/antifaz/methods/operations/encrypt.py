"""Encryption: values that only whoever has the key can read."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from antifaz.core.errors import ParameterError
from antifaz.core.types import DataType
from antifaz.engines.changes import Change
from antifaz.methods.operations.ciphers import Cipher, Encrypted, aead
from antifaz.methods.operations.keys import Key, read_key
from antifaz.methods.operations.operation import Operation, Setting


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

    def prepare(self, setting: Setting) -> Change:
        """Read the key."""
        if self.key is None:
            raise ParameterError("encrypt: 'key' is needed.")
        aead()
        key = read_key(self.name, self.key, setting.folder, setting.away)
        same = self.cipher == "aes-siv"
        return Change(
            column=setting.column,
            needs=(setting.column,),
            work=Encrypted(self.cipher, key, self.joins or setting.column),
            by_value=same,
            costly=same,
            result=DataType.TEXT,
        )
