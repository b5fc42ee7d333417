"""The library in a real Jupyter kernel, with ipywidgets and without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import antifaz

jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")

CELL = """
import antifaz as az
people = az.datasets.people(300, seed=1).select(["age", "sex", "diagnosis"])
release = az.anonymize(
    people, roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": az.hierarchy.intervals(10, 40), "sex": az.hierarchy.flat()},
    privacy=az.KAnonymity(5), seed=1,
)
print(release.evidence["privacy"][0]["holds"])
"""


@pytest.fixture
def kernel() -> Iterator[Any]:
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="python3")
    client.execute_interactive(
        f"import sys; sys.path.insert(0, {str(Path(antifaz.__file__).parents[1])!r})", timeout=60
    )
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def printed(kernel: Any, code: str) -> str:
    messages: list[Any] = []
    answer = kernel.execute_interactive(code, timeout=180, output_hook=messages.append)
    assert answer["content"]["status"] == "ok", answer["content"]
    return "".join(message["content"].get("text", "") for message in messages)


def displayed(kernel: Any, expression: str) -> dict[str, str]:
    messages: list[Any] = []
    answer = kernel.execute_interactive(expression, timeout=180, output_hook=messages.append)
    assert answer["content"]["status"] == "ok", answer["content"]
    (data,) = [message["content"]["data"] for message in messages if message["msg_type"] == "execute_result"]
    return data


def test_a_kernel_without_ipywidgets(kernel: Any) -> None:
    assert printed(kernel, "import sys; sys.modules['ipywidgets'] = None\n" + CELL) == "True\n"


def test_a_kernel_with_ipywidgets(kernel: Any) -> None:
    pytest.importorskip("ipywidgets")
    assert printed(kernel, CELL) == "True\n"
    for expression in ("release", "release.evidence", "az.propose.roles(people)"):
        assert '<div class="antifaz-inline">' in displayed(kernel, expression)["text/html"]


def test_the_example_runs_and_shows_what_it_says(kernel: Any) -> None:
    notebook = json.loads((Path(__file__).parents[2] / "examples/notebook/release.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    html = [displayed(kernel, cell)["text/html"] for cell in cells]
    for words, shown in zip(
        ("Proposed roles", "k = ", "requirements hold", "May this be handed over?"), html, strict=False
    ):
        assert words in shown
    assert "A recoding decided before" in html[-1]
    # What is kept in the repository has no output: it would age.
    assert all(not cell.get("outputs") for cell in notebook["cells"])
