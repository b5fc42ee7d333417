"""Judge any release from two tables: utility, risk and attacks, whoever made it and in whatever order its rows are.

Where it is known which row was made from which, numbers are also compared row by row.

Both tables are counted where they are, once. All measures follow from the distinct tuples: time and memory are linear
in them but for one sort, and in the labels of each column. Two tables of a million rows and ten columns stay well
below 2 GB. The attacks read rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.files import write_bytes, write_text
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, generator
from antifaz.core.regions import REGION_SOURCE, region_sizes
from antifaz.core.roles import Role
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.pipeline.assessed_people import ClassPeople
from antifaz.pipeline.survey import assess_survey
from antifaz.proposals.countries import country_codes, folded
from antifaz.releases.criteria import criteria
from antifaz.reports.report import report_options

# The measures are imported inside the functions, because they bring Numba and SciPy.

#: What the European Union is called, beside its code: letters only.
_UNION = ("eu", "ue", "europeanunion", "unioneuropea", "unioeuropea")


def assess(
    original: Any,
    released: Any,
    roles: Mapping[str, str],
    *,
    hierarchies: Mapping[str, Any] | None = None,
    k: int = 2,
    threshold: float = 0.09,
    population: Any = None,
    population_size: float | str | None = None,
    weight: str | None = None,
    household: str | None = None,
    attacks: int = 1000,
    attackers: Sequence[Any] = (),
    holdout: Any = None,
    seed: int | None = None,
    key: str | None = None,
    same_order: bool | None = None,
    html: str | Path | None = None,
    pdf: str | Path | None = None,
    language: str = "en",
    recipient: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return utility, risk and attacks for any pair of tables, as plain data that can be written as JSON.

    Rows need not correspond, nor be as many: what is missing from the release counts as left out. Labels such as
    `[20, 30)`, `{a, b}`, `537**` or `*` are understood; others need the hierarchy of their column.

    Args:
        original: A pandas, polars or pyarrow table, a path, or what `open` returned.
        released: The table that was made from it, by whomever.
        roles: Per column 'identifier', 'person', 'quasi-identifier', 'sensitive' or 'insensitive' (the default). Where
            a column, or several, have the role 'person', risks are those of people, who may have several rows; of
            the release only if it has these columns, as they were or as pseudonyms.
        hierarchies: Per column what its values generalize to, as for `anonymize`; without one a column's domain are
            the values of the original, and heights are not known.
        k: Records that look like fewer than k can be singled out.
        threshold: Records with a higher risk than this are at risk.
        population: A table with the quasi-identifiers of the people of whom the original is a sample.
        population_size: How many people there are, where there is no such table: a number, or the name or ISO code of a
            country ('Spain', 'ES', 'European Union'), of which a figure is built in.
        weight: Of a survey, the column with the sampling weight: how many people a record stands for. With it, or with
            households, `survey` has the risk of a sample; of the release only what its own columns say.
        household: Of a survey, the column that says which records are of one household.
        attacks: How many attempts each simulated attack makes; 0 for none.
        attackers: Attackers as you describe them (`risk.Attacker`, or mappings with its parameters): which columns they
            know of how many people, how exactly, with how much noise. They are reported beside the default ones.
        holdout: A table of people like those of the original who had no part in the release. With it, every attack has
            them as its control; attackers try to tell who was in the original, and `nearest` says how near released
            records lie to both. For synthetic tables above all.
        seed: Makes queries, classifiers and attacks repeatable; a secure one is drawn when left out.
        key: A column of both tables that says which row is which, so that numbers can be compared row by row. It counts
            as an identifier unless `roles` says otherwise.
        same_order: Whether both tables have the same rows in the same order; looked for in the data when left out.
        html: Also write a page for people into this file.
        pdf: Also write the same as PDF into this file; needs the extra 'pdf'.
        language: The language of the page: 'en', 'es' or 'ca'.
        recipient: For whom the release is.
        progress: Told of every step.
    """
    progress = progress or Progress()
    chosen = fresh_seed() if seed is None else seed
    told_size, of_region = population_size_of(population_size)
    _check(k, threshold, attacks, attackers, holdout)
    report_options(language=language, recipient=recipient, pdf=pdf is not None)
    with ExitStack() as stack:
        with progress.step("read", Message("progress.reading-tables")):
            before, after = (_opened(stack, table) for table in (original, released))
            people, others = (None if table is None else _opened(stack, table) for table in (population, holdout))
        asked = _roles(before, roles if key is None else {key: Role.IDENTIFIER, **roles})
        with progress.step("count", Message("progress.counting-both-tables")):
            result, pair, people_alike = _counted(before, after, asked, hierarchies or {}, people)
            whose = ClassPeople.of(before, after, asked)
            result |= {} if whose is None else {"people": whose.numbers()}
            result["warnings"] += [] if whose is None else whose.warnings()
        with progress.step("rows", Message("progress.comparing-rows")):
            result["perturbation"] = _row_by_row(before, after, asked, key, same_order)
            moved, told = _moved(pair, result["perturbation"])
        with progress.step("utility", Message("progress.measuring-utility")):
            result["utility"], untried = _utility(pair, moved, chosen, progress)
            result["warnings"] += [*told, *untried]
        with progress.step("risk", Message("progress.measuring-risk")):
            sizes = people.rows if people is not None else told_size
            result["warnings"] += of_region if people is None else []
            result["risk"] = _risk(pair, k, threshold, people_alike, sizes, whose)
            result |= assess_survey(before, after, result["quasi_identifiers"], weight, household)
        with progress.step("attacks", Message("progress.trying-attacks")):
            covers = _covers(pair)
            del pair, people_alike  # what attackers need is as large again
            tried = _Attacks(asked, attacks, attackers, chosen)
            persons = None if whose is None else whose.persons
            result |= tried.on(before, after, others, covers, persons) if attacks else {"attacks": []}
            result["warnings"] += tried.warnings
    result |= {"seed": chosen, "seconds": dict(progress.seconds)}
    reason: Any = None if attacks else "not_asked"
    result["criteria"] = criteria(result["attacks"], result["risk"], recipient=recipient, reason=reason).document()
    _write_pages(result, html, pdf, language)
    return result


