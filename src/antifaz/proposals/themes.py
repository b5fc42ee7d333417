"""What column names are about: words in seven languages, by theme.

English, Spanish, Catalan, French, German, Italian and Portuguese, with the short forms that column names have. Words
are written as `words_of` gives them: lower case, without accents. An underscore joins words that follow each other.
Each theme says what others may know of a person, what nobody should learn, or what reaches the person by itself; which
role follows from it is decided in `rules`.
"""

from antifaz.proposals.words import vocabulary

# --- What names or reaches a person by itself -----------------------------------------------------------------------

#: Numbers that an authority, a bank or a maker gives out.
IDENTITY = vocabulary("""
    dni nif nie nuss nss cip naf cpf cnpj nino nhs mrn ssn bsn iban bic uuid guid imei imsi vin curp rfc cuil cuit
    rut cedula passport pasaporte passaport passeport passaporto passaporte reisepass ausweis personalausweis
    ausweisnummer steuernummer steuer_id codice_fiscale partita_iva carta_identita tessera_sanitaria social_security
    seguridad_social seguretat_social securite_sociale seguranca_social sozialversicherungsnummer previdenza_sociale
    national_insurance national_id nationalid tax_number tax_id taxid credit_card card_number cc_num tarjeta targeta
    carte_bancaire cartao kreditkarte carta_di_credito account_number account_no numero_cuenta numero_de_cuenta
    numero_compte numero_de_compte numero_conta numero_conto kontonummer license_plate licence_plate number_plate
    kennzeichen immatriculation targa driving_licence driving_license driver_license drivers_license drivers
    driver_licence fuhrerschein patente permis_conduire medical_record historia_clinica health_card
    tarjeta_sanitaria targeta_sanitaria carte_vitale health_plan policy_number numero_poliza poliza polissa polizza
    apolice beneficiary_number license_number licence_number certificate_number carnet_conducir carnet_conduir
    numero_colegiado device_id serial_number numero_serie numero_de_serie numero_di_serie bastidor
    matricula_vehiculo fingerprint fingerprints biometric biometrics huella huellas empremta empremtes impronta
    signature firma signatura unterschrift assinatura
""")

#: Ways to reach somebody.
CONTACT = vocabulary("""
    email emails e_mail mail correo correu courriel mailadresse posta_elettronica phone phones telephone telefono
    telefonos telefon telefone telefones tel cellphone cell mobile movil mobil telemovel celular cellulare
    telefonnummer handynummer handy fax url website web homepage pagina_web sito_web site_web ip ip_address
    mac_address photo photos foto fotos fotografia twitter facebook instagram linkedin skype whatsapp
""")

#: Where exactly somebody is at home.
ADDRESS = vocabulary("""
    address addresses addr adr direccion direcciones adreca adresse anschrift indirizzo endereco morada domicilio
    domicili domicile street calle carrer rue rua via strasse hausnummer wohnanschrift house_number street_number
""")

#: Names of people and of accounts.
NAMES = vocabulary("""
    surname surnames lastname firstname fullname forename middlename familyname givenname nickname username login
    first_name last_name full_name given_name family_name middle_name maiden_name birth_name user_name name_first
    name_last maiden first_initial apellido apellidos cognom cognoms cognome cognomi apelido apelidos sobrenome
    prenom prenoms vorname vornamen nachname nachnamen familienname geburtsname benutzername nombre_completo
    nom_complet nome_completo nom_famille nom_de_famille nome_utente nom_usuari nombre_usuario nom_utilisateur
    author autor auteur screen_name alias
""")

#: These name a person where they stand alone or beside a word for a person; elsewhere a country, a product, a number.
NAME = vocabulary("name names nombre nombres nom noms nome nomes nomi namen nome_e_cognome")

#: These number people, or records, wherever they stand alone or beside a word for a person.
ID = vocabulary("""
    id ids ident identifier identificador identificateur identifiant identificatore identificativo identifikator
    kennung personalnummer uid pid sid rownames rowid rownum row_id row_number unnamed folio expediente expedient
    dossier fascicolo aktenzeichen akte idcode ref_no
""")

#: These number people, records or shops; how many different numbers there are tells which.
NUMBER = vocabulary("""
    response submission pk key clave clau cle chave chiave schlussel schluessel index idx row serial record registro
    enregistrement code codigo codi codice cod number numbers num no nr nbr nro numero nummer ref reference
    referencia riferimento account cuenta compte conta konto conto matricula matricule matricola ticket case caso
    caso_id order pedido commande bestellung ordine transaction transaccion encounter token hash
""")

