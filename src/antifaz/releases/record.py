"""The record of processing activities that article 30(1) of the GDPR asks the controller to keep."""

from __future__ import annotations

from typing import Any

from antifaz.core.roles import Role

_CONTROLLER = ("name", "contact", "joint_controller", "representative", "data_protection_officer")


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
    given = controller or {}
    fields = {
        "a_controller": {key: given.get(key) for key in _CONTROLLER},
        "b_purposes": given.get("purposes"),
        "c_categories": {
            "data_subjects": given.get("data_subjects"),
            "personal_data": _personal_data(evidence),
        },
        "d_recipients": given.get("recipients", evidence.get("recipient")),
        "e_third_country_transfers": given.get("transfers"),
        "f_erasure": {
            "original_and_release": given.get("erasure"),
            "working_data": "antifaz keeps nothing: temporary data is encrypted under a key that exists in memory "
            "only, and is deleted when the run ends; if the run is killed, the key is lost with it.",
        },
        "g_measures": _measures(evidence),
    }
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
        "to_fill_in": _to_fill_in(fields),
    }


def _personal_data(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    # k-anonymity alone says nothing about a sensitive column: only a model that names it limits what can be learned.
    guarded = [verdict.get("attribute") for verdict in _objects(evidence, "privacy")]
    return [
        {
            "column": attribute.get("name"),
            "type": attribute.get("type"),
            "role": attribute.get("role"),
            "treatment": _treatment(attribute, guarded),
        }
        for attribute in _objects(evidence, "attributes")
    ]


def _treatment(attribute: dict[str, Any], guarded: list[Any]) -> str:
    role = attribute.get("role")
    done = ", then ".join(str(operation.get("name")) for operation in _objects(attribute, "operations"))
    if role == Role.IDENTIFIER and attribute.get("released"):
        return f"released after {done}"
    if role == Role.IDENTIFIER:
        return "removed"
    before = f"{done}, then " if done else ""
    return before + _released(attribute, guarded)


def _released(attribute: dict[str, Any], guarded: list[Any]) -> str:
    role = attribute.get("role")
    level, height = attribute.get("level"), attribute.get("height")
    if role == Role.QUASI_IDENTIFIER and level is not None:
        at = f"level {level}" + (f" of {height}" if height is not None else "")
        return f"generalized to {at}" if level else "released as it was (level 0)"
    if role == Role.QUASI_IDENTIFIER:
        return "generalized by the method"
    return "released, limited by a privacy model" if attribute.get("name") in guarded else "released"


def _objects(evidence: dict[str, Any], key: str) -> list[dict[str, Any]]:
    given = evidence.get(key)
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def _measures(evidence: dict[str, Any]) -> list[str]:
    """Return the technical measures that the evidence shows, and those that are part of every run."""
    said: list[str] = []
    attributes = _objects(evidence, "attributes")
    removed = [str(a.get("name")) for a in attributes if a.get("role") == Role.IDENTIFIER and not a.get("released")]
    if removed:
        said.append("Direct identifiers removed: " + ", ".join(removed) + ".")
    for attribute in attributes:
        done = ", ".join(str(operation.get("name")) for operation in _objects(attribute, "operations"))
        said += [f"Operation on {attribute.get('name')}: {done}."] * bool(done)
    if evidence.get("kind") == "light":
        said.append("No privacy model was evaluated; the release is not anonymous.")
    method = evidence.get("method")
    if isinstance(method, dict) and method.get("name"):
        said.append(f"De-identified with the method {method['name']}.")
    for verdict in _objects(evidence, "privacy"):
        said.append(_verdict(verdict))
    rows = evidence.get("rows")
    if isinstance(rows, dict) and rows.get("suppressed"):
        said.append(f"{rows['suppressed']} records left out because they stood out.")
    return [
        *said,
        "Released rows put in random order, so that their place says nothing about the original.",
        "Temporary data encrypted under a key that exists in memory only.",
        "The release was written aside, read back and checked before it was put in place.",
    ]


def _verdict(verdict: dict[str, Any]) -> str:
    known = ("model", "achieved", "holds", "failing", "note")
    asked = ", ".join(f"{key} = {value}" for key, value in verdict.items() if key not in known)
    holds = "holds" if verdict.get("holds") is True else "does NOT hold"
    return f"{verdict.get('model')} ({asked}): {holds}, found {verdict.get('achieved')}, counted in the released file."


_ASK = {
    "a_controller.name": "Name of the controller.",
    "a_controller.contact": "Contact details of the controller.",
    "a_controller.joint_controller": "Joint controller, if there is one.",
    "a_controller.representative": "The controller's representative, if there is one.",
    "a_controller.data_protection_officer": "Data protection officer, if there is one, and contact details.",
    "b_purposes": "Purposes of the processing, and of releasing the data.",
    "c_categories.data_subjects": "Whose data it is: patients, employees, students, …",
    "c_categories.personal_data": "Categories of personal data (the columns and their roles were not in the evidence).",
    "d_recipients": "Who has received or will receive the release.",
    "e_third_country_transfers": "Transfers to third countries and their safeguards, or 'none'.",
    "f_erasure.original_and_release": "When the original data and the release are to be erased.",
}


def _to_fill_in(fields: dict[str, Any]) -> list[dict[str, str]]:
    missing = []
    for path, ask in _ASK.items():
        value: Any = fields
        for key in path.split("."):
            value = value[key]
        if value is None or value == []:
            missing.append({"field": path, "to_be_filled_in": ask})
    return missing
