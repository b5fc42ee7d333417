"""The documents can't rot: their code runs, their output is what they show, their links lead somewhere.

Blocks of `bash` and `python` run in one folder per page, in order; Python blocks of a page share their names. A block
of `text` right after one that ran is what it prints, `...` standing for anything. Comments before a block change that:
`<!-- not run: why -->`, `<!-- exit: 1 -->`. Blocks of `yaml` are read as project files or parts of them. Examples have
tests of their own.
"""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from e2e import preloaded
from e2e.conftest import needs_spark, write_people
from e2e.pages import run_blocks

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: All that is written by hand; docs/reference is made from the declarations.
WRITTEN = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "reference")
ALL_PAGES = [*sorted(ROOT.glob("*.md")), *WRITTEN]
#: Why a block of a page does not run; each is known here, so that none is left out in passing.
NOT_RUN = {
    # docs/guides/serve.md starts it as well, and stops it.
    "README.md": ["it stays until you press Ctrl-C"],
}
#: What starts like this sets up the machine, which is not a test's business.
SKIPPED = ("make", "git", "pip")

#: Tests of words, lists and declarations, which whoever follows a recipe must leave as they are.
HOUSE = (
    "unit/web/test_words.py", "unit/reports/test_templating.py", "unit/test_house.py",
    "unit/testing/test_registered.py", "unit/projects/test_catalogue.py",
    "checks/test_check_04_knowing_the_method.py::test_check_04_no_method_has_a_figure_that_was_not_found_here",
)  # fmt: skip
#: What a part of a project file is laid over.
PROJECT = {
    "antifaz": 1,
    "source": {"path": "people.csv"},
    "attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}}},
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "full-domain"},
    "release": {"path": "out/"},
}

