"""Privacy models: each judges a class table, and knows nothing of how the table came about."""

from antifaz.core.registry import Registry
from antifaz.privacy.k_anonymity import KAnonymity
from antifaz.privacy.l_diversity import LDiversity
from antifaz.privacy.model import PrivacyModel

BUILTIN: tuple[type[PrivacyModel], ...] = (KAnonymity, LDiversity)
MODELS: Registry[PrivacyModel] = Registry("privacy model", BUILTIN, group="antifaz.privacy")

__all__ = ["BUILTIN", "MODELS", "KAnonymity", "LDiversity", "PrivacyModel"]
