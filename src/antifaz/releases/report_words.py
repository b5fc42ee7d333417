"""The report's words for methods, privacy models and measures: what each is, how to read it, what it does not stop."""

from __future__ import annotations

from dataclasses import dataclass

from antifaz.releases.report_parts import Json, esc, name, number, percent

METHODS = {
    "full-domain": "every value of an attribute was replaced by the same level of its hierarchy",
    "datafly": "attributes were generalized step by step, the one with most distinct values first",
    "bottom-up": "attributes were generalized step by step, always where it costs least detail",
    "specialization": "everything was first generalized fully, then made more specific as long as the requirements "
    "held",
    "mondrian": "the records were cut into ever smaller groups as long as the requirements held, and each group is "
    "released as the span of its values",
    "k-members": "similar records were grouped, and each group is released as the span of its values",
    "l-greedy": "similar records were grouped, and each group is released as the span of its values",
    "hilbert": "records near each other on a space-filling curve were grouped, and each group is released as the span "
    "of its values",
    "mdav": "similar records were grouped, and numbers were replaced by the group's average",
    "local-suppression": "single cells that made a record stand out were left out",
}


@dataclass(frozen=True)
class Model:
    """A privacy model in words: a template for what it asks, the name of what was found, and what it does not stop."""

    title: str
    asks: str
    found: str
    leaves: str


MODELS = {
    "k-anonymity": Model(
        "k-anonymity",
        "Every record shares its quasi-identifiers with at least {k} records, itself among them.",
        "smallest group",
        "It does not stop attribute disclosure: if all in a group have the same diagnosis, the diagnosis is known.",
    ),
    "k-anonymity, match": Model(
        "k-anonymity, a blank matching any value",
        "Every record agrees with at least {k} records, itself among them, wherever neither of the two is blank.",
        "fewest that agree",
        "A blank is taken for any value, so a record may still differ from all others in what is not blank; whoever "
        "can rule out the blank ones has found the person. Nor does it stop attribute disclosure.",
    ),
    "k-map": Model(
        "k-map",
        "Every record's quasi-identifiers fit at least {k} people of the population.",
        "fewest people",
        "It rests on the population table or estimate that was used.",
    ),
    "alpha-k": Model(
        "(α, k)-anonymity",
        "Groups of at least {k} records, in which no sensitive value has a share above {alpha}.",
        "found",
        "Values that are similar in meaning still count as different.",
    ),
    "l-diversity": Model(
        "ℓ-diversity",
        "Every group holds at least {l} well-represented values of {attribute}.",
        "least diverse group",
        "It does not stop conclusions from values that are rare overall or similar in meaning.",
    ),
    "t-closeness": Model(
        "t-closeness",
        "In every group, {attribute} is distributed nearly as in the whole table (distance at most {t}).",
        "largest distance",
        "What can be concluded from the table as a whole can still be concluded.",
    ),
    "delta-disclosure": Model(
        "δ-disclosure privacy",
        "In no group does the share of a value of {attribute} differ from the whole by more than a factor of "
        "e^{delta}.",
        "largest difference",
        "What can be concluded from the table as a whole can still be concluded.",
    ),
    "beta-likeness": Model(
        "β-likeness",
        "In no group does the share of a value of {attribute} grow by more than {beta} of what it is in the whole.",
        "largest growth",
        "Only growing confidence is limited; that a value is absent from a group can still be seen.",
    ),
    "delta-presence": Model(
        "δ-presence",
        "Whether a person of the population is in the table can be told with a probability within the bounds asked "
        "for.",
        "found",
        "It rests on the population table that was used.",
    ),
}


