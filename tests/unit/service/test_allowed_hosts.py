"""Which database servers are reached, and which secret goes to which."""

import pytest

from antifaz.core.errors import InputError
from antifaz.service.allowed_hosts import AllowedHosts
from antifaz.service.errors import NotAllowed
from antifaz.service.worker import _with_secrets
from failing import failing


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("DB_SECRET", "hush:canary")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@db.example.org/d",
        "postgresql://u@DB.Example.org.:5432/d",
        "mariadb://u@db.example.org/d",
        "postgresql://u@other:6000/d",
        "postgresql://[::1]:7000/d",
        "sqlite:////tmp/a.db",  # a file: which may be opened is asked elsewhere
    ],
)
def test_check_36_listed_servers_are_reached(url):
    AllowedHosts(["db.example.org", "other:6000", "[::1]:7000"], only_listed=True).check(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@db.example.org:6000/d",
        "postgresql://u@other/d",
        "postgresql://u@evil.db.example.org/d",
        "postgresql://u@db.example.org.evil.org/d",
        "postgresql://db.example.org@evil.org/d",
        "postgresql://u@db.example.org,evil.org/d",
        "postgresql:///d",
    ],
)
def test_check_36_with_accounts_no_other_server_is_reached(url):
    hosts = AllowedHosts(["db.example.org", "other:6000"], only_listed=True)
    with failing("service.host-not-allowed", NotAllowed):
        hosts.check(url)
    with failing("service.host-not-allowed", NotAllowed):
        hosts.secrets({"release": {"url": url, "table": "t"}})
    with failing("service.host-not-allowed", NotAllowed):
        AllowedHosts(only_listed=True).check(url)
    AllowedHosts().check(url)


def test_check_33_a_secret_goes_to_its_server_and_to_no_other(monkeypatch):
    hosts = AllowedHosts(["db=DB_SECRET", "other"])
    mine, another, far = "postgresql://u@db/d", "postgresql://u@other/d", "postgresql://u@far/d"
    assert [hosts.password(url) for url in (mine, another, far)] == ["hush:canary", None, None]
    secrets = hosts.secrets({"source": {"url": mine}, "release": {"url": far}}, [{"url": another}])
    assert secrets == {mine: "hush:canary"}
    monkeypatch.setattr("os.environ", {})
    told = _with_secrets({"source": {"url": mine}, "release": {"url": far, "password_env": "X"}}, secrets)
    assert told["release"] == {"url": far, "password_env": "X"}
    import os

    assert os.environ == {told["source"]["password_env"]: "hush:canary"}
    assert "ANTIFAZ_PASSWORD" not in os.environ


def test_the_ledgers_server_has_its_own_entry(monkeypatch):
    hosts = AllowedHosts(["db=DB_SECRET"])
    monkeypatch.setenv("ANTIFAZ_LEDGER", "postgresql://u@db/ledger")
    assert hosts.ledger_entry() == "db:5432:ledger:u:hush\\:canary"
    monkeypatch.setenv("ANTIFAZ_LEDGER", "postgresql://u@other/ledger")
    assert hosts.ledger_entry() is None
    monkeypatch.setenv("ANTIFAZ_LEDGER", "off")
    assert hosts.ledger_entry() is None


@pytest.mark.parametrize("entry", ["", "a b", "http://db", "db:x", "db:1234567", "db=A B", "db:=X"])
def test_an_entry_that_is_none_is_said(entry):
    with failing("service.allowed-host-wrong", InputError):
        AllowedHosts([entry])


def test_a_variable_that_is_not_set_is_said():
    with failing("service.allowed-host-without-secret", InputError, variable="NOTHING_THERE"):
        AllowedHosts(["db=NOTHING_THERE"])
