"""Use cases on data: a table or a file is anonymized, verified, described, tried out, attacked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from antifaz.core.errors import CheckFailed, InputError
from antifaz.core.files import write_text
from antifaz.core.inline import InlineDict, InlineList
from antifaz.core.item_options import Items
from antifaz.core.keys import new_key
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.progress import Progress
from antifaz.core.recount import Recount
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.verdicts import Verdict
from antifaz.engines.engine import Data, NoDocuments
from antifaz.engines.registry import engine_of, open_data, to_audit
from antifaz.methods import FullDomain, Method
from antifaz.pipeline.assessment import assess, opened
from antifaz.pipeline.candidates import Candidates, find_candidates
from antifaz.pipeline.candidates import frontier as try_every_k
from antifaz.pipeline.people import LeaveOut, check_models, removed_people, with_rows
from antifaz.pipeline.plan import Others, Plan, make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.pipeline.set_columns import check_sets, class_models
from antifaz.privacy import MODELS, KAnonymity, PrivacyModel
from antifaz.projects.attacker_files import read_attackers
from antifaz.projects.template import USUAL_RULE, project_template
from antifaz.proposals.audiences import USUAL
from antifaz.proposals.column_costs import columns as propose_columns
from antifaz.proposals.missing_codes import missing_codes, ordered_bands, proposed_sets, written_forms
from antifaz.proposals.person import person_key
from antifaz.proposals.quasi_identifiers import quasi_identifiers as propose_quasi_identifiers
from antifaz.proposals.roles import roles as propose_roles
from antifaz.proposals.tails import wide_tails
from antifaz.releases.gate import examine
from antifaz.releases.set_gate import CountableTable, examine_sets
from antifaz.sources.place_address import has_secret, is_place
from antifaz.sources.types_file import save_types as write_types


def anonymize(
    data: Any,
    *,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    method: Method | None = None,
    seed: int | None = None,
    name: str = "release",
    missing: Mapping[str, Any] | None = None,
    microaggregate: Mapping[str, Any] | None = None,
    hardened: bool = False,
    audience: str | None = None,
    limit_rows: int | None = None,
    sets: Mapping[str, Any] | None = None,
    leave_out: LeaveOut = "rows",
    weight: str | None = None,
    household: str | None = None,
    others: Others = "refuse",
    progress: Progress | None = None,
) -> Release:
    """Decide, apply, verify: return a release whose privacy was counted in its rows, or raise `PrivacyNotReached`.

    Args:
        data: A pandas, polars or pyarrow table, a path, or what `open` returned.
        roles: Per column 'identifier', 'person', 'quasi-identifier', 'sensitive' or 'insensitive'. With a 'person', who
            may have several rows, people are counted.
        hierarchies: Per quasi-identifier what its values generalize to: from `antifaz.hierarchy`, a file, a tree.
        privacy: What must hold, e.g. `[KAnonymity(5), LDiversity(2)]`.
        method: How to get there; full-domain generalization when left out.
        seed: Makes the run repeatable; a secure one is drawn when left out.
        name: What the run is called in its evidence.
        missing: Per quasi-identifier what becomes of records that lack it: "category" (a value of its own, the
            default), "most-frequent", "median" (filled in) or "drop" (left out).
        microaggregate: Quasi-identifiers that are not generalized but released as one value of each class: "mean",
            "median", "mode" or "interval". Without a hierarchy they take no part in making the classes.
        hardened: Against those who know the method: it decides without seeing sensitive values, for larger classes than
            promised by a secret margin, with ties broken at random. `PrivacyNotReached` where the models then don't
            hold. The seed gives the margin away: leave it out, or keep it to yourself.
        audience: Whom the release is for: "known", "many" or "public"; the verdict goes by it.
        limit_rows: The most rows of a person that are used, drawn at random; all where left out.
        sets: Per quasi-identifier whose cells hold several items (`a;b;c`) what stands between them, ";", or `Items`:
            k people share what any `rows` of a person's items give away, and hierarchies are those of the items.
        leave_out: Where something fails, 'rows' leaves out its rows, 'people' everybody who has one of them, with all
            rows; the method's suppression is then a share of the people.
        weight: Of a survey, the column with the sampling weight: how many people a record stands for. The evidence
            then has the risk of a sample, and who is alone in the population.
        household: Of a survey, the column that says which records are of one household: who finds one finds all.
        others: What becomes of columns without a role: an error lists them ("refuse", the default), they are left out
            ("drop") or released as they are, with a warning ("release").
        progress: Told of every step.
    """
    progress = progress or Progress()
    with progress.step("read", Message("progress.reading")):
        opened = open_data(data)
    more: dict[str, Any] = {"name": name, "missing": missing, "hardened": hardened, "audience": audience}
    more |= {"limit_rows": limit_rows, "items": sets or {}, "leave_out": leave_out}
    more |= {"weight": weight, "household": household, "microaggregate": dict(microaggregate or {})}
    plan = _plan(opened, roles, hierarchies, privacy, method, seed, others=others, **more)
    release = Release(start_run(plan, opened, progress))
    release.check()
    return release


def verify(
    frame: Any,
    quasi_identifiers: Sequence[str],
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    *,
    person: str | Sequence[str] = (),
    sets: Mapping[str, Any] | None = None,
) -> list[Verdict]:
    """Check any table, whoever made it, from its rows alone.

    `person` names the columns that tell people apart, where a person has several rows: then people are counted. A
    release does not have them any more; of such a table only rows can be counted again. `sets` says of
    quasi-identifiers whose cells hold several items what stands between them.
    """
    models = [privacy] if isinstance(privacy, PrivacyModel) else list(privacy)
    if isinstance(frame, (str, Path)) or (person and not isinstance(frame, Data)):
        with open_data(frame) as opened:
            return verify(opened, quasi_identifiers, models, person=person, sets=sets)
    keys = (person,) if isinstance(person, str) else tuple(person)
    return InlineList("verdicts", _verdicts_of(frame, quasi_identifiers, models, keys, sets or {})[1])


def _verdicts_of(
    data: Any, names: Sequence[str], models: Sequence[PrivacyModel], person: Sequence[str], sets: Mapping[str, Any]
) -> tuple[Recount, list[Verdict]]:
    """Count a table and judge it: its classes, and the items of its sets within them."""
    check_models(models, person, list(sets))
    check_sets(models, list(sets), hardened=False)
    qis = [name for name in names if name not in sets]
    of_classes = class_models(tuple(models), list(sets), person, qis)
    counted, verdicts = examine(*to_audit(data), of_classes, qis, people=tuple(person) or None)
    if not sets:
        return counted, verdicts
    here = with_rows(data) if isinstance(data, Data) else data
    people = here.cells(person) if person else None
    items = {name: Items.of(own, name) for name, own in sets.items()}
    return counted, examine_sets(CountableTable(*to_audit(here), qis, people), models, verdicts, items)[0]


def verify_file(
    place: str | Path,
    quasi_identifiers: Sequence[str],
    privacy: Sequence[Mapping[str, Any]],
    *,
    person: Sequence[str] = (),
    sets: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Check a file against models given as in a project file; return rows, classes and one verdict per model.

    `person` names the columns that tell people apart: then people are counted. `sets` are as for `verify`.
    """
    with open_data(place, **options) as data:
        data.schema.require([*quasi_identifiers, *(sets or {})])
        models = [
            MODELS.make(str(entry["model"]), {key: value for key, value in entry.items() if key != "model"})
            for entry in privacy
        ]
        for model in models:
            data.schema.require(model.sensitive())
            if model.needs_sensitive and not model.sensitive():
                raise InputError("model.which-sensitive-attribute", model=model.name)
        counted, verdicts = _verdicts_of(data, quasi_identifiers, models, person, sets or {})
    notes = [] if person or is_place(place) else removed_people(Path(place))
    return {
        "rows": counted.rows,
        **({} if counted.people is None else {"people": counted.people.number}),
        **({"notes": notes} if notes else {}),
        "classes": int(counted.sizes.size),
        "privacy": [verdict.as_dict() for verdict in verdicts],
    }


