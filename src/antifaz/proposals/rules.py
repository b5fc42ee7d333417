"""Which role follows from what is known of a column: an ordered table of rules, the first that applies decides.

Each rule has a code for its reason, the role it gives and how sure it is. What no rule knows is left to the person
(`decide`): nothing becomes insensitive for want of a reason. The order follows from what is the surer sign:

1. columns that say nothing: empty, one value;
2. values that reach one person whatever the column is called;
3. keys: names that number people or records, and values of which nearly every record has its own;
4. names of columns and words of values that everybody understands: first what others know of a life (age, sex), then
   what nobody should learn, then what others know less surely, then what is measured or asked;
5. the shape of the values: what is exact of a person is never harmless.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from antifaz.core.identifying_numbers import CHECKED
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.proposals import themes
from antifaz.proposals.clues import MOST, ColumnClues
from antifaz.proposals.recognition import national_id, share_of_phones, share_right
from antifaz.proposals.survey import weighs
from antifaz.proposals.value_kinds import assigned, sexes, times_of_day
from antifaz.proposals.words import Vocabulary, vocabulary, without

#: What a rule found: nothing, that it applies, or the word or pattern that its reason names.
Finding = bool | str | None

SURE, LIKELY, PERHAPS, GUESS, UNSURE = 0.95, 0.8, 0.65, 0.5, 0.3
IDENTIFIER, QUASI_IDENTIFIER = Role.IDENTIFIER, Role.QUASI_IDENTIFIER
SENSITIVE, INSENSITIVE = Role.SENSITIVE, Role.INSENSITIVE
#: From this share of different values on nearly every record has its own.
NEARLY_ALL = 0.9
#: Up to this share of different values, ten records share one on average.
SHARED = 0.1
#: From this share of names on a column names people: no list knows all of their names.
NAMED = 0.4
#: No more different values than this are groups of people.
FEW = 30
#: Categories have no more different values than this.
MANY = 300


@dataclass(frozen=True)
class Rule:
    """One line of the table."""

    code: str
    role: Role
    confidence: float
    applies: Callable[[ColumnClues], Finding]


@dataclass(frozen=True)
class RoleDecision:
    """What the rules decided of a column; `values` are those that the words of the reason need."""

    role: Role
    confidence: float
    code: str
    values: Mapping[str, str]


def decide(clues: ColumnClues) -> RoleDecision:
    """Return what the first rule that applies gives."""
    for rule in RULES:
        finding = rule.applies(clues)
        if finding:
            return RoleDecision(
                rule.role, rule.confidence, rule.code, {"word": finding} if isinstance(finding, str) else {}
            )
    return RoleDecision(Role.DECIDE, 0.0, "reason.unknown", {})


# --- What values are ------------------------------------------------------------------------------------------------

#: Patterns of the profile that reach one person, and which of HIPAA's eighteen identifiers that is.
PATTERNS = {
    "email": 6, "url": 14, "mac": 13, "uuid": 18, "ip": 15, "iban": 10, "dni": 18, "rut": 18, "ssn": 7, "card": 10,
    "plate": 12,
}  # fmt: skip
#: The same of what is found by other means.
FOUND = PATTERNS | {"phone": 4, "address": 2, "login": 18, "hash": 18, "national-id": 18}


def _is_fraction(e: ColumnClues) -> bool:
    """Whether values are numbers with decimals, which look like phones and other long numbers."""
    return bool(e.values) and e.is_number and not e.is_whole


def _reaches_a_person(e: ColumnClues) -> Finding:
    """Values with a form that nothing else has; numbers that carry a check must pass it."""
    if e.is_flag or e.column.type not in (DataType.TEXT, DataType.INTEGER) or _is_fraction(e):
        return None
    for pattern in PATTERNS:
        if e.pattern(pattern) < MOST or (pattern == "card" and e.unique < NEARLY_ALL):
            continue
        if pattern not in CHECKED or not e.values or (share_right(pattern, e.values) or 0) >= 0.5:
            return pattern
    if e.share("login") >= MOST:
        return "login"
    if e.is_code and e.unique >= 0.5 and e.distinct >= 20 and e.column.longest >= 8 and national_id(e.values):
        return "national-id"
    return None


def _is_phone(e: ColumnClues) -> Finding:
    """Phone numbers as they are written: with marks, or under a name that says so."""
    if e.is_flag or e.pattern("phone") < MOST or e.column.type is not DataType.TEXT or e.share("date") >= 0.5:
        return None
    if _is_fraction(e):
        return None
    if e.says(themes.TIME) or (e.pattern("digits") >= MOST and not e.says(themes.CONTACT)):
        return None
    return "phone" if not e.values or share_of_phones(e.values) >= 0.5 else None


def _names_people(e: ColumnClues) -> Finding:
    named_else = e.says(themes.PLACE | themes.VEHICLE) and not e.says(themes.NAMES)
    return e.people >= NAMED and e.distinct >= 5 and not named_else


# --- Keys -----------------------------------------------------------------------------------------------------------

_KEY_WORDS = themes.ID | themes.NUMBER
#: Where these stand alone over texts, these are parts of names.
_PARTS_OF_NAMES = vocabulary("first last middle given family maiden")
NAMELESS = frozenset(("column", "unnamed", "var", "v", "x", "field", "col", "index"))


def _says_identity(e: ColumnClues) -> Finding:
    if e.is_flag or e.share("yes-no") >= MOST:
        return None
    word = e.says(themes.IDENTITY)
    return word if word and (e.distinct > 10 or e.unique >= 0.3) else None


def _says_contact(e: ColumnClues) -> Finding:
    """A way to reach somebody, if the values are more than a kind of phone or a yes."""
    word = e.says(themes.CONTACT)
    if not word or e.is_flag or (e.distinct <= 10 and e.unique < 0.5):
        return None
    numbers = e.is_number and e.column.longest < 6
    return None if numbers or e.says(themes.BEHAVIOUR | themes.SKILLS) or e.is_question else word


def _says_name(e: ColumnClues) -> Finding:
    if e.is_flag or e.is_number or e.is_question:
        return None
    word = e.says(themes.NAMES)
    if word is None and e.says(themes.NAME) and not without(e.words, themes.NAME | themes.PERSON | themes.ID):
        word = e.says(themes.NAME)
    if word is None and e.says(themes.NAME) and e.unique >= 0.3 and not e.says(_KNOWN_TO_OTHERS):
        word = e.says(themes.NAME)
    if word is None and e.distinct > FEW and not without(e.words, _PARTS_OF_NAMES):
        word = e.says(_PARTS_OF_NAMES)
    return word


def _says_address(e: ColumnClues) -> Finding:
    word = e.says(themes.ADDRESS)
    if not word or e.is_flag or e.is_question or e.distinct <= FEW:
        return None
    return word if e.share("street") >= 0.3 or not e.says(themes.PLACE) else None


def _is_address(e: ColumnClues) -> Finding:
    """Streets with numbers; places that many records share have another name."""
    shared = e.unique < 0.5 and e.says(themes.PLACE)
    return "address" if e.share("street") >= 0.5 and e.distinct > FEW and not shared else None


def _numbers_people(e: ColumnClues) -> Finding:
    """'id', or a word for a person beside one for a number; what it numbers may have several rows."""
    if e.is_flag or not (e.is_code or e.is_whole) or e.is_question:
        return None
    if without(e.words, _KEY_WORDS | themes.PERSON | themes.NAME):
        return None
    if e.says(themes.ID):
        return " ".join(e.words)
    several = e.says(themes.PERSON) or (e.distinct > FEW and e.unique >= 0.05)
    return " ".join(e.words) if e.says(themes.NUMBER) and (e.unique >= 0.5 or several) and e.distinct > 2 else None


def _numbers_records(e: ColumnClues) -> Finding:
    """A number or code of its own for nearly every record, under a name that says so or says nothing."""
    if not (e.is_code or e.is_whole) or e.unique < NEARLY_ALL or e.present < 10:
        return None
    says_else = e.says(themes.PLACE) or (e.says(_KNOWN_TO_OTHERS | _PRIVATE) and not e.says(themes.ID))
    nameless = not without(e.words, _KEY_WORDS | frozenset((word,) for word in NAMELESS))
    return bool(nameless or (e.says(_KEY_WORDS | themes.PERSON) and not says_else))


def _counts_on(e: ColumnClues) -> Finding:
    """Whole numbers that are about as many as the span they lie in, as when counting 1, 2, 3, …"""
    every = e.column.distinct == e.column.rows >= 20
    if not e.is_whole or not every or e.says(_KNOWN_TO_OTHERS | _PRIVATE):
        return None
    try:
        middle = float(e.column.high or "") - float(e.column.low or "")
    except ValueError:
        return len(e.numbers) > 1 and (e.numbers[-1] - e.numbers[0] + 1) <= 1.25 * len(e.numbers)
    return 0.8 <= middle / e.column.rows <= 1.0  # from the 5th to the 95th percentile: nine tenths


def _numbers_something(e: ColumnClues) -> Finding:
    """A key of something unknown that has many values: it may be a person with several records."""
    if e.is_flag or not e.says(themes.ID) or not (e.is_code or e.is_whole) or e.says(_KNOWN_TO_OTHERS):
        return None
    return e.says(themes.ID) if e.unique >= 0.1 or e.distinct > FEW else None


def _numbers_groups(e: ColumnClues) -> Finding:
    """A key of few values that many records share."""
    return e.says(themes.ID) if not e.is_flag and (e.is_code or e.is_whole) and not e.is_question else None


def _every_record_its_own_code(e: ColumnClues) -> Finding:
    """Codes, long numbers or hashes that nearly nobody shares."""
    if e.is_question or e.present < 10 or e.unique < NEARLY_ALL or e.says(_KNOWN_TO_OTHERS | _PRIVATE):
        return None
    if e.column.type is DataType.TEXT and e.is_code and not e.is_number:
        return True
    long = e.column.shortest >= 7 and e.column.longest - e.column.shortest <= 1
    return e.is_whole and (long or (e.unique >= 0.98 and e.present >= 100))


def _weighs_people(e: ColumnClues) -> Finding:
    """How many people a record stands for: the survey's maker worked it out, and nobody else knows it of a person."""
    return e.is_number and not e.is_question and weighs(e.words) and min(e.numbers, default=0) >= 0


