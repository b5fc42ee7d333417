"""The hierarchy editor by hand: cells, levels, dragging, moving by keyboard, files in and out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from e2e.web.browsing import PATIENCE, Visit, visiting

COLOURS = "colour,n\n" + "".join(
    f"{colour},{n}\n" for n, colour in enumerate(["red", "pink", "blue", "navy", "green"] * 2)
)
START = [
    ["red", "warm", "*"],
    ["pink", "warm", "*"],
    ["blue", "cold", "*"],
    ["navy", "cold", "*"],
    ["green", "cold", "*"],
]


@pytest.fixture(scope="module")
def visit(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(chromium, tmp_path_factory.mktemp("editor"), accept_downloads=True) as found:
        yield found


class Editor:
    """The editor of a project's only hierarchy, open."""

    def __init__(self, visit: Visit, name: str) -> None:
        data = visit.service.upload(COLOURS, "colours.csv")
        attributes = {
            "colour": {"role": "quasi-identifier", "hierarchy": {"table": START}},
            "n": {"role": "insensitive"},
        }
        document = {"antifaz": 1, "attributes": attributes, "privacy": [{"model": "k-anonymity", "k": 2}]}
        self.visit, self.project = visit, visit.service.project(name, data["id"], document)["id"]
        visit.go(f"/p/{self.project}/hierarchies")
        self.panel = visit.page.get_by_role("region", name="colour", exact=True)
        visit.click("Edit", within=self.panel)
        self.panel.locator("table.grid").wait_for()

    def kept(self) -> dict[str, list[str]]:
        """What the service has, by value."""
        self.visit.page.locator(".saved", has_text="Saved").wait_for()
        table = self.visit.service.get(f"/projects/{self.project}")["document"]["attributes"]["colour"]["hierarchy"][
            "table"
        ]
        return {row[0]: row[1:] for row in table}

    def until(self, wanted: dict[str, list[str]]) -> None:
        """Wait until the service has these rows."""
        for _ in range(100):
            found = self.kept()
            if all(found.get(value) == labels for value, labels in wanted.items()):
                return
            self.visit.page.wait_for_timeout(100)
        raise AssertionError(found)

    def tree(self) -> Any:
        self.visit.click("Tree", role="radio", within=self.panel)
        found = self.panel.get_by_role("tree")
        found.wait_for()
        return found


def test_cells_levels_and_suppression(visit: Visit) -> None:
    editor = Editor(visit, "cells")
    editor.panel.get_by_label("green, level 1").fill("warm")
    editor.panel.get_by_label("green, level 1").press("Enter")
    editor.until({"green": ["warm", "*"], "red": ["warm", "*"]})
    visit.click("Add a level", within=editor.panel)
    editor.until({"green": ["warm", "warm", "*"]})
    visit.click("Remove level 3", within=editor.panel)
    # Two groups on top: it is said, and one click mends it.
    editor.panel.get_by_text("The last level has 2 groups").wait_for()
    visit.click("Add suppression (*)", within=editor.panel)
    editor.panel.get_by_text("It covers all values and is consistent.").wait_for()
    editor.until({"green": ["warm", "warm", "*"]})
    visit.click("Undo", within=editor.panel)
    editor.until({"green": ["warm", "warm"]})


def test_a_value_is_moved_by_keyboard_and_a_group_renamed(visit: Visit) -> None:
    editor = Editor(visit, "keys")
    tree = editor.tree()
    tree.focus()
    # '*', then 'warm' opened, then its first value.
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "Space", "m"):
        visit.page.keyboard.press(key)
    move = editor.panel.get_by_label("Move to")
    move.wait_for()
    assert editor.panel.locator(".tree-chosen").inner_text() == "red"
    move.select_option("cold")
    visit.click("Move", within=editor.panel, exact=True)
    editor.until({"red": ["cold", "*"], "pink": ["warm", "*"]})
    editor.panel.get_by_role("treeitem", name="cold").click()
    name = editor.panel.get_by_label("Name")
    expect(name).to_have_value("cold")  # it is put in after the choice; who types sees it first
    name.fill("icy")
    visit.click("Rename", within=editor.panel)
    editor.until({"red": ["icy", "*"], "navy": ["icy", "*"], "pink": ["warm", "*"]})


def test_a_value_is_dragged_to_another_group(visit: Visit) -> None:
    editor = Editor(visit, "drag")
    editor.tree()
    for group in ("cold", "warm"):
        editor.panel.get_by_role("treeitem", name=group).locator(".tree-twist").click()
    grip = editor.panel.get_by_role("treeitem", name="navy").locator(".tree-grip").bounding_box()
    group = editor.panel.get_by_role("treeitem", name="warm").bounding_box()
    visit.page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    visit.page.mouse.down()
    visit.page.mouse.move(group["x"] + 80, group["y"] + 10, steps=5)
    visit.page.mouse.up()
    editor.until({"navy": ["warm", "*"], "blue": ["cold", "*"]})


def test_a_file_comes_in_and_goes_out(visit: Visit, tmp_path: Path) -> None:
    editor = Editor(visit, "files")
    rows = [[value, label.upper(), "any"] for value, label, _ in START]
    (tmp_path / "in.csv").write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    editor.panel.locator("input[type=file]").set_input_files(tmp_path / "in.csv")
    editor.panel.get_by_label("red, level 2").wait_for()
    visit.page.wait_for_function("() => document.querySelector('[data-cell=\"0-1\"]')?.value === 'WARM'")
    with visit.page.expect_download(timeout=PATIENCE) as started:
        visit.click("Export CSV", within=editor.panel)
    started.value.save_as(tmp_path / "out.csv")
    written = [line.split(";") for line in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()]
    assert sorted(written) == sorted(rows)
