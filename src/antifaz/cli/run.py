"""antifaz run."""

from __future__ import annotations

from pathlib import Path

import click

from antifaz.cli.show import json_option, print_json, print_release, progress


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write; else what the project file says.")
@json_option
def run(project: Path, out: Path | None, as_json: bool) -> None:
    """Run a project file: decide, apply, verify, release.

    The release appears whole or not at all, and only after its rows were read back and counted again. Exit code 1
    means that the privacy asked for can't be reached, and says the nearest that can.
    """
    from antifaz.projects import actions

    with progress() as told:
        evidence = actions.run(project, out=out, progress=told)
    print_json(evidence) if as_json else print_release(evidence)
