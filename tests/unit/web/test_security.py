"""Who gets in: every route of the service is tried without what it needs."""

import asyncio
import re
from dataclasses import replace

import pytest

from antifaz.web.security import COOKIE, HEADERS

API = "/api/v1"


def routes(client):
    """Every address and verb that the service describes, with something in place of each parameter."""
    described = client.get(f"{API}/openapi.json").json()["paths"]
    assert len(described) > 20
    return [
        (verb.upper(), re.sub(r"\{[^}]*\}", "0" * 32, path))
        for path, verbs in described.items()
        for verb in verbs
        if (verb, path) != ("post", f"{API}/session")
    ]


def refused(answer, status):
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"]["code"] == "not-allowed"


def test_check_28_every_route_needs_a_session(program, stranger):
    for verb, path in [*routes(program), ("GET", f"{API}/openapi.json"), ("GET", f"{API}/nothing"), ("POST", "/")]:
        refused(stranger.request(verb, path), 401)


def test_check_28_a_wrong_token_or_cookie_is_none(stranger):
    refused(stranger.get(f"{API}/meta", headers={"authorization": "Bearer wrong"}), 401)
    refused(stranger.get(f"{API}/meta", headers={"authorization": "Basic dDp0"}), 401)
    refused(stranger.get(f"{API}/meta", headers={"cookie": f"{COOKIE}=wrong"}), 401)
    refused(stranger.get(f"{API}/meta", headers={"cookie": b"\x80;;=;" + COOKIE.encode()}), 401)


@pytest.mark.parametrize(
    "host", ["evil.org", "evil.org:8765", "127.0.0.1.evil.org", "localhost.evil.org", "127.0.0.1@evil.org", "", "[::2]",
     "127.0.0.1", "127.0.0.1:1", "127.0.0.1:87650", "127.0.0.1:8765:8765", "localhost.:8765", "[::1]x:8765", "[::1]"]
)  # fmt: skip
def test_check_29_another_host_is_refused_before_who_asks_matters(program, stranger, host):
    for client in (program, stranger):
        for path in ("/", "/page/app.js", f"{API}/meta", f"{API}/session"):
            refused(client.get(path, headers={"host": host}), 421)
        refused(client.post(f"{API}/session", headers={"host": host}, json={"code": "x"}), 421)


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_this_machine_is_reached_by_its_names(program, host):
    assert program.get(f"{API}/meta", headers={"host": host}).status_code == 200


