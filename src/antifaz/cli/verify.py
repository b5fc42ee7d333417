"""antifaz verify."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import given, json_option, print_json, progress, reading_options


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--qi", required=True, help="The quasi-identifiers, separated by commas; one with a comma in it in double quotes."
)
@click.option("--k", type=int, help="Ask for k-anonymity.")
@click.option(
    "--blanks",
    type=click.Choice(["value", "match"]),
    help="How --k takes a missing cell: as a value of its own (when left out), or as matching any value.",
)
@click.option("--l", "l_", type=int, help="Ask for distinct l-diversity of --sensitive.")
@click.option("--sensitive", help="The sensitive attribute that --l is about.")
@click.option(
    "--model", "models", multiple=True, help="Any model as in project files, e.g. '{model: k-anonymity, k: 5}'."
)
@reading_options
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    data: Path,
    qi: str,
    k: int | None,
    blanks: str | None,
    l_: int | None,
    sensitive: str | None,
    models: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Check any table, whoever made it, from its rows alone. Exit code 1 when something does not hold.

    \b
    antifaz verify release.csv --qi age,sex,postcode --k 5
    antifaz verify release.csv --qi age,sex --k 5 --l 2 --sensitive diagnosis
    antifaz verify release.csv --qi age,sex --k 5 --blanks match
    """
    from antifaz.projects import actions

    asked = [_model(text) for text in models]
    if k is not None:
        asked.append({"model": "k-anonymity", "k": k, **({"blanks": blanks} if blanks else {})})
    elif blanks:
        raise click.UsageError("--blanks goes with --k.")
    if l_ is not None:
        asked.append({"model": "l-diversity", "l": l_, **({"attribute": sensitive} if sensitive else {})})
    if not asked:
        raise click.UsageError("Say what to check: --k, --l with --sensitive, or --model.")
    qis = [name.strip() for name in next(csv.reader([qi], skipinitialspace=True), [])]
    if not all(qis) or not qis:
        raise click.UsageError("--qi takes the names of columns, separated by commas.")
    with progress() as told, told.step("verify", "counting"):
        found = actions.verify_file(data, qis, asked, **given(options))
    print_json(found) if as_json else _print(found)
    ctx.exit(0 if all(verdict["holds"] for verdict in found["privacy"]) else 1)


def _model(text: str) -> dict[str, Any]:
    import yaml

    try:
        said = yaml.safe_load(text)
    except yaml.YAMLError:
        said = None
    if not isinstance(said, dict) or "model" not in said:
        raise click.UsageError("--model takes a mapping such as " + json.dumps({"model": "k-anonymity", "k": 5}) + ".")
    return said


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    console.print(f"{found['rows']:,} records in {found['classes']:,} classes")
    for verdict in found["privacy"]:
        mark = "[green]✔ holds[/green]" if verdict["holds"] else "[red]✘ does not hold[/red]"
        hidden = {"model", "achieved", "holds", "failing", "note"}
        said = ", ".join(f"{key}={value}" for key, value in verdict.items() if key not in hidden)
        console.print(
            f"{mark}  {verdict['model']} ({escape(said)}): reached {verdict['achieved']}, {verdict['failing']:,} fail"
        )
        if verdict.get("note"):
            console.print(f"[dim]{escape(verdict['note'])}[/dim]")
