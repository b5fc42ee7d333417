"""Small pieces of a report: escaping, tables, figures, the page around them."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from antifaz.core.language import NONE, Words
from antifaz.reports.style import CSS, POLICY

__all__ = [
    "NONE", "Json", "esc", "explained", "figure", "is_number", "legend", "listed", "mapping", "name", "objects",
    "page", "paragraph", "said", "section", "table",
]  # fmt: skip

Json = dict[str, Any]


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


def said(w: Words, sentence: object) -> str:
    """Return a sentence that another room says, translated where it is known; else in English, and marked as such."""
    known = w.translated(str(sentence))
    return esc(known) if known is not None else f'<span lang="en">{esc(sentence)}</span>'


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
    """Return a table; cells are HTML already, the first of a row names it, `numeric` columns align right.

    One with many columns may be wider than a phone: who has no mouse must be able to reach it in order to scroll it.
    """

    def mark(column: int) -> str:
        return ' class="num"' if column in numeric else ""

    head = "".join(f'<th scope="col"{mark(i)}>{text}</th>' for i, text in enumerate(heads))
    body = "".join(
        f'<tr><th scope="row"{mark(0)}>{row[0]}</th>'
        + "".join(f"<td{mark(i)}>{cell}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>\n"
        for row in rows
    )
    reach = f' tabindex="0" role="region" aria-label="{caption}"' if len(heads) > 3 else ""
    kinds = " ".join(["scroll", *([kind] if kind else []), *(["few"] if len(heads) <= 3 else [])])
    return (
        f'<div class="{kinds}"{reach}><table><caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n"
    )


def figure(w: Words, heading: str, chart: str, shows: str, how_to_read: str, legend: str = "") -> str:
    """Return a chart with its title, what it shows, its legend, and how to read it."""
    return (
        f'<figure><h3>{heading}</h3><p class="shows">{shows}</p>{legend}{chart}'
        f"<figcaption><strong>{w('figure.how')}</strong> {how_to_read}</figcaption></figure>\n"
    )


def legend(*entries: tuple[str, str]) -> str:
    """Return a legend: pairs of a swatch's kind and what it stands for."""
    shown = "".join(f'<span><span class="swatch {kind}"></span>{text}</span>' for kind, text in entries)
    return f'<p class="legend">{shown}</p>'


def explained(label: str, text: str) -> str:
    """Return a label with its explanation below it."""
    kept = text.replace(" %", "\u00a0%")
    return f'<span class="label">{label}</span>' + (f'<span class="explain">{kept}</span>' if text else "")


def section(key: str, heading: str, body: str, kind: str = "") -> str:
    """Return a section, or nothing if it has nothing to say."""
    if not body:
        return ""
    mark = f' class="{kind}"' if kind else ""
    return f'<section{mark} aria-labelledby="{key}">\n<h2 id="{key}">{heading}</h2>\n{body}</section>\n'


def paragraph(*sentences: str) -> str:
    """Return a paragraph of the sentences that are not empty."""
    said = " ".join(sentence for sentence in sentences if sentence)
    return f"<p>{said}</p>\n" if said else ""


def listed(items: Iterable[str]) -> str:
    """Return a list of items, HTML already."""
    shown = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{shown}</ul>\n" if shown else ""


def page(w: Words, *, title: str, eyebrow: str, meta: str, body: str, foot: str) -> str:
    """Return a whole page: it loads nothing, runs nothing, and says its language; the body comes after a skip link."""
    return (
        f'<!DOCTYPE html>\n<html lang="{w.language}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        '<meta name="referrer" content="no-referrer"/>\n'
        f"<title>{esc(title)}: {eyebrow}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">{w("page.skip")}</a>\n'
        f'<header>\n<p class="eyebrow">{eyebrow}</p>\n<h1>{esc(title)}</h1>\n{meta}</header>\n'
        f'<main id="main" tabindex="-1">\n{body}</main>\n<footer>{paragraph(foot)}</footer>\n</body>\n</html>\n'
    )
