"""What a download says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antifaz.service.release_folder import encoding_of
from antifaz.web.routes.releases import _download


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [(None, "utf-8"), ("cp1252", "windows-1252"), ("latin-1", "iso-8859-1"), ("utf-16", "utf-16")],
)
def test_a_download_says_the_encoding_that_it_has(tmp_path: Path, encoding: str | None, charset: str) -> None:
    released = {"file": "release.csv"} | ({"encoding": encoding} if encoding else {})
    (tmp_path / "evidence.json").write_text(json.dumps({"released": released}))
    for name, expected in (("release.csv", charset), ("release.tsv", "utf-8")):
        (tmp_path / name).write_bytes(b"a\n")
        answer = _download(tmp_path / name, encoding_of(tmp_path / name))
        assert f"charset={expected}" in answer.headers["content-type"]
    (tmp_path / "release.sav").write_bytes(b"")
    assert _download(tmp_path / "release.sav").headers["content-type"] == "application/octet-stream"
