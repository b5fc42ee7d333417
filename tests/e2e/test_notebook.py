"""The library in a real Jupyter kernel, with ipywidgets and without."""

from __future__ import annotations

import json
import re
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


EXPLORER = """
import antifaz as az
people = az.datasets.people(300, seed=1).select(["age", "sex", "diagnosis"])
explorer = az.explore(
    people, roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}, language="LANGUAGE",
)
explorer
"""


def told(kernel: Any, comm: str, content: Any, method: str = "custom") -> Any:
    """Send what a notebook's page sends to a widget, and return what the widget sends to the page."""
    data = {"method": "custom", "content": content} if method == "custom" else {"method": method, "state": content}
    kernel.shell_channel.send(kernel.session.msg("comm_msg", {"comm_id": comm, "data": data}))
    while True:
        message = kernel.get_iopub_msg(timeout=60)
        if message["msg_type"] == "comm_msg" and message["content"]["data"].get("method") == "custom":
            content = message["content"]["data"]["content"]
            if "share" not in content:  # how far it is; the answer follows
                return content
        if method != "custom" and message["content"].get("execution_state") == "idle":
            return None


def test_the_explorer_says_what_to_install(kernel: Any) -> None:
    code = """
import sys
sys.modules["anywidget"] = None
try:
    az.explore(people)
except az.MissingExtra as error:
    print(error)
"""
    assert "pip install 'antifaz[notebook]'" in printed(kernel, CELL + code)


def test_the_explorer_in_a_real_kernel_and_a_real_browser(kernel: Any, chromium: Any) -> None:
    pytest.importorskip("anywidget")
    view = displayed(kernel, EXPLORER.replace("LANGUAGE", "es"))["application/vnd.jupyter.widget-view+json"]
    comm = view["model_id"]
    # What a notebook may save: the script and what was chosen, and nothing of the data.
    state = json.loads(printed(kernel, "import json; print(json.dumps(explorer.get_state(), default=str))"))
    assert state["choice"] == {} and "[20" not in json.dumps(state) and len(state["_esm"]) > 10_000
    page, host = chromium.new_page(), "http://notebook.example/"
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda asked: problems.append(asked.url) if asked.url.startswith("http") else None)
    page.route(
        host,
        lambda route: route.fulfill(
            body="<!doctype html><title>n</title><main><div id=cell></div></main>", content_type="text/html"
        ),
    )
    page.expose_function("toKernel", lambda content: told(kernel, comm, content))
    page.expose_function("chosen", lambda state: told(kernel, comm, state, "update"))
    page.goto(host)
    page.add_style_tag(content=state["_css"])
    page.evaluate(
        """async (esm) => {
            const heard = [], set = {};
            const model = {
                send: (content) => toKernel(content).then((answer) => heard.forEach((hear) => hear(answer))),
                on: (_, hear) => heard.push(hear), off: () => {}, set: (key, value) => { set[key] = value; },
                save_changes: () => chosen(set),
            };
            const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
            await (await import(url)).default.render({ model, el: document.getElementById("cell") });
        }""",
        state["_esm"],
    )
    page.get_by_role("heading", name="Esto pierde lo mínimo").wait_for()
    slider = page.get_by_label("Cuántos deben parecer iguales (k)")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("k = 6").wait_for()
    page.get_by_role("radiogroup", name="sex").get_by_role("radio", name="no se dice").click()
    page.get_by_role("heading", name="Sus propios niveles").wait_for()
    page.get_by_role("button", name="Elegir esto").click()
    page.get_by_text("Elegido").wait_for()
    code = """
evidence = az.anonymize(people, **explorer.chosen, seed=1).evidence
print(evidence["privacy"][0]["k"], evidence["method"]["name"], evidence["method"].get("levels", {}).get("sex"))
"""
    assert printed(kernel, code) == "6 full-domain 1\n"
    # The frontier of all methods: a click in the picture chooses.
    page.get_by_role("button", name="Probar todos los métodos").click()
    point = page.get_by_role("button", name=re.compile("Mondrian, k = 4"))
    point.wait_for(timeout=120_000)
    point.click()
    page.get_by_role("heading", name="Mondrian, k = 4").wait_for()
    page.get_by_role("button", name="Elegir esto").last.click()
    page.locator(".node-details").get_by_text("Elegido").wait_for()
    assert problems == [host]  # and nothing else was asked for
    page.close()
    assert printed(kernel, code) == "4 mondrian None\n"
