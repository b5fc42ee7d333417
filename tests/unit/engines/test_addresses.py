"""Addresses of databases, taken apart without showing a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import ParameterError
from antifaz.engines.addresses import Address, has_password, is_address, parse, placed
from failing import Like, failing, like, near

SECRET = "s3cret-word"


def test_an_address_has_fields_and_shows_no_password() -> None:
    address = parse(f"postgresql://an%40a:{SECRET}@db.example/sal%20es")
    assert address == Address(scheme="postgresql", user="an@a", host="db.example", port=5432, database="sal es")
    assert address.password == SECRET
    assert SECRET not in f"{address} {address!r}"
    assert str(address) == "postgresql://an@a@db.example:5432/sal es"
    assert (parse("mariadb://h:1/x").port, parse("mariadb:///x").host) == (1, "localhost")


def test_a_file_is_shown_by_its_name_alone() -> None:
    address = parse("sqlite:////home/ana/people.db")
    assert (address.database, str(address), address.in_file) == ("/home/ana/people.db", "sqlite:///people.db", True)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("postgres-ql://h/x", like("database.unknown-kind", scheme="postgres-ql", hint=near("postgresql"))),
        ("postgresql+nothing://h/x", "database.address-names-driver"),
        ("postgresql://h:port/x", "database.address-unreadable"),
        ("postgresql://h", "database.address-without-database"),
        ("sqlite://h/x", "database.address-of-file"),
        ("sqlite:///", "database.address-of-file"),
        ("postgresql://h/x?passfile=/etc/passwd", like("database.unknown-address-option", name="passfile")),
    ],
)
def test_what_is_wrong_is_said(place: str, expected: str | Like) -> None:
    with failing(expected, ParameterError):
        parse(place)


def test_what_is_an_address_and_what_has_a_password() -> None:
    assert is_address("SQLite:///x")
    assert not any(is_address(place) for place in ("people.csv", "hdfs://h/x", 7))
    assert has_password(f"mariadb://me:{SECRET}@h/x")
    assert has_password(f"mariadb://me:{SECRET}@[h/x")
    assert not has_password("mariadb://me@h:1/x")


def test_the_path_of_a_file_is_seen_from_a_folder() -> None:
    assert placed("sqlite:///a b.db?x=1", Path("/data")) == "sqlite:////data/a%20b.db?x=1"
    assert placed("sqlite:////there/a.db", Path("/data")) == "sqlite:////there/a.db"
    assert placed("mariadb:///x", Path("/data")) == "mariadb:///x"
    assert placed("people.csv", Path("/data")) == "people.csv"
