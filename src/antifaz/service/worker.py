"""One job in a process of its own: `python -m antifaz.service.worker`.

What is to be done comes as one line of JSON on standard input, passwords included, so that nothing of it is on a
command line or in the environment. Progress, and how it ended, go out as lines of JSON. Standard input stays open as
long as the service lives; when it closes, the work is given up. SIGTERM gives it up too, and leaves nothing half done.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError, InputError
from antifaz.core.messages import Message, as_data
from antifaz.core.progress import Progress
from antifaz.engines.addresses import PASSWORD
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.errors import error_document, message_document
from antifaz.service.release_folder import rows_file
from antifaz.service.user_keys import with_keys
from antifaz.service.worker_process import DEBUG, HAND_OUT

if TYPE_CHECKING:
    # What works on data is imported late: until then the service can say that the job is not wanted any more.
    from antifaz.projects.project import LoadedProject
    from antifaz.projects.tables import LoadedTables

#: How long the present step has to give up by itself, once the service is gone.
_PATIENCE = 5.0
#: How often the share of a step is told.
_PAUSE = 0.1

Order = Mapping[str, Any]
Tell = Callable[[Mapping[str, Any]], None]


def main() -> int:
    """Do the job that standard input says, tell how it goes, and return the exit code."""
    signal.signal(signal.SIGTERM, _give_up)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell = _private_output()
    with suppress(OSError):
        os.nice(5)  # the page must stay quick
    try:
        order = json.loads(_first_line())
        Thread(target=_watch, daemon=True).start()
        _work(order, tell)
    except AntifazError as error:
        tell({"error": error_document(error)})
    except KeyboardInterrupt:
        tell({"stopped": True})
    except Exception as error:
        # Its words may quote the data.
        if DEBUG in os.environ:
            traceback.print_exc()
        if isinstance(error, RuntimeError) and "interrupted" in str(error).lower():
            tell({"stopped": True})
        else:
            kind = type(error).__name__
            tell({"error": message_document("internal", Message("store.internal-error", type=kind))})
    else:
        tell({"done": True})
        return 0
    return 1


def _give_up(_signal: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: what cleans up must not be stopped
    raise KeyboardInterrupt


def _private_output() -> Tell:
    """Return what writes lines to the service; whatever libraries print goes nowhere."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)

    def tell(line: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError):  # the service is gone, and `_watch` knows
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            out.flush()

    return tell


def _first_line() -> bytes:
    """Read the order, and not a byte more: the rest of standard input is only there to be closed."""
    parts = []
    while part := os.read(0, 1 << 16):
        parts.append(part)
        if part.endswith(b"\n"):
            break
    return b"".join(parts)


def _watch() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(_PATIENCE)
    os._exit(1)  # a step that does not listen; whatever it left is removed at the next start


def _progress(tell: Tell) -> Progress:
    last_step, last_time = "", 0.0

    def listener(step: str, share: float | None, message: str) -> None:
        nonlocal last_step, last_time
        if step != last_step or share is None or monotonic() - last_time > _PAUSE:
            last_step, last_time = step, monotonic()
            tell({"step": step, "share": share, "message": as_data(message)})

    return Progress(listener)


