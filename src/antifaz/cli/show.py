"""Showing results to people: progress on stderr, summaries on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from antifaz.core.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a file is written."""
    for option in (
        click.option("--delimiter", help="Separator of columns; detected when left out."),
        click.option("--quote", help="The quote character; '' if quotes mean nothing. Usually \"."),
        click.option("--header/--no-header", default=None, help="Whether the first line names the columns."),
        click.option("--encoding", help="Such as utf-8 or cp1252; detected when left out."),
        click.option("--missing", multiple=True, help="A text that means 'missing', such as ? or NA; may be repeated."),
        click.option("--sheet", help="The sheet of a workbook; the first when left out."),
    ):
        command = option(command)
    return command


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is wanted of the report."""
    for option in (
        click.option("--pdf", is_flag=True, default=None, help="Also write report.pdf; needs the extra 'pdf'."),
        click.option("--recipient", help="For whom the release is, as the report says it."),
        click.option("--language", type=click.Choice(["en", "es", "ca"]), help="The language of the report."),
    ):
        command = option(command)
    return command


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return those options that were given on the command line."""
    return {key: value for key, value in options.items() if value not in (None, ())}


def print_json(data: Any) -> None:
    """Print data as JSON on stdout."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def new_table(*heads: str, gap: int = 3) -> Table:
    """Return a table without lines, to be filled with `add_row` and printed with `print_all`."""
    from rich.table import Table

    return Table(*heads, box=None, header_style="dim", padding=(0, gap, 0, 0))


def add_row(table: Table, *cells: str) -> None:
    """Add a row; what looks like markup in a name is not."""
    from rich.markup import escape

    table.add_row(*map(escape, cells))


def print_all(*parts: Any) -> None:
    """Print tables and sentences with markup on stdout."""
    from rich.console import Console

    console = Console(highlight=False)
    for part in parts:
        console.print(part)


def short_time(time: str | None) -> str:
    """Return a time as people write it."""
    return time[:16].replace("T", " ") if time else "–"


def short_number(value: Any) -> str:
    """Return a number with four digits, and a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    return f"{value:.0f}" if isinstance(value, float) else str(value)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show the steps of a long work on stderr: a line that moves on a terminal, nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    with console.status("starting") as status:

        def listener(step: str, share: float | None, message: str) -> None:
            done = f" {share:.0%}" if share is not None else ""
            status.update(f"[bold]{step}[/bold]{done}  {escape(message)}")

        yield Progress(listener)


def print_steps(explained: dict[str, Any]) -> None:
    """Print the steps that a run would take, each with what it would do."""
    table = None
    for step in explained["steps"]:
        if step.get("table") != table:
            table = step.get("table")
            click.echo(f"{table}:" if table else "all tables:")
        click.echo(f"{step['step']:<9} {step['does']}")
        for name, value in step["with"].items():
            if value not in (None, [], {}):
                shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
                click.echo(f"{'':<9}   {name.replace('_', ' ')}: {shown}")