def candidates(
    data: Any,
    *,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    method: FullDomain | None = None,
    seed: int | None = None,
    others: Others = "refuse",
) -> Candidates:
    """Return every full-domain generalization that satisfies the models, best first; each can be applied.

    `others` says what becomes of columns without a role, as for `anonymize`.
    """
    opened = open_data(data)
    return find_candidates(_plan(opened, roles, hierarchies, privacy, method, seed, others=others), opened)


def frontier(
    data: Any,
    *,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] = (),
    method: Method | Sequence[Method] | None = None,
    k: Sequence[int] = range(2, 21),
    seed: int | None = None,
    audience: str = USUAL,
) -> dict[str, Any]:
    """Return loss, risk and kept distributions for every k and method, and a k for the audience, with why.

    Nothing is released, so columns without a role don't matter.
    """
    methods = [method] if isinstance(method, Method) else list(method or [FullDomain()])
    opened = open_data(data)
    models = privacy or [KAnonymity(min(k, default=2))]
    plan = _plan(opened, roles, hierarchies, models, methods[0], seed, audience=audience, others="drop")
    return InlineDict("frontier", try_every_k(plan, opened, list(k), methods=methods))


def _plan(
    data: Data,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None,
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    method: Method | None,
    seed: int | None,
    **more: Any,
) -> Plan:
    models = [privacy] if isinstance(privacy, PrivacyModel) else privacy
    request: dict[str, Any] = {"roles": roles, "hierarchies": hierarchies or {}, "privacy": models, "seed": seed}
    return make_plan(data.schema, method=method or FullDomain(), **request, **more)


