"""The explorer inline in a notebook: sliders of k and of records left out, levels by hand, before and after, and the
frontier of all methods.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError, MissingExtra, ParameterError, SchemaError, hint
from antifaz.core.language import LANGUAGES, texts
from antifaz.core.messages import in_language, text_in
from antifaz.core.progress import Progress
from antifaz.core.roles import Role
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.pipeline.candidates import fitting_methods, frontier
from antifaz.pipeline.explorer import Explorer
from antifaz.pipeline.plan import Others, Plan, make_plan
from antifaz.privacy import KAnonymity
from antifaz.proposals.audiences import USUAL, audience_limit
from antifaz.proposals.frontier import models_with_k, spaced
from antifaz.proposals.hierarchies import hierarchy as propose_hierarchy
from antifaz.proposals.roles import roles as propose_roles

if TYPE_CHECKING:
    from antifaz.privacy import PrivacyModel

_PAGE = files("antifaz") / "web" / "page"
#: Where the widget begins, and what it has instead of a module of the page.
_FIRST, _INSTEAD = "notebook/widget.js", {"words.js": "notebook/words.js"}
#: A picture that a style names.
_FILE = re.compile(r"""url\(["']?/page/([\w.]+\.svg)["']?\)""")
_IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*)(["'])(\.[^"']+)\2""")
#: The words that the explorer says.
_WORDS = ("explore.", "judge.tile.", "judge.method", "judge.recommended", "app.missing", "declared.method.")
#: The k that all methods are tried with: as on the page.
_FRONTIER = (2, 20)
#: What the explorer may be asked, as `Explorer.look` names it.
_ASKED = ("k", "suppression", "levels", "weights")
#: Gives each module an address in memory; @@0@@ stands for that of the first.
_LOADER = """const urls = [];
for (const source of SOURCES) {
  const text = source.replace(/@@(\\d+)@@/g, (_, i) => urls[i]);
  urls.push(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
}
const widget = import(urls.at(-1));
export default { render: async (context) => (await widget).default.render(context) };
"""


def explore(
    frame: Any,
    *,
    roles: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] | PrivacyModel | None = None,
    others: Others = "drop",
    language: str = "en",
) -> Any:
    """Show the explorer: what every k, every share left out and every level of a column would cost, as one moves it.

    The rows are counted once, and everything is answered from the counts. `chosen` of what is returned has what was
    chosen in it, as `anonymize` takes it: `az.anonymize(frame, **explorer.chosen)`.

    Args:
        frame: A pandas, polars or pyarrow table, a path, or what `open` returned.
        roles: Per column its role; the proposed one for those not named.
        hierarchies: Per quasi-identifier what its values generalize to; the proposed one for those not named.
        privacy: What must hold; k-anonymity with the usual k when left out. The slider moves its k.
        others: What becomes of columns of which nobody knows the role: they are left out ("drop"), or as in
            `anonymize`.
        language: The language of the explorer: 'en', 'es' or 'ca'.
    """
    if language not in LANGUAGES:
        raise ParameterError("explorer.no-such-language", language=language, hint=hint(language, LANGUAGES))
    widget = _widget_class()
    data = open_data(frame)
    data.schema.require(list(roles or {}))
    proposed = {name: own.value for name, own in propose_roles(data).items() if own.value != "decide"}
    known: dict[str, str] = proposed | {name: str(role) for name, role in (roles or {}).items()}
    quasi = [name for name, role in known.items() if role == Role.QUASI_IDENTIFIER]
    if not quasi:
        raise SchemaError("explorer.nothing-to-explore")
    builders = dict(hierarchies or {})
    trees = {name: builders[name] if name in builders else propose_hierarchy(data, name).details for name in quasi}
    asked = privacy if privacy is not None else KAnonymity(audience_limit(USUAL).k)
    models = list(asked) if isinstance(asked, Sequence) else [asked]
    settings: dict[str, Any] = {"roles": known, "hierarchies": trees, "privacy": models, "others": others}
    from antifaz.methods import FullDomain

    plan = make_plan(data.schema, method=FullDomain(suppression=0.02), seed=None, **settings)
    return widget(NotebookExplorer(plan, data, language), settings)


class NotebookExplorer:
    """Answers the widget in a language: from the counts, and by trying all methods where it is asked for that."""

    def __init__(self, plan: Plan, data: Data, language: str) -> None:
        self._plan, self._data, self._language = plan, data, language
        self._explorer = Explorer(plan, data)

    def answer(self, question: Mapping[str, Any], report_share: Callable[[float], None]) -> dict[str, Any]:
        """Return the answer, or what is wrong; `report_share` hears how far it is."""
        try:
            return {"answer": in_language(self._language, self._answer(question, report_share))}
        except AntifazError as error:
            return {"error": text_in(self._language, error.message)}

    def _answer(self, question: Mapping[str, Any], report_share: Callable[[float], None]) -> Any:
        if question.get("frontier"):
            ks = spaced(*_FRONTIER)
            progress = Progress(lambda _step, share, _message: None if share is None else report_share(share))
            return frontier(self._plan, self._data, ks, progress, fitting_methods(self._plan, self._data, len(ks)))
        if question.get("k") is not None:
            return self._explorer.evaluate(**{key: question[key] for key in _ASKED if question.get(key) is not None})
        words = {key: text for key, text in texts("page", self._language).items() if key.startswith(_WORDS)}
        return {"about": self._explorer.describe(), "words": words, "language": self._language}


@cache
def _widget_class() -> Any:
    """Return the class of the widget; it is made late, because its package is an extra."""
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError:
        raise MissingExtra("explorer.anywidget-missing") from None

    class ExplorerWidget(anywidget.AnyWidget):  # type: ignore[misc]
        """The explorer; nothing of the data is in its state, which notebooks may save."""

        _esm, _css = _script(), _style()
        choice = traitlets.Dict().tag(sync=True)

        def __init__(self, explorer: NotebookExplorer, settings: Mapping[str, Any]) -> None:
            super().__init__()
            self._explorer, self._settings = explorer, settings
            self.on_msg(self._hear)

        @property
        def chosen(self) -> dict[str, Any]:
            """What was chosen, as `anonymize` takes it; what was asked for where nothing was."""
            from antifaz.methods import METHODS, FullDomain

            if not self.choice:
                return {**self._settings, "method": FullDomain(suppression=0.02)}
            if "method" in self.choice:
                name, own = self.choice["method"]["name"], dict(self.choice["method"])
            else:
                name, own = "full-domain", {key: self.choice[key] for key in ("suppression", "levels", "weights")}
            method = METHODS.make(name, {key: value for key, value in own.items() if key != "name"})
            models = list(models_with_k(self._settings["privacy"], int(self.choice["k"])))
            return {**self._settings, "privacy": models, "method": method}

        def _hear(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
            whose = {"id": content.get("id")}

            def report_share(share: float) -> None:
                self.send(whose | {"share": share})

            self.send(whose | self._explorer.answer(content.get("asked") or {}, report_share))

    return ExplorerWidget


def _script() -> str:
    """Return the page's modules that the widget needs as one module, so that a notebook loads nothing from elsewhere.

    Each becomes an address in memory when the widget is first shown; modules come before those that import them.
    """
    order: list[str] = []
    sources: list[str] = []

    def add(path: str) -> int:
        path = _INSTEAD.get(path, path)
        if path in order:
            return order.index(path)

        def imported(match: re.Match[str]) -> str:
            module = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[3]))
            return f"{match[1]}{match[2]}@@{add(module)}@@{match[2]}"

        text = _IMPORT.sub(imported, (_PAGE / path).read_text("utf-8"))
        order.append(path)
        sources.append(text)
        return len(order) - 1

    add(_FIRST)
    return _LOADER.replace("SOURCES", json.dumps(sources))


def _style() -> str:
    """Return the page's looks, for what is inside of the widget only."""
    text = "".join((_PAGE / name).read_text("utf-8") for name in ("style.css", "work.css", "explorer.css"))
    own = "font: 0.95rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--raised); padding: 1rem;"
    text = _FILE.sub(lambda match: f"url(data:image/svg+xml;base64,{_encoded(match[1])})", text)
    # What the page says of its root is said of the widget.
    return f".antifaz-widget {{ {text.replace(':root', '&')}\n{own} }}\n"


def _encoded(name: str) -> str:
    return base64.b64encode((_PAGE / name).read_bytes()).decode("ascii")
