"""Privacy models: each judges a class table, and knows nothing of how the table came about."""

from collections.abc import Mapping
from typing import Any

from antifaz.core.registry import Registry
from antifaz.privacy.alpha_k import AlphaK
from antifaz.privacy.beta_likeness import BetaLikeness
from antifaz.privacy.delta_disclosure import DeltaDisclosure
from antifaz.privacy.differential_privacy import DifferentialPrivacy
from antifaz.privacy.games import NoAttack, Profitability
from antifaz.privacy.k_anonymity import KAnonymity
from antifaz.privacy.l_diversity import LDiversity
from antifaz.privacy.model import PrivacyModel
from antifaz.privacy.population import DeltaPresence, KMap
from antifaz.privacy.population_uniqueness import PopulationUniqueness
from antifaz.privacy.risks import AverageRisk, HighestRisk, SampleUniqueness
from antifaz.privacy.t_closeness import TCloseness

BUILTIN: tuple[type[PrivacyModel], ...] = (
    KAnonymity, KMap, AlphaK, LDiversity, TCloseness, DeltaDisclosure, BetaLikeness, DeltaPresence, HighestRisk,
    AverageRisk, SampleUniqueness, PopulationUniqueness, DifferentialPrivacy, NoAttack, Profitability,
)  # fmt: skip
MODELS: Registry[PrivacyModel] = Registry("privacy model", BUILTIN, group="antifaz.privacy")


def known_model(name: object) -> type[PrivacyModel] | None:
    """Return the model of that name, which a document says; None where it is of a plug-in that is not here."""
    return MODELS[str(name)] if name in MODELS.names else None


def asked_size(asked: Mapping[str, Any]) -> int | None:
    """Return how many records a model of a project or of evidence asks to look alike; None where it asks no such."""
    model = known_model(asked.get("model"))
    size = asked.get(model.size_parameter) if model is not None and model.size_parameter else None
    return size if isinstance(size, int) else None


__all__ = [
    "BUILTIN", "MODELS", "AlphaK", "AverageRisk", "BetaLikeness", "DeltaDisclosure", "DeltaPresence",
    "DifferentialPrivacy", "HighestRisk", "KAnonymity", "KMap", "LDiversity", "NoAttack", "PopulationUniqueness",
    "PrivacyModel", "Profitability", "SampleUniqueness", "TCloseness", "asked_size", "known_model",
]  # fmt: skip
