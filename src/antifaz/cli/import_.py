"""antifaz import."""

from __future__ import annotations

from pathlib import Path

import click

from antifaz.cli.show import json_option, print_json


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", default="project.yaml", show_default=True, type=click.Path(path_type=Path))
@click.option(
    "--dialect", type=click.Choice(["mariadb", "postgresql"]), help="The kind of database; else as its port tells."
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@json_option
def import_(file: Path, output: Path, dialect: str | None, force: bool, as_json: bool) -> None:
    """Write a project file from the JSON project of Anonylitics.

    Everything in FILE is taken over, or refused by its key. Passwords and keys are not: notes, also at the top of the
    project file, say where they must come from.
    """
    from antifaz.projects import actions

    made = actions.write_import(file, output, dialect=dialect, force=force)
    if as_json:
        print_json({"project": str(output), "notes": made.notes})
        return
    for note in made.notes:
        click.echo(note, err=True)
    click.echo(f"Wrote {output}; read it, then: antifaz run {output}")
