"""Pseudonyms: every value becomes a code that can't be turned back without the key."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

import pyarrow as pa
from pydantic import Field, model_validator

from antifaz.core.errors import ParameterError
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import text
from antifaz.methods.operations.keys import Key, read_key
from antifaz.methods.operations.operation import Operation, Setting

#: So many bits every value must have at least before a hash without a key is made of it: nobody tries 2^80 values.
LEAST_BITS = 80
#: A run of letters counts as a word of a dictionary: of at most so many bits, however long it is.
_WORD_BITS = 14.0
#: The most that the chance of two values sharing a pseudonym may be.
_CHANCE = 1e-6
_BITS = {"base32": 5, "hex": 4}
_PARTS = re.compile(r"[^\W\d_]+|\d", re.UNICODE)


class Pseudonymize(Operation):
    """Replace every value by a keyed hash of it."""

    name: ClassVar[str] = "pseudonymize"
    summary: ClassVar[str] = "Replaces every value by a code that only whoever has the key can make again."
    details: ClassVar[str] = (
        "Equal values get equal codes, other columns others, unless `joins` says that columns share them. Without the "
        "key nobody can tell a value's code by trying values. A hash without a key can be tried out: it is made only "
        f"with `unkeyed: true`, and refused where a value could be one of fewer than 2^{LEAST_BITS}, a word counting "
        "as one of a dictionary. Pseudonyms are personal data (GDPR art. 4(5)), and how often one occurs can be seen."
    )
    formula: ClassVar[str] = "HMAC-SHA256(key, domain ∥ 0 ∥ value), the first `length` characters"
    source: ClassVar[str] = "H. Krawczyk, M. Bellare, R. Canetti, RFC 2104 (HMAC), 1997"
    protects: ClassVar[bool] = True
    personal: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("key",)
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"key": "k"}, {"key": "k", "joins": "person", "form": "hex", "length": 32}, {"unkeyed": True},
    )  # fmt: skip

    key: Key
    joins: str | None = Field(default=None, description="A name that columns share whose values are to be joined.")
    form: Literal["base32", "hex"] = Field(default="base32", description="How the code is written.")
    length: int = Field(default=20, ge=8, le=52, description="How many characters it has.")
    unkeyed: bool = Field(default=False, description="Hash without a key, where values can't be tried out.")

    @model_validator(mode="after")
    def _key_or_none(self) -> Self:
        if self.unkeyed and self.key is not None:
            raise ValueError("either keyed, with 'key', or 'unkeyed: true'")
        return self

    def prepare(self, setting: Setting) -> ColumnChange:
        """Read the key; without one, see that values can't be tried out."""
        if self.key is None and not self.unkeyed:
            raise ParameterError("pseudonymize.needs-key", column=setting.column)
        key = b"" if self.key is None else read_key(self.name, self.key, setting.folder, setting.away)
        self._check(setting)
        domain = f"column {setting.column}" if self.joins is None else f"joins {self.joins}"
        work = Pseudonyms(key, domain.encode() + b"\0", self.form, self.length)
        return ColumnChange(
            column=setting.column, needs=(setting.column,), work=work, costly=True, result=DataType.TEXT
        )

    def _check(self, setting: Setting) -> None:
        bits = self.length * _BITS[self.form]
        # With 100 bits, two of a hundred billion values share a code with a chance below the limit: no need to count.
        number = len(setting.distinct(setting.column)) if bits < 93 else 0
        if number**2 / 2 ** (bits + 1) > _CHANCE:
            raise ParameterError("pseudonymize.too-short", length=self.length, column=setting.column)
        if self.unkeyed:
            values = setting.distinct(setting.column).to_pylist()
            least = min((guessable_bits(value) for value in values), default=math.inf)
            if least < LEAST_BITS:
                raise ParameterError(
                    "pseudonymize.values-can-be-tried", column=setting.column, least=least, least_bits=LEAST_BITS
                )


def guessable_bits(value: str) -> float:
    """Return about how many bits a value has for whoever tries values out: digits, and words of a dictionary."""
    return sum(
        math.log2(10) if part.isdigit() else min(_WORD_BITS, len(part) * math.log2(26))
        for part in _PARTS.findall(value)
    )


@dataclass(frozen=True)
class Pseudonyms:
    """HMAC-SHA256 of every value, as text; with an empty key plain SHA-256."""

    key: bytes = field(repr=False)
    domain: bytes
    form: str
    length: int

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        """Return the codes; missing stays missing."""
        # One half of HMAC is the same for all values: copying it is twice as fast as beginning anew.
        inner, outer = self._begun()
        made: list[str | None] = []
        for value in text(arrays[0]).to_pylist():
            if value is None:
                made.append(None)
                continue
            first = inner.copy()
            first.update(value.encode())
            digest = first.digest()
            if outer is not None:
                second = outer.copy()
                second.update(digest)
                digest = second.digest()
            made.append(self._written(digest))
        return pa.array(made, pa.string())

    def _begun(self) -> tuple[hashlib._Hash, hashlib._Hash | None]:
        if not self.key:
            return hashlib.sha256(self.domain), None
        padded = self.key.ljust(64, b"\0")
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
        inner.update(self.domain)
        return inner, hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))

    def _written(self, digest: bytes) -> str:
        code = digest.hex() if self.form == "hex" else base64.b32encode(digest).decode()
        return code[: self.length]
