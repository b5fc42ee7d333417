"""A browser for the tests of the page, and a service for each of them with its stores in the test's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's Chromium. One per module: its event loop must not outlive the tests that need it."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("the package playwright is not installed: pip install playwright")
    if not CHROMIUM.exists():
        _missing(f"there is no {CHROMIUM}: apt install chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"The page must be tested in CI: {what}")
    pytest.skip(what)
