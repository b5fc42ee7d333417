"""Charts away from their page: the same marks, with the colours of print, for documents that have no style sheet."""

from __future__ import annotations

import html
import re

from antifaz.reports.style import CSS

#: How wide a chart is drawn where nothing else says so; its letters then have the size of the text around them.
_WIDTH = 620


def _palette() -> dict[str, str]:
    printed = CSS[CSS.index("@media print") :]
    return dict(re.findall(r"(--[a-z-]+):\s*(#[0-9a-f]+)", printed))


def _rules() -> str:
    found = re.findall(r"^\.chart (\.[a-z-]+|text) \{([^}]*)\}", CSS, re.MULTILINE)
    return "".join(f"{selector} {{{rules}}}" for selector, rules in found)


def _coloured(text: str) -> str:
    palette = _palette()
    return re.sub(r"var\((--[a-z-]+)\)", lambda found: palette.get(found[1], "#000"), text)


def alone(picture: str) -> tuple[str, str]:
    """Return a chart as a picture that stands by itself, and its title and numbers in words."""
    height = re.search(r'height="(\d+)"', picture)
    size = f'width="{_WIDTH}" height="{height[1] if height else 100}"'
    inside = re.sub(r"^<svg\b[^>]*>|</svg>\s*$", "", picture.strip())
    words = [html.unescape(text) for text in re.findall(r"<(?:title|desc)[^>]*>(.*?)</(?:title|desc)>", inside)]
    marks = re.sub(r"<(title|desc)\b[^>]*>.*?</\1>", "", inside, flags=re.DOTALL)
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {size.split(chr(34))[1]} '
        f'{size.split(chr(34))[3]}" font-family="Libertinus Serif"><style>{_coloured(_rules())}</style>'
        f"{_coloured(marks)}</svg>"
    )
    return drawn, ". ".join(words)
