"""The ledger as it is kept: releases registered, checked, refused, overridden, forgotten; and no cell of theirs."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.keys import new_key
from antifaz.ledger.database import parts_of
from antifaz.ledger.ledger import default_ledger
from failing import failing, like

ROLES = {
    "ssn": "identifier", "race": "quasi-identifier", "born": "quasi-identifier", "gender": "quasi-identifier",
    "zip": "quasi-identifier", "problem": "sensitive",
}  # fmt: skip
#: The private table of Sweeney 2002, figure 4.
PEOPLE = pa.Table.from_pylist(
    [
        dict(zip(("ssn", "race", "born", "gender", "zip", "problem"), row, strict=True))
        for row in (
            ("canary-01", "black", "1965", "male", "02141", "short of breath"),
            ("canary-02", "black", "1965", "male", "02141", "chest pain"),
            ("canary-03", "black", "1965", "female", "02138", "painful eye"),
            ("canary-04", "black", "1965", "female", "02138", "wheezing"),
            ("canary-05", "black", "1964", "female", "02138", "obesity"),
            ("canary-06", "black", "1964", "female", "02138", "chest pain"),
            ("canary-07", "white", "1964", "male", "02138", "short of breath"),
            ("canary-08", "white", "1965", "female", "02139", "hypertension"),
            ("canary-09", "white", "1964", "male", "02139", "obesity"),
            ("canary-10", "white", "1964", "male", "02139", "fever"),
            ("canary-11", "white", "1967", "male", "02138", "vomiting"),
            ("canary-12", "white", "1967", "male", "02138", "back pain"),
        )
    ]
)
HIERARCHIES = {
    "race": az.hierarchy.flat(),
    "born": az.hierarchy.masking(1),
    "gender": az.hierarchy.flat(),
    "zip": az.hierarchy.masking(1),
}
#: Two generalizations that are 2-anonymous each: one keeps the year and not the postcode, the other the reverse.
BY_YEAR = {"race": 1, "born": 0, "gender": 1, "zip": 2}
BY_PLACE = {"race": 1, "born": 1, "gender": 1, "zip": 0}


def released(levels, table=PEOPLE, seed=1, **more):
    asked = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(2), "seed": seed} | more
    found = az.candidates(table, **asked, method=az.FullDomain(suppression=0.2))
    return next(candidate for candidate in found if candidate.levels == levels).apply()


@pytest.fixture
def ledger(tmp_path):
    return az.Ledger(tmp_path / "ledger" / "ledger.sqlite")


def test_check_07_two_releases_of_sweeneys_table_are_refused(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    with failing(
        "ledger.refused",
        az.LedgerRefused,
        finding=like(
            "ledger.attack-exposes",
            name="composition",
            others=" (and complementary)",
            left=like("ledger.fewer-than-promised", people="1 person"),
        ),
    ) as refused:
        released(BY_PLACE, seed=2).save(tmp_path / "two", ledger=ledger)
    assert isinstance(refused.value, az.PrivacyNotReached) and refused.value.exit_code == 1
    (one,) = ledger.releases()
    assert f"antifaz ledger forget {one['release']}" in str(refused.value) and "--despite" in str(refused.value)
    assert not (tmp_path / "two").exists()


def test_the_evidence_says_what_was_checked(ledger, tmp_path):
    first = released(BY_YEAR)
    first.save(tmp_path / "one", ledger=ledger)
    told = json.loads((tmp_path / "one" / "evidence.json").read_text())["ledger"]
    assert told["checked"] and told["holds"] and told["earlier"] == [] and told["known_by"] == ["ssn"]
    again = released(BY_YEAR, seed=7)
    again.save(tmp_path / "one", ledger=ledger)
    told = again.evidence["ledger"]
    assert told["holds"] and told["smallest_intersection"] == 2 and told["earlier"][0]["shared"] == 12
    assert [row["state"] for row in ledger.releases()] == ["handed out", "handed out"]


def test_a_reason_overrides_and_is_recorded(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    second = released(BY_PLACE)
    second.save(tmp_path / "two", ledger=ledger, despite="  both go to\nthe same clinic ")
    for name in ("evidence.json", "record.json"):
        told = json.loads((tmp_path / "two" / name).read_text())["ledger"]
        assert told["despite"]["reason"] == "both go to the same clinic" and not told["holds"]
        assert told["smallest_intersection"] == 1
    assert any("the same clinic" in warning for warning in second.evidence["warnings"])
    assert "the same clinic" in (tmp_path / "two" / "report.html").read_text()
    assert ledger.show(told["release"])["despite"] == told["despite"]


def test_what_never_left_the_house_is_forgotten(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    (one,) = ledger.releases()
    size = len(_parts(ledger))
    with failing("ledger.reason-needed", az.InputError):
        ledger.forget(one["release"], "  ")
    gone = ledger.forget(one["release"][:5], "an experiment")
    assert gone["state"] == "forgotten" and gone["forgotten"]["reason"] == "an experiment"
    assert size and not _parts(ledger)
    with failing("ledger.release-forgotten-before", az.InputError):
        ledger.forget(one["release"], "again")
    released(BY_PLACE).save(tmp_path / "two", ledger=ledger)
    with failing("ledger.no-single-release", az.InputError, which=like("ledger.no-release-begins"), release="xyz"):
        ledger.show("xyz")


def _parts(ledger):
    with ledger.opened() as database:
        return database.rows("SELECT name FROM antifaz_release_part")


def test_checking_writes_nothing(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    told = ledger.check(released(BY_PLACE))
    assert not told["holds"] and told["smallest_intersection"] == 1
    assert len(ledger.releases()) == 1


def test_without_identifiers_the_record_is_who_it_is(ledger, tmp_path):
    table = PEOPLE.drop_columns(["ssn"])
    roles = {name: role for name, role in ROLES.items() if name != "ssn"}
    released(BY_YEAR, table, roles=roles).save(tmp_path / "one", ledger=ledger)
    with pytest.raises(az.LedgerRefused):
        released(BY_PLACE, table, roles=roles).save(tmp_path / "two", ledger=ledger)


def test_check_13_no_value_is_in_the_ledger_nor_in_what_is_said(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    with pytest.raises(az.LedgerRefused) as refused:
        released(BY_PLACE).save(tmp_path / "two", ledger=ledger)
    said = str(refused.value).encode() + json.dumps(ledger.show(ledger.releases()[0]["release"])).encode()
    content = b"".join(path.read_bytes() for path in (tmp_path / "ledger").rglob("*") if path.is_file()) + said
    values = {str(value).encode() for column in PEOPLE.columns for value in column.to_pylist()}
    assert values and not [value for value in values if len(value) > 4 and value in content]


def test_only_its_owner_can_read_it(ledger, tmp_path):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    for path in (tmp_path / "ledger").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_hashes_of_another_ledger_are_others(tmp_path):
    parts = []
    for name in ("one", "two"):
        ledger = az.Ledger(tmp_path / name / "ledger.sqlite")
        released(BY_YEAR).save(tmp_path / f"out-{name}", ledger=ledger)
        with ledger.opened() as database:
            parts.append(parts_of(database, ledger.releases()[0]["release"], ("values/0", "labels")))
    assert parts[0]["values/0"] != parts[1]["values/0"] and parts[0]["labels"] != parts[1]["labels"]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        ("file", "store.not-a-sqlite-file"),
        ("part", "ledger.release-damaged"),
        ("key", "ledger.key-of-another-ledger"),
        ("no key", "ledger.key-missing"),
    ],
)
def test_a_damaged_ledger_stops_the_release_in_one_sentence(ledger, tmp_path, spoil, code):
    released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    path = Path(ledger.place)
    if spoil == "file":
        path.write_bytes(b"no database" * 500)
    elif spoil == "part":
        with ledger.opened() as database, database.writing():
            database.rows("UPDATE antifaz_release_part SET content = ? WHERE name = 'classes'", b"i4 00000000 x")
    elif spoil == "key":
        Path(f"{path}.key").unlink()
        new_key(f"{path}.key")
    else:
        Path(f"{path}.key").unlink()
    with failing(code, az.InputError) as said:
        released(BY_YEAR).save(tmp_path / "two", ledger=az.Ledger(path))
    assert not (tmp_path / "two").exists() and "\n" not in str(said.value) and said.value.exit_code == 2


KILLED = """
import os, signal, sys
from pathlib import Path
import antifaz as az
from antifaz.releases import atomic
sys.path[:0] = [sys.argv[3], str(Path(sys.argv[3]).parents[1])]
from test_ledger import released, BY_YEAR
publish = atomic.Staging.publish
def kill(self, *args):
    if sys.argv[2] == "after":
        publish(self, *args)
    os.kill(os.getpid(), signal.SIGKILL)
