"""Hierarchies for the categories of `people`: each value, and what it becomes level by level, the last being "*".

Plain data on purpose: whoever wants a hierarchy object builds it from these.
"""

from __future__ import annotations

Tree = dict[str, list[str]]


def _tree(groups: dict[str, dict[str, list[str]]]) -> Tree:
    """Turn {upper: {lower: [values]}} into value -> [lower, upper, "*"]."""
    return {
        value: [lower, upper, "*"]
        for upper, inner in groups.items()
        for lower, values in inner.items()
        for value in values
    }


EDUCATION: Tree = _tree(
    {
        "no degree": {
            "primary or less": ["no schooling", "primary"],
            "secondary": ["lower secondary", "upper secondary"],
        },
        "degree": {
            "vocational": ["vocational, intermediate", "vocational, higher"],
            "university": ["bachelor", "master", "doctorate"],
        },
    }
)

MARITAL_STATUS: Tree = {
    "single": ["never married", "*"],
    "married": ["in a union", "*"],
    "civil partnership": ["in a union", "*"],
    "separated": ["formerly married", "*"],
    "divorced": ["formerly married", "*"],
    "widowed": ["formerly married", "*"],
}

OCCUPATION: Tree = _tree(
    {
        "professional work": {
            "management": ["director", "shop manager"],
            "science and technology": ["engineer", "software developer", "researcher"],
            "care and teaching": ["physician", "nurse", "teacher"],
            "law and finance": ["lawyer", "accountant"],
        },
        "other work": {
            "office": ["clerk", "receptionist"],
            "service and sales": ["shop assistant", "cook", "waiter", "hairdresser", "carer"],
            "crafts and transport": ["builder", "electrician", "mechanic", "driver"],
            "manual": ["farm worker", "factory worker", "cleaner"],
        },
        "not in work": {"not yet or not now": ["student", "unemployed", "homemaker"], "no longer": ["retired"]},
    }
)

COUNTRY: Tree = _tree(
    {
        "Europe": {
            "Southern Europe": ["Spain", "Italy", "Portugal"],
            "Western Europe": ["France", "Germany", "Netherlands", "United Kingdom"],
            "Eastern Europe": ["Romania", "Bulgaria", "Poland", "Ukraine", "Russia"],
        },
        "Americas": {
            "South America": ["Argentina", "Bolivia", "Brazil", "Colombia", "Ecuador", "Peru", "Venezuela"],
            "Central and North America": ["Cuba", "Dominican Republic", "Honduras", "Mexico", "United States"],
        },
        "Africa": {"Northern Africa": ["Algeria", "Morocco"], "Western Africa": ["Nigeria", "Senegal"]},
        "Asia": {"Eastern Asia": ["China", "Philippines"], "Southern Asia": ["Bangladesh", "India", "Pakistan"]},
    }
)

#: By column of `people`.
TREES: dict[str, Tree] = {
    "education": EDUCATION,
    "marital_status": MARITAL_STATUS,
    "occupation": OCCUPATION,
    "country": COUNTRY,
}
