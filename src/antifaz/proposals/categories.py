"""Groups of categories, from what their values say: countries, schooling, common first words, or how rare they are."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from antifaz.core.messages import Message
from antifaz.core.profile import COMMON, ColumnProfile
from antifaz.core.verdicts import Proposal
from antifaz.proposals.words import COUNTRY, EDUCATION, find_entry, words_of

#: So many of the values must be known for a column to be what it seems; the rest become 'Other'.
KNOWN = 0.8
#: A value that fewer records have than this share of them is rare.
RARE = 0.05
OTHER = "Other"
#: How many records have each value, where that is known.
Counts = Mapping[str, int] | None
_FIRST = re.compile(r"[\s_/,:;-]+")

#: Schooling by words in English, Spanish and Catalan; the first that fits decides.
_SCHOOLING = {
    "Higher education": r"doctor|phd|master|bachelor|licencia|diploma?tur|universi|college|degree|prof.school|graduad|"
    r"ingenie|enginy|postgra|tertiary|higher|superior",
    "Vocational": r"assoc|vocation|profesional|professional|\bfp\b|cicle|ciclo|apprentice|trade|tecnic",
    "Secondary": r"\bhs\b|high.school|(9|10|11|12)th|secund|second|bachiller|batxiller|\beso\b|\bbup\b|\bcou\b|a.level",
    "Primary or none": r"primar|elementa|pre.?school|kindergarten|\d(st|nd|rd|th)|sin estudios|sense estudis|none|"
    r"analfabet|illitera|\begb\b|infantil",
}
_LEVELS_ABOVE = {
    "Beyond secondary": ("Higher education", "Vocational"),
    "Up to secondary": ("Secondary", "Primary or none"),
}

#: Where countries are: continents and their parts (after UN M49), by English, Spanish, Catalan names and codes.
#: Countries that are not here are put under 'Other'.
_PLACES = """
Europe/Southern Europe: spain espana espanya es esp, portugal pt prt, italy italia it ita, greece grecia gr grc,
 andorra ad and, malta mt mlt, croatia croacia hr hrv, slovenia eslovenia si svn, serbia rs srb, albania al alb,
 bosniaandherzegovina bosnia ba bih, montenegro me mne, northmacedonia macedonia mk mkd, yugoslavia, sanmarino sm smr
Europe/Western Europe: france francia franca fr fra, germany alemania alemanya deutschland de deu,
 belgium belgica be bel,
 netherlands holland holandnetherlands paisesbajos paisosbaixos holanda nl nld, switzerland suiza suissa ch che,
 austria at aut, luxembourg luxemburgo luxemburg lu lux, monaco mc mco, liechtenstein li lie
Europe/Northern Europe: unitedkingdom reinounido regneunit greatbritain uk gb gbr, england inglaterra anglaterra,
 scotland escocia, wales gales, ireland irlanda ie irl, sweden suecia se swe, norway noruega no nor,
 denmark dinamarca dk dnk, finland finlandia fi fin, iceland islandia is isl, estonia ee est, latvia letonia lv lva,
 lithuania lituania lt ltu
Europe/Eastern Europe: poland polonia pl pol, romania rumania ro rou, bulgaria bg bgr, hungary hungria hongria hu hun,
 czechia czechrepublic republicacheca txequia cz cze, slovakia eslovaquia sk svk, ukraine ucrania ucraina ua ukr,
 russia rusia russianfederation ru rus, belarus bielorrusia by blr, moldova moldavia md mda
America/Northern America: unitedstates unitedstatesofamerica usa us estadosunidos estatsunits eeuu eua, canada ca can,
 outlyingusguamusvietc, bermuda bm bmu
America/Central America: mexico mexic mx mex, guatemala gt gtm, honduras hn hnd, elsalvador sv slv, nicaragua ni nic,
 costarica cr cri, panama pa pan, belize belice bz blz
America/Caribbean: cuba cu cub, dominicanrepublic republicadominicana do dom, haiti ht hti, jamaica jm jam,
 puertorico pr pri, trinidadandtobago trinadadtobago trinidadtobago tt tto, bahamas bs bhs, barbados bb brb
America/South America: argentina ar arg, brazil brasil br bra, chile xile cl chl, colombia columbia co col,
 ecuador equador ec ecu, peru pe per, uruguay uy ury, paraguay py pry, bolivia bo bol, venezuela veneçuela ve ven,
 guyana gy guy, suriname sr sur
Asia/Eastern Asia: china xina cn chn, japan japon japo jp jpn, southkorea korea corea coreadelsur kr kor,
 northkorea kp prk, taiwan tw twn, hongkong hong hk hkg, mongolia mn mng
Asia/South-Eastern Asia: vietnam vn vnm, thailand tailandia th tha, philippines filipinas filipines ph phl,
 indonesia id idn, malaysia malasia my mys, singapore singapur sg sgp, cambodia camboya kh khm, laos la lao,
 myanmar birmania mm mmr
Asia/Southern Asia: india in ind, pakistan pk pak, bangladesh bd bgd, srilanka lk lka, nepal np npl, iran ir irn,
 afghanistan af afg
Asia/Western Asia: turkey turquia turkiye tr tur, israel il isr, saudiarabia arabiasaudi sa sau, iraq irak iq irq,
 syria siria sy syr, lebanon libano lb lbn, jordan jordania jo jor, unitedarabemirates ae are, georgia ge geo,
 armenia am arm, azerbaijan az aze, qatar qa qat, kuwait kw kwt, yemen ye yem, cyprus chipre xipre cy cyp
