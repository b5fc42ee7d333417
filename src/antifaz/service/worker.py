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
from queue import SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError
from antifaz.core.machine import limit_memory, lower_priority, processors, rename_process, stop_own_process
from antifaz.core.messages import Message, as_data, messages_in
from antifaz.core.passwords import PASSWORD
from antifaz.core.progress import Progress
from antifaz.core.sizes import parse_size
from antifaz.projects import actions
from antifaz.projects.yaml_file import parse_yaml
from antifaz.service.errors import error_document, message_document
from antifaz.service.project_tables import ONLY, table_parts, with_parts, with_sources
from antifaz.service.release_folder import rows_file
from antifaz.service.user_keys import with_keys
from antifaz.service.worker_environment import DEBUG
from antifaz.service.worker_process import DATASET, HAND_OUT

if TYPE_CHECKING:
    # What works on data is imported late: until then the service can say that the job is not wanted any more.
    from antifaz.projects.loaded_project import LoadedProject
    from antifaz.projects.tables import LoadedTables

#: How long the present step has to give up by itself, once the service is gone.
_PATIENCE = 5.0
#: How often the share of a step is told.
_PAUSE = 0.1

JobSpec = Mapping[str, Any]
Tell = Callable[[Mapping[str, Any]], None]


def main() -> int:
    """Do the job that standard input says, tell how it goes, and return the exit code."""
    os.umask(0o077)  # whatever is written here is for its owner alone
    signal.signal(signal.SIGTERM, _give_up)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell = _private_output()
    lower_priority()  # the page must stay quick
    try:
        spec = json.loads(_first_line())
        incoming: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=_watch, args=[incoming], daemon=True).start()
        if spec.get("limit") is not None:
            limit_memory(spec["limit"])
        _give_ledger_entry(spec.get("ledger_entry"))
        if spec["kind"] == DATASET:
            from antifaz.service.dataset_worker import serve_dataset

            rename_process("antifaz-data")
            serve_dataset(spec, (json.loads(line) for line in iter(incoming.get, b"")), tell)
        else:
            progress = _progress(tell)
            with actions.report_compiling(progress):
                _work(spec, progress)
    except AntifazError as error:
        tell({"error": error_document(error)})
    except KeyboardInterrupt:
        tell({"stopped": True})
    except MemoryError:
        tell({"error": message_document("too-large", Message("service.memory-used-up"))})
    except BaseException as error:  # what libraries in Rust raise when they give up is no Exception
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
    """Read the job, and not a byte more: the rest of standard input is only there to be closed."""
    parts = []
    while part := os.read(0, 1 << 16):
        parts.append(part)
        if part.endswith(b"\n"):
            break
    return b"".join(parts)


def _watch(incoming: SimpleQueue[bytes]) -> None:
    """Take in what the service asks; when it asks no more, give up."""
    rest = b""
    while part := os.read(0, 1 << 16):
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            incoming.put(line)
    incoming.put(b"")
    stop_own_process()
    sleep(_PATIENCE)
    os._exit(1)  # a step that does not listen; whatever it left is removed at the next start


def _give_ledger_entry(entry: str | None) -> None:
    """Put the password of the ledger's server into a password file in memory, which names that server only."""
    if entry is not None and hasattr(os, "memfd_create"):
        fd = os.memfd_create("antifaz")
        os.fchmod(fd, 0o600)
        os.write(fd, entry.encode() + b"\n")
        os.environ["PGPASSFILE"] = f"/proc/self/fd/{fd}"


def _progress(tell: Tell) -> Progress:
    last_step, last_time = "", 0.0

    def listener(step: str, share: float | None, message: str) -> None:
        nonlocal last_step, last_time
        if step != last_step or share is None or monotonic() - last_time > _PAUSE:
            last_step, last_time = step, monotonic()
            tell({"step": step, "share": share, "message": as_data(message)})

    return Progress(listener, shows=lambda document: tell({"verified": document}))


