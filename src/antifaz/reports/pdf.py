"""A report as PDF: the same page, its words, numbers and charts, set by Typst without the network.

The page is read, not rendered again from the evidence: what is in one is in the other. Every text goes in as a string
of Typst's, so that no name of a column is taken for markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from antifaz.core.errors import MissingExtra
from antifaz.reports.html import Node, read_page
from antifaz.reports.pictures import alone

_HEAD = """
#set page(paper: "a4", margin: (x: 18mm, y: 18mm), numbering: "1 / 1")
#set text(font: "Libertinus Serif", size: 10pt)
#set par(leading: 0.55em, spacing: 0.8em)
#set table(stroke: (x, y) => (bottom: 0.4pt + luma(170)), inset: (x: 4pt, y: 4pt))
#show title: set text(size: 20pt)
#show heading.where(level: 1): it => block(above: 1.6em, below: 0.8em, text(size: 13.5pt, it.body))
#show heading.where(level: 2): it => block(above: 1.2em, below: 0.6em, text(size: 11pt, it.body))
#show raw: set text(size: 7.5pt)
#let soft(body) = text(size: 8.5pt, fill: luma(70), body)
#let strip(shade, body) = block(width: 100%, inset: 8pt, stroke: (left: 3pt + shade), body)
"""
_SHADES = {"good": 'rgb("#17663a")', "bad": 'rgb("#a32020")', "open": 'rgb("#7a4d00")', "warnings": 'rgb("#7a4d00")'}
_SWATCHES = {
    "before": "box(width: 9pt, height: 7pt, stroke: 1pt)",
    "after": 'box(width: 9pt, height: 7pt, fill: rgb("#0c6e69"))',
    "dot": 'box(circle(radius: 3pt, fill: rgb("#0c6e69")))',
    "ring": "box(circle(radius: 3.5pt, stroke: 1.2pt))",
    "reach": 'box(width: 10pt, height: 6pt, stroke: (x: 1.2pt + rgb("#0c6e69")), '
    'place(horizon, line(length: 100%, stroke: 1.2pt + rgb("#0c6e69"))))',
    "bar": 'box(width: 3pt, height: 8pt, stroke: (left: (thickness: 1.2pt, dash: "dashed")))',
}


def require_pdf() -> Any:
    """Return Typst, or say in one sentence which extra is missing."""
    try:
        import typst
    except ModuleNotFoundError:
        raise MissingExtra("report.typst-missing") from None
    return typst


def pdf(page: str) -> bytes:
    """Return a page of ours as a PDF that says its title and language, and tags what is a heading, table or picture."""
    typst = require_pdf()
    text = source(page).encode("utf-8")
    try:
        made: bytes = typst.compile(text, format="pdf", pdf_standards=["ua-1"])
    except typst.TypstError:
        # PDF/UA refuses, for example, a name in a script that no font here has.
        made = typst.compile(text, format="pdf")
    return made


def source(page: str) -> str:
    """Return the page as Typst's source."""
    root, pictures = read_page(page)
    setter = _Setter(pictures)
    html = root.first("html")
    title, language = root.first("title").text(), html.attributes.get("lang") or "en"
    head = f'#set document(title: {_string(title)}, date: none)\n#set text(lang: "{language}")\n'
    return head + _HEAD + setter.blocks(root.first("body").children)