def _write_pages(result: dict[str, Any], html: str | Path | None, pdf: str | Path | None, language: str) -> None:
    if html is None and pdf is None:
        return
    from antifaz.reports.report import assessment_html, assessment_pdf

    if html is not None:
        write_text(Path(html), assessment_html(result, language))
    if pdf is not None:
        write_bytes(Path(pdf), assessment_pdf(result, language))


def _check(k: int, threshold: float, attacks: int, attackers: Sequence[Any], holdout: Any) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError("assess.k-below-1", k=k)
    if not 0 <= threshold <= 1:
        raise ParameterError("assess.threshold-out-of-bounds", threshold=threshold)
    if attacks < 0:
        raise ParameterError("assess.attacks-negative", attacks=attacks)
    if attackers and not attacks:
        raise ParameterError("assess.attackers-without-attacks")
    if holdout is not None and not attacks:
        raise ParameterError("assess.holdout-without-attacks")


@contextmanager
def opened(places: Sequence[Any], options: Mapping[str, Any]) -> Iterator[list[Data | None]]:
    """Open several tables that are written alike; what is None stays None."""
    with ExitStack() as stack:
        yield [None if place is None else stack.enter_context(open_data(place, **options)) for place in places]


def _opened(stack: ExitStack, table: Any) -> Data:
    """Open a table; one that was open already is left open."""
    return table if isinstance(table, Data) else stack.enter_context(open_data(table))


def _roles(before: Data, roles: Mapping[str, str]) -> dict[str, Role]:
    """Return the role of every column of the original, in its order."""
    schema = before.schema.with_roles(dict.fromkeys(before.schema.names, Role.INSENSITIVE)).with_roles(roles)
    if not schema.of(Role.QUASI_IDENTIFIER):
        raise SchemaError("assess.no-quasi-identifiers")
    return {column.name: column.role for column in schema}


def _counted(
    before: Data, after: Data, roles: Mapping[str, Role], hierarchies: Mapping[str, Any], people: Data | None
) -> tuple[dict[str, Any], Any, Any]:
    """Count both tables, and the population where there is one; return rows and warnings, the pair, people alike."""
    from antifaz.utility.pair import count_pair, people_alike

    there = set(after.schema.names)
    warnings = [
        Message("warning.identifier-released" if name in there else "warning.column-not-released", name=name)
        for name, role in roles.items()
        if role.names_people == (name in there)
    ]
    # What was taken out of the release is lost where it was a quasi-identifier, and can't be compared elsewhere.
    used = {
        name: role
        for name, role in roles.items()
        if role is Role.QUASI_IDENTIFIER or (not role.names_people and name in there)
    }
    pair = count_pair(before, after, used, hierarchies)
    alike = None
    if people is not None:
        asked = {name: role for name, role in used.items() if role is Role.QUASI_IDENTIFIER}
        alike = people_alike(count_pair(people, after, asked, {n: h for n, h in hierarchies.items() if n in asked}))
    if pair.released.rows > pair.original.rows:
        warnings.append(Message("warning.more-records-than-original"))
    rows = {"original": pair.original.rows, "released": pair.released.rows, "suppressed": pair.suppressed}
    qis, sensitive = ([n for n, role in used.items() if role is own] for own in (Role.QUASI_IDENTIFIER, Role.SENSITIVE))
    named = {"quasi_identifiers": qis, "sensitive": sensitive}
    return {"rows": rows, **named, "warnings": [*warnings, *pair.warnings]}, pair, alike


