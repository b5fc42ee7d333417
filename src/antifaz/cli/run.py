"""antifaz run."""

from __future__ import annotations

from pathlib import Path

import click

from antifaz.cli.show import json_option, print_json, print_release, progress


def _levels(_ctx: click.Context, _param: click.Parameter, text: str | None) -> dict[str, int] | None:
    if text is None:
        return None
    pairs = [part.rsplit("=", 1) for part in text.split(",")]
    if not all(len(pair) == 2 and pair[1].strip().isdigit() for pair in pairs):
        raise click.BadParameter("takes column=level pairs, such as age=2,sex=0")
    return {name.strip(): int(level) for name, level in pairs}


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write; else what the project file says.")
@click.option("--levels", callback=_levels, help="Release this candidate instead of the best: age=2,sex=0.")
@json_option
def run(project: Path, out: Path | None, levels: dict[str, int] | None, as_json: bool) -> None:
    """Run a project file: decide, apply, verify, release.

    The release appears whole or not at all, and only after its rows were read back and counted again. Exit code 1
    means that the privacy asked for can't be reached, and says the nearest that can.
    """
    from antifaz.projects import actions

    with progress() as told:
        evidence = actions.run(project, out=out, levels=levels, progress=told)
    print_json(evidence) if as_json else print_release(evidence)
