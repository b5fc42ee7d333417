"""antifaz project: projects that are kept, with all their runs."""

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.cli.main import HintingGroup
from antifaz.cli.run import level_pairs
from antifaz.core.errors import InputError
from antifaz.projects import actions

EPILOG = """\b
For example:
  antifaz project add project.yaml          keep it, under the name that it has in the file
  antifaz project run people                run it, as 'antifaz run project.yaml' would
  antifaz project runs people               what came of every run
  antifaz project compare people 1 2        what two runs asked and reached
  antifaz project add project.yaml --replace   after an edit; the runs stay

The store is one file that only you can read, ~/.local/share/antifaz/projects.sqlite (or under XDG_DATA_HOME).
ANTIFAZ_STORE names another file, or a server: postgresql://user@host/database, its password in PGPASSWORD.
"""


@click.group(cls=HintingGroup, epilog=EPILOG)
def project() -> None:
    """Keep projects by name, run them again, and look back at every run.

    What is kept: the text of the project, as it was written, and of every run its evidence. What is not: rows of your
    data, and passwords; a project that has a password in a URL is refused. Paths in a project stay relative to the
    folder that it was added from.
    """


@project.command()
@click.argument("file", type=terminal.PATH)
@click.option("--name", help="What to call it; else what the file says, or the file's own name.")
@click.option("--replace", is_flag=True, help="If there is one of that name, replace its text; its runs stay.")
@terminal.json_option
def add(file: Path, name: str | None, replace: bool, as_json: bool) -> None:
    """Keep a project file in the store.

    It is kept as it is, comments and all, and checked as 'antifaz run' would; the file is not needed any more. A
    project that is there already is not touched, unless --replace says so.
    """

    try:
        added = actions.add_project(file, name=name, replace=replace)
    except actions.NameTaken as error:
        raise InputError("cli.name-taken", error=str(error).removesuffix(".")) from None
    _say(added, as_json, f"kept as {added['name']!r}; run it with: antifaz project run {shlex.quote(added['name'])}")


@project.command("list")
@terminal.json_option
def list_(as_json: bool) -> None:
    """List your projects.

    Who made each and when, how many runs it has, and how the last one ended.
    """

    def cells(row: dict[str, Any]) -> list[str]:
        last = f"{row['last_state']}, {terminal.short_time(row['last_run'])}" if row["runs"] else "–"
        return [row["name"], row["owner"], terminal.short_time(row["made"]), str(row["runs"]), last]

    empty = "There is no project yet; keep one with: antifaz project add project.yaml"
    heads = ["project", "owner", "made (UTC)", "runs", "last run (UTC)"]
    terminal.print_list(actions.list_projects(), as_json, empty, heads, cells)


@project.command()
@click.argument("name")
@terminal.json_option
def show(name: str, as_json: bool) -> None:
    """Show a project.

    Its text goes to stdout; who made it, when, and what its paths are relative to, to stderr.
    """
    shown = actions.show_project(name)
    if as_json:
        terminal.print_json(shown)
        return
    made, changed = terminal.short_time(shown["made"]), terminal.short_time(shown["changed"])
    about = f"{shown['name']}: made by {shown['owner']} {made} UTC, changed {changed} UTC"
    click.echo(f"# {about}, {_runs(len(shown['runs']))}; paths are relative to {shown['folder']}", err=True)
    click.echo(shown["text"], nl=not shown["text"].endswith("\n"))


@project.command()
@click.argument("name")
@click.argument("new")
@terminal.json_option
def copy(name: str, new: str, as_json: bool) -> None:
    """Keep a project under a NEW name too. The copy begins without runs."""
    _say(actions.copy_project(name, new), as_json, f"copied to {new!r}")


@project.command()
@click.argument("name")
@click.argument("new")
@terminal.json_option
def rename(name: str, new: str, as_json: bool) -> None:
    """Give a project a NEW name. Its runs go with it."""
    _say(actions.rename_project(name, new), as_json, f"{name!r} is now {new!r}")


@project.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@terminal.json_option
def delete(name: str, yes: bool, as_json: bool) -> None:
    """Erase a project and all its runs from the store. Released files stay where they are."""
    if not yes:
        shown = actions.show_project(name)
        erased = f"{shown['name']!r} and {_runs(len(shown['runs']))} with their evidence"
        if not sys.stdin.isatty():
            raise click.UsageError(f"This would erase {erased}; say --yes to do so")
        click.confirm(f"This erases {erased} from the store; released files stay. Go on?", abort=True, err=True)
    done = actions.delete_project(name)
    _say(done, as_json, f"erased {done['deleted']!r} and {_runs(done['runs'])}; released files stay where they are")