PERSON = vocabulary("""
    person persona personne pessoa patient patiente patientin paciente pacient paziente pat pt customer cust client
    cliente kunde kunden user usuario usuari utilisateur utilizador utente benutzer nutzer employee emp empleado
    empleat employe empregado impiegato dipendente funcionario mitarbeiter student alumno alumna alumne estudiante
    estudiant eleve etudiant aluno estudante studente alunno schuler schueler subject subj sujeto subjecte sujet
    soggetto participant participante partecipante teilnehmer proband member miembro membre membro mitglied citizen
    ciudadano ciutada citoyen cidadao cittadino burger buerger holder titular respondent encuestado enquete befragte
    intervistato entrevistado voter worker teacher doctor physician mother father madre padre mare pare mere mae pai
    mutter vater enrollee applicant solicitante candidate candidato bewerber borrower prestatario guest huesped gast
    host anfitrion passenger pasajero driver conductor victim victima individual individuo household hogar menage
    haushalt manager supervisor owner propietario enfermo malade kranker beneficiary beneficiario player jugador
    joueur spieler
""")

# --- What others know, or can find, and combine ---------------------------------------------------------------------

AGE = vocabulary("""
    agea ageyr age ages edad edades edat idade eta alter agegroup age_group altersgruppe birth births birthdate
    birthday birthyear birthmonth birthplace born dob yob nacimiento naixement naissance nascimento nascita geburt
    geburtsdatum geburtsjahr geburtstag geburtsort fnac fecha_nac fecha_nacim data_naix data_nasc fechanacimiento
    datanaixement geboren nacido nat death muerte mort morte tod deathdate dod defuncion deces fallecimiento
""")

SEX = vocabulary("""
    gndr sexe_code sex sexo sexe sesso gender genero genere genre geschlecht male female sex_code gen
""")

POSTCODE = vocabulary("""
    postcode postcodes postal zip zipcode zip_code plz postleitzahl cp cap cep codigopostal codpostal codipostal
    codepostal code_postal codigo_postal codi_postal codice_postale cod_postal
""")

#: The name says that values are degrees.
COORDINATE = vocabulary("""
    lat lon lng long latitude longitude latitud longitud latitudine longitudine breitengrad langengrad laengengrad
""")

#: The name says that values are countries.
COUNTRY = vocabulary("""
    country countries pais paises paisos pays paese paesi land lander nation nationality nacionalidad nacionalitat
    nationalite nazionalita nacionalidade nationalitat staatsangehorigkeit citizenship ciudadania ciutadania
    cidadania cittadinanza citizen nazione staat
""")

PLACE = (
    POSTCODE
    | COUNTRY
    | vocabulary("""
    where donde onde dove hospital hospitals hopital ospedale krankenhaus clinic clinica clinique klinik ward
    facility centro_salud cntry ctry uf entidad ente comuna concelho freguesia port puerto hafen porto embarked
    cabin camarote seat city cities ciudad ciutat ville villes cidade citta stadt town towns village pueblo poble
    villaggio dorf municipality municipio municipi municipios commune communes comune com gemeinde poblacion
    poblacio localidad localitat localite localidade localita ort wohnort place places lugar lloc lieu luogo local
    residence residencia residenza wohnsitz district districts distrito districte barrio barri bairro quartier
    quartiere bezirk kreis landkreis neighborhood neighbourhood county comarca province provinces provincia prov
    departement departamento department_code dep depto region regions regio regiao regione gebiet state states
    estado estat etat bundesland zone zona area areas sector_censal census_tract tract block parish parroquia
    latitude longitude lat lon lng long latitud longitud latitudine longitudine breitengrad langengrad coordinates
    coordenadas gps location locations ubicacion ubicacio posizione localizacao standort loc address_region urban
    rural metro metropolitan station estacion gare stazione bahnhof estacao destination destino origin_city airport
    nuts delegacion alcaldia canton arrondissement continent continente nationalitaet staatsangehoerigkeit foreign
    extranjero etranger auslander hometown birth_place homeland territory territorio centroid geo geolocation
    timezone abroad
""")
)

