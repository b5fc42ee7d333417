"""What values are, worked out from them alone: numbers that carry their own check, and names of people.

Names are recognized by the given names in them: the frequent ones of English, Spanish, Catalan and others. A list knows
the frequent names of some countries and no others. Names that are as often something else (months, states, towns,
words) are left out.
"""

import re
from collections.abc import Callable, Iterable

from antifaz.proposals.words import words_of

_MARKS = re.compile(r"[\s./-]")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def share_right(pattern: str, values: Iterable[str]) -> float | None:
    """Return the share of the values whose check is right; None where that kind of number has none."""
    check = CHECKS.get(pattern)
    if check is None:
        return None
    answers = [check(_MARKS.sub("", value).upper()) for value in values]
    return sum(answers) / len(answers) if answers else None


def iban(text: str) -> bool:
    """ISO 13616: the country and its check digits put last, letters as 10 to 35, leave 1 modulo 97."""
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", text):
        return False
    return int("".join(str(int(mark, 36)) for mark in text[4:] + text[:4])) % 97 == 1


def dni(text: str) -> bool:
    """Spanish DNI and NIE: the letter follows from the number modulo 23; X, Y, Z stand for 0, 1, 2."""
    if not re.fullmatch(r"[0-9XYZ][0-9]{7}[A-Z]", text):
        return False
    number = int(text[:-1].translate(str.maketrans("XYZ", "012")))
    return _DNI_LETTERS[number % 23] == text[-1]


def rut(text: str) -> bool:
    """Chilean RUT: digits from the right times 2 to 7, over and over, and the check digit modulo 11; K is ten."""
    if not re.fullmatch(r"[0-9]{6,9}[0-9K]", text):
        return False
    total = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(text[:-1])))
    return "0123456789K"[-total % 11] == text[-1]


def cedula(text: str) -> bool:
    """Uruguayan identity card: seven digits times 2, 9, 8, 7, 6, 3, 4, and the check digit modulo 10."""
    if not re.fullmatch(r"[0-9]{7,8}", text):
        return False
    digits = [int(digit) for digit in text.zfill(8)]
    return sum(a * b for a, b in zip(digits, (2, 9, 8, 7, 6, 3, 4, 1), strict=True)) % 10 == 0


def luhn(text: str) -> bool:
    """Payment cards (ISO 7812): every second digit from the right doubled, digits added up, a multiple of ten."""
    if not re.fullmatch(r"[0-9]{13,19}", text):
        return False
    return sum(sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(reversed(text))) % 10 == 0


def ssn(text: str) -> bool:
    """US social security numbers have no check digit; some ranges are never given out."""
    return bool(re.fullmatch(r"[0-8][0-9]{8}", text)) and not (
        text[:3] in ("000", "666") or text[3:5] == "00" or text[5:] == "0000"
    )


#: RUT and cédula are written alike.
CHECKS: dict[str, Callable[[str], bool]] = {
    "iban": iban, "dni": dni, "rut": lambda text: rut(text) or cedula(text), "card": luhn, "ssn": ssn,
}  # fmt: skip

#: Written without accents, in lower case.
_FREQUENT = """
    aaron adam adrian adriana agnieszka agustin ahmed aisha alain albert alberto alejandro alessandra alessandro
    alexander alfonso ali alice alicia alvaro amanda amber amelie amina amparo amy ana anders andrea andreas andres
    andrew angela anil anja ann anna anthony antoine antonia antonio ariadna armando arnau arthur arturo ashley
    assumpta astrid aurelie barbara beatriz benjamin bernat berta betty beverly birgit bjorn brandon brenda brian
    brigitte brittany bruce bruno camila camille carl carlos carmen carol carolyn catalina catarina catherine celine
    cesar charles charlotte cheryl chiara chloe christian christina christine christophe christopher claire claudia
    consuelo cristina cynthia daniel daniela danielle david deborah debra denise dennis diana diane diego dieter
    dmitri dolores domingo donald donna doris dorothy douglas eduardo edward elena elijah elisa elizabeth ellen elodie
    eloi emilio emily emma encarna enric enrique eric erik ernesto esteban ethan eudald evelyn fabio fatima federica
    felix fernanda fernando ferran finn frances francesc francesca francisca francisco francoise frank friedrich
    gabriel gabriela gary gemma george gerald gerard giovanni gisela giulia giuseppe gloria goncalo gonzalo gregory
    guillaume guillem guillermo gustavo hannah hannelore hans harold hassan heather hector heike heinz helen helga
    henry hiroshi hugo ibrahim ignacio ines ingrid irene irina isabel isabella isabelle ivan jack jacob jacqueline
    jaime james jana janet janice jason jaume javier jean jeffrey jennifer jeremy jerry jessica jesus joan joana joao
    joaquin john jonas jonathan jordi jorge jose josefa josep joseph joshua joyce juan juana judit judith judy jules
    julia julian juliana julie julien jurgen justin karen karl katarzyna katherine kathleen kathryn katrin keith kelly
    kenneth kevin khadija kimberly klaus krzysztof kyle laia larissa larry lars laura lauren laurent lawrence lea leo
    leonardo leonor liam linda lisa lluis logan lorena lorenzo louis luca lucas lucia luciana lucy luis luisa luiz
    lukas malgorzata manfred manon manuel marc marco marcos margalida margaret margarita margaux maria mariana marie
    marilyn mario markus marta martha martin martine mary mason mateo matilde matteo matthew matthias mauricio megan
    melissa merce mercedes meritxell michael michel michelle miguel ming miquel mireia mohamed mohammed monica monika
    montserrat muhammad nancy natalia natalie nathalie nathan neus nicholas nicolas nicole nils noah noelia nuno nuria
    olga oliver olivia olivier omar ona oriol oscar pablo pamela patricia patrick pau paul paula paulo pawel pedro
    pere peter petra philip philippe pierre pilar piotr pol priya queralt quim rachel rafael rahul ramon raquel raul
    raymond rebecca renate ricardo richard rita robert roberto rodrigo roger ronald rosario roser ruben rui ruth ryan
    sabine salvador samantha samuel sandra sandrine sara sarah scott sean sebastien sergei sergi sergio sharon shirley
    silvia simon sofia sonia sophia sophie stefan stephanie stephen steven sunita susan susana sven svetlana sylvie
    tatiana teresa terry theresa thierry thomas tiago timothy tomasz tyler ulrich ursula uwe valentina valerie
    veronica vicente vitor vitoria walter wei william wolfgang xavier ximena yolanda youssef yuki zachary zoe
"""
GIVEN = frozenset(_FREQUENT.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


def share_of_people(values: Iterable[str | None]) -> float:
    """Return the share of the values present that read as a person's name."""
    present = [value for value in values if value]
    return sum(map(_is_person, present)) / len(present) if present else 0.0


def _is_person(value: str) -> bool:
    """A given name in front, or behind a comma; up to six words and nothing else."""
    last, comma, first = value.partition(",")
    words = (first if comma else last).split()
    every = value.replace(",", " ").split()
    if not words or len(every) > 6 or not all(_WORD.fullmatch(word) for word in every):
        return False
    return bool(set(words_of(words[0])[:1]) & GIVEN)
