"""Templates of the report and other pages: one description of a document, written as HTML or as Typst's source.

Templates (`templates/*.j2`) say what stands in a document by calling blocks such as `table` and `figure`. The blocks
stand in `html.j2` and `typst.j2`, by the same names, so that the page and the PDF can't say different things. Whatever
a template writes is escaped for its format, unless it was made by a block: a column's name is never markup.

In a template `t("utility.heading")` is a message of the catalogue, and `evidence.rows.read` a value of the document or
nothing: any part of it may be missing or no object at all, and only what is in the document is ever looked up.
"""

import html
import math
import re
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeGuard

from jinja2 import ChainableUndefined, Environment, FileSystemBytecodeCache, PackageLoader, Undefined
from jinja2.bccache import Bucket
from jinja2.runtime import Macro
from markupsafe import Markup

from antifaz.core.errors import checked_language
from antifaz.core.language import Words
from antifaz.core.language import words as words_of
from antifaz.core.messages import Message
from antifaz.releases.evidence import objects

#: A page may use its own styles and nothing else: a hostile column name has nothing to call.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
ENGLISH = words_of("reports", "en")


def in_language(language: str) -> Words:
    """Return the report's words in a language; raise for one that there are none in."""
    return words_of("reports", checked_language(language))


def style(name: str) -> str:
    """Return a style file."""
    return (files("antifaz.reports") / "templates" / name).read_text("utf-8")


def visible(text: object) -> str:
    """Return text without control, direction-changing and broken characters.

    A column name must not be able to reorder the words around it, or to make the page impossible to encode.
    """
    shown = "" if text is None else str(text)
    return "".join("�" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in shown)


def esc(text: object) -> str:
    """Return text that is safe between tags and inside quoted attributes."""
    return html.escape(visible(text))


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a value can be drawn and compared."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def values(value: object) -> list[Any]:
    """Return the values of a list; nothing where it is none."""
    return list(value) if isinstance(value, list | tuple) else []


def items(value: object) -> list[tuple[Any, Any]]:
    """Return the pairs of an object; nothing where it is none."""
    return list(value.items()) if isinstance(value, Mapping) else []


#: Methods by which templates put rows together.
_BUILDING = frozenset({"append", "extend", "update"})


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates beside their sources, as Python keeps compiled modules; where that can't be, nowhere."""

    def __init__(self, kind: str) -> None:
        folder = Path(str(files("antifaz.reports"))) / "templates" / "__pycache__"
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
        super().__init__(str(folder), f"{kind}-%s.cache")

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


