"""Reading a YAML or JSON file with the place of every key, so that errors can say where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from antifaz.core.errors import ProjectError

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A parsed file, and for each key (as its path from the top) its line and column."""

    path: Path
    data: Any
    marks: dict[Place, tuple[int, int]]

    def where(self, place: Place) -> str:
        """Return 'file:line:column' of a key, or of the nearest key above it that the file has."""
        while place and place not in self.marks:
            place = place[:-1]
        line, column = self.marks.get(place, (1, 1))
        return f"{self.path.name}:{line}:{column}"


def read_yaml(path: Path) -> Document:
    """Read a file; JSON is read too, being YAML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ProjectError(f"There is no file {str(path)!r}.") from None
    except IsADirectoryError:
        raise ProjectError(f"{str(path)!r} is a folder; a project file is needed.") from None
    except UnicodeDecodeError:
        raise ProjectError(f"{path.name} is not UTF-8 text.") from None
    except OSError as error:
        raise ProjectError(f"{path.name} can't be read ({error.strerror}).") from None
    # JSON may be indented with tabs, which YAML forbids.
    text = text.replace("\t", " ") if text.lstrip().startswith("{") else text
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        marks: dict[Place, tuple[int, int]] = {}
        if root is not None:
            _walk(root, path, marks)
        return Document(path, yaml.safe_load(text), marks)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ProjectError(f"{path.name}{at}: {error.problem or 'this is not YAML'}.") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ProjectError(f"{path.name} is neither YAML nor JSON that can be read.") from None


def _walk(root: Any, path: Path, marks: dict[Place, tuple[int, int]]) -> None:
    """Note the place of every key; refuse a key that stands twice, of which YAML would keep the last in silence."""
    todo: list[tuple[Any, Place]] = [(root, ())]
    while todo:
        node, place = todo.pop()
        marks.setdefault(place, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.SequenceNode):
            todo += [(child, (*place, i)) for i, child in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                inner = (*place, str(key.value))
                line, column = key.start_mark.line + 1, key.start_mark.column + 1
                if inner in marks:
                    first = marks[inner][0]
                    raise ProjectError(
                        f"{path.name}:{line}:{column}: the key {key.value!r} stands twice (first in line {first})."
                    )
                marks[inner] = (line, column)
                todo.append((child, inner))
