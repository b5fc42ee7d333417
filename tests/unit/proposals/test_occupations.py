"""Titles of occupations and their major groups; the expected groups are those of ISCO-08's index of titles."""

from __future__ import annotations

import pyarrow as pa
import pytest

from antifaz.core.types import DataType
from antifaz.hierarchies import parse
from antifaz.proposals.occupations import NOT_WORKING, occupation_group
from antifaz.proposals.propose import hierarchy


@pytest.mark.parametrize(
    ("group", "titles"),
    [
        ("0", "Soldier; soldado; soldat; Armed-Forces"),
        ("1", "Sales manager; Gerente de ventas; Directora financiera; Directeur commercial; Abteilungsleiter; CEO"),
        ("2", "Nurse; enfermero; Infermera; infirmière; Krankenschwester; infermiere; Software Engineer; Lehrerin"),
        ("2", "Abogada; avocat; Rechtsanwalt; avvocato; advogado; Database administrator; médico; Ärztin; professora"),
        ("3", "Production technician; técnico de laboratorio; tècnica; technicien; Techniker; Sales representative"),
        ("4", "Secretary; secretario; secretària; secrétaire; Sekretärin; segretaria; Administrative assistant; clerk"),
        ("5", "Waiter; camarera; cambrer; serveuse; Kellner; cameriere; Hairdresser; peluquera; police officer; cook"),
        ("6", "Farmer; agricultor; pagès agricultor; agriculteur; Landwirt; Fisherman; pescador; jardinero"),
        ("7", "Electrician; electricista; électricien; Elektriker; elettricista; plumber; albañil; Tischler; baker"),
        ("8", "Truck driver; chófer; conductor de autobús; chauffeur; Taxifahrer; autista; Machine operator"),
        ("9", "Cleaner; limpiadora; Farm laborer; peón; manœuvre; Hilfsarbeiter; kitchen helper; housemaid"),
    ],
)
def test_titles_are_known_by_how_their_words_begin(group: str, titles: str) -> None:
    found = {title: (occupation_group(title) or "-")[0] for title in titles.split("; ")}
    assert found == dict.fromkeys(found, group)


def test_who_does_not_work_has_a_group_and_what_is_unknown_none() -> None:
    for title in ("Student", "jubilado", "retraitée", "unemployed", "casalinga", "Hausfrau"):
        assert occupation_group(title) == NOT_WORKING
    assert occupation_group("xyz") is None
    assert occupation_group("") is None


def test_a_column_of_titles_goes_into_major_groups_and_these_into_fewer() -> None:
    titles = ["Nurse", "Lawyer", "Sales manager", "Waiter", "Farmer", "Electrician", "Truck driver", "Retired", "Otro"]
    rows = [title for title in titles for _ in range(12)] + ["Astronaut engineer"]
    proposed = hierarchy(pa.table({"occupation": rows}), "occupation")
    assert proposed.reason.values["reason"].code == "reason.occupations-by-title"
    assert "Astronaut engineer" not in str(proposed.details)  # one record has it
    paths = {path[0]: path[1:] for path in parse(proposed.details).build(sorted(set(rows)), DataType.TEXT).paths()}
    assert paths["Nurse"][:2] == ("2 Professionals", "Managers, professionals and technicians")
    assert paths["Sales manager"][:2] == ("1 Managers", "Managers, professionals and technicians")
    assert paths["Retired"][:2] == (NOT_WORKING, NOT_WORKING)


def test_other_columns_are_left_alone() -> None:
    titles = ["Nurse", "Lawyer", "Sales manager", "Waiter", "Farmer", "Electrician"]
    rows = [title for title in titles for _ in range(12)]
    assert "Professionals" not in str(hierarchy(pa.table({"mood": rows}), "mood").details)
    strange = [*titles[:4], "qqq", "www", "zzz"]
    rows = [title for title in strange for _ in range(12)]
    assert "Professionals" not in str(hierarchy(pa.table({"job": rows}), "job").details)
