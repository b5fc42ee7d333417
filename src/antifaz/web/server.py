"""The server: an address of this machine, a code to get in, and nothing left behind."""

import asyncio
import contextlib
import ipaddress
import logging
import os
import secrets
import signal
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import uvicorn

from antifaz.core.asking import ASK
from antifaz.core.errors import InputError
from antifaz.service.vault import upload_bytes
from antifaz.service.work_folder import WorkFolder, default_folder
from antifaz.web.accounts import Accounts, read_private, write_private
from antifaz.web.app import make_app
from antifaz.web.security import AccessGuard
from antifaz.web.state import LOOPBACK, AppState, Settings

#: The port that is tried first where none is told; where it is taken, any free one.
PORT = 8765


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """What `antifaz serve` was told."""

    port: int | None = None
    host: str = "127.0.0.1"
    users: Path | None = None
    token_file: Path | None = None
    upload_limit: str = "2GB"
    memory: str = "4GB"
    work: Path | None = None
    root: Path | None = None
    open_browser: bool = True


def serve(wanted: ServeOptions, say: Callable[[str], None]) -> None:
    """Serve until somebody stops it; then erase the private part of the work folder, and say so."""
    ASK.set(None)  # what a request needs is never asked for on the terminal
    # What libraries log may quote statements and values; with a handler that does nothing, nothing is printed.
    logging.getLogger().addHandler(logging.NullHandler())
    settings = _settings(wanted)
    with _bound(wanted) as listening, WorkFolder(wanted.work or default_folder()) as folder:
        if folder.swept:
            say(f"Removed what {folder.swept} stopped service(s) had left in {folder.root}.")
        service = AppState(folder, settings)
        app = make_app(service)
        try:
            service.start()
            _announce(service, wanted, listening.getsockname()[1], say)
            _run(app, listening)
        finally:
            service.stop()
            gone = service.close()
        left = f"Stopped; {folder.private} could not be removed."
        say("Stopped; uploaded data and its keys are erased." if gone else left)


def _announce(service: AppState, wanted: ServeOptions, port: int, say: Callable[[str], None]) -> None:
    """Say the address, with a code to get in where there are no accounts, and open it."""
    settings = service.settings
    code = "" if settings.accounts else f"#code={service.sessions.new_code(settings.user)}"
    address = f"http://{_shown(wanted.host)}:{port}/{code}"
    say(address)
    if wanted.host not in LOOPBACK and not _is_loopback(wanted.host):
        say("Others on the network can reach this service, and what they send is not encrypted on the way.")
    if wanted.open_browser:
        # By way of a private file: what a command line says, everybody on this machine can read.
        door = service.folder.private / "open.html"
        door.touch(mode=0o600)
        door.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
        opener = Timer(0.3, webbrowser.open, (door.as_uri(),))
        opener.daemon = True
        opener.start()


def _run(app: AccessGuard, listening: socket.socket) -> None:
    # Its own log would hold the names of data sets and projects.
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, date_header=True, lifespan="off",
        timeout_graceful_shutdown=3, ws="none", proxy_headers=False, h11_max_incomplete_event_size=64 << 10,
    )  # fmt: skip
    server = uvicorn.Server(config)
    # However it is told to stop, it stops in order: the server hands signals on when it has ended.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listening]))


def _settings(wanted: ServeOptions) -> Settings:
    upload = upload_bytes(wanted.upload_limit)
    if wanted.users is not None and wanted.token_file is not None:
        raise InputError("web.token-with-users")
    if wanted.root is not None and not wanted.root.is_dir():
        raise InputError("web.no-folder", root=wanted.root)
    return Settings(
        hosts=LOOPBACK | {_shown(wanted.host).lower()}, upload_limit=upload, memory=wanted.memory,
        accounts=Accounts(wanted.users) if wanted.users is not None else None,
        token=_token(wanted.token_file) if wanted.token_file is not None else None, root=wanted.root,
    )  # fmt: skip


def _token(path: Path) -> str:
    """Return the token in a file, which is made where it is not there."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32) + "\n")
    token = read_private(path).strip()
    if len(token) < 32 or not token.isascii():
        raise InputError("web.token-too-short", file=path.name)
    return token


def _is_every_address(host: str) -> bool:
    """Say whether listening there would be listening on all networks, however it is spelled."""
    try:
        return ipaddress.ip_address(host or "::").is_unspecified
    except ValueError:
        pass
    try:
        return not any(socket.inet_aton(host))  # "0" and "0x0.0" are addresses as well
    except OSError:
        return False


def _bound(wanted: ServeOptions) -> socket.socket:
    """Return a socket that listens, or say in one sentence why it can't."""
    if _is_every_address(wanted.host):
        raise InputError("web.host-not-one-address")
    for port in [wanted.port] if wanted.port is not None else [PORT, 0]:
        try:
            kind, _, _, _, place = socket.getaddrinfo(wanted.host, port, type=socket.SOCK_STREAM)[0]
            found = socket.socket(kind)
        except OSError:
            raise InputError("web.address-not-of-this-machine", host=wanted.host) from None
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(place)
            found.listen(128)
            return found
        except OSError as error:
            found.close()
            reason = os.strerror(error.errno or 0).lower()
    raise InputError("web.port-not-usable", port=wanted.port or PORT, host=wanted.host, what=reason)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
