"""antifaz candidates, frontier and redactions: what a project could release, what each k costs, what is redacted."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.projects import actions


@click.command()
@click.argument("project", type=terminal.PATH)
@click.option("--html", type=terminal.PATH, help="Also draw the lattice into this HTML file.")
@click.option("--most", default=20, show_default=True, type=click.IntRange(1), help="How many to show (all in --json).")
@terminal.json_option
def candidates(project: Path, html: Path | None, most: int, as_json: bool) -> None:
    """List every full-domain generalization that satisfies the models, best first: what Incognito (LeFevre 2005) finds.

    Ties for the best are all marked. Apply one with

    \b
    antifaz run project.yaml --levels age=2,sex=0
    """
    with terminal.progress() as steps:
        result = actions.candidates_of(project, html=html, progress=steps)
    terminal.print_json(result) if as_json else _print_candidates(result, most)
    if html is not None and not as_json:
        click.echo(f"The lattice is drawn in {html}")


def _print_candidates(result: dict[str, Any], most: int) -> None:
    rows = result["candidates"]
    columns = list(rows[0]["levels"])
    table = terminal.new_table("", *columns, "score", "smallest class", "classes", "left out", gap=1, before=1)
    for row in rows[:most]:
        levels = (str(row["levels"][name]) for name in columns)
        cells = (_score(row["quality"]), f"{row['smallest_class']:,}", f"{row['classes']:,}", f"{row['suppressed']:,}")
        table.add_row("[bold green]★[/bold green]" if row["best"] else "", *levels, *cells)
    terminal.print_all(f"[bold]{len(rows):,} candidates[/bold] of {result['lattice']['size']:,} generalizations", table)
    if not result["lattice"]["complete"]:
        checked = f"{result['lattice']['checked']:,}"
        terminal.print_all(f"[dim]the best found among {checked} that were looked at; there are others[/dim]")
    if len(rows) > most:
        terminal.print_all(f"[dim]and {len(rows) - most:,} more (--most, or --json for all)[/dim]")


def _score(quality: Any) -> str:
    return f"{quality:,.4f}" if isinstance(quality, (int, float)) else ", ".join(f"{part:.3f}" for part in quality)


def _ks(_ctx: click.Context, _param: click.Parameter, text: str) -> list[int]:
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1 or int(last or first) < int(first):
        raise click.BadParameter("takes a range such as 2-20, or one number")
    return list(range(int(first), int(last or first) + 1))


@click.command()
@click.argument("project", type=terminal.PATH)
@click.option("--k", "ks", default="2-20", show_default=True, callback=_ks, help="The range of k to try.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="Try this method, e.g. mondrian or mondrian:split=median,release=mode; may be repeated. By default the "
    "project's.",
)
@click.option("--html", type=terminal.PATH, help="Also draw the curves into this HTML file.")
@terminal.json_option
def frontier(project: Path, ks: list[int], methods: tuple[str, ...], html: Path | None, as_json: bool) -> None:
    """Show what each k costs: loss, risk, and whether numbers keep their distribution; recommend one.

    Nothing is released. The project's other models stay as they are; its k is replaced by each of the range. Methods
    and settings that are compared each time stand in the project file, under frontier.
    """
    with terminal.progress() as steps:
        result = actions.frontier_of(project, ks, methods=methods, html=html, progress=steps)
    terminal.print_json(result) if as_json else _print_frontier(result)
    if html is not None and not as_json:
        click.echo(f"The curves are drawn in {html}")


def _print_frontier(result: dict[str, Any]) -> None:
    several = len({point["method"] for point in result["points"]}) > 1
    heads = [*(["method"] if several else []), "k", "loss", "GCP", "smallest p", "highest risk", "left out"]
    table = terminal.new_table(*heads, gap=1, before=1)
    chosen, method = result["recommended"]["k"], result["recommended"]["method"]
    for point in result["points"]:
        least = "–" if point["ks_min"] is None else f"{point['ks_min']:.4g}"
        mark = " [bold green]★[/bold green]" if (point["k"], point["method"]) == (chosen, method) else ""
        cells = (f"{point['loss']:.4f}", f"{point['gcp']:.4f}", least, f"{point['highest_risk']:.1%}")
        name = [point["method"]] if several else []
        table.add_row(*name, f"{point['k']}{mark}", *cells, f"{point['suppressed']:,}")
    by = f" with {method}" if several else ""
    terminal.print_all(table, f"Recommended: [bold]k = {chosen}{by}[/bold], {result['recommended']['reason']}.")
    if result["unreachable_from"] is not None:
        terminal.print_all(f"[dim]k = {result['unreachable_from']} can't be reached{by}.[/dim]")


@click.command()
@click.argument("project", type=terminal.PATH)
@click.option("--rows", default=20, show_default=True, type=click.IntRange(1), help="How many cells of a column.")
@click.option("--seed", type=int, help="Makes the choice repeatable.")
@terminal.json_option
def redactions(project: Path, rows: int, seed: int | None, as_json: bool) -> None:
    """Show what `redact` finds in the texts of a project, and what it leaves: cells before and after, to be read.

    These are the data themselves: for your eyes, and nobody else's. Nothing is written or released.
    """
    with terminal.progress() as steps:
        redactions = actions.redactions_of(project, rows=rows, seed=seed, progress=steps)
    if as_json:
        terminal.print_json(redactions)
        return
    for column in redactions:
        marks = ", ".join(f"{kind} {number:,}" for kind, number in column["redacted"].items()) or "nothing"
        named = terminal.escaped(column["column"])
        terminal.print_all(
            f"[bold]{named}[/bold]: {column['changed']:,} of {column['cells']:,} texts changed ({marks})"
        )
        table = terminal.new_table("before", "after", gap=2)
        for cell in column["sample"]:
            terminal.add_row(table, cell["before"], cell["after"])
        terminal.print_all(table)
