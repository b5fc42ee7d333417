"""antifaz run and demo."""

from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.projects import actions

#: The exit code of a release that `--strict` finds something in.
_NOT_TO_HAND_OVER = 3
_HARDENED = "Against those who know the method: it sees no sensitive value."


def level_pairs(_ctx: click.Context, _param: click.Parameter, text: str | None) -> dict[str, int] | None:
    """Read what --levels says."""
    if text is None:
        return None
    pairs = [part.rsplit("=", 1) for part in text.split(",")]
    if not all(len(pair) == 2 and pair[1].strip().isdigit() for pair in pairs):
        raise click.BadParameter("takes column=level pairs, such as age=2,sex=0")
    return {name.strip(): int(level) for name, level in pairs}


@click.command()
@click.argument("project", type=terminal.PATH, required=False)
@click.option("--out", type=terminal.PLACE, help="Folder or address to write to; else what the project file says.")
@click.option("--table", help="The new table of a database that the rows go to; the documents go to the folder.")
@click.option("--url", help="The database of that table, such as postgresql://user@host/name; else the source's.")
@click.option("--levels", callback=level_pairs, help="Release this candidate instead of the best: age=2,sex=0.")
@click.option("--despite", help="Hand out even if earlier releases break k: the reason, which is recorded.")
@click.option("--hardened", is_flag=True, default=None, help=_HARDENED)
@click.option("--data-information", type=terminal.PATH, help="Instead of PROJECT: SparkTPTDS's JSON.")
@click.option("--categorical-trees", type=terminal.PATH, help="Beside it: the trees, as JSON.")
@click.option("--engine", type=click.Choice(["local", "spark"]), help="Who counts, whatever the project file says.")
@click.option("--master", help="Of Spark, which it implies: local[2], spark://host:7077, yarn.")
@click.option("--k", type=int, help="For --data-information: the smallest class.")
@click.option("--k-first", type=int, help="For --data-information: the smallest class within a partition; else k.")
@click.option("--depth", type=int, help="For --data-information: how often numbers are cut in two; else 3.")
@click.option("--seed", type=int, help="For --data-information: makes the run repeatable.")
@click.option("--recoding", type=terminal.PATH, help="Also write what was decided to this file, for 'antifaz apply'.")
@click.option("--strict", is_flag=True, help="Exit with code 3 unless the verdict is that it may be handed over.")
@click.option("--explain", is_flag=True, help="Print the steps that the run would take, and do not run.")
@click.option("--repair", multiple=True, metavar="NAME", help="A repair of the source that may be made; repeatable.")
@click.option("--out-delimiter", metavar="SIGN", help="What separates columns in the file that is written.")
@click.option("--out-encoding", metavar="NAME", help="The encoding of the text: utf-8, cp1252, latin-1 or utf-16.")
@click.option("--out-decimal", type=click.Choice(["point", "comma"]), help="The sign in decimal numbers.")
@click.option("--out-bom", is_flag=True, default=None, help="Begin the text with a byte order mark, as Excel wants it.")
@terminal.report_options
@terminal.json_option
def run(
    project: Path | None,
    out: str | Path | None,
    table: str | None,
    url: str | None,
    levels: dict[str, int] | None,
    despite: str | None,
    hardened: bool | None,
    engine: str | None,
    master: str | None,
    recoding: Path | None,
    strict: bool,
    explain: bool,
    repair: tuple[str, ...],
    out_delimiter: str | None,
    out_encoding: str | None,
    out_decimal: str | None,
    out_bom: bool | None,
    as_json: bool,
    language: str | None,
    recipient: str | None,
    pdf: bool | None,
    **tptds: Any,
) -> None:
    """Run a project file: decide, apply, verify, release.

    The release appears whole or not at all, and only after its rows were read back and counted again. Exit code 1
    means that the privacy asked for can't be reached, and says the nearest that can where it is known.

    The release is a draft: it is checked with what was handed out of the same people (see 'antifaz ledger'), and what
    speaks against it is a warning. 'antifaz hand-out' registers who gets it, and may be refused. With 'release: {to:
    …}' in the project file the run does both, and is refused where handing out would be.

    It ends with the verdict: may this be handed over, what speaks against it, and what to do about that. The exit code
    is 0 all the same; with --strict it is 3 where the verdict is "with care" or "no". The files are there then, too.

    --hardened, or 'hardened: true' in the project file, is against those who know the method: it decides without seeing
    sensitive values, for larger classes than promised by a secret margin, and ties are broken at random.

    --explain prints the steps that the run would take, each with what it would do, and runs nothing.

    --recoding FILE also writes what was decided, which 'antifaz apply' takes for rows that come later. The file names
    values of the data: it goes where the data is, and not into the release.

    --out-decimal comma --out-bom writes a CSV that Excel in Spanish, and in most of Europe, opens by a double click.

    --engine and --master have the rows counted on Spark, or on this machine, whatever the project file says.

    Instead of a project file, the input of SparkTPTDS: --data-information, --categorical-trees and --k.
    """
    written = {"delimiter": out_delimiter, "encoding": out_encoding, "decimal": out_decimal, "bom": out_bom}
    own: dict[str, Any] = {
        "--table": table,
        "--url": url,
        "--levels": levels,
        "--hardened": hardened,
        "--explain": explain or None,
    }
    own["--recoding"] = recoding
    own |= {"--repair": repair or None} | {f"--out-{name}": value for name, value in written.items()}
    _check_usage(project, own, tptds)
    report = terminal.given({"language": language, "recipient": recipient, "pdf": pdf})
    shared: dict[str, Any] = {"out": out, "ledger": True, "report": report}
    wanted = {**shared, "levels": levels, "hardened": bool(hardened)}
    wanted["engine"] = terminal.given({"name": engine, "master": master})
    if explain and project is not None:
        explanation = actions.explain(project, **wanted)
        terminal.print_json(explanation) if as_json else terminal.print_steps(explanation)
        return
    with terminal.progress() as steps:
        if project is not None:
            into = terminal.given({"table": table, "url": url})
            wanted |= {"text": terminal.given(written), "repair": repair, "recoding": recoding}
            evidence = actions.run(project, progress=steps, despite=despite, into=into, **wanted)
        else:
            options = terminal.given({**tptds, "engine": engine, "master": master, "despite": despite})
            evidence = actions.run_spark_tptds(progress=steps, **options, **shared)
    terminal.print_json(evidence) if as_json else terminal.print_release(evidence)
    if strict and evidence["verdict"]["hand_over"] != "yes":
        raise SystemExit(_NOT_TO_HAND_OVER)


