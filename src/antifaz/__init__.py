"""antifaz: share data about people without giving the people away.

Everything public is here and loaded when first used, so that importing costs nothing:
`anonymize`, `apply`, `tabulate`, `verify`, `assess`, `compare`, `open`, `suppress_locally`; the models (`KAnonymity`,
…), methods (`FullDomain`, …) and protections of tables (`CellSuppression`, …); the errors; and the modules `hierarchy`,
`mask`, `datasets`, `propose`, `utility`, `risk`, `compat`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from antifaz.core.version import VERSION

if TYPE_CHECKING:
    from antifaz import datasets, risk, utility
    from antifaz import hierarchies as hierarchy
    from antifaz.core.errors import (
        AntifazError,
        CheckFailed,
        DataError,
        HierarchyError,
        InputError,
        LedgerRefused,
        MissingExtra,
        ParameterError,
        PrivacyNotReached,
        ProjectError,
        SchemaError,
    )
    from antifaz.engines.registry import open_data as open
    from antifaz.ledger.ledger import Ledger
    from antifaz.methods import (
        BottomUp,
        Datafly,
        FullDomain,
        Hilbert,
        KMembers,
        LGreedy,
        LocalSuppression,
        Mdav,
        Mondrian,
        OnePass,
        Specialization,
    )
    from antifaz.methods.operations import mask as mask
    from antifaz.methods.operations import perturb as perturb
    from antifaz.methods.suppression import suppress_locally
    from antifaz.pipeline.assessment import assess
    from antifaz.pipeline.comparison import compare
    from antifaz.pipeline.hand_out import hand_out
    from antifaz.privacy import (
        AlphaK,
        AverageRisk,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        DifferentialPrivacy,
        HighestRisk,
        KAnonymity,
        KMap,
        LDiversity,
        NoAttack,
        PopulationUniqueness,
        Profitability,
        SampleUniqueness,
        TCloseness,
    )
    from antifaz.projects.actions import (
        anonymize,
        apply,
        candidates,
        frontier,
        import_table,
        protect,
        run,
        save_types,
        tabulate,
        tabulate_tables,
        verify,
    )
    from antifaz.projects.importers import spark_tptds as compat
    from antifaz.projects.notebook import explore
    from antifaz.proposals import propose
    from antifaz.proposals.auto import Auto
    from antifaz.tabulation import (
        CellKeyNoise,
        CellRounding,
        CellSuppression,
        Dominance,
        GaussianNoise,
        LaplaceNoise,
        PPercent,
        Threshold,
    )

__version__ = VERSION

_MODULES = {
    "compat": "antifaz.projects.importers.spark_tptds",
    "datasets": "antifaz.datasets",
    "hierarchy": "antifaz.hierarchies",
    "mask": "antifaz.methods.operations.mask",
    "propose": "antifaz.proposals.propose",
    "perturb": "antifaz.methods.operations.perturb",
    "risk": "antifaz.risk",
    "utility": "antifaz.utility",
}
_NAMES_OF = {
    "antifaz.core.errors": "AntifazError CheckFailed DataError HierarchyError InputError LedgerRefused MissingExtra "
    "ParameterError PrivacyNotReached ProjectError SchemaError",
    "antifaz.core.item_options": "Items",
    "antifaz.ledger.ledger": "Ledger",
    "antifaz.methods": "BottomUp Datafly FullDomain Hilbert KMembers LGreedy LocalSuppression Mdav Mondrian "
    "OnePass Specialization",
    "antifaz.methods.suppression": "suppress_locally",
    "antifaz.projects.notebook": "explore",
    "antifaz.pipeline.assessment": "assess",
    "antifaz.pipeline.comparison": "compare",
    "antifaz.pipeline.hand_out": "hand_out",
    "antifaz.privacy": "AlphaK AverageRisk BetaLikeness DeltaDisclosure DeltaPresence DifferentialPrivacy HighestRisk "
    "KAnonymity KMap LDiversity NoAttack PopulationUniqueness Profitability SampleUniqueness TCloseness",
    "antifaz.proposals.auto": "Auto",
    "antifaz.projects.actions": "anonymize apply candidates frontier import_table protect run save_types tabulate "
    "tabulate_tables verify",
    "antifaz.tabulation": "CellKeyNoise CellRounding CellSuppression Dominance GaussianNoise LaplaceNoise PPercent "
    "Threshold",
}
_NAMES = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "AlphaK", "AntifazError", "Auto", "AverageRisk", "BetaLikeness", "BottomUp", "CellKeyNoise", "CellRounding",
    "CellSuppression", "CheckFailed", "DataError", "Datafly", "DeltaDisclosure", "DeltaPresence", "DifferentialPrivacy",
    "Dominance", "FullDomain", "GaussianNoise", "HierarchyError", "HighestRisk", "Hilbert", "InputError", "Items",
    "KAnonymity", "KMap", "KMembers", "LDiversity", "LGreedy", "LaplaceNoise", "Ledger", "LedgerRefused",
    "LocalSuppression", "Mdav", "MissingExtra", "Mondrian", "NoAttack", "OnePass", "PPercent", "ParameterError",
    "PopulationUniqueness", "PrivacyNotReached", "Profitability", "ProjectError", "SampleUniqueness", "SchemaError",
    "Specialization", "TCloseness", "Threshold", "anonymize", "apply", "assess", "candidates", "compare", "compat",
    "datasets", "explore", "frontier", "hand_out", "hierarchy", "import_table", "mask", "open", "perturb", "propose",
    "protect", "risk", "run", "save_types", "suppress_locally", "tabulate", "tabulate_tables", "utility", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "open":
        return import_module("antifaz.engines.registry").open_data
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"antifaz has no {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
