"""`antifaz serve`: the page and the REST service on this machine."""

import sys
from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal

_EPILOG = """\b
Examples:
  antifaz serve                                   open the page in the browser
  antifaz serve --no-open --token-file token      for programs: Authorization: Bearer TOKEN
  antifaz serve --users users.json --add-user ana add somebody, then start it with --users users.json
"""


@click.command(epilog=_EPILOG)
@click.option("--port", type=click.IntRange(1, 65535), help="The port; 8765 or a free one when left out.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The name or address that browsers will use.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--users", type=terminal.PATH, help="A file of accounts: each user sees only their own.")
@click.option("--add-user", metavar="NAME", help="Put somebody into the file of accounts, and stop.")
@click.option("--token-file", type=terminal.PATH, help="The token for programs; made if it is not there.")
@click.option("--upload-limit", default="2GB", show_default=True, help="The largest file that is taken.")
@click.option("--memory", default="4GB", show_default=True, help="The most memory for opened data, and for jobs.")
@click.option("--jobs", type=click.IntRange(1, 100), help="How many jobs run at a time; by processors and memory.")
@click.option("--work", type=terminal.PATH, help="The work folder; in your data folder when left out.")
@click.option("--spark", metavar="MASTER", help="Offer Spark for files opened by path: local[2], spark://host:7077, …")
@click.option(
    "--allow-host",
    multiple=True,
    metavar="HOST[:PORT][=VARIABLE]",
    help="A database server that may be reached; with --users, no other is. VARIABLE holds its password.",
)
@click.option("--root", type=terminal.PATH, help="Open files by path only below this folder.")
def serve(no_open: bool, users: Path | None, add_user: str | None, **options: Any) -> None:
    """Open a page that leads from a table to a release: roles, hierarchies, privacy, runs, judging; as REST too.

    REST is under /api/v1. Projects of several tables are opened and run there as they are; they are written, like
    verifying, comparing and the ledger, with other commands.

    It is reached from this machine only, by an address with a code that is good once. What is uploaded is on the disk
    only encrypted, under a key that is lost when the server stops; Ctrl-C stops it and erases the rest.
    """
    from antifaz.core.errors import MissingExtra

    try:
        from antifaz.web import accounts, server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("antifaz"):
            raise
        raise MissingExtra("cli.page-needs-package", error=error.name) from None
    if add_user is not None:
        if users is None:
            raise click.UsageError("Say which file of accounts: --users FILE")
        accounts.add_user(users, add_user, _password(add_user))
        click.echo(f"{add_user} can sign in; start the service with --users {users}", err=True)
        return
    server.serve(lambda sentence: click.echo(sentence, err=True), users=users, open_browser=not no_open, **options)


def _password(user: str) -> str:
    """Ask for a password twice, or take the first line of what is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(click.prompt(f"Password of {user}", hide_input=True, confirmation_prompt=True, err=True))