def _is_hash(e: ColumnClues) -> Finding:
    return "hash" if e.share("hexadecimal") >= MOST and e.distinct > FEW else None


# --- Text -----------------------------------------------------------------------------------------------------------


def _is_free_text(e: ColumnClues) -> Finding:
    """Many words, few repeats."""
    if e.column.type is not DataType.TEXT or e.is_number or e.choices or not e.values:
        return None
    return e.unique >= 0.4 and e.words_per_value >= 2.5 and e.distinct > 10


def _is_written_in(e: ColumnClues) -> Finding:
    """What people wrote where 'other' did not do: few answered, few alike."""
    if e.column.type is not DataType.TEXT or e.is_number or not e.values:
        return None
    if e.choices:
        return None
    rare = e.present <= 0.5 * e.column.rows or e.unique >= 0.5
    return rare and e.unique >= 0.3 and e.distinct >= 5 and e.share("range") < 0.5


def _is_named_written_in(e: ColumnClues) -> Finding:
    if e.column.type is not DataType.TEXT or e.is_number or e.is_question or e.says(themes.SKILLS) or e.distinct <= 10:
        return None
    return bool(e.says(themes.WRITTEN_IN))


# --- Names and words of values --------------------------------------------------------------------------------------

#: What others know or see; long questions count only by the first of these.
_OF_LIFE = themes.AGE | themes.SEX
_DEMOGRAPHIC = (
    _OF_LIFE | themes.PLACE | themes.EDUCATION | themes.FAMILY | themes.ETHNICITY | themes.APPEARANCE
    | themes.OCCUPATION
)  # fmt: skip
_VISIBLE = _DEMOGRAPHIC | themes.ADDRESS
#: What a question may ask that others know: other words are part of too many questions.
_ASKED = (
    _OF_LIFE | themes.COUNTRY | themes.POSTCODE | themes.EDUCATION | themes.FAMILY | themes.ETHNICITY
    | themes.APPEARANCE | themes.SKILLS
    | vocabulary("region city town province state live lives vives viure habites habitez wohnen vivi mora moras")
)  # fmt: skip
_KNOWN_TO_OTHERS = (
    _DEMOGRAPHIC | themes.CIRCUMSTANCES | themes.SCHOOL | themes.TIME | themes.VEHICLE | themes.HOUSING | themes.SKILLS
    | themes.MEMBERSHIP
)  # fmt: skip
#: Kinds of things that reach a person, where few values say that they only tell of which kind.
_OF_GROUPS = themes.TYPE | themes.CONTACT | themes.IDENTITY
_PRIVATE = themes.HEALTH | themes.MONEY | themes.BELIEF | themes.PERFORMANCE | themes.OPINION


