"""The experiments of the documents that antifaz is built from, made again: theirs beside ours.

Each module holds the experiments of one document. `python -m experiments NAME` prints one as a Markdown table,
`--write` puts it into the page that asks for it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

#: Returns Markdown; the flag asks for a small version that ends within seconds.
Make = Callable[[bool], str]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One table or figure of a document, made again."""

    name: str
    #: Where it stands there: "S1, Table 5.6".
    place: str
    #: What must be there: "adult" (real Adult), "java"; the page says how to get it.
    needs: tuple[str, ...]
    make: Make


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(name: str, place: str, *needs: str) -> Callable[[Make], Make]:
    """Register the function below as an experiment."""

    def register(make: Make) -> Make:
        EXPERIMENTS[name] = Experiment(name=name, place=place, needs=needs, make=make)
        return make

    return register


def load() -> dict[str, Experiment]:
    """Import every module of this package, and return all experiments by name."""
    for module in pkgutil.iter_modules(__path__):
        if module.name != "__main__":
            import_module(f"experiments.{module.name}")
    return EXPERIMENTS


def table(header: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"
