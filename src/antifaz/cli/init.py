"""antifaz init."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import given, json_option, print_json, progress, reading_options


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", default="project.yaml", show_default=True, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@reading_options
@json_option
def init(data: Path, output: Path, force: bool, as_json: bool, **options: Any) -> None:
    """Write a project file for a data file, with a proposal and its reason for every column.

    Read it, correct what is wrong (you know the data, antifaz only guesses), then `antifaz run` it.
    """
    from antifaz.projects import actions

    with progress() as told, told.step("init", "reading the data"):
        path = actions.init(data, output, force=force, **given(options))
    if as_json:
        print_json({"project": str(path)})
    else:
        click.echo(f"Wrote {path}. Read and correct it, then: antifaz run {path}")
