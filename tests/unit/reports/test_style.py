"""The colours of the report: text can be read on what is behind it, in light, in dark and on paper."""

from __future__ import annotations

import re

import pytest

from antifaz.reports.templating import style

#: What is written in each colour, and on what.
PAIRS = [
    ("ink", "page"), ("ink", "card"), ("soft", "page"), ("soft", "card"), ("after", "page"), ("after", "card"),
    ("good", "card"), ("bad", "card"), ("warn", "card"), ("ink", "good-wash"), ("ink", "bad-wash"),
    ("ink", "warn-wash"), ("good", "good-wash"), ("bad", "bad-wash"), ("warn", "warn-wash"), ("before", "card"),
]  # fmt: skip


def palettes() -> dict[str, dict[str, str]]:
    found = [
        dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root \{(.*?)\}", style("style.css"), re.S)
    ]
    return dict(zip(("light", "dark", "print"), found, strict=True))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ["light", "dark", "print"])
def test_text_stands_out(name: str) -> None:
    palette = palettes()[name]
    for front, back in PAIRS:
        high, low = sorted((luminance(palette[front]), luminance(palette[back])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (front, back)
