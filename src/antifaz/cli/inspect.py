"""antifaz inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import given, json_option, print_json, progress, reading_options


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@reading_options
@json_option
def inspect(data: Path, as_json: bool, **options: Any) -> None:
    """Look at a data file: per column its type, distinct and missing values, and a proposed role.

    Shown ranges are the 5th to the 95th percentile and shown values are shared by at least ten records, so that no
    rare person appears on the screen.
    """
    from antifaz.core.messages import as_data
    from antifaz.projects import actions

    with progress() as told, told.step("inspect", "reading the data"):
        found = actions.inspect(data, **given(options))
    if as_json:
        columns = [column | {"reason": as_data(column["reason"])} for column in found["columns"]]
        print_json(found | {"columns": columns})
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    table = Table("column", "type", "distinct", "missing", "values", box=None, header_style="dim")
    # Of all columns this one must not be cut: it is what the command is asked for.
    table.add_column("proposed role", no_wrap=True, min_width=len("quasi-identifier"))
    for column in found["columns"]:
        low, high = column["low"], column["high"]
        values = f"{low} … {high}" if low is not None else ", ".join(column["common"])
        cells = (column["name"], column["type"], f"{column['distinct']:,}", f"{column['missing']:,}", values)
        table.add_row(*(escape(cell) for cell in (*cells, column["role"])))
    console.print(f"[bold]{found['rows']:,} records, {len(found['columns'])} columns[/bold]")
    console.print(table)
    console.print("[dim]Why these roles:[/dim]")
    for column in found["columns"]:
        console.print(f"  [bold]{escape(column['name'])}[/bold]: {escape(column['reason'])}")
    qis = ", ".join(found["quasi_identifiers"]) or "none"
    share = found["singled_out"] / found["rows"] if found["rows"] else 0
    console.print(
        f"With the proposed quasi-identifiers ({escape(qis)}), [bold]{found['singled_out']:,}[/bold] records "
        f"({share:.1%}) are the only one of their kind: whoever knows those values of a person finds that person."
    )
    few = found["combination"]
    if few and len(few["columns"]) < len(found["quasi_identifiers"]):
        console.print(f"Nearly as much tell [bold]{escape(', '.join(few['columns']))}[/bold] alone. {few['reason']}")
    for note in found["notes"]:
        console.print(f"[dim]{escape(note)}[/dim]")
