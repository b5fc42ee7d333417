"""The size of a population as it was told: a number, or the name of a country."""

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.regions import REGION_SOURCE, region_sizes
from antifaz.proposals.countries import country_codes, folded

#: What the European Union is called, beside its code: letters only.
_UNION = ("eu", "ue", "europeanunion", "unioneuropea", "unioeuropea")


def population_size_of(told: float | str | None) -> tuple[float | None, list[str]]:
    """Return how many people there are, and what is to be said of where the number is from.

    A country is told by its name in seven languages, or by its ISO code.
    """
    if told is None or not isinstance(told, str):
        return told, []
    try:
        return float(told.replace("_", "")), []
    except ValueError:
        pass
    sizes, name = region_sizes(), folded(told)
    code = "EU" if name in _UNION else country_codes().get(name)
    if code not in sizes:
        raise ParameterError("risk.unknown-region", name=told, hint=hint(told, sizes))
    about = {"region": code, "size": sizes[code], "source": REGION_SOURCE}
    return sizes[code], [Message("warning.population-of-region", **about)]