#: Two letters may be anything: numbers under these are postcodes if they are long enough.
_SHORT_POSTCODES = ("cp", "cap")


def _named(entries: Vocabulary, *, questions: bool = True) -> Callable[[ColumnClues], Finding]:
    """The name says a word of a vocabulary."""

    def applies(e: ColumnClues) -> Finding:
        word = e.says(entries) if questions or not e.is_question else None
        return None if word in _SHORT_POSTCODES and e.is_number and e.column.longest < 4 else word

    return applies


def _values(kind: str, share: float = MOST, *, fewest: int = 2) -> Callable[[ColumnClues], Finding]:
    """Most values are of a kind."""
    return lambda e: len(e.values) >= fewest and e.share(kind) >= share


def _is_date(e: ColumnClues) -> Finding:
    if e.column.type in (DataType.DATE, DataType.DATETIME):
        return True
    if e.column.type is DataType.INTEGER and not e.says(_PRIVATE) and times_of_day(e.numbers):
        return True
    return bool(e.values) and (e.share("date") >= MOST or e.share("clock") >= MOST or e.share("calendar") >= MOST)


def _is_mark(e: ColumnClues) -> Finding:
    """Fractions under a word of schools are marks."""
    return e.says(themes.EDUCATION | themes.SCHOOL) if e.is_number and not e.is_whole and not e.is_question else None


