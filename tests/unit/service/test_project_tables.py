"""Documents of one table and of several: each becomes the other, and nothing that was said is lost on the way."""

from __future__ import annotations

import pytest

from antifaz.core.errors import InputError
from antifaz.service.project_tables import (
    add_table,
    proposed_name,
    remove_table,
    rename_table,
    source_of,
    table_parts,
    with_sources,
)

ONE = {
    "antifaz": 1,
    "name": "bank",
    "source": {"path": "clients.csv", "delimiter": ";"},
    "attributes": {"number": {"role": "identifier"}},
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "full-domain"},
    "seed": 1,
}
SHARED = {
    "antifaz": 1,
    "source": {"url": "mariadb://ana@host/bank"},
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "tables": {"clients": {"source": {"table": "c"}}, "accounts": {"source": {"table": "a"}}},
    "repeated": [
        {"name": "client", "columns": {"clients": "number", "accounts": "holder"}, "hierarchy": {"masking": 1}}
    ],
}


def test_a_second_table_makes_the_first_one_of_several_and_taking_it_out_gives_the_first_document_back():
    two = add_table(ONE, "accounts", {"path": "accounts.csv"})
    assert two == {
        "antifaz": 1,
        "name": "bank",
        "seed": 1,
        "tables": {
            "clients": {key: ONE[key] for key in ("source", "attributes", "privacy", "method")},
            "accounts": {"source": {"path": "accounts.csv"}, "attributes": {}},
        },
    }
    assert remove_table(two, "accounts") == ONE
    assert source_of(two, "accounts") == {"path": "accounts.csv"}


def test_the_folder_of_a_release_is_that_of_the_whole_and_a_table_of_a_database_is_the_tables_own():
    released = ONE | {"release": {"path": "out/", "table": "released", "replace": True}}
    two = add_table(released, "accounts", {"path": "accounts.csv"})
    assert two["release"] == {"path": "out/"}
    assert two["tables"]["clients"]["release"] == {"table": "released", "replace": True}
    assert remove_table(two, "accounts") == released


def test_what_was_said_of_a_repeated_attribute_stays_with_the_column_that_is_left():
    left = remove_table(SHARED, "accounts")
    assert left["attributes"] == {"number": {"hierarchy": {"masking": 1}}}
    assert left["source"] == {"url": "mariadb://ana@host/bank", "table": "c"}
    assert left["privacy"] == SHARED["privacy"]
    assert not {"tables", "repeated"} & left.keys()
    with pytest.raises(InputError):
        remove_table(left, "clients")


def test_a_light_table_that_is_left_alone_asks_for_no_model():
    light = SHARED | {"tables": {"clients": {"kind": "light", "source": {"table": "c"}}, "accounts": {}}}
    assert "privacy" not in remove_table(light, "accounts")


def test_whatever_speaks_of_a_table_speaks_of_its_new_name():
    renamed = rename_table(SHARED, "clients", "people")
    assert list(renamed["tables"]) == ["people", "accounts"]
    assert renamed["repeated"][0]["columns"] == {"people": "number", "accounts": "holder"}


@pytest.mark.parametrize("name", ["", "a/b", "../x", "release.csv", "evidence.json", "ACCOUNTS", "x" * 101, "ñ"])
def test_a_name_that_can_not_be_a_folder_of_its_own_is_refused(name):
    with pytest.raises(InputError):
        rename_table(SHARED, "clients", name)
    with pytest.raises(InputError):
        add_table(SHARED, name, {"path": "x.csv"})


def test_a_table_whose_data_is_elsewhere_no_longer_shares_a_source():
    changed = with_sources(SHARED, {"accounts": {"path": "accounts.csv"}})
    assert "source" not in changed
    assert changed["tables"]["accounts"]["source"] == {"path": "accounts.csv"}
    assert changed["tables"]["clients"]["source"] == {"url": "mariadb://ana@host/bank", "table": "c"}
    same = with_sources(SHARED, {"accounts": {"url": "mariadb://ana@host/bank", "table": "b"}})
    assert (same["source"], same["tables"]["accounts"]["source"]) == (SHARED["source"], {"table": "b"})


@pytest.mark.parametrize(
    ("text", "name"),
    [("clients.csv", "clients"), ("Año 2024.xlsx", "Ano-2024"), ("…", "table"), ("a/b.csv", "b"), ("Towns", "Towns-2")],
)
def test_a_table_is_called_as_its_data_is(text, name):
    assert proposed_name(text, {"towns": {}}) == name


@pytest.mark.parametrize("draft", [None, [], {"tables": None}, {"tables": []}, {"tables": {"a": None}}])
def test_a_draft_may_say_anything(draft):
    assert all(part == {} for part in table_parts(draft).values())
