"""HIPAA's eighteen identifiers (45 CFR 164.514(b)(2)), looked for in the names of the columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

#: What the rule lists, by the key of its words, and words in a column's name that point to it (in English, Spanish and
#: Catalan).
IDENTIFIERS: tuple[tuple[str, str], ...] = (
    ("names", "name surname forename firstname lastname nombre apellido apellidos nom cognom cognoms"),
    (
        "places",
        "address street city town county district postcode postal zip zipcode parish municipality lat lon latitude "
        "longitude direccion calle ciudad municipio cp adreca carrer ciutat municipi comarca",
    ),
    (
        "dates",
        "birth birthday birthdate dob date admission discharge death age fecha nacimiento edad data naixement edat "
        "ingreso alta",
    ),
    ("telephone", "phone telephone mobile tel telefono movil telefon mobil"),
    ("fax", "fax"),
    ("email", "email mail correo correu"),
    ("social_security", "ssn nss socialsecurity social"),
    ("medical_record", "mrn patient record historia nhc"),
    ("health_plan", "plan insurance beneficiary cip nhs"),
    ("account", "account iban bank cuenta compte"),
    (
        "licence",
        "licence license certificate passport dni nie nif id idnumber nationalid ident",
    ),
    ("vehicle", "vehicle plate vin matricula"),
    ("device", "device imei serial imsi mac"),
    ("web", "url web website homepage"),
    ("internet", "ip ipaddress"),
    ("biometric", "fingerprint biometric voice iris retina"),
    ("photograph", "photo photograph picture face image foto"),
    ("other", "uid uuid guid code key number num user username"),
)


@dataclass
class Found:
    """One of the eighteen by its key, and the columns whose names point to it."""

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
    plain = "".join(c for c in unicodedata.normalize("NFKD", column) if not unicodedata.combining(c))
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower()))
    # Numbers of a certain kind (a phone's, an account's) before "any other number": the list's own order does that.
    return next((i for i, (_, hints) in enumerate(IDENTIFIERS) if words & set(hints.split())), None)
