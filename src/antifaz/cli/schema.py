"""antifaz schema."""

from __future__ import annotations

import click

from antifaz.cli.show import json_option, print_json


@click.command()
@json_option
def schema(as_json: bool) -> None:
    """Print the JSON Schema of project files, for editors and other programs."""
    from antifaz.projects.schema import project_schema

    print_json(project_schema())
