"""What values are, worked out from them alone: numbers that carry their own check, phone numbers, names of people.

Check digits are those of python-stdnum, phone numbers those that phonenumbers knows to be given out.

Names are recognized by the given names in them: the frequent ones of English, Spanish, Catalan and others. A list knows
the frequent names of some countries and no others. Names that are as often something else (months, states, towns,
words) are left out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module

from antifaz.core.profile import FORMS
from antifaz.datasets.people_names import CULTURES, words
from antifaz.proposals.value_kinds import KINDS
from antifaz.proposals.words import plain, words_of

#: The modules of python-stdnum that check a kind of number; an Uruguayan card, which it has not, is written like a RUT.
_CHECKED_BY = {
    "iban": ("iban",), "card": ("luhn",), "ssn": ("us.ssn",), "dni": ("es.dni", "es.nie"), "rut": ("cl.rut", "uy"),
}  # fmt: skip
#: Kinds of numbers that have a check.
CHECKED = tuple(_CHECKED_BY)
#: Numbers that other states give to people.
_NATIONAL = """
    ar.cuit at.vnr be.nn br.cpf ca.sin ch.ssn cn.ric cz.rc de.idnr dk.cpr do.cedula ec.ci fi.hetu fr.nir gb.nhs
    gr.amka hr.oib ie.pps in_.aadhaar it.codicefiscale kr.rrn mx.curp mx.rfc nl.bsn no.fodselsnummer pl.pesel pt.cc
    pt.nif ro.cnp se.personnummer tr.tckimlik za.idnr
