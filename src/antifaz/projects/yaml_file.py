"""Read and write YAML or JSON files; every key that is read has its place, so that errors can say where."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from antifaz.core.errors import ProjectError, hint
from antifaz.core.expectations import expected
from antifaz.core.messages import Message

Place = tuple[str | int, ...]

#: Aliases may repeat a part of the file without end; nobody writes a project of so many parts, or one so deep.
_MOST_NODES, _DEEPEST = 1_000_000, 1_000


@dataclass(frozen=True)
class Document:
    """A parsed file, and for each key (as its path from the top) its line and column."""

    path: Path
    data: Any
    marks: dict[Place, tuple[int, int]]

    def where(self, place: Place) -> Message:
        """Return 'file:line:column' of a key, or of the nearest key above it that the file has."""
        while place and place not in self.marks:
            place = place[:-1]
        line, column = self.marks.get(place, (1, 1))
        return Message("project.place", file=self.path.name, line=line, column=column)

    def placed(self, message: str) -> bool:
        """Whether a message says already where in the file; of several tables, each might say so."""
        return message.startswith(f"{self.path.name}:")


class _TextKeys:
    """Take a key for the text that stands there: a column may be called `no`, `1.0` or `2020-01-01`."""

    flatten_mapping: Any
    construct_object: Any

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Make a mapping whose keys are not read as truth values, numbers or dates."""
        self.flatten_mapping(node)
        return {_key(key): self.construct_object(value, deep=deep) for key, value in node.value}


class _Loader(_TextKeys, yaml.SafeLoader):  # type: ignore[misc]  # yaml has no types
    """YAML by Python alone, which says best what is wrong and where."""


_FastLoader: type[Any] = _Loader
if yaml.__with_libyaml__:
    from yaml.cyaml import CParser

    _PARTS = (yaml.composer.Composer, CParser, yaml.constructor.SafeConstructor, yaml.resolver.Resolver)

    class _FastLoader(_TextKeys, *_PARTS):  # type: ignore[misc, no-redef]  # yaml has no types
        """YAML whose events come from libyaml, eight times as fast.

        The composer is Python's: that of libyaml ends the process where a file is nested too deeply.
        """

        def __init__(self, text: str) -> None:
            for part in _PARTS:
                part.__init__(self, *([text] if part is CParser else []))


def _compose(text: str) -> tuple[Any, Any]:
    """Return the loader of a text and its root."""
    if "\t" not in text:  # libyaml takes some that YAML by Python refuses
        try:
            loader = _FastLoader(text)
            return loader, loader.get_single_node()
        except (yaml.YAMLError, ValueError):
            pass
    loader = _Loader(text)
    return loader, loader.get_single_node()


def _key(node: Any) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.constructor.ConstructorError(None, None, "a key is text, not a list or a mapping", node.start_mark)
    return str(node.value)


def read_yaml(path: Path) -> Document:
    """Read a file; JSON is read too."""
    return parse_yaml(read_text(path), path)


def parse_yaml(text: str, path: Path) -> Document:
    """Read the text of a file; errors name the file."""
    text = text.removeprefix("\ufeff")
    try:
        # JSON may be indented with tabs, which YAML forbids.
        loader, root = _compose(text.replace("\t", " ") if text.lstrip().startswith("{") else text)
        marks: dict[Place, tuple[int, int]] = {}
        if root is not None:
            _walk(root, path, marks)
        return Document(path, _data(text, loader, root), marks)
    except yaml.MarkedYAMLError as error:
        mark, file = error.problem_mark or error.context_mark, path.name
        if mark:
            file = Message("project.place", file=file, line=mark.line + 1, column=mark.column + 1)
        raise ProjectError("project.not-yaml", file=file, problem=error.problem or "this is not YAML") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ProjectError("project.neither-yaml-nor-json", file=path.name) from None


def read_text(path: Path) -> str:
    """Return the text of a file exactly as it is."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ProjectError("project.file-not-found", path=str(path)) from None
    except IsADirectoryError:
        raise ProjectError("project.is-a-folder", path=str(path)) from None
    except UnicodeDecodeError:
        raise ProjectError("project.not-utf-8", file=path.name) from None
    except OSError as error:
        raise ProjectError("project.not-readable", file=path.name, reason=error.strerror) from None


def _data(text: str, loader: Any, root: Any) -> Any:
    """Read JSON as JSON: YAML would take 1e5 for text, and half of a surrogate pair for a character."""
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass  # a YAML mapping in its flow form
    return None if root is None else loader.construct_document(root)


def _walk(root: Any, path: Path, marks: dict[Place, tuple[int, int]]) -> None:
    """Note the place of every key; refuse a key that stands twice, of which YAML would keep the last in silence."""
    todo: list[tuple[Any, Place]] = [(root, ())]
    while todo:
        node, place = todo.pop()
        if len(marks) > _MOST_NODES or len(place) > _DEEPEST:
            raise ProjectError("project.too-many-parts", file=path.name, most=_MOST_NODES)
        marks.setdefault(place, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.SequenceNode):
            todo += [(child, (*place, i)) for i, child in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                inner, at = (*place, _key(key)), (key.start_mark.line + 1, key.start_mark.column + 1)
                if inner in marks:
                    about = {"line": at[0], "column": at[1], "key": key.value, "first": marks[inner][0]}
                    raise ProjectError("project.key-twice", file=path.name, **about)
                marks[inner] = at
                todo.append((child, inner))


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # yaml has no types
    """YAML without aliases, which would say twice used parts once."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as text: short mappings in one line, the rest in blocks; as JSON where YAML would change it."""
    try:
        text: str = yaml.dump(
            _plain(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
        )
    except (yaml.YAMLError, RecursionError):
        raise ProjectError("project.nested-too-deeply") from None
    try:
        same = parse_yaml(text, Path("project.yaml")).data == document
    except ProjectError:
        same = False
    return text if same else json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in document.items()}


#: What people who write YAML are told instead of what others are told.
_WORDS = {
    "tuple_type": Message("expected.list"),
    "string_type": Message("expected.text"),
    "string_pattern_mismatch": Message("expected.size"),
}


M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], document: Document, parts: Mapping[str, type[BaseModel]]) -> M:
    """Read a whole file, or say where it is wrong and what was expected; `parts` are what stands under some keys."""
    try:
        return model(**_plain(document.data))
    except ValidationError as error:
        kind, place, right = first_problem(error, _WORDS)
    key, where = ".".join(map(str, place)), document.where(place)
    if kind == "extra_forbidden":
        near = hint(str(place[-1]), known_keys(model, place, parts))
        raise ProjectError("project.unknown-key", place=where, key=key, hint=near)
    if kind == "missing":
        raise ProjectError("project.key-needed", where=where, key=key)
    raise ProjectError("project.key-wrong", place=where, key=key, expected=right)


def first_problem(error: ValidationError, words: Mapping[str, str]) -> tuple[str, Place, str]:
    """Return of the first thing that is wrong its kind, its place, and what was expected, in our words for the kind."""
    first = error.errors(include_url=False)[0]
    named = next((ours for kind, ours in words.items() if first["type"].startswith(kind)), None) or expected(first)
    return first["type"], tuple(first["loc"]), named


def known_keys(model: type[BaseModel], place: Place, parts: Mapping[str, type[BaseModel]]) -> list[str]:
    """Return the keys that are known where an unknown one was found; columns and tables may have any name."""
    ways = pairwise(("", *place[:-1]))
    inner = [str(part) for above, part in ways if part in parts and above not in ("attributes", "tables")]
    return list((parts[inner[-1]] if inner else model).model_fields)
