"""Several people on one service: each sees only their own."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from antifaz.core.errors import InputError
from antifaz.web.accounts import Accounts, add_user
from failing import failing

API = "/api/v1"
WORDS = {"ana": "correct horse battery", "ben": "another long password"}


@pytest.fixture
def settings(settings, tmp_path):
    for user, password in WORDS.items():
        add_user(tmp_path / "users.json", user, password)
    return replace(settings, accounts=Accounts(tmp_path / "users.json"), token=None)


@pytest.fixture
def signed_in(connect):
    return lambda user: _signed_in(connect(), user)


def _signed_in(client, user):
    said = {"user": user, "password": WORDS[user]}
    assert client.post(f"{API}/session", json=said).status_code == 204
    found = client.get(f"{API}/session").json()
    assert (found["user"], found["accounts"]) == (user, True)
    client.headers["x-antifaz-csrf"] = found["csrf"]
    return client


def test_each_sees_only_their_own(signed_in):
    ana, ben = signed_in("ana"), signed_in("ben")
    data = ana.post(f"{API}/datasets/example", json={"name": "six-people"}).json()["id"]
    project = ana.post(f"{API}/projects", json={"name": "hers", "dataset": data}).json()["id"]
    assert (ben.get(f"{API}/datasets").json(), ben.get(f"{API}/projects").json()) == ([], [])
    for path in (
        f"datasets/{data}", f"datasets/{data}/rows", f"datasets/{data}/proposals/roles", f"projects/{project}",
        f"projects/{project}/file",
    ):  # fmt: skip
        assert ben.get(f"{API}/{path}").status_code == 404
    asked = {"dataset": data, "column": "fnac", "hierarchy": {"flat": True}}
    assert ben.post(f"{API}/hierarchies/preview", json=asked).status_code == 404
    assert ben.delete(f"{API}/datasets/{data}").status_code == 404
    assert ben.post(f"{API}/projects", json={"name": "his", "dataset": data}).status_code == 404
    assert ana.get(f"{API}/datasets/{data}").status_code == 200


def test_check_31_files_of_the_machine_are_not_opened(signed_in, tmp_path):
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    ana = signed_in("ana")
    data = ana.post(f"{API}/datasets/example", json={"name": "six-people"}).json()["id"]
    path = str(tmp_path / "secret.csv")
    for where, body in (
        ("datasets/path", {"path": path}),
        ("datasets/database", {"kind": "sqlite", "database": path, "table": "t"}),
        ("datasets/database/tables", {"kind": "duckdb", "database": path}),
        ("hierarchies/preview", {"dataset": data, "column": "fnac", "hierarchy": {"file": path}}),
        ("hierarchies/export", {"dataset": data, "column": "fnac", "hierarchy": path}),
    ):
        answer = ana.post(f"{API}/{where}", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not-allowed")


def test_wrong_passwords_and_users_are_refused_alike_and_slowed_down(connect):
    client = connect()
    said = [
        client.post(f"{API}/session", json={"user": user, "password": "wrong password"})
        for user in ("ana", "nobody", "ana")
    ]
    assert {(answer.status_code, answer.text) for answer in said} == {(401, said[0].text)}
    for _ in range(9):
        last = client.post(f"{API}/session", json={"user": "ana", "password": "wrong password"})
    assert last.status_code == 429


def test_who_guesses_locks_out_strangers_and_not_the_owner(connect):
    owner, stranger, guesser = connect(), connect(), connect()
    right = {"user": "ana", "password": WORDS["ana"]}
    assert owner.post(f"{API}/session", json=right).status_code == 204
    for _ in range(12):
        last = guesser.post(f"{API}/session", json={"user": "ana", "password": "wrong password"})
    assert last.status_code == 429
    assert stranger.post(f"{API}/session", json=right).status_code == 429, "who never was signed in may be a guesser"
    assert owner.post(f"{API}/session", json=right).status_code == 204
    assert stranger.post(f"{API}/session", json={"user": "ben", "password": WORDS["ben"]}).status_code == 204
    # The mark is of one name: with it, others are not guessed any faster.
    owner.cookies.set("antifaz_device", owner.cookies["antifaz_device"])
    for _ in range(12):
        last = owner.post(f"{API}/session", json={"user": "ben", "password": "wrong password"})
    assert last.status_code == 429


def test_many_attempts_at_a_time_are_no_way_around_the_limit(service):
    attempts, keys = service.attempts, [("user ana", 10)]
    with ThreadPoolExecutor(16) as pool:
        begun = list(pool.map(lambda _: attempts.begin(*keys), range(64)))
    assert sum(begun) == 10
    attempts.forgive(*keys)
    assert attempts.begin(*keys)
    assert not attempts.begin(*keys)


def test_the_file_is_private_and_holds_no_password(tmp_path):
    path = tmp_path / "users.json"
    add_user(path, "ana", WORDS["ana"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert WORDS["ana"] not in path.read_text()
    assert Accounts(path).check("ana", WORDS["ana"])
    assert not Accounts(path).check("ana", WORDS["ana"] + " ")
    assert not Accounts(path).check("ben", WORDS["ana"])
    add_user(path, "ana", "a new long password")
    assert not Accounts(path).check("ana", WORDS["ana"])
    path.chmod(0o644)
    with failing("web.accounts-readable-by-others", InputError):
        Accounts(path)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(
            (text, "web.not-a-file-of-accounts")
            for text in ("", "[]", "{}", '{"users": {"a": 1}}', '{"users": {"a": {"salt": "zz"}}}')
        ),
        ('{"users": {}}', "web.no-accounts"),
    ],
)
def test_a_file_that_is_none_is_said_so(tmp_path, text, code):
    path = tmp_path / "users.json"
    path.touch(mode=0o600)
    path.write_text(text)
    with failing(code, InputError, file="users.json"):
        Accounts(path)


@pytest.mark.parametrize(("user", "password"), [("a b", "long enough"), ("", "long enough"), ("ana", "short")])
def test_names_and_passwords_have_a_form(tmp_path, user, password):
    with pytest.raises(InputError):
        add_user(tmp_path / "users.json", user, password)
