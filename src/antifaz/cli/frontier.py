"""antifaz frontier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import json_option, print_json, progress


def _ks(_ctx: click.Context, _param: click.Parameter, text: str) -> list[int]:
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1 or int(last or first) < int(first):
        raise click.BadParameter("takes a range such as 2-20, or one number")
    return list(range(int(first), int(last or first) + 1))


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--k", "ks", default="2-20", show_default=True, callback=_ks, help="The range of k to try.")
@click.option("--method", "methods", multiple=True, help="Try this method; may be repeated. By default the project's.")
@click.option("--html", type=click.Path(path_type=Path), help="Also draw the curves into this HTML file.")
@json_option
def frontier(project: Path, ks: list[int], methods: tuple[str, ...], html: Path | None, as_json: bool) -> None:
    """Show what each k costs: loss, risk, and whether numbers keep their distribution; recommend one.

    Nothing is released. The project's other models stay as they are; its k is replaced by each of the range.
    """
    from antifaz.projects import actions

    with progress() as told:
        found = actions.frontier_of(project, ks, methods=methods, html=html, progress=told)
    print_json(found) if as_json else _print(found)
    if html is not None and not as_json:
        click.echo(f"The curves are drawn in {html}")


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    several = len({point["method"] for point in found["points"]}) > 1
    heads = [*(["method"] if several else []), "k", "loss", "GCP", "smallest p", "highest risk", "left out"]
    table = Table(*heads, box=None, header_style="dim")
    chosen, method = found["recommended"]["k"], found["recommended"]["method"]
    for point in found["points"]:
        least = "–" if point["ks_min"] is None else f"{point['ks_min']:.4g}"
        mark = " [bold green]★[/bold green]" if (point["k"], point["method"]) == (chosen, method) else ""
        cells = (f"{point['loss']:.4f}", f"{point['gcp']:.4f}", least, f"{point['highest_risk']:.1%}")
        name = [point["method"]] if several else []
        table.add_row(*name, f"{point['k']}{mark}", *cells, f"{point['suppressed']:,}")
    console.print(table)
    by = f" with {method}" if several else ""
    console.print(f"Recommended: [bold]k = {chosen}{by}[/bold], {found['recommended']['reason']}.")
    if found["unreachable_from"] is not None:
        console.print(f"[dim]k = {found['unreachable_from']} can't be reached{by}.[/dim]")
