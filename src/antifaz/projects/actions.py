"""Every use case by its name: what faces (library, command line, page) call. A use case is loaded when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antifaz.pipeline.hand_out import hand_out
    from antifaz.projects.apply_actions import apply, apply_to_file
    from antifaz.projects.catalogue import catalogue, schema_of
    from antifaz.projects.compiling import compiling_told
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
    from antifaz.projects.explain_actions import explain
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
    from antifaz.projects.redaction_actions import redactions_of
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
    from antifaz.projects.table_actions import tabulate, tabulate_file, tabulate_tables
    from antifaz.projects.warm_up import warm_up

_USE_CASES = {
    "pipeline.hand_out": "hand_out",
    "projects.apply_actions": "apply apply_to_file",
    "projects.catalogue": "catalogue schema_of",
    "projects.compiling": "compiling_told",
    "projects.data_actions": "anonymize assess_files candidates frontier import_table init inspect make_key "
    "save_types verify verify_file",
    "projects.demo": "demo",
    "projects.importers.anonylitics": "write_import",
    "projects.importers.spark_tptds": "run_spark_tptds",
    "projects.explain_actions": "explain",
    "projects.joined_actions": "verify_joined",
    "projects.project_actions": "assess_release candidates_of check_project check_tables frontier_of "
    "purposes_of run the_ledger",
    "projects.protect": "protect",
    "projects.redaction_actions": "redactions_of",
    "projects.script": "script_of",
    "projects.store": "NameTaken",
    "projects.store_actions": "add_project compare_runs copy_project delete_project export_project list_projects "
    "rename_project run_stored runs_of show_project show_run",
    "projects.table_actions": "tabulate tabulate_file tabulate_tables",
    "projects.warm_up": "warm_up",
}
_MODULES = {name: module for module, names in _USE_CASES.items() for name in names.split()}

__all__ = [
    "NameTaken", "add_project", "anonymize", "apply", "apply_to_file", "assess_files", "assess_release",
    "candidates", "candidates_of", "catalogue", "check_project", "check_tables", "compare_runs", "compiling_told",
    "copy_project", "delete_project", "demo", "explain", "export_project", "frontier",
    "frontier_of", "hand_out", "import_table", "init", "inspect", "list_projects", "make_key", "protect",
    "purposes_of", "redactions_of", "rename_project", "run", "run_spark_tptds", "run_stored", "runs_of",
    "save_types", "schema_of", "script_of", "show_project", "show_run", "tabulate", "tabulate_file", "tabulate_tables",
    "the_ledger", "verify", "verify_file", "verify_joined", "warm_up", "write_import",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a use case when it is first called."""
    if name in _MODULES:
        return getattr(import_module(f"antifaz.{_MODULES[name]}"), name)
    raise AttributeError(f"antifaz.projects.actions has no {name!r}")
