"""The picture of the lattice shows the nodes given, says what it leaves out, and runs nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import pairwise, product
from typing import Any

import pytest

from antifaz.reports.lattice import draw, lattice_html
from oracles.tables import NINETEEN_K3, NINETEEN_PEOPLE, NINETEEN_TREES, SIX_K2, SIX_PEOPLE, SIX_TREES, Rows, Trees

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
Node = dict[str, Any]


def counted(rows: Rows, trees: Trees, columns: Sequence[str], k: int) -> tuple[list[int], list[Node]]:
    """Every node of the lattice, counted one by one."""
    heights = [len(next(iter(trees[column].values()))) - 1 for column in columns]
    nodes = []
    for levels in product(*(range(height + 1) for height in heights)):
        labels = [[trees[c][row[c]][level] for c, level in zip(columns, levels, strict=True)] for row in rows]
        sizes = Counter(map(tuple, labels))
        nodes.append(node(columns, levels, sum(levels), min(sizes.values()) >= k, smallest=min(sizes.values())))
    least = min(n["quality"] for n in nodes if n["satisfies"])
    return heights, [n | {"best": n["satisfies"] and n["quality"] == least} for n in nodes]


def node(
    columns: Sequence[str], levels: Sequence[int], quality: Any, holds: bool, best: bool = False, smallest: Any = None
) -> Node:
    return {
        "levels": dict(zip(columns, levels, strict=True)),
        "quality": quality, "smallest_class": smallest, "classes": None, "suppressed": 0,
        "satisfies": holds, "best": best,
    }  # fmt: skip


def large() -> tuple[list[str], list[int], list[Node]]:
    """6,480 nodes; what is generalized by eight levels or more holds, and the weights leave few ties."""
    columns, heights = list("abcdefgh"), [1, 4, 1, 2, 3, 2, 2, 2]
    nodes = []
    for levels in product(*(range(height + 1) for height in heights)):
        quality = sum((i + 3) * level for i, level in enumerate(levels)) / 200
        nodes.append(node(columns, levels, quality, sum(levels) >= 8))
    least = min(n["quality"] for n in nodes if n["satisfies"])
    return columns, heights, [n | {"best": n["satisfies"] and n["quality"] == least} for n in nodes]


class Picture:
    """What can be read off a picture."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)
        self.boxes: dict[tuple[int, ...], ET.Element] = {}
        self.at: dict[tuple[float, float], tuple[int, ...]] = {}
        for box in self.root.iter(f"{SVG}g"):
            levels = tuple(map(int, re.findall(r"\d+", box.findtext(f"{SVG}text", ""))))
            assert levels not in self.boxes
            self.boxes[levels] = box
            x, y = map(float, re.findall(r"[\d.]+", box.attrib["transform"]))
            # Lines lead to the middles of boxes, in whole pixels.
            self.at[float(f"{x:.0f}"), y + 20] = levels

    def of_kind(self, kind: str) -> list[tuple[int, ...]]:
        return sorted(levels for levels, box in self.boxes.items() if kind in box.attrib["class"].split())

    def y(self, levels: tuple[int, ...]) -> float:
        return next(y for (_, y), at in self.at.items() if at == levels)

    def edges(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        found = []
        for path in self.root.iter(f"{SVG}path"):
            for part in re.findall(r"M(\d+) (\d+)L(\d+) (\d+)", path.attrib["d"]):
                x, y, to_x, to_y = map(float, part)
                found.append((self.at[x, y], self.at[to_x, to_y]))
        return found

    def texts(self) -> list[str]:
        return ["".join(text.itertext()) for text in self.root.iter(f"{SVG}text")]


def neighbours(low: Sequence[int], high: Sequence[int]) -> bool:
    steps = [b - a for a, b in zip(low, high, strict=True)]
    return sorted(steps) == [0] * (len(steps) - 1) + [1]


SIX = (["fnac", "cod_postal"], *counted(SIX_PEOPLE, SIX_TREES, ["fnac", "cod_postal"], 2))
COLUMNS = ["residencia", "sexo", "campo"]
NINETEEN = (COLUMNS, *counted(NINETEEN_PEOPLE, NINETEEN_TREES, COLUMNS, 3))


def test_six_people() -> None:
    picture = Picture(draw(*SIX, quality="height"))
    assert len(picture.boxes) == 9
    assert picture.of_kind("holds") == SIX_K2
    assert picture.of_kind("best") == [(0, 2), (2, 0)]
    assert {levels for levels, box in picture.boxes.items() if box.find(f"{SVG}polygon") is not None} == {
        (0, 2),
        (2, 0),
    }
    assert ["".join(text.itertext()) for text in picture.boxes[0, 2].iter(f"{SVG}text")] == ["[0,2]", "2.000 · ≥ 2"]
    assert picture.boxes[0, 2].findtext(f"{SVG}title") == (
        "fnac: level 0 of 2, cod_postal: level 2 of 2; height: 2.000; smallest class: 2; records left out: 0; "
        "satisfies the models, best"
    )
    assert "All 9 combinations drawn." in picture.texts()
    assert picture.root.attrib["role"] == "img"
    assert "Best: [0,2], [2,0]." in picture.root.findtext(f"{SVG}desc", "")


@pytest.mark.parametrize(("given", "holding"), [(SIX, SIX_K2), (NINETEEN, NINETEEN_K3)], ids=["six", "nineteen"])
def test_rows_and_edges(given: tuple[list[str], list[int], list[Node]], holding: list[tuple[int, ...]]) -> None:
    picture = Picture(draw(*given))
    assert picture.of_kind("holds") == holding
    rows = {sum(levels): picture.y(levels) for levels in picture.boxes}
    assert all(picture.y(levels) == rows[sum(levels)] for levels in picture.boxes)
    assert all(rows[low] > rows[high] for low, high in pairwise(sorted(rows)))
    expected = [(low, high) for low, high in product(picture.boxes, repeat=2) if neighbours(low, high)]
    assert sorted(picture.edges()) == sorted(expected)


def test_boxes_do_not_overlap() -> None:
    for given in (SIX, NINETEEN, large()):
        picture = Picture(draw(*given))
        width = max(float(rect.attrib["width"]) for rect in picture.root.iter(f"{SVG}rect"))
        right = float(picture.root.attrib["viewBox"].split()[2])
        for y in {y for _, y in picture.at}:
            line = sorted(x for x, at in picture.at if at == y)
            assert all(b - a > width for a, b in pairwise(line))
            assert line[0] - width / 2 > 40 and line[-1] + width / 2 <= right
        assert float(picture.root.attrib["width"]) <= 1080


def test_only_some_nodes() -> None:
    columns, heights, nodes = SIX
    picture = Picture(draw(columns, heights, [n for n in nodes if n["satisfies"]]))
    assert sorted(picture.boxes) == SIX_K2
    assert sorted(picture.edges()) == [((0, 2), (1, 2)), ((1, 2), (2, 2)), ((2, 0), (2, 1)), ((2, 1), (2, 2))]
    assert "5 of 9 combinations drawn; 4 not drawn." in picture.texts()


def test_too_many_nodes() -> None:
    columns, heights, nodes = large()
    assert len(nodes) == 6480
    picture = Picture(draw(columns, heights, nodes))
    assert len(picture.boxes) == 400
    said = "400 of 6,480 combinations drawn, the best that satisfy the models and their neighbours; 6,080 not drawn."
    assert said in picture.texts() and said in picture.root.findtext(f"{SVG}desc", "")
    by_levels = {tuple(n["levels"].values()): n for n in nodes}
    assert picture.of_kind("best") == sorted(levels for levels, n in by_levels.items() if n["best"])
    holding = picture.of_kind("holds")
    # Whoever is drawn and does not hold is next to somebody who does, and the best of those who hold are there.
    for levels in set(picture.boxes) - set(holding):
        assert any(neighbours(levels, other) for other in holding)
    first = sorted((n["quality"], levels) for levels, n in by_levels.items() if n["satisfies"])[:20]
    assert {levels for _, levels in first} <= set(holding)


def test_every_tie_of_the_best_is_drawn_before_neighbours() -> None:
    columns, heights = ["a", "b"], [9, 9]
    nodes = [node(columns, at, 1.0, sum(at) == 9, best=sum(at) == 9) for at in product(range(10), repeat=2)]
    picture = Picture(draw(columns, heights, nodes, largest=12))
    assert len(picture.boxes) == 12
    assert len(picture.of_kind("best")) == 10


def test_too_many_and_none_satisfies() -> None:
    columns, heights = ["a", "b"], [9, 9]
    nodes = [node(columns, at, None, False) for at in product(range(10), repeat=2)]
    picture = Picture(draw(columns, heights, nodes, largest=3))
    assert sorted(picture.boxes) == [(8, 9), (9, 8), (9, 9)]
    assert "No combination satisfies the models." in lattice_html(columns, heights, nodes)


def test_what_is_not_known_is_not_shown() -> None:
    picture = Picture(draw(["a"], [1], [{"levels": {"a": 1}, "satisfies": False}]))
    assert picture.texts() == ["sum 1", "[1]", "1 of 2 combinations drawn; 1 not drawn."]
    picture = Picture(draw(["a"], [0], [node(["a"], [0], float("nan"), True)]))
    assert picture.texts() == ["sum 0", "[0]", "The one combination drawn."]
    assert Picture(draw([], [], [])).boxes == {}
    lattice_html([], [], [])


@pytest.mark.parametrize(
    ("quality", "said"),
    [(0.31, "0.310"), (2, "2.000"), (1_234_567.0, "1,234,567"), (1.5e12, "1.50e+12"), ((0.5, 0.25), "0.500")],
)
def test_qualities(quality: Any, said: str) -> None:
    assert said in Picture(draw(["a"], [0], [node(["a"], [0], quality, True)])).texts()


class Page(HTMLParser):
    """Collects the tags of a page, and the cells of its table row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.groups: list[list[list[str]]] = []
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tbody":
            self.groups.append([])
        elif tag == "tr" and self.groups:
            self.groups[-1].append([])
        elif tag in ("th", "td") and self.groups:
            self.groups[-1][-1].append("")
        self._cell = tag in ("th", "td") or (self._cell and tag in ("span", "code"))

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self._cell and self.groups:
            self.groups[-1][-1][-1] += data


def test_table_best_first_ties_together() -> None:
    told = Page(lattice_html(*SIX, quality="height", title="Clinic"))
    assert [[row[-5] for row in group] for group in told.groups] == [
        ["[0,2]fnac=0,cod_postal=2", "[2,0]fnac=2,cod_postal=0"],
        ["[1,2]fnac=1,cod_postal=2", "[2,1]fnac=2,cod_postal=1"],
        ["[2,2]fnac=2,cod_postal=2"],
    ]
    assert [group[0][0] for group in told.groups] == ["1 ★ best", "3", "5"]
    assert told.groups[2][0][2:] == ["4.000", "6", "—", "0"]
    assert [attrs.get("class") for tag, attrs in told.tags if tag == "tbody"] == ["best", None, None]


def test_the_table_says_what_it_does_not_list() -> None:
    text = lattice_html(*SIX, largest=3)
    assert sum(map(len, Page(text).groups)) == 3
    assert "2 more are not listed." in text
    assert "6 not drawn." in text


def test_no_network_no_script_light_and_dark() -> None:
    text = lattice_html(*NINETEEN, title="Nineteen")
    told = Page(text)
    assert not {tag for tag, _ in told.tags} & {"script", "link", "img", "iframe", "object", "form"}
    assert [given["href"] for tag, given in told.tags if tag == "a"] == ["#main"]
    assert not [key for _, attrs in told.tags for key in attrs if key.startswith("on") or key in ("src", "style")]
    (policy,) = [a["content"] for t, a in told.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None and "default-src 'none'" in policy
    assert "prefers-color-scheme: dark" in draw(*NINETEEN)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(", text)
    assert ("html", {"lang": "en"}) in told.tags
    assert text == lattice_html(*NINETEEN, title="Nineteen")


def test_hostile_names_do_nothing() -> None:
    columns = [HOSTILE, "b\u202e\ud800\x00"]
    nodes = [node(columns, at, 1.0, True, best=True, smallest=HOSTILE) for at in product(range(2), repeat=2)]
    Picture(draw(columns, [1, 1], nodes, quality=HOSTILE))
    text = lattice_html(columns, [1, 1], nodes, quality=HOSTILE, title=HOSTILE)
    text.encode("utf-8")
    assert not {tag for tag, _ in Page(text).tags} & {"script", "img"}
    assert "\u202e" not in text and "\x00" not in text