#: How far somebody got at school.
EDUCATION = vocabulary("""
    escolar scolaire schulisch scolastico alphabetized literacy literate hschool education educacion educacio
    educacao educazione bildung studies estudios estudis etudes estudos studi degree degrees qualification
    qualifications titulacion titulacio schooling escolaridad escolaritat scolarite scolarita nivel_estudios
    nivell_estudis niveau_etudes istruzione schulabschluss abschluss edu educ diploma diplome grado_estudios
    formation formacion formacio formazione ausbildung
""")

SCHOOL = vocabulary("""
    licenciatura turno_escolar campus grade_level sala aula salon room discipline disciplina school schools escuela
    escola ecole scuola schule schulart university universidad universitat universite universita universidade
    hochschule faculty facultad facultat faculte facolta fakultat college carrera carriera studiengang studienfach
    major minor specialisation specialization especialidad especialitat specialite specialita especialidade course
    curso cours corso kurs class clase classe klasse classroom semester semestre stage section seccion seccio grade
    turma anno_corso year_group subject_area topic
""")

OCCUPATION = vocabulary("""
    empleados employes mitarbeiterzahl dipendenti empregados employees coworkers travel_business overtime emp workex
    employed hourly wfh occupation occupations ocupacion ocupacio ocupacao occupazione profession profesion
    professio profissao professione beruf job jobs trabajo treball travail trabalho lavoro arbeit employment empleo
    emprego impiego emploi workclass work position posicion puesto poste cargo posto stelle role rol ruolo title
    titulo jobtitle job_title isco soc cnae csp pcs rank rango rang grado seniority antiguedad anciennete anzianita
    employer empleador employeur arbeitgeber datore company companies empresa empreses entreprise azienda firma_name
    unternehmen organization organisation organizacion organizacao organizzazione org department departments dept
    departamento departament abteilung reparto servicio service sector industry industria industrie branche branch
    team equipo equipe squadra manager supervisor chief jefe experience experiencia experiencies erfahrung
    esperienza exp tenure hire hired hiring contratacion embauche assunzione einstellung contract contrato contracte
    contrat contratto vertrag retired jubilado retraite rentner pensionato unemployed desempleado chomage arbeitslos
    self_employed salaried business office oficina bureau buro ufficio colleagues staff personal_a_cargo militar
    military ejercito armee activity actividad attivita remote teletrabajo telework homeoffice recruitment recruiter
""")

FAMILY = vocabulary("""
    hh hhsize hhold sibsp parch household_members nucleo familiare single soltera celibataire ledig celibe relation
    relacio relazione adults adultos members_of baby bebe mum dad marital civil matrimonial married marriage
    marriages marstat familienstand zivilstand stato_civile etat_civil estado_civil relationship relacion spouse
    conyuge conjoint coniuge husband wife esposo esposa mari epoux partner pareja parella partenaire children child
    hijos hijo fills enfants enfant filhos figli figlio kinder kind kids sons daughters siblings hermanos germans
    freres fratelli irmaos geschwister household households hogar llar menage famiglia haushalt family families
    familia famille familie famsize dependents dependants dependent dependientes a_cargo parents padres parent
    pare_mare orphan huerfano tutor tuteur divorced soltero widowed separated pstatus cohabitation household_size
    pers personas_hogar
""")

ETHNICITY = vocabulary("""
    race races raza raca rasse razza ethnicity ethnic etnia ethnie etnico herkunft origin origen origine origem
    hispanic latino caste casta language languages idioma idiomas llengua lengua langue lingua sprache muttersprache
    mother_tongue lang immigrant inmigrante migrant migration indigenous indigena visa hisp foreigner black white
    asian
""")

#: What is seen of a person.
APPEARANCE = vocabulary("""
    tall alto_de hoch_gewachsen build height altura alcada estatura taille altezza grosse groesse korpergrosse ht
    stature weight peso pes poids gewicht korpergewicht eyes eye ojos ulls yeux augen occhi olhos hair pelo cabello
    cabell cheveux haare capelli tattoo tatuaje handedness lefthanded skin piel peau haut pelle beard glasses gafas
    brille shoe schuhgrosse taglia
""")

#: When something happened: others were there.
TIME = vocabulary("""
    yrs scheduled appointment cita termin rendez_vous appuntamento consulta_fecha departure arrival hr hora_inicio
    date dates fecha fechas data datum datums day days_of_week dia jour jours giorno tag dayofweek weekday
    day_of_week month months mes mois mese monat year years any ano annee anno jahr hour hora heure ora uhrzeit
    stunde time timestamp datetime hhmm when quarter trimestre trimester quartal week semana setmana semaine
    settimana woche admission_date discharge alta ingreso_fecha season estacion_ano since desde depuis moment
    periodo period epoch wave yr visit visita visite besuch occasion occ round ronda follow_up followup session
    sitzung created updated
""")

