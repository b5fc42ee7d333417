"""antifaz demo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import given, json_option, print_json, print_release, progress, report_options


@click.command()
@click.option("--rows", default=30_000, show_default=True, type=click.IntRange(1), help="How many people to make up.")
@click.option("--out", default="out/demo", show_default=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--seed", default=1, show_default=True, help="Makes the run repeatable.")
@report_options
@json_option
def demo(rows: int, out: Path, seed: int, as_json: bool, **report: Any) -> None:
    """Anonymize made-up people: k = 5, and l = 2 on the diagnosis.

    Writes release.csv, evidence.json, report.html and record.json. Open report.html in a browser.
    """
    from antifaz.projects import actions

    with progress() as told:
        evidence = actions.demo(out, rows=rows, seed=seed, progress=told, **given(report))
    print_json(evidence) if as_json else print_release(evidence)
