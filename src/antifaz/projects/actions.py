"""Every use case as one function. Faces (library, command line, page) call these and show what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import write_text
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed
from antifaz.core.roles import Role
from antifaz.core.verdicts import Verdict
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data, to_audit
from antifaz.ledger.ledger import Ledger
from antifaz.methods import METHODS, FullDomain, Method
from antifaz.pipeline.candidates import Candidates, chosen
from antifaz.pipeline.frontier import frontier as try_every_k
from antifaz.pipeline.light import light_plan, operated, refuse_light, release_of
from antifaz.pipeline.plan import Plan, make_plan
from antifaz.pipeline.release import Release
from antifaz.pipeline.several_tables import run_tables
from antifaz.privacy import MODELS, KAnonymity, PrivacyModel
from antifaz.privacy.model import largest_class_size
from antifaz.projects.ledger_actions import ledger_check_of
from antifaz.projects.project import Loaded, Project, load_project, within
from antifaz.projects.tables import LoadedTables, read_project
from antifaz.projects.template import project_template
from antifaz.proposals import quasi_identifiers as propose_quasi_identifiers
from antifaz.proposals import roles as propose_roles
from antifaz.releases.atomic import staging
from antifaz.releases.gate import examine
from antifaz.reports.options import report_of


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
    hardened: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Decide, apply, verify: return a release whose privacy was counted in its rows, or raise `PrivacyNotReached`.

    Args:
        data: A pandas, polars or pyarrow table, a path, or what `open` returned.
        roles: Per column 'identifier', 'quasi-identifier', 'sensitive' or 'insensitive' (the default).
        hierarchies: Per quasi-identifier what its values generalize to: from `antifaz.hierarchy`, a file, a tree.
        privacy: What must hold, e.g. `[KAnonymity(5), LDiversity(2)]`.
        method: How to get there; full-domain generalization when left out.
        seed: Makes the run repeatable; a secure one is drawn when left out.
        name: What the run is called in its evidence.
        missing: Per quasi-identifier what becomes of records that lack it: "category" (a value of its own, the
            default), "most-frequent", "median" (filled in) or "drop" (left out).
        hardened: Against those who know the method: it decides without seeing sensitive values, for larger classes than
            promised by a secret margin, with ties broken at random. `PrivacyNotReached` where the models then don't
            hold. The seed gives the margin away: leave it out, or keep it to yourself.
        progress: Told of every step.
    """
    told = progress or Progress()
    with told.step("read", Message("progress.reading")):
        opened = open_data(data)
    plan = make_plan(
        opened.schema,
        roles=roles,
        hierarchies=hierarchies or {},
        privacy=[privacy] if isinstance(privacy, PrivacyModel) else privacy,
        method=method or FullDomain(),
        seed=seed,
        name=name,
        missing=missing,
        hardened=hardened,
    )
    release = Release(plan, opened, told)
    release.check()
    return release


def verify(
    frame: Any, quasi_identifiers: Sequence[str], privacy: Sequence[PrivacyModel] | PrivacyModel
) -> list[Verdict]:
    """Check any table, whoever made it, from its rows alone."""
    wanted = [privacy] if isinstance(privacy, PrivacyModel) else list(privacy)
    if isinstance(frame, (str, Path)):
        with open_data(frame) as opened:
            return verify(opened, quasi_identifiers, wanted)
    return examine(*to_audit(frame), wanted, quasi_identifiers)[1]


def verify_file(
    place: str | Path, quasi_identifiers: Sequence[str], privacy: Sequence[Mapping[str, Any]], **options: Any
) -> dict[str, Any]:
    """Check a file against models given as in a project file; return rows, classes and one verdict per model."""
    with open_data(place, **options) as data:
        data.schema.require(quasi_identifiers)
        asked = [
            MODELS.make(str(said["model"]), {key: value for key, value in said.items() if key != "model"})
            for said in privacy
        ]
        for model in asked:
            data.schema.require(model.sensitive())
            if model.needs_sensitive and not model.sensitive():
                raise InputError("model.which-sensitive-attribute", model=model.name)
        counted, verdicts = examine(*to_audit(data), asked, quasi_identifiers)
    return {
        "rows": counted.rows,
        "classes": int(counted.sizes.size),
        "privacy": [verdict.as_dict() for verdict in verdicts],
    }