_FENCE = re.compile(r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    kind: str
    code: str
    mark: str
    line: int
    #: What the page shows as its output, or None.
    shows: str | None

    @property
    def runs(self) -> bool:
        skipped = self.kind == "bash" and self.code.split(maxsplit=1)[0] in SKIPPED
        return self.kind in ("bash", "python") and not skipped and not self.mark.startswith("not run")

    @property
    def exit(self) -> int:
        return int(self.mark.removeprefix("exit:")) if self.mark.startswith("exit:") else 0


def blocks(text: str) -> list[Block]:
    found = list(_FENCE.finditer(text))
    made = []
    for i, match in enumerate(found):
        after = found[i + 1] if i + 1 < len(found) else None
        follows = after is not None and after["kind"] == "text" and not text[match.end() : after.start()].strip()
        shows = after["code"] if after is not None and follows else None
        line = text.count("\n", 0, match.start()) + 1
        made.append(Block(match["kind"], match["code"], match["mark"] or "", line, shows))
    return made


def _with(*kinds: str) -> list[Path]:
    """The pages that have blocks of some kinds which run, or are read."""

    def has(page: Path) -> bool:
        found = [block for block in blocks(page.read_text(encoding="utf-8")) if block.kind in kinds]
        return any(block.runs or block.kind == "yaml" for block in found)

    return [page for page in (ROOT / "README.md", *WRITTEN) if has(page)]


PAGES = _with("bash", "python")


def test_every_page_for_users_has_code_and_nothing_is_left_out_in_passing() -> None:
    assert {ROOT / "README.md", DOCS / "tutorial.md", *(DOCS / "guides").glob("*.md")} <= set(PAGES)
    left_out: dict[str, list[str]] = {}
    for page in [ROOT / "README.md", *WRITTEN]:
        text = page.read_text(encoding="utf-8")
        found = blocks(text)
        assert len(re.findall(r"^\s*```", text, re.M)) == 2 * len(found), f"{page.name}: a block is indented or open"
        for block in found:
            if block.mark.startswith("not run"):
                left_out.setdefault(page.name, []).append(block.mark.removeprefix("not run: "))
    assert left_out == NOT_RUN


@pytest.mark.parametrize("page", _with("yaml"), ids=lambda page: str(page.relative_to(ROOT)))
def test_project_files_of_the_page_are_right(page: Path, tmp_path: Path) -> None:
    from antifaz.projects.data_actions import read_attackers
    from antifaz.projects.loaded_project import load_project
    from antifaz.projects.project import Project

    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind != "yaml":
            continue
        said = yaml.safe_load(block.code)
        path = tmp_path / "block.yaml"
        if "attackers" in said:
            path.write_text(block.code, encoding="utf-8")
            assert read_attackers([path])
            continue
        # A part stands for itself in a project that is otherwise complete; what is no key of a project is a column.
        part = said if set(said) <= set(Project.model_fields) else {"attributes": said}
        path.write_text(yaml.safe_dump({**PROJECT, **part}), encoding="utf-8")
        load_project(path)


def environment(ledger: Path, *first: Path) -> dict[str, str]:
    """The interpreter of the tests comes first, after what is to come before it.

    The width is fixed, so that tables are laid out as on the page.

    A page has a ledger of its own, as its reader has.
    """
    path = os.pathsep.join([*map(str, first), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PATH": path, "PYTHONPATH": source, "COLUMNS": "160", "NO_COLOR": "1",
            "ANTIFAZ_LEDGER": str(ledger)}  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_of_the_page_runs(page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    wanted = [block for block in blocks(page.read_text(encoding="utf-8")) if block.runs]
    if "pyspark" in "".join(block.code for block in wanted):
        needs_spark()
    if page.name == "README.md":
        write_people(tmp_path / "people.csv", 1000)  # "with data of your own"
    aside = tmp_path_factory.mktemp("aside")
    asked, told = aside / "asked.json", aside / "told.json"
    asked.write_text(json.dumps([[block.kind, block.code] for block in wanted]), encoding="utf-8")
    with preloaded.commands() as found:
        env = environment(aside / "ledger.sqlite", found)
        code, _, error = preloaded.call(run_blocks, [str(asked), str(told)], tmp_path, env)
    assert code == 0, error.decode()
    for block, (code, printed, error) in zip(wanted, json.loads(told.read_text(encoding="utf-8")), strict=True):
        place = f"{page.name}, line {block.line}"
        assert code == block.exit, f"{place}: exit code {code}\n{printed}\n{error}"
        assert "Traceback" not in error, f"{place}:\n{error}"
        if block.shows is not None:
            same = doctest.OutputChecker().check_output(block.shows.strip(), printed.strip(), _SAME)
            assert same, f"{place}: the page shows\n{block.shows}\nbut it prints\n{printed}"


@cache
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everything_declared_has_its_place_in_the_reference(tmp_path: Path) -> None:
    from antifaz.cli.main import COMMANDS
    from antifaz.hierarchies import BUILDERS
    from antifaz.methods import METHODS
    from antifaz.privacy import MODELS
    from antifaz.tabulation import PROTECTIONS, RULES
    from antifaz.utility import MEASURES, QUALITIES

    written = {path.name: path.read_text(encoding="utf-8") for path in reference().write(tmp_path)}
    declared = {"models.md": MODELS, "methods.md": METHODS, "quality.md": QUALITIES, "hierarchies.md": BUILDERS}
    declared |= {"rules.md": RULES, "protections.md": PROTECTIONS}
    for name, registry in declared.items():
        for kind in registry:
            assert f"\n## {kind.name}\n" in written[name]
            assert kind.summary, f"{kind.name} has no summary"
            for parameter, field in kind.model_fields.items():
                assert f"`{parameter}`" in written[name]
                assert field.description, f"{kind.name}: {parameter} has no description"
    for command in COMMANDS:
        assert f"\n## {command}\n" in written["command-line.md"]
    for measure in MEASURES:
        assert f"| `{measure}` |" in written["quality.md"]


def test_every_model_has_its_theory_with_a_worked_example_and_its_source() -> None:
    from antifaz.privacy import BUILTIN

    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "theory").glob("*.md")]
    for kind in BUILTIN:
        author = re.findall(r"[A-Z]\.(?: de)? ([\w ]+?)(?:,| et al)", kind.source)[0]
        about = [text for text in pages if f"az.{kind.__name__}(" in text and "## Source" in text]
        assert any(author in text.partition("## Source")[2] for text in about), f"{kind.name}: {author}"


def test_navigation_lists_every_page() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
    there = {str(page.relative_to(DOCS)) for page in WRITTEN} | {f"reference/{name}" for name in reference().pages()}
    assert listed == there


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents with their generated pages, beside each other as in the repository."""
    folder = tmp_path_factory.mktemp("documents")
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("reference", "__pycache__"))
    for page in ROOT.glob("*.md"):
        shutil.copy(page, folder)
    reference().write(folder / "docs" / "reference")
    return folder


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path, built: Path) -> None:
    here = built / page.relative_to(ROOT)
    text = _FENCE.sub("", here.read_text(encoding="utf-8"))
    for link in _LINK.findall(text):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (here.parent / path) if path else here
        assert target.exists(), f"{page.name}: {link}"
        if page.is_relative_to(DOCS):
            inside = target.resolve().is_relative_to((built / "docs").resolve())
            assert inside, f"{page.name}: {link} is not in the site"
        if anchor:
            heads = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.M)
            assert anchor in {_anchor(head) for head in heads}, f"{page.name}: {link}"


def _anchor(head: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower())


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_not_too_long(page: Path) -> None:
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    # The rows of a table can't be wrapped.
    assert [number for number, line in lines if len(line) > 120 and not line.startswith("| ")] == []


def test_nothing_of_a_machine_is_in_the_documents() -> None:
    for page in ALL_PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/", text), page.name
        assert "\r" not in text and text.endswith("\n"), page.name


def test_recipes_of_contributing_work(tmp_path: Path) -> None:
    """Follow the recipes in a copy of the source: a path in a block's first line is a new file, a diff adds lines.

    Files keep their times, so kernels that were compiled for the source are those of the copy.
    """
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=_vanishing)
    tests = []
    for block in blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        first, _, rest = block.code.partition("\n")
        if block.kind == "diff":
            _add_lines(tmp_path / first.removeprefix("--- "), rest)
        elif block.kind == "python":
            path = tmp_path / first.removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest, encoding="utf-8")
            tests += [str(path)] if path.name.startswith("test_") else []
    assert len(tests) == 4
    env = {**environment(tmp_path / "ledger.sqlite"), "PYTHONPATH": str(tmp_path / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    done = subprocess.run([*command, *tests], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    # And the house is in order: words are there in every language, and nothing was listed elsewhere by its name.
    house = [str(ROOT / "tests" / path) for path in HOUSE]
    # What is common to all classes is tried on those that are new.
    house += ["-vvv", "-k", "not test_registered or p-sensitive or staircase"]
    env["PYTHONPATH"] += os.pathsep + str(ROOT / "tests")
    done = subprocess.run([*command, *house], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_every_model[p-sensitive]" in done.stdout and "test_every_method[staircase]" in done.stdout


def _vanishing(_folder: str, names: list[str]) -> set[str]:
    """Name what a process that compiles beside us writes and renames: it may be gone when it is copied."""
    return {name for name in names if ".tmp." in name or re.search(r"\.pyc\.\d+$", name)}


def _add_lines(path: Path, diff: str) -> None:
    """Put the lines with a plus before or after the line without one, which must be in the file once."""
    lines = diff.splitlines()
    (place,) = [i for i, line in enumerate(lines) if line.startswith(" ")]
    known, added = lines[place][1:], [line[1:] for line in lines]
    text = path.read_text(encoding="utf-8")
    assert text.count(known) == 1, f"{path.name} has not once: {known}"
    before, after = "\n".join([*added[:place], known]), "\n".join(["", *added[place + 1 :]])
    path.write_text(text.replace(known, before + after), encoding="utf-8")
