"""`python -m package [--out dist] [--try PYTHON …]`: build, look inside, install afresh, list what it is made of."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from package.building import build, check_metadata, rebuild
from package.contents import check_sdist, check_wheel
from package.fresh import Fresh
from package.sbom import write_sbom

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Do it all; whatever fails ends with a sentence, and leaves nothing that looks finished."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="antifaz-package-") as name:
        folder = Path(name)
        wheel, sdist = build(ROOT, folder / "dist")
        check_metadata(wheel, sdist)
        said = check_wheel(wheel, ROOT)
        _say(f"{wheel.name}: {said}")
        _say(f"{sdist.name}: {check_sdist(sdist, ROOT)}")
        rebuild(sdist, wheel, folder / "again")
        _say("a wheel built from the sdist holds the same files")
        lists = _try(wheel, folder, asked.interpreters)
        _hand_over([wheel, sdist, *lists], asked.out)
    _say(f"written to {asked.out}/: {', '.join(sorted(path.name for path in asked.out.iterdir()))}")
    return 0


def _try(wheel: Path, folder: Path, interpreters: list[str]) -> list[Path]:
    """Install the wheel for every interpreter; what the first one got is what the list of parts and the pins say."""
    version = wheel.name.split("-")[1]
    bill, pins = (wheel.with_name(f"antifaz-{version}.{ending}") for ending in ("cdx.json", "constraints.txt"))
    for number, interpreter in enumerate(interpreters):
        fresh = Fresh(folder / f"fresh{number}", interpreter)
        fresh.install(wheel)
        if number == 0:
            pins.write_text(fresh.pins(), encoding="utf-8")
            parts = write_sbom(fresh.python, ROOT, bill, version)
            _say(f"{bill.name}: {parts}")
        for line in fresh.tried():
            _say(f"Python {fresh.version}: {line}")
    return [bill, pins]


def _hand_over(files: list[Path], out: Path) -> None:
    """Replace what was built before: two versions side by side are uploaded by mistake."""
    out.mkdir(exist_ok=True)
    for old in out.glob("antifaz-*"):
        old.unlink()
    for file in files:
        shutil.copy(file, out)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="package", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"), help="where to put what was built")
    parser.add_argument(
        "--try", nargs="+", default=[sys.executable], metavar="PYTHON", dest="interpreters", help="try it with these"
    )
    return parser.parse_args()


def _say(line: str) -> None:
    print(f"✔ {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