atomic.Staging.publish = kill
release = released(BY_YEAR)
release.save(Path(sys.argv[1]) / "one", ledger=Path(sys.argv[1]) / "ledger" / "ledger.sqlite")
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_check_19_a_kill_while_publishing_leaves_nothing_published_and_unregistered(ledger, tmp_path, moment):
    """What may have left counts: what does not stand in its place may have been moved before anybody looked."""
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), moment, here], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "one" / "evidence.json").exists() == (moment == "after")
    (tmp_path / "one").rename(tmp_path / "elsewhere") if moment == "after" else None
    (row,) = ledger.releases()
    assert row["state"] == "unconfirmed"
    with pytest.raises(az.LedgerRefused):
        released(BY_PLACE).save(tmp_path / "two", ledger=ledger)
    ledger.forget(row["release"], "it never left")
    released(BY_PLACE).save(tmp_path / "two", ledger=ledger)


def test_a_kill_after_publishing_is_settled_where_the_release_stands(ledger, tmp_path):
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "after", here], env=os.environ, check=False)
    assert [row["state"] for row in ledger.releases()] == ["handed out"]


def test_a_failure_while_publishing_registers_nothing(ledger, tmp_path, monkeypatch):
    from antifaz.releases import atomic

    def fail(self, *args):
        raise az.InputError("source.disk-full")

    monkeypatch.setattr(atomic.Staging, "publish", fail)
    with failing("source.disk-full", az.InputError):
        released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
    assert ledger.releases() == []