VEHICLE = vocabulary("""
    passengers pickup dropoff fuel engine vehicle vehicles vehiculo vehicle_type vehicule veicolo fahrzeug veiculo
    car cars coche auto voiture carro macchina brand marca marke marque marchio model modelo modele modello modell
    bike bicicleta velo fahrrad motorcycle transport transporte trasporto verkehrsmittel trip viaje trajet viaggio
    reise viagem ride route ruta distance distancia entfernung distanza
""")

HOUSING = vocabulary("""
    home house housing vivienda habitatge logement casa abitazione wohnung haus dwelling apartment piso
    homeownership home_ownership owner_occupied tenant inquilino locataire mieter property propiedad propriete
    immobile
""")

#: What people show of what they can and use.
SKILLS = vocabulary("""
    laptop laptops pc computer computers ordenador ordinateur rechner celular smartphone skills skill habilidades
    competences kenntnisse competenze technology technologies tecnologia tecnologias platform platforms plataforma
    plataformas framework frameworks database databases bases_datos programming lenguajes tools herramientas
    certificates certificados certifications software ide ides os operating_system browser device dispositivo
    devices worked_with used open_source follower followers seguidores abonnes
""")

MEMBERSHIP = vocabulary("""
    event events evento eventos evenement veranstaltung games game team_name medal competition category_sport
    contract_type service services lines club clubs association asociacion verein associazione sport sports deporte
    hobby hobbies membership customer_since subscription plan tariff tarifa segment nursery kindergarten
    extracurricular activities volunteer voluntario
""")

#: What was around when something happened, and by which way.
CIRCUMSTANCES = vocabulary("""
    vendor stratum strata psu weather tiempo meteo meteorologico meteorologica
    meteorological temps wetter clima tempo_atmosferico light lighting luz luminosidad lumiere licht luce road
    carretera chaussee strasse_art strada surface superficie junction intersection interseccion cruce lane traffic
    trafico carrier transportista shipping ship shipped delivery entrega livraison lieferung channel canal kanal
    canale seller vendedor supplier store shop tienda boutique system sistema systeme accuracy precision method
    metodo methode source fuente origin_source language_version version interviewer encuestador wave_no batch lote
    shift turno
""")

#: Kinds of something: groups that others see.
TYPE = vocabulary("""
    contact contacto kontakt contatto contato contacte type types tipo tipos tipus typ art kind genre_de sorte
    category categories categoria categorias categorie kategorie group groups grupo grupos grup groupe gruppe gruppo
    class_of clase_de segment segmento status statut estatus stato
""")

#: What people wrote themselves where no answer fitted.
WRITTEN_IN = vocabulary("""
    specify specified especifique especifica especificar preciser precisez prec angeben specificare other_text note
    notes notas remark remarks observation observations observacion observaciones observacions bemerkung bemerkungen
    osservazioni observacoes free_text freetext texto_libre texte_libre freitext write_in verbatim describe explain
    explique comment comments comentario comentarios commentaire commentaires kommentar kommentare commento commenti
    other otro otra autre andere sonstige altro outro altre
""")

# --- What nobody should learn ---------------------------------------------------------------------------------------

