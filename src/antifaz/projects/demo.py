"""The demonstration: made-up people, from a file to a verified release."""

from pathlib import Path
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.datasets import people
from antifaz.datasets.people_trees import COUNTRY, EDUCATION, MARITAL_STATUS, OCCUPATION
from antifaz.engines.registry import open_data
from antifaz.methods import FullDomain
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release
from antifaz.privacy import KAnonymity, LDiversity

#: The age says what is needed of a birth date, so the exact day goes.
_IDENTIFIERS = ("id_number", "name", "birth_date")
_QUASI_IDENTIFIERS = ("age", "sex", "postcode", "education", "marital_status", "country", "occupation")
ROLES = {
    **dict.fromkeys(_IDENTIFIERS, "identifier"),
    **dict.fromkeys(_QUASI_IDENTIFIERS, "quasi-identifier"),
    **dict.fromkeys(("income", "diagnosis"), "sensitive"),
}
#: As project files say them.
HIERARCHIES: dict[str, Any] = {
    "age": {"intervals": [5, 10, 20, 40]}, "sex": {"flat": True}, "postcode": {"masking": 1},
    "education": {"table": EDUCATION}, "marital_status": {"table": MARITAL_STATUS}, "occupation": {"table": OCCUPATION},
    "country": {"table": COUNTRY},
}  # fmt: skip


def demo(
    folder: Path, *, rows: int = 30_000, seed: int = 1, progress: Progress | None = None, **report: Any
) -> dict[str, Any]:
    """Anonymize made-up people (k = 5, l = 2 on the diagnosis) into a folder and return the evidence.

    `report` says what is wanted of the report, as for `Release.save`.
    """
    progress = progress or Progress()
    with progress.step("read", Message("progress.making-up-people", rows=rows)):
        data = open_data(people(rows, seed=seed))
    with data:
        plan = make_plan(
            data.schema, name="demo", roles=ROLES, hierarchies=HIERARCHIES,
            privacy=[KAnonymity(5), LDiversity(2, attribute="diagnosis"), LDiversity(2, attribute="income")],
            method=FullDomain(suppression=0.02), seed=seed,
        )  # fmt: skip
        release = Release(start_run(plan, data, progress))
        release.save(folder, **report)
    return release.evidence | {"folder": str(folder)}