def test_one_that_is_being_published_counts(ledger, tmp_path):
    from antifaz.ledger.check import LedgerCheck

    release = released(BY_YEAR)
    guard = LedgerCheck(ledger=ledger, to="")
    guard.examine(release.new_release())
    with guard.publishing(tmp_path / "one"):
        (row,) = ledger.releases()
        assert row["state"] == "pending"
        with pytest.raises(az.LedgerRefused):
            released(BY_PLACE).save(tmp_path / "two", ledger=ledger)
        with failing("ledger.release-being-published", az.InputError):
            ledger.forget(row["release"], "no")


def test_check_26_of_two_at_once_the_second_is_sent_back(ledger, tmp_path):
    from antifaz.ledger.check import LedgerCheck

    guards = [LedgerCheck(ledger=ledger, to=""), LedgerCheck(ledger=ledger, to="")]
    for guard in guards:
        guard.examine(released(BY_YEAR).new_release())
    with guards[0].publishing(tmp_path / "one"):
        pass
    with failing("ledger.other-release-meanwhile", az.InputError), guards[1].publishing(tmp_path / "two"):
        pass


def test_other_columns_may_say_who_it_is(ledger, tmp_path):
    from antifaz.ledger.check import LedgerCheck

    def save(levels, table, folder):
        guard = LedgerCheck(ledger=ledger, person=("ssn",), dataset="people", to="")
        roles = ROLES | {"note": "identifier"}
        released(levels, table, roles=roles).save(tmp_path / folder, ledger=guard)

    save(BY_YEAR, PEOPLE.append_column("note", pa.array(["a"] * 12)), "one")
    with pytest.raises(az.LedgerRefused):
        save(BY_PLACE, PEOPLE.append_column("note", pa.array(["b"] * 12)), "two")
    with failing("ledger.person-names-no-column", az.InputError, name="snn"):
        LedgerCheck(ledger=ledger, person=("snn",)).examine(released(BY_YEAR).new_release())


def test_people_that_are_not_found_again_are_said(ledger, tmp_path):
    known = [f"{i * 7919}-{i:08x}-z" for i in range(12)]
    released(BY_YEAR, PEOPLE.set_column(0, "ssn", pa.array(known))).save(tmp_path / "one", ledger=ledger)
    new = [f"{i * 6007}-{i:08x}-y" for i in range(12)]
    again = released(BY_PLACE, PEOPLE.set_column(0, "ssn", pa.array(new)))
    again.save(tmp_path / "two", ledger=ledger)
    assert "12 records agree with the release" in again.evidence["ledger"]["notes"][0]


def test_where_the_ledger_is(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIFAZ_LEDGER", "off")
    assert default_ledger() is None
    monkeypatch.delenv("ANTIFAZ_LEDGER")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_ledger().place == str(tmp_path / "antifaz" / "ledger.sqlite")
    assert default_ledger().releases() == [] and (tmp_path / "antifaz" / "ledger.sqlite.key").exists()
    with failing("ledger.place-not-a-path", az.InputError):
        az.Ledger("mysql://somewhere/db")


def test_a_library_call_writes_to_no_ledger_unasked(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIFAZ_LEDGER", str(tmp_path / "ledger.sqlite"))
    release = released(BY_YEAR)
    release.save(tmp_path / "one")
    assert "ledger" not in release.evidence and not (tmp_path / "ledger.sqlite").exists()


def test_it_may_be_on_a_server(tmp_path, monkeypatch):
    psycopg = pytest.importorskip("psycopg")
    url = os.environ.get("ANTIFAZ_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/test")
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.Error:
        pytest.skip("no PostgreSQL there")
    name = f"ledger_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE SCHEMA {name}")
    try:
        ledger = az.Ledger(f"{url}?options=-csearch_path%3D{name}", key=tmp_path / "key")
        released(BY_YEAR).save(tmp_path / "one", ledger=ledger)
        with pytest.raises(az.LedgerRefused):
            released(BY_PLACE).save(tmp_path / "two", ledger=ledger)
        assert [row["state"] for row in ledger.releases()] == ["handed out"]
    finally:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP SCHEMA {name} CASCADE")


def test_a_draft_that_can_not_be_kept_is_said_and_nothing_is_published(ledger, tmp_path):
    ledger.drafts().write_text("in the way")
    with failing("ledger.draft-not-kept", az.InputError):
        released(BY_YEAR).save(tmp_path / "one", ledger=ledger.new_check())
    assert not (tmp_path / "one").exists()
