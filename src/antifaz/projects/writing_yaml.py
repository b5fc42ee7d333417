"""A project's document as YAML text that people can read, and that reads back as the same document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from antifaz.core.errors import ProjectError
from antifaz.projects.yaml_file import parse_yaml


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # yaml has no types
    """YAML without aliases, which would say twice used parts once."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write every part where it stands."""
        return True


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as text: short mappings in one line, the rest in blocks; as JSON where YAML would change it."""
    try:
        text: str = yaml.dump(
            _plain(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
        )
    except (yaml.YAMLError, RecursionError):
        raise ProjectError("The project is nested too deeply, or holds what a file can't.") from None
    try:
        same = parse_yaml(text, Path("project.yaml")).data == document
    except ProjectError:
        same = False
    return text if same else json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in document.items()}
