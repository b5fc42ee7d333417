"""Risk: what a release gives away. One file per family of measures."""

from antifaz.counting.population_uniqueness import population_uniqueness
from antifaz.risk.attacks import Attacker, run_attacks
from antifaz.risk.disclosure import Diversity, l_diversity
from antifaz.risk.keys import Frequencies, frequencies
from antifaz.risk.linkage import Linkage, interval_risk, interval_risk_by_column, linkage
from antifaz.risk.log_linear import LogLinearRisk, log_linear_risk
from antifaz.risk.reidentification import (
    IndividualRisk,
    class_risks,
    individual_risk,
    marketer,
    prosecutor,
    records_below,
    singled_out,
)
from antifaz.risk.suda import Suda, suda

__all__ = [
    "Attacker", "Diversity", "Frequencies", "IndividualRisk", "Linkage", "LogLinearRisk", "Suda", "class_risks",
    "frequencies", "individual_risk", "interval_risk", "interval_risk_by_column", "l_diversity", "linkage",
    "log_linear_risk", "marketer", "population_uniqueness", "prosecutor", "records_below", "run_attacks",
    "singled_out", "suda",
]  # fmt: skip