HEALTH = vocabulary("""
    epoc copd krankenkasse krankenversicherung mutua obra_social family_history antecedentes_familiares alcoholism
    handcap hypertensive obesity obesidad obesite adiposidad symptomatic uci icu_days care wellness hba1c hdl ldl
    triglycerides platelets wbc rbc sodium potassium albumin bilirubin ecg angina ventilation intubado intubated
    neumonia autoimmune immuno renal hepatic thyroid anemia menopause parity gravida dose_mg diagnosis diagnoses
    diagnostic diagnostico diagnose diagnosi dx icd cie cim icd10 atc disease diseases illness enfermedad
    enfermedades malaltia maladie maladies doenca krankheit krankheiten malattia dolencia dolenca patologia
    pathology pathologie disorder syndrome sindrome symptom symptoms sintoma sintomas sintomi simptoma simptomes
    symptome condition conditions medical medico medica medizinisch health salud salut sante saude salute gesundheit
    treatment tratamiento tractament traitement tratamento trattamento behandlung therapy therapie terapia
    medication medications medicacion medicacio medicament medicamento medikament farmaco farmac drug drugs droga
    drogue drogen dose dosis dosage allergy allergies alergia allergie surgery cirugia chirurgie chirurgia
    operation_type cancer tumor tumour hiv vih aids sida covid diabetes diabetic hypertension hipertension heart
    cardiac cardiaco coeur herz cuore stroke asthma asma blood sangre sang sangue blut pregnant pregnancy embarazo
    embaras grossesse gravidez gravidanza schwanger schwangerschaft prenatal gestation disability discapacidad
    discapacitat handicap disabilita deficiencia behinderung mental psychiatric psiquiatria trastorno trastorn
    addiction adiccion addiccio dipendenza sucht suicide suicidio suicidi depression depresion depressione anxiety
    ansiedad angoisse angst ansia stress estres vacuna vaccine vaccination vaccin vaccino impfung genetic genetics
    genetica genoma genome alcohol alcool alkohol smoke smoker smoking smokes fuma fumador tabaco tabac tabak fumeur
    raucher rauchen fumo fumatore tobacco cigarettes cigarrillos bmi imc cholesterol colesterol glucose glucosa
    glukose glicemia insulin pressure presion tension bp systolic diastolic pulse heartrate temperature fever fiebre
    lab test_result result resultado resultat ergebnis risultato specimen hemoglobin creatinine infection infected
    contagio hospitalized hospitalizado icu injury injuries lesion blessure verletzung ferita gravity severity
    gravedad gravite fatal died survived survival outcome sick sickness sick_leave baja_medica therapist counseling
    counselling asa bleeding tnm biopsy remission relapse prognosis improved adverse abortion aborto avortement
    wellbeing bienestar bien_etre sleep sueno sommeil schlaf sonno pain dolor douleur schmerz dolore encounter_class
    dead bweight birthweight low_weight sensitivity diet dieta physical_health bodyfat body_fat fitness
""")

MONEY = vocabulary("""
    delinq delinquency morosidad impago cobras cobra gana ganas earn earns earned verdienst guadagna ganha benefits
    benefit prestaciones prestations leistungen sussidio subsidio subsidy scholarship beca bourse stipendium borsa
    bolsa hike stock option rate_daily tolls tip fare_total invoice limit overdraft income incomes ingreso ingresos
    ingressos renta renda revenu revenus rendimento reddito einkommen salary salaries salario salarios salari
    salaris sueldo sueldos sou salaire salaires gehalt lohn stipendio retribuzione wage wages earnings earning pay
    paid payment payments pago pagos paiement pagamento zahlung compensation comp bonus bono prime premio bonos
    wealth patrimonio patrimoni vermogen vermoegen capital debt debts deuda deudas deute dette divida debito
    schulden credit credito kredit loan loans prestamo prestec emprestimo pret prestito darlehen mortgage hipoteca
    hypotheque hypothek mutuo ipoteca balance bal saldo solde pension pensio rente pensione amount amounts amt
    importe import montant betrag importo montante quantia price prices precio preu prix preis prezzo preco cost
    costs coste costo cout kosten custo charge charges fee fees fare tarifa_pago spend spending spent gasto gastos
    depense depenses ausgaben spesa despesa expense expenses expenditure purchase purchases compra compras achat
    kauf acquisto bill bills factura facture rechnung fattura tax taxes impuesto impost steuern tassa imposto
    turnover revenue sales ventas profit savings ahorro ahorros epargne ersparnisse risparmio rent alquiler lloguer
    loyer miete affitto aluguel borrowed installment cuota interest_rate default defaulted arrears overdue churn
    fraud fraude betrug frode score_credit creditscore credit_score dti fico freight currency_amount usd eur euros
    dollars dolares pesos budget presupuesto insurance seguro assurance versicherung assicurazione poor poverty
    pobreza pauvrete armut poverta value_amount net_worth asset assets cashback refund discount
""")

BELIEF = vocabulary("""
    violation violations infraccion infraction verstoss infrazione recid recidivism felony misdemeanor jail
    probation priors prior_offenses juvenile gang arrested arrests sentencia condenado incarcelado detenido
    detention stop_outcome search_conducted violent violento violenta violentes gewalttatig religion religio
    religiao religione religious religioso creencia creencies croyance glaube faith konfession credo politics
    political politica politico politique politisch partei partido partit parti partito party ideology ideologia
    ideologie trade_union union sindicato sindicat syndicat gewerkschaft sindacato orientation orientacion
    orientacio orientacao orientamento orientierung sexual sexuality sexualidad sexualite sessuale vote votes voted
    voto vot voting election elections eleccion wahl elezione crime crimes delito delicte delit crimen reato
    straftat conviction criminal offence offense antecedentes sentence condena condemna condemnation denuncia
    violence violencia violenza gewalt abuse maltrato maltractament harassment acoso arrest prison police policia
    illegal church iglesia affiliation afiliacion afiliacio philosophy democrat republican conservative liberal
    government gobierno gouvernement regierung governo
""")

