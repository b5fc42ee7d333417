"""Handing out a folder that a run made: the ledger registers who gets it or refuses, and the documents say so."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import json_text, replace_file, system_reason
from antifaz.core.messages import Message, messages_in, restored
from antifaz.ledger.drafts import sha256_unless_link
from antifaz.ledger.hand_out import Documents, ReleasedFolder, forget_drafts
from antifaz.ledger.hand_out import hand_out as register
from antifaz.ledger.ledger import VARIABLE, Ledger, default_ledger
from antifaz.ledger.verdict import ledger_warnings
from antifaz.releases.evidence import under
from antifaz.reports.report import report_html, report_pdf
from antifaz.sources.place_address import without_end

EVIDENCE, RECORD = "evidence.json", "record.json"
#: What the ledger said of the draft, which is said anew.
_SAID = (
    "warning.ledger-", "warning.hand-out-would-be-refused", "warning.released-despite-ledger",
)  # fmt: skip


def hand_out(
    folder: str | Path,
    *,
    to: str,
    despite: str | None = None,
    ledger: Ledger | str | Path | None = None,
    other_formats: Collection[str] = (),
) -> dict[str, Any]:
    """Hand out a folder that a run made: check it with what was handed out before, and register who gets it.

    Raises `LedgerRefused` where it and earlier releases together break what any of them has promised, unless `despite`
    gives the reason for handing it out all the same; and `InputError` where a file of the folder is not what was
    checked. Returns the evidence, whose state is then "handed out". The ledger is the user's own if none is given;
    `other_formats` names files that may be in the folder too: other formats of the rows.
    """
    known = _ledger(ledger)
    if "://" in str(folder):
        return _hand_out_place(known, str(without_end(folder)), to, despite)
    place = Path(folder)
    evidence = _read(place)
    releases = _releases(evidence, place)
    released = ReleasedFolder(
        place=str(place.absolute()), releases=releases, files=_files(place), other_formats=frozenset(other_formats)
    )

    def rewritten(said: Mapping[str, Mapping[str, Any]]) -> Documents:
        return _documents(place, evidence, said)

    _, documents = register(known, released, to, despite=despite, rewritten=rewritten)
    for name, content in documents.items():
        _replace(place / name, content)
    forget_drafts(known, released)
    return _read(place) | {"folder": str(place)}


def _ledger(given: Ledger | str | Path | None) -> Ledger:
    if isinstance(given, Ledger):
        return given
    known = default_ledger() if given is None else Ledger(given)
    if known is None:
        raise InputError("ledger.turned-off", variable=VARIABLE)
    return known


def _hand_out_place(ledger: Ledger, place: str, to: str, despite: str | None) -> dict[str, Any]:
    """Hand out what is where this machine's file system does not reach; its files are not looked at."""
    released = ReleasedFolder(place=place, releases={"": ledger.release_at(place)}, files=None)
    said, _ = register(ledger, released, to, despite=despite, rewritten=lambda _: {})
    forget_drafts(ledger, released)
    unseen = Message("warning.hand-out-files-not-looked-at", place=place)
    evidence = said[""] | {"notes": [*said[""]["notes"], unseen]}
    return {"state": "handed out", "folder": place, "ledger": evidence}


def _read(folder: Path) -> dict[str, Any]:
    """Return the evidence of a released folder, or say that it is none."""
    try:
        document = json.loads((folder / EVIDENCE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("ledger.no-released-folder", folder=folder) from None
    except (OSError, ValueError, RecursionError):
        raise InputError("ledger.evidence-not-readable", folder=folder) from None
    if not isinstance(document, dict):
        raise InputError("ledger.evidence-not-readable", folder=folder)
    return document


def _releases(evidence: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return the releases of a folder by their tables' names; a folder that no ledger looked at has none."""
    tables = evidence.get("tables")
    parts = tables if isinstance(tables, dict) else {"": evidence}
    found = {name: under(part, "ledger", "release") for name, part in parts.items()}
    if not found or not all(isinstance(release, str) for release in found.values()):
        raise InputError("ledger.folder-without-ledger", folder=folder)
    return found


def _files(folder: Path) -> dict[str, str]:
    try:
        return {
            path.relative_to(folder).as_posix(): sha256_unless_link(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() or path.is_symlink()
        }
    except OSError:
        raise InputError("ledger.evidence-not-readable", folder=folder) from None


def _documents(folder: Path, evidence: Mapping[str, Any], said: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """Return the documents of a folder as they are once it is handed out."""
    found: dict[str, bytes] = {}
    whole = dict(evidence) | {"state": "handed out"}
    if isinstance(evidence.get("tables"), dict):
        whole["tables"] = dict(whole["tables"])
        for table, own in said.items():
            whole["tables"][table] = _handed_out(evidence["tables"][table], own)
            found |= _written(folder, f"{table}/", whole["tables"][table])
    else:
        whole = _handed_out(evidence, said[""])
    return found | _written(folder, "", whole)


def _handed_out(evidence: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evidence of one table with what the ledger says now."""
    document = restored(evidence)
    before = [one for one in document["warnings"] if not getattr(one, "code", "").startswith(_SAID)]
    document |= {"state": "handed out", "ledger": dict(said), "warnings": [*before, *ledger_warnings(said)]}
    return document | {"messages": messages_in(document)}


def _written(folder: Path, under_: str, document: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the documents that are there, made anew; the order of keys stays."""
    found: dict[str, bytes] = {}
    language = under(document, "report", "language") or "en"
    for name in (EVIDENCE, RECORD, "report.html", "report.pdf"):
        path = folder / under_ / name
        if not path.is_file():
            continue
        if name == EVIDENCE:
            content = json_text(document).encode()
        elif name == RECORD:
            processing = json.loads(path.read_text(encoding="utf-8"))
            content = json_text(processing | {"ledger": document.get("ledger")}).encode()
        else:
            content = (
                report_html(dict(document), language).encode() if name == "report.html" else _pdf(document, language)
            )
        found[under_ + name] = content
    return found


def _pdf(document: Mapping[str, Any], language: str) -> bytes:
    return report_pdf(dict(document), language)


def _replace(path: Path, content: bytes) -> None:
    """Put a document in the place of the old one, with its rights."""
    try:
        replace_file(path, content, path.stat().st_mode & 0o777)
    except OSError as error:
        raise InputError("release.target-not-writable", target=path, why=system_reason(error)) from None