def _row_by_row(
    before: Data, after: Data, roles: Mapping[str, Role], key: str | None, same_order: bool | None
) -> dict[str, Any] | None:
    """Say how far numbers were moved, where it is known which row is which; None where no column has numbers."""
    from antifaz.pipeline.comparison import compare_rows
    from antifaz.pipeline.pairing import pair_rows
    from antifaz.sources.paired_frames import read_numbers

    shared = [name for name, role in roles.items() if not role.names_people and name in after.schema.names]
    numbers = [name for name in shared if all(side.schema[name].type.is_number for side in (before, after))]
    if not numbers:
        return None
    rows = pair_rows(before, after, numbers, key, same_order)
    if rows is None:
        return {"paired_by": None, "note": Message("note.rows-not-paired")}
    found = compare_rows(read_numbers(rows.before, rows.after, None, what="assess"))
    return {"paired_by": rows.by, "note": rows.note, **found}


def _moved(pair: Any, rows: Mapping[str, Any] | None) -> tuple[list[str], list[Message]]:
    """Return the columns whose numbers are exact and not true, and a warning: those moved, or that nobody had."""
    paired = (rows or {}).get("columns", {})
    moved = [name for name, measured in paired.items() if measured["changed"]]
    strange = [
        column.name
        for column in pair.columns
        if column.name not in moved and column.kept[~np.isnan(column.covers.named)].any()
    ]
    told = (("warning.numbers-moved", moved), ("warning.numbers-unknown", strange))
    return [*moved, *strange], [Message(code, names=names) for code, names in told if names]


def _utility(pair: Any, moved: Sequence[str], seed: int, progress: Progress) -> tuple[dict[str, Any], list[Message]]:
    """Measure what is kept; say also what is missing because an optional package is."""
    from antifaz.utility.distributions import distributions, query_error
    from antifaz.utility.loss import detail
    from antifaz.utility.predictions import NO_TREES, predictions

    lost = detail(pair, moved)
    progress.tell(0.2, Message("progress.comparing-distributions"))
    drift = distributions(pair)
    columns = {name: {**lost["columns"].get(name, {}), **measures} for name, measures in drift.pop("columns").items()}
    progress.tell(0.6, Message("progress.asking-queries"))
    queries = query_error(pair, generator(seed))
    progress.tell(0.8, Message("progress.training-classifiers"))
    predicted = predictions(pair, generator(seed))
    untried = [NO_TREES] if any("tree" not in scores for scores in predicted.values()) else []
    return {**lost, **drift, "columns": columns, "queries": queries, "predictions": predicted}, untried


def _risk(
    pair: Any, k: int, threshold: float, alike: Any, population_size: float | None, whose: ClassPeople | None
) -> dict[str, Any]:
    from antifaz.risk import records_below

    sides = (None, None) if whose is None else (whose.before, whose.after)
    classes = (pair.classes_before.sizes, pair.classes.sizes)
    sizes_before, sizes = (own if who is None else who.heads for own, who in zip(classes, sides, strict=True))
    # Somebody who is in several small classes is one person.
    alone_before, alone = (
        records_below(own, k) if who is None else who.below(k) for own, who in zip(classes, sides, strict=True)
    )
    before = _sides(sizes_before, threshold, None, population_size)
    after = _sides(sizes, threshold, alike, population_size)
    return {
        "k": k, "threshold": threshold, "singled_out_before": alone_before,
        "singled_out_after": alone, "prosecutor": after["prosecutor"]["highest"],
        "journalist": after["journalist"]["highest"], "marketer": after["marketer"]["average"], "before": before,
        "after": after, "disclosure": _disclosure(pair),
    }  # fmt: skip