class _Parameters(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "the sensitive attribute" if key == "attribute" else "the number asked for"


def model_words(verdict: Json) -> tuple[str, str, str, str]:
    """Return (title, what was asked, what was found, what it does not stop) of a verdict, as HTML."""
    kind = str(verdict.get("model", "unnamed model"))
    known = MODELS.get(f"{kind}, {verdict.get('blanks')}") or MODELS.get(kind)
    if known is None:
        given = {k: v for k, v in verdict.items() if k not in ("model", "achieved", "holds", "failing", "note")}
        asked = ", ".join(f"{esc(k)} = {esc(number(v))}" for k, v in given.items() if not isinstance(v, dict | list))
        return esc(kind), asked or "As declared by the model.", esc(number(verdict.get("achieved"))), ""
    said = _Parameters({k: name(v) if k == "attribute" else esc(number(v)) for k, v in verdict.items()})
    title = known.title + (f" ({esc(verdict['kind'])})" if isinstance(verdict.get("kind"), str) else "")
    found = f"{known.found}: {esc(number(verdict.get('achieved')))}"
    return title, known.asks.format_map(said), found, known.leaves


@dataclass(frozen=True)
class Measure:
    """A measure in words; a share is shown as a percentage."""

    title: str
    text: str
    share: bool = False

    def show(self, value: object) -> str:
        """Return the value as the report shows it."""
        return percent(value) if self.share else esc(number(value))


UTILITY = {
    "loss": Measure(
        "Information loss",
        "How much of the detail of the quasi-identifiers is gone, averaged over all cells. 0 % is the data as it was, "
        "100 % is all detail gone; lower is better.",
        True,
    ),
    "gcp": Measure(
        "Global certainty penalty",
        "How wide the released values are, compared with all values there are. 0 % is exact values, 100 % is "
        "“anything”; lower is better.",
        True,
    ),
    "precision": Measure(
        "Precision",
        "How much of the hierarchies' height was left unused. 100 % is the data as it was; higher is better.",
        True,
    ),
    "height": Measure("Height", "The levels of generalization added up over the attributes. 0 is the data as it was."),
    "discernibility": Measure(
        "Discernibility",
        "For each record, how many records look the same, added up. Good for comparing two releases of one table; "
        "lower is better.",
    ),
    "average_class_size": Measure(
        "Average group size",
        "Records that share the same quasi-identifiers, on average. Much larger than what was asked for means more "
        "detail was given up than needed.",
    ),
    "entropy": Measure("Entropy loss", "Information lost per value, from how often values occur. Lower is better."),
    "il1s": Measure("IL1s", "How far numbers moved, measured in standard deviations and added up. Lower is better."),
    "ks": Measure(
        "Kolmogorov–Smirnov p-value",
        "Whether the released values are still distributed like the original ones. Near 1: no difference can be seen; "
        "below 0.05: the distribution has changed.",
    ),
    "correlation": Measure("Correlation", "How much of the relation between numbers survived. 1 is all of it."),
}

RISK = {
    "singled_out_before": Measure(
        "Records that could be singled out before",
        "Too few records shared their combination of quasi-identifiers: who knew it had found the person or nearly so.",
    ),
    "singled_out_after": Measure(
        "Records that can be singled out now",
        "The same, counted in the release, a blank being a value like others. It should be 0.",
    ),
    "prosecutor": Measure(
        "Highest risk (prosecutor)",
        "The chance to find a person who is known to be in the table, for the record worst protected. Lower is better.",
        True,
    ),
    "journalist": Measure(
        "Highest risk (journalist)", "The chance to find someone, without knowing who is in the table.", True
    ),
    "marketer": Measure(
        "Average risk (marketer)",
        "The share of records that could be matched rightly if all were tried. Lower is better.",
        True,
    ),
    "highest": Measure("Highest risk", "The chance of a right match for the record worst protected.", True),
    "average": Measure("Average risk", "The chance of a right match, averaged over all records.", True),
}


def measure(known: dict[str, Measure], key: str) -> Measure:
    """Return the words for a measure; one from a plug-in is shown under its own name."""
    return known.get(key) or Measure(esc(key.replace("_", " ").capitalize()), "")
