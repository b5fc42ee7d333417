"""antifaz key."""

from __future__ import annotations

from pathlib import Path

import click

from antifaz.cli.show import json_option, print_json


@click.group()
def key() -> None:
    """Make a key for encryption and pseudonyms."""


@key.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def new(file: Path, as_json: bool) -> None:
    """Make a new key and write it to FILE, which only you may read.

    Keep it away from the data and from what is released, and keep a copy: what is encrypted with it is lost without.
    """
    from antifaz.projects import actions

    place = actions.make_key(file)
    print_json({"key": str(place)}) if as_json else click.echo(f"A new key is in {place}; only you may read it.")
