"""Damage to bytes: what transport, editors and people who try do to a file."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable

#: What parsers are known to stumble over.
_WORDS = (
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b'"', b"'", b"{", b"}", b"[", b"]", b"*", b"&a", b"*a",
    b"!!python/object:os.system", b"NaN", b"Infinity", b"-0.0", b"1e300", b"1e999999", b"9" * 400, b"0x1F", b"null",
    b"true", b"%Y%Y", b"\\u0000", b"\\ud800", b"\xf0\x9f\x98\x80", b"A" * 5000, b"../../x", b"/dev/zero", b"XFD1048576",
    b"ZZZZ99999999", b"=1+1", b"sep=;", b"idna", b"zlib_codec", b"\x1a", b"a.b", b"-9223372036854775809", b"2016-02-30",
)  # fmt: skip


def damage(content: bytes, chance: random.Random) -> bytes:
    """Return a damaged copy: of a workbook, one that is packed well and damaged inside, half of the time."""
    if content[:4] == b"PK\x03\x04" and chance.random() < 0.5:
        return _inside(content, chance)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        content = chance.choice(_WAYS)(content, chance)
    return content


def _inside(content: bytes, chance: random.Random) -> bytes:
    packed, into = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    names = packed.namelist()
    hit = chance.choice(names)
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as out:
        for name in names:
            part = packed.read(name)
            out.writestr(name, damage(part, chance) if name == hit else part)
    return into.getvalue()


def _place(content: bytes, chance: random.Random) -> int:
    return chance.randrange(len(content) + 1)


def _flip(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def _insert(content: bytes, chance: random.Random) -> bytes:
    at = _place(content, chance)
    return content[:at] + chance.choice(_WORDS) + content[at:]


def _overwrite(content: bytes, chance: random.Random) -> bytes:
    at, word = _place(content, chance), chance.choice(_WORDS)
    return content[:at] + word + content[at + len(word) :]


def _cut(content: bytes, chance: random.Random) -> bytes:
    start, end = sorted((_place(content, chance), _place(content, chance)))
    return content[:start] + content[end:]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    start, end = sorted((_place(content, chance), _place(content, chance)))
    return content[:end] + content[start:end] * chance.choice((1, 2, 50)) + content[end:]


def _truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: _place(content, chance)]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _insert, _overwrite, _cut, _repeat, _truncate)