#: How well somebody does, as others judged it.
PERFORMANCE = vocabulary("""
    grades nota notas note noten calificacion calificaciones qualificacio qualificacions voti voto_esame gpa cgpa
    mark marks score scores puntaje puntuacion puntuacio punteggio pontuacao punkte points puntos exam exams examen
    examenes esame prufung prova quiz test tests performance rendimiento rendiment leistung prestazione evaluation
    evaluacion avaluacio avaliacao bewertung valutazione review_score failure failures suspensos absences absence
    ausencias absentismo fehlzeiten assenze late tardy disciplinary warning dismissed despido terminated termination
    layoff promotion promoted placed placement admission admitted fired misconduct iq attrition engagement appraisal
    hdrs scale target label prediction risk risk_score riesgo risque risiko rischio ranking percentile attendance
    asistencia
""")

#: What somebody thinks, likes or would do.
OPINION = vocabulary("""
    survey questionnaire encuesta cuestionario enquete umfrage sondaggio questionario fragebogen purpose finalidad
    finalite zweck scopo finalidade absicht reviews review resena help seek anonymity consequence involvement
    balance_life lrscale happy_scale opinion opinions opinio avis meinung opiniao opinione satisfaction satisfaccion
    satisfaccio satisfacao soddisfazione zufriedenheit satisfied satisfecho satisfait zufrieden soddisfatto conforme
    agree agreement acuerdo acord accord zustimmung accordo disagree prefer preference preferences preferencia
    preferencias preferenza prefere vorliebe preferred favorite favourite favorito rate rating ratings rated
    importance importancia wichtigkeit importanza important trust confianza confianca confiance vertrauen fiducia
    like likes dislike gusta aime recommend recomienda recomendar recommander empfehlen think feel feeling believe
    attitude attitudes actitud einstellung_zu atteggiamento view views perception percepcion percezione worried
    worry preocupacion concern support likely likelihood willing willingness intention intencion expectation expect
    enjoy enjoyment happy happiness feliz heureux glucklich felice quality calidad qualitat qualite qualitaet
    qualita qualidade comment comments comentario commentaire kommentar commento sugerencia suggestion feedback
    reason reasons motivo motivos motif grund motivazione answer answers respuesta resposta reponse antwort risposta
    resposta_a question questions pregunta frage domanda pergunta rude annoying interested interest interests
    interes interesse intereses taste gout geschmack gusto knowledge aware awareness know familiar heard consider
    valoracion style motivation expertise
""")

#: What somebody does, how often and how much; and what was measured.
BEHAVIOUR = vocabulary("""
    history historial historique per_day per_week per_month show noshow nights availability training times_last
    hours hrs hour_week minutes mins min minuten minutos ore frequency freq frecuencia frequencia frequence
    haufigkeit frequenza often usage use uses used_hours uso usage_time consumption consumo konsum consommation
    consumi habit habits habito gewohnheit abitudine times calls call llamadas appels anrufe chiamate contacts
    visits visitas visites besuche duration duracion durada duree dauer durata duracao count counts cnt total totals
    number_of num_of cantidad quantitat nombre_de anzahl quantidade quantita quantity qty items discussion drinking
    drink beber boire trinken bere drinks eat eating comer essen exercise ejercicio ubung activity_level screen
    internet social_media tv watch watched seen listen read reading streaming login_count clicks average avg mean
    media mitja moyenne durchschnitt media_di median rate_of ratio pct percent percentage porcentaje pourcentage
    prozent percentuale level levels nivel nivell niveau stufe livello measure measurement medida misura messwert
    wert valor valore valeur value values index_value indice change delta diff difference diferencia loss gain max
    minimum maximum std variance intensity speed velocidad vitesse length longueur width recency tenure_use
    days_since last previous freetime freq_of minutes_day daily weekly monthly waiting wait espera attente campaign
    response_flag tip activity_min steps calories vote_intention score_level waist neck abdomen chest hip thigh
    bicep wrist girth circumference
""")
