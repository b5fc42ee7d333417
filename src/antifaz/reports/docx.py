"""A document for word processors: a title, paragraphs and tables, as the few parts that OOXML asks for."""

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

#: A cell: one paragraph, or several.
Cell = str | Sequence[str]
#: A paragraph, or a table of rows, the first of which has the names of the columns.
Block = str | Sequence[Sequence[Cell]]

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
    '<Override PartName="/word/styles.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>'
)
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
_RELATION = (
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" Target="{}"/>'
)
_STYLES = (
    f'<w:styles xmlns:w="{_MAIN}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/>'
    '<w:sz w:val="21"/><w:lang w:val="{language}"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>'
    '<w:spacing w:after="100"/></w:pPr></w:pPrDefault></w:docDefaults>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/>'
    '</w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style></w:styles>'
)
_EDGE = '<w:{0} w:val="single" w:sz="4" w:color="808080"/>'
_EDGES = "".join(_EDGE.format(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV"))
#: The width between the margins of A4, in twentieths of a point.
_WIDTH = 9638


def docx(title: str, blocks: Sequence[Block], *, language: str = "en") -> bytes:
    """Return a document; the same content gives the same bytes."""
    body = _paragraph(title, style="Heading1")
    body += "".join(_paragraph(block) if isinstance(block, str) else _table(block) + _paragraph("") for block in blocks)
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" '
    page += 'w:left="1134" w:header="0" w:footer="0" w:gutter="0"/></w:sectPr>'
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS.format(_RELATION.format("officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": _RELATIONS.format(_RELATION.format("styles", "styles.xml")),
        "word/styles.xml": _STYLES.format(language=language),
        "word/document.xml": f'<w:document xmlns:w="{_MAIN}"><w:body>{body}{page}</w:body></w:document>',
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{part}')
    return made.getvalue()


def _paragraph(text: str, *, style: str | None = None, bold: bool = False) -> str:
    looks = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    # Control characters, which a name of a column may have, are no XML.
    safe = "".join(sign if sign >= " " or sign in "\t\n" else "\ufffd" for sign in text)
    bolder = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:p>{looks}<w:r>{bolder}<w:t xml:space="preserve">{escape(safe)}</w:t></w:r></w:p>'


def _table(rows: Sequence[Sequence[Cell]]) -> str:
    wide = _WIDTH // len(rows[0])
    grid = f'<w:gridCol w:w="{wide}"/>' * len(rows[0])
    head = f'<w:tbl><w:tblPr><w:tblW w:w="{_WIDTH}" w:type="dxa"/><w:tblBorders>{_EDGES}</w:tblBorders></w:tblPr>'
    lines = [f"<w:tr>{''.join(_cell(cell, wide, bold=at == 0) for cell in row)}</w:tr>" for at, row in enumerate(rows)]
    return f"{head}<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"


def _cell(cell: Cell, wide: int, *, bold: bool) -> str:
    paragraphs = "".join(_paragraph(text, bold=bold) for text in ([cell] if isinstance(cell, str) else cell))
    return f'<w:tc><w:tcPr><w:tcW w:w="{wide}" w:type="dxa"/></w:tcPr>{paragraphs}</w:tc>'
