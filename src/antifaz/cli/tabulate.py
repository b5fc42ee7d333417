"""antifaz tabulate."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.core.language import LANGUAGES
from antifaz.projects import actions


def _names(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _hierarchies(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.split("=", 1) for text in texts]
    if not all(len(pair) == 2 and pair[1] for pair in pairs):
        raise click.BadParameter("takes COLUMN=FILE, such as region=regions.csv")
    return {name.strip(): place for name, place in pairs}


def _dominance(_ctx: click.Context, _param: click.Parameter, text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        n, k = text.split(",")
        return {"rule": "dominance", "n": int(n), "k": float(k)}
    except ValueError:
        raise click.BadParameter("takes n,k such as 1,75") from None


@click.command()
@click.argument("data", type=terminal.PLACE)
@click.option("--by", "by", multiple=True, callback=_names, help="A column to count by, or several: a,b.")
@click.option("--hierarchy", multiple=True, callback=_hierarchies, help="COLUMN=FILE: subtotals; may be repeated.")
@click.option("--sum", "measure", help="The column to sum; else records, or people, are counted.")
@click.option(
    "--person", multiple=True, callback=_names, help="The columns that tell people apart: people are counted."
)
@click.option("--threshold", type=int, help="A cell with fewer contributors is sensitive.")
@click.option("--dominance", callback=_dominance, metavar="N,K", help="Sensitive if the N largest have more than K %.")
@click.option("--p-percent", type=float, help="Sensitive if the largest can be estimated within so many percent.")
@click.option("--protect", type=click.Choice(["suppression", "rounding", "cell-key", "laplace", "gaussian"]),
              default="suppression", show_default=True, help="How cells are protected.")  # fmt: skip
@click.option("--minimize", type=click.Choice(["size", "cells"]), help="Of suppression: what is to be small.")
@click.option("--seconds", type=float, help="How long to look for the best suppression or controlled rounding.")
@click.option("--base", type=int, help="Of rounding: what cells are multiples of.")
@click.option("--kind", type=click.Choice(["nearest", "random", "controlled"]), help="Of rounding: how.")
@click.option("--key", type=terminal.PATH, help="Of cell-key: the key file; see 'antifaz key new'.")
@click.option("--noise", type=int, help="Of cell-key: the largest change of a count.")
@click.option("--variance", type=float, help="Of cell-key: the variance of the noise.")
@click.option("--smallest", type=int, help="Of cell-key: counts up to this are never published.")
@click.option("--epsilon", type=float, help="Of laplace and gaussian: how much one person may change probabilities.")
@click.option(
    "--delta", type=float, help="Of laplace and gaussian: the probability that more is told.  [default: 1e-6]"
)
@click.option("--cells", type=int, help="Of laplace and gaussian: in how many cells a person counts at most.")
@click.option("--dataset", help="What the data set is called in the ledger; laplace and gaussian spend its budget.")
@click.option("--to", help="Who gets the table: it is registered in the ledger. Else it is a draft for hand-out.")
@click.option("-o", "--out", type=terminal.PATH, help="Folder to write.")
@click.option("--format", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True, help="Of the file.")
@click.option("--language", type=click.Choice(LANGUAGES), default="en", help="The language of the report.")
@click.option("--seed", type=int, help="Makes random rounding repeatable.")
@terminal.reading_options
@terminal.json_option
def tabulate(
    data: str | Path,
    by: list[str],
    hierarchy: dict[str, str],
    measure: str | None,
    person: list[str],
    threshold: int | None,
    dominance: dict[str, Any] | None,
    p_percent: float | None,
    protect: str,
    minimize: str | None,
    seconds: float | None,
    base: int | None,
    kind: str | None,
    key: Path | None,
    noise: int | None,
    variance: float | None,
    smallest: int | None,
    epsilon: float | None,
    delta: float | None,
    cells: int | None,
    dataset: str | None,
    to: str | None,
    out: Path | None,
    format: str,
    language: str,
    seed: int | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Release a table of counts or sums of DATA, with totals, that gives no small cell away.

    Rules say which cells are sensitive: --threshold, and for sums --dominance and --p-percent. They are hidden, with
    as few others as it takes so that nobody can compute them from the totals; or all cells are rounded, or get small
    noise. Before anything is released, the written file is read back and attacked: linear programs find between which
    values each cell must lie. Exit code 1 means that a sensitive cell would be found too closely.

    Writes release.csv (one row per cell: labels, value, status), evidence.json and report.html.

    DATA may also be a file (.yaml) that describes several tables of one data set, with `kind: tables`: they are
    protected and attacked together, and each has a folder. Beside it only --to, --out and --json may be given.
    """
    if str(data).endswith((".yaml", ".yml")):
        _together(Path(data), out, to, as_json)
        return
    if not by or out is None:
        raise click.UsageError("Missing option '--by'." if not by else "Missing option '--out'.")
    unknown = [name for name in hierarchy if name not in by]
    if unknown:
        raise click.UsageError(f"--hierarchy is of {unknown[0]!r}, which is not in --by")
    rules = [] if threshold is None else [{"rule": "threshold", "k": threshold}]
    rules += [] if dominance is None else [dominance]
    rules += [] if p_percent is None else [{"rule": "p-percent", "p": p_percent}]
    own = {"minimize": minimize, "seconds": seconds, "base": base, "kind": kind, "key": key}
    own |= {"noise": noise, "variance": variance, "smallest": smallest}
    own |= {"epsilon": epsilon, "delta": delta, "cells": cells}
    with terminal.progress() as steps:
        evidence = actions.tabulate_file(
            data, out, {name: hierarchy.get(name) for name in by}, measure=measure, person=person, rules=rules,
            protection={"name": protect, **terminal.given(own)}, format=format, language=language, seed=seed,
            dataset=dataset, to=to, progress=steps, **terminal.given(reading),
        )  # fmt: skip
    terminal.print_json(evidence) if as_json else _print(evidence)


def _together(path: Path, out: Path | None, to: str | None, as_json: bool) -> None:
    """Make the tables of a file; what else the command line says is for a single table."""
    context, from_command_line = click.get_current_context(), click.core.ParameterSource.COMMANDLINE
    chosen = [name for name in context.params if context.get_parameter_source(name) is from_command_line]
    own = [name for name in chosen if name not in ("data", "out", "to", "as_json")]
    if own:
        raise click.UsageError(f"--{own[0].replace('_', '-')} is for one table; the file says it for its own")
    with terminal.progress() as steps:
        evidence = actions.tabulate_tables(path, out, to=to, progress=steps)
    if as_json:
        terminal.print_json(evidence)
        return
    for name, table in evidence["tables"].items():
        click.echo(f"{name}: ", nl=False)
        _print(table | {"folder": str(Path(evidence["folder"]) / name)})


def _print(evidence: dict[str, Any]) -> None:
    cells, audit = evidence["table"], evidence["audit"]
    click.echo(f"{cells['cells']:,} cells, {cells['suppressed']:,} suppressed, {audit['sensitive']:,} sensitive")
    if audit["attacked"]:
        narrow = audit["narrowest_interval"]
        width = "without an upper end" if narrow is None else f"at least {narrow:g} wide"
        click.echo(f"{audit['attacked']:,} cells attacked: every sensitive cell holds; intervals {width}")
    for message in (*evidence["warnings"], *evidence["notes"]):
        click.echo(message, err=True)
    click.echo(f"Written to {evidence['folder']}.")
