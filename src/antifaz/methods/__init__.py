"""Methods: they decide what each value becomes. Deciding is all they do."""

from antifaz.core.registry import Registry
from antifaz.methods.clustering.mdav import Mdav
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.bottom_up import BottomUp
from antifaz.methods.recoding.datafly import Datafly
from antifaz.methods.recoding.full_domain import FullDomain

BUILTIN: tuple[type[Method], ...] = (FullDomain, Datafly, BottomUp, Mdav)
METHODS: Registry[Method] = Registry("method", BUILTIN, group="antifaz.methods")

__all__ = ["BUILTIN", "METHODS", "BottomUp", "Datafly", "Decision", "FullDomain", "Mdav", "Method", "Task"]
