"""antifaz candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import json_option, print_json, progress


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), help="Also draw the lattice into this HTML file.")
@click.option("--most", default=20, show_default=True, type=click.IntRange(1), help="How many to show (all in --json).")
@json_option
def candidates(project: Path, html: Path | None, most: int, as_json: bool) -> None:
    """List every full-domain generalization that satisfies the models, best first.

    Ties for the best are all marked. Apply one with

    \b
    antifaz run project.yaml --levels age=2,sex=0
    """
    from antifaz.projects import actions

    with progress() as told:
        found = actions.candidates_of(project, html=html, progress=told)
    print_json(found) if as_json else _print(found, most)
    if html is not None and not as_json:
        click.echo(f"The lattice is drawn in {html}")


def _print(found: dict[str, Any], most: int) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    rows, lattice = found["candidates"], found["lattice"]
    columns = list(rows[0]["levels"])
    table = Table("", *(escape(name) for name in columns), "score", "smallest class", "classes", "left out", box=None)
    table.header_style = "dim"
    for row in rows[:most]:
        levels = (str(row["levels"][name]) for name in columns)
        cells = (_score(row["quality"]), f"{row['smallest_class']:,}", f"{row['classes']:,}", f"{row['suppressed']:,}")
        table.add_row("[bold green]★[/bold green]" if row["best"] else "", *levels, *cells)
    console.print(f"[bold]{len(rows):,} candidates[/bold] of {lattice['size']:,} generalizations")
    console.print(table)
    if len(rows) > most:
        console.print(f"[dim]and {len(rows) - most:,} more (--most, or --json for all)[/dim]")


def _score(quality: Any) -> str:
    return f"{quality:,.4f}" if isinstance(quality, (int, float)) else ", ".join(f"{part:.3f}" for part in quality)
