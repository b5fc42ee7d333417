"""Privacy models: each judges a class table, and knows nothing of how the table came about."""

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

__all__ = [
    "BUILTIN", "MODELS", "AlphaK", "AverageRisk", "BetaLikeness", "DeltaDisclosure", "DeltaPresence",
    "DifferentialPrivacy", "HighestRisk", "KAnonymity", "KMap", "LDiversity", "NoAttack", "PopulationUniqueness",
    "PrivacyModel", "Profitability", "SampleUniqueness", "TCloseness",
]  # fmt: skip
