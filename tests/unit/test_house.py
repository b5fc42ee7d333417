"""What holds of the whole house: one name for one thing, and capabilities that are declared instead of guessed."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import antifaz

SOURCE = Path(antifaz.__file__).parent
#: Names that two public classes still share. The list only ever shrinks.
STILL_TWICE: frozenset[str] = frozenset(
    {
        "Candidates",
        "Change",
        "Column",
        "Database",
        "Dialect",
        "Engine",
        "File",
        "Layout",
        "Loaded",
        "Node",
        "Operation",
        "Points",
        "Source",
        "Store",
        "Table",
        "Wanted",
    }
)


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
    assert {name: paths for name, paths in places.items() if len(paths) > 1 and name not in STILL_TWICE} == {}


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
