"""What column names say: the words, in six languages, by which a column's role is recognized.

Words are written as `words_of` gives them: lower case, without accents. An underscore joins words that must follow
each other. Only whole words count: 'manage' does not say 'age', and 'valid' does not say 'id'.
"""

import re
import unicodedata


def vocabulary(text: str) -> frozenset[tuple[str, ...]]:
    """Return the entries of a text: words, or words that an underscore joins."""
    return frozenset(tuple(entry.split("_")) for entry in text.split())


#: These name a person, or reach one, by themselves.
IDENTIFIER = vocabulary("""
    dni nif nie nuss nss cip naf cpf nino nhs mrn ssn bsn iban bic uuid guid ip url mac_address
    passport pasaporte passaport passeport passaporte reisepass ausweis personalausweis ausweisnummer steuernummer
    social_security seguridad_social seguretat_social securite_sociale seguranca_social sozialversicherungsnummer
    national_insurance tax_number tax_id credit_card card_number tarjeta targeta carte_bancaire cartao kreditkarte
    account_number numero_cuenta numero_de_cuenta numero_compte numero_de_compte numero_conta kontonummer
    email emails mail correo courriel mailadresse phone phones telephone telefono telefonos telefon telefone telefones
    tel cellphone mobile movil mobil telemovel celular telefonnummer handynummer fax
    surname surnames lastname firstname fullname forename middlename familyname givenname nickname username login
    first_name last_name full_name given_name family_name middle_name maiden_name birth_name user_name
    apellido apellidos cognom cognoms apelido apelidos sobrenome prenom prenoms
    vorname nachname familienname geburtsname benutzername
    nombre_completo nom_complet nome_completo nom_famille nom_de_famille nom_usuari nombre_usuario nom_utilisateur
    address addresses direccion adreca adresse anschrift endereco morada domicilio domicili domicile
    street calle carrer rue rua strasse hausnummer
    license_plate licence_plate number_plate kennzeichen immatriculation driving_licence driver_license
    medical_record historia_clinica health_card tarjeta_sanitaria targeta_sanitaria carte_vitale signature
    cedula rut curp cuil cuit health_plan policy_number numero_poliza poliza polissa beneficiary_number
    license_number licence_number certificate_number carnet_conducir carnet_conduir numero_colegiado
    vin imei imsi device_id serial_number numero_serie numero_de_serie bastidor matricula_vehiculo
    fingerprint fingerprints biometric biometrics huella huellas empremta empremtes photo photos foto fotos fotografia
    firma signatura web website pagina_web
""")

#: These name a person where they stand alone or beside a word for a person; elsewhere a country, a product, a number.
NAME = vocabulary("name names nombre nombres nom noms nome nomes namen")

#: These number people wherever they stand alone or beside a word for a person.
ID = vocabulary("id ids identifier identificador identificateur identifiant identifikator kennung personalnummer")

#: These number people, records or shops; how many different numbers there are tells which.
NUMBER = vocabulary("""
    pk key clave clau cle chave schlussel schluessel index idx row rownames rowid rownum serial unnamed record
    expediente expedient dossier akte matricula matricule code codigo codi number num numero nummer nr ref
    reference referencia account cuenta compte conta konto
""")

PERSON = vocabulary("""
    person persona personne pessoa patient patients patiente patientin paciente pacient customer client clients cliente
    kunde kunden user usuario usuari utilisateur utilizador benutzer employee empleado empleat employe empregado
    funcionario mitarbeiter student students alumno alumna alumne estudiante estudiant eleve etudiant aluno estudante
    schuler schueler subject sujeto subjecte sujet participant participante teilnehmer member miembro membre membro
    mitglied citizen ciudadano ciutada citoyen cidadao burger buerger holder titular respondent voter worker teacher
    doctor mother father madre padre mare pare mere mae pai mutter vater
""")