def print_release(evidence: dict[str, Any]) -> None:
    """Print a short summary of a release, of one table or of several."""
    if "tables" in evidence:
        _print_tables(evidence)
        return
    if evidence.get("kind") == "light":
        _print_light(evidence)
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    rows, risk, classes = evidence["rows"], evidence["risk"], evidence["classes"]
    console.print()
    console.print(f"[bold green]✔[/bold green] [bold]{escape(evidence['project'])}[/bold]: released and verified")
    table = new_table("", "before", "after")
    table.add_row("records", f"{rows['read']:,}", f"{rows['released']:,}")
    k = risk["k"]
    singled = (risk["singled_out_before"], risk["singled_out_after"])
    table.add_row(f"can be singled out (fewer than {k} alike)", f"{singled[0]:,}", f"[bold]{singled[1]:,}[/bold]")
    for key, word in (("smallest", "smallest class"), ("average", "average class"), ("count", "classes")):
        table.add_row(word, _number(classes["before"][key]), _number(classes["after"][key]))
    table.add_row("highest risk of a record", f"{risk['prosecutor_before']:.1%}", f"{risk['prosecutor']:.1%}")
    console.print(table)
    for verdict in evidence["privacy"]:
        mark = "[green]✔[/green]" if verdict["holds"] else "[red]✘[/red]"
        console.print(
            f"{mark} {escape(_model(verdict))}  [dim]counted in the released file: {_number(verdict['achieved'])}[/dim]"
        )
    console.print(
        f"loss {evidence['utility']['loss']:.3f}  [dim](0 nothing lost, 1 everything)[/dim]  "
        f"{escape(_levels(evidence))}"
    )
    seconds = "  ".join(f"{step} {spent:.2f}" for step, spent in evidence["seconds"].items())
    console.print(f"[dim]seconds: {seconds}[/dim]")
    reports = evidence.get("report", {}).get("files", ["report.html"])
    _print_end(evidence, evidence.get("notes", []), [*reports, "evidence.json", "record.json"])


def _print_end(evidence: dict[str, Any], notes: list[str], documents: list[str]) -> None:
    """Print the warnings and the notes of a release, and where its files are."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    for warning in evidence.get("warnings", []):
        console.print(f"[yellow]![/yellow] {escape(warning)}")
    for note in notes:
        console.print(f"[dim]{escape(note)}[/dim]")
    if "folder" in evidence:
        rows = [f"{name}/" for name in evidence.get("tables", ())] or [
            evidence.get("released", {}).get("file", "release")
        ]
        files = ", ".join(map(escape, [*rows, *documents]))
        console.print(f"files: {escape(evidence['folder'].rstrip('/'))}/  {files}", soft_wrap=True)


def _print_light(evidence: dict[str, Any]) -> None:
    """Print what was done to a table of which no privacy was evaluated."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    console.print()
    console.print(f"[bold]{escape(evidence['project'])}[/bold]: {evidence['rows']['released']:,} records released")
    for attribute in evidence["attributes"]:
        done = ", ".join(operation["name"] for operation in attribute.get("operations", ()))
        out = "removed" if attribute["role"] == "identifier" and not attribute.get("released") else ""
        if done or out:
            console.print(f"  {escape(attribute['name'])}: {out or escape(done)}")
    reports = evidence.get("report", {}).get("files", ["report.html"])
    _print_end(evidence, [], [*reports, "evidence.json", "record.json"])


def _print_tables(evidence: dict[str, Any]) -> None:
    """Print a summary per table, and whether joins hold."""
    from rich.console import Console
    from rich.markup import escape

    for told in evidence["tables"].values():
        print_release(told)
    console = Console(highlight=False)
    console.print()
    for said in evidence["repeated"]:
        if not said["joins"]:
            console.print(f"repeated {escape(said['name'])}: {escape(said['mapping'])}")
        for join in said["joins"]:
            values, pairs = join["matching_values"], join["matching_rows"]
            between = escape(" and ".join(join["tables"]))
            console.print(
                f"[green]✔[/green] joins on {escape(said['name'])} hold between {between}  "
                f"[dim]values {values['before']:,} → {values['after']:,}, pairs of records {pairs['before']:,} → "
                f"{pairs['after']:,}[/dim]"
            )
    _print_end(evidence, [], ["report.html", "evidence.json"])


def _model(verdict: dict[str, Any]) -> str:
    hidden = {"model", "achieved", "holds", "failing", "note"}
    said = ", ".join(f"{key} = {_number(value)}" for key, value in verdict.items() if key not in hidden)
    return f"{verdict['model']} ({said})"


def _levels(evidence: dict[str, Any]) -> str:
    levels = evidence["method"].get("levels")
    heights = {told["name"]: told.get("height") for told in evidence.get("attributes", [])}
    if not levels:
        return ""
    return "levels: " + ", ".join(f"{name} {level}/{heights.get(name)}" for name, level in levels.items())


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–" if value is None else str(value)
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
