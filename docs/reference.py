"""Write the reference pages from the declarations: `python docs/reference.py [folder]`.

`make docs` runs this before mkdocs. The pages are not kept in the repository: what is declared is what is documented.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from antifaz.cli.main import COMMANDS, cli
from antifaz.core.declaration import Declared
from antifaz.hierarchies import BUILDERS
from antifaz.methods import METHODS
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.privacy import MODELS
from antifaz.projects import project, tables
from antifaz.releases.evidence import evidence_schema
from antifaz.tabulation import PROTECTIONS, RULES
from antifaz.utility import MEASURES, QUALITIES

FOLDER = Path(__file__).resolve().parent / "reference"
_MADE = "<!-- Made by docs/reference.py from the declarations; edit those. -->\n"
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minItems": "at least {} of them",
}
#: The parts of a project file, each under the key that it stands at.
_PARTS: dict[str, type[BaseModel]] = {
    "": project.Project,
    "source": project.ProjectSource,
    "attributes.NAME": project.Attribute,
    "engine": project.ProjectEngine,
    "release": project.Target,
    "several tables": tables.SeveralTables,
    "tables.NAME": tables.ProjectTable,
    "repeated": tables.Repeated,
}


def pages() -> dict[str, str]:
    """Return every reference page by the name of its file."""
    return {
        "models.md": _declared(
            "Privacy models",
            "What must hold of a release. In a project file a model is an entry of `privacy`; in the library it is a "
            "class. Every model is judged by the gate in the written rows.",
            MODELS,
            lambda kind: f"In a project file: `{{model: {kind.name}, …}}`. In the library: `az.{kind.__name__}(…)`.",
        ),
        "methods.md": _declared(
            "Methods",
            "How to get there. In a project file the method stands under `method`; in the library it is the argument "
            "`method`.",
            METHODS,
            lambda kind: f"In a project file: `{{name: {kind.name}, …}}`. In the library: `az.{kind.__name__}(…)`.",
        ),
        "quality.md": _quality(),
        "hierarchies.md": _declared(
            "Hierarchies",
            "What the values of a quasi-identifier generalize to. In a project file a hierarchy is a mapping with the "
            "builder's name; what stands behind the name is its main parameter (in bold below), and the others stand "
            "beside it. The guide on hierarchies has an example of each.",
            BUILDERS,
            lambda kind: f"In a project file: `{{{kind.name}: …}}`.",
        ),
        "operations.md": _declared(
            "Operations",
            "What is done to the cells of single columns, before all else. In a project file an operation, or a list "
            "of them, stands under `operation` of an attribute; in the library it is a function of `az.mask`. The "
            "guide on masking says what each protects and what not.",
            OPERATIONS,
            lambda kind: (
                f"In a project file: `{{name: {kind.name}, …}}`. In the library: "
                f"`az.mask.{kind.name.replace('-', '_')}(frame, columns, …)`."
            ),
        ),
        "perturbations.md": _declared(
            "Perturbations",
            "Numbers and categories are changed a little, so that they are no longer anybody's own. In a project file "
            "one stands under `operation` of an attribute, or with its `columns` in the list `perturbation`; in the "
            "library it is a function of `az.perturb`. The guide on perturbation says how, the theory what each "
            "protects and what it destroys.",
            PERTURBATIONS,
            lambda kind: (
                f"In a project file: `{{name: {kind.name}, …}}`. In the library: "
                f"`az.perturb.{kind.name.replace('-', '_')}(frame, columns, …)`."
            ),
        ),
        "rules.md": _declared(
            "Rules for tables",
            "What makes a cell of a table of counts or sums sensitive: the argument `rules` of `az.tabulate`.",
            RULES,
            lambda kind: f"In the library: `az.{kind.__name__}(…)`. `antifaz tabulate` has an option of that name.",
        ),
        "protections.md": _declared(
            "Protections of tables",
            "How the sensitive cells of a table are kept from being known: the argument `protection` of "
            "`az.tabulate`. The auditor attacks what was written, whatever the protection.",
            PROTECTIONS,
            lambda kind: f"`antifaz tabulate --protect {kind.name}`. In the library: `az.{kind.__name__}(…)`.",
        ),
        "project-file.md": _project_file(),
        "evidence.md": _evidence(),
        "command-line.md": _command_line(),
    }


def write(folder: Path = FOLDER) -> list[Path]:
    """Write all pages into a folder and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in pages().items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _declared(
    title: str, intro: str, kinds: Iterable[type[Declared]], use: Callable[[type[Declared]], str]
) -> str:  # fmt: skip
    parts = [_MADE, f"# {title}\n", f"{intro}\n"]
    for kind in kinds:
        parts += [f"## {kind.name}\n", f"{_safe(kind.summary)}\n"]
        parts += [f"{_safe(kind.details)}\n"] if kind.details else []
        parts += [f"Formula: `{kind.formula}`\n"] if kind.formula else []
        parts += [f"Source: {_safe(kind.source)}.\n"] if kind.source else []
        parts += [f"{use(kind)}\n", _parameters(kind)]
    return "\n".join(parts)


