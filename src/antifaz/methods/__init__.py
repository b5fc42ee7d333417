"""Methods: they decide what each value becomes. Deciding is all they do."""

from antifaz.core.registry import Registry
from antifaz.methods.clustering.clusterings import Hilbert, KMembers, LGreedy, Mdav, OnePass
from antifaz.methods.clustering.mondrian import Mondrian
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.ascent import BottomUp, Datafly
from antifaz.methods.recoding.full_domain import FullDomain
from antifaz.methods.specialization.method import Specialization
from antifaz.methods.suppression.local_suppression import LocalSuppression

BUILTIN: tuple[type[Method], ...] = (
    FullDomain,
    Datafly,
    BottomUp,
    Specialization,
    Mondrian,
    KMembers,
    LGreedy,
    Hilbert,
    OnePass,
    Mdav,
    LocalSuppression,
)
METHODS: Registry[Method] = Registry("method", BUILTIN, group="antifaz.methods")

__all__ = [
    "BUILTIN",
    "METHODS",
    "BottomUp",
    "Datafly",
    "Decision",
    "FullDomain",
    "Hilbert",
    "KMembers",
    "LGreedy",
    "LocalSuppression",
    "Mdav",
    "Method",
    "Mondrian",
    "OnePass",
    "Specialization",
    "Task",
]
