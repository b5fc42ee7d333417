"""Where data sets come from: addresses of databases, files of the machine, and what another process is told."""

import pytest

from antifaz.core.errors import InputError, ParameterError
from antifaz.service.dataset_sources import DatabaseSource, Reading, address, allowed_path, is_file
from antifaz.service.errors import NotAllowed
from failing import failing


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "mariadb", "host": "db", "port": 3306, "database": "x/y?z", "user": "a@b:c"},
         "mariadb://a%40b%3Ac@db:3306/x%2Fy%3Fz"),
        ({"kind": "postgresql", "host": "::1", "port": None, "database": "d", "user": None, "tls": True},
         "postgresql://[::1]/d?sslmode=require"),
    ],
)  # fmt: skip
def test_check_32_the_fields_of_an_address_stay_in_their_places(fields, expected):
    kind = fields.pop("kind")
    assert address(kind, **fields) == expected


@pytest.mark.parametrize("host", ["evil.org/x", "a@b", "a?b", "a#b", "a b", "a\nb"])
def test_check_32_a_host_that_is_no_host_is_refused(host):
    with failing("service.host-wrong", InputError):
        address("postgresql", host=host, port=1, database="d", user="u")


def test_a_server_that_can_not_be_asked_for_encryption_is_not_reached_without_it(monkeypatch):
    from antifaz.engines.dialects.postgresql import PostgreSQL

    monkeypatch.setattr(PostgreSQL, "secured", "")
    asked = {"host": "db", "port": None, "database": "d", "user": None}
    assert address("postgresql", **asked) == "postgresql://db/d"
    with failing("service.no-encrypted-connection", InputError):
        address("postgresql", **asked, tls=True)


@pytest.mark.parametrize("ask", [is_file, lambda kind: address(kind, host="h", port=1, database="d", user=None)])
def test_a_kind_of_database_that_there_is_not_is_refused(ask):
    with failing("database.unknown-kind", ParameterError):
        ask("oracle")
    assert (is_file("sqlite"), is_file("postgresql")) == (True, False)


def test_the_password_of_a_database_is_reference_over_but_not_written_down():
    place = DatabaseSource("mariadb://u@h/d", "t", None, "hush")
    reference = place.reference("t", "database", Reading())
    assert reference.password == "hush"
    assert "hush" not in repr(reference) + str(reference.again) + str(reference.source)


def test_check_31_a_file_of_the_machine_is_opened_only_where_that_is_allowed(tmp_path):
    inside = tmp_path / "root" / "a.csv"
    assert allowed_path(str(inside), None, shared=False) == inside
    assert allowed_path(str(inside), tmp_path / "root", shared=True) == inside
    with pytest.raises(NotAllowed):
        allowed_path(str(inside), None, shared=True)
    with pytest.raises(NotAllowed):
        allowed_path(str(tmp_path / "root" / ".." / "b.csv"), tmp_path / "root", shared=False)
    for wrong in ("a.csv", "\0"):
        with pytest.raises(InputError):
            allowed_path(wrong, None, shared=False)