def run(
    project: str | Path | Loaded | LoadedTables,
    *,
    out: Path | None = None,
    levels: dict[str, int] | None = None,
    progress: Progress | None = None,
    ledger: Ledger | str | Path | bool | None = None,
    despite: str | None = None,
    report: Mapping[str, Any] | None = None,
    hardened: bool = False,
) -> dict[str, Any]:
    """Run a project file and return its evidence, with `folder` saying where the release is.

    `levels` chooses one candidate of full-domain generalization instead of the best. The release is checked with those
    in a `ledger` and registered there; `True` is the user's own, which is also taken where the project file speaks of
    a ledger. `despite` is the reason for a release that breaks k together with earlier ones. `report` is laid over what
    the project says of its report: language, recipient, pdf, attacks. `hardened` runs it so whatever the project says.
    """
    loaded = read_project(project) if isinstance(project, str | Path) else project
    loaded = loaded.as_hardened() if hardened else loaded
    if isinstance(loaded, LoadedTables):
        if levels:
            raise InputError("project.levels-need-one-table")
        more: dict[str, Any] = {"ledger": ledger, "despite": despite, "report": report}
        return run_tables(loaded, _opened, _planned_on, out=out, progress=progress, **more)
    told, wanted = progress or Progress(), loaded.project
    folder = out or within(loaded.folder, wanted.release.path)
    asked = report_of(**wanted.report.model_dump() | dict(report or {}))
    _refuse_early(folder)
    check = ledger_check_of(loaded, ledger, despite)
    with _opened(loaded, told) as original, _planned_on(loaded, original, told) as (plan, opened):
        table = wanted.release.of_table()
        if table:
            opened.refuse_table(**table)
        release = release_of(chosen(plan, levels) if levels else plan, opened, told, original)
        release.save(folder, wanted.release.format, ledger=check, **table, **asked.model_dump())
    return release.evidence | {"folder": str(folder)}


def candidates(
    data: Any,
    *,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] | PrivacyModel,
    method: FullDomain | None = None,
    seed: int | None = None,
) -> Candidates:
    """Return every full-domain generalization that satisfies the models, best first; each can be applied."""
    opened = open_data(data)
    plan = make_plan(
        opened.schema,
        roles=roles,
        hierarchies=hierarchies or {},
        privacy=[privacy] if isinstance(privacy, PrivacyModel) else privacy,
        method=method or FullDomain(),
        seed=seed,
    )
    return Candidates(plan, opened)


def candidates_of(
    project: str | Path | Loaded,
    *,
    html: Path | None = None,
    drawn: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """List the candidates of a project file as data, and draw their lattice into a page where one is asked for.

    With `drawn`, the lattice's nodes and edges are among the data, where they are few enough to be drawn.
    """
    told = progress or Progress()
    with planned(refuse_light(_loaded(project), "A list of candidates"), told) as (plan, opened):
        found = Candidates(plan, opened, told)
        if html is not None:
            from antifaz.reports.lattice import lattice_html

            text = lattice_html(found.columns, found.heights, found.nodes(), quality=found.measure)
            write_text(html, text)
        listed = found.as_dict()
        return listed | {"lattice": listed["lattice"] | found.drawn()} if drawn else listed


def frontier(
    data: Any,
    *,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, Any] | None = None,
    privacy: Sequence[PrivacyModel] = (),
    method: Method | Sequence[Method] | None = None,
    k: Sequence[int] = range(2, 21),
    seed: int | None = None,
) -> dict[str, Any]:
    """Return loss, risk and kept distributions for every k and method, and the k that keeps the balance, with why."""
    methods = [method] if isinstance(method, Method) else list(method or [FullDomain()])
    opened = open_data(data)
    plan = make_plan(
        opened.schema,
        roles=roles,
        hierarchies=hierarchies or {},
        privacy=privacy or [KAnonymity(min(k, default=2))],
        method=methods[0],
        seed=seed,
    )
    return try_every_k(plan, opened, list(k), methods=methods)