def _parameters(kind: type[Declared]) -> str:
    schema = kind.model_json_schema()
    needed = set(schema.get("required", ()))
    rows = []
    for name, said in schema.get("properties", {}).items():
        shown = f"**`{name}`**" if name == kind.primary else f"`{name}`"
        default = "needed" if name in needed else _default(said.get("default"))
        rows.append((shown, _kind(said, schema), default, _safe(said.get("description", ""))))
    return _table(("parameter", "takes", "default", "what it says"), rows) if rows else "It has no parameters.\n"


def _kind(said: dict[str, Any], schema: dict[str, Any]) -> str:
    """Say in words what a parameter takes, with its bounds."""
    if "$ref" in said:
        said = {**schema.get("$defs", {}).get(said["$ref"].rpartition("/")[2], {}), **said}
    if "enum" in said:
        return ", ".join(f"`{value}`" for value in said["enum"])
    if "const" in said:
        return f"`{said['const']}`"
    choices = [part for part in said.get("anyOf", ()) if part.get("type") != "null"]
    if choices:
        return " or ".join(dict.fromkeys(_kind(choice, schema) for choice in choices))
    words = {
        "integer": "a whole number",
        "number": "a number",
        "string": "a text",
        "boolean": "true or false",
        "array": "a list",
        "object": "a mapping",
    }
    bounds = [text.format(said[key]) for key, text in _BOUNDS.items() if key in said]
    return ", ".join([words.get(str(said.get("type")), "anything"), *bounds])


def _default(value: Any) -> str:
    if value is None or isinstance(value, dict):
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if value != "" else "empty"


def _quality() -> str:
    text = _declared(
        "Quality",
        "A search for the best generalization minimizes a quality model. In a project file: "
        "`method: {name: full-domain, quality: loss}`.",
        QUALITIES,
        lambda kind: f"In a project file: `quality: {kind.name}`.",
    )
    measures = [(f"`{name}`", _safe(_first_line(measure))) for name, measure in MEASURES.items()]
    return (
        f"{text}\n## Measures in the evidence\n\nUnder `utility` in `evidence.json`, for every full-domain release.\n\n"
        + _table(("key", "what it says"), measures)
    )


def _project_file() -> str:
    parts = [
        _MADE,
        "# The project file\n",
        "YAML or JSON. Paths are relative to the file. An unknown key is an error that names the nearest known one; "
        "`antifaz schema` prints the same as a JSON Schema, for editors.\n",
    ]
    for place, part in _PARTS.items():
        schema = part.model_json_schema()
        needed = set(schema.get("required", ()))
        parts += [f"## {f'`{place}`' if place else 'The top'}\n", f"{_safe(_first_line(part))}\n"]
        rows = [
            (
                f"`{key}`",
                _kind(said, schema),
                "needed" if key in needed else _default(said.get("default")),
                _safe(said.get("description", f"See `{key}` below.")),
            )
            for key, said in schema["properties"].items()
        ]
        parts.append(_table(("key", "takes", "default", "what it says"), rows))
    return "\n".join(parts)


def _evidence() -> str:
    schema = evidence_schema()
    parts = [
        _MADE,
        "# The evidence\n",
        "`evidence.json`, and what `antifaz run --json` prints. `antifaz schema evidence` prints the same as a JSON "
        "Schema. Keys that are not needed are left out where there is nothing to say.\n",
    ]
    first = ("Evidence", "TablesEvidence")
    for name in (*first, *(name for name in schema["$defs"] if name not in first)):
        part = schema["$defs"][name]
        needed = set(part.get("required", ()))
        parts += [f"## {name}\n", f"{_safe(part['description'])}\n"]
        rows = [
            (f"`{key}`", _kind(field, schema), "yes" if key in needed else "", _safe(field["description"]))
            for key, field in part["properties"].items()
        ]
        parts.append(_table(("key", "holds", "always", "what it says"), rows))
    return "\n".join(parts)


def _command_line() -> str:
    parts = [
        _MADE,
        "# The command line\n",
        "Results go to standard output, progress and messages to standard error. Every command takes `--json`.\n",
        "Exit codes: `0` done and verified; `1` the privacy asked for can't be reached, or a check failed; `2` bad "
        "input or usage.\n",
        "Errors are printed in the language that the environment variable `ANTIFAZ_LANGUAGE` names (`en`, `es`, `ca`); "
        "in English where it names none. The machine's locale changes nothing.\n",
    ]
    with click.Context(cli, info_name="antifaz") as top:
        for name in COMMANDS:
            command = cli.get_command(top, name)
            if command is None:
                continue
            context = click.Context(command, info_name=name, parent=top, max_content_width=96, terminal_width=96)
            parts += [f"## {name}\n", f"```text\n{command.get_help(context)}\n```\n"]
            for inner, below in command.commands.items() if isinstance(command, click.Group) else ():
                within = click.Context(below, info_name=inner, parent=context, max_content_width=96, terminal_width=96)
                parts += [f"### {name} {inner}\n", f"```text\n{below.get_help(within)}\n```\n"]
    return "\n".join(parts)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _first_line(thing: Any) -> str:
    line = (thing.__doc__ or "").strip().splitlines()[0].removeprefix("Return ")
    return line[:1].upper() + line[1:]


def _safe(text: str) -> str:
    """Keep what looks like markup, such as '*' and '<', from being taken for it."""
    for sign in "\\*_[":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