#: What nobody should learn about a person.
SENSITIVE = vocabulary("""
    diagnosis diagnoses diagnostic diagnostico diagnose icd disease diseases illness enfermedad malaltia maladie doenca
    krankheit dolencia dolenca patologia pathology pathologie disorder syndrome sindrome symptom symptoms sintoma
    sintomas simptoma simptomes symptome condition medical health salud salut sante saude gesundheit treatment
    tratamiento tractament traitement tratamento behandlung therapy therapie terapia medication medicacion medicacio
    medicament medicamento medikament drug drugs droga drogue drogen allergy allergies alergia allergie surgery cirugia
    chirurgie cancer tumor tumour hiv vih aids sida covid diabetes blood pregnant pregnancy embarazo embaras grossesse
    gravidez schwanger schwangerschaft disability discapacidad discapacitat handicap deficiencia behinderung
    income incomes ingreso ingresos ingressos renta renda revenu revenus rendimento einkommen salary salaries salario
    salarios salari salaris sueldo sou salaire gehalt lohn wage wages earnings wealth patrimonio patrimoni vermogen
    vermoegen capital debt deuda deute dette divida schulden credit credito kredit loan prestamo prestec emprestimo
    balance saldo pension religion religio religiao religious creencia creencies croyance faith konfession glaube
    politics political politica politique partei partido partit ideology ideologia trade_union sindicato sindicat
    syndicat gewerkschaft orientation orientacion orientacio orientacao orientierung sexual sexuality sexualidad
    crime crimes delito delicte crimen straftat conviction criminal offence offense antecedentes vote voto vot
    grade grades nota notas calificacion qualificacio gpa
    mental psychiatric psiquiatria trastorno trastorn addiction adiccion addiccio suicide suicidio suicidi vacuna
    vaccine genetic genetics genetica genoma genome alcohol nomina mortgage hipoteca afiliacion afiliacio affiliation
    creencias condemna condena sentence denuncia violencia violence abuse maltrato maltractament
""")

#: How far somebody got at school.
EDUCATION = vocabulary("""
    education educacion educacio educacao bildung studies estudios estudis etudes estudos degree qualification
    titulacion titulacio schooling escolaridad escolaritat nivel_estudios nivell_estudis
""")

#: The name says that values are countries.
COUNTRY = vocabulary("""
    country countries pais paises paisos pays land nation nationality nacionalidad nacionalitat nationalite citizenship
    ciudadania ciutadania
""")

POSTCODE = vocabulary("""
    postcode postal zip zipcode plz postleitzahl cp codigopostal codpostal codipostal codepostal
""")

#: Harmless alone, known to neighbours and registers, identifying together.
QUASI_IDENTIFIER = POSTCODE | vocabulary("""
    age ages edad edat idade alter sex sexo sexe gender genero genere genre geschlecht
    birth birthdate birthday birthyear birthplace born dob yob nacimiento naixement naissance nascimento geburt
    geburtsdatum geburtsjahr geburtstag geburtsort fnac fecha_nac data_naix fechanacimiento datanaixement death
    city ciudad ciutat ville cidade stadt town municipality municipio municipi commune gemeinde poblacion poblacio
    localidad localitat localite localidade ort wohnort place lugar lloc lieu residence residencia wohnsitz district
    distrito districte barrio barri bairro quartier bezirk neighborhood neighbourhood county comarca province
    provincia departement region regio regiao state estado estat etat bundesland country countries pais paises pays
    land nation nationality nacionalidad nacionalitat nationalite nacionalidade nationalitat nationalitaet
    staatsangehorigkeit staatsangehoerigkeit citizenship ciudadania latitude longitude lat lon location ubicacion
    education educacion educacio educacao bildung studies estudios estudis etudes estudos school escuela escola ecole
    schule degree qualification titulacion marital civil matrimonial married familienstand relationship
    occupation ocupacion ocupacio ocupacao profession profesion professio profissao beruf job trabajo treball travail
    trabalho arbeit employment empleo emprego workclass race races raza raca rasse ethnicity ethnic etnia ethnie
    herkunft origin origen origine origem language idioma llengua lengua langue lingua sprache
    height altura alcada taille grosse groesse weight peso pes poids gewicht
    children hijos fills enfants filhos kinder household hogar llar menage haushalt
""")

#: Words that say nothing.
_LITTLE = vocabulary("a of the de del da do d des du la le les el los l der die das y i et e und c")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "·": None})


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column's name: split at marks, digits and camelCase, lower case, without accents."""
    apart = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    plain = "".join(character for character in apart if not unicodedata.combining(character))
    return tuple(part for word in _WORD.findall(plain) for part in _unglued(word.casefold()))


def _unglued(word: str) -> tuple[str, ...]:
    """Split 'patientid' and 'idcliente', which people write as one word."""
    if (word.removesuffix("id"),) in PERSON and word.endswith("id"):
        return word.removesuffix("id"), "id"
    if (word.removeprefix("id"),) in PERSON and word.startswith("id"):
        return "id", word.removeprefix("id")
    return (word,)


def find_entry(words: tuple[str, ...], entries: frozenset[tuple[str, ...]]) -> str | None:
    """Return the first entry of the vocabulary that the words contain, longer entries first."""
    for length in (3, 2, 1):
        for start in range(len(words) - length + 1):
            if words[start : start + length] in entries:
                return " ".join(words[start : start + length])
    return None


def without(words: tuple[str, ...], entries: frozenset[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that say something and are not in the vocabulary."""
    return tuple(word for word in words if (word,) not in _LITTLE | entries)