@project.command()
@click.argument("name")
@click.option("-o", "--out", type=terminal.PATH, help="The file to write; NAME.yaml when left out.")
@click.option("--runs", is_flag=True, help="Also write the runs with their evidence, as JSON beside it.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@terminal.json_option
def export(name: str, out: Path | None, runs: bool, force: bool, as_json: bool) -> None:
    """Write a project into a file again, as it was added.

    Only you can read the file. Paths in it are relative to the folder that the project came from.
    """
    if out is None and "/" in name:
        raise click.UsageError("The name can't be that of a file; say where with --out")
    done = actions.export_project(name, out or Path(f"{name}.yaml"), runs=runs, force=force)
    moved = Path(done["files"][0]).absolute().parent != Path(done["folder"])
    note = f"; paths in it are relative to {done['folder']}, where it came from" if moved else ""
    _say(done, as_json, f"wrote {', '.join(done['files'])}{note}")


@project.command()
@click.argument("name")
@click.option("--out", type=terminal.PATH, help="Folder to write; else what the project says.")
@click.option("--levels", callback=level_pairs, help="Release this candidate instead of the best: age=2,sex=0.")
@click.option("--despite", help="Release even if earlier releases break k: the reason, which is recorded.")
@terminal.json_option
def run(name: str, out: Path | None, levels: dict[str, int] | None, despite: str | None, as_json: bool) -> None:
    """Run a project and keep the run.

    The same as 'antifaz run' of its file; beside that, the evidence is kept in the store. A run that fails or is
    stopped is kept too, with what was said. One that was killed is found by the next command and marked as interrupted.
    """
    with terminal.progress() as steps:
        evidence = actions.run_stored(name, out=out, levels=levels, progress=steps, ledger=True, despite=despite)
    if as_json:
        terminal.print_json(evidence)
        return
    terminal.print_release(evidence)
    click.echo(f"kept as run {evidence['run']}: antifaz project runs {shlex.quote(name)} {evidence['run']}", err=True)


@project.command()
@click.argument("name")
@click.argument("run", type=int, required=False)
@terminal.json_option
def runs(name: str, run: int | None, as_json: bool) -> None:
    """List the runs of a project, or show one.

    How each ended (done, failed, cancelled; interrupted if it was killed), when it began, the k that was counted in its
    release, the loss, and where the release is. With the number of a RUN: that one, and its evidence with --json.
    """
    if run is not None:
        shown = actions.show_run(name, run)
        if as_json:
            terminal.print_json(shown)
        elif shown["evidence"] is not None:
            terminal.print_release(shown["evidence"])
        else:
            click.echo(f"run {shown['number']}: {shown['state']}. {shown['error'] or ''}".rstrip())
        return

    def cells(row: dict[str, Any]) -> list[str]:
        seen = (row["run"], row["state"], terminal.short_time(row["began"]), row["seconds"], row["k"], row["loss"])
        return [*map(terminal.short_number, seen), row["error"] or row["place"] or ""]

    empty = f"No run yet; begin with: antifaz project run {shlex.quote(name)}"
    heads = ["run", "state", "began (UTC)", "seconds", "k reached", "loss", "where, or why not"]
    terminal.print_list(actions.runs_of(name), as_json, empty, heads, cells)


@project.command()
@click.argument("name")
@click.argument("first", type=int)
@click.argument("second", type=int)
@terminal.json_option
def compare(name: str, first: int, second: int, as_json: bool) -> None:
    """Put two runs side by side.

    The parameters of the project that differ, and everything that was measured.
    """
    comparison = actions.compare_runs(name, first, second)
    if as_json:
        terminal.print_json(comparison)
        return
    table = terminal.new_table("", f"run {first}", f"run {second}", gap=2)
    terminal.add_row(table, "state", *(row["state"] for row in comparison["runs"]))
    for part in ("parameters", "measures"):
        for key, pair in comparison[part].items():
            terminal.add_row(table, key, *map(terminal.short_number, pair))
        table.add_section()
    if not comparison["parameters"]:
        click.echo("Both runs asked for the same.", err=True)
    terminal.print_all(table)


def _say(data: Any, as_json: bool, sentence: str) -> None:
    terminal.print_json(data) if as_json else click.echo(sentence)


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
