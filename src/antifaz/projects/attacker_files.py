"""Attackers that a YAML or JSON file describes: one, a list of them, or a mapping with the key 'attackers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import InputError, ParameterError, ProjectError, hint
from antifaz.projects.yaml_file import Document, Place, read_yaml

if TYPE_CHECKING:
    from antifaz.risk.attacks import Attacker


@dataclass(frozen=True)
class AttackersInFiles:
    """Attackers, and where each is described."""

    attackers: tuple[Attacker, ...]
    places: tuple[tuple[Document, Place], ...]

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Put in front of an error about one of them where the file speaks of it."""
        try:
            yield
        except InputError as error:
            for attacker, (document, place) in zip(self.attackers, self.places, strict=True):
                if str(error).startswith(f"attacker {attacker.who!r}:"):
                    at = _column(document, place, str(error)) or place
                    error.place("project.in-file", file=document.where(at))
                    break
            raise


def read_attackers(files: Sequence[Path]) -> AttackersInFiles:
    """Read the attackers of some files; an error says the line and column."""
    attackers, places = [], []
    for path in files:
        document = read_yaml(path)
        for place, settings in _listed(document):
            attackers.append(_attacker(document, place, settings))
            places.append((document, place))
    seen: set[str] = set()
    for attacker, (document, place) in zip(attackers, places, strict=True):
        if attacker.who in seen:
            where = document.where((*place, "name"))
            raise ProjectError("project.attackers-of-one-name", place=where, name=attacker.who)
        seen.add(attacker.who)
    return AttackersInFiles(tuple(attackers), tuple(places))


def _listed(document: Document) -> list[tuple[Place, Mapping[str, Any]]]:
    data: Any = document.data
    place: Place = ()
    if isinstance(data, Mapping) and "attackers" in data:
        for key in data:
            if key != "attackers":
                where = document.where((key,))
                raise ProjectError("project.unknown-key", place=where, key=key, hint=hint(str(key), ["attackers"]))
        data, place = data["attackers"], ("attackers",)
    if isinstance(data, Mapping):
        return [(place, data)]
    entries = data if isinstance(data, list) else []
    odd: Place = next(((i,) for i, each in enumerate(entries) if not isinstance(each, Mapping)), ())
    if not entries or odd:
        raise ProjectError("project.attackers-wrong", place=document.where((*place, *odd)))
    return [((*place, i), each) for i, each in enumerate(entries)]


def _attacker(document: Document, place: Place, settings: Mapping[str, Any]) -> Attacker:
    from antifaz.risk.attacks import Attacker  # here: it brings Numba

    known = [field.alias or name for name, field in Attacker.model_fields.items()]
    for key in settings:
        if key not in known:
            where = document.where((*place, key))
            raise ProjectError("project.unknown-key", place=where, key=key, hint=hint(key, known))
    try:
        return Attacker.parse(dict(settings))
    except ParameterError as error:
        # It names the key: as the thing that should be otherwise, or in quotes.
        words = str(error)
        after = [(words.find(mark), key) for key in settings for mark in (f" {key} ", f" {key}.", repr(key))]
        first = min((one for one in after if one[0] >= 0), default=None)
        at = place if first is None else (*place, first[1])
        raise ProjectError("project.in-file", file=document.where(at), error=error) from None


def _column(document: Document, place: Place, message: str) -> Place | None:
    """Where the column stands that a message names first; a hint after it may name another."""
    entry = document.data
    for step in place:
        entry = entry[step]
    text = message.partition(":")[2]
    named: list[tuple[int, Place]] = []
    for key in ("knows", "attribute"):
        value = entry.get(key)
        for i, column in enumerate([value] if isinstance(value, str) else value or []):
            at = (*place, key) if isinstance(value, str) else (*place, key, i)
            named.append((text.find(repr(column)), at))
    return min((each for each in named if each[0] >= 0), default=(0, None))[1]
