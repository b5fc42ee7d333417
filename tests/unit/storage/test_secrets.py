"""Passwords are found in what is about to be kept, and what is none is left alone."""

from __future__ import annotations

import pytest

from antifaz.core.errors import ProjectError
from antifaz.projects.store_actions import add_project
from antifaz.storage.secrets import refuse_passwords, refuse_passwords_in
from failing import failing


@pytest.mark.parametrize(
    "text",
    [
        "mariadb://ana:geheim@host/db",
        "postgresql+psycopg://ana:ge/he?im#@host:5432/db",
        "mysql://:geheim@host/db",
        "https://ana:geheim@host/file.csv",
        "postgresql://ana@host/db?sslmode=require&password=geheim",
        "host=h user=ana password = geheim",
        "hdfs://ana:geheim@host:8020/folder",
    ],
)
def test_check_33_passwords_are_found(text, tmp_path):
    with failing("store.password-in-clear", ProjectError) as said:
        refuse_passwords(text, "project.yaml")
    assert "geheim" not in str(said.value)
    (tmp_path / "project.yaml").write_text(f"# was {text}\nantifaz: 1\n", encoding="utf-8")
    with failing("store.password-in-clear", ProjectError, where="project.yaml"):
        add_project(tmp_path / "project.yaml", store=tmp_path / "store.sqlite")
    assert not (tmp_path / "store.sqlite").exists()


@pytest.mark.parametrize(
    "data",
    [
        {"source": {"url": "mariadb://ana:geheim@host/db"}},
        {"source": [{"password": "geheim"}]},
        {"controller": {"PASSWORD": 12345}},
        {"mariadb://ana:geheim@host/db": 1},
    ],
)
def test_passwords_are_found_however_yaml_spells_them(data):
    with failing("store.password-in-clear", ProjectError):
        refuse_passwords_in(data, "", "project.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "mariadb://ana@host:3306/db",
        "postgresql://host:5432/db",
        "hdfs://host:8020/mail@2020/x",
        "s3a://bucket/a:b@c",
        "contact: data@example.org, see https://example.org:8080/a",
        "attributes: {password: {role: identifier}}",
        "# the password comes from the environment",
    ],
)
def test_what_is_no_password_is_not_taken_for_one(text):
    refuse_passwords_in({"attributes": {"password": {"role": "identifier"}}, "said": text}, text, "project.yaml")
