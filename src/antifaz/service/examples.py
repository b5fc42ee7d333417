"""Examples to try things on: made-up data sets, encrypted like an upload, and a project that is ready to run."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError, hint
from antifaz.service.dataset_sources import UploadedFile
from antifaz.service.datasets import Datasets
from antifaz.service.user_projects import UserProjects

if TYPE_CHECKING:
    import pyarrow as pa

    from antifaz.service.vault import Vault

#: The most rows that are made up at once.
MOST = 1_000_000
#: The rows of the example project.
ROWS = 2_000
_ID = re.compile(r"(?P<rows>\d{1,7})\.[0-9a-f]{24}")


def example_id(name: str, rows: int | None = None) -> str:
    """Return an id for an example, which says what it is: nothing of it is secret, and it can be made again."""
    return f"{name}.{rows or 0}.{secrets.token_hex(12)}"


def remake_example(vault: Vault, id: str) -> UploadedFile | None:
    """Make an example again by its id, as after a restart; None where it is no example's."""
    name, _, rest = id.partition(".")
    match = _ID.fullmatch(rest)
    return make_example(vault, name, int(match["rows"]) or None) if match and name in _makers() else None


def make_example(vault: Vault, name: str, rows: int | None = None) -> UploadedFile:
    """Make an example and keep it; its name as a file is `name.csv`."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    makers = _makers()
    if name not in makers:
        raise InputError("service.unknown-example", name=name, hint=hint(name, makers))
    if rows is not None and not 1 <= rows <= MOST:
        raise InputError("service.example-size-out-of-bounds", most=MOST)
    written = pa.BufferOutputStream()
    pacsv.write_csv(makers[name](rows), written)
    with vault.open_writer() as writer:
        writer.write(memoryview(written.getvalue()))
        encrypted = writer.finish()
    return UploadedFile(vault, encrypted.id, f"{name}.csv", encrypted.bytes)


def _makers() -> dict[str, Callable[[int | None], pa.Table]]:
    from antifaz.datasets import people, salaries, students
    from antifaz.datasets.small_tables import nineteen_people, six_people

    return {
        "six-people": lambda rows: six_people().slice(0, rows),
        "nineteen-people": lambda rows: nineteen_people().slice(0, rows),
        "people": lambda rows: people(rows or 10_000, seed=1),
        "salaries": lambda rows: salaries(rows or 10_000, seed=1),
        "students": lambda rows: students(rows or 500, seed=1),
    }


def example_document() -> dict[str, Any]:
    """Return what the project file says."""
    from antifaz.projects.demo import HIERARCHIES, ROLES  # it brings all methods

    return {
        "antifaz": 1,
        "attributes": {
            name: {"role": role} | ({"hierarchy": HIERARCHIES[name]} if name in HIERARCHIES else {})
            for name, role in ROLES.items()
        },
        "privacy": [
            {"model": "k-anonymity", "k": 5},
            {"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": "diagnosis"},
        ],
        "method": {"name": "full-domain", "quality": "loss", "suppression": 0.05},
        "seed": 1,
    }


def make_example_project(projects: UserProjects, datasets: Datasets, vault: Vault, owner: str) -> dict[str, Any]:
    """Make the data set and the project; a second one gets a number behind its name."""
    place = make_example(vault, "people", ROWS)
    made = datasets.add(owner, "people.csv", "example", place, id=example_id("people", ROWS))
    return projects.make(projects.free_name("Example: people"), dataset=made["id"], document=example_document())
