"""Where countries are: continents and their parts (after UN M49), by English, Spanish, Catalan names and codes.

Names are compared without accents, marks and case. Countries that are not here are put under 'Other' by who asks.
"""

from __future__ import annotations

import unicodedata

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


def _table() -> dict[str, tuple[str, str]]:
    places = {}
    for block in _PLACES.replace("\n ", " ").strip().splitlines():
        where, names = block.split(":")
        continent, part = where.split("/")
        for name in names.replace(",", " ").split():
            places[folded(name)] = (part, continent)
    return places


def folded(name: str) -> str:
    """Return the letters of a name, without accents, in lower case."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(mark for mark in apart if mark.isalpha() and mark.isascii())


#: Part of the continent, and continent, by folded name.
PLACES = _table()
