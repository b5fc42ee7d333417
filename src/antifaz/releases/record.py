"""The record of processing activities that article 30(1) of the GDPR asks the controller to keep."""

from collections.abc import Mapping
from typing import Any

from antifaz.core.language import Words, words
from antifaz.core.roles import Role
from antifaz.core.verdicts import OUTCOME
from antifaz.releases.evidence import objects, under

ENGLISH = words("reports", "en")
#: Who is responsible, by the keys under which a project says so.
CONTROLLER = ("name", "contact", "joint_controller", "representative", "data_protection_officer")
#: Where goes what only the controller can say; `ask.` and the key has the words that ask for it.
_FIELDS = {key: ("a_controller", key) for key in CONTROLLER} | {
    "purposes": ("b_purposes",),
    "data_subjects": ("c_categories", "data_subjects"),
    "personal_data": ("c_categories", "personal_data"),
    "recipients": ("d_recipients",),
    "transfers": ("e_third_country_transfers",),
    "erasure": ("f_erasure", "original_and_release"),
}


def record(
    evidence: dict[str, Any], *, controller: dict[str, Any] | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Return the record of a release with the fields (a) to (g) of article 30(1) GDPR.

    What can be known from the run is filled in. What only the controller knows is null and named in `to_fill_in`, with
    what is to be written there. `controller` may give name, contact, joint_controller, representative,
    data_protection_officer, purposes, data_subjects, recipients, transfers and erasure.

    The seed is here and not in the evidence: the order of the released rows comes from it, so whoever has both seed and
    data could undo the order and tell which row was whose. Keep this file inside; the evidence and the report may go
    out with the release.
    """
    fields = article_30(evidence, controller or {})
    return {
        "antifaz": 1,
        "kind": "record of processing activities, article 30(1) GDPR",
        "keep": "Keep this file inside: with the seed and the original data the order of the released rows can be "
        "undone.",
        "project": evidence.get("project"),
        "created": evidence.get("created"),
        "version": evidence.get("version"),
        "rows": evidence.get("rows"),
        "released": evidence.get("released"),
        "seed": seed,
        "article_30": fields,
        "to_fill_in": to_fill_in(fields),
    } | ({"ledger": evidence["ledger"]} if "ledger" in evidence else {})


def article_30(evidence: dict[str, Any], controller: dict[str, Any], w: Words = ENGLISH) -> dict[str, Any]:
    """Return the fields (a) to (g); what nobody said is None."""
    recipient = under(evidence, "criteria", "recipient") or evidence.get("recipient")
    subjects = controller.get("data_subjects")
    return {
        "a_controller": {key: controller.get(key) for key in CONTROLLER},
        "b_purposes": controller.get("purposes"),
        "c_categories": {"data_subjects": subjects, "personal_data": _personal_data(evidence, w)},
        "d_recipients": controller.get("recipients") or recipient,
        "e_third_country_transfers": controller.get("transfers"),
        "f_erasure": {"original_and_release": controller.get("erasure"), "working_data": w("record.working_data")},
        "g_measures": _measures(evidence, w),
    }


def controller_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the controller said, from the fields of article 30 that it went into."""
    return {key: under(fields, *path) for key, path in _FIELDS.items() if key != "personal_data"}


def _personal_data(evidence: dict[str, Any], w: Words) -> list[dict[str, Any]]:
    # k-anonymity alone says nothing about a sensitive column: only a model that names it limits what can be learned.
    protected = [verdict.get("attribute") for verdict in objects(evidence.get("privacy"))]
    return [
        {
            "column": attribute.get("name"),
            "type": attribute.get("type"),
            "role": attribute.get("role"),
            "treatment": _treatment(attribute, protected, w),
        }
        for attribute in objects(evidence.get("attributes"))
    ]


def _treatment(attribute: dict[str, Any], protected: list[Any], w: Words) -> str:
    done = w("record.then").join(str(operation.get("name")) for operation in objects(attribute.get("operations")))
    if attribute.get("role") in (Role.IDENTIFIER, Role.PERSON):
        return w("record.released_after", done=done) if attribute.get("released") else w("record.removed")
    return (f"{done}{w('record.then')}" if done else "") + _released(attribute, protected, w)


def _released(attribute: dict[str, Any], protected: list[Any], w: Words) -> str:
    level, height = attribute.get("level"), attribute.get("height")
    if attribute.get("role") != Role.QUASI_IDENTIFIER:
        return w("record.guarded") if attribute.get("name") in protected else w("record.released")
    if not level:
        return w("record.generalized") if level is None else w("record.level_0")
    of = w("record.of_height", height=w.number(height)) if height is not None else ""
    return w("record.generalized_to", level=w.number(level)) + of


def _measures(evidence: dict[str, Any], w: Words) -> list[str]:
    """Return the technical measures that the evidence shows, and those that are part of every run."""
    measures: list[str] = []
    attributes = objects(evidence.get("attributes"))
    naming = (Role.IDENTIFIER, Role.PERSON)
    removed = [str(a.get("name")) for a in attributes if a.get("role") in naming and not a.get("released")]
    if removed:
        measures.append(w("measure.removed", columns=", ".join(removed)))
    for attribute in attributes:
        done = ", ".join(str(operation.get("name")) for operation in objects(attribute.get("operations")))
        measures += [w("measure.operation", column=str(attribute.get("name")), done=done)] * bool(done)
    if evidence.get("kind") == "light":
        measures.append(w("measure.light"))
    method = evidence.get("method")
    if isinstance(method, dict) and method.get("name"):
        measures.append(w("measure.method", method=w.either(f"method.{method['name']}.title", str(method["name"]))))
    measures += [_verdict(verdict, w) for verdict in objects(evidence.get("privacy"))]
    rows = evidence.get("rows")
    if isinstance(rows, dict) and rows.get("suppressed"):
        measures.append(w("measure.left_out", records=w.count("records", rows["suppressed"])))
    return [*measures, w("measure.order"), w("measure.encrypted"), w("measure.aside")]


def _verdict(verdict: dict[str, Any], w: Words) -> str:
    parameters = ", ".join(f"{key} = {w.number(value)}" for key, value in verdict.items() if key not in OUTCOME)
    model = str(verdict.get("model"))
    title, achieved = w.either(f"model.{model}.title", model), w.number(verdict.get("achieved"))
    key = "measure.holds" if verdict.get("holds") is True else "measure.fails"
    return w(key, model=title, asked=parameters, found=achieved)


def to_fill_in(fields: dict[str, Any]) -> list[dict[str, str]]:
    """Return what is still missing, and what is to be written there."""
    return [
        {"field": ".".join(path), "to_be_filled_in": ENGLISH(f"ask.{key}")}
        for key, path in _FIELDS.items()
        if under(fields, *path) in (None, [])
    ]
