"""antifaz schema."""

from __future__ import annotations

import click

from antifaz.cli.show import json_option, print_json


@click.command()
@click.argument("document", type=click.Choice(["project", "evidence"]), default="project")
@click.option("--data-information", "which", flag_value="data_information", help="That of SparkTPTDS's description.")
@click.option("--categorical-trees", "which", flag_value="categorical_trees", help="That of SparkTPTDS's trees.")
@click.option("--anonylitics", "which", flag_value="anonylitics", help="That of Anonylitics's JSON projects.")
@json_option
def schema(document: str, which: str | None, as_json: bool) -> None:
    """Print the JSON Schema of project files, or of evidence.json, for editors and other programs."""
    from antifaz.projects import actions

    print_json(actions.schema_of(which or document))