Asia/Central Asia: kazakhstan kz kaz, uzbekistan uz uzb, turkmenistan tm tkm, kyrgyzstan kg kgz, tajikistan tj tjk
Africa/Northern Africa: morocco marruecos marroc ma mar, algeria argelia dz dza, tunisia tunez tn tun,
 libya libia ly lby, egypt egipto egipte eg egy, sudan sd sdn
Africa/Sub-Saharan Africa: nigeria ng nga, senegal sn sen, ghana gh gha, kenya kenia ke ken, ethiopia etiopia et eth,
 southafrica sudafrica za zaf, cameroon camerun cm cmr, mali ml mli, gambia gm gmb, guinea gn gin, angola ao ago,
 mozambique mz moz, equatorialguinea guineaecuatorial gq gnq, ivorycoast costademarfil ci civ, uganda ug uga,
 tanzania tz tza, congo cg cog, capeverde caboverde cv cpv, mauritania mr mrt, zimbabwe zw zwe
Oceania/Oceania and Pacific: australia au aus, newzealand nuevazelanda novazelanda nz nzl, fiji fj fji,
 papuanewguinea pg png
"""


def _folded(name: str) -> str:
    """Return the letters of a name, without accents, in lower case."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(mark for mark in apart if mark.isalpha() and mark.isascii())


#: Part of the continent, and continent, by folded name.
_PLACE_OF = {
    _folded(name): (part, continent)
    for continent, part, names in (
        re.split("[/:]", block) for block in _PLACES.replace("\n ", " ").strip().splitlines()
    )
    for name in names.replace(",", " ").split()
}


def by_country(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Countries into parts of continents, and these into continents."""
    known = {value: _PLACE_OF[_folded(value)] for value in values if _folded(value) in _PLACE_OF}
    # Codes of two letters are many things; without a name that says so only whole names count.
    whole = sum(len(_folded(value)) > 3 for value in known)
    if not (find_entry(words_of(column.name), COUNTRY) or 2 * whole > len(values)) or len(known) < KNOWN * len(values):
        return None
    parts = _grouped({value: known.get(value, (OTHER, OTHER))[0] for value in values})
    above = _grouped({part: continent for part, continent in {(OTHER, OTHER), *known.values()} if part in parts})
    return _proposal([parts, above], Message("reason.countries"), counts)


def by_schooling(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Degrees and school years into levels of education."""
    if not find_entry(words_of(column.name), EDUCATION):
        return None
    levels = {value: level for value in values if (level := _schooling(value))}
    if len(levels) < KNOWN * len(values):
        return None
    first = _grouped({value: levels.get(value, OTHER) for value in values})
    upper = {level: above for above, below in _LEVELS_ABOVE.items() for level in below}
    second = _grouped({level: upper.get(level, OTHER) for level in first})
    return _proposal([first, second], Message("reason.schooling"), counts)


def _schooling(value: str) -> str | None:
    apart = unicodedata.normalize("NFKD", value.casefold())
    plain = "".join(mark for mark in apart if not unicodedata.combining(mark))
    return next((level for level, words in _SCHOOLING.items() if re.search(words, plain)), None)


def by_first_word(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal | None:
    """Values that begin with the same word into one group."""
    words: dict[str, list[str]] = {}
    for value in values:
        words.setdefault(_FIRST.split(value.strip())[0].casefold(), []).append(value)
    shared = {word for word, some in words.items() if len(some) > 1 and len(word) > 2 and word.isalpha()}
    if not 2 <= len(words) <= 0.75 * len(values) or 2 * sum(len(words[word]) for word in shared) < len(values):
        return None
    groups = {}
    for word, some in words.items():
        label = f"{_FIRST.split(some[0].strip())[0]} …" if word in shared else "{" + ", ".join(some) + "}"
        groups[some[0] if len(some) == 1 else label] = some
    return _proposal([groups], Message("reason.same-first-word"), counts)


def by_frequency(values: Sequence[str], counts: Counts) -> Proposal | None:
    """Rare values into one group, the others as they are."""
    if not counts or len(values) < 4:
        return None
    rows = sum(counts.get(value, 0) for value in values)
    rare = [value for value in values if counts.get(value, 0) < RARE * rows]
    kept = [value for value in values if value not in set(rare)]
    if len(rare) < 2 or len(kept) < 2 or OTHER in values:
        return None
    groups = {value: [value] for value in kept} | {OTHER: rare}
    reason = Message("reason.rare-values", count=len(rare), share=RARE, other=OTHER)
    return _proposal([groups], reason, counts)


def _grouped(above: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for value, label in sorted(above.items()):
        groups.setdefault(label, []).append(value)
    return dict(sorted(groups.items()))


def _proposal(levels: list[dict[str, list[str]]], reason: Message, counts: Counts) -> Proposal | None:
    """Keep the levels that bring something together and leave something apart.

    Values that few records share are not named, because a project file is read by others than the data: they go to
    the rest.
    """
    first, *higher = levels
    values = [value for members in first.values() for value in members]
    shared = {value for value in values if counts is None or counts.get(value, 0) >= COMMON}
    if len(shared) < len(values):
        if OTHER in values:
            return None
        levels = [_only(first, shared)]
        for level in higher:
            levels.append(_only(level, set(levels[-1])))
        reason = Message("reason.few-share-values", reason=reason, common=COMMON, other=OTHER)
    useful = [level for level in levels if len(level) > 1]
    if not useful or useful[0] is not levels[0]:
        return None
    rest = {} if len(shared) == len(values) else {"rest": OTHER}
    return Proposal(value="groups", reason=reason, details={"groups": useful, **rest})


def _only(level: Mapping[str, list[str]], wanted: set[str]) -> dict[str, list[str]]:
    """Return a level without the members that are not wanted, and without groups that have none left."""
    left = {label: [member for member in members if member in wanted] for label, members in level.items()}
    return {label: members for label, members in left.items() if members}