def _work(spec: JobSpec, progress: Progress) -> None:
    from antifaz.service.tabulating import TABULATE, tabulate
    from antifaz.service.user_ledger import draft_ledger, hand_out, refusal_for_page

    if spec["kind"] == HAND_OUT:
        hand_out(spec)
        return
    if spec["kind"] == TABULATE:
        name = spec["asked"].get("table", ONLY)
        table = spec["tables"][name]
        source = _source(spec, list(spec["tables"]).index(name), table)
        tabulate(spec, source, table["types"], progress)
        return
    from antifaz.projects.loaded_project import LoadedProject
    from antifaz.proposals.frontier import spaced

    loaded, asked = _load(spec), spec["asked"]
    if spec["kind"] == "run":
        with refusal_for_page():
            actions.run(
                loaded,
                out=Path(spec["out"]),
                levels=(_levels(spec) if "into" in asked else asked.get("levels")) or None,
                progress=progress,
                # What goes into a table has left; files are a draft until somebody takes them away.
                ledger=draft_ledger(Path(spec["draft"]), spec["owner"]),
                despite=asked.get("despite"),
            )
        return
    one = loaded if isinstance(loaded, LoadedProject) else loaded.tables[asked["table"]]
    if spec["kind"] == "candidates":
        result = actions.candidates_of(one, drawn=True, progress=progress)
    elif spec["kind"] == "frontier":
        low, high = asked.get("k") or (2, 20)
        fitting = "methods" in asked
        ks = spaced(low, high) if fitting else range(low, high + 1)
        result = actions.frontier_of(one, ks, fitting=fitting, progress=progress)
    elif spec["kind"] == "methods":
        result = actions.purposes_of(one, progress=progress)
    else:
        rows = rows_file(Path(spec["released"]), asked.get("table"))
        result = actions.assess_release(one, rows, attacks=asked.get("attacks", 1000), progress=progress)
    result["messages"] = messages_in(result)  # every reader gets its words in their language
    # Whole or not at all, readable by this user only; what a kill leaves aside is removed with the rest of it.
    aside = Path(spec["aside"]) / "result.json"
    aside.touch(mode=0o600)
    aside.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    aside.replace(spec["result"])


def _load(spec: JobSpec) -> LoadedProject | LoadedTables:
    """Read the project, the sources of its tables being the data sets that were handed over."""
    from antifaz.core.randomness import fresh_seed
    from antifaz.projects.tables import loaded

    document = parse_yaml(spec["text"], Path(spec["file"]))
    data = _with_secrets(with_keys(document.data, spec.get("keys") or {}), spec.get("secrets") or {})
    if not isinstance(data, dict):
        return loaded(replace(document, data=data))
    sources = {name: _source(spec, i, table) for i, (name, table) in enumerate(spec["tables"].items())}
    data = with_sources(data, sources)
    parts = table_parts(data)
    for name, table in spec["tables"].items():
        parts[name]["attributes"] = _typed(parts[name].get("attributes"), table["types"])
    # The run comes out as an earlier one did, its rows going to tables.
    for name, target in spec["asked"].get("into", {}).items():
        parts[name]["release"] = _target(spec, target)
    data = with_parts(data, parts)
    if "into" in spec["asked"]:
        data["seed"] = _seed(spec)
    elif ONLY not in parts and data.get("seed") is None:
        data["seed"] = fresh_seed()  # one for all tables, so that the run can be made once more
    return loaded(replace(document, data=data | _settings(spec, data, len(parts))))


def _settings(spec: JobSpec, data: Mapping[str, Any], tables: int) -> dict[str, Any]:
    """Return what the service lays under a project: what its data is called in the ledger, memory, Spark's master."""
    settings, engine = {}, _engine_within_limits(data.get("engine") or {}, spec.get("memory"), tables)
    if any(table.get("fd") is not None for table in spec["tables"].values()):
        # Where it lies in memory says nothing; whoever runs the project again means the same data.
        settings["ledger"] = {"dataset": f"project-{spec['project'][:12]}", **(data.get("ledger") or {})}
    if spec.get("spark") and engine.get("name") == "spark":
        engine.setdefault("master", spec["spark"])
    return settings | ({"engine": engine} if engine else {})


