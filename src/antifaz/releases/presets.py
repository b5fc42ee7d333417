"""Judge a release by a rule, clause by clause, from what was counted in it; nothing is taken from how it was made."""

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase

from antifaz.core.messages import Message
from antifaz.core.values import ANY
from antifaz.proposals.hipaa import IDENTIFIERS
from antifaz.proposals.presets import DOUBTFUL, OLDEST, PRESETS, PresetChoice
from antifaz.releases.criteria import CRITERIA, hipaa_checklist
from antifaz.releases.criteria_evidence import LIMIT, Answer, ClauseEvidence, Criterion, PresetEvidence
from antifaz.releases.evidence import Evidence

#: The different values of released columns; None where they were not counted.
Listed = Mapping[str, frozenset[str] | None]

#: The identifiers that values are, by their form.
_FORMS = {
    "name": "names", "email": "email", "phone": "telephone", "iban": "account", "card": "account", "url": "web",
    "ip": "internet", "mac": "device", "ssn": "social_security", "dni": "licence", "rut": "licence",
    "national-id": "licence",
}  # fmt: skip
#: What clauses ask beside the eighteen identifiers and the three criteria.
OTHER_CLAUSES = (
    "actual_knowledge", "expert", "very_small_risk", "documented", "means", "minimisation", "pseudonyms",
)  # fmt: skip
_ZIP3 = re.compile(r"[0-9]{3}")
_NUMBERS = re.compile(r"[0-9]+")
#: A year, years in an interval or set, a decade, a century; or a number of years.
_YEARS = re.compile(r"[\[({<>=≥≤ ]*[0-9]{1,4}s?(?:\s*(?:,|-|–|\||\.\.)\s*[0-9]{1,4})*[\])}+ ]*")


def judge_preset(choice: PresetChoice, evidence: Evidence, listed: Listed) -> PresetEvidence:
    """Return the clauses of a rule, each with what the release shows of it."""
    judge = {
        "hipaa-safe-harbor": _safe_harbor, "hipaa-expert-determination": _expert, "ehds": _ehds, "gdpr": _gdpr,
    }[choice.name]  # fmt: skip
    clauses = list(judge(choice, evidence, listed))
    return PresetEvidence(name=choice.name, source=PRESETS[choice.name].source, clauses=clauses)


def _clause(clause: str, key: str, answer: Answer, words: Message, columns: Sequence[str] = ()) -> ClauseEvidence:
    return ClauseEvidence(clause=clause, key=key, answer=answer, columns=list(columns), words=words)


# -- HIPAA


def _safe_harbor(choice: PresetChoice, evidence: Evidence, listed: Listed) -> Iterator[ClauseEvidence]:
    released = None if evidence.released is None else evidence.released.columns
    checklist = {each.identifier: each.released for each in hipaa_checklist(evidence.attributes, released)}
    for name, key in _by_values(evidence).items():
        checklist[key] = list(dict.fromkeys([*checklist[key], name]))
    dated = [name for name in listed if name not in checklist["places"] and name not in checklist["dates"]]
    for letter, key in zip(ascii_uppercase, IDENTIFIERS, strict=False):
        clause, columns = f"(b)(2)(i)({letter})", checklist[key]
        if key == "places" and columns:
            yield _places(clause, columns, listed, choice.zip3)
        elif key == "dates" and (columns or dated):
            yield _dates(clause, [*columns, *dated], listed, int(evidence.created[:4]))
        else:
            yield _removed_identifier(clause, key, columns, evidence)
    yield _clause("(b)(2)(ii)", "actual_knowledge", "person", Message("clause.actual-knowledge"))


def _places(clause: str, columns: list[str], listed: Listed, restricted: Sequence[str]) -> ClauseEvidence:
    values = [listed.get(name) for name in columns]
    if any(each is None for each in values):
        return _clause(clause, "places", "person", Message("clause.not-counted", names=columns), columns)
    codes = {value.strip() for each in values for value in each or ()} - {ANY, "", "000"}
    if all(_ZIP3.fullmatch(code) for code in codes):
        rare = sorted(codes & set(restricted))
        if rare:
            return _clause(clause, "places", "fails", Message("clause.rare-zip3", number=len(rare)), columns)
        words = Message("clause.zip3", number=len(codes), restricted=len(restricted))
        return _clause(clause, "places", "holds", words, columns)
    return _clause(clause, "places", "fails", Message("clause.not-zip3", names=columns), columns)


def _dates(clause: str, columns: list[str], listed: Listed, year: int) -> ClauseEvidence:
    values = [listed.get(name) for name in columns]
    if any(each is None for each in values):
        return _clause(clause, "dates", "person", Message("clause.not-counted", names=columns), columns)
    finer = [n for n in columns if any(not _YEARS.fullmatch(v) for v in _stripped_labels(listed[n]))]
    if finer:
        return _clause(clause, "dates", "fails", Message("clause.finer-than-years", names=finer), columns)
    old = [name for name in columns if any(_too_old(value, year) for value in _stripped_labels(listed[name]))]
    if old:
        return _clause(clause, "dates", "fails", Message("clause.over-89", names=old), columns)
    return _clause(clause, "dates", "holds", Message("clause.years", names=columns), columns)