def test_check_29_a_web_socket_is_refused(stranger):
    for host in (b"evil.org", b"127.0.0.1:8765"):
        sent = []

        async def send(message, sent=sent):
            sent.append(message["type"])

        scope = {"type": "websocket", "path": "/", "headers": [(b"host", host)]}
        asyncio.run(stranger.app(scope, None, send))
        assert sent == ["websocket.close"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.org"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"origin": "http://[bad"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_check_30_other_sites_are_refused_even_with_the_cookie(browser, headers):
    refused(browser.get(f"{API}/meta", headers=headers), 403)
    refused(browser.post(f"{API}/datasets/example", json={"name": "six-people"}, headers=headers), 403)
    assert browser.get(f"{API}/datasets").json() == []


def test_the_own_page_and_a_followed_link_are_not_other_sites(browser, stranger):
    own = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
    assert browser.get(f"{API}/meta", headers=own).status_code == 200
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert stranger.get("/p/1/data", headers=followed).status_code in (200, 404)
    refused(browser.get(f"{API}/meta", headers=followed), 403)
    refused(stranger.get("/p/1/data", headers=followed | {"sec-fetch-dest": "iframe"}), 403)


@pytest.mark.parametrize("given", [None, "", "wrong", "é"])
def test_check_30_a_cookie_alone_changes_nothing(browser, program, given):
    wrong = {} if given is None else {"x-antifaz-csrf": given.encode()}
    del browser.headers["x-antifaz-csrf"]
    for verb, path in routes(program):
        if verb != "GET":
            refused(browser.request(verb, path, headers=wrong), 403)
    assert browser.get(f"{API}/meta").status_code == 200


def test_check_28_a_code_is_good_once(service, stranger):
    code = service.sessions.new_code("ana")
    assert len(code) >= 43  # 256 bits
    assert stranger.post(f"{API}/session", json={"code": code}).status_code == 204
    stranger.cookies.clear()
    refused(stranger.post(f"{API}/session", json={"code": code}), 401)


def test_a_code_dies(service, stranger, monkeypatch):
    import time

    code, then = service.sessions.new_code("ana"), time.monotonic()
    monkeypatch.setattr("antifaz.web.accounts.time.monotonic", lambda: then + 601)
    refused(stranger.post(f"{API}/session", json={"code": code}), 401)


def test_guessing_is_slowed_down(service, stranger):
    answers = [stranger.post(f"{API}/session", json={"code": f"{i}"}).status_code for i in range(12)]
    assert answers == [401] * 10 + [429] * 2
    late = stranger.post(f"{API}/session", json={"code": "another"})
    assert (late.status_code, late.json()["error"]["code"]) == (429, "busy")
    assert "retry-after" in late.headers
    # Whoever has the code is not the one who guesses.
    assert stranger.post(f"{API}/session", json={"code": service.sessions.new_code("ana")}).status_code == 204


@pytest.mark.parametrize(
    "origin",
    ["https://127.0.0.1:8765", "http://127.0.0.1", "http://127.0.0.1:8765/", "http://x@127.0.0.1:8765", "null"],
)
def test_check_30_an_origin_is_ours_to_the_letter_or_not_at_all(browser, origin):
    refused(browser.get(f"{API}/meta", headers={"origin": origin}), 403)
    assert browser.get(f"{API}/meta", headers={"origin": "http://127.0.0.1:8765"}).status_code == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(service, stranger):
    said = stranger.post(f"{API}/session", json={"code": service.sessions.new_code("ana")}).headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(said.split("; "))


def test_signing_out_ends_the_session(browser):
    kept = dict(browser.cookies)
    assert browser.delete(f"{API}/session").status_code == 204
    refused(browser.get(f"{API}/session", headers={"cookie": f"{COOKIE}={kept[COOKIE]}"}), 401)


def test_another_browser_gets_in_with_a_new_code(browser, connect):
    code = browser.post(f"{API}/session/codes").json()["code"]
    other = connect()
    assert other.post(f"{API}/session", json={"code": code}).status_code == 204
    assert other.get(f"{API}/session").json()["user"] == "ana"


def test_check_38_every_answer_carries_its_headers(program, stranger):
    for answer in (
        program.get(f"{API}/meta"),
        stranger.get(f"{API}/meta"),
        stranger.get("/nothing"),
        program.get("/x"),
    ):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    policy = HEADERS["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_no_page_of_the_framework_is_there(program):
    for path in ("/docs", "/redoc", "/openapi.json", f"{API}/docs"):
        assert program.get(path).status_code == 404


@pytest.mark.parametrize("length", ["1048577", "99999999999999999999"])
def test_a_body_that_says_it_is_too_large_is_not_read(program, length):
    answer = program.post(f"{API}/session/codes", headers={"content-length": length}, content=b"")
    assert answer.status_code == 413


def test_a_body_that_does_not_say_its_length_is_stopped(program):
    async def endless():
        for _ in range(1000):
            yield b" " * (1 << 16)

    answer = program.post(f"{API}/datasets/example", content=endless(), headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")


def test_check_34_an_error_that_nobody_foresaw_says_its_kind_and_nothing_else(program, service, monkeypatch, capfd):
    def broken(owner):
        raise KeyError("CANARY")

    monkeypatch.setattr(service.datasets, "all", broken)
    answer = program.get(f"{API}/datasets")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    said = capfd.readouterr()
    assert "CANARY" not in answer.text + said.out + said.err
    assert "KeyError" in answer.text


@pytest.mark.parametrize("path", ["datasets", "files"])
def test_an_upload_may_be_larger_than_other_bodies_wherever_it_is_sent(program, service, path):
    service.settings = replace(service.settings, upload_limit=3_000_000)
    file = {"file": ("people.csv", b"age\n" + b"31\n" * 600_000)}
    assert program.post(f"{API}/{path}", files=file).status_code == 201
