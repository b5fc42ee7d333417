"""Use cases on a project file: it is run, its candidates and its frontier are listed; and the ledger.

What only some of them need is imported by those: a run of one table is the most frequent, and starts from nothing.
"""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.files import write_text
from antifaz.core.progress import Progress
from antifaz.core.types import DataType
from antifaz.engines.registry import open_data
from antifaz.ledger.check import LedgerCheck
from antifaz.ledger.ledger import OFF, VARIABLE, Ledger, default_ledger
from antifaz.methods import METHODS, Method
from antifaz.pipeline.operations import Operations
from antifaz.pipeline.release import Release, run_table, written_as
from antifaz.pipeline.state import Planned, RepeatedAttribute, Requested, TableRequest, TablesRequest
from antifaz.pipeline.steps import open_table, plan
from antifaz.privacy.model import largest_class_size
from antifaz.projects.loaded_project import LoadedProject, load_project
from antifaz.projects.project import LedgerUse, Project, within
from antifaz.projects.tables import LoadedTables, Repeated, read_project
from antifaz.proposals.presets import PresetChoice
from antifaz.reports.report import report_options
from antifaz.sources.types_file import load_types


def run(
    project: str | Path | LoadedProject | LoadedTables,
    *,
    out: str | Path | None = None,
    levels: dict[str, int] | None = None,
    progress: Progress | None = None,
    ledger: Ledger | str | Path | bool | None = None,
    despite: str | None = None,
    engine: Mapping[str, str] | None = None,
    report: Mapping[str, Any] | None = None,
    hardened: bool = False,
    into: Mapping[str, Any] | None = None,
    to: str | None = None,
    recoding: Path | None = None,
    text: Mapping[str, Any] | None = None,
    repair: Sequence[str] = (),
) -> dict[str, Any]:
    """Run a project file and return its evidence, with `folder` saying where the release is.

    `levels` chooses one candidate of full-domain generalization instead of the best. The release is checked with those
    that a `ledger` knows; `True` is the user's own, which is also taken where the project file speaks of a ledger. It
    is a draft, unless the project's `release.to` or `to` names who gets it: then it is registered, or refused where it
    breaks k together with earlier ones and `despite` gives no reason. `engine` (name, master) and `report` (language,
    recipient, pdf, attacks) are laid over what the project says of these. `hardened` runs it so whatever it says.
    `into` is laid over what it says of the table that the rows go to: table, schema, replace, url, password_env;
    `text` over what it says of a file of text: delimiter, encoding, decimal, bom. `repair` adds to its repairs.
    `recoding` is a file for what was decided, which `apply` takes; it names values, and goes outside of the release.
    """
    loaded = read_project(project) if isinstance(project, str | Path) else project
    loaded = loaded.as_hardened() if hardened else loaded
    if into and isinstance(loaded, LoadedTables):
        raise InputError("project.into-needs-one-table")
    if repair and isinstance(loaded, LoadedTables):
        raise InputError("project.repair-needs-one-table")
    loaded = loaded.released_into(into) if into and isinstance(loaded, LoadedProject) else loaded
    if isinstance(loaded, LoadedTables):
        from antifaz.pipeline.several_tables import run_tables

        if levels:
            raise InputError("project.levels-need-one-table")
        if recoding is not None:
            raise InputError("recoding.needs-one-table")
        asked = tables_request(loaded, out=out, engine=engine, report=report, text=text)
        whole_run = {"whole": f"{loaded.folder} {loaded.project.name}", "run": secrets.token_hex(4)}
        receiver = loaded.project.release.to if to is None else to
        checks = {
            name: ledger_check_of(table, ledger, despite, part=name, to=receiver, **whole_run)
            for name, table in loaded.tables.items()
        }
        return run_tables(asked, progress, checks)
    request = table_request(loaded, out=out, levels=levels, engine=engine, report=report, text=text, repair=repair)
    check = ledger_check_of(loaded, ledger, despite, to=to)
    return run_table(request, progress or Progress(), check, recoding)


