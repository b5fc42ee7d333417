"""What must be in the wheel and the sdist, and what must not."""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import Path

#: Folders of the source whose every file must arrive, because the program reads them when it runs.
_DATA = ("web/page", "languages")
#: In the sdist at least this, so that whoever has it can build, test and read.
_SOURCE = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/antifaz/py.typed", "tests/conftest.py")
#: Nobody's home, nor the folder where this was built.
_MACHINE = re.compile(rb"(?<![\w.\"'(])/(home|root|work|Users)/[\w.]+/")
#: What lies around in a tree and belongs to whoever works there.
_LOOSE = r"\.venv|\.git|\.hypothesis|__pycache__|out|site|dist|golden|shared"
_NOT_IN_SDIST = re.compile(rf"(^|/)({_LOOSE})/|\.pyc$|\.env$")
_NOT_IN_WHEEL = re.compile(rf"(^|/)({_LOOSE}|tests?|bench)/|\.pyc$|\.env$")


def check_wheel(wheel: Path, root: Path) -> str:
    """Look into the wheel; raise on what is missing or should not be there, else say what was found."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    source = root / "src"
    wanted = {str(path.relative_to(source)) for path in _sources(source)}
    _must("lacks", sorted(wanted - files.keys()))
    info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    strangers = sorted(name for name in files.keys() - wanted if not name.startswith(f"{info}/"))
    _must("holds what is not in src", strangers)
    _must("lacks", [name for name in ("antifaz/py.typed", *_licences(info)) if name not in files])
    for folder in _DATA:
        if not any(name.startswith(f"antifaz/{folder}/") for name in files):
            raise SystemExit(f"The wheel lacks antifaz/{folder}.")
    _must("should not hold", [name for name in files if _NOT_IN_WHEEL.search(name)])
    _must("names folders of this machine in", _machine(files, root))
    return f"{len(files)} files: all of src with type marker, page, words and licences; no tests, no data, no paths"


def check_sdist(sdist: Path, root: Path) -> str:
    """Look into the sdist."""
    with tarfile.open(sdist) as archive:
        top = f"{sdist.name.removesuffix('.tar.gz')}/"
        opened = ((member.name, archive.extractfile(member)) for member in archive.getmembers())
        files = {name.removeprefix(top): file.read() for name, file in opened if file is not None}
    _must("lacks", [name for name in _SOURCE if name not in files])
    _must("should not hold", [name for name in files if _NOT_IN_SDIST.search(name)])
    _must("names folders of this machine in", _here(files, root))
    return f"{len(files)} files: source, tests, documents"


def _sources(source: Path) -> list[Path]:
    found = (path for path in (source / "antifaz").rglob("*") if path.is_file())
    return [path for path in found if "__pycache__" not in path.parts]


def _licences(info: str) -> tuple[str, str]:
    return f"{info}/licenses/LICENSE", f"{info}/licenses/src/antifaz/web/page/vendor/LICENSES.txt"


def _machine(files: dict[str, bytes], root: Path) -> list[str]:
    return sorted({*_here(files, root), *(name for name, data in files.items() if _MACHINE.search(data))})


def _here(files: dict[str, bytes], root: Path) -> list[str]:
    """Return the files that name the folder where this was built, or the home of who built it."""
    here = [str(path).encode() + b"/" for path in (root, Path.home()) if len(path.parts) > 1]
    return sorted(name for name, data in files.items() if any(place in data for place in here))


def _must(fault: str, names: list[str]) -> None:
    if names:
        raise SystemExit(f"What was built {fault}: {', '.join(names[:10])}")
