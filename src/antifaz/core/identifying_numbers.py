"""Numbers that carry their own check, and phone numbers: which text is one, by python-stdnum and phonenumbers."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

#: The modules of python-stdnum that check a kind of number; an Uruguayan card, which it has not, is written like a RUT.
CHECKED_BY = {
    "iban": ("iban",), "card": ("luhn",), "ssn": ("us.ssn",), "dni": ("es.dni", "es.nie"), "rut": ("cl.rut", "uy"),
}  # fmt: skip
#: Kinds of numbers that have a check.
CHECKED = tuple(CHECKED_BY)
_NATIONAL = """
    ar.cuit at.vnr be.nn br.cpf ca.sin ch.ssn cn.ric cz.rc de.idnr dk.cpr do.cedula ec.ci fi.hetu fr.nir gb.nhs
    gr.amka hr.oib ie.pps in_.aadhaar it.codicefiscale kr.rrn mx.curp mx.rfc nl.bsn no.fodselsnummer pl.pesel pt.cc
    pt.nif ro.cnp se.personnummer tr.tckimlik za.idnr
"""
#: Numbers that other states give to people.
NATIONAL = tuple(_NATIONAL.split())
#: Countries whose people write phone numbers without their prefix.
REGIONS = ("US", "GB", "ES", "FR", "DE", "IT", "PT", "BR", "MX", "AR", "CO", "CL", "CH", "BE", "AT", "NL", "IN")
_ASCII = re.compile(r"[A-Za-z0-9 ./()+<-]+", re.ASCII)


def is_right(module: str, value: str) -> bool:
    """Say whether a text is a number that a module of python-stdnum knows, its check included."""
    return _check(module)(value)


def is_phone(value: str, region: str | None) -> bool:
    """Say whether a text is a phone number given out in a country; None for numbers with their prefix."""
    from phonenumbers import NumberParseException, is_valid_number, parse

    try:
        return bool(is_valid_number(parse(value, region)))
    except NumberParseException:
        return False


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
