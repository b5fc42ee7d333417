"""Methods: they decide what each value becomes. Deciding is all they do."""

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

from antifaz.core.registry import Registry
from antifaz.methods.method import Decision, Method, Task

if TYPE_CHECKING:
    from antifaz.methods.clustering.hilbert import Hilbert
    from antifaz.methods.clustering.k_members import KMembers
    from antifaz.methods.clustering.l_greedy import LGreedy
    from antifaz.methods.clustering.mdav import Mdav
    from antifaz.methods.clustering.mondrian import Mondrian
    from antifaz.methods.clustering.one_pass import OnePass
    from antifaz.methods.recoding.bottom_up import BottomUp
    from antifaz.methods.recoding.datafly import Datafly
    from antifaz.methods.recoding.full_domain import FullDomain
    from antifaz.methods.specialization.method import Specialization
    from antifaz.methods.suppression.local_suppression import LocalSuppression

#: Where each method is. It is loaded when it is asked for: a run needs one of them, and to load all takes longer than
#: to decide on a small table. Auto tries the others, so it is above them.
_PLACES = {
    "auto": "antifaz.proposals.auto:Auto",
    "full-domain": "antifaz.methods.recoding.full_domain:FullDomain",
    "datafly": "antifaz.methods.recoding.datafly:Datafly",
    "bottom-up": "antifaz.methods.recoding.bottom_up:BottomUp",
    "specialization": "antifaz.methods.specialization.method:Specialization",
    "mondrian": "antifaz.methods.clustering.mondrian:Mondrian",
    "k-members": "antifaz.methods.clustering.k_members:KMembers",
    "l-greedy": "antifaz.methods.clustering.l_greedy:LGreedy",
    "hilbert": "antifaz.methods.clustering.hilbert:Hilbert",
    "one-pass": "antifaz.methods.clustering.one_pass:OnePass",
    "mdav": "antifaz.methods.clustering.mdav:Mdav",
    "local-suppression": "antifaz.methods.suppression.local_suppression:LocalSuppression",
}
BUILTIN = tuple(EntryPoint(name, place, "antifaz.methods") for name, place in _PLACES.items())
METHODS: Registry[Method] = Registry("method", BUILTIN, group="antifaz.methods")

__all__ = [
    "BUILTIN", "METHODS", "BottomUp", "Datafly", "Decision", "FullDomain", "Hilbert", "KMembers", "LGreedy",
    "LocalSuppression", "Mdav", "Method", "Mondrian", "OnePass", "Specialization", "Task",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for point in BUILTIN:
        if point.attr == name and name in __all__:
            return point.load()
    raise AttributeError(f"{__name__} has no {name!r}")
