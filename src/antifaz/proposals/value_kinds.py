"""What the values of a column are, by their words and their shape: sexes, countries, steps of a scale, numbers, text.

Each kind says of one value whether it is of that kind. A column is of a kind if most of its different values are.
Words are those of seven languages, written as `plain` gives them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from antifaz.proposals.words import plain


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What people write where there is no value.
MISSING = _words("""
    na n/a n.a. nan null none nil missing unknown desconocido desconegut inconnu unbekannt sconosciuto desconhecido
    #n/a undefined
""")

_SEXES = _words("""
    mr mrs ms miss sr sra srta senor senora mme mlle herr signor signora sig m f h w male female man woman men women
    hombre mujer hombres mujeres varon home dona homme femme masculin feminin masculino femenino feminino masculi
    femeni mann frau mannlich weiblich uomo donna maschio femmina maschile femminile homem mulher boy girl nonbinary
    otro otros other transgender trans divers diverse x intersex
""")
_CORE_SEXES = _SEXES - {"otro", "otros", "other", "x", "divers", "diverse", "trans"}

_MARITAL = r"""\b(single|married|divorced|widow(ed|er)?|separated|never.married|soltero|soltera|casado|casada|
    divorciad[oa]|viud[oa]|separad[oa]|solter|casat|casada|vidu|vidua|celibataire|marie|mariee|divorce|divorcee|
    veuf|veuve|pacse|ledig|verheiratet|geschieden|verwitwet|celibe|nubile|coniugat[oa]|sposat[oa]|vedov[oa]|
    solteir[oa]|viuv[oa]|husband|wife|spouse|mother|father|mum|mom|dad|son|daughter|own.child|madre|padre|mere|
    mutter|vater|cohabit\w*|domestic.partner\w*|civil.union|union.libre|concubinage|in.a.relationship)\b"""
_SCHOOLING = r"""\b(bachelor\w*|master\w*|phd|ph\.d|doctorate|doctoral|doctorado|doctorat|doktor\w*|dottorato|doutorado|
    high.?school|secondary|secundari\w*|secondaria|secondaire|primary.school|primaria|primario|primaire|
    elementary|college|university|universitari\w*|universitaire|universita\w*|graduate\w*|graduado|postgrad\w*|
    posgrado|undergrad\w*|licenciatura|ingenieria|bachiller\w*|batxillerat|baccalaureat|bac|licence|abitur|
    hauptschule|realschule|gymnasium|hochschule|laurea|diploma|ensino|superior|fundamental|vocational|
    associate.?s?|degree|terciari\w*|formacion.profesional|hs|hsgrad|\d+th.grade|no.schooling|illiterate|
    analfabet\w*|technical.school|matriculation|some.college)\b"""
_ETHNIC = r"""\b(white|black|asian|hispanic|latin[oax]|caucasian|african.american|native.american|american.indian|
    pacific.islander|mixed.race|multiracial|mestizo|mulato|indigena|pardo|branco|preto|amarelo|blanco|negro|
    arab|roma|eskimo|two.or.more.races|hawaiian|alaskan?)\b"""
_JOB = r"""\b(manager|director|engineer\w*|technician|assistant|officer|analyst|developer|programmer|designer|
    administrator|admin|clerical|accountant|nurse|teacher|professor|doctor|physician|lawyer|attorney|driver|
    worker|laborer|labourer|supervisor|executive|consultant|specialist|representative|sales(man|person)?|
    secretary|president|ceo|cto|coordinator|scientist|architect|student|retired|self.?employed|unemployed|
    housewife|homemaker|blue.?collar|white.?collar|craft\w*|farmer|farming|services|entrepreneur|employed|
    freelance\w*|intern|gerente|ingenier[oa]|tecnic[oa]|asistente|analista|desarrollador\w*|administrativ[oa]|
    contador\w*|enfermer[oa]|profesor\w*|maestr[oa]|medic[oa]|abogad[oa]|conductor|obrer[oa]|emplead[oa]|
    estudiante|jubilad[oa]|desemplead[oa]|comerciante|ingenieur|technicien\w*|infirmier\w*|enseignant\w*|
    medecin|avocat|ouvrier\w*|employee?s?|cadre\w*|etudiant\w*|retraite\w*|chomeur\w*|agricult\w*|artisan\w*|
    angestellte\w*|arbeiter\w*|beamte\w*|lehrer\w*|arzt|rentner\w*|arbeitslos\w*|selbstandig\w*|impiegat[oa]|
    operai[oa]|insegnante|pensionat[oa]|disoccupat[oa]|engenheir[oa]|professora?|enfermeira|aposentad[oa]|
    desempregad[oa]|autonom[oa]|full.?time|part.?time)\b"""
#: Steps of a scale: how much one agrees, likes, how often, how well.
_SCALE = r"""\b(strongly|somewhat|slightly|fairly|moderately|extremely|very|quite|rather|not.at.all|neither|neutral|
    (dis)?agree|disagree|(un|dis)?satisfied|(un)?favou?rabl[ey]|(un)?likely|(un)?important|(in)?frequently|
    always|often|sometimes|rarely|seldom|never|occasionally|usually|daily|weekly|monthly|yearly|times.a|
    per.(day|week|month)|once|twice|excellent|good|fair|poor|bad|worse|better|best|worst|too.(much|long|short|
    little)|easy|difficult|hard|trust|distrust|support|oppose|yes,|no,|maybe|dont.know|don.?t.know|not.sure|
    unsure|no.opinion|indifferent|muy|algo|bastante|poco|nada|mucho|de.acuerdo|en.desacuerdo|satisfech[oa]|
    insatisfech[oa]|siempre|a.menudo|a.veces|nunca|jamas|raramente|casi|regular|buen[oa]|mal[oa]|mejor|peor|
    no.sabe|ns/nc|ns|nc|molt|gens|d.acord|sempre|sovint|mai|bastant|tres|assez|plutot|peu|pas.du.tout|d.accord|
    satisfaite?s?|insatisfaite?s?|toujours|souvent|parfois|rarement|jamais|bon|bonne|mauvais|mieux|pire|
    ne.sait.pas|non.reponse|nsp|sehr|eher|ziemlich|kaum|gar.nicht|stimme|zufrieden|unzufrieden|immer|haufig|
    manchmal|selten|nie|gut|schlecht|weiss.nicht|keine.angabe|molto|abbastanza|poco|per.niente|soddisfatt[oa]|
    spesso|talvolta|raramente|mai|muito|pouco|as.vezes|concordo|discordo|low|medium|high|moderate|bajo|medio|
    alto|baix|mitja|alt|faible|moyen|eleve|niedrig|mittel|hoch|basso|baixo|mild|severe|leve|moderad[oa]|grave)\b"""
#: Words of diagnoses and of how an illness ended.
_CLINICAL = r"""(itis|osis|emia|aemia|oma|pathy|patia|algia|ectomy|uria|plegia|trophy)\b|\b(disorder|syndrome|disease|
    finding|infection|fracture|injury|cancer|carcinoma|tumou?r|neoplasm\w*|diabetes|hypertension|asthma|stroke|
    depression|pneumonia|chronic|acute|deceased|died|recovered|isolated|hospitali[sz]ed|remission|relapse|
    positive|negative|enfermedad|trastorno|infeccion|fractura|lesion|fallecid[oa]|recuperad[oa]|
    hospitalizad[oa]|positivo|negativo|malaltia|trastorn|maladie|trouble|decede|gueri|krankheit|storung|
    verletzung|verstorben|genesen|malattia|disturbo|infezione|frattura|decedut[oa]|guarit[oa]|doenca|transtorno|
    infeccao|falecid[oa]|covid\w*)\b"""
#: Answers that stand beside the others and are of no kind.
_BESIDES = _words("""
    other others otro otros otra otras altre altres autre autres andere sonstige altro altri outro outros all none
    any
