"""May this release be handed over? One answer from what was measured in the released rows, with what helps.

Each check looks at one thing and gives a finding with its figures, its words and a remedy: a part of the project file
where one line of it helps. The answer is the worst that any finding leaves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.privacy import known_model
from antifaz.proposals.audiences import AUDIENCES, USUAL, audience_words
from antifaz.releases.attack_findings import attack_findings, known_method_findings
from antifaz.releases.evidence import Evidence
from antifaz.releases.findings import MANY_ALONE, finding_of, first_names, raise_k, remedy_of, remove_columns
from antifaz.releases.verdict_evidence import ANSWERS, HandOver, ReleaseVerdict, VerdictFinding

#: From this share, its values are as good as a number of the record, and no generalization of it is worth much.
_NEARLY_UNIQUE = 0.5
#: From this share of records left out, the release is no longer about the same people.
_MANY_LEFT_OUT = 0.1
#: From so many rows per value an identifier is a person's, who has several; below, two people may share a name.
_SURELY_SEVERAL = 1.5
#: How many records share a weight that is averaged, where the release asks for no k.
_SHARED = 5


@dataclass(frozen=True, kw_only=True)
class PeopleInClasses:
    """An identifier whose values repeat: a person has several rows, and a class fewer people than rows."""

    column: str
    people: int
    #: The most rows of one person.
    most_rows: int
    #: The fewest people in a class of the release; None where no classes were made.
    fewest: int | None


@dataclass(frozen=True, kw_only=True)
class ReleaseMeasures:
    """What is counted in the released rows for the verdict, beside the evidence."""

    #: Per column that is released exact, how many records are alone with their value of it.
    alone: Mapping[str, int] = field(default_factory=dict)
    #: Per insensitive one, how many are with the quasi-identifiers as well.
    alone_in_class: Mapping[str, int] = field(default_factory=dict)
    #: Columns released exact whose values reach people whatever they are called: e-mail addresses, bank accounts.
    reaching: Mapping[str, str] = field(default_factory=dict)
    #: Columns that would have to be counted and were not, because the rows are too many to come here.
    not_counted: Sequence[str] = ()
    #: Quasi-identifiers of which nothing but '*' is left.
    emptied: Sequence[str] = ()
    people: Sequence[PeopleInClasses] = ()
    #: Per column of redacted text, how many marks of each kind are in it; None where they were not counted.
    redacted: Mapping[str, Mapping[str, int] | None] = field(default_factory=dict)

    #: Where a rule is to be judged, the different values of released columns that it names; None: not counted.
    listed: Mapping[str, frozenset[str] | None] = field(default_factory=dict)


def judge_hand_over(evidence: Evidence, measures: ReleaseMeasures, audience: str | None = None) -> ReleaseVerdict:
    """Answer whether a release may be handed over; `audience` is known, many or public where somebody said so."""
    # What helps against weights and households is not what helps against other columns.
    survey = () if evidence.survey is None else (evidence.survey.weight, evidence.survey.household)
    columns = replace(
        measures,
        alone={name: number for name, number in measures.alone.items() if name not in survey},
        alone_in_class={name: number for name, number in measures.alone_in_class.items() if name not in survey},
    )
    findings = [
        *_light(evidence),
        *_columns(evidence, columns),
        *survey_findings(evidence, measures.alone, measures.alone_in_class),
    ]
    findings += [*_people(evidence, measures), *_redaction_findings(measures)]
    findings += [*_class_size(evidence, audience), *attack_findings(evidence, audience), *_sensitive(evidence)]
    findings += [*_ledger(evidence), *_pseudonyms(evidence), *_usefulness(evidence, measures)]
    findings += known_method_findings(evidence)
    return verdict_of(findings, audience)


def verdict_of(findings: Sequence[VerdictFinding], audience: str | None = None) -> ReleaseVerdict:
    """Return the answer that some findings leave, the gravest first."""
    ordered = sorted(findings, key=lambda one: -ANSWERS.index(one.weight))
    answer = ordered[0].weight if ordered else "yes"
    number = sum(one.weight == answer for one in ordered)
    words = {
        "yes": Message("verdict.yes"),
        "with care": Message("verdict.with-care", number=number),
        "no": Message("verdict.no"),
    }[answer]
    return ReleaseVerdict(hand_over=answer, words=words, audience=audience, findings=ordered)


def judge_together(tables: Mapping[str, Evidence], joined: Mapping[str, Sequence[str]]) -> ReleaseVerdict:
    """Return the verdict on several tables; `joined` are the tables that each shared key can join."""
    findings = [
        finding.model_copy(update={"words": Message("finding.table", table=name, words=finding.words)})
        for name, table in tables.items()
        for finding in (table.verdict.findings if table.verdict is not None else ())
    ]
    for name, whose in joined.items():
        words = Message("finding.tables-can-be-joined", tables=list(whose), name=name)
        remedy = remedy_of(Message("remedy.keep-tables-apart"))
        findings.append(finding_of("tables-can-be-joined", "with care", [name], {"tables": list(whose)}, words, remedy))
    return verdict_of(findings)


# -- what was released


def _light(evidence: Evidence) -> Iterator[VerdictFinding]:
    if evidence.kind == "light":
        change = {"kind": "complete", "privacy": [{"model": "k-anonymity", "k": AUDIENCES[USUAL].k}]}
        yield finding_of(
            "privacy-not-evaluated", "no", (), {}, Message("finding.privacy-not-evaluated"),
            remedy_of(Message("remedy.evaluate-privacy"), change),
        )  # fmt: skip


def _columns(evidence: Evidence, measures: ReleaseMeasures) -> Iterator[VerdictFinding]:
    rows, roles = max(evidence.rows.released, 1), {each.name: each.role for each in evidence.attributes}
    harmless = {name: alone for name, alone in measures.alone.items() if roles[name] == Role.INSENSITIVE and alone}
    grave = {name: alone for name, alone in harmless.items() if alone >= MANY_ALONE * rows}
    for weight, group in (("no", grave), ("with care", {n: a for n, a in harmless.items() if n not in grave})):
        if group:
            yield _exact(weight, group, rows)
    yield from _in_class({n: a for n, a in measures.alone_in_class.items() if n not in harmless and a}, rows)
    hidden = {n: a for n, a in measures.alone.items() if roles[n] == Role.SENSITIVE and a >= MANY_ALONE * rows}
    if hidden:
        yield _exact_sensitive(hidden, evidence, rows)
    for name, form in measures.reaching.items():
        words = Message("finding.identifiers-released", name=name, what=Message(f"pattern.{form}"))
        yield finding_of("identifiers-released", "no", [name], {"form": form}, words, remove_columns([name]))
    if measures.not_counted:
        yield finding_of(
            "exact-columns-not-counted", "with care", measures.not_counted, {},
            Message("finding.exact-columns-not-counted", names=first_names(measures.not_counted)),
            remedy_of(Message("remedy.assess")),
        )  # fmt: skip


def _redaction_findings(measures: ReleaseMeasures) -> Iterator[VerdictFinding]:
    for name, marks in measures.redacted.items():
        words = Message("finding.text-released", name=name, number=sum((marks or {}).values()))
        yield finding_of(
            "text-released", "with care", [name], {"redacted": None if marks is None else dict(marks)}, words,
            remove_columns([name]),
        )  # fmt: skip


def _exact(weight: Any, alone: Mapping[str, int], rows: int) -> VerdictFinding:
    """Columns that nobody is said to know, and by whose exact values people can be told apart."""
    names = sorted(alone, key=lambda name: -alone[name])
    unique = [name for name in names if alone[name] >= _NEARLY_UNIQUE * rows]
    worst: dict[str, Any] = {"name": names[0], "alone": alone[names[0]], "rows": rows}
    words = Message("finding.column-singles-out", **worst)
    if len(names) > 1:
        words = Message("finding.columns-single-out", number=len(names), names=first_names(names), **worst)
    change = {n: {"role": str(Role.IDENTIFIER if n in unique else Role.QUASI_IDENTIFIER)} for n in names}
    remedy = Message(
        "remedy.remove" if len(unique) == len(names) else "remedy.make-quasi-identifier", names=first_names(names)
    )
    return finding_of(
        "column-singles-out", weight, names, {"records": rows, "alone": dict(alone)}, words,
        remedy_of(remedy, {"attributes": change}),
    )  # fmt: skip


def _in_class(alone: Mapping[str, int], rows: int) -> Iterator[VerdictFinding]:
    """Columns that nobody is said to know: within a class they tell people apart."""
    if not alone:
        return
    names = sorted(alone, key=lambda name: -alone[name])
    words = Message(
        "finding.column-singles-out-in-class", name=names[0], alone=alone[names[0]], rows=rows, names=first_names(names)
    )
    yield finding_of(
        "column-singles-out-in-class", "with care", names, {"records": rows, "alone": dict(alone)}, words,
        remedy_of(Message("remedy.if-known-make-quasi-identifier", names=first_names(names)),
                {"attributes": {name: {"role": str(Role.QUASI_IDENTIFIER)} for name in names}}),
    )  # fmt: skip


def _exact_sensitive(alone: Mapping[str, int], evidence: Evidence, rows: int) -> VerdictFinding:
    """Sensitive columns whose exact values are nearly all different: who knows one knows the record."""
    names = sorted(alone, key=lambda name: -alone[name])
    types = {each.name: each.type for each in evidence.attributes}
    k = evidence.risk.k if evidence.risk is not None else AUDIENCES[USUAL].k
    numbers = {"operation": {"name": "microaggregate", "k": k}}
    change = {n: numbers if types[n] in ("integer", "decimal") else {"role": str(Role.IDENTIFIER)} for n in names}
    worst: dict[str, Any] = {"name": names[0], "alone": alone[names[0]], "rows": rows}
    words = Message("finding.sensitive-column-singles-out", **worst)
    if len(names) > 1:
        words = Message("finding.sensitive-columns-single-out", names=first_names(names), **worst)
    return finding_of(
        "sensitive-column-singles-out", "with care", names, {"records": rows, "alone": dict(alone)}, words,
        remedy_of(Message("remedy.coarsen", names=first_names(names), k=k), {"attributes": change}),
    )  # fmt: skip


def _people(evidence: Evidence, measures: ReleaseMeasures) -> Iterator[VerdictFinding]:
    k = evidence.risk.k if evidence.risk is not None else None
    for each in measures.people:
        if each.fewest is not None and (k is None or each.fewest >= k):
            continue  # every class has so many different people
        surely = each.fewest is not None and evidence.rows.read >= _SURELY_SEVERAL * each.people
        measured = {"people": each.people, "most_rows": each.most_rows, "rows": evidence.rows.read}
        measured |= {} if each.fewest is None else {"fewest_people_in_class": each.fewest}
        if each.fewest is None:
            words = Message("finding.person-repeats", name=each.column, **measured)
        elif surely:
            words = Message("finding.fewer-people-than-k", name=each.column, k=k, **measured)
        else:
            words = Message("finding.perhaps-fewer-people-than-k", name=each.column, k=k, **measured)
        yield finding_of(
            "several-rows-per-person", "no" if surely else "with care", [each.column], measured, words,
            remedy_of(Message("remedy.count-people"), {"attributes": {each.column: {"role": str(Role.PERSON)}}}),
        )  # fmt: skip


def _class_size(evidence: Evidence, audience: str | None) -> Iterator[VerdictFinding]:
    limit, reached = AUDIENCES[audience or "known"], _smallest(evidence)
    if not reached or reached >= limit.k:  # of no record there is nobody to find
        return
    measured = {"k": reached, "wanted": limit.k, "risk": 1 / reached}
    remedy, whom = raise_k(limit.k, evidence), audience_words(audience)
    if reached == 1:
        yield finding_of("nobody-is-hidden", "no", (), measured, Message("finding.nobody-is-hidden"), remedy)
        return
    words = Message("finding.low-k", k=reached, wanted=limit.k, audience=whom, risk=1 / reached)
    yield finding_of("low-k", "with care", (), measured, words, remedy)


def _smallest(evidence: Evidence) -> int | None:
    """Return how many the fewest look-alikes are, as the models of class sizes count them; else the smallest class."""
    counted = [v.achieved for v in evidence.privacy if (model := known_model(v.model)) and model.achieves_size]
    sized = [int(achieved) for achieved in counted if achieved]
    if sized:
        return min(sized)
    return None if evidence.classes is None else evidence.classes.after.smallest


# -- what was asked for, and what is left


def _sensitive(evidence: Evidence) -> Iterator[VerdictFinding]:
    protected = {getattr(verdict, "attribute", None) for verdict in evidence.privacy}
    names = [each.name for each in evidence.attributes if each.role == Role.SENSITIVE and each.name not in protected]
    if names and evidence.kind != "light":
        models = [{"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": name} for name in names]
        words = "finding.sensitive-column-without-model" if len(names) == 1 else "finding.sensitive-without-model"
        yield finding_of(
            "sensitive-without-model", "with care", names, {},
            Message(words, names=first_names(names)),
            remedy_of(Message("remedy.add-model"), {"privacy": models}),
        )  # fmt: skip


def _ledger(evidence: Evidence) -> Iterator[VerdictFinding]:
    ledger = evidence.ledger
    if ledger is None:
        return
    if ledger.holds is False:
        measured = {"smallest": ledger.smallest_intersection or 0, "k": ledger.k or 0, "exposed": ledger.exposed or 0}
        yield finding_of(
            "earlier-releases-break-k", "no", (), measured, Message("finding.earlier-releases-break-k", **measured),
            remedy_of(Message("remedy.release-once")),
        )  # fmt: skip
    elif ledger.notes:
        yield finding_of(
            "earlier-releases-not-checked", "with care", (), {"notes": len(ledger.notes)},
            Message("finding.earlier-releases-not-checked", note=ledger.notes[0]),
            remedy_of(Message("remedy.name-people-for-ledger")),
        )  # fmt: skip


def _pseudonyms(evidence: Evidence) -> Iterator[VerdictFinding]:
    warned = [w for w in evidence.warnings if isinstance(w, Message) and w.code == "warning.still-personal-data"]
    for warning in warned:
        names = list(warning.values["names"])
        yield finding_of(
            "pseudonym-released", "with care", names, {},
            Message("finding.pseudonym-released", names=first_names(names)), remove_columns(names),
        )  # fmt: skip


def _usefulness(evidence: Evidence, measures: ReleaseMeasures) -> Iterator[VerdictFinding]:
    auto = {"method": {"name": "auto"}} if evidence.method.name != "auto" else None
    if measures.emptied:
        names = list(measures.emptied)
        remedy = remedy_of(Message("remedy.try-methods"), auto) if auto else remove_columns(names)
        words = Message("finding.column-emptied", names=first_names(names))
        yield finding_of("column-emptied", "with care", names, {}, words, remedy)
    rows = evidence.rows
    if rows.read and rows.suppressed > _MANY_LEFT_OUT * rows.read:
        measured = {"left_out": rows.suppressed, "read": rows.read}
        words = Message("finding.many-left-out", share=rows.suppressed / rows.read, **measured)
        remedy = remedy_of(Message("remedy.try-methods"), auto)
        if any(verdict.model == "differential-privacy" for verdict in evidence.privacy):
            remedy = remedy_of(Message("remedy.allow-larger-epsilon"))  # it is in a sample that people hide
        yield finding_of("many-left-out", "with care", (), measured, words, remedy)


def survey_findings(
    evidence: Evidence, by_value: Mapping[str, int], by_class: Mapping[str, int]
) -> Iterator[VerdictFinding]:
    """Judge weights and households; by columns, so many records are alone, and so many with the quasi-identifiers."""
    survey, rows = evidence.survey, max(evidence.rows.released, 1)
    if survey is None:
        return
    alone, in_class = by_value.get(survey.weight or "", 0), by_class.get(survey.weight or "", 0)
    if survey.weight is not None and (alone or in_class):
        measured = {"records": rows, "alone": alone, "alone_in_class": in_class}
        k = max(evidence.risk.k if evidence.risk is not None else 0, _SHARED)
        change = {"attributes": {survey.weight: {"operation": {"name": "microaggregate", "k": k}}}}
        words = Message("finding.weight-singles-out", name=survey.weight, alone=alone, in_class=in_class, rows=rows)
        yield finding_of(
            "weight-singles-out", _answer(alone, rows), [survey.weight], measured, words,
            remedy_of(Message("remedy.average-weights", name=survey.weight, k=k), change),
        )  # fmt: skip
    homes = survey.households
    if homes is not None and homes.alone and survey.household is not None:
        measured = {"households": homes.number, "alone": homes.alone, "records": homes.records}
        words = Message("finding.household-singles-out", name=survey.household, **measured)
        yield finding_of(
            "household-singles-out", _answer(homes.records, rows), [survey.household], measured, words,
            remove_columns([survey.household]),
        )  # fmt: skip


def _answer(records: int, rows: int) -> HandOver:
    return "no" if records >= MANY_ALONE * rows else "with care"
