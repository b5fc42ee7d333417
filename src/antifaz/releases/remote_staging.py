"""A release that goes to a store: put together and judged in a private folder of this machine, then uploaded.

Nothing is sent before `publish`, which comes after the gate. An object store has no step that moves a folder: all
files are sent first and completed then, evidence.json last, so whoever waits for it sees whole releases only. On HDFS
the files go to a folder beside, which is renamed. What arrived is read back and compared; of an upload that fails,
nothing stays.
"""

import hashlib
import json
import posixpath
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antifaz.core.errors import CheckFailed, InputError
from antifaz.core.files import file_sha256
from antifaz.core.messages import Message
from antifaz.releases.atomic import RELEASE_FILE, Staging
from antifaz.sources.place_address import Place, parse_place
from antifaz.sources.places import place_errors, store_of

_EVIDENCE = "evidence.json"
_PIECE = 8 << 20


class RemoteStaging(Staging):
    """A private folder that is uploaded when `publish` is called, and vanishes in any case."""

    def __init__(self, folder: Path, place: Place, store: Any) -> None:
        """Made by `remote_staging`."""
        super().__init__(folder, Path(place.name))
        self._place, self._store = place, store

    def publish(self, mode: int = 0o600) -> None:
        """Upload the files, compare them, and complete the release; a second call does nothing."""
        if self.published:
            return
        with place_errors(self._place):
            earlier = _earlier(self._store, self._place)
            upload = _renamed if self._place.scheme == "hdfs" else _completed
            upload(self._store, self._place, _files(self.folder), earlier)
        self.published = True


@contextmanager
def remote_staging(address: str) -> Iterator[RemoteStaging]:
    """Give a private folder for a release that goes to a store; raise at once where it can't go there."""
    place = parse_place(address)
    if place.scheme.startswith("http"):
        raise InputError("place.only-read", scheme=place.scheme)
    with place_errors(place):
        store = store_of(place)
        _earlier(store, place)
    with TemporaryDirectory(prefix="antifaz-") as folder:
        yield RemoteStaging(Path(folder), place, store)


def _files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their names, the evidence last."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: files[name] for name in sorted(files, key=lambda name: (name == _EVIDENCE, name))}


def _earlier(store: Any, place: Place) -> list[str]:
    """Return the files of an earlier release at a place; raise for any that are not of one."""
    from pyarrow import fs

    if place.scheme != "hdfs" and store.get_file_info(place.host).type.name == "NotFound":
        raise InputError("place.not-found", place=f"{place.scheme}://{place.host}")
    here = store.get_file_info(place.inner)
    if here.type.name == "File":
        raise InputError("release.target-is-a-file", name=place.shown)
    listed = store.get_file_info(fs.FileSelector(place.inner, recursive=True, allow_not_found=True))
    names = [posixpath.relpath(each.path, place.inner) for each in listed if each.type.name == "File"]
    strange = [name for name in names if not RELEASE_FILE.fullmatch(name)]
    if strange and _EVIDENCE in names:
        own = _released_file(store, f"{place.inner}/{_EVIDENCE}")
        strange = [name for name in strange if name != own]
    if strange:
        what = Message("release.holds-strange-files", count=len(strange))
        raise InputError("release.target-not-free", name=place.shown, what=what)
    return names


def _released_file(store: Any, path: str) -> str | None:
    """Return the name of the rows that a release's evidence speaks of."""
    with suppress(ValueError, AttributeError), store.open_input_stream(path) as file:
        return str(json.loads(file.read())["released"]["file"])
    return None


def _completed(store: Any, place: Place, files: Mapping[str, Path], earlier: Sequence[str]) -> None:
    """Send all files, then complete them one after the other: none can be seen before its last byte is there."""
    targets = {f"{place.inner}/{name}": path for name, path in files.items()}
    *others, last = targets
    try:
        with ExitStack() as streams:
            for target in others:
                _send(targets[target], streams.enter_context(store.open_output_stream(target)))
            if _EVIDENCE in earlier:  # from here on there is no whole release, until the last file is complete
                store.delete_file(f"{place.inner}/{_EVIDENCE}")
        for target in others:
            _compare(store, target, targets[target], place)
        with store.open_output_stream(last) as stream:
            _send(targets[last], stream)
        _compare(store, last, targets[last], place)
    except BaseException:
        for target in targets:
            with suppress(OSError):
                store.delete_file(target)
        raise
    for name in set(earlier) - set(files):
        store.delete_file(f"{place.inner}/{name}")


def _renamed(store: Any, place: Place, files: Mapping[str, Path], earlier: Sequence[str]) -> None:
    """Send all files to a folder beside the place, and move it there."""
    target = place.inner.rstrip("/")
    parent, name = posixpath.split(target)
    aside, previous = (f"{parent}/.{name}.antifaz-{kind}-{secrets.token_hex(8)}" for kind in ("partial", "previous"))
    try:
        for each, path in files.items():
            store.create_dir(posixpath.dirname(f"{aside}/{each}"), recursive=True)
            with store.open_output_stream(f"{aside}/{each}") as stream:
                _send(path, stream)
            _compare(store, f"{aside}/{each}", path, place)
        if earlier:
            store.move(target, previous)
        elif store.get_file_info(target).type.name == "Directory":
            store.delete_dir(target)  # empty
        try:
            store.move(aside, target)
        except BaseException:
            if earlier:
                store.move(previous, target)
            raise
        if earlier:
            store.delete_dir(previous)
    except BaseException:
        with suppress(OSError):
            store.delete_dir(aside)
        raise


def _send(path: Path, stream: Any) -> None:
    with path.open("rb") as file:
        while data := file.read(_PIECE):
            stream.write(data)


def _compare(store: Any, target: str, path: Path, place: Place) -> None:
    """Read back what arrived: it is what was judged, or it is refused."""
    arrived = hashlib.sha256()
    with store.open_input_stream(target) as stream:
        while data := stream.read(_PIECE):
            arrived.update(data)
    if arrived.hexdigest() != file_sha256(path):
        raise CheckFailed("place.arrived-otherwise", place=place.shown)
