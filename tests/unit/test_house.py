"""What holds of the whole house: one name for one thing, and capabilities that are declared instead of guessed."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import antifaz

SOURCE = Path(antifaz.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
#: A path below the source; a star in it stands for a part of a name.
_PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_*.]+\.(?:py|js|json|j2|css|toml))?)`")
#: The most lines of a package that one person can hold in mind.
ROOM = 9_000


def _trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def test_a_public_class_name_exists_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in _trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_what_a_model_asks_is_declared_and_not_guessed_from_its_class() -> None:
    guessed = [
        f"{path}:{node.lineno}"
        for path, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and any(isinstance(part, ast.Name) and part.id == "KAnonymity" for part in ast.walk(node.args[1]))
    ]
    assert guessed == []


def _paths(text: str) -> list[str]:
    return [
        path for path in _PATH.findall(text) if path.split("/")[0] not in ("tests", "docs", "examples", "src", "out")
    ]


def test_the_files_that_documents_name_are_there() -> None:
    for page in ("CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert [path for path in _paths(text) if not any(SOURCE.glob(path.rstrip("/")))] == [], page


def test_no_task_of_contributing_touches_more_than_four_places() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tasks = [line for line in text.splitlines() if line.startswith(("| add", "| change"))]
    assert len(tasks) == 18
    assert [task for task in tasks if not 1 <= len(set(_paths(task))) <= 4] == []
    # What looks like a path is one, so that none escapes being looked for and counted.
    told = [name for task in tasks for name in re.findall(r"`([^`]*/[^`]*)`", task)]
    assert [name for name in told if not _PATH.fullmatch(f"`{name}`")] == []


def test_no_room_is_too_large_to_live_in() -> None:
    lines: defaultdict[str, int] = defaultdict(int)
    for path in SOURCE.rglob("*.py"):
        lines[path.relative_to(SOURCE).parts[0]] += len(path.read_text(encoding="utf-8").splitlines())
    assert {room: n for room, n in lines.items() if n > ROOM} == {}


def test_a_language_is_its_folder_and_no_list_in_the_code() -> None:
    def texts(node: ast.AST) -> set[object]:
        return {part.value for part in ast.iter_child_nodes(node) if isinstance(part, ast.Constant)}

    spelled = [
        f"{path}:{node.lineno}"
        for path, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and texts(node) == {"en", "es", "ca"}
    ]
    assert spelled == []
