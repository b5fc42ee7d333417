"""Attacks that are tried on a release: seeded, with a control group, chance and a 95 % interval."""

from antifaz.risk.attacks.knowledge import Attacker
from antifaz.risk.attacks.run import run_attacks, wilson

__all__ = ["Attacker", "run_attacks", "wilson"]
