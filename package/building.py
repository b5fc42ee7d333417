"""Wheel and sdist: built, checked, and built again from each other."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path


def build(root: Path, out: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel, from the tree; return wheel and sdist."""
    _run("-m", "build", "--sdist", "--wheel", "--outdir", str(out), str(root))
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return wheel, sdist


def check_metadata(*files: Path) -> None:
    """Ask twine whether an index would take them and could show the description."""
    _run("-m", "twine", "check", "--strict", *map(str, files))


def rebuild(sdist: Path, wheel: Path, out: Path) -> None:
    """Build a wheel from the sdist alone; it must hold what the wheel from the tree holds."""
    _run("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(sdist))
    (again,) = out.glob("*.whl")
    differing = [name for name, data in _files(wheel).items() ^ _files(again).items()]
    if differing:
        raise SystemExit(f"The wheel from the sdist differs from the other one in: {', '.join(sorted(set(differing)))}")


def _files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments[:3])} failed:\n{done.stdout}{done.stderr}")