def _string(text: str) -> str:
    """A string of Typst's."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


class _Setter:
    """Turns nodes into Typst's source."""

    def __init__(self, pictures: list[str]) -> None:
        self._pictures = pictures

    def blocks(self, nodes: Iterable[Node | str]) -> str:
        """Return blocks, one after another."""
        return "".join(self._block(node) for node in nodes if isinstance(node, Node))

    def _block(self, node: Node) -> str:
        made = getattr(self, f"_{node.tag}", None)
        if made is not None:
            return str(made(node))
        return self.blocks(node.children)

    def _a(self, node: Node) -> str:
        return ""  # the skip link

    def _h1(self, node: Node) -> str:
        return f"#title[{self.inline(node)}]\n"

    def _h2(self, node: Node) -> str:
        return f"#heading(level: 1)[{self.inline(node)}]\n"

    def _h3(self, node: Node) -> str:
        return f"#heading(level: 2)[{self.inline(node)}]\n"

    def _p(self, node: Node) -> str:
        kind = node.attributes.get("class") or ""
        if kind in ("eyebrow", "meta"):
            return f"#par(soft[{self.inline(node)}])\n"
        return f"#par[{self.inline(node)}]\n"

    def _footer(self, node: Node) -> str:
        return f"#v(1em)\n#par(soft[{self.inline(node)}])\n"

    def _ul(self, node: Node) -> str:
        items = ", ".join(f"[{self.inline(item)}]" for item in node.all("li"))
        return f"#list({items})\n"

    def _section(self, node: Node) -> str:
        kinds = (node.attributes.get("class") or "").split()
        shade = next((_SHADES[kind] for kind in kinds if kind in _SHADES), None)
        body = self.blocks(node.children)
        return f"#strip({shade})[{body}]\n" if shade else body

    def _figure(self, node: Node) -> str:
        return f"#block(breakable: false, width: 100%)[{self.blocks(node.children)}]\n"

    def _figcaption(self, node: Node) -> str:
        return f"#par(soft[{self.inline(node)}])\n"

    def _svg(self, node: Node) -> str:
        drawn, words = alone(self._pictures[int(node.attributes["data-picture"] or 0)])
        return f'#image(bytes({_string(drawn)}), format: "svg", width: 100%, alt: {_string(words)})\n'

    def _div(self, node: Node) -> str:
        if node.attributes.get("class") == "sign":
            return f"#block(breakable: false, width: 100%)[{self.blocks(node.children)}]\n"
        return self.blocks(node.children)

    def _dl(self, node: Node) -> str:
        """Tiles, or lines to sign on."""
        if node.attributes.get("class") == "tiles":
            cells = ", ".join(self._tile(tile) for tile in node.all("div"))
            count = max(1, len(node.all("div")))
            return f"#grid(columns: ({'1fr, ' * count}), gutter: 8pt, {cells})\n"
        lines = "".join(
            f"[#soft[{self.inline(term)}]], [#box(width: 100%, height: 1.6em, stroke: (bottom: 0.6pt))], "
            for term in node.all("dt")
        )
        return f"#grid(columns: (auto, 1fr), gutter: 8pt, {lines})\n"

    def _tile(self, tile: Node) -> str:
        label, *told = [part for part in tile.children if isinstance(part, Node)]
        value = f"#text(size: 14pt, weight: 700)[{self.inline(told[0])}]" if told else ""
        note = "".join(f"#soft[{self.inline(part)}]" for part in told[1:])
        return f"[#soft[{self.inline(label)}]#linebreak()#box[{value}]#linebreak(){note}]"

    def _table(self, node: Node) -> str:
        heads = node.first("thead").all("th")
        rows = [[cell for cell in row.children if isinstance(cell, Node)] for row in node.first("tbody").all("tr")]
        numeric = [head.attributes.get("class") == "num" for head in heads]
        widths = [
            "auto" if right else f"{_weight(row[i] for row in rows if i < len(row))}fr"
            for i, right in enumerate(numeric)
        ]
        aligned = ", ".join("right" if right else "left" for right in numeric)
        head = ", ".join(f"[#soft[#strong[{self.inline(cell)}]]]" for cell in heads)
        body = ", ".join(f"[{self.inline(cell)}]" for row in rows for cell in row)
        caption = self.inline(node.first("caption"))
        return (
            f"#block(above: 1.1em, below: 0.5em)[#soft[{caption}]]\n"
            f"#table(columns: ({', '.join(widths)},), align: ({aligned},), table.header({head}), {body})\n"
        )

    def inline(self, node: Node) -> str:
        """Return what is inside a node, as content."""
        return "".join(self._piece(child) for child in node.children)

    def _piece(self, node: Node | str) -> str:
        if isinstance(node, str):
            text = re.sub(r"[ \n\t]+", " ", node)
            return f"#{_string(text)}" if text.strip() or text == " " else ""
        kinds = (node.attributes.get("class") or "").split()
        inside = self.inline(node)
        if node.tag == "code":
            return f"#raw({_string(node.text())})"
        if node.tag == "ul":
            return f"#list({', '.join(f'[{self.inline(item)}]' for item in node.all('li'))})"
        if node.tag in ("strong", "bdi") or {"label", "holds", "fails"} & set(kinds):
            return f"#strong[{inside}]" + ("#linebreak()" if "label" in kinds else "")
        if "explain" in kinds:
            return f"#soft[{inside}]"
        if "swatch" in kinds:
            return f"#h(8pt)#{_SWATCHES.get(kinds[-1], _SWATCHES['after'])}#h(3pt)"
        if node.attributes.get("lang"):
            return f"#text(lang: {_string(node.attributes['lang'] or 'en')})[{inside}]"
        return inside


def _weight(cells: Iterable[Node]) -> int:
    """How wide a column of text should be: by its longest cell, within reason."""
    return max(10, min(60, max((len(cell.text()) for cell in cells), default=10)))
