"""Showing results to people: progress on stderr, summaries on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antifaz.core.language import LANGUAGES
from antifaz.core.progress import Progress
from antifaz.core.verdicts import OUTCOME
from antifaz.projects import actions

if TYPE_CHECKING:
    from rich.table import Table

PATH = click.Path(path_type=Path)


class _Place(click.ParamType):  # type: ignore[type-arg]  # older versions of click take none
    """A path, or an address such as s3://bucket/people.csv, which stays as it is."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        return value if isinstance(value, str) and "://" in value else Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Complete it as the path of a file."""
        return PATH.shell_complete(ctx, param, incomplete)


PLACE = _Place()


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def _widths(_ctx: click.Context, _param: click.Parameter, text: str | None) -> dict[str, int] | None:
    pairs = [part.rsplit("=", 1) for part in text.split(",")] if text else []
    if not all(len(pair) == 2 and pair[1].strip().isdigit() for pair in pairs):
        raise click.BadParameter("takes column=width pairs, such as id=8,name=20")
    return {name.strip(): int(width) for name, width in pairs} or None


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a file is written."""
    for option in (
        click.option("--delimiter", help="Separator of columns, one or more characters; detected when left out."),
        click.option("--quote", help="The quote character; '' if quotes mean nothing. Usually \"."),
        click.option("--header/--no-header", default=None, help="Whether the first line names the columns."),
        click.option("--encoding", help="Such as utf-8 or cp1252; detected when left out."),
        click.option("--missing", multiple=True, help="A text that means 'missing', such as ? or NA; may be repeated."),
        click.option("--types", type=PATH, help="A file with types and lengths; see inspect --save-types."),
        click.option("--sheet", help="The sheet of a workbook; the first when left out."),
        click.option("--widths", callback=_widths, help="Of text of fixed width: id=8,name=20,age=3."),
        click.option(
            "--repair", multiple=True, help="A repair that may be made, as the message of a refused file names it."
        ),
    ):
        command = option(command)
    return command


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is wanted of the report."""
    for option in (
        click.option("--pdf", is_flag=True, default=None, help="Also write report.pdf; needs the extra 'pdf'."),
        click.option("--recipient", help="For whom the release is, as the report says it."),
        click.option("--language", type=click.Choice(LANGUAGES), help="The language of the report."),
    ):
        command = option(command)
    return command


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return those options that were given on the command line."""
    return {key: value for key, value in options.items() if value not in (None, ())}


def print_json(data: Any) -> None:
    """Print data as JSON on stdout."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def new_table(*heads: str, gap: int = 3, before: int = 0) -> Table:
    """Return a table without lines, to be filled with `add_row` and printed with `print_all`."""
    from rich.table import Table

    return Table(*map(escaped, heads), box=None, header_style="dim", padding=(0, gap, 0, before))


def add_row(table: Table, *cells: str) -> None:
    """Add a row; what looks like markup in a name is not."""
    table.add_row(*map(escaped, cells))


def escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    from rich.markup import escape

    return escape(text)


def print_all(*parts: Any, soft_wrap: bool = False) -> None:
    """Print tables and sentences with markup on stdout."""
    from rich.console import Console

    console = Console(highlight=False)
    for part in parts:
        console.print(part, soft_wrap=soft_wrap)


def print_list(
    items: list[Any], as_json: bool, empty: str, heads: list[str], cells: Callable[[Any], list[str]]
) -> None:
    """Print a list as JSON or as a table, `cells` giving its rows; where it is empty, a sentence goes to stderr."""
    if as_json:
        print_json(items)
    elif not items:
        click.echo(empty, err=True)
    else:
        table = new_table(*heads, gap=2)
        for row in items:
            add_row(table, *cells(row))
        print_all(table)


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


