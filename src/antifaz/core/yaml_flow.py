"""YAML in its flow form, for a line of a project file."""

import json
from collections.abc import Mapping
from typing import Any

#: YAML takes no longer text for a key, unless a question mark says that it is one.
LONGEST_KEY = 1000
#: Plain words that YAML would not read as text.
_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


def yaml_flow(value: Any) -> str:
    """Write a value in YAML's flow form: JSON, which is YAML too, with plain words left unquoted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(yaml_flow(key))}: {yaml_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(yaml_flow(inner) for inner in value) + "]"
    text = str(value)
    if isinstance(value, str) and text.replace("-", "").replace("_", "").isalpha() and text.isascii():
        return text if text.lower() not in _WORDS and text[0] != "-" else json.dumps(text)
    return json.dumps(value, ensure_ascii=False)


def _key(text: str) -> str:
    return text if len(text) <= LONGEST_KEY else f"? {text} "