""")
_YES_NO = _words("""
    y n yes no true false t f si s oui non o ja nein j sim nao vero falso verdadero verdader vrai faux wahr falsch 0
    1
""")
_CALENDAR = _words("""
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre
    noviembre diciembre ene abr ago dic gener febrer marc maig juny juliol agost setembre novembre desembre janvier
    fevrier mars avril mai juin juillet aout septembre octobre decembre januar februar marz juni juli oktober
    dezember gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro fevereiro marco maio
    junho julho setembro outubro novembro dezembro monday tuesday wednesday thursday friday saturday sunday mon tue
    wed thu fri sat sun lunes martes miercoles jueves viernes sabado domingo dilluns dimarts dimecres dijous
    divendres dissabte diumenge lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag mittwoch
    donnerstag freitag samstag sonntag lunedi martedi mercoledi giovedi venerdi sabato domenica segunda terca quarta
    quinta sexta
""")
_STREET = r"""\b(street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|highway|hwy|square|sq|
    terrace|crescent|close|parkway|circle|way|suite|apt|calle|c|cl|avda|av|avenida|plaza|paseo|ps|carretera|
    ctra|camino|ronda|carrer|placa|passeig|rue|chemin|route|rte|impasse|allee|quai|cours|place|strasse|str|weg|
    platz|gasse|allee|via|viale|piazza|corso|vicolo|rua|travessa|praca|alameda|rodovia|estrada)\b|
    \w{3,}(strasse|str|gasse|weg|platz)\b"""

_RANGE = re.compile(
    r"[<>≤≥]=?\s*[^\d\s]?\s*\d[\d.,]*\s*\w*"
    r"|[^\w\s]?\s*\d[\d.,]*\s*[^\w\s]?\s*[kKmM]?\s*(?:-|–|—|to|a|bis|à|e|i|y|/|thru|through)\s*[^\w\s]?\s*\d[\d.,]*\s*[^\w\s]?.*"
    r"|[^\w\s]?\s*\d[\d.,]*\s*[kKmM]?\s*(?:\+|or more|and over|and above|o mas|o más|y mas|y más|i més|et plus|ou plus|"
    r"und mehr|oder mehr|e piu|e più|ou mais|years?|ans|jahre|anni|anos|años|s)?\b.*"
    r"|(?:less|more|under|over|below|above|up) (?:than|to)? ?\W?\d.*|[\[(]\s*-?[\d.]+\s*[,;]\s*-?[\d.]+\s*[\])]",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")
#: A number that puts values in order: '1_low', '2) medium'.
_ORDER = re.compile(r"\d{1,2}[_.):] ?")
_CONTROL = _words("""
    control controls placebo treatment treated intervention kontrolle kontrollgruppe controllo temoin controle
    grupocontrol
