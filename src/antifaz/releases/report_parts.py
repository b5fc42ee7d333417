"""Small pieces of the report: escaping, numbers in words people read, tables, figures."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

Json = dict[str, Any]

NONE = "—"
# With a space that does not break: a sign alone at the start of a line reads badly.
_PERCENT = "\u00a0%"


def esc(text: object) -> str:
    """Return text that is safe between tags and inside quoted attributes.

    Control, direction-changing and broken characters are replaced too: a column name must not be able to reorder the
    words around it, or to make the page impossible to encode.
    """
    said = "".join("�" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in str(text))
    return html.escape(said, quote=True)


def name(text: object) -> str:
    """Return a name that comes from the data (a column, a file), set apart from our own words."""
    return f'<bdi class="name">{esc(text)}</bdi>'


def number(value: object) -> str:
    """Return a number with thousands separators; what is missing or not finite is a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _decimal(value)
    return NONE if value is None else str(value)


def _decimal(value: float) -> str:
    if not math.isfinite(value):
        return NONE
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 0.001:
        digits = max(0, 3 - math.floor(math.log10(abs(value))) - 1)
        said = f"{value:,.{digits}f}"
        return said.rstrip("0").rstrip(".") if "." in said else said
    return f"{value:.1e}"


def percent(share: object) -> str:
    """Return a share between 0 and 1 as a percentage."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not math.isfinite(share):
        return NONE
    hundredths = share * 100
    if hundredths == 0 or hundredths == 100:
        return f"{hundredths:.0f}{_PERCENT}"
    if abs(hundredths) < 0.01:
        return f"below 0.01{_PERCENT}"
    digits = 1 if abs(hundredths) >= 1 else 2
    said = f"{hundredths:.{digits}f}"
    # 99.97 must not be told as 100: that would say that nothing is left over.
    return (
        f"above {math.floor(hundredths * 10) / 10}{_PERCENT}"
        if said == "100.0" and hundredths < 100
        else f"{said}{_PERCENT}"
    )


def count(n: object, one: str, many: str = "") -> str:
    """Return '1 record', '2,000 records'."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def size(count_of_bytes: object) -> str:
    """Return a number of bytes in the unit people use."""
    if isinstance(count_of_bytes, bool) or not isinstance(count_of_bytes, int | float) or count_of_bytes <= 0:
        return NONE
    value = float(count_of_bytes)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def mapping(source: Json, key: str) -> Json:
    """Return what is under `key` if it is an object, else an empty one: every part of the evidence is optional."""
    value = source.get(key)
    return value if isinstance(value, dict) else {}


def objects(source: Json, key: str) -> list[Json]:
    """Return the objects of the list under `key`."""
    value = source.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a value can be drawn and compared."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    numeric: Sequence[int] = (),
    kind: str = "",
) -> str:
    """Return a table; cells are HTML already, the first of a row names it, `numeric` columns align right."""

    def mark(column: int) -> str:
        return ' class="num"' if column in numeric else ""

    head = "".join(f'<th scope="col"{mark(i)}>{text}</th>' for i, text in enumerate(heads))
    body = "".join(
        f'<tr><th scope="row"{mark(0)}>{row[0]}</th>'
        + "".join(f"<td{mark(i)}>{cell}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="scroll{" " if kind else ""}{kind}"><table><caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n"
    )


def figure(heading: str, chart: str, how_to_read: str, legend: str = "") -> str:
    """Return a chart with its title, its legend and one or two sentences on how to read it."""
    return (
        f"<figure><h3>{heading}</h3>{legend}{chart}<figcaption><strong>How to read it.</strong> {how_to_read}"
        "</figcaption></figure>\n"
    )


def explained(label: str, text: str) -> str:
    """Return a label with its explanation below it."""
    kept = text.replace(" %", _PERCENT)
    return f'<span class="label">{label}</span>' + (f'<span class="explain">{kept}</span>' if text else "")


def section(key: str, heading: str, body: str) -> str:
    """Return a section, or nothing if it has nothing to say."""
    if not body:
        return ""
    return f'<section aria-labelledby="{key}">\n<h2 id="{key}">{heading}</h2>\n{body}</section>\n'


def paragraph(*sentences: str) -> str:
    """Return a paragraph of the sentences that are not empty."""
    said = " ".join(sentence for sentence in sentences if sentence)
    return f"<p>{said}</p>\n" if said else ""
