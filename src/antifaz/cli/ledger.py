"""antifaz ledger: what was released of whom, and what a new release adds to that."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.cli.main import HintingGroup
from antifaz.projects import actions

EPILOG = """\b
For example:
  antifaz ledger list                                     what was released
  antifaz ledger check project.yaml                       would a run be refused? Nothing is written
  antifaz ledger check new.csv old.csv --qi age,sex --k 5 two tables, whoever released them
  antifaz ledger forget 3f2a9c1d --reason "an experiment" it never left the house

The ledger is one file that only you can read, ~/.local/share/antifaz/ledger.sqlite (or under XDG_DATA_HOME), with its
key beside it. ANTIFAZ_LEDGER names another file, or a server: postgresql://user@host/database; 'off' turns it off.
"""


@click.group(cls=HintingGroup, epilog=EPILOG)
def ledger() -> None:
    """See what was released of whom, and check a new release with the earlier ones.

    'antifaz run' registers every release here: keyed hashes of who is in it, in which class and with which values; no
    cell of the data. A new release of the same people is refused if it and the earlier ones together leave fewer than
    k people for anybody; 'run --despite "reason"' makes it all the same, and the reason is recorded.
    """


@ledger.command("list")
@terminal.json_option
def list_(as_json: bool) -> None:
    """List what was released, the first release first."""
    heads = ["release", "state", "data set", "project", "made (UTC)", "records", "k", "where"]
    empty = "Nothing was registered yet; 'antifaz run' does that."
    terminal.print_list(actions.the_ledger().releases(), as_json, empty, heads, _cells)


def _cells(row: dict[str, Any]) -> list[str]:
    made, k = terminal.short_time(row["made"]), terminal.short_number(row["k"])
    return [row["release"], row["state"], row["dataset"], row["project"], made, f"{row['records']:,}", k, row["place"]]


@ledger.command()
@click.argument("release")
@terminal.json_option
def show(release: str, as_json: bool) -> None:
    """Show one RELEASE with the verdict of its day; the beginning of its name is enough."""
    found = actions.the_ledger().show(release)
    if as_json:
        terminal.print_json(found)
        return
    click.echo(f"{found['release']}: {found['state']}, made {found['made']} by {found['made_by']}, in {found['place']}")
    _print_verdict(found["verdict"])
    for key, words in (("despite", "released despite that"), ("forgotten", "forgotten")):
        if found[key]:
            click.echo(f"{words} by {found[key]['by']} on {found[key]['when'][:10]}: {found[key]['reason']}")


@ledger.command()
@click.argument("new", type=terminal.PATH)
@click.argument("old", type=terminal.PATH, required=False)
@click.option("--qi", help="For two tables: their quasi-identifiers, separated by commas.")
@click.option("--k", type=int, help="For two tables: the k that must hold.")
@terminal.reading_options
@terminal.json_option
def check(new: Path, old: Path | None, qi: str | None, k: int | None, as_json: bool, **options: Any) -> None:
    """Check a project with the ledger, or two released tables with each other.

    With a project file, all that a run would decide is decided, and nothing is written. With two tables, they are
    joined and laid side by side as somebody would who has both; nothing is known of people then. Exit code 1 means that
    fewer than k people are left for somebody.
    """
    if old is None:
        if qi is not None or k is not None or terminal.given(options):
            raise click.UsageError("--qi, --k and the options of reading go with two tables")
        with terminal.progress() as steps:
            found = actions.check_project(new, progress=steps)
    else:
        if not qi or k is None:
            raise click.UsageError("Two tables also need --qi and --k")
        names = [name.strip() for name in qi.split(",")]
        found = actions.check_tables(new, old, names, k, **terminal.given(options))
    terminal.print_json(found) if as_json else _print_verdict(found)
    if not found.get("holds", True):
        raise SystemExit(1)


@ledger.command()
@click.argument("release")
@click.option("--reason", required=True, help="Why it counts no more; it is recorded.")
@terminal.json_option
def forget(release: str, reason: str, as_json: bool) -> None:
    """Take a RELEASE that never left the house out of what new ones are checked with.

    Its hashes are erased; that it was made, and the reason, stay. What others have can't be forgotten: don't use it for
    that.
    """
    found = actions.the_ledger().forget(release, reason)
    terminal.print_json(found) if as_json else click.echo(f"{found['release']} is forgotten; its hashes are erased")


def _print_verdict(verdict: dict[str, Any]) -> None:
    """Print what each attack found."""
    if not verdict.get("checked", True):
        click.echo(" ".join(verdict["notes"]))
        return
    if not verdict["attacks"]:
        click.echo("No earlier release has any of these people.")
    for name, attack in verdict["attacks"].items():
        mark = "✔" if attack["holds"] else "✘"
        left = (
            "nobody is narrowed down" if attack["smallest"] is None else f"smallest intersection {attack['smallest']}"
        )
        click.echo(f"{mark} {name}: {left}, {attack['exposed']:,} records below k = {verdict['k']}")
    for note in verdict.get("notes", []):
        click.echo(f"! {note}")
