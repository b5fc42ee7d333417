"""Columns of a survey, by their names: the sampling weight, and the household that a record is of."""

from collections.abc import Collection

from antifaz.core.profile import Profile
from antifaz.proposals.words import words_of

#: Names that are a sampling weight's alone.
_WEIGHTS = frozenset((
    "wght", "wgt", "pspwght", "dweight", "pweight", "fnlwgt", "finalwgt", "hhwgt", "hhwt", "perwt", "wtfinl",
    "weighting", "ponderacion", "pondera", "ponderador", "pondih", "pondiio", "facexp", "fexp", "ponderacio",
    "ponderation", "gewichtung", "gewichtungsfaktor", "hochrechnungsfaktor", "ponderazione", "pesatura", "ponderacao",
))  # fmt: skip
#: Words for a weight, which may be a body's; and words that say whose it is then.
_WEIGHT = frozenset((
    "weight", "weights", "wt", "wts", "peso", "pesos", "pes", "poids", "gewicht", "factor", "fac", "fact", "facteur",
    "faktor", "fattore", "fator", "coefficient", "coef", "coefficiente", "coeficiente",
))  # fmt: skip
_OF_SURVEY = frozenset((
    "sampling", "sample", "survey", "household", "households", "hh", "person", "design", "final", "calibrated",
    "population", "raking", "poststratification", "analysis", "muestral", "muestreo", "mostral", "mostreig",
    "encuesta", "enquesta", "enquete", "sondage", "stichprobe", "umfrage", "campionario", "campione", "indagine",
    "amostral", "amostra", "expansion", "expansio", "exp", "elevacion", "elevacio", "espansione", "riporto",
    "expansao", "extrapolation", "hochrechnung", "hogar", "llar", "menage", "haushalt",
))  # fmt: skip
_HOUSEHOLD = frozenset(("household", "hh", "hogar", "llar", "menage", "haushalt", "famiglia", "dwelling", "vivienda"))
_NUMBER = frozenset(("id", "no", "nr", "num", "number", "code", "key", "identifier"))
_HOUSEHOLD_IDS = frozenset(("hid", "hhid", "idhogar", "hogarid", "idhh"))
#: Members of a household, on average: of more it is a village, of fewer a person.
_MEMBERS = (1.05, 20)


def weighs(words: Collection[str]) -> bool:
    """Say whether the words of a name say a sampling weight: how many people a record stands for."""
    distinct_words = set(words)
    return bool(distinct_words & _WEIGHTS or (distinct_words & _WEIGHT and distinct_words & _OF_SURVEY))


def survey_columns(profile: Profile) -> dict[str, str]:
    """Return the columns under `weight` and `household` that names and values say they may be; else nothing."""
    columns: dict[str, str] = {}
    for column in profile:
        words = set(words_of(column.name))
        if weighs(words) and column.type.is_number and not column.missing:
            columns.setdefault("weight", column.name)
        homes = bool(words & _HOUSEHOLD_IDS or (words & _HOUSEHOLD and words & _NUMBER))
        if homes and column.distinct and _MEMBERS[0] <= profile.rows / column.distinct <= _MEMBERS[1]:
            columns.setdefault("household", column.name)
    return columns
