"""The page's files: found by their addresses, never anything beside them."""

import pytest

from antifaz.core.language import LANGUAGES
from antifaz.web.app import PAGE


def test_places_on_the_page_answer_the_page(stranger):
    if not (PAGE / "index.html").exists():
        pytest.skip("the page is not there yet")
    for path in ("/", "/p/0123/data", "/runs/0123", "/p/a/b/c"):
        answer = stranger.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "no-cache"


def test_files_have_types_that_browsers_run_and_are_not_sent_twice(stranger):
    answer = stranger.get("/page/vendor/preact.module.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    again = stranger.get("/page/vendor/preact.module.js", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_the_page_gets_the_words_of_every_folder_of_languages_and_not_twice(stranger):
    names = stranger.get("/page/words/languages.json")
    assert names.headers["content-type"] == "application/json"
    assert list(names.json().items()) == [("en", "English"), ("es", "Español"), ("ca", "Català")]
    for language in LANGUAGES:
        answer = stranger.get(f"/page/words/{language}.json")
        assert {"app.language", "glossary.title", "declared.model.average-risk"} <= answer.json().keys()
        again = stranger.get(f"/page/words/{language}.json", headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
    assert stranger.get("/page/words/xx.json").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page/....//app.py", "/page//etc/hostname.txt",
        "/page/..%5capp.py", "/page/%00.js", "/page/", "/page/vendor", "/page/app.py", "/page/" + "a" * 5000 + ".js",
    ],
)  # fmt: skip
def test_check_31_nothing_beside_the_page_is_handed_out(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code in (401, 404)
    assert answer.json()["error"]["code"] in ("not-found", "not-allowed")
