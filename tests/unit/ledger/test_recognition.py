"""Who is who: people are found again however their cells are spelled, and strangers are not taken for them."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az

N = 400
DRAW = random.Random(1)
SSN = [f"{DRAW.randrange(10**8):08d}-{DRAW.choice('TRWAGMYFPD')}" for _ in range(N)]
NAME = [f"{DRAW.choice(('José', 'Zoë', 'Núria', 'Ana'))} {DRAW.randrange(10**6):06d} Pérez" for _ in range(N)]
AGE = [20 + DRAW.randrange(40) for _ in range(N)]
TOWN = [DRAW.choice(("Berga", "Vic", "Reus", "Olot", "Falset")) for _ in range(N)]
ILLNESS = [DRAW.choice(("flu", "asthma", "cough")) for _ in range(N)]
PAY = [DRAW.randrange(10_000, 60_000) for _ in range(N)]
PEOPLE = {"ssn": SSN, "name": NAME, "age": AGE, "town": TOWN, "illness": ILLNESS, "pay": PAY}
ROLES = {
    "ssn": "identifier", "name": "identifier", "age": "quasi-identifier", "town": "quasi-identifier",
    "illness": "sensitive", "pay": "insensitive",
}  # fmt: skip
HIERARCHIES = {"age": az.hierarchy.intervals(40), "town": az.hierarchy.flat()}
#: Each is 2-anonymous; together they are not.
BY_AGE, BY_TOWN = {"age": 0, "town": 1}, {"age": 1, "town": 0}


def released(table: dict[str, Any], levels: dict[str, int], roles: dict[str, str] | None = None, **more: Any) -> Any:
    given = roles or {name: role for name, role in ROLES.items() if name in table}
    names = [name for name, role in given.items() if role == "quasi-identifier"]
    hierarchies = {name: HIERARCHIES["age" if name in ("age", "edad") else "town"] for name in names}
    found = az.candidates(
        pa.table(table), roles=given, hierarchies=hierarchies, privacy=az.KAnonymity(2), seed=1,
        method=az.FullDomain(suppression=0.1), **more,
    )  # fmt: skip
    wanted = dict(zip(names, levels.values(), strict=True))
    return next(candidate for candidate in found if candidate.levels == wanted).apply()


@pytest.fixture
def ledger(tmp_path: Path) -> az.Ledger:
    """A ledger in which the people by their ages are."""
    found = az.Ledger(tmp_path / "ledger.sqlite")
    released(PEOPLE, BY_AGE).save(tmp_path / "first", ledger=found, to="the board")
    return found


def told(ledger: az.Ledger, table: dict[str, Any], roles: dict[str, str] | None = None) -> dict[str, Any]:
    return ledger.check(released(table, BY_TOWN, roles))


def spelled(cells: list[str], way: str) -> list[str]:
    return {
        "blanks": [f" {cell}\t" for cell in cells],
        "case": [cell.upper() for cell in cells],
        "letters": [unicodedata.normalize("NFD", cell) for cell in cells],
    }[way]


@pytest.mark.parametrize("way", ["blanks", "case", "letters"])
def test_check_07_a_person_is_found_again_in_another_spelling(ledger: az.Ledger, way: str) -> None:
    said = told(ledger, PEOPLE | {"ssn": spelled(SSN, way), "name": spelled(NAME, way)})
    assert not said["holds"] and said["earlier"][0]["shared"] > 350


def test_each_identifier_counts_by_itself(ledger: az.Ledger) -> None:
    strangers = [f"{i * 7919:09d}-X" for i in range(N)]
    for other in ({"ssn": strangers}, {"name": strangers}):
        said = told(ledger, PEOPLE | other)
        assert not said["holds"] and said["earlier"][0]["by"] == [({"ssn", "name"} - other.keys()).pop()]


def test_neither_names_nor_order_of_columns_matter(ledger: az.Ledger) -> None:
    table = {"malaltia": ILLNESS, "poble": TOWN, "edat": AGE, "nom": NAME, "dni": SSN}
    roles = {
        "malaltia": "sensitive", "edat": "quasi-identifier", "poble": "quasi-identifier", "nom": "identifier",
        "dni": "identifier",
    }  # fmt: skip
    said = told(ledger, table, roles)
    assert not said["holds"] and said["earlier"][0]["shared"] > 350


def test_two_halves_of_a_name_are_one_person_together(tmp_path: Path) -> None:
    first, second = [f"Ana {i % 20}" for i in range(N)], [f"Puig {i // 20}" for i in range(N)]
    rest = {name: cells for name, cells in PEOPLE.items() if name not in ("ssn", "name")}
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    roles = {"given": "identifier", "family": "identifier"} | {name: ROLES[name] for name in rest}
    released({"given": first, "family": second} | rest, BY_AGE, roles).save(tmp_path / "one", ledger=ledger)
    roles = {"apellido": "identifier", "nombre": "identifier"} | {name: ROLES[name] for name in rest}
    shuffled = {name: DRAW.sample(cells, N) for name, cells in rest.items()}  # nothing else is the same
    said = ledger.check(released({"apellido": second, "nombre": first} | shuffled, BY_TOWN, roles))
    assert said["earlier"][0]["shared"] > 350 and not said["holds"]


def test_numbers_are_the_same_as_their_column_says(tmp_path: Path) -> None:
    numbers = [10**7 + i * 7919 for i in range(N)]
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    released(PEOPLE | {"ssn": numbers, "name": NAME}, BY_AGE).save(tmp_path / "one", ledger=ledger)
    for cells in ([float(number) for number in numbers], [f"{number}" for number in numbers]):
        table = {name: column for name, column in PEOPLE.items() if name != "name"} | {"ssn": cells}
        assert told(ledger, table)["earlier"][0]["shared"] > 350
    # As text, 01001 is not 1001.
    padded = {name: column for name, column in PEOPLE.items() if name in ("ssn", "age", "town")}
    padded |= {"ssn": [f"0{number}" for number in numbers], "age": AGE[::-1], "town": TOWN[::-1]}
    assert not told(ledger, padded)["earlier"]


def test_without_identifiers_it_is_what_the_tables_share(ledger: az.Ledger) -> None:
    table = {name: cells for name, cells in PEOPLE.items() if name not in ("ssn", "name")}
    said = told(ledger, table)
    assert not said["holds"] and set(said["earlier"][0]["by"]) == {"age", "town", "illness", "pay"}
    renamed = {"edad": AGE, "ciudad": TOWN, "pay": PAY, "year": [1990 + i % 7 for i in range(N)]}
    roles = {"edad": "quasi-identifier", "ciudad": "quasi-identifier", "pay": "insensitive", "year": "insensitive"}
    assert told(ledger, renamed, roles)["notes"] or told(ledger, renamed, roles)["earlier"]


@pytest.mark.parametrize("first", [1, 10**8])
def test_check_07_customers_and_trees_with_running_numbers_do_not_meet(tmp_path: Path, first: int) -> None:
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    roles = {"id": "identifier", "age": "quasi-identifier", "town": "quasi-identifier"}
    customers = {"id": list(range(first, first + N)), "age": AGE, "town": TOWN}
    released(customers, BY_AGE, roles).save(tmp_path / "one", ledger=ledger)
    trees = {"id": list(range(first, first + N)), "age": DRAW.sample(AGE, N), "town": DRAW.sample(TOWN, N)}
    said = ledger.check(released(trees, BY_TOWN, roles))
    assert said["earlier"] == [] and said["holds"] and said["checked"]
    # That they may be the same people all the same is said, and what to do if they are.
    assert "running numbers prove nothing" in said["notes"][0] and "ledger.dataset" in said["notes"][0]
    # The same customers are found: their ages and towns agree.
    assert not ledger.check(released(customers, BY_TOWN, roles))["holds"]


@pytest.mark.parametrize("numbers", [range(1, N + 1), [f"C-{i:05d}" for i in range(N)], [f"{i:04d}" for i in range(N)]])
def test_a_running_number_proves_it_where_the_data_set_has_the_same_name(tmp_path: Path, numbers: Any) -> None:
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    roles = {"id": "identifier", "age": "quasi-identifier", "town": "quasi-identifier"}
    one = {"id": list(numbers), "age": AGE, "town": TOWN}
    check = ledger.new_check(dataset="customers", to="")
    released(one, BY_AGE, roles).save(tmp_path / "one", ledger=check)
    # Of the town nothing agrees any more, of the age everything: the numbers were not given anew.
    moved = one | {"town": TOWN[1:] + TOWN[:1]}
    other = ledger.new_check(dataset="customers").examine(released(moved, BY_TOWN, roles).new_release())
    assert other["earlier"][0]["shared"] > 300 and not other["holds"]


def test_other_people_of_the_same_towns_are_others(ledger: az.Ledger) -> None:
    draw = random.Random(7)
    others = {
        "ssn": [f"{draw.randrange(10**8):08d}-Z" for _ in range(N)], "age": [20 + draw.randrange(40) for _ in range(N)],
        "town": draw.choices(TOWN, k=N), "illness": draw.choices(ILLNESS, k=N),
        "pay": draw.choices(range(10**4, 6 * 10**4), k=N),
    }  # fmt: skip
    for table in (others, {name: cells for name, cells in others.items() if name != "ssn"}):
        said = told(ledger, table)
        assert said["earlier"] == [] and said["notes"] == []


def test_visits_of_the_same_people_that_can_not_be_compared_are_said(tmp_path: Path) -> None:
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    roles = {"ssn": "identifier", "age": "quasi-identifier", "town": "quasi-identifier", "day": "insensitive"}
    visits = [SSN[i // 4] for i in range(N)]
    january = {"ssn": visits, "age": AGE, "town": TOWN, "day": [f"2024-01-{i % 28:02d}" for i in range(N)]}
    february = {"ssn": visits, "age": AGE, "town": TOWN, "day": [f"2024-02-{i % 28:02d}" for i in range(N)]}
    released(january, BY_AGE, roles).save(tmp_path / "one", ledger=ledger)
    assert "several records" in ledger.check(released(february, BY_TOWN, roles))["notes"][0]
    assert not ledger.check(released(january, BY_TOWN, roles))["holds"]


def test_a_ledger_of_the_first_version_opens_and_says_what_can_not_be_compared(tmp_path: Path) -> None:
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    with ledger.opened() as database, database.writing():
        for table in ("antifaz_budget", "antifaz_hand_out", "antifaz_release_part", "antifaz_release"):
            database.rows(f"DROP TABLE {table}")
        for statement in FIRST:
            database.rows(statement)
    released(PEOPLE, BY_AGE).save(tmp_path / "one", ledger=ledger, to="the board")
    old, new = ledger.releases()
    assert (old["release"], old["state"], old["recipients"][0]["recipient"]) == ("0a1b2c3d", "handed out", "")
    assert new["recipients"][0]["recipient"] == "the board"
    assert "0a1b2c3d" in ledger.show(new["release"])["verdict"]["notes"][0]


FIRST = (
    "UPDATE antifaz_ledger SET version = 1",
    """CREATE TABLE antifaz_release (
        id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, state TEXT NOT NULL, dataset TEXT NOT NULL,
        part TEXT NOT NULL, project TEXT NOT NULL, made TEXT NOT NULL, made_by TEXT NOT NULL, place TEXT NOT NULL,
        held TEXT NOT NULL, k INTEGER, records INTEGER NOT NULL, classes INTEGER, verdict TEXT NOT NULL, despite TEXT,
        forgotten TEXT)""",
    """CREATE TABLE antifaz_release_part (
        release TEXT NOT NULL REFERENCES antifaz_release (id) ON DELETE CASCADE, name TEXT NOT NULL,
        content BYTEA NOT NULL, PRIMARY KEY (release, name))""",
    """INSERT INTO antifaz_release VALUES ('0a1b2c3d', 1, 'released', 'people', '', 'people',
        '2026-01-01T00:00:00+00:00', 'ana', '/nowhere', '', 2, 12, 4, '{"holds": true}', NULL, NULL)""",
    "INSERT INTO antifaz_release_part VALUES ('0a1b2c3d', 'people', X'00')",
)


def test_people_of_one_name_do_not_keep_the_same_release_from_a_second_recipient(tmp_path: Path) -> None:
    """They are in both, though their names don't say which of them is which."""
    names = [*NAME[:-20], *NAME[:20]]
    table, ledger = PEOPLE | {"name": names, "ssn": names}, az.Ledger(tmp_path / "ledger.sqlite")
    released(table, BY_AGE).save(tmp_path / "first", ledger=ledger, to="the board")
    said = ledger.check(released(table, BY_AGE))
    assert said["holds"] and said["earlier"][0]["shared"] == N
