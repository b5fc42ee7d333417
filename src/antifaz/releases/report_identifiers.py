"""HIPAA's eighteen identifiers (45 CFR 164.514(b)(2)), looked for in the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

#: What the rule lists, and words in a column's name that point to it (in English, Spanish and Catalan).
IDENTIFIERS: tuple[tuple[str, str], ...] = (
    ("Names", "name surname forename firstname lastname nombre apellido apellidos nom cognom"),
    (
        "Places smaller than a state",
        "address street city town county district postcode postal zip zipcode parish municipality lat lon latitude "
        "longitude direccion calle ciudad municipio cp",
    ),
    (
        "Dates of a person (but the year), ages over 89",
        "birth birthday birthdate dob date admission discharge death age fecha nacimiento edad",
    ),
    ("Telephone numbers", "phone telephone mobile tel telefono movil"),
    ("Fax numbers", "fax"),
    ("E-mail addresses", "email mail correo"),
    ("Social security numbers", "ssn nss socialsecurity social"),
    ("Medical record numbers", "mrn patient record historia nhc"),
    ("Health plan numbers", "plan insurance beneficiary cip nhs"),
    ("Account numbers", "account iban bank cuenta"),
    (
        "Certificate and licence numbers",
        "licence license certificate passport dni nie nif id idnumber nationalid ident",
    ),
    ("Vehicle numbers and plates", "vehicle plate vin matricula"),
    ("Device numbers", "device imei serial imsi mac"),
    ("Web addresses", "url web website homepage"),
    ("Internet addresses (IP)", "ip ipaddress"),
    ("Biometrics", "fingerprint biometric voice iris retina"),
    ("Photographs of the face", "photo photograph picture face image foto"),
    ("Any other unique number or code", "uid uuid guid code key number num user username"),
)


@dataclass
class Found:
    """One of the eighteen, and the columns whose names point to it."""

    identifier: str
    removed: list[str] = field(default_factory=list)
    released: list[str] = field(default_factory=list)


def checklist(attributes: Iterable[dict[str, Any]], released: Sequence[str] | None = None) -> list[Found]:
    """Return all eighteen with the columns that by their name look like one, each column at the first that fits.

    `released` are the columns of the released file, where known; else every column but the identifiers counts.
    """
    found = [Found(label) for label, _ in IDENTIFIERS]
    for attribute in attributes:
        column = str(attribute.get("name", ""))
        place = _place(column)
        if place is None:
            continue
        out = attribute.get("role") == "identifier" if released is None else column not in released
        (found[place].removed if out else found[place].released).append(column)
    return found


def _place(column: str) -> int | None:
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column).lower()))
    # Numbers of a certain kind (a phone's, an account's) before "any other number": the list's own order does that.
    return next((i for i, (_, hints) in enumerate(IDENTIFIERS) if words & set(hints.split())), None)
