"""Every use case by its name: what faces (library, command line, page) call. A use case is loaded when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antifaz.pipeline.hand_out import hand_out
    from antifaz.projects.apply_actions import apply, apply_to_file
    from antifaz.projects.catalogue import catalogue, schema_of
    from antifaz.projects.compiling import report_compiling
    from antifaz.projects.data_actions import (
        anonymize,
        assess_files,
        candidates,
        frontier,
        import_table,
        init,
        inspect,
        make_key,
        save_types,
        verify,
        verify_file,
    )
    from antifaz.projects.demo import demo
    from antifaz.projects.explain_actions import explain, redactions_of
    from antifaz.projects.importers.anonylitics import write_import
    from antifaz.projects.importers.spark_tptds import run_spark_tptds
    from antifaz.projects.joined_actions import verify_joined
    from antifaz.projects.project_actions import (
        assess_release,
        candidates_of,
        check_project,
        check_tables,
        frontier_of,
        purposes_of,
        run,
        the_ledger,
    )
    from antifaz.projects.protect import protect
    from antifaz.projects.script import script_of
    from antifaz.projects.store import NameTaken
    from antifaz.projects.store_actions import (
        add_project,
        compare_runs,
        copy_project,
        delete_project,
        export_project,
        list_projects,
        rename_project,
        run_stored,
        runs_of,
        show_project,
        show_run,
    )
    from antifaz.projects.tabulation_actions import tabulate, tabulate_file, tabulate_tables
    from antifaz.projects.warm_up import warm_up

_USE_CASES = {
    "pipeline.hand_out": "hand_out",
    "projects.apply_actions": "apply apply_to_file",
    "projects.catalogue": "catalogue schema_of",
    "projects.compiling": "report_compiling",
    "projects.data_actions": "anonymize assess_files candidates frontier import_table init inspect make_key "
    "save_types verify verify_file",
    "projects.demo": "demo",
    "projects.importers.anonylitics": "write_import",
    "projects.importers.spark_tptds": "run_spark_tptds",
    "projects.explain_actions": "explain redactions_of",
    "projects.joined_actions": "verify_joined",
    "projects.project_actions": "assess_release candidates_of check_project check_tables frontier_of "
    "purposes_of run the_ledger",
    "projects.protect": "protect",
    "projects.script": "script_of",
    "projects.store": "NameTaken",
    "projects.store_actions": "add_project compare_runs copy_project delete_project export_project list_projects "
    "rename_project run_stored runs_of show_project show_run",
    "projects.tabulation_actions": "tabulate tabulate_file tabulate_tables",
    "projects.warm_up": "warm_up",
}
_MODULES = {name: module for module, names in _USE_CASES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"antifaz.{_MODULES[name]}"), name)
    raise AttributeError(f"antifaz.projects.actions has no {name!r}")