def inspect(
    place: str | Path, *, save_types: Path | None = None, costs: int | None = None, **options: Any
) -> dict[str, Any]:
    """Describe a file: per column type, distinct, missing and a proposed role; and whom the proposal singles out.

    With `save_types`, types and lengths are written to that file. With `costs`, a k, also what each of the proposed
    quasi-identifiers costs the others.
    """
    with open_data(place, **options) as data:
        proposed = propose_roles(data)
        qis = [name for name, proposal in proposed.items() if proposal.value == Role.QUASI_IDENTIFIER]
        combination = propose_quasi_identifiers(data, qis) if qis and data.rows else None
        together: Any = combination.details["together"] if combination else {"singled_out": 0}
        profile = data.profile()
        if save_types is not None:
            _write_types(data, profile, save_types)
        codes, written = missing_codes(data, profile), written_forms(data, profile)
        sets = proposed_sets(data, profile, written)
        bands = ordered_bands(data, profile)
        kept = [name for name, own in proposed.items() if not Role(own.value).names_people]
        spelled = {name: [code.code for code in own] for name, own in codes.items()}
        tails = wide_tails(data, profile, USUAL_RULE.k, kept, spelled)
        columns = [
            column.shown(3)
            | {"role": own.value, "reason": own.reason, "confidence": own.details["confidence"]}
            | {"missing_codes": [code.as_dict() for code in codes.get(column.name, ())]}
            | {"written": written.get(column.name, []), "bands": bands.get(column.name, [])}
            | {"tails": [tail.as_dict() for tail in tails.get(column.name, ())]}
            | {"set": sets[column.name].as_dict() if column.name in sets else None}
            for column in profile
            for own in (proposed[column.name],)
        ]
        person = person_key(data, proposed)
        return {
            "rows": data.rows,
            "columns": columns,
            "person": person and person.value,
            "quasi_identifiers": qis,
            "singled_out": together["singled_out"],
            # The few of them that tell nearly as many people apart as all do, with the counts behind that.
            "combination": {"reason": combination.reason, **combination.details} if combination else None,
            "costs": _costs(data, qis, costs) if costs is not None else None,
            "repairs": [repair.as_dict() for repair in data.repairs],
            "notes": [*data.notes, *([] if person is None else [person.reason])],
        }


def _costs(data: Data, columns: Sequence[str], k: int) -> list[dict[str, Any]]:
    proposed = propose_columns(data, columns, k)
    return [{"proposal": own.value, "reason": own.reason, **own.details} for own in proposed]


