"""Decryption: the values that were encrypted, as text."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from antifaz.core.errors import ParameterError
from antifaz.core.types import DataType
from antifaz.engines.changes import Change
from antifaz.methods.operations.ciphers import Decrypted, aead
from antifaz.methods.operations.keys import Key, read_key
from antifaz.methods.operations.operation import Operation, Setting


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

    def prepare(self, setting: Setting) -> Change:
        """Read the key."""
        if self.key is None:
            raise ParameterError("decrypt: 'key' is needed.")
        aead()
        key = read_key(self.name, self.key, setting.folder, setting.away)
        work = Decrypted(setting.column, key, self.joins or setting.column)
        return Change(column=setting.column, needs=(setting.column,), work=work, costly=True, result=DataType.TEXT)