def candidates_of(
    project: str | Path | LoadedProject,
    *,
    html: Path | None = None,
    drawn: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """List the candidates of a project file as data, and draw their lattice into a page where one is asked for.

    With `drawn`, the lattice's nodes and edges are among the data, where they are few enough to be drawn.
    """
    from antifaz.pipeline.candidates import find_candidates

    progress = progress or Progress()
    with _planned(project, progress, "A list of candidates") as state:
        candidates = find_candidates(state.plan, state.data, progress)
        if html is not None:
            from antifaz.reports.lattice import lattice_html

            text = lattice_html(candidates.columns, candidates.heights, candidates.nodes(), quality=candidates.measure)
            write_text(html, text)
        listed = candidates.as_dict()
        return listed | {"lattice": listed["lattice"] | candidates.drawn()} if drawn else listed


def frontier_of(
    project: str | Path | LoadedProject,
    ks: Sequence[int],
    *,
    methods: Sequence[str] = (),
    fitting: bool = False,
    html: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Try every k on a project file, and draw the curves into a page where one is asked for.

    With `methods` each of them is tried instead of what the project says: by its name as in project files, and with
    settings after a colon (`mondrian:split=median,release=mode`), which are laid over those of the project's own.
    `fitting` tries all methods that fit the table.
    """
    from antifaz.pipeline.candidates import fitting_methods
    from antifaz.pipeline.candidates import frontier as try_every_k

    progress = progress or Progress()
    loaded = load_project(project)
    tried = [_method_of(each, loaded.method) for each in methods] or loaded.compared
    with _planned(loaded, progress, "A frontier") as state:
        if fitting:
            tried = fitting_methods(state.plan, state.data, len(ks))
        curves = try_every_k(state.plan, state.data, ks, progress, tried)
        if html is not None:
            from antifaz.reports.frontier import frontier_html

            write_text(html, frontier_html(curves, f"{state.plan.name}: what each k costs"))
        return curves


def purposes_of(project: str | Path | LoadedProject, *, progress: Progress | None = None) -> dict[str, Any]:
    """Say what a project would lose for each purpose of its recipient, with one record as it would be released."""
    from antifaz.pipeline.purposes import compare_purposes

    progress = progress or Progress()
    with _planned(project, progress, "A comparison of methods") as state:
        return compare_purposes(state.plan, state.data, progress)


def _method_of(text: str, own: Method) -> Method:
    name, _, settings = text.partition(":")
    given = own.model_dump(exclude_unset=True) if name == own.name else {}
    for setting in filter(None, settings.split(",")):
        key, equals, value = setting.partition("=")
        if not equals:
            raise ParameterError("project.setting-without-value", setting=setting)
        given[key.strip()] = yaml.safe_load(value)
    return METHODS.make(name, given)


@contextmanager
def _planned(project: str | Path | LoadedProject, progress: Progress, needs_models: str = "") -> Iterator[Planned]:
    """Open a project's data and check what is wanted against it; refuse a light one for what `needs_models`."""
    loaded = load_project(project)
    if loaded.project.kind == "light" and needs_models:
        raise InputError("plan.light-has-no-models", what=needs_models)
    with ExitStack() as resources:
        resources.enter_context(loaded.of_columns())
        yield plan(Requested(request=table_request(loaded), progress=progress, resources=resources))


def assess_release(loaded: LoadedProject, rows: Path, *, attacks: int, progress: Progress) -> dict[str, Any]:
    """Judge the rows that a project released against its data: utility, risk and attacks."""
    from antifaz.pipeline.assessment import assess

    project_file = loaded.project
    requested = Requested(request=table_request(loaded), progress=progress, resources=ExitStack())
    with open_table(requested) as original, open_data(rows, engine="local") as released:
        names = set(original.schema.names)
        return assess(
            original, released,
            {name: str(role) for name, role in loaded.roles.items() if name in names},
            hierarchies={name: built for name, built in loaded.hierarchies.items() if name in names},
            k=largest_class_size(loaded.models, default=2), attacks=attacks, seed=project_file.seed, progress=progress,
        )  # fmt: skip


def the_ledger() -> Ledger:
    """Return the user's ledger, or say that it is turned off."""
    ledger = default_ledger()
    if ledger is None:
        raise InputError("ledger.turned-off", variable=VARIABLE)
    return ledger


def check_project(project: str | Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Decide as a run would, and return what the ledger says of that release; nothing is written or registered."""
    loaded = load_project(project)
    check = ledger_check_of(loaded, the_ledger(), None)
    if check is None:
        raise InputError("ledger.project-keeps-none")
    with _planned(loaded, progress or Progress()) as state:
        return check.examine(Release(state).new_release())


def check_tables(
    new: str | Path, old: str | Path, quasi_identifiers: Sequence[str], k: int, **options: Any
) -> dict[str, Any]:
    """Do to two released tables what an outsider can do who has both: join them, and lay them side by side."""
    from antifaz.ledger.complementary import attack_two_tables
    from antifaz.ledger.entry import entry_of_table

    if k < 1:
        raise InputError("project.k-below-1", k=k)
    key, entries = secrets.token_bytes(16), []
    for place in (new, old):
        with open_data(place, engine="local", **options) as data:
            data.schema.require(quasi_identifiers)
            entries.append(entry_of_table(data.cells(data.schema.names), tuple(quasi_identifiers), key))
    attacks = attack_two_tables(entries[0], entries[1], k)
    sizes = [one.smallest for one in attacks.values() if one.smallest is not None]
    return {
        "k": k, "holds": not any(one.exposed for one in attacks.values()),
        "smallest_intersection": min(sizes, default=None),
        "attacks": {name: one.as_dict() for name, one in attacks.items()},
    }  # fmt: skip


# -- from a project file to what the pipeline is asked for


def table_request(
    loaded: LoadedProject,
    *,
    out: str | Path | None = None,
    levels: Mapping[str, int] | None = None,
    engine: Mapping[str, str] | None = None,
    report: Mapping[str, Any] | None = None,
    text: Mapping[str, Any] | None = None,
    repair: Sequence[str] = (),
) -> TableRequest:
    """Return what a project of one table asks for; `engine`, `report`, `text` are laid over what it says of these."""
    project, folder = loaded.project, loaded.folder
    release = project.release
    text_options = release.text() | dict(text or {})
    named = written_as(within(folder, release.path), release.format, **text_options)
    target, format, named_text = named if out is None else written_as(out, named[1], **text_options)
    columns = project.attributes.items()
    operations = Operations(
        columns=loaded.operations, joint=loaded.perturbation, sample=loaded.sample, folder=folder,
        no_keys_in=_no_keys_in(loaded), places=loaded,
    )  # fmt: skip
    return TableRequest(
        name=project.name, source=project.source.place(folder),
        reading=project.source.options() | ({"repair": (*project.source.repair, *repair)} if repair else {}),
        types=_types(loaded), engine=_engine(project, dict(engine or {})),
        roles=loaded.roles, others=project.others,
        hierarchies=loaded.hierarchies, models=loaded.models,
        method=loaded.method, levels=levels, operations=operations,
        missing={name: column.missing for name, column in columns if column.missing != "category"},
        microaggregate={name: column.microaggregate for name, column in columns if column.microaggregate is not None},
        light=project.kind == "light", hardened=project.hardened,
        limit_rows=project.people.limit_rows, leave_out=project.people.leave_out,
        weight=project.survey.weight, household=project.survey.household,
        items={name: column.items for name, column in columns if column.items is not None},
        seed=project.seed, controller=project.controller, preset=_preset(project),
        audience=release.audience,
        folder=target, format=format, text=named[2] | named_text, table=release.of_table(folder),
        report=report_options(**project.report.model_dump() | dict(report or {})),
    )  # fmt: skip


def _preset(project: Project) -> PresetChoice | None:
    preset = project.preset
    return PresetChoice(name=preset) if isinstance(preset, str) else preset


def tables_request(
    several: LoadedTables,
    *,
    out: str | Path | None = None,
    engine: Mapping[str, str] | None = None,
    report: Mapping[str, Any] | None = None,
    text: Mapping[str, Any] | None = None,
) -> TablesRequest:
    """Return what a project of several tables asks for."""
    project = several.project
    folder = out or within(several.folder, project.release.path)
    if not isinstance(folder, Path):
        raise InputError("plan.several-tables-need-folder")
    laid_over = project.report.model_dump() | dict(report or {})
    return TablesRequest(
        name=project.name,
        tables={
            name: table_request(loaded, engine=engine, report=laid_over, text=text)
            for name, loaded in several.tables.items()
        },
        repeated=[_repeated(several, i, attribute) for i, attribute in enumerate(project.repeated)], folder=folder,
        seed=project.seed, report=report_options(**laid_over),
    )  # fmt: skip


def _repeated(several: LoadedTables, i: int, attribute: Repeated) -> RepeatedAttribute:
    operations = attribute.operation if isinstance(attribute.operation, list) else [attribute.operation]
    return RepeatedAttribute(
        name=attribute.name, columns=attribute.columns,
        operations=None if attribute.operation is None else tuple(each["name"] for each in operations),
        place=several.where(i), operation_place=several.where(i, "operation"),
    )  # fmt: skip


def _types(loaded: LoadedProject) -> dict[str, DataType | str]:
    """Return how columns are to be understood: as their attributes say, else as the file of types says."""
    project = loaded.project
    from_file = {} if project.source.types is None else load_types(loaded.folder / project.source.types)
    own = {name: column.type for name, column in project.attributes.items() if column.type is not None}
    return {**from_file, **own}


def _no_keys_in(loaded: LoadedProject) -> tuple[Path, ...]:
    source = loaded.project.source.path
    target, _, _ = written_as(within(loaded.folder, loaded.project.release.path), "csv")
    places = [(loaded.folder / source).parent] if source is not None and "://" not in source else []
    return (*places, *([target] if isinstance(target, Path) else []))


def _engine(project: Project, overrides: dict[str, str]) -> dict[str, Any]:
    """Return which engine is meant, and its options; what is given wins over what the file says."""
    options = project.engine.options()
    if "master" in overrides and overrides.setdefault("name", "spark") != "spark":
        raise ParameterError("project.master-needs-spark")
    if overrides.get("name", "spark") != "spark":
        options = {key: value for key, value in options.items() if key not in ("master", "tuples")}
    options |= overrides
    usual = "spark" if project.source.spark or "master" in options or "tuples" in options else "local"
    name = options.pop("name", "database" if project.source.url else usual)
    if (name in ("database", "sql")) != (project.source.url is not None):
        raise InputError("project.engine-does-not-open-source", name=name)
    return {"engine": name, **options}


def uses_ledger(loaded: LoadedProject, ledger: Ledger | str | Path | bool | None) -> bool:
    """Say whether a project's release is registered in a ledger.

    `True` means the ledger in the user's data folder; None that one only if the project speaks of a ledger.
    """
    settings = loaded.project.ledger
    used = ledger is not False and (settings.keep if settings is not None else ledger is not None)
    return used and (ledger not in (None, True) or os.environ.get(VARIABLE) != OFF)


def ledger_check_of(
    loaded: LoadedProject,
    ledger: Ledger | str | Path | bool | None,
    despite: str | None,
    *,
    whole: str = "",
    part: str = "",
    run: str = "",
    to: str | None = None,
) -> LedgerCheck | None:
    """Return the check of a project's release, or of one `part` of the `whole` of several tables of one `run`.

    It is handed out `to` whom the project says, where nobody else is named; a draft where it names nobody.
    """
    if not uses_ledger(loaded, ledger):
        return None
    known = Ledger(os.environ.get(VARIABLE)) if ledger is None or isinstance(ledger, bool) else ledger
    known = known if isinstance(known, Ledger) else Ledger(known)
    use, source = loaded.project.ledger or LedgerUse(), loaded.project.source
    place = whole or " ".join(map(str, filter(None, (source.place(loaded.folder), source.schema_, source.table))))
    return known.new_check(
        dataset=use.dataset or known.name_of(place), part=part, person=use.person, despite=despite or use.despite,
        to=loaded.project.release.to if to is None else to, **({"run": run} if run else {}),
    )  # fmt: skip
