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
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

import uvicorn

from antifaz.core.errors import InputError
from antifaz.core.machine import stop_signals
from antifaz.core.passwords import ASK
from antifaz.service.allowed_hosts import AllowedHosts
from antifaz.service.vault import upload_bytes
from antifaz.service.work_folder import WorkFolder, default_folder
from antifaz.web.accounts import Accounts, read_private, write_private
from antifaz.web.app import make_app
from antifaz.web.security import AccessGuard
from antifaz.web.state import LOOPBACK, AppState, Settings

#: The port that is tried first where none is told; where it is taken, any free one.
PORT = 8765


def serve(
    say: Callable[[str], None],
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    work: Path | None = None,
    open_browser: bool = True,
    **options: Any,
) -> None:
    """Serve until somebody stops it; then erase the private part of the work folder, and say so.

    `options` are those of `_settings`.
    """
    ASK.set(None)  # what a request needs is never asked for on the terminal
    # What libraries log may quote statements and values; with a handler that does nothing, nothing is printed.
    logging.getLogger().addHandler(logging.NullHandler())
    settings = _settings(host, **options)
    with _listen(host, port) as listening, WorkFolder(work or default_folder()) as folder:
        if folder.swept:
            say(f"Removed what {folder.swept} stopped service(s) had left in {folder.root}.")
        service = AppState(folder, settings)
        app = make_app(service)
        try:
            service.start()
            address = _announce(service, host, listening.getsockname()[1], say)
            if open_browser:
                _open_browser(service, address)
            _run(app, listening)
        finally:
            service.stop()
            gone = service.close()
        left = f"Stopped; {folder.private} could not be removed."
        say("Stopped; uploaded data and its keys are erased." if gone else left)


def _announce(service: AppState, host: str, port: int, say: Callable[[str], None]) -> str:
    """Say the address, with a code to get in where there are no accounts."""
    settings = service.settings
    code = "" if settings.accounts else f"#code={service.sessions.new_code(settings.user)}"
    address = f"http://{_shown(host)}:{port}/{code}"
    say(address)
    if host not in LOOPBACK and not _is_loopback(host):
        say("Others on the network can reach this service, and what they send is not encrypted on the way.")
    return address


def _open_browser(service: AppState, address: str) -> None:
    """Open the address by way of a private file: what a command line says, everybody on this machine can read."""
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
    for number in stop_signals():
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listening]))


def _settings(
    host: str,
    *,
    users: Path | None = None,
    token_file: Path | None = None,
    upload_limit: str = "2GB",
    memory: str = "4GB",
    jobs: int | None = None,
    root: Path | None = None,
    spark: str | None = None,
    allow_host: Sequence[str] = (),
) -> Settings:
    upload = upload_bytes(upload_limit)
    if users is not None and token_file is not None:
        raise InputError("web.token-with-users")
    if root is not None and not root.is_dir():
        raise InputError("web.no-folder", root=root)
    return Settings(
        hosts=LOOPBACK | {_shown(host).lower()}, upload_limit=upload, memory=memory, jobs=jobs, root=root, spark=spark,
        databases=AllowedHosts(allow_host, only_listed=users is not None),
        accounts=None if users is None else Accounts(users), token=None if token_file is None else _token(token_file),
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


def _listen(host: str, wanted: int | None) -> socket.socket:
    """Return a socket that listens, or say in one sentence why it can't."""
    if _is_every_address(host):
        raise InputError("web.host-not-one-address")
    for port in [PORT, 0] if wanted is None else [wanted]:
        try:
            kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(kind)
        except OSError:
            raise InputError("web.address-not-of-this-machine", host=host) from None
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(128)
            return listener
        except OSError as error:
            listener.close()
            reason = os.strerror(error.errno or 0).lower()
    raise InputError("web.port-not-usable", port=wanted or PORT, host=host, what=reason)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
