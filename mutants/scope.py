"""What is mutated, and which tests may kill a mutant."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"

#: Folders, all of whose modules are mutated, and the single modules that make up the gate.
_ROOMS = ("privacy", "counting", "kernels")
_GATE = (
    "releases/gate.py",
    "releases/verifier/models.py",
    "releases/verifier/blanks.py",
    "releases/verifier/distances.py",
    "core/folding.py",
    "core/recount.py",
    "engines/local/recount.py",
    "engines/local/auditor.py",
    "engines/local/write.py",
)

#: Per room, tests that are quick without compiled kernels. What each covers is measured.
_TESTS = {
    "privacy": ("tests/unit/privacy", "tests/unit/testing/test_models.py"),
    "counting": ("tests/unit/counting",),
    "kernels": ("tests/unit/kernels",),
    "gate": (
        "tests/unit/engines/local/test_auditor.py",
        "tests/unit/engines/local/test_recount.py",
        "tests/unit/core/test_folding.py",
        "tests/unit/releases/test_gate.py",
        "tests/unit/releases/verifier/test_distances.py",
        "tests/unit/releases/verifier/test_models.py",
        "tests/unit/releases/verifier/test_models_by_hand.py",
    ),
}
#: And what only some modules need: algorithms whose steps make sense only together.
_MORE = {
    "kernels/attacks.py": ("tests/unit/risk/attacks/test_run.py", "tests/unit/risk/attacks/test_search.py"),
    "kernels/microaggregation.py": ("tests/unit/counting/test_microaggregation.py",),
    "kernels/mondrian.py": ("tests/unit/methods/clustering/test_mondrian.py",),
    "kernels/distribution_split.py": ("tests/unit/methods/clustering/test_mondrian.py",),
    "kernels/out_of_core.py": ("tests/properties/test_out_of_core.py",),
    "kernels/growing.py": ("tests/unit/methods/clustering/test_greedy.py",),
    "kernels/search_tree.py": ("tests/unit/methods/clustering/test_greedy.py",),
}


def modules(wanted: list[str]) -> list[Path]:
    """Return the files to mutate; `wanted` are parts of their paths, all where there are none."""
    package = SOURCE / "antifaz"
    found = [path for room in _ROOMS for path in sorted((package / room).glob("*.py"))]
    found += [package / name for name in _GATE]
    return [path for path in found if not wanted or any(part == room(path) or part in short(path) for part in wanted)]


def short(path: Path) -> str:
    """Return a file's path inside the package."""
    return path.relative_to(SOURCE / "antifaz").as_posix()


def dotted(path: Path) -> str:
    """Return a file's name as a module."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(path: Path) -> str:
    """Return the part that a file belongs to."""
    first = short(path).split("/")[0]
    return first if first in _ROOMS else "gate"


def tests(paths: list[Path]) -> list[str]:
    """Return the tests of the rooms that some files are in, and of the files themselves."""
    of_rooms = (name for path in paths for name in _TESTS[room(path)])
    of_files = (name for path in paths for name in _MORE.get(short(path), ()))
    return list(dict.fromkeys((*of_rooms, *of_files)))
