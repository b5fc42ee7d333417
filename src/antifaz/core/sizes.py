"""Sizes in bytes, written as people write them: "2GB", "512MiB", "1000B".

The rule: a number and a unit. KB, MB, GB and TB are powers of 1,000; KiB, MiB, GiB and TiB are powers of 1,024; B is
bytes; upper or lower case, with or without blanks. A number without a unit is an error, because programs differ in
what they take it for: bytes to some, mebibytes to Spark.

Spark writes the sizes in its configuration in its own way, which `parse_spark_size` reads.
"""

import re

from antifaz.core.errors import ParameterError

#: What `parse_size` accepts, for a JSON Schema.
PATTERN = r"^\s*\d+(\.\d+)?\s*([KMGTkmgt][iI]?)?[bB]\s*$"
_PARTS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)(B?)\s*", re.IGNORECASE)
_POWERS = ("", "K", "M", "G", "T")


def parse_size(text: str, what: str = "memory") -> int:
    """Return a size such as '2GB' or '512MiB' in bytes; `what` names the option in the error."""
    parts = _PARTS.fullmatch(text)
    if parts is None or not parts[4] or (parts[3] and not parts[2]):
        raise ParameterError("size.wrong", what=what, words=text)
    return _bytes(parts[1], parts[2], 1024 if parts[3] else 1000)


def parse_spark_size(text: str) -> int:
    """Return a size of Spark's configuration in bytes: '4g' is 4 GiB, and a number without a unit is mebibytes."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise ParameterError("size.wrong-in-spark", words=text)
    return _bytes(parts[1], parts[2] or ("" if parts[4] else "M"), 1024)


def _bytes(number: str, unit: str, base: int) -> int:
    return int(float(number) * base ** _POWERS.index(unit.upper()))
