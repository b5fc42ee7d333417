"""antifaz inspect, init, import, import-table, key and schema: what comes before a run."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.core.messages import as_data
from antifaz.projects import actions

_PRESET = "A rule: hipaa-safe-harbor, hipaa-expert-determination, ehds or gdpr; the report judges its clauses."


@click.command()
@click.argument("data", type=terminal.PLACE)
@click.option("--save-types", type=terminal.PATH, help="Also write types and lengths to this file, to be edited.")
@click.option("--costs", type=click.IntRange(1), help="Also say what each quasi-identifier costs the others at this k.")
@terminal.reading_options
@terminal.json_option
def inspect(data: str | Path, as_json: bool, **options: Any) -> None:
    """Look at a data file: per column its type, distinct and missing values, and a proposed role.

    Shown ranges are the 5th to the 95th percentile and shown values are shared by at least ten records, so that no
    rare person appears on the screen.
    """
    with terminal.progress() as steps, steps.step("inspect", "reading the data"):
        inspection = actions.inspect(data, **terminal.given(options))
    if as_json:
        columns = [column | {"reason": as_data(column["reason"])} for column in inspection["columns"]]
        costs = inspection["costs"] and [cost | {"reason": as_data(cost["reason"])} for cost in inspection["costs"]]
        terminal.print_json(inspection | {"columns": columns, "costs": costs})
    else:
        _print_inspection(inspection)


def _print_inspection(inspection: dict[str, Any]) -> None:
    table = terminal.new_table("column", "type", "length", "distinct", "missing", "values", gap=1, before=1)
    # Of all columns this one must not be cut: it is what the command is asked for.
    table.add_column("proposed role", no_wrap=True, min_width=len("quasi-identifier"))
    for column in inspection["columns"]:
        low, high = column["low"], column["high"]
        values = f"{low} … {high}" if low is not None else ", ".join(column["common"])
        counts = (f"{column['longest']}", f"{column['distinct']:,}", f"{column['missing']:,}")
        terminal.add_row(table, column["name"], column["type"], *counts, values, column["role"])
    terminal.print_all(f"[bold]{inspection['rows']:,} records, {len(inspection['columns'])} columns[/bold]", table)
    reasons = (
        f"  [bold]{terminal.escaped(column['name'])}[/bold]: {terminal.escaped(column['reason'])}"
        for column in inspection["columns"]
    )
    terminal.print_all("[dim]Why these roles:[/dim]", *reasons)
    qis = ", ".join(inspection["quasi_identifiers"]) or "none"
    share = inspection["singled_out"] / inspection["rows"] if inspection["rows"] else 0
    terminal.print_all(
        f"With the proposed quasi-identifiers ({terminal.escaped(qis)}), [bold]{inspection['singled_out']:,}[/bold] "
        f"records ({share:.1%}) are the only one of their kind: whoever knows those values of a person finds that "
        "person."
    )
    few = inspection["combination"]
    if few and len(few["columns"]) < len(inspection["quasi_identifiers"]):
        terminal.print_all(
            f"Nearly as much tell [bold]{terminal.escaped(', '.join(few['columns']))}[/bold] alone. {few['reason']}"
        )
    if inspection["costs"]:
        lines = (f"  {terminal.escaped(cost['reason'])}" for cost in inspection["costs"])
        terminal.print_all("[dim]What each quasi-identifier costs the others, the most expensive first:[/dim]", *lines)
    _print_missing_codes(inspection["columns"])
    for column in inspection["columns"]:
        if column["set"]:
            name, reason = terminal.escaped(column["name"]), terminal.escaped(column["set"]["reason"]["text"])
            terminal.print_all(f"[bold]{name}[/bold] is taken as text; its type may be set: {reason}")
        elif column["written"]:
            name, forms = terminal.escaped(column["name"]), terminal.escaped(" or ".join(column["written"]))
            terminal.print_all(f"[bold]{name}[/bold] is taken as text; its type may be {forms}: say which.")
        if column["bands"]:
            first, last = (terminal.escaped(column["bands"][i]) for i in (0, -1))
            count = len(column["bands"])
            terminal.print_all(
                f"[bold]{terminal.escaped(column['name'])}[/bold] holds {count} bands in order, {first} to {last}."
            )
        for tail in column["tails"]:
            terminal.print_all(f"{terminal.escaped(tail['reason']['text'])} [dim]({tail['operation']})[/dim]")
    terminal.print_all(*(f"[dim]{terminal.escaped(note)}[/dim]" for note in inspection["notes"]))


def _print_missing_codes(columns: list[dict[str, Any]]) -> None:
    """Ask of values that may stand for what is not known; they are values until somebody says otherwise."""
    proposed = {column["name"]: column["missing_codes"] for column in columns if column["missing_codes"]}
    if not proposed:
        return
    lines = (
        f"  [bold]{terminal.escaped(name)}[/bold]: {terminal.escaped(repr(code['code']))}, {code['count']:,} times. "
        f"{terminal.escaped(code['reason']['text'])}"
        for name, codes in proposed.items()
        for code in codes
    )
    terminal.print_all("[dim]May mean missing (say it under 'missing' in the project's source):[/dim]", *lines)


@click.command()
@click.argument("data", type=terminal.PLACE)
@click.option("-o", "--output", default="project.yaml", show_default=True, type=terminal.PATH)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option("--preset", help=_PRESET)
@terminal.reading_options
@terminal.json_option
def init(data: str | Path, output: Path, force: bool, preset: str | None, as_json: bool, **options: Any) -> None:
    """Write a project file for a data file, with a proposal and its reason for every column.

    Read it, correct what is wrong (you know the data, antifaz only guesses), then `antifaz run` it.

    \b
    antifaz init patients.csv --preset hipaa-safe-harbor
    """
    with terminal.progress() as steps, steps.step("init", "reading the data"):
        path = actions.init(data, output, force=force, preset=preset, **terminal.given(options))
    if as_json:
        terminal.print_json({"project": str(path)})
    else:
        click.echo(f"Wrote {path}. Read and correct it, then: antifaz run {path}")


@click.command("import")
@click.argument("file", type=terminal.PATH)
@click.option("-o", "--output", default="project.yaml", show_default=True, type=terminal.PATH)
@click.option(
    "--dialect", type=click.Choice(["mariadb", "postgresql"]), help="The kind of database; else as its port tells."
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@terminal.json_option
def import_(file: Path, output: Path, dialect: str | None, force: bool, as_json: bool) -> None:
    """Write a project file from the JSON project of Anonylitics.

    Everything in FILE is taken over, or refused by its key. Passwords and keys are not: notes, also at the top of the
    project file, say where they must come from.
    """
    made = actions.write_import(file, output, dialect=dialect, force=force)
    if as_json:
        terminal.print_json({"project": str(output), "notes": made.notes})
        return
    for note in made.notes:
        click.echo(note, err=True)
    click.echo(f"Wrote {output}; read it, then: antifaz run {output}")


@click.command("import-table")
@click.argument("file", type=terminal.PATH)
@click.argument("url")
@click.option("--table", help="The new table; called as the file is when left out.")
@click.option("--schema", help="Its schema, where that is not the usual one.")
@click.option("--replace", is_flag=True, help="Let an earlier table of that name make room.")
@click.option("--password-env", help="The variable that holds the password; else ANTIFAZ_PASSWORD.")
@terminal.reading_options
@terminal.json_option
def import_table(file: Path, url: str, as_json: bool, **options: Any) -> None:
    """Copy FILE, as it is, into a new table of the database at URL: mariadb://user@host/name, postgresql://…,
    sqlite:///people.db, duckdb:///people.db.

    Types and lengths are proposed from the values; --types gives others. The table appears whole or not at all, and
    only after its rows were read back and compared with the file's.
    """
    with terminal.progress() as steps, steps.step("import", "copying the rows"):
        made = actions.import_table(file, url, **terminal.given(options))
    if as_json:
        terminal.print_json(made)
        return
    table = terminal.new_table("column", "type", "length", gap=2)
    for column in made["columns"]:
        terminal.add_row(table, column["name"], column["type"], str(column["length"] or ""))
    terminal.print_all(f"[bold]{terminal.escaped(made['table'])}[/bold]: {made['rows']:,} records", table)


@click.group()
def key() -> None:
    """Make a key for encryption and pseudonyms."""


@key.command()
@click.argument("file", type=terminal.PATH)
@terminal.json_option
def new(file: Path, as_json: bool) -> None:
    """Make a new key and write it to FILE, which only you may read.

    Keep it away from the data and from what is released, and keep a copy: what is encrypted with it is lost without.
    """
    place = actions.make_key(file)
    terminal.print_json({"key": str(place)}) if as_json else click.echo(
        f"A new key is in {place}; only you may read it."
    )


@click.command()
@click.argument("document", type=click.Choice(["project", "evidence"]), default="project")
@click.option("--data-information", "which", flag_value="data_information", help="That of SparkTPTDS's description.")
@click.option("--categorical-trees", "which", flag_value="categorical_trees", help="That of SparkTPTDS's trees.")
@click.option("--anonylitics", "which", flag_value="anonylitics", help="That of Anonylitics's JSON projects.")
@terminal.json_option
def schema(document: str, which: str | None, as_json: bool) -> None:
    """Print the JSON Schema of project files, or of evidence.json, for editors and other programs."""
    terminal.print_json(actions.schema_of(which or document))


@click.command()
@click.argument("project", type=terminal.PATH)
@click.option("-o", "--out", type=terminal.PATH, help="File to write; else it is printed.")
@terminal.json_option
def script(project: Path, out: Path | None, as_json: bool) -> None:
    """Write a project file as a Python script that makes the same release.

    With a seed the rows are the same to the byte. It is something to learn the library from, and to go on from; the
    ledger and the record of processing are for 'antifaz run'. Paths in the script are relative to its own folder.
    """
    text = actions.script_of(project, out)
    if as_json:
        terminal.print_json({"script": text, "file": None if out is None else str(out)})
    elif out is None:
        click.echo(text, nl=False)


@click.command()
@terminal.json_option
def warm_up(as_json: bool) -> None:
    """Compile what large tables and most methods need, once, so that runs don't have to wait for it.

    Loops over many records are compiled when they are first used, which takes from one to twenty seconds each; small
    tables mostly do without. This compiles those of files, counting, methods, attacks and perturbations, by doing
    these with a few made-up people: one line for each, with its seconds. What is compiled already is passed over.
    Repairs, pseudonyms and some options use others, which are compiled when they are first used.

    What is compiled is kept beside the program, or in the folder that NUMBA_CACHE_DIR names; a new version of antifaz
    compiles again.
    """

    def show(kernel: str, seconds: float) -> None:
        click.echo(f"{kernel:32} {seconds:6.1f} s", err=as_json)

    took = actions.warm_up(show)
    if as_json:
        terminal.print_json({"compiled": took})
    else:
        click.echo(f"Compiled: {len(took)}, in {sum(took.values()):.0f} s." if took else "All is compiled already.")
