"""HTML in notebooks: what the library returns, shown by Jupyter and other notebooks.

Here is only which template shows a thing; the templates are those of the reports. They are loaded by name, as the
public names of the package are: nothing below the reports knows them, and a program without a notebook never does.
"""

from importlib import import_module
from typing import Any, ClassVar

_RENDERER = "antifaz.reports.inline"


def inline_html(template: str, value: Any) -> str:
    """Return the HTML of a value by one of the templates in `reports/templates/inline`."""
    html: str = import_module(_RENDERER).render(template, value)
    return html


class Inline:
    """Something that notebooks show as HTML."""

    inline_template: ClassVar[str]

    def _repr_html_(self) -> str:
        return inline_html(self.inline_template, self)


class InlineDict(dict[str, Any]):
    """A plain dictionary in all but how notebooks show it."""

    def __init__(self, template: str, data: Any) -> None:
        super().__init__(data)
        self.inline_template = template

    def _repr_html_(self) -> str:
        return inline_html(self.inline_template, self)


class InlineList(list[Any]):
    """A plain list in all but how notebooks show it."""

    def __init__(self, template: str, data: Any) -> None:
        super().__init__(data)
        self.inline_template = template

    def _repr_html_(self) -> str:
        return inline_html(self.inline_template, self)
