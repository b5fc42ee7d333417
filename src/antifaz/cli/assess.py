"""antifaz assess."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click

from antifaz.cli.show import add_row, given, json_option, new_table, print_json, progress, reading_options


def _names(_ctx: click.Context, param: click.Parameter, text: str | None) -> list[str]:
    if text is None:
        return []
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not names or not all(names):
        raise click.BadParameter("takes the names of columns, separated by commas")
    return names


def _pairs(_ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in texts:
        column, equals, path = text.partition("=")
        if not equals or not column or not path:
            raise click.BadParameter("takes COLUMN=FILE")
        found[column] = path
    return found


#: Options that are not about how files are written.
_OWN = ("k", "threshold", "population_size", "attacks", "seed", "pdf", "language", "recipient")


@click.command()
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("released", type=click.Path(path_type=Path))
@click.option("--qi", required=True, callback=_names, help="The quasi-identifiers, separated by commas.")
@click.option("--sensitive", callback=_names, help="The sensitive attributes, separated by commas.")
@click.option("--identifier", callback=_names, help="The identifiers, separated by commas; they are left out.")
@click.option("--hierarchy", "hierarchies", multiple=True, callback=_pairs, help="COLUMN=FILE; may be repeated.")
@click.option("--k", default=2, show_default=True, help="Records that look like fewer can be singled out.")
@click.option("--threshold", default=0.09, show_default=True, help="Records with a higher risk are at risk.")
@click.option("--population", type=click.Path(path_type=Path), help="A table of all people, with the same columns.")
@click.option("--population-size", type=int, help="How many people there are, where there is no such table.")
@click.option("--attacks", default=1000, show_default=True, help="How many times each attack is tried; 0 for none.")
@click.option(
    "--attacker",
    "attackers",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A YAML or JSON file that describes an attacker, or several; may be repeated.",
)
@click.option("--seed", type=int, help="Makes queries, classifiers and attacks repeatable.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write a page into this file.")
@click.option("--pdf", type=click.Path(path_type=Path), help="Also write it as PDF into this file; extra 'pdf'.")
@click.option("--language", default="en", type=click.Choice(["en", "es", "ca"]), help="The language of the page.")
@click.option("--recipient", help="For whom the release is.")
@reading_options
@json_option
def assess(
    original: Path,
    released: Path,
    qi: list[str],
    sensitive: list[str],
    identifier: list[str],
    hierarchies: dict[str, str],
    population: Path | None,
    attackers: tuple[Path, ...],
    html: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Judge any release, whoever made it, from two tables: utility, risk, and what attackers find.

    \b
    antifaz assess people.csv released.csv --qi age,sex,postcode --sensitive diagnosis

    An attacker of your own is described in a file, such as neighbour.yaml, and given as --attacker neighbour.yaml:

    \b
    name: a neighbour
    knows: [age, postcode]
    of: 200
    exactly: {age: 2, postcode: first 3}
    """
    from antifaz.projects import actions

    own = {key: options.pop(key) for key in _OWN}
    roles = dict.fromkeys(qi, "quasi-identifier") | dict.fromkeys(sensitive, "sensitive")
    roles |= dict.fromkeys(identifier, "identifier")
    if len(roles) < len(qi) + len(sensitive) + len(identifier):
        raise click.UsageError("A column has one role: name it in one of --qi, --sensitive and --identifier, once.")
    with progress() as told:
        found = actions.assess_files(
            original, released, roles, hierarchies=hierarchies, population=population, attackers=attackers,
            html=html, reading=given(options), progress=told, **own,
        )  # fmt: skip
    print_json(found) if as_json else _print(found)
    for written in (html, own["pdf"]):
        if written is not None and not as_json:
            click.echo(f"The page is in {written}")


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    rows = found["rows"]
    console.print(
        f"{rows['original']:,} records, {rows['released']:,} released, {rows['suppressed']:,} left out or silent"
    )
    for part in (_risks(found), _disclosed(found), _tried(found), _kept(found), _columns(found)):
        if part is not None and part.row_count:
            console.print()
            console.print(part)
    for warning in found["warnings"]:
        console.print(f"[yellow]![/yellow] {escape(warning)}")


def _risks(found: dict[str, Any]) -> Any:
    risk = found["risk"]
    before, after = risk["before"], risk["after"]
    table = new_table("risk", "before", "after")
    table.add_row(
        f"singled out (fewer than {risk['k']} alike)",
        f"{risk['singled_out_before']:,}",
        f"{risk['singled_out_after']:,}",
    )
    for key in ("smallest_class", "average_class"):
        table.add_row(key.replace("_", " "), _number(before[key]), _number(after[key]))
    for group, key, word in (
        ("prosecutor", "highest", "prosecutor, highest"),
        ("prosecutor", "average", "prosecutor, average"),
        ("prosecutor", "at_risk", f"records above {risk['threshold']:g}"),
        ("journalist", "highest", f"journalist, highest ({after['journalist']['basis']})"),
        ("marketer", "average", "marketer"),
        ("population_uniqueness", "dankar", "alone in the population (estimated)"),
    ):
        if group in after and group in before:
            table.add_row(word, _percent(before[group][key]), _percent(after[group][key]))
    return table


def _disclosed(found: dict[str, Any]) -> Any:
    table = new_table("sensitive", "given away", "one ruled out", "highest certainty", "largest distance")
    for name, told in found["risk"]["disclosure"].items():
        known = told["background_knowledge"]
        ruled_out = _percent(known[0]["records"]) if known else "–"
        given_away = _percent(told["homogeneity"]["records"])
        largest = _number(told["skewness"]["largest"])
        add_row(table, name, given_away, ruled_out, _percent(told["confidence"]), largest)
    return table


def _tried(found: dict[str, Any]) -> Any:
    table = new_table("attack", "success", "95 % interval", "control", "chance")
    for told in found["attacks"]:
        between = " – ".join(_percent(end) for end in told["interval"])
        control, chance = _percent(told["control"]), _percent(told["chance"])
        add_row(table, told["name"], _percent(told["success"]), between, control, chance)
    return table


def _kept(found: dict[str, Any]) -> Any:
    utility = found["utility"]
    table = new_table("utility", "")
    for word, value in (
        ("loss (0 nothing lost, 1 everything)", utility["loss"]),
        ("GCP", utility["gcp"]),
        ("precision", utility["precision"]),
        ("information kept", utility["entropy"]),
        ("discernibility", utility["discernibility"]),
        ("one-way tables, total variation", utility["tables"]["one_way"]),
        ("two-way tables, total variation", utility["tables"]["two_way"]),
        ("correlations, mean change", utility["correlations"]["mean_change"]),
        ("queries, median relative error", utility["queries"]["median_relative_error"]),
    ):
        table.add_row(word, _number(value))
    for name, told in utility["predictions"].items():
        for kind in ("logistic", "tree"):
            if kind in told:
                both = f"{_percent(told[kind]['released'])}, from the original {_percent(told[kind]['original'])}"
                table.add_row(f"{name} by {kind}", f"{both}, by chance {_percent(told['chance'])}")
    return table


def _columns(found: dict[str, Any]) -> Any:
    table = new_table("column", "GCP", "information kept", "total variation", "KS p")
    for name, told in found["utility"]["columns"].items():
        cells = (told.get("gcp"), told.get("entropy"), told["total_variation"], told.get("ks", {}).get("p"))
        add_row(table, name, *(_number(cell) for cell in cells))
    return table


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2%}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:,.4g}"