@click.command()
@click.argument("recoding", type=terminal.PATH)
@click.argument("data", type=terminal.PLACE)
@click.option("-o", "--out", required=True, type=terminal.PLACE, help="Folder or address to write to.")
@click.option("--with", "earlier", multiple=True, type=terminal.PATH, help="A file released before; all of them.")
@click.option("--suppression", default=1.0, show_default=True, help="Refuse if a larger share would be left out.")
@click.option("--to", help="Hand it out to this recipient; else it is a draft.")
@click.option("--despite", help="Hand out even if earlier releases break k: the reason, which is recorded.")
@click.option("--seed", type=int, help="Makes the order of rows repeatable.")
@terminal.report_options
@terminal.reading_options
@terminal.json_option
def apply(
    recoding: Path,
    data: str | Path,
    out: str | Path,
    earlier: tuple[Path, ...],
    suppression: float,
    to: str | None,
    despite: str | None,
    seed: int | None,
    as_json: bool,
    language: str | None,
    recipient: str | None,
    pdf: bool | None,
    **reading: Any,
) -> None:
    """Recode rows that come later as earlier ones were, and release them.

    RECODING is what 'antifaz run --recoding FILE' wrote, DATA are new rows of the same columns. The privacy that was
    asked for must hold in the union of what was released before and now, counted from the rows; new rows that too few
    are like in the union are left out. Values that the hierarchies do not know are named, and nothing is released.

    What was released before is what the recoding was decided on. Where more was released since, or less, name all of it
    with --with, once per file.
    """
    report = terminal.given({"language": language, "recipient": recipient, "pdf": pdf})
    with terminal.progress() as steps:
        evidence = actions.apply_to_file(
            recoding, data, out, earlier=earlier, suppression=suppression, to=to, despite=despite, seed=seed,
            report=report, progress=steps, **terminal.given(reading),
        )  # fmt: skip
    terminal.print_json(evidence) if as_json else terminal.print_release(evidence)


def _check_usage(project: Path | None, own: dict[str, Any], tptds: dict[str, Any]) -> None:
    """Refuse a project file and SparkTPTDS's input at once, and half of either."""
    unfit = [f"--{name.replace('_', '-')}" for name, value in tptds.items() if value is not None]
    if project is not None:
        if unfit:
            raise click.UsageError(f"{unfit[0]} goes without a project file")
        return
    if not unfit:
        raise click.UsageError("Missing argument 'PROJECT'")
    for name in ("data_information", "categorical_trees", "k"):
        if tptds[name] is None:
            raise click.UsageError(f"{unfit[0]} also needs --{name.replace('_', '-')}")
    for option, value in own.items():
        if value is not None:
            raise click.UsageError(f"{option} goes with a project file only")


@click.command()
@click.option("--rows", default=30_000, show_default=True, type=click.IntRange(1), help="How many people to make up.")
@click.option("--out", default="out/demo", show_default=True, type=terminal.PATH, help="Folder to write.")
@click.option("--seed", default=1, show_default=True, help="Makes the run repeatable.")
@terminal.report_options
@terminal.json_option
def demo(rows: int, out: Path, seed: int, as_json: bool, **report: Any) -> None:
    """Anonymize made-up people: k = 5, and l = 2 on the diagnosis.

    Writes release.csv, evidence.json, report.html and record.json. Open report.html in a browser.
    """
    with terminal.progress() as steps:
        evidence = actions.demo(out, rows=rows, seed=seed, progress=steps, **terminal.given(report))
    terminal.print_json(evidence) if as_json else terminal.print_release(evidence)
