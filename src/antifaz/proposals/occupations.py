"""Titles of occupations in seven languages, and the major group of ISCO-08 that each belongs to.

A title is known by how its words begin, without accents and in lower case, so that 'enfermera' and 'enfermero', 'cook'
and 'cooks' are the same. Groups are asked in turn: a sales manager is a manager, and a database administrator no clerk.
"""

import re
from functools import cache

from antifaz.proposals.classifications import MAJOR_GROUPS
from antifaz.proposals.words import plain, vocabulary

#: The name says that values are titles of occupations.
TITLES = vocabulary("""
    occupation occupations ocupacion ocupaciones ocupacio ocupacao occupazione profession professions profesion
    professio profissao professione beruf job jobs jobtitle title titulo trabajo treball travail trabalho lavoro puesto
    poste cargo posto position mjob fjob metier oficio ofici mestiere
""")
#: Who has no occupation.
NOT_WORKING = "Not in work"
#: Beginnings of words, or of words that follow each other (joined by an underscore), by the digit of the major group.
_BEGINNINGS = (
    (NOT_WORKING, """
        student pupil estudiante estudiant etudiant studente aluno alumn schuler retir jubilad jubilat retrait
        rentner pension reformad aposentad unemploy desemplead desocupad parado atur aturat chom arbeitslos
        disoccupat desempregad inactiv inactif housewife househusband homemaker at_home ama_de_casa mestressa
        femme_au_foyer hausfrau casalinga dona_de_casa dono_de_casa no_trabaja not_working sans_emploi
        sin_empleo
    """),
    ("0", """
        armed_forces military soldier militar soldat soldad soldato esercito ejercito army navy marine_corps air_force
        officer_cadet sargento sergeant sergent
    """),
    ("1", """
        manag director directeur directrice direttor diretor direktor head_of owner propietari titolare lead_
        leader teamlead chief ceo_ cto_ cfo_ coo_ cio_ executive president vice_president gerent jefe jefa cap_de
        chef_de_service chef_d_entreprise leiter abteilungsl geschaftsfuhr dirigent directiv entrepreneur
        empresari imprenditor unternehmer patron team_lead legislat ministr mayor_ alcald principal_of
        superintendent administrateur_delegue cadre_superieur
    """),
    ("9", """
        clean limpiador limpieza netej nettoy putz reinigungs reiniger pulizi addett_alle_pulizie faxin
        empregada_domestica domestic housemaid maid household_worker labourer laborer farm_work farm_labor farm_labour
        peon peo_ jornaler manoeuvre hilfsarbeit bracciante manovale servente helper kitchen_help
        ayudante_de_cocina pinche dishwash street_vend rubbish garbage basur porter_ doorm elementary
        operarios_no_cualificados ouvrier_non_qualifie cadete mozo mosso personal_domestico empleada_domestica
        emplead_de_hogar gardiennage hand_pack
    """),
    ("5", """
        nursing_assist nursing_aide nurse_aide care_work care_assist carer caregiver childcare cuidador
        auxiliar_de_enferm auxiliar_de_geriatr aide_soignant aide_a_domicile altenpflegehelf teacher_aide
        teaching_assist shop_assist sales_assist
    """),
    ("2", """
        professional_ engineer ingenier enginyer ingenieur ingegner engenheir scientist cientific scientifique
        wissenschaft scienziat research investigador chercheur forscher ricercator pesquisador physician doctor
        medic_ medica_ metge medecin medico_ arzt arztin surgeon cirujan chirurg dentist odontolog zahnarzt veterinar
        pharmacist farmaceut pharmacien apotheker nurse nursing enfermer infermer infirmier infermier krankenschwester
        pflegefachkraft midwif matron sage_femme hebamme ostetric psycholog psicolog psychologue physiotherap
        fisioterap therapist teach maestr mestre docent professor profesor profesora professeur professore
        lehrer lehrkraft insegnant instituteur educador educator lawyer attorney abogad advocat avocat avvocat
        anwalt rechtsanwalt advogad judge juez jutge juge richter giudice notar architect arquitect architekt
        architett economist lecturer account contador contable comptable wirtschaftspruf commercialista auditor
        analyst analista analyste analyt developer desarrollador desenvolupador developpeur entwickler
        sviluppator desenvolvedor programador programm software informatic informaticien data_ dba_ sysadmin
        system_admin systems_admin database_admin network_admin devops sre_ consult berater asesor designer
        disenador dissenyador designeur diseno grafic journalist periodist journalista redakteur giornalist
        writer escritor editor translat traductor ubersetzer traduttor interpret artist artista musician music
        actor actress librar bibliotec social_work trabajador_social assistente_social travailleur_social
        sozialarbeiter priest clergy statistic biolog chemist quimic chimist physicist geolog mathemat
        profession_liberale profession_intellectuelle freier_beruf qa_ quality_assur tester ux_ scrum agile_coach
        pedagog prof_ specialist especialist spezialist marketing recruit banker linguist systemadmin
        human_resources
    """),
    ("4", """
        cleric clerk secretar secretaire sekretar segretar administrati administrativ admin adm receptionist
        recepcion rezeption bookkeep data_entry typist office_ buroangestellt sachbearbeit employe_de_bureau
        employe_administratif impiegat oficinist auxiliar_admin ausiliario_admin cashier_bank teller bank_clerk
        postal mail_carrier cartero facteur brieftrager call_cent customer_serv atencion_al kundendienst
        back_office escrituario assistant asistente assistente auxiliar ausiliari
    """),
    ("3", """
        technic tecnic technik tecnico support soporte suport supervis contremaitre foreman maitrise inspector
        inspecteur broker agent_ agente_ insurance_ sales_rep representante comercial vendedor_tecnico vertriebs
        buyer paraleg medical_assist laborator laborant hygienist paramedic optician pilot piloto pilote captain
        athlete deportist sportler trainer entrenador coach chef_ chef_de_cuisine photograph fotograf
        cadre_moyen profession_intermediaire associate_prof medico_tecnic helpdesk help_desk
    """),
    ("6", """
        farm agricult agricol agriculteur landwirt bauer bauerin contadin fisher fishing pescad pecheur fischer
        pescator forest silvicult gardener jardiner gartner giardinier ganader ramader eleveur allevator
        exploitant_agricole cultivat hunter
    """),
    ("8", """
        driver drivers conductor conducteur chofer chauffeur fahrer autista motorist taxi truck camioner
        camionner camionista lkw operative operator operador operateur maschinen machine assembl montador
        monteur_de transport factory_work mov_transport ouvrier_specialise ferroviar tractor forklift crane
    """),
    ("7", """
        craft artesan artisan handwerk artigian artesao mechanic mecanic mecanicien mechaniker meccanic electric
        elektriker elettricist plumb fontaner lampist plombier klempner idraulic encanador carpent fuster
        charpentier menuisier tischler zimmermann falegnam marceneir mason albanil paleta macon maurer murator
        pedreir pedreiro painter pintor maler_ peintre_en_batiment imbianchin builder weld soldador soudeur schweiss
        saldator construct bauarbeit tailor sastre sastr couturi schneider_ sart baker panader forner boulanger
        backer_ fornai padeir butcher carnicer boucher metzger macellai acougueir repair skilled_work
        ouvrier_qualifie facharbeit operaio_special cabinet printer impresor
    """),
    ("5", """
        sales_ sell ventas venta_ vendedor venedor vendeur verkauf commess vendit shop store dependient
        commercant comerciant commerciant negoziante employe_de_commerce cajer caixer caissier kassier cassier
        cashier wait camarer cambrer serveur kellner camerier garcom cook cociner cuiner cuisinier koch_ beikoch
        cuoc cozinheir bartend barman barbero barber hairdress peluquer perruquer coiffeur friseur parrucchier
        cabeleireir beautic police policia polici polizei polizia fire_fight firefight bomber pompier feuerwehr
        guard vigilant guardia security_guard prison service servicio servei dienstleistung personnel_de_service
        hostess steward flight_attend travel_guide protective protect_serv serv caretak conserje concierge
        hausmeister portinai
    """),
)  # fmt: skip
#: The major groups that the International Labour Organization puts together where tables are short.
_BROAD = {
    "Managers, professionals and technicians": "123", "Clerical, service and sales workers": "45",
    "Skilled agricultural and trades workers": "67", "Machine operators and elementary occupations": "89",
}  # fmt: skip
#: What each group of `occupation_group` belongs to.
BROAD = {f"{digit} {MAJOR_GROUPS[digit]}": broad for broad, digits in _BROAD.items() for digit in digits}


def occupation_group(title: str) -> str | None:
    """Return the major group that a title belongs to, with its digit; None where it is not known."""
    words = " ".join(re.findall(r"[a-z]+", plain(title)))
    group = next((group for group, known in _patterns() if known.search(words)), None)
    return f"{group} {MAJOR_GROUPS[group]}" if group in MAJOR_GROUPS else group


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return what the words of each group look like; an underscore at the end asks for the end of a word."""
    levels = []
    for group, text in _BEGINNINGS:
        entries = (re.sub(r"_+$", r"\\b", entry).replace("_", " ") for entry in text.split())
        levels.append((group, re.compile(rf"\b(?:{'|'.join(entries)})")))
    return tuple(levels)