""")
_NUMBER = re.compile(r"[-+−]?\s*[$€£¥]?\s*(\d{1,3}([.,' ]\d{3})+|\d+)([.,]\d+)?([eE][-+]?\d+)?\s*[%$€£¥]?")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([ T].*)?"
    r"|\d{1,2}[- ][^\W\d]{3,9}[- ]\d{2,4}|[^\W\d]{3,9}\.? \d{1,2},? \d{4}|[^\W\d]{3}[- ]\d{2,4}"
)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*([aApP]\.?[mM]\.?)?")
_POINT = re.compile(r"POINT ?Z? ?\(.*\)|\(?-?\d{1,2}\.\d{3,}\s*[,; ]\s*-?\d{1,3}\.\d{3,}\)?")
_ICD = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?")
_ATC = re.compile(r"[A-DGHJLMNPRSV]\d{2}([A-Z]([A-Z](\d{2})?)?)?")
_LOGIN = re.compile(r"[\w.-]+\\[\w.-]+|@\w+")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{16,}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_MONEY = re.compile(r".*([$€£¥]|\b(usd|eur|gbp|euros?|dollars?|pesos)\b).*", re.IGNORECASE)


def _search(pattern: str) -> Callable[[str], bool]:
    # Compiled when first asked: runs import this and seldom ask, and compiling all took longer than any other import.
    compiled = cache(lambda: re.compile(re.sub(r"\n\s*", "", pattern)))
    return lambda value: compiled().search(plain(value).replace("_", " ").replace("-", " ")) is not None


def _letters(value: str) -> str:
    return "".join(mark for mark in plain(value) if mark.isalnum())


def _is_country(value: str) -> bool:
    from antifaz.proposals.countries import country_codes, folded

    name = folded(value)
    return len(name) > 3 and name in country_codes()


def is_number(value: str) -> bool:
    """Say whether a text is a number as people write it: with a decimal comma, groups of digits, %, a currency."""
    return _NUMBER.fullmatch(value.strip()) is not None


_is_street = _search(_STREET)
#: Kinds by name.
KINDS: dict[str, Callable[[str], bool]] = {
    "sex": lambda value: _letters(value) in _SEXES,
    "country": _is_country,
    "marital": _search(_MARITAL),
    "schooling": _search(_SCHOOLING),
    "ethnic": _search(_ETHNIC),
    "job": _search(_JOB),
    "scale": _search(_SCALE),
    "clinical": _search(_CLINICAL),
    "yes-no": lambda value: _letters(value) in _YES_NO,
    "calendar": lambda value: all(word in _CALENDAR for word in plain(value).split()) and value.strip() != "",
    "street": lambda value: " " in value.strip() and _is_street(value),
    "number": is_number,
    "range": lambda value: not is_number(value) and _RANGE.fullmatch(_ORDER.sub("", value.strip())) is not None,
    "date": lambda value: _DATE.fullmatch(value.strip()) is not None,
    "clock": lambda value: _CLOCK.fullmatch(value.strip()) is not None,
    "point": lambda value: _POINT.fullmatch(value.strip()) is not None,
    "icd": lambda value: _ICD.fullmatch(value.strip().upper()) is not None,
    "atc": lambda value: _ATC.fullmatch(value.strip()) is not None and len(value.strip()) in (5, 7),
    "login": lambda value: _LOGIN.fullmatch(value.strip()) is not None,
    "hexadecimal": lambda value: _HEXADECIMAL.fullmatch(value.strip()) is not None,
    "money": lambda value: any(map(str.isdigit, value)) and _MONEY.fullmatch(value) is not None,
}


def is_missing(value: str | None) -> bool:
    """Say whether a cell is empty, holds nothing but marks, or a word for 'no value'."""
    return value is None or not any(map(str.isalnum, value)) or value.strip().casefold() in MISSING


def stands_besides(value: str) -> bool:
    """Say whether a value is 'other' or the like, which tells nothing of what the others are."""
    return plain(value).partition("(")[0].strip() in _BESIDES


def sexes(values: Iterable[str]) -> bool:
    """Say whether the values are sexes: all of them, and at least two that mean nothing else."""
    letters = {_letters(value) for value in values}
    return 2 <= len(letters) <= 6 and letters <= _SEXES and len(letters & _CORE_SEXES) >= 2


def times_of_day(numbers: Sequence[float]) -> bool:
    """Say whether whole numbers are hours and minutes written together: 5, 930, 2359."""
    return len(numbers) > 60 and numbers[-1] > 1800 and all(n % 100 < 60 and 0 <= n < 2400 for n in numbers)


def assigned(counts: Mapping[str, int]) -> bool:
    """Say whether values are the arms of an experiment: few, about equally frequent, one of them the control."""
    if not 2 <= len(counts) <= 6 or min(counts.values()) < 0.4 * max(counts.values()):
        return False
    return any(set(plain(value).replace("_", " ").split()) & _CONTROL for value in counts)


def whole_numbers(values: Sequence[str]) -> bool:
    """Say whether all are whole numbers: '31.0' is one, and '9,253,101' among others with groups of three digits."""
    grouped = [value for value in values if "," in value]
    if grouped:
        fits = all(_GROUPED.fullmatch(value.strip()) for value in grouped)
        return fits and any(value.count(",") > 1 for value in grouped) and all("." not in value for value in values)
    return all(value.strip().partition(".")[2].strip("0") == "" for value in values)
