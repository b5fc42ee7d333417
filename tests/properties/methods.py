"""Every method that releases tables, by a name; each is given the share of records that may be left out."""

from __future__ import annotations

import antifaz as az

METHODS = {
    "full-domain": lambda share: az.FullDomain(suppression=share),
    "full-domain in rounds": lambda share: az.FullDomain(suppression=share, rounds=2),
    "datafly": lambda share: az.Datafly(suppression=share),
    "bottom-up": lambda share: az.BottomUp(suppression=share),
    "level cuts": lambda share: az.Specialization(),
    "sub-tree cuts": lambda share: az.Specialization(cut="subtree"),
    "two phases": lambda share: az.Specialization(phases=2, partitions=2, k_first=3),
    "mondrian": lambda share: az.Mondrian(),
    "relaxed mondrian": lambda share: az.Mondrian(mode="relaxed", release="mode"),
    "mondrian by distribution": lambda share: az.Mondrian(split="distribution", release="median"),
    "hilbert": lambda share: az.Hilbert(),
    "k-members": lambda share: az.KMembers(),
    "l-greedy": lambda share: az.LGreedy(),
    "one-pass": lambda share: az.OnePass(improve=True),
    "local suppression": lambda share: az.LocalSuppression(suppression=share),
}
