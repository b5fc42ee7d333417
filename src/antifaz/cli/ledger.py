"""antifaz hand-out and ledger: who gets a release, what was handed out, and what a new release adds to that."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.cli.main import HintingGroup
from antifaz.projects import actions

EPILOG = """\b
For example:
  antifaz hand-out out/people --to "the ministry"         register who gets it
  antifaz ledger list                                     what was handed out, and to whom
  antifaz ledger check project.yaml                       would a run be refused? Nothing is written
  antifaz ledger check new.csv old.csv --qi age,sex --k 5 two tables, whoever released them
  antifaz ledger forget 3f2a9c1d --reason "an experiment" it never left the house
  antifaz ledger budget people --epsilon 3                what differentially private releases may spend together

The ledger is one file that only you can read, ~/.local/share/antifaz/ledger.sqlite (or under XDG_DATA_HOME), with its
key beside it. ANTIFAZ_LEDGER names another file, or a server: postgresql://user@host/database; 'off' turns it off.
"""


@click.group(cls=HintingGroup, epilog=EPILOG)
def ledger() -> None:
    """See what was released of whom, and check a new release with the earlier ones.

    'antifaz hand-out' registers every release here, with who gets it: keyed hashes of who is in it, in which class and
    with which values; no cell of the data. A release of the same people is refused if it and the earlier ones together
    leave fewer people for anybody than one of them has promised; 'hand-out --despite "reason"' does it all the same,
    and the reason is recorded.
    """


@click.command("hand-out")
@click.argument("folder")
@click.option("--to", required=True, help="Who gets it: a person or an institution.")
@click.option("--despite", help="Hand out even if earlier releases speak against it: the reason, which is recorded.")
@terminal.json_option
def hand_out(folder: str, to: str, despite: str | None, as_json: bool) -> None:
    """Hand out a FOLDER that a run made: register who gets it, or be refused.

    A run makes a draft. Handing it out is the moment that counts: it is checked with everything that was handed out
    before, to this recipient and to all, and registered in the ledger. It is refused (exit code 1) if together they
    leave fewer people for anybody than one of the releases has promised; and (exit code 2) if a file of the folder is
    not what was checked.
    """
    if not to.strip():
        raise click.UsageError("--to needs a name")
    evidence = actions.hand_out(folder, to=to, despite=despite)
    if as_json:
        terminal.print_json(evidence)
        return
    parts = evidence["tables"].values() if "tables" in evidence else [evidence]
    names = ", ".join(part["ledger"]["release"] for part in parts)
    click.echo(f"{evidence['folder']} is handed out to {' '.join(to.split())}: {names} in the ledger")
    for note in dict.fromkeys(note for part in parts for note in part["ledger"].get("notes", [])):
        click.echo(f"! {note}")


@ledger.command("list")
@terminal.json_option
def list_(as_json: bool) -> None:
    """List what was released, the first release first."""
    heads = ["release", "state", "recipients", "data set", "made (UTC)", "records", "k", "where"]
    empty = "Nothing was handed out yet; 'antifaz hand-out' registers that."
    terminal.print_list(actions.the_ledger().releases(), as_json, empty, heads, _cells)


def _cells(row: dict[str, Any]) -> list[str]:
    made, k = terminal.short_time(row["made"]), terminal.short_number(row["k"])
    to = ", ".join(one["recipient"] or "unnamed" for one in row["recipients"])
    named = [row["release"], row["state"], to, row["dataset"] or "unnamed"]
    return [*named, made, f"{row['records']:,}", k, row["place"]]


@ledger.command()
@click.argument("release")
@terminal.json_option
def show(release: str, as_json: bool) -> None:
    """Show one RELEASE with the verdict of its day; the beginning of its name is enough."""
    shown = actions.the_ledger().show(release)
    if as_json:
        terminal.print_json(shown)
        return
    click.echo(f"{shown['release']}: {shown['state']}, made {shown['made']} by {shown['made_by']}, in {shown['place']}")
    for one in shown["recipients"]:
        click.echo(f"{one['recipient'] or 'unnamed'} got it from {one['handed_by']}, {one['handed']}")
    _print_verdict(shown["verdict"])
    for key, words in (("despite", "released despite that"), ("forgotten", "forgotten")):
        if shown[key]:
            click.echo(f"{words} by {shown[key]['by']} on {shown[key]['when'][:10]}: {shown[key]['reason']}")


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
            evidence = actions.check_project(new, progress=steps)
    else:
        if not qi or k is None:
            raise click.UsageError("Two tables also need --qi and --k")
        names = [name.strip() for name in qi.split(",")]
        evidence = actions.check_tables(new, old, names, k, **terminal.given(options))
    terminal.print_json(evidence) if as_json else _print_verdict(evidence)
    if not evidence.get("holds", True):
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
    entry = actions.the_ledger().forget(release, reason)
    terminal.print_json(entry) if as_json else click.echo(f"{entry['release']} is forgotten; its hashes are erased")


@ledger.command()
@click.argument("dataset", required=False)
@click.option("--epsilon", type=float, help="How much ε the releases of DATASET may spend together.")
@click.option("--delta", type=float, default=1e-5, show_default=True, help="How much δ they may spend together.")
@terminal.json_option
def budget(dataset: str | None, epsilon: float | None, delta: float, as_json: bool) -> None:
    """See what differentially private releases have spent, or limit it for a DATASET.

    Every release of a data set that was handed out adds its ε and its δ (basic composition). One that would exceed the
    limit is refused, with what is left.
    """
    if epsilon is not None and dataset is None:
        raise click.UsageError("--epsilon needs the name of a data set")
    if epsilon is not None and dataset is not None:
        budgets = [actions.the_ledger().set_budget(dataset, epsilon=epsilon, delta=delta)]
    else:
        budgets = [each for each in actions.the_ledger().budgets() if dataset in (None, each["dataset"])]
    heads = ["data set", "releases", "ε spent", "δ spent", "ε limit", "δ limit", "ε left", "δ left"]
    terminal.print_list(budgets, as_json, "No differentially private release, and no limit.", heads, _budget_cells)


def _budget_cells(row: dict[str, Any]) -> list[str]:
    amounts = [row["spent"], row["limit"], row["left"]]
    figures = [["-", "-"] if each is None else [f"{each['epsilon']:g}", f"{each['delta']:g}"] for each in amounts]
    return [row["dataset"] or "unnamed", str(row["releases"]), *(figure for pair in figures for figure in pair)]


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
    for each in verdict.get("broken", []):
        whose = f"release {each['release']} has promised" if each["release"] else "is promised"
        click.echo(f"✘ k = {each['k']} that {whose} does not hold: {each['smallest']} left")
    for note in verdict.get("notes", []):
        click.echo(f"! {note}")
