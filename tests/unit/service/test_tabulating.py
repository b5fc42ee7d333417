"""What may be asked of a table, where several people share a service."""

import pytest
from tests.failing import failing

from antifaz.service.errors import NotAllowed
from antifaz.service.job_request import check_request

ROW = {"text": "antifaz: 1\nname: people\n", "folder": "/nowhere", "file": "project.yaml"}
BY = [{"column": "town"}]
THRESHOLD = [{"rule": "threshold", "k": 5}]
NOISE = {"dimensions": BY, "person": ["who"]}


def asked(tabulation, **more):
    told = {"accounts": True, "keys": ["mine.key"], **more}
    return check_request(ROW, "tabulate", {"tabulation": tabulation, "table": None}, {"": object()}, **told)


def test_a_project_needs_nothing_but_data():
    wanted = {"dimensions": BY, "rules": THRESHOLD}
    assert asked(wanted) == {"tabulation": wanted}


@pytest.mark.parametrize(
    "wanted",
    [
        {"dimensions": [{"column": "town", "hierarchy": {"file": "/etc/passwd"}}], "rules": THRESHOLD},
        {**NOISE, "protection": {"name": "cell-key", "key": "/etc/passwd"}},
    ],
)
def test_no_file_of_the_machine_is_named_where_people_share_a_service(wanted):
    with failing("service.project-names-own-file", NotAllowed):
        asked(wanted)
    assert asked(wanted, accounts=False)["tabulation"] == wanted


def test_a_key_of_ones_own_is_named():
    wanted = {**NOISE, "protection": {"name": "cell-key", "key": "mine.key"}}
    assert asked(wanted)["tabulation"] == wanted


def test_one_of_several_tables_is_named():
    several = ROW | {"text": "antifaz: 1\nname: two\ntables: {a: {}, b: {}}\n"}
    given, wanted = {"a": object()}, {"tabulation": {"dimensions": BY, "rules": THRESHOLD}}
    assert check_request(several, "tabulate", {**wanted, "table": "a"}, given, accounts=False)["table"] == "a"
    for table, code in {None: "say-which-table", "b": "tabulation-needs-data", "c": "unknown-table"}.items():
        with failing(f"service.{code}"):
            check_request(several, "tabulate", {**wanted, "table": table}, given, accounts=False)