def save_types(data: Any, path: str | Path, **options: Any) -> Path:
    """Write how each column of a table is understood, text with its length, to a file that `types=` takes."""
    if not isinstance(data, Data):
        with open_data(data, **options) as opened:
            return save_types(opened, path)
    _write_types(data, data.profile(), Path(path))
    return Path(path)


def _write_types(data: Data, profile: Profile, path: Path) -> None:
    """Write types with the lengths that were told, else those of the longest values."""
    measured = {c.name: f"{c.type}({c.longest})" for c in profile if c.type is DataType.TEXT and c.longest}
    declared = {c.name: c.type_text for c in data.schema if c.length}
    forms = {name: spelling.form for name, spelling in getattr(data, "spellings", {}).items() if spelling.form}
    write_types(data.schema.with_types(measured | declared), path, forms)


def import_table(
    file: Any,
    url: str,
    table: str | None = None,
    *,
    schema: str | None = None,
    replace: bool = False,
    password: str | None = None,
    password_env: str | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Copy a file, or a frame, into a new table of a database, as it is, and return what the table is like.

    Args:
        file: A path, or a pandas, polars or pyarrow table.
        url: The database: mariadb://user@host/name, postgresql://…, sqlite:///file, duckdb:///file (made if missing).
        table: The new table; called as the file is when left out.
        schema: Its schema, where that is not the usual one.
        replace: Whether an earlier table of that name makes room.
        password: The password; better kept in the environment (ANTIFAZ_PASSWORD), in a keyring, or typed in.
        password_env: The variable of the environment that holds the password.
        reading: How the file is read, as for `open`: delimiter, types, ….
    """
    named = table or (Path(file).stem if isinstance(file, str | Path) else "data")
    into: dict[str, Any] = {"schema": schema, "replace": replace, "password": password, "password_env": password_env}
    with ExitStack() as stack:
        data = stack.enter_context(open_data(file, engine="local", **reading))
        stage = stack.enter_context(engine_of(url).into_table(url, NoDocuments(), named, **into))
        rows = data.typed_rows()
        written = stage.folder.write_rows(rows)
        # Whoever reads the table back counts its rows and sums their cells: they must be those of the file.
        counted = data.auditor().recount(written.path, (), fingerprint=True)
        if (counted.rows, counted.fingerprint) != (data.rows, written.fingerprint):
            raise CheckFailed("database.imported-rows-differ", table=named)
        stage.publish()
        lengths = rows.lengths
        columns = [{"name": c.name, "type": str(c.type), "length": lengths.get(c.name)} for c in data.schema]
        return {"table": named, "rows": data.rows, "columns": columns, "notes": data.notes}


def init(place: str | Path, project: Path, *, force: bool = False, preset: str | None = None, **options: Any) -> Path:
    """Write a project file for a data file, with proposals that a person can edit; `preset` names a rule."""
    if project.exists() and not force:
        raise InputError("file.exists-already", project=project.name)
    if is_place(place) and has_secret(str(place)):
        raise InputError("place.secret-in-project")
    with open_data(place, **options) as data:
        if "types" in options:
            options["types"] = os.path.relpath(Path(options["types"]).resolve(), project.resolve().parent)
        text = project_template(data, place, project, options, preset=preset)
    write_text(project, text)
    return project


def assess_files(
    original: str | Path,
    released: str | Path,
    roles: Mapping[str, str],
    *,
    population: Path | None = None,
    holdout: Path | None = None,
    attackers: Sequence[Path] = (),
    reading: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Judge a release from two files as `assess` does; attackers are described in files, `reading` says how to read."""
    described, places = read_attackers(attackers), [original, released, population, holdout]
    with described.placed(), opened(places, dict(reading or {})) as (before, after, people, others):
        return assess(before, after, roles, population=people, holdout=others, attackers=described.attackers, **options)


def make_key(path: Path) -> Path:
    """Make a key for encryption and pseudonyms in a file that only its owner may read."""
    return new_key(path)