def _stripped_labels(values: frozenset[str] | None) -> list[str]:
    return [value.strip() for value in values or () if value.strip() not in (ANY, "")]


def _too_old(label: str, year: int) -> bool:
    """Say whether a label tells an age over 89, or a year of birth that does; 90 stands for 90 and over.

    Years are taken for those of birth whatever the column is called: a year so long ago is hardly another.
    """
    numbers = [int(number) for number in _NUMBERS.findall(label)]
    low, high = numbers[0], numbers[-1]
    if low < 1000:
        return low > OLDEST + 1
    return (high + 9 if label.endswith("s") else high) < year - OLDEST


def _removed_identifier(clause: str, key: str, columns: list[str], evidence: Evidence) -> ClauseEvidence:
    """Judge an identifier that must be gone: by names of columns, by what values are, or as they tell records apart."""
    apart = _columns_of_findings(evidence, "column-singles-out", "sensitive-column-singles-out", "text-released")
    sure = [name for name in columns if key not in DOUBTFUL or name in (*apart, *_by_values(evidence))]
    if sure:
        return _clause(clause, key, "fails", Message("clause.released", names=sure), sure)
    if columns:  # a plan, a record, a number of children
        return _clause(clause, key, "person", Message("clause.doubtful", names=columns), columns)
    texts = _columns_of_findings(evidence, "text-released")
    if texts:
        return _clause(clause, key, "person", Message("clause.text", names=texts), texts)
    if key == "other" and apart:
        return _clause(clause, key, "person", Message("clause.tells-apart", names=apart), apart)
    return _clause(clause, key, "holds", Message("clause.none-released"))


def _columns_of_findings(evidence: Evidence, *codes: str) -> list[str]:
    """Return the columns of some findings."""
    findings = evidence.verdict.findings if evidence.verdict is not None else []
    return list(dict.fromkeys(name for each in findings if each.code in codes for name in each.columns))


def _by_values(evidence: Evidence) -> dict[str, str]:
    """Return the identifiers that released columns are by their values, whatever they are called."""
    findings = evidence.verdict.findings if evidence.verdict is not None else []
    forms = {each.columns[0]: str(each.measured["form"]) for each in findings if each.code == "identifiers-released"}
    return {name: _FORMS.get(form, "other") for name, form in forms.items()}


def _expert(choice: PresetChoice, evidence: Evidence, listed: Listed) -> Iterator[ClauseEvidence]:
    yield _clause("(b)(1)", "expert", "person", Message("clause.expert"))
    yield _clause("(b)(1)(i)", "very_small_risk", *_risk(evidence))
    yield _clause("(b)(1)(ii)", "documented", "holds", Message("clause.documented"))


def _risk(evidence: Evidence) -> tuple[Answer, Message]:
    """Say what the highest risk of a record is; that a risk within the limit is small enough, a person says."""
    highest = None if evidence.criteria is None else evidence.criteria.risk.highest
    if highest is None:
        return "person", Message("clause.risk-not-counted")
    return ("person" if highest <= LIMIT else "fails"), Message("clause.risk", risk=highest, limit=LIMIT)


# -- Europe


def _gdpr(choice: PresetChoice, evidence: Evidence, listed: Listed) -> Iterator[ClauseEvidence]:
    for key in CRITERIA:
        yield _clause("WP 216, 2.2.2", key, *_criterion(evidence, key))
    yield _clause("Recital 26", "means", "person", Message("clause.means"))


def _criterion(evidence: Evidence, key: str) -> tuple[Answer, Message]:
    criterion: Criterion | None = None if evidence.criteria is None else getattr(evidence.criteria, key)
    if criterion is None or criterion.worst is None:
        return "person", Message("clause.not-attacked")
    worst = criterion.worst
    words = Message("clause.attacked", attack=worst.name, success=worst.success, control=worst.control)
    return ("fails" if criterion.beyond_control else "holds"), words


def _ehds(choice: PresetChoice, evidence: Evidence, listed: Listed) -> Iterator[ClauseEvidence]:
    yield _clause(
        "Art. 66(1)", "minimisation", "person", Message("clause.minimisation", names=_released_columns(evidence))
    )
    for key in CRITERIA:
        yield _clause("Art. 66(2)", key, *_criterion(evidence, key))
    yield _clause("Art. 66(2)", "very_small_risk", *_risk(evidence))
    coded = _columns_of_findings(evidence, "pseudonym-released")
    if coded:
        yield _clause("Art. 66(3)", "pseudonyms", "person", Message("clause.pseudonyms", names=coded), coded)
    else:
        yield _clause("Art. 66(3)", "pseudonyms", "holds", Message("clause.no-pseudonyms"))


def _released_columns(evidence: Evidence) -> list[str]:
    return [] if evidence.released is None else list(evidence.released.columns)