def _seed(spec: JobSpec) -> Any:
    """Return the seed of an earlier run; that of several tables is the same for all."""
    tables = _released(spec, "evidence.json").get("tables", {ONLY: None})
    return _released(spec, f"{next(iter(tables))}/record.json".lstrip("/"))["seed"]


def _target(spec: JobSpec, target: Mapping[str, Any]) -> dict[str, Any]:
    """Return where rows go as a project file says it; the password of another database goes by the environment."""
    if not spec.get("password") or "url" not in target:
        return dict(_with_secrets(target, spec.get("secrets") or {}))
    os.environ[f"{PASSWORD}_TARGET"] = spec["password"]
    return {**target, "password_env": f"{PASSWORD}_TARGET"}


def _engine_within_limits(engine: Mapping[str, Any], memory: str | None, tables: int = 1) -> dict[str, Any]:
    """Return what a project says of its engine, with the memory it was granted and no more threads than there are.

    Where a project says nothing of memory, its tables share what was granted.
    """
    limited = dict(engine)
    if memory is not None:
        limited["memory"] = memory if "memory" in engine else f"{parse_size(memory) // tables}B"
    if isinstance(limited.get("threads"), int):
        limited["threads"] = min(limited["threads"], processors())
    return limited


def _levels(spec: JobSpec) -> dict[str, int] | None:
    """Return the levels that an earlier run of full-domain generalization had."""
    method = _released(spec, "evidence.json").get("method", {})
    return method.get("levels") if method.get("name") == "full-domain" else None


def _released(spec: JobSpec, name: str) -> Any:
    return json.loads((Path(spec["released"]) / name).read_text(encoding="utf-8"))


def _source(spec: JobSpec, number: int, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the source as a project file says it; bytes in memory get a path that only this process can read by."""
    source: dict[str, Any] = _with_secrets(table["source"], spec.get("secrets") or {})
    if table["password"]:
        # Under a name of its own: what another table or the release connects to must not find it.
        variable = f"{PASSWORD}_{number + 1}"
        os.environ[variable] = table["password"]
        source["password_env"] = variable
    if table.get("fd") is not None:
        folder = Path(spec["aside"]) / str(number)
        folder.mkdir(mode=0o700)
        path = folder / _file_name(source["path"])
        path.symlink_to(f"/proc/self/fd/{table['fd']}")
        source["path"] = str(path)
    return source


def _with_secrets(document: Any, secrets: Mapping[str, str]) -> Any:
    """Return a document whose addresses of databases say where their secret is: each under a name of its own."""
    if isinstance(document, list):
        return [_with_secrets(part, secrets) for part in document]
    if not isinstance(document, Mapping):
        return document
    copied = {key: _with_secrets(part, secrets) for key, part in document.items()}
    url = copied.get("url")
    if isinstance(url, str) and url in secrets:
        copied["password_env"] = f"{PASSWORD}_OF_{list(secrets).index(url)}"
        os.environ[copied["password_env"]] = secrets[url]
    return copied


def _file_name(path: str) -> str:
    """Return what a file is called in messages, if it can be the name of a file here; its end says how it is read."""
    name = Path(path).name
    fits = name.isprintable() and len(os.fsencode(name)) < 200
    return name if name and fits else f"data{Path(path).suffix[:9]}"


def _typed(attributes: Any, types: Mapping[str, str]) -> Any:
    if not isinstance(attributes, dict):
        return attributes
    return {name: {"type": types[name], **(own or {})} if name in types else own for name, own in attributes.items()}


if __name__ == "__main__":
    sys.exit(main())