def _sides(sizes: Any, threshold: float, alike: Any, population_size: float | None) -> dict[str, Any]:
    """One table's risks: its classes, the three attackers, and who is alone in it and in the population."""
    from antifaz.counting.population_uniqueness import population_uniqueness
    from antifaz.risk.reidentification import class_risks

    records, alone = int(sizes.sum()), int((sizes == 1).sum())
    risks = {
        "records": records, "classes": int(sizes.size), "smallest_class": int(sizes.min()) if sizes.size else None,
        "average_class": records / sizes.size if sizes.size else None,
        "largest_class": int(sizes.max()) if sizes.size else None,
        **class_risks(sizes, threshold, alike, population_size),
        "sample_uniqueness": {"records": alone, "share": alone / records if records else 0.0},
    }  # fmt: skip
    if population_size is not None and sizes.size:
        risks["population_uniqueness"] = population_uniqueness(sizes, population_size)
    return risks


def _disclosure(pair: Any) -> dict[str, Any]:
    from antifaz.risk.disclosure import disclosure, gather

    disclosures = {}
    for column in pair.of(Role.SENSITIVE):
        at = pair.released.columns.index(column.name)
        values = gather(
            pair.classes.of, pair.classes.sizes, pair.released.codes[at], pair.released.counts,
            pair.released.values[at], column.domain.kind,
        )  # fmt: skip
        disclosures[column.name] = disclosure(values, parents=_parents(column.domain.hierarchy, values.labels))
    return disclosures


def _parents(hierarchy: Any, labels: Sequence[str | None]) -> Any:
    """Return the node of the hierarchy's first level above each value; what it does not know is a node of its own."""
    from antifaz.core.values import sense

    if hierarchy is None or hierarchy.height < 2:
        return None
    node = {sense(leaf): int(above) for leaf, above in zip(hierarchy.leaves, hierarchy.up[1], strict=True)}
    many = len(hierarchy.levels[1])
    return np.array([node.get(label, many + i) for i, label in enumerate(labels)], np.int64)


def _covers(pair: Any) -> dict[str, dict[str, list[str]]]:
    """Return the values below each label of the hierarchies that were given, for the attackers."""
    covers: dict[str, dict[str, list[str]]] = {}
    for column in pair.columns:
        if column.domain.hierarchy is not None:
            under = covers.setdefault(column.name, {})
            for leaf, *labels in column.domain.hierarchy.paths():
                for label in dict.fromkeys(labels):
                    under.setdefault(label, []).append(leaf)
    return covers


class _Attacks:
    """The attacks that are asked for, and the warnings that came of them."""

    def __init__(self, roles: Mapping[str, Role], attacks: int, attackers: Sequence[Any], seed: int) -> None:
        self._roles, self._attacks, self._attackers, self._seed = roles, attacks, attackers, seed
        self.warnings: list[Message] = []

    def on(self, before: Data, after: Data, holdout: Data | None, covers: Any, persons: Any) -> dict[str, Any]:
        """Try them; with a hold-out, also say who was in the original and how near released records lie."""
        from antifaz.risk.attacks.membership import holdout_warnings, nearest_people_measures, try_membership
        from antifaz.risk.attacks.run import attack_tables, parse_each
        from antifaz.risk.attacks.tables import read_tables

        described, roles = parse_each(self._attacks, self._attackers), self._roles
        names = [name for name in before.schema.names if name in after.schema.names and not roles[name].names_people]
        known = {name: roles[name] for name in names}
        if holdout is not None:
            holdout.schema.require(names)
            if any(role is Role.PERSON for role in roles.values()):
                raise ParameterError("assess.holdout-with-people")
        control = None if holdout is None else holdout.cells(names)
        label_members = {name: under for name, under in covers.items() if name in known}
        tables = read_tables(before.cells(names), after.cells(names), known, control, label_members, persons)
        found = attack_tables(tables, self._attacks, self._seed, described)
        if control is None:
            return {"attacks": found}
        self.warnings += holdout_warnings(tables)
        found += try_membership(tables, self._attacks, self._seed)
        return {"attacks": found, "nearest": nearest_people_measures(tables, self._attacks, self._seed)}


def population_size_of(told: float | str | None) -> tuple[float | None, list[str]]:
    """Return how many people there are, and what is to be said of where the number is from.

    A country is told by its name in seven languages, or by its ISO code.
    """
    if told is None or not isinstance(told, str):
        return told, []
    try:
        return float(told.replace("_", "")), []
    except ValueError:
        pass
    sizes, name = region_sizes(), folded(told)
    code = "EU" if name in _UNION else country_codes().get(name)
    if code not in sizes:
        raise ParameterError("risk.unknown-region", name=told, hint=hint(told, sizes))
    about = {"region": code, "size": sizes[code], "source": REGION_SOURCE}
    return sizes[code], [Message("warning.population-of-region", **about)]