"""
#: Values tried before all are: a column of something else is soon known.
_FIRST = 20
#: Countries whose people write phone numbers without their prefix.
_REGIONS = ("US", "GB", "ES", "FR", "DE", "IT", "PT", "BR", "MX", "AR", "CO", "CL", "CH", "BE", "AT", "NL", "IN")
#: A number with decimals has the digits of a phone, and its one mark.
_DECIMAL = re.compile(r"[0-9]+[.][0-9]+")
_ASCII = re.compile(r"[A-Za-z0-9 ./()+<-]+", re.ASCII)
#: Chance lets a tenth of all numbers pass a check digit; of one kind nearly all must.
_NEARLY_ALL = 0.9

#: Forms whose values reach one person or device, and nothing else has.
_REACHING = ("email", "iban", "dni", "rut", "ssn", "card", "mac", "ip", "url")
#: So many different values, and this share of a form, make a column of that form; half, of names of people.
_SEVERAL, _MOST, _HALF = 5, 0.8, 0.5
#: Different values that are parsed as phone numbers.
_PARSED = 300


def reaches_people(values: Sequence[str]) -> str | None:
    """Return the form of different values that reach people whatever their column is called, or None."""
    if len(values) < _SEVERAL:
        return None
    for name in _REACHING:
        if sum(FORMS[name].fullmatch(value.strip()) is not None for value in values) < _MOST * len(values):
            continue
        if name not in CHECKED or (share_right(name, values) or 0) >= _HALF:
            return name
    if min(map(len, values)) >= 8 and len(values) >= _FIRST and national_id(values):
        return "national-id"
    if _are_phones(values[:_PARSED]):
        return "phone"
    return "name" if share_of_people(values) >= _HALF else None


def _are_phones(values: Sequence[str]) -> bool:
    """Say whether values are phone numbers: written with marks, or so many plain ones that chance makes none."""
    texts = [value.strip() for value in values]
    fitting = [text for text in texts if FORMS["phone"].fullmatch(text) and not _DECIMAL.fullmatch(text)]
    if sum(not KINDS["date"](text) for text in fitting) < _MOST * len(texts):
        return False
    plain_ones = sum(map(str.isdigit, texts)) > len(texts) / 2
    if plain_ones and (len(texts) < _FIRST or min(map(len, texts)) < 9):
        return False
    return share_of_phones(texts) >= (_NEARLY_ALL if plain_ones else _MOST)


def share_right(kind: str, values: Sequence[str]) -> float | None:
    """Return the share of the values whose check is right; None where that kind of number has none."""
    if kind not in _CHECKED_BY or not values:
        return None
    checks = [_check(module) for module in _CHECKED_BY[kind]]
    return sum(any(check(value) for check in checks) for value in values) / len(values)


def national_id(values: Sequence[str]) -> bool:
    """Say whether nearly all values are numbers that one state gives to people, by their check digits."""
    return any(
        _share(module, values[:_FIRST]) >= _NEARLY_ALL and _share(module, values) >= _NEARLY_ALL
        for module in _NATIONAL.split()
    )


def share_of_phones(values: Sequence[str]) -> float:
    """Return the share of the values that are phone numbers given out in one country, or with their prefix."""
    from phonenumbers import NumberParseException, is_valid_number, parse

    def valid(value: str, region: str | None) -> bool:
        try:
            return is_valid_number(parse(value, region))
        except NumberParseException:
            return False

    if not values:
        return 0.0
    some = values[:_FIRST]
    fitting = max((None, *_REGIONS), key=lambda region: sum(valid(value, region) for value in some))
    return sum(valid(value, fitting) for value in values) / len(values)


def _share(module: str, values: Sequence[str]) -> float:
    return sum(map(_check(module), values)) / len(values) if values else 0.0


@cache
def _check(module: str) -> Callable[[str], bool]:
    is_valid = _cedula if module == "uy" else import_module(f"stdnum.{module}").is_valid
    # Digits of other scripts are no part of these numbers; short numbers pass the sum of cards.
    shortest = 13 if module == "luhn" else 7

    def check(value: str) -> bool:
        bare = re.sub(r"[\s-]", "", value) if module == "luhn" else value.strip()
        return bool(_ASCII.fullmatch(bare)) and len(bare) >= shortest and bool(is_valid(bare))

    return check


def _cedula(text: str) -> bool:
    """Uruguayan identity card: seven digits times 2, 9, 8, 7, 6, 3, 4, and the check digit modulo 10."""
    digits = re.sub(r"[.\s-]", "", text)
    if not re.fullmatch(r"[0-9]{7,8}", digits):
        return False
    pairs = zip(map(int, digits.zfill(8)), (2, 9, 8, 7, 6, 3, 4, 1), strict=True)
    return sum(a * b for a, b in pairs) % 10 == 0


#: Written without accents, in lower case.
_FREQUENT = """
    aaron adam adrian adriana agnieszka agustin ahmed aisha alain albert alberto alejandro alessandra alessandro
    alexander alfonso ali alice alicia alvaro amanda amber amelie amina amparo amy ana anders andrea andreas andres
    andrew angela anil anja ann anna anthony antoine antonia antonio ariadna armando arnau arthur arturo ashley
    assumpta astrid aurelie barbara beatriz benjamin bernat berta betty beverly birgit bjorn brandon brenda brian
    brigitte brittany bruce bruno camila camille carl carlos carmen carol carolyn catalina catarina catherine celine
    cesar charles charlotte cheryl chiara chloe christian christina christine christophe christopher claire claudia
    consuelo cristina cynthia daniel daniela danielle david deborah debra denise dennis diana diane diego dieter
    dmitri dolores domingo donald donna doris dorothy douglas eduardo edward elena elijah elisa elizabeth ellen
    elodie eloi emilio emily emma encarna enric enrique eric erik ernesto esteban ethan eudald evelyn fabio fatima
    federica felix fernanda fernando ferran finn frances francesc francesca francisca francisco francoise frank
    friedrich gabriel gabriela gary gemma george gerald gerard giovanni gisela giulia giuseppe gloria goncalo
    gonzalo gregory guillaume guillem guillermo gustavo hannah hannelore hans harold hassan heather hector heike
    heinz helen helga henry hiroshi hugo ibrahim ignacio ines ingrid irene irina isabel isabella isabelle ivan jack
    jacob jacqueline jaime james jana janet janice jason jaume javier jean jeffrey jennifer jeremy jerry jessica
    jesus joan joana joao joaquin john jonas jonathan jordi jorge jose josefa josep joseph joshua joyce juan juana
    judit judith judy jules julia julian juliana julie julien jurgen justin karen karl katarzyna katherine kathleen
    kathryn katrin keith kelly kenneth kevin khadija kimberly klaus krzysztof kyle laia larissa larry lars laura
    lauren laurent lawrence lea leo leonardo leonor liam linda lisa lluis logan lorena lorenzo louis luca lucas
    lucia luciana lucy luis luisa luiz lukas malgorzata manfred manon manuel marc marco marcos margalida margaret
    margarita margaux maria mariana marie marilyn mario markus marta martha martin martine mary mason mateo matilde
    matteo matthew matthias mauricio megan melissa merce mercedes meritxell michael michel michelle miguel ming
    miquel mireia mohamed mohammed monica monika montserrat muhammad nancy natalia natalie nathalie nathan neus
    nicholas nicolas nicole nils noah noelia nuno nuria olga oliver olivia olivier omar ona oriol oscar pablo pamela
    patricia patrick pau paul paula paulo pawel pedro pere peter petra philip philippe pierre pilar piotr pol priya
    queralt quim rachel rafael rahul ramon raquel raul raymond rebecca renate ricardo richard rita robert roberto
    rodrigo roger ronald rosario roser ruben rui ruth ryan sabine salvador samantha samuel sandra sandrine sara
    sarah scott sean sebastien sergei sergi sergio sharon shirley silvia simon sofia sonia sophia sophie stefan
    stephanie stephen steven sunita susan susana sven svetlana sylvie tatiana teresa terry theresa thierry thomas
    tiago timothy tomasz tyler ulrich ursula uwe valentina valerie veronica vicente vitor vitoria walter wei william
    wolfgang xavier ximena yolanda youssef yuki zachary zoe
"""
GIVEN = frozenset(_FREQUENT.split()) | {
    plain(name) for women, men, _ in CULTURES.values() for name in (*words(women), *words(men)) if len(name) > 3
}
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


def share_of_people(values: Iterable[str | None]) -> float:
    """Return the share of the values present that read as a person's name."""
    present = [value for value in values if value]
    return sum(map(_is_person, present)) / len(present) if present else 0.0


def _is_person(value: str) -> bool:
    """A given name in front, or behind a comma; up to six words and nothing else."""
    last, comma, first = value.partition(",")
    given = (first if comma else last).split()
    every = value.replace(",", " ").split()
    if not given or len(every) > 6 or not all(_WORD.fullmatch(word) for word in every):
        return False
    return bool(set(words_of(given[0])[:1]) & GIVEN)
