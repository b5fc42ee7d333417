"""antifaz verify and assess: judge a table or a release, whoever made it."""

import csv
import json
from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal
from antifaz.cli.survey import survey_table
from antifaz.core.language import LANGUAGES
from antifaz.projects import actions

_QI = "The quasi-identifiers, separated by commas; one with a comma in it in double quotes."
_BLANKS = "How --k takes a missing cell: as a value of its own (when left out), or as matching any value."
_SET = "A column whose cells hold several items, and what separates them: COLUMN=; (a semicolon if left out)."
_PERSON = "The columns that tell people apart, where a person has several rows: count people."
_TABLE = "Another table of the same people, the column with their key, and what is known there; may be repeated."
_MODEL = "Any model as in project files, e.g. '{model: k-anonymity, k: 5}'."
_ATTACKER = "A YAML or JSON file that describes an attacker, or several; may be repeated."
_HOLDOUT = "A table of people like those of the original who had no part in the release: judges synthetic data."
#: Options of assess that are not about how files are written.
_OWN = (
    "weight",
    "household",
    "k",
    "threshold",
    "population_size",
    "attacks",
    "seed",
    "pdf",
    "language",
    "recipient",
    "key",
    "same_order",
)


def column_list(_ctx: click.Context, _param: click.Parameter, text: str | None) -> list[str]:
    """Read the names of columns, separated by commas; one with a comma in it is in double quotes."""
    if text is None:
        return []
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not names or not all(names):
        raise click.BadParameter("takes the names of columns, separated by commas")
    return names