class _NoPandas:
    """Finds no pandas."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not wanted now", name=name)


def spare_pandas() -> None:
    """Keep pyarrow from importing pandas, which takes longer than to read, count and write a small table.

    With its first array pyarrow asks once whether there is pandas, to know its frames, which no command has. Who
    converts to pandas asks again, and gets it.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    refuse = _NoPandas()
    sys.meta_path.insert(0, refuse)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(refuse)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show the steps of a long work on stderr: a line that moves on a terminal, nothing where nobody looks."""
    spare_pandas()
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:

        def listener(step: str, share: float | None, message: str) -> None:
            done = f" {share:.0%}" if share is not None else ""
            status.update(f"[bold]{step}[/bold]{done}  {escaped(message)}")

        steps = Progress(listener)
        with actions.report_compiling(steps):
            yield steps


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
        print_verdict(evidence)
        return
    _print_one(evidence)
    print_verdict(evidence)


def _print_one(evidence: dict[str, Any]) -> None:
    light = evidence.get("kind") == "light"
    print_all("", *(_light(evidence) if light else _measured(evidence)))
    reports = evidence.get("report", {}).get("files", ["report.html"])
    _print_end(evidence, [] if light else evidence.get("notes", []), [*reports, "evidence.json", "record.json"])


def _measured(evidence: dict[str, Any]) -> Iterator[Any]:
    rows, risk, classes = evidence["rows"], evidence["risk"], evidence["classes"]
    yield f"[bold green]✔[/bold green] [bold]{escaped(evidence['project'])}[/bold]: released and verified"
    table = new_table("", "before", "after")
    table.add_row("records", f"{rows['read']:,}", f"{rows['released']:,}")
    singled = (f"{risk['singled_out_before']:,}", f"[bold]{risk['singled_out_after']:,}[/bold]")
    table.add_row(f"singled out by quasi-identifiers (fewer than {risk['k']} alike)", *singled)
    if alone := _alone_by_exact_columns(evidence):
        table.add_row("singled out by one exact column", "", f"[bold]{alone:,}[/bold]")
    for key, word in (("smallest", "smallest class"), ("average", "average class"), ("count", "classes")):
        table.add_row(word, _number(classes["before"][key]), _number(classes["after"][key]))
    table.add_row("highest risk of a record", f"{risk['prosecutor_before']:.1%}", f"{risk['prosecutor']:.1%}")
    survey = evidence.get("survey") or {}
    for key, word in (("share", "global risk of the sample"), ("household_share", "household risk")):
        if survey.get("after", {}).get(key) is not None:
            table.add_row(word, *(f"{survey[side][key]:.2%}" for side in ("before", "after")))
    yield table
    for verdict in evidence["privacy"]:
        mark = "[green]✔[/green]" if verdict["holds"] else "[red]✘[/red]"
        model = escaped(f"{verdict['model']} ({model_parameters(verdict, ' = ', _number)})")
        yield f"{mark} {model}  [dim]counted in the released file: {_number(verdict['achieved'])}[/dim]"
    heights = {attribute["name"]: attribute.get("height") for attribute in evidence.get("attributes", [])}
    levels = [f"{name} {level}/{heights.get(name)}" for name, level in evidence["method"].get("levels", {}).items()]
    shown = escaped("levels: " + ", ".join(levels)) if levels else ""
    if evidence["method"].get("tried"):
        yield from _method_table(evidence["method"])
    yield f"loss {evidence['utility']['loss']:.3f}  [dim](0 nothing lost, 1 everything)[/dim]  {shown}"
    seconds = "  ".join(f"{step} {spent:.2f}" for step, spent in evidence["seconds"].items())
    yield f"[dim]seconds: {seconds}[/dim]"


def _alone_by_exact_columns(evidence: dict[str, Any]) -> int:
    """Return how many records are alone with their value in the exact column where most are."""
    findings = evidence.get("verdict", {}).get("findings", [])
    exact = ("column-singles-out", "sensitive-column-singles-out")
    return max((n for one in findings if one["code"] in exact for n in one["measured"]["alone"].values()), default=0)


def print_verdict(evidence: dict[str, Any]) -> None:
    """Print whether a release may be handed over, what speaks against it, and what to do about that."""
    verdict = evidence.get("verdict")
    if verdict is None:
        return
    colour = {"yes": "green", "with care": "yellow", "no": "red"}
    own = colour[verdict["hand_over"]]
    print_all("", f"[bold]May I hand this over?[/bold] [bold {own}]{escaped(verdict['words'])}[/bold {own}]")
    marks = {"yes": "·", "with care": "!", "no": "✘"}
    for finding in verdict["findings"]:
        weight, remedy = finding["weight"], finding["remedy"]
        print_all(f"[{colour[weight]}]{marks[weight]}[/{colour[weight]}] {escaped(finding['words'])}")
        if weight != "yes" or remedy.get("line"):
            line = f"  [dim]in the project file:[/dim] {escaped(_short(remedy['line']))}" if remedy.get("line") else ""
            print_all(f"  [dim]→[/dim] {escaped(remedy['words'])}{line}")


def _short(line: str, most: int = 160) -> str:
    """Return a line of a project file, its end left out where it is long: the evidence has all of it."""
    return line if len(line) <= most else f"{line[:most]} … (the rest is in evidence.json)"


def _method_table(method: dict[str, Any]) -> Iterator[Any]:
    """Show the methods that were tried side by side, and which was taken."""
    table = new_table("tried", "loss", "left out", *(["guessed right"] if method.get("target") else []))
    for one in method["tried"]:
        share = one["settings"].get("suppression")
        name = f"{one['name']}, up to {share:.0%} left out" if share else one["name"]
        taken = (one["name"], one["settings"]) == (method["chosen"], method["settings"])
        loss = f"{one['loss']:.3f}" if "loss" in one else "not reached"
        cells = [f"{name} ✔" if taken else name, loss, _number(one.get("left_out"))]
        add_row(table, *cells, *([_number(one.get("accuracy"))] if method.get("target") else []))
    yield table


def _light(evidence: dict[str, Any]) -> Iterator[str]:
    """Say what was done to a table of which no privacy was evaluated."""
    yield f"[bold]{escaped(evidence['project'])}[/bold]: {evidence['rows']['released']:,} records released"
    for attribute in evidence["attributes"]:
        done = ", ".join(operation["name"] for operation in attribute.get("operations", ()))
        out = "removed" if attribute["role"] == "identifier" and not attribute.get("released") else ""
        if done or out:
            yield f"  {escaped(attribute['name'])}: {out or escaped(done)}"


def _print_tables(evidence: dict[str, Any]) -> None:
    """Print a summary per table, and whether joins hold."""
    for of_table in evidence["tables"].values():
        _print_one(of_table)
    print_all("")
    for repeated in evidence["repeated"]:
        name = escaped(repeated["name"])
        if not repeated["joins"]:
            print_all(f"repeated {name}: {escaped(repeated['mapping'])}")
        for join in repeated["joins"]:
            values, pairs = join["matching_values"], join["matching_rows"]
            print_all(
                f"[green]✔[/green] joins on {name} hold between {escaped(' and '.join(join['tables']))}  "
                f"[dim]values {values['before']:,} → {values['after']:,}, pairs of records {pairs['before']:,} → "
                f"{pairs['after']:,}[/dim]"
            )
    _print_end(evidence, [], ["report.html", "evidence.json"])


def _print_end(evidence: dict[str, Any], notes: list[str], documents: list[str]) -> None:
    """Print the warnings and the notes of a release, and where its files are."""
    print_all(*(f"[yellow]![/yellow] {escaped(warning)}" for warning in evidence.get("warnings", [])))
    print_all(*(f"[dim]{escaped(note)}[/dim]" for note in notes))
    if "folder" in evidence:
        tables = [f"{name}/" for name in evidence.get("tables", ())]
        rows = tables or [evidence.get("released", {}).get("file", "release")]
        files = ", ".join([*rows, *documents])
        print_all(f"files: {escaped(evidence['folder'].rstrip('/'))}/  {escaped(files)}", soft_wrap=True)


def model_parameters(verdict: dict[str, Any], equals: str, shown: Callable[[Any], str]) -> str:
    """Return the parameters of the model that a verdict is about."""
    return ", ".join(f"{key}{equals}{shown(value)}" for key, value in verdict.items() if key not in OUTCOME)


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–" if value is None else str(value)
    # A limit such as 0.002 must not be shown as 0.00.
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:{',.2f' if abs(value) >= 0.1 else '.2g'}}"
