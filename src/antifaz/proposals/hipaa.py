"""HIPAA's eighteen identifiers (45 CFR 164.514(b)(2)(i), A to R), and the words in column names that point to each."""

from antifaz.proposals.names import name_words
from antifaz.proposals.words import find_entry, vocabulary

#: The rule's list in its order, by the key of its words in the report. Words are in English, Spanish and Catalan.
IDENTIFIERS = {
    "names": vocabulary("""
        name names surname surnames forename firstname lastname fullname first_name last_name full_name
        nombre nombres apellido apellidos nom noms cognom cognoms
    """),
    "places": vocabulary("""
        address addresses street city town county district postcode postal zip zipcode parish municipality lat lon
        latitude longitude direccion calle ciudad municipio domicilio cp adreca carrer ciutat municipi comarca domicili
    """),
    "dates": vocabulary("""
        birth birthday birthdate dob date admission discharge death age fecha nacimiento edad data naixement edat
        ingreso alta
    """),
    "telephone": vocabulary("""
        phone phones telephone mobile cellphone tel telefono telefonos telefon movil mobil celular
    """),
    "fax": vocabulary("fax"),
    "email": vocabulary("email emails mail correo correu courriel mailadresse"),
    "social_security": vocabulary("""
        ssn nuss nss social socialsecurity social_security seguridad_social seguretat_social
    """),
    "medical_record": vocabulary("mrn patient record medical_record historia historia_clinica nhc"),
    "health_plan": vocabulary("""
        plan insurance beneficiary health_plan health_card policy_number beneficiary_number tarjeta_sanitaria
        targeta_sanitaria cip nhs
    """),
    "account": vocabulary("""
        account iban bank cuenta compte account_number numero_cuenta numero_de_cuenta numero_compte credit_card
        card_number tarjeta
    """),
    "licence": vocabulary("""
        licence license certificate passport pasaporte dni nie nif id idnumber nationalid ident license_number
        licence_number certificate_number driver_license driving_licence
    """),
    "vehicle": vocabulary("""
        vehicle plate vin license_plate licence_plate number_plate bastidor matricula matricula_vehiculo
    """),
    "device": vocabulary("""
        device imei imsi serial mac device_id serial_number mac_address numero_serie numero_de_serie
    """),
    "web": vocabulary("url web website homepage pagina_web"),
    "internet": vocabulary("ip ipaddress"),
    "biometric": vocabulary("""
        fingerprint fingerprints biometric biometrics voice iris retina huella huellas empremta empremtes
    """),
    "photograph": vocabulary("photo photos photograph picture face image foto fotos fotografia"),
    "other": vocabulary("uid uuid guid code key number num user username"),
}
#: Words that many columns have are asked last: an e-mail address is no place, a patient's age no record.
_COMMON = ("licence", "names", "places", "dates", "medical_record", "health_plan", "other")
_IN_TURN = (*(key for key in IDENTIFIERS if key not in _COMMON), *_COMMON)


def hipaa_identifier(column: str) -> str | None:
    """Return which of the eighteen a column's name points to, by its key; None where it points to none.

    Of several, the one that says most words of the name wins: a licence plate is a vehicle's.
    """
    words = name_words(column)
    matches = {key: phrase for key in _IN_TURN if (phrase := find_entry(words, IDENTIFIERS[key])) is not None}
    return max(matches, key=lambda key: len(matches[key].split()), default=None)


def hipaa_number(column: str) -> int | None:
    """Return the place of that identifier in the rule's list, A to R as 1 to 18."""
    key = hipaa_identifier(column)
    return None if key is None else list(IDENTIFIERS).index(key) + 1
