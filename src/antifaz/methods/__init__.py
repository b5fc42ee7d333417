"""Methods: they decide what each value becomes. Deciding is all they do."""

from importlib.metadata import EntryPoint

from antifaz.core.registry import Registry
from antifaz.methods.clustering.hilbert import Hilbert
from antifaz.methods.clustering.k_members import KMembers
from antifaz.methods.clustering.l_greedy import LGreedy
from antifaz.methods.clustering.mdav import Mdav
from antifaz.methods.clustering.mondrian import Mondrian
from antifaz.methods.clustering.one_pass import OnePass
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.bottom_up import BottomUp
from antifaz.methods.recoding.datafly import Datafly
from antifaz.methods.recoding.full_domain import FullDomain
from antifaz.methods.specialization.method import Specialization
from antifaz.methods.suppression.local_suppression import LocalSuppression

BUILTIN: tuple[type[Method], ...] = (
    FullDomain, Datafly, BottomUp, Specialization, Mondrian, KMembers, LGreedy, Hilbert, OnePass, Mdav,
    LocalSuppression,
)  # fmt: skip
#: Auto tries the others, so it is above them; it is loaded by its place, as plug-ins are.
AUTO = EntryPoint("auto", "antifaz.proposals.auto:Auto", "antifaz.methods")
METHODS: Registry[Method] = Registry("method", BUILTIN, group="antifaz.methods", above=(AUTO,))

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