def _is_scale(e: ColumnClues) -> Finding:
    """Steps of agreement, liking, frequency: an answer."""
    if e.column.type is not DataType.TEXT or e.distinct > 15 or len(e.values) < 2 or e.share("scale") < 0.7:
        return None
    return e.is_question or not e.says(_DEMOGRAPHIC)


def _is_place(e: ColumnClues) -> Finding:
    return len(e.values) >= 2 and (e.share("country") >= 0.6 or e.share("point") >= MOST)


def _is_diagnosis(e: ColumnClues) -> Finding:
    if e.column.type is not DataType.TEXT or len(e.values) < 2:
        return None
    coded = len(e.values) >= 5 and (e.share("icd") >= NEARLY_ALL or e.share("atc") >= NEARLY_ALL)
    return coded or e.share("clinical") >= 0.6


def _is_category(e: ColumnClues) -> Finding:
    return not e.is_number and e.distinct <= MANY and e.unique < 0.5


RULES: tuple[Rule, ...] = (
    # 1. Columns that say nothing.
    Rule("reason.column-is-empty", INSENSITIVE, SURE, lambda e: e.present == 0),
    Rule("reason.same-value-everywhere", INSENSITIVE, SURE, lambda e: e.column.distinct == 1 and not e.column.missing),
    # 2. Values that reach one person.
    Rule("reason.values-look-like", IDENTIFIER, SURE, _reaches_a_person),
    Rule("reason.values-look-like", IDENTIFIER, SURE, _is_phone),
    Rule("reason.values-look-like", IDENTIFIER, LIKELY, _is_hash),
    # 3. Names of people, and keys.
    Rule("reason.name-of-identifier", IDENTIFIER, SURE, _says_identity),
    Rule("reason.name-of-identifier", IDENTIFIER, SURE, _says_contact),
    Rule("reason.name-of-identifier", IDENTIFIER, SURE, _says_name),
    Rule("reason.values-are-names-of-people", IDENTIFIER, LIKELY, _names_people),
    Rule("reason.name-of-identifier", IDENTIFIER, LIKELY, _says_address),
    Rule("reason.values-look-like", IDENTIFIER, LIKELY, _is_address),
    Rule("reason.survey-weight", INSENSITIVE, LIKELY, lambda e: _weighs_people(e) and e.unique <= SHARED),
    Rule("reason.survey-weight-exact", SENSITIVE, PERHAPS, _weighs_people),
    Rule("reason.name-of-identifier", IDENTIFIER, SURE, _numbers_people),
    Rule("reason.numbers-every-record", IDENTIFIER, SURE, _numbers_records),
    Rule("reason.numbers-every-record", IDENTIFIER, LIKELY, _counts_on),
    Rule("reason.numbers-every-record", IDENTIFIER, LIKELY, _every_record_its_own_code),
    Rule("reason.numbers-something", IDENTIFIER, PERHAPS, _numbers_something),
    # 4. What everybody understands.
    Rule("reason.values-are-sexes", QUASI_IDENTIFIER, SURE, lambda e: sexes(e.values)),
    Rule("reason.name-of-quasi-identifier", QUASI_IDENTIFIER, SURE, _named(_OF_LIFE, questions=False)),
    Rule("reason.column-is-a-date", QUASI_IDENTIFIER, LIKELY, _is_date),
    Rule("reason.assigned-at-random", INSENSITIVE, LIKELY, lambda e: assigned(e.counts)),
    Rule("reason.name-of-sensitive", SENSITIVE, LIKELY, _named(themes.HEALTH | themes.MONEY | themes.BELIEF)),
    Rule("reason.values-are-diagnoses", SENSITIVE, LIKELY, _is_diagnosis),
    Rule("reason.values-are-places", QUASI_IDENTIFIER, LIKELY, _is_place),
    Rule("reason.name-of-opinion", SENSITIVE, LIKELY, _named(themes.OPINION)),
    Rule("reason.values-of-a-scale", SENSITIVE, LIKELY, _is_scale),
    Rule("reason.free-text", IDENTIFIER, LIKELY, lambda e: _is_free_text(e) and not e.says(_KNOWN_TO_OTHERS)),
    Rule("reason.written-by-the-person", IDENTIFIER, LIKELY, _is_named_written_in),
    Rule("reason.name-of-marks", SENSITIVE, LIKELY, _is_mark),
    Rule("reason.name-of-sensitive", SENSITIVE, LIKELY, _named(themes.PERFORMANCE)),
    Rule("reason.name-of-quasi-identifier", QUASI_IDENTIFIER, LIKELY, _named(_VISIBLE, questions=False)),
    Rule("reason.name-of-quasi-identifier", QUASI_IDENTIFIER, PERHAPS, _named(_ASKED)),
    Rule("reason.values-known-to-others", QUASI_IDENTIFIER, LIKELY, _values("marital", 0.6)),
    Rule("reason.values-known-to-others", QUASI_IDENTIFIER, LIKELY, _values("schooling", 0.6)),
    Rule("reason.values-known-to-others", QUASI_IDENTIFIER, LIKELY, _values("ethnic", 0.6)),
    Rule("reason.values-known-to-others", QUASI_IDENTIFIER, PERHAPS, _values("job", 0.5)),
    Rule("reason.name-of-quasi-identifier", QUASI_IDENTIFIER, PERHAPS, _named(_KNOWN_TO_OTHERS, questions=False)),
    Rule("reason.name-of-measure", SENSITIVE, PERHAPS, _named(themes.BEHAVIOUR)),
    Rule("reason.numbers-groups", QUASI_IDENTIFIER, PERHAPS, _numbers_groups),
    Rule("reason.answer-to-a-question", SENSITIVE, PERHAPS, lambda e: e.is_question and not _is_written_in(e)),
    Rule("reason.name-of-groups", QUASI_IDENTIFIER, PERHAPS, _named(_OF_GROUPS, questions=False)),
    # 5. The shape of the values.
    Rule("reason.written-by-the-person", IDENTIFIER, PERHAPS, _is_written_in),
    Rule("reason.values-are-money", SENSITIVE, LIKELY, _values("money", 0.5)),
    Rule("reason.several-choices", QUASI_IDENTIFIER, PERHAPS, lambda e: e.choices is not None),
    Rule("reason.exact-numbers", SENSITIVE, PERHAPS, lambda e: e.is_number and e.distinct > 12),
    Rule("reason.bands-of-numbers", SENSITIVE, GUESS, _values("range", 0.6)),
    Rule("reason.nearly-every-value-unique", IDENTIFIER, PERHAPS, lambda e: e.unique >= NEARLY_ALL and e.present > 1),
    Rule("reason.few-numbers", SENSITIVE, GUESS, lambda e: e.is_number),
    Rule("reason.yes-or-no", SENSITIVE, GUESS, lambda e: e.is_flag or e.share("yes-no") >= MOST),
    Rule("reason.values-shared-by-groups", QUASI_IDENTIFIER, UNSURE, _is_category),
)