def _work(order: Order, tell: Tell) -> None:
    from antifaz.service.draft_releases import draft_ledger, hand_out

    if order["kind"] == HAND_OUT:
        hand_out(order)
        return
    from antifaz.projects import actions
    from antifaz.projects.project import LoadedProject

    if order.get("password"):
        os.environ[PASSWORD] = order["password"]
    loaded, asked, progress = _load(order), order["asked"], _progress(tell)
    if order["kind"] == "run":
        actions.run(
            loaded,
            out=Path(order["out"]),
            levels=(_levels(order) if "table" in asked else asked.get("levels")) or None,
            progress=progress,
            # What goes into a table has left; files stay here until somebody takes them away.
            ledger=True if _into_tables(loaded) else draft_ledger(Path(order["draft"]), order["owner"]),
            despite=asked.get("despite"),
        )
        return
    if not isinstance(loaded, LoadedProject):
        raise InputError("service.needs-one-table")
    if order["kind"] == "candidates":
        result = actions.candidates_of(loaded, drawn=True, progress=progress)
    elif order["kind"] == "frontier":
        low, high = asked.get("k") or (2, 20)
        result = actions.frontier_of(loaded, range(low, high + 1), progress=progress)
    else:
        rows = rows_file(Path(order["released"]))
        result = actions.assess_release(loaded, rows, attacks=asked.get("attacks", 1000), progress=progress)
    # Whole or not at all, readable by this user only; what a kill leaves aside is removed with the rest of it.
    aside = Path(order["aside"]) / "result.json"
    aside.touch(mode=0o600)
    aside.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    aside.replace(order["result"])


def _load(order: Order) -> LoadedProject | LoadedTables:
    """Read the project, its source being the data set that was handed over."""
    from antifaz.projects.tables import loaded

    document = parse_yaml(order["text"], Path(order["file"]))
    data = with_keys(document.data, order.get("keys") or {})
    several = isinstance(data, dict) and "tables" in data
    if several and order.get("source") is not None:
        raise InputError("service.several-tables-with-data-set")
    if several or not isinstance(data, dict):
        return loaded(replace(document, data=data))
    if order.get("source") is not None:
        data["source"] = _source(order)
        data["attributes"] = _typed(data.get("attributes"), order["types"])
    if order.get("fd") is not None:
        # Where it lies in memory says nothing; whoever runs the project again means the same data.
        data["ledger"] = {"dataset": f"project-{order['project'][:12]}", **(data.get("ledger") or {})}
    if order["kind"] == "run" and "table" in order["asked"]:
        # The run comes out as an earlier one did, its rows going to a table.
        target = {key: order["asked"][key] for key in ("table", "schema", "replace") if key in order["asked"]}
        data |= {"seed": _released(order, "record.json")["seed"], "release": target}
    if order.get("memory"):
        data["engine"] = {"memory": order["memory"], **(data.get("engine") or {})}
    if order.get("spark") and (data.get("engine") or {}).get("name") == "spark":
        data["engine"] = {"master": order["spark"], **data["engine"]}
    return loaded(replace(document, data=data))


def _levels(order: Order) -> dict[str, int] | None:
    """Return the levels that an earlier run of full-domain generalization had."""
    method = _released(order, "evidence.json").get("method", {})
    return method.get("levels") if method.get("name") == "full-domain" else None


def _released(order: Order, name: str) -> Any:
    return json.loads((Path(order["released"]) / name).read_text(encoding="utf-8"))


def _source(order: Order) -> dict[str, Any]:
    """Return the source as a project file says it; bytes in memory get a path that only this process can read by."""
    source = {key: value for key, value in order["source"].items() if key != "password_env" or not order["password"]}
    if order.get("fd") is not None:
        path = Path(order["aside"]) / _file_name(source["path"])
        path.symlink_to(f"/proc/self/fd/{order['fd']}")
        source["path"] = str(path)
    return source


def _file_name(path: str) -> str:
    """Return what a file is called in messages, if it can be the name of a file here; its end says how it is read."""
    name = Path(path).name
    fits = name.isprintable() and len(os.fsencode(name)) < 200
    return name if name and fits else f"data{Path(path).suffix[:9]}"


def _typed(attributes: Any, types: Mapping[str, str]) -> Any:
    if not isinstance(attributes, dict):
        return attributes
    return {name: {"type": types[name], **(own or {})} if name in types else own for name, own in attributes.items()}


def _into_tables(loaded: LoadedProject | LoadedTables) -> bool:
    parts: Any = getattr(loaded, "tables", {"": loaded})
    return any(part.project.release.table for part in parts.values())


if __name__ == "__main__":
    sys.exit(main())
