"""Runs the blocks of a page one after another, in a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import traceback
from pathlib import Path


def run_blocks(args: list[str]) -> int:
    """Run the blocks in one file, and write into another how each ended: its code, output and errors."""
    wanted, told = map(Path, args)
    names = {"__name__": "__main__"}
    report = [_run(*block, names) for block in json.loads(wanted.read_text(encoding="utf-8"))]
    told.write_text(json.dumps(report), encoding="utf-8")
    return 0


def _run(kind: str, code: str, names: dict[str, str]) -> tuple[int, str, str]:
    if kind == "bash":
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "<block>", "exec"), names)
    except BaseException:
        return 1, printed.getvalue(), traceback.format_exc()
    return 0, printed.getvalue(), ""