def _separators(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    return {column: separator or ";" for column, _, separator in (text.partition("=") for text in texts)}


@click.command()
@click.argument("data", type=terminal.PLACE)
@click.option("--qi", required=True, callback=column_list, help=_QI)
@click.option("--k", type=int, help="Ask for k-anonymity.")
@click.option("--blanks", type=click.Choice(["value", "match"]), help=_BLANKS)
@click.option("--known", type=click.IntRange(min=1), help="With --k: how many of the columns somebody may know.")
@click.option("--person", callback=column_list, help=_PERSON)
@click.option("--set", "sets", multiple=True, callback=_separators, help=_SET)
@click.option("--table", "tables", nargs=3, multiple=True, metavar="FILE KEY COLUMNS", help=_TABLE)
@click.option("--rows", help="With --k and --person or --set: how many rows or items somebody may know, or all rows.")
@click.option("--l", "l_", type=int, help="Ask for distinct l-diversity of --sensitive.")
@click.option("--sensitive", help="The sensitive attribute that --l is about.")
@click.option("--model", "models", multiple=True, help=_MODEL)
@terminal.reading_options
@terminal.json_option
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    data: str | Path,
    qi: list[str],
    k: int | None,
    blanks: str | None,
    known: int | None,
    person: list[str],
    sets: dict[str, str],
    tables: tuple[tuple[str, str, str], ...],
    rows: str | None,
    l_: int | None,
    sensitive: str | None,
    models: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Check any table, whoever made it, from its rows alone. Exit code 1 when something does not hold.

    \b
    antifaz verify release.csv --qi age,sex,postcode --k 5
    antifaz verify release.csv --qi age,sex --k 5 --l 2 --sensitive diagnosis
    antifaz verify release.csv --qi age,sex --k 5 --blanks match
    antifaz verify survey.csv --qi age,sex,town,job --k 5 --known 2
    antifaz verify visits.csv --qi age,sex --k 5 --person patient
    antifaz verify people.csv --qi age --person id --k 5 --rows 2 --table visits.csv patient month
    antifaz verify release.csv --qi age,diagnoses --k 5 --set "diagnoses=;" --rows 2
    """
    parsed = [_model(text) for text in models]
    if k is not None:
        more = {"blanks": blanks, "known": known, "rows": int(rows) if rows and rows.isdecimal() else rows}
        parsed.append({"model": "k-anonymity", "k": k, **{name: value for name, value in more.items() if value}})
    elif blanks or known or rows:
        raise click.UsageError(f"--{'blanks' if blanks else 'known' if known else 'rows'} goes with --k.")
    if l_ is not None:
        parsed.append({"model": "l-diversity", "l": l_, **({"attribute": sensitive} if sensitive else {})})
    if not parsed:
        raise click.UsageError("Say what to check: --k, --l with --sensitive, or --model.")
    with terminal.progress() as steps, steps.step("verify", "counting"):
        result = actions.verify_file(data, qi, parsed, person=person, sets=sets, **terminal.given(options))
        if tables:
            result["joined"] = _verify_joined(ctx, (data, person, qi), tables, parsed, terminal.given(options))
    terminal.print_json(result) if as_json else _print_verdicts(result)
    all_hold = [verdict["holds"] for verdict in (*result["privacy"], result.get("joined", {"holds": True}))]
    ctx.exit(0 if all(all_hold) else 1)


def _verify_joined(
    ctx: click.Context,
    first: tuple[str | Path, list[str], list[str]],
    others: tuple[tuple[str, str, str], ...],
    models: list[dict[str, Any]],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Check tables together, by the only column that is the key of people in the first, and the k asked of it."""
    place, person, qi = first
    wanted = models[0] if len(models) == 1 else {}
    if len(person) != 1 or wanted.get("model") != "k-anonymity" or not {*wanted} <= {"model", "k", "rows"}:
        raise click.UsageError("--table goes with one column in --person, and with --k and --rows alone.")
    param = next(each for each in ctx.command.params if each.name == "tables")
    tables = [(file, key, column_list(ctx, param, columns)) for file, key, columns in others]
    return actions.verify_joined([(place, person[0], qi), *tables], wanted["k"], wanted.get("rows", 1), **options)


def _model(text: str) -> dict[str, Any]:
    import yaml

    try:
        model = yaml.safe_load(text)
    except yaml.YAMLError:
        model = None
    if not isinstance(model, dict) or "model" not in model:
        raise click.UsageError("--model takes a mapping such as " + json.dumps({"model": "k-anonymity", "k": 5}) + ".")
    return model


def _print_verdicts(result: dict[str, Any]) -> None:
    people = f" of {result['people']:,} people" if "people" in result else ""
    terminal.print_all(f"{result['rows']:,} records{people} in {result['classes']:,} classes")
    for note in result.get("notes", ()):
        terminal.print_all(f"[dim]{terminal.escaped(note)}[/dim]")
    for verdict in result["privacy"]:
        mark = "[green]✔ holds[/green]" if verdict["holds"] else "[red]✘ does not hold[/red]"
        model = f"{verdict['model']} ({terminal.escaped(terminal.model_parameters(verdict, '=', str))})"
        terminal.print_all(f"{mark}  {model}: reached {verdict['achieved']}, {verdict['failing']:,} fail")
        if verdict.get("note"):
            terminal.print_all(f"[dim]{terminal.escaped(verdict['note'])}[/dim]")
    if joined := result.get("joined"):
        mark = "[green]✔ holds[/green]" if joined["holds"] else "[red]✘ does not hold[/red]"
        reached = f"reached {joined['achieved']}, {joined['failing']:,} of {joined['people']:,} people fail"
        terminal.print_all(f"{mark}  k = {joined['k']}, rows = {joined['rows']} in all tables together: {reached}")


def _pairs(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    if not all(column and path for column, _, path in pairs):
        raise click.BadParameter("takes COLUMN=FILE")
    return {column: path for column, _, path in pairs}


@click.command()
@click.argument("original", type=terminal.PLACE)
@click.argument("released", type=terminal.PLACE)
@click.option("--qi", required=True, callback=column_list, help="The quasi-identifiers, separated by commas.")
@click.option("--sensitive", callback=column_list, help="The sensitive attributes, separated by commas.")
@click.option("--identifier", callback=column_list, help="The identifiers, separated by commas; they are left out.")
@click.option("--person", callback=column_list, help=_PERSON)
@click.option("--hierarchy", "hierarchies", multiple=True, callback=_pairs, help="COLUMN=FILE; may be repeated.")
@click.option("--k", default=2, show_default=True, help="Records that look like fewer can be singled out.")
@click.option("--threshold", default=0.09, show_default=True, help="Records with a higher risk are at risk.")
@click.option("--population", type=terminal.PATH, help="A table of all people, with the same columns.")
@click.option("--population-size", help="How many people there are, or a country: 48000000, Spain, ES, EU.")
@click.option("--weight", help="Of a survey: the column with the sampling weight.")
@click.option("--household", help="Of a survey: the column that says which records are of one household.")
@click.option("--holdout", type=terminal.PATH, help=_HOLDOUT)
@click.option("--attacks", default=1000, show_default=True, help="How many times each attack is tried; 0 for none.")
@click.option("--attacker", "attackers", multiple=True, type=terminal.PATH, help=_ATTACKER)
@click.option("--seed", type=int, help="Makes queries, classifiers and attacks repeatable.")
@click.option("--key", help="A column that says which row is which, so that numbers can be compared row by row.")
@click.option("--same-order/--any-order", default=None, help="Whether row i was made from row i; else looked for.")
@click.option("--html", type=terminal.PATH, help="Also write a page into this file.")
@click.option("--pdf", type=terminal.PATH, help="Also write it as PDF into this file; extra 'pdf'.")
@click.option("--language", default="en", type=click.Choice(LANGUAGES), help="The language of the page.")
@click.option("--recipient", help="For whom the release is.")
@terminal.reading_options
@terminal.json_option
def assess(
    original: str | Path,
    released: str | Path,
    qi: list[str],
    sensitive: list[str],
    identifier: list[str],
    person: list[str],
    hierarchies: dict[str, str],
    population: Path | None,
    holdout: Path | None,
    attackers: tuple[Path, ...],
    html: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Judge any release, whoever made it, from two tables: utility, risk, and what attackers find.

    \b
    antifaz assess people.csv released.csv --qi age,sex,postcode --sensitive diagnosis
    antifaz assess visits.csv released.csv --qi age,sex --person patient
    antifaz assess people.csv synthetic.csv --qi age,sex,postcode --holdout others.csv
    antifaz assess survey.csv released.csv --qi age,sex,region --weight weight --household home

    Where rows correspond, by their order or by --key, numbers are compared one by one: IL1s, interval risk, linkage.

    An attacker of your own is described in a file, such as neighbour.yaml, and given as --attacker neighbour.yaml:

    \b
    name: a neighbour
    knows: [age, postcode]
    of: 200
    exactly: {age: 2, postcode: first 3}
    """
    own = {key: options.pop(key) for key in _OWN}
    roles = dict.fromkeys(qi, "quasi-identifier") | dict.fromkeys(sensitive, "sensitive")
    roles |= dict.fromkeys(identifier, "identifier") | dict.fromkeys(person, "person")
    if len(roles) < len(qi) + len(sensitive) + len(identifier) + len(person):
        options_of_roles = "--qi, --sensitive, --identifier and --person"
        raise click.UsageError(f"A column has one role: name it in one of {options_of_roles}, once.")
    with terminal.progress() as steps:
        assessment = actions.assess_files(
            original, released, roles, hierarchies=hierarchies, population=population, holdout=holdout,
            attackers=attackers, html=html, reading=terminal.given(options), progress=steps, **own,
        )  # fmt: skip
    terminal.print_json(assessment) if as_json else _print_assessment(assessment)
    for written in (html, own["pdf"]):
        if written is not None and not as_json:
            click.echo(f"The page is in {written}")


def _print_assessment(assessment: dict[str, Any]) -> None:
    rows = assessment["rows"]
    terminal.print_all(
        f"{rows['original']:,} records, {rows['released']:,} released, {rows['suppressed']:,} left out or silent"
    )
    if people := assessment.get("people"):
        known = "not known" if people["released"] is None else f"{people['released']:,}"
        terminal.print_all(f"{people['original']:,} people, released: {known}; risks are those of people")
    parts = (_risk_table, survey_table, _disclosure_table, _attack_table, _nearest_table, _utility_table, _column_table)
    for part in (make(assessment) for make in parts):
        if part.row_count:
            terminal.print_all("", part)
    if assessment["perturbation"]:
        _print_moved(assessment["perturbation"])
    terminal.print_all(*(f"[yellow]![/yellow] {terminal.escaped(warning)}" for warning in assessment["warnings"]))


def _risk_table(assessment: dict[str, Any]) -> Any:
    risk = assessment["risk"]
    before, after = risk["before"], risk["after"]
    table = terminal.new_table("risk", "before", "after")
    singled = (f"{risk['singled_out_before']:,}", f"{risk['singled_out_after']:,}")
    table.add_row(f"singled out (fewer than {risk['k']} alike)", *singled)
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


def _disclosure_table(assessment: dict[str, Any]) -> Any:
    table = terminal.new_table("sensitive", "given away", "one ruled out", "highest certainty", "largest distance")
    for name, risk in assessment["risk"]["disclosure"].items():
        ruled_out = risk["background_knowledge"][0]["records"] if risk["background_knowledge"] else None
        shares = (risk["homogeneity"]["records"], ruled_out, risk["confidence"])
        terminal.add_row(table, name, *map(_percent, shares), _number(risk["skewness"]["largest"]))
    return table


def _attack_table(assessment: dict[str, Any]) -> Any:
    table = terminal.new_table("attack", "success", "95 % interval", "control", "chance")
    for attack in assessment["attacks"]:
        between = " – ".join(map(_percent, attack["interval"]))
        control, chance = _percent(attack["control"]), _percent(attack["chance"])
        terminal.add_row(table, attack["name"], _percent(attack["success"]), between, control, chance)
    return table


def _nearest_table(assessment: dict[str, Any]) -> Any:
    table = terminal.new_table("nearest person of a released record", "original", "hold-out")
    measured = assessment.get("nearest")
    if measured:
        for key, word in (("distance", "distance (0 the same, 1 other in all)"), ("ratio", "nearest / second nearest")):
            for part, named in (("median", "median"), ("p05", "5th percentile")):
                values = [measured[key][side][part] for side in ("original", "holdout")]
                table.add_row(f"{word}, {named}", *map(_number, values))
        table.add_row("the same", *(_percent(measured["distance"][side]["zero"]) for side in ("original", "holdout")))
        closer, ends = measured["closer_to_original"], " – ".join(map(_percent, measured["chance_interval"]))
        table.add_row(f"closer (original by chance: {ends})", _percent(closer), _percent(1 - closer))
    return table


def _utility_table(assessment: dict[str, Any]) -> Any:
    utility = assessment["utility"]
    table = terminal.new_table("utility", "")
    moved = [name for name, column in utility["columns"].items() if column.get("gcp", 0) is None]
    left_out = f", without {', '.join(moved)}" if moved else ""
    for word, value in (
        (f"loss (width of labels: 0 exact, 1 everything){left_out}", utility["loss"]),
        (f"GCP{left_out}", utility["gcp"]),
        ("precision", utility["precision"]),
        (f"information kept{left_out}", utility["entropy"]),
        ("discernibility", utility["discernibility"]),
        ("one-way tables, total variation", utility["tables"]["one_way"]),
        ("two-way tables, total variation", utility["tables"]["two_way"]),
        ("correlations, mean change", utility["correlations"]["mean_change"]),
        ("queries, median relative error", utility["queries"]["median_relative_error"]),
    ):
        terminal.add_row(table, word, _number(value))
    for name, by_kind in utility["predictions"].items():
        for kind in ("logistic", "tree"):
            if kind in by_kind:
                both = f"{_percent(by_kind[kind]['released'])}, from the original {_percent(by_kind[kind]['original'])}"
                table.add_row(f"{name} by {kind}", f"{both}, by chance {_percent(by_kind['chance'])}")
    return table


def _column_table(assessment: dict[str, Any]) -> Any:
    table = terminal.new_table("column", "GCP", "information kept", "total variation", "KS p")
    for name, column in assessment["utility"]["columns"].items():
        cells = (column.get("gcp"), column.get("entropy"), column["total_variation"], column.get("ks", {}).get("p"))
        terminal.add_row(table, name, *map(_number, cells))
    return table


def _print_moved(assessment: dict[str, Any]) -> None:
    """Print how far numbers were moved, and both pictures of each column in a line."""
    terminal.print_all("", terminal.escaped(assessment["note"]))
    if not assessment["paired_by"]:
        return
    within, linked = f"within {assessment['interval']:g} sd", assessment["together"]["linkage"]
    table = terminal.new_table("number", "changed", "IL1s", "per record", within)
    pictures = terminal.new_table("number", "", "picture")
    for name, column in assessment["columns"].items():
        figures = _number(column["il1s"]), _number(column["il1s_per_record"]), _percent(column.get("interval_risk"))
        terminal.add_row(table, name, _percent(column["changed"]), *figures)
        if column["changed"] and "histogram" in column:
            edges = column["histogram"]["edges"]
            for side in ("before", "after"):
                counted = zip(column["histogram"][side], edges, edges[1:], strict=False)
                terminal.add_row(pictures, name, side, _bars([count / (end - start) for count, start, end in counted]))
            terminal.add_row(pictures, name, "sorted errors", _bars(column["errors"][::4]))
    together = f"all columns {within}: {_percent(assessment['together']['interval_risk'])}"
    links = f"linked to their own original: {_percent(linked['share'])}, by chance {_percent(linked['chance'])}"
    terminal.print_all(table, together, links, *(["", pictures] if pictures.row_count else []))


def _bars(values: list[float]) -> str:
    most = max(values)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * value / most)] for value in values) if most else ""


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2%}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:,.4g}"
