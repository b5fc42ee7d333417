"""Risk: what a release gives away. One file per family of measures."""

from antifaz.risk.classes import marketer, prosecutor, records_below
from antifaz.risk.diversity import Diversity, l_diversity
from antifaz.risk.individual import IndividualRisk, individual_risk
from antifaz.risk.interval import interval_risk, interval_risk_by_column
from antifaz.risk.keys import Frequencies, frequencies
from antifaz.risk.linkage import Linkage, linkage
from antifaz.risk.suda import Suda, suda

__all__ = [
    "Diversity",
    "Frequencies",
    "IndividualRisk",
    "Linkage",
    "Suda",
    "frequencies",
    "individual_risk",
    "interval_risk",
    "interval_risk_by_column",
    "l_diversity",
    "linkage",
    "marketer",
    "prosecutor",
    "records_below",
    "suda",
]
