"""A person at the page: a browser signed in to a service, and everything that must never happen written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from e2e.web.rest import Served, served

#: How long anything may take; the machine may be busy.
PATIENCE = 60_000
#: What moves is drawn by the processor here, and waited for; test_page_habits.py lets it move.
WINDOW = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "reduced_motion": "reduce"}
_AXE = Path(__file__).parent / "vendor" / "axe.min.js"


class Visit:
    """One browser window at the page of a service."""

    def __init__(self, service: Served, context: Any, root: str) -> None:
        """Open the address with its code, as `antifaz serve` prints it."""
        self.service, self.context, self.root = service, context, root
        self.problems: list[str] = []
        self.page = self._watched()

    def _watched(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _hear(self, kind: str, text: str) -> None:
        # Chromium prints a line for every answer of 400 and above; the page's own words about it are tested.
        if kind == "error" and not re.match(
            r"Failed to load resource: the server responded with a status of 4\d\d", text
        ):
            self.problems.append(f"console: {text}")

    def _asked(self, url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and not url.startswith(self.root):
            self.problems.append(f"request to {url}")

    def sign_in(self) -> None:
        """Come in by a code that is good once."""
        code = self.service.post("/session/codes")["code"]
        self.page.goto(f"{self.root}/#code={code}")
        self.page.get_by_role("main").locator("h1").wait_for()
        assert "code" not in self.page.url

    def another(self) -> Visit:
        """Open a second tab of the same browser."""
        tab = Visit.__new__(Visit)
        tab.service, tab.context, tab.root, tab.problems = self.service, self.context, self.root, self.problems
        tab.page = tab._watched()
        return tab

    def go(self, path: str) -> None:
        """Go to an address of the page, and wait for its heading."""
        self.page.goto(self.root + path)
        self.heading()

    def heading(self, text: str | None = None) -> None:
        """Wait for the heading of a step."""
        self.page.get_by_role("heading", level=1, **({"name": text} if text else {})).wait_for()

    def click(self, name: str | re.Pattern[str], role: str = "button", within: Any = None, exact: bool = False) -> None:
        """Click what has a name, as a person who reads it would."""
        (within or self.page).get_by_role(role, name=name, exact=exact).first.click()

    def role_of(self, column: str, role: str) -> Any:
        """Return the choice of a role for a column, by the words that it has on the page."""
        return self.page.get_by_role("radio", name=f"{column}: {role}", exact=True)

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text is on the page."""
        self.page.get_by_text(text).first.wait_for()

    def violations(self) -> list[str]:
        """Return the serious violations of accessibility that axe-core finds on the page as it is."""
        # Colours that are changing are those of no design.
        self.page.evaluate(
            "Promise.all(document.getAnimations()"
            ".filter(one => one.effect.getComputedTiming().endTime < Infinity)"
            ".map(one => one.finished.catch(() => null)))"
        )
        self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {node['target']} {node['failureSummary'][:200]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@contextmanager
def visiting(chromium: Any, folder: Path, serve: tuple[str, ...] = (), **options: Any) -> Iterator[Visit]:
    """Start a service and a browser window at it; in the end nothing bad may have happened."""
    with served(folder, *serve, ANTIFAZ_LEDGER=str(folder / "ledger")) as service:
        root = str(service.client.base_url).split("/api/")[0]
        context = chromium.new_context(**{**WINDOW, **options})
        try:
            visit = Visit(service, context, root)
            visit.sign_in()
            yield visit
            assert not visit.problems
        except BaseException:
            # A picture of where it stopped, for whoever has to find out why.
            with suppress(Exception):
                visit.page.screenshot(path=folder / "stopped.png", full_page=True)
            raise
        finally:
            context.close()
