"""What happens to released rows before they leave, in a process of its own: registered, and had in another format.

Both take time and memory with many rows, and the service must go on answering meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The kind of such an order.
HAND_OUT = "hand-out"


def order_of(folder: Path, held: Path, aside: Path, path: Path, target: Path) -> dict[str, Any] | None:
    """Return what is to be done before a file of a release leaves; None where it was done before."""
    todo: dict[str, Any] = {"held": str(held)} if held.is_dir() else {}
    if target != path and not target.is_file():
        todo |= {"path": str(path), "target": str(target), "format": target.suffix.lstrip(".")}
    return {"kind": HAND_OUT, "release": str(folder), "aside": str(aside), **todo} if todo else None


def hand_out(order: Mapping[str, Any]) -> None:
    """Do it: first the format, because what can't be had does not leave."""
    if "target" in order:
        from antifaz.engines.local.convert import convert

        convert(Path(order["path"]), Path(order["target"]), order["format"])
    if "held" in order:
        from antifaz.service.downloads import register

        register(Path(order["held"]), Path(order["release"]))
