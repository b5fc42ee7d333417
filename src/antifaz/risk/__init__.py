"""Risk: what a release gives away. One file per family of measures."""

from antifaz.risk.attacks import Attacker, run_attacks
from antifaz.risk.diversity import Diversity, l_diversity
from antifaz.risk.individual import IndividualRisk, individual_risk
from antifaz.risk.interval import interval_risk, interval_risk_by_column
from antifaz.risk.keys import Frequencies, frequencies
from antifaz.risk.linkage import Linkage, linkage
from antifaz.risk.population import population_uniqueness
from antifaz.risk.singling import class_risks, marketer, prosecutor, records_below, singled_out
from antifaz.risk.suda import Suda, suda

__all__ = [
    "Attacker",
    "Diversity",
    "Frequencies",
    "IndividualRisk",
    "Linkage",
    "Suda",
    "class_risks",
    "frequencies",
    "individual_risk",
    "interval_risk",
    "interval_risk_by_column",
    "l_diversity",
    "linkage",
    "marketer",
    "population_uniqueness",
    "prosecutor",
    "records_below",
    "run_attacks",
    "singled_out",
    "suda",
]
