"""Drafts: releases that were made and not handed out. What the ledger must know of one is kept here until it is.

One private file per release, apart from its folder, which may go to others: its row in the ledger, what it promises,
the SHA-256 of its files, and its people as keyed hashes, without a cell.
"""

import json
import os
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import file_sha256, system_reason
from antifaz.ledger.entry import Entry, pack_entry, unpack_entry
from antifaz.ledger.verdict import Promise

_ABOUT = "about.json"
#: After so many days a draft that nobody handed out is given up; the folder can be made again by another run.
DAYS = 180


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One release that was not handed out: its row in the ledger, what it promises, and its people."""

    about: dict[str, Any]
    promise: Promise | None
    entry: Entry | None


def write_draft(folder: Path, draft: Draft) -> None:
    """Keep a draft; an earlier one of the same place makes room."""
    path = folder / f"{draft.about['id']}.zip"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _give_up(folder, draft)
        _write(path, draft)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise InputError("ledger.draft-not-kept", folder=folder, why=system_reason(error)) from None


def _write(path: Path, draft: Draft) -> None:
    parts = {} if draft.entry is None else pack_entry(draft.entry)
    promise = promise_document(draft.promise)
    document = {"about": draft.about, "promise": promise, "parts": list(parts)}
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        with zipfile.ZipFile(file, "w") as archive:  # the parts are compressed already
            archive.writestr(_ABOUT, json.dumps(document, ensure_ascii=False))
            for number, part in enumerate(parts.values()):
                archive.writestr(str(number), part)
        file.flush()
        os.fsync(file.fileno())


def read_draft(folder: Path, release: str) -> Draft | None:
    """Return the draft of a release; None where there is none."""
    path = folder / f"{release}.zip"
    if not path.is_file():
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read(_ABOUT))
            parts = {name: archive.read(str(number)) for number, name in enumerate(document["parts"])}
        entry = unpack_entry(parts) if parts else None
        return Draft(about=document["about"], promise=read_promise(document["promise"]), entry=entry)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise InputError("ledger.draft-damaged", release=release) from None


def draft_at(folder: Path, place: str) -> str | None:
    """Return the release of the draft that was made for a place; None where there is none."""
    for path in folder.glob("*.zip"):
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile):
            about = _about(path)
            if about["place"] == place:
                return str(about["id"])
    return None


def _about(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        about: dict[str, Any] = json.loads(archive.read(_ABOUT))["about"]
        return about


def remove_draft(folder: Path, release: str) -> None:
    """Forget a draft, because it was handed out."""
    (folder / f"{release}.zip").unlink(missing_ok=True)
    with suppress(OSError):  # where others are left
        folder.rmdir()


def promise_document(promise: Promise | None) -> dict[str, Any] | None:
    """Return a promise as data."""
    return None if promise is None else asdict(promise)


def read_promise(document: Mapping[str, Any] | None) -> Promise | None:
    """Return a promise from data."""
    return None if not document else Promise(**{**document, "sensitive": tuple(document["sensitive"])})


def sha256_of_files(folder: Path, known: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """Return the SHA-256 of every file in a folder by its path there; those that are `known` are not read again."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() or path.is_symlink():
            name = path.relative_to(folder).as_posix()
            digests[name] = [(known or {}).get(name) or sha256_unless_link(path)]
    return digests


def sha256_unless_link(path: Path) -> str:
    """Return the SHA-256 of a file; a link is not followed."""
    return "link" if path.is_symlink() else file_sha256(path)


def _give_up(folder: Path, draft: Draft) -> None:
    """Remove drafts that an earlier run left for the same place, and those that are too old."""
    for path in folder.glob("*.zip"):
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile):
            old = time.time() - path.stat().st_mtime > DAYS * 86_400
            about = _about(path)
            same = about["place"] == draft.about["place"] and about["run"] != draft.about["run"]
            if old or same:
                path.unlink()
