"""antifaz ledger: what was released of whom, and what a new release adds to that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.group import HintingGroup
from antifaz.cli.show import (  # fmt: skip
    add_row,
    given,
    json_option,
    new_table,
    print_all,
    print_json,
    progress,
    reading_options,
    short_time,
)

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
@json_option
def list_(as_json: bool) -> None:
    """List what was released, the first release first."""
    from antifaz.projects import actions

    found = actions.the_ledger().releases()
    if as_json:
        print_json(found)
    elif not found:
        click.echo("Nothing was registered yet; 'antifaz run' does that.", err=True)
    else:
        table = new_table("release", "state", "data set", "project", "made (UTC)", "records", "k", "where", gap=2)
        for row in found:
            seen = (row["release"], row["state"], row["dataset"], row["project"], short_time(row["made"]))
            add_row(table, *seen, f"{row['records']:,}", "–" if row["k"] is None else str(row["k"]), row["place"])
        print_all(table)


@ledger.command()
@click.argument("release")
@json_option
def show(release: str, as_json: bool) -> None:
    """Show one RELEASE with the verdict of its day; the beginning of its name is enough."""
    from antifaz.projects import actions

    found = actions.the_ledger().show(release)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['release']}: {found['state']}, made {found['made']} by {found['made_by']}, in {found['place']}")
    _print_verdict(found["verdict"])
    for key, words in (("despite", "released despite that"), ("forgotten", "forgotten")):
        if found[key]:
            click.echo(f"{words} by {found[key]['by']} on {found[key]['when'][:10]}: {found[key]['reason']}")


@ledger.command()
@click.argument("new", type=click.Path(path_type=Path))
@click.argument("old", type=click.Path(path_type=Path), required=False)
@click.option("--qi", help="For two tables: their quasi-identifiers, separated by commas.")
@click.option("--k", type=int, help="For two tables: the k that must hold.")
@reading_options
@json_option
def check(new: Path, old: Path | None, qi: str | None, k: int | None, as_json: bool, **options: Any) -> None:
    """Check a project with the ledger, or two released tables with each other.

    With a project file, all that a run would decide is decided, and nothing is written. With two tables, they are
    joined and laid side by side as somebody would who has both; nothing is known of people then. Exit code 1 means that
    fewer than k people are left for somebody.
    """
    from antifaz.projects import actions

    if old is None:
        if qi is not None or k is not None or given(options):
            raise click.UsageError("--qi, --k and the options of reading go with two tables")
        with progress() as told:
            found = actions.check_project(new, progress=told)
    else:
        if not qi or k is None:
            raise click.UsageError("Two tables also need --qi and --k")
        names = [name.strip() for name in qi.split(",")]
        found = actions.check_tables(new, old, names, k, **given(options))
    print_json(found) if as_json else _print_verdict(found)
    if not found.get("holds", True):
        raise SystemExit(1)


@ledger.command()
@click.argument("release")
@click.option("--reason", required=True, help="Why it counts no more; it is recorded.")
@json_option
def forget(release: str, reason: str, as_json: bool) -> None:
    """Take a RELEASE that never left the house out of what new ones are checked with.

    Its hashes are erased; that it was made, and the reason, stay. What others have can't be forgotten: don't use it for
    that.
    """
    from antifaz.projects import actions

    found = actions.the_ledger().forget(release, reason)
    print_json(found) if as_json else click.echo(f"{found['release']} is forgotten; its hashes are erased")


def _print_verdict(told: dict[str, Any]) -> None:
    """Print what each attack found."""
    if not told.get("checked", True):
        click.echo(" ".join(told["notes"]))
        return
    if not told["attacks"]:
        click.echo("No earlier release has any of these people.")
    for name, found in told["attacks"].items():
        mark = "✔" if found["holds"] else "✘"
        left = "nobody is narrowed down" if found["smallest"] is None else f"smallest intersection {found['smallest']}"
        click.echo(f"{mark} {name}: {left}, {found['exposed']:,} records below k = {told['k']}")
    for note in told.get("notes", []):
        click.echo(f"! {note}")