class Templates(Environment):
    """The templates in one language; a subclass is a format."""

    kit = layout = ""

    def __init__(self, language: str, **known: Any) -> None:
        """Read the blocks of the format; `known` is what templates may use by name, such as modules of charts."""
        super().__init__(
            loader=PackageLoader("antifaz.reports"),
            bytecode_cache=_Compiled(type(self).__name__),
            autoescape=True,  # what `content` gives is safe already
            finalize=self.content,
            undefined=ChainableUndefined,
            extensions=["jinja2.ext.do"],
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.words = in_language(language)
        self.tests |= {"number": is_number, "listed": lambda value: isinstance(value, list | tuple)}
        self.tests |= {"plain": lambda value: isinstance(value, str | int | float)}  # one text or number
        self.filters |= {"join": self.join, "items": items, "objects": objects, "values": values}
        self.filters |= {"literal": literal, "width": width, "identifier": identifier}
        self.globals |= {"t": self.message, "w": self.words, "cat": self.cat, "has": self.words.__contains__}
        self.globals |= {"either": self.either, "count": self.count, "layout": self.layout, "style": style}
        self.globals |= {"number": self._defined(self.words.number), "percent": self._defined(self.words.percent)}
        self.globals |= {"POLICY": POLICY, "translated": self.translated}
        self.globals |= known
        for blocks in (self.kit, "shared.j2"):
            module = self.get_template(blocks).module
            self.globals |= {name: block for name, block in vars(module).items() if isinstance(block, Macro)}

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look up a key of an object of the document; data has no methods but those that build lists."""
        return super().getattr(obj, attribute) if attribute in _BUILDING else self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Look up a key or a place, and nothing else."""
        if not isinstance(obj, Mapping | str | int | float | list | tuple):
            return super().getattr(obj, argument)
        data: Any = obj
        try:
            return data[argument]
        except (KeyError, IndexError, TypeError):
            return self.undefined(obj=obj, name=argument)

    def content(self, value: object) -> Markup:
        """Return a value as content of this format; what a block made stays as it is."""
        raise NotImplementedError

    def cat(self, *parts: object) -> Markup:
        """Return parts one after another."""
        return Markup("".join(self.content(part) for part in parts))  # noqa: S704 - contents

    def join(self, parts: Iterable[object], between: str = "") -> Markup:
        """Return parts with something between them."""
        return self.content(between).join(self.content(part) for part in parts)

    def message(self, *key: str, **values: object) -> Markup:
        """Return a message by the parts of its key, with its places filled in."""
        pieces: list[object] = []
        for text, place, _, _ in string.Formatter().parse(self.words.messages[".".join(key)]):
            pieces += (self._plain(text), "" if place is None else values[place])
        return self.cat(*pieces)

    def either(self, *key: object, otherwise: object = "") -> object:
        """Return a message, or what is said where there is none: names of plug-ins are known to nobody here."""
        whole = ".".join(map(str, key))
        return self.message(whole) if whole in self.words else otherwise

    def count(self, key: str, n: object) -> str:
        """Return '1 record', '2,000 records'."""
        return self.words.count(key, None if isinstance(n, Undefined) else n)

    def translated(self, sentence: object) -> str | None:
        """Return a sentence of another room in this language; None where it is not known here."""
        if isinstance(sentence, Mapping) and "code" in sentence:
            sentence = Message.from_dict({"values": {}, **sentence})
        if isinstance(sentence, Message):
            return sentence.text(self.words.language)
        return str(sentence) if self.words.language == "en" else None

    def _plain(self, text: str) -> Markup:
        """Words of the catalogue, which hold no markup."""
        return self.content(text)

    @staticmethod
    def _defined(write: Any) -> Any:
        return lambda value: write(None if isinstance(value, Undefined) else value)


class Html(Templates):
    """A page."""

    kit, layout = "html.j2", "page.html.j2"

    def content(self, value: object) -> Markup:
        """Escape what no block made."""
        return Markup(value.__html__() if hasattr(value, "__html__") else esc(value))  # noqa: S704 - escaped

    def _plain(self, text: str) -> Markup:
        return Markup(text)  # noqa: S704 - a test keeps markup out of the catalogues


class Typst(Templates):
    """The source of a PDF. Every text goes in as a string of Typst's."""

    kit, layout = "typst.j2", "page.typ.j2"

    def content(self, value: object) -> Markup:
        """Make a string of Typst's of what no block made."""
        if isinstance(value, Markup):
            return value
        text = re.sub(r"[ \n\t]+", " ", visible(value))
        return Markup(f"#{literal(text)}" if text else "")  # noqa: S704 - a string of Typst's


def literal(text: object) -> Markup:
    """Return a text as a string of Typst's."""
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return Markup(f'"{escaped}"')  # noqa: S704 - escaped


def width(rows: Iterable[Sequence[object]], place: int) -> Markup:
    """Return how wide a column of text should be in a PDF: by its longest cell, within reason."""
    cells = [str(row[place]) for row in rows if place < len(row)]
    # What is set in a cell stands in strings.
    lengths = (sum(map(len, re.findall(r'"((?:[^"\\]|\\.)*)"', cell) or [cell])) for cell in cells)
    return Markup(f"{max(10, min(60, max(lengths, default=10)))}fr")  # noqa: S704 - a number


def identifier(text: str) -> Markup:
    """Return a name of Typst's own, such as that of a shade."""
    if not text.isidentifier():
        raise ValueError(text)
    return Markup(text)  # noqa: S704 - a name
