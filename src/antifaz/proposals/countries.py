"""Countries and where they are: names in seven languages (from CLDR, through Babel), long forms, and ISO 3166 codes."""

from collections.abc import Mapping
from functools import cache

from antifaz.proposals.words import plain

#: Continents and their parts after UN M49, with the codes of their countries.
_PARTS = """
Europe/Southern Europe: AD AL BA ES GI GR HR IT ME MK MT PT RS SI SM VA XK
Europe/Western Europe: AT BE CH DE FR LI LU MC NL
Europe/Northern Europe: AX DK EE FI FO GB GG IE IM IS JE LT LV NO SE SJ
Europe/Eastern Europe: BG BY CZ HU MD PL RO RU SK UA
America/Northern America: BM CA GL PM US
America/Central America: BZ CR GT HN MX NI PA SV
America/Caribbean: AG AI AW BB BL BQ BS CU CW DM DO GD GP HT JM KN KY LC MF MQ MS PR SX TC TT VC VG VI
America/South America: AR BO BR CL CO EC FK GF GY PE PY SR UY VE
Asia/Eastern Asia: CN HK JP KP KR MN MO TW
Asia/South-Eastern Asia: BN ID KH LA MM MY PH SG TH TL VN
Asia/Southern Asia: AF BD BT IN IR LK MV NP PK
Asia/Western Asia: AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE
Asia/Central Asia: KG KZ TJ TM UZ
Africa/Northern Africa: DZ EG EH LY MA SD TN
Africa/Sub-Saharan Africa: AO BF BI BJ BW CD CF CG CI CM CV DJ ER ET GA GH GM GN GQ GW KE KM LR LS MG ML MR MU MW MZ NA
 NE NG RE RW SC SH SL SN SO SS ST SZ TD TG TZ UG YT ZA ZM ZW
Oceania/Oceania and Pacific: AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS
"""
#: Names that CLDR has not, letters only: long forms, older names, parts that are told as countries.
_MORE = {
    "US": "unitedstatesofamerica usa estadosunidosdeamerica eeuu eua estatsunitsdamerica etatsunisdamerique "
    "vereinigtestaatenvonamerika statiunitidamerica america outlyingusguamusvietc",
    "GB": "unitedkingdomofgreatbritainandnorthernireland greatbritain uk england scotland wales northernireland "
    "inglaterra anglaterra angleterre inghilterra escocia ecosse schottland scozia gales grossbritannien "
    "granbretana britain",
    "NL": "holland holanda hollande olanda holandnetherlands thenetherlands",
    "RU": "russianfederation federacionrusa federationderussie",
    "KR": "republicofkorea korea corea coree southkorea koreasouth repubblicadicorea koreasud",
    "KP": "democraticpeoplesrepublicofkorea koreanorth koreanord",
    "IR": "iranislamicrepublicof islamicrepublicofiran",
    "SY": "syrianarabrepublic", "LA": "laopeoplesdemocraticrepublic", "VN": "vietnam vietnamsocialistrepublicof",
    "BO": "boliviaplurinationalstateof plurinationalstateofbolivia",
    "VE": "venezuelabolivarianrepublicof venezuelarb bolivarianrepublicofvenezuela", "MD": "republicofmoldova",
    "TZ": "unitedrepublicoftanzania tanzaniaunitedrepublicof", "CZ": "czechrepublic republicacheca republiquetcheque",
    "CN": "peoplesrepublicofchina chinaprc mainlandchina", "TW": "taiwanprovinceofchina", "HK": "hong hongkongsar",
    "MK": "macedonia theformeryugoslavrepublicofmacedonia", "RS": "yugoslavia serbiaandmontenegro",
    "TR": "turkiye turkey", "CI": "ivorycoast cotedivoire", "CV": "capeverde", "SZ": "swaziland",
    "MM": "burma birmania",
    "TT": "trinadadtobago trinidadtobago trinidadandtobago", "CD": "democraticrepublicofthecongo drcongo",
    "CG": "congo",
    "EG": "egyptarabrep", "YE": "yemenrep", "BS": "thebahamas bahamasthe", "GM": "thegambia gambiathe",
    "CO": "columbia", "DE": "federalrepublicofgermany", "PS": "palestine palestinianterritories",
    "BN": "bruneidarussalam",
}  # fmt: skip
LANGUAGES = ("en", "es", "ca", "fr", "de", "it", "pt")


def folded(name: str) -> str:
    """Return the letters of a name, without accents, in lower case."""
    return "".join(mark for mark in plain(name) if mark.isalpha())


@cache
def parts() -> Mapping[str, tuple[str, str]]:
    """Return the part of a continent, and the continent, by the code of a country."""
    lines = (line.partition(":") for line in _PARTS.replace("\n ", " ").strip().splitlines())
    places = ((place.split("/"), codes.split()) for place, _, codes in lines)
    return {code: (part, continent) for (continent, part), codes in places for code in codes}


@cache
def country_codes() -> Mapping[str, str]:
    """Return the code of a country by its folded name, in seven languages, and by its codes."""
    from babel import Locale  # here: only a column of texts asks
    from babel.core import get_global

    known = parts()
    names = {code.casefold(): code for code in known}
    for alias, codes in get_global("territory_aliases").items():
        if len(alias) == 3 and alias.isalpha() and codes[0] in known:
            names.setdefault(alias.casefold(), codes[0])
    for language in LANGUAGES:
        territories = Locale(language).territories
        names |= {folded(territories[code]): code for code in known if code in territories}
    return names | {name: code for code, more in _MORE.items() for name in more.split()}