def frontier_of(
    project: str | Path | Loaded,
    ks: Sequence[int],
    *,
    methods: Sequence[str] = (),
    html: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Try every k on a project file, and draw the curves into a page where one is asked for.

    With `methods`, named as in project files, each of them is tried: the project's own as it says, others as they come.
    """
    told = progress or Progress()
    with planned(refuse_light(_loaded(project), "A frontier"), told) as (plan, opened):
        own = plan.method
        tried = [own if name == own.name else METHODS.make(name, {}) for name in dict.fromkeys(methods)]
        found = try_every_k(plan, opened, ks, told, tried)
        if html is not None:
            from antifaz.reports.frontier import frontier_html

            write_text(html, frontier_html(found, f"{plan.name}: what each k costs"))
        return found


def _loaded(project: str | Path | Loaded) -> Loaded:
    return project if isinstance(project, Loaded) else load_project(project)


@contextmanager
def planned(loaded: Loaded, told: Progress) -> Iterator[tuple[Plan, Data]]:
    """Open a project's data and check what is wanted against it."""
    with _opened(loaded, told) as opened, _planned_on(loaded, opened, told) as found:
        yield found


def open_source(loaded: Loaded, progress: Progress | None = None) -> Data:
    """Open the data that a project is about, as it came."""
    return _opened(loaded, progress or Progress())


def _opened(loaded: Loaded, told: Progress) -> Data:
    """Open a project's data."""
    wanted = loaded.project
    with loaded.placed(), told.step("read", Message("progress.reading")):
        return open_data(
            wanted.source.place(loaded.folder),
            types={name: said.type for name, said in wanted.attributes.items() if said.type is not None},
            **wanted.source.options(),
            **_engine(wanted),
        )


@contextmanager
def _planned_on(loaded: Loaded, opened: Data, told: Progress) -> Iterator[tuple[Plan, Data]]:
    """Do a project's operations, and check what is wanted against what comes out."""
    wanted = loaded.project
    seed = fresh_seed() if wanted.seed is None else wanted.seed
    perturbed: list[dict[str, Any]] = []
    with loaded.placed(), operated(loaded, opened, seed, told, perturbed) as data:
        if wanted.kind == "light":
            yield light_plan(loaded, data.schema, seed, perturbed), data
            return
        plan = make_plan(
            data.schema,
            roles={name: said.role for name, said in wanted.attributes.items()},
            hierarchies=loaded.hierarchies,
            privacy=loaded.models,
            method=loaded.method,
            seed=seed,
            name=wanted.name,
            controller=wanted.controller,
            missing={name: said.missing for name, said in wanted.attributes.items() if said.missing != "category"},
            operations=loaded.operations,
            perturbed=perturbed,
            hardened=wanted.hardened,
        )
        yield plan, data


def _engine(wanted: Project) -> dict[str, Any]:
    """Return which engine is meant, and its options."""
    options = wanted.engine.options()
    usual = "spark" if wanted.source.spark or wanted.engine.master or wanted.engine.tuples else "local"
    name = options.pop("name", "database" if wanted.source.url else usual)
    if (name in ("database", "sql")) != (wanted.source.url is not None):
        raise InputError("project.engine-does-not-open-source", name=name)
    return {"engine": name, **options}


def _refuse_early(folder: str | Path) -> None:
    """Say that a release can't be put there before the work is done, not after."""
    if isinstance(folder, Path) and folder.parent.is_dir():
        with staging(folder):
            pass


def inspect(place: str | Path, **options: Any) -> dict[str, Any]:
    """Describe a file: per column type, distinct, missing and a proposed role; and whom the proposal singles out."""
    with open_data(place, **options) as data:
        profile = data.profile()
        proposed = propose_roles(data)
        qis = [name for name, proposal in proposed.items() if proposal.value == Role.QUASI_IDENTIFIER]
        combination = propose_quasi_identifiers(data, qis) if qis and data.rows else None
        together: Any = combination.details["together"] if combination else {"singled_out": 0}
        columns = [
            column.shown(3) | {"role": proposed[column.name].value, "reason": proposed[column.name].reason}
            for column in profile
        ]
        return {
            "rows": data.rows,
            "columns": columns,
            "quasi_identifiers": qis,
            "singled_out": together["singled_out"],
            # The few of them that tell nearly as many people apart as all do, with the counts behind that.
            "combination": {"reason": combination.reason, **combination.details} if combination else None,
            "notes": data.notes,
        }


def assess_files(
    original: Path,
    released: Path,
    roles: Mapping[str, str],
    *,
    population: Path | None = None,
    attackers: Sequence[Path] = (),
    reading: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Judge a release from two files as `assess` does; attackers are described in files, `reading` says how to read."""
    from antifaz.pipeline.assessment import assess, opened
    from antifaz.projects.attackers import read_attackers

    described = read_attackers(attackers)
    with described.placed(), opened([original, released, population], dict(reading or {})) as (before, after, people):
        return assess(before, after, roles, population=people, attackers=described.attackers, **options)


def assess_release(loaded: Loaded, rows: Path, *, attacks: int, progress: Progress) -> dict[str, Any]:
    """Judge the rows that a project released against its data: utility, risk and attacks."""
    from antifaz.pipeline.assessment import assess

    wanted = loaded.project
    with open_source(loaded, progress) as original, open_data(rows, engine="local") as released:
        names = set(original.schema.names)
        return assess(
            original,
            released,
            {name: str(said.role) for name, said in wanted.attributes.items() if name in names},
            hierarchies={name: built for name, built in loaded.hierarchies.items() if name in names},
            k=largest_class_size(loaded.models, default=2),
            attacks=attacks,
            seed=wanted.seed,
            progress=progress,
        )


def make_key(path: Path) -> Path:
    """Make a key for encryption and pseudonyms in a file that only its owner may read."""
    from antifaz.methods.operations.keys import new_key

    return new_key(path)


def init(place: str | Path, project: Path, *, force: bool = False, **options: Any) -> Path:
    """Write a project file for a data file, with proposals that a person can edit."""
    if project.exists() and not force:
        raise InputError("file.exists-already", project=project.name)
    with open_data(place, **options) as data:
        text = project_template(data, Path(place), project, options)
    write_text(project, text)
    return project
