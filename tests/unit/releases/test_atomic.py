"""A release is put in place whole or not at all, whatever happens to the process or the disk."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from antifaz.core.errors import InputError
from antifaz.releases import atomic
from antifaz.releases.atomic import clean_leftovers, staging
from failing import failing, like

FILES = ("release.csv", "evidence.json", "report.html")

# A child that publishes, and kills itself before or after the n-th call that touches the disk.
CHILD = """
import os, signal, sys
from pathlib import Path
from antifaz.releases import atomic

target, content, n, when, how = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
calls = 0

def deadly(function):
    def call(*args, **kwargs):
        global calls
        calls += 1
        if calls == n and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return function(*args, **kwargs)
        finally:
            if calls == n and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
    return call

for name in ("mkdir", "write", "fchmod", "chmod", "fsync", "rename", "replace", "unlink", "rmdir"):
    setattr(os, name, deadly(getattr(os, name)))
atomic._exchange = deadly(atomic._exchange) if how == "exchange" else lambda one, other: False

with atomic.staging(target) as stage:
    for name in ("release.csv", "evidence.json", "report.html"):
        descriptor = os.open(stage.folder / name, os.O_WRONLY | os.O_CREAT)
        os.write(descriptor, content.encode() * 1000)
        os.close(descriptor)
    stage.publish()
"""


def publish(target: Path, content: str, names: tuple[str, ...] = FILES) -> None:
    with staging(target) as stage:
        for name in names:
            (stage.folder / name).write_text(content * 1000)
        stage.publish()


def content(target: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in target.iterdir()}


def whole(text: str) -> dict[str, str]:
    return dict.fromkeys(FILES, text * 1000)


def child(*arguments: object) -> int:
    done = subprocess.run([sys.executable, "-c", CHILD, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def test_publishes_a_new_folder_privately(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "out"
    with staging(target) as stage:
        assert stage.folder.parent == target.parent
        assert stage.folder.name.startswith(f".out.antifaz-partial-{os.getpid()}-")
        assert stat.S_IMODE(stage.folder.stat().st_mode) == 0o700
        (stage.folder / "release.csv").write_text("a")
        assert not target.exists()
        stage.publish()
        stage.publish()
        assert content(target) == {"release.csv": "a"}
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert stat.S_IMODE((target / "release.csv").stat().st_mode) == 0o600
    assert list(target.parent.iterdir()) == [target]


def test_a_wider_mode_opens_the_folder_too(tmp_path: Path) -> None:
    with staging(tmp_path / "out") as stage:
        (stage.folder / "release.csv").write_text("a")
        stage.publish(mode=0o644)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "out" / "release.csv").stat().st_mode) == 0o644


@pytest.mark.parametrize("exchange", [True, False])
def test_replaces_an_earlier_release_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    target = tmp_path / "out"
    publish(target, "old", (*FILES, "record.json", "release.parquet"))
    publish(target, "new")
    assert content(target) == whole("new")
    assert list(tmp_path.iterdir()) == [target]


def test_takes_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    publish(tmp_path / "out", "new")
    assert content(tmp_path / "out") == whole("new")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    publish(Path(), "new")
    assert content(tmp_path / "here") == whole("new")


@pytest.mark.parametrize("leave", ["exception", "interrupt", "quietly"])
def test_without_publishing_nothing_changes(tmp_path: Path, leave: str) -> None:
    target = tmp_path / "out"
    publish(target, "old")
    raised = {"exception": ValueError, "interrupt": KeyboardInterrupt, "quietly": None}[leave]
    try:
        with staging(target) as stage:
            (stage.folder / "release.csv").write_text("half")
            if raised:
                raise raised
    except (ValueError, KeyboardInterrupt):
        pass
    assert content(target) == whole("old")
    assert list(tmp_path.iterdir()) == [target]


def test_refuses_files_of_others_at_the_start(tmp_path: Path) -> None:
    for number, name in enumerate(("thesis.doc", "release", "Evidence.json"), start=1):
        (tmp_path / name).write_text("mine")
        with failing("release.target-not-free", InputError, what=like("release.holds-strange-files", count=number)):
            publish(tmp_path, "new")
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_only_plain_files_pass_for_files_of_a_release(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    target.mkdir()
    if kind == "folder":
        (target / "release.csv").mkdir()
    else:
        (target / "release.csv").symlink_to(tmp_path)
    with failing("release.target-not-free", InputError, what=like("release.holds-strange-files", count=1)):
        publish(target, "new")


def test_refuses_files_of_others_that_came_meanwhile(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish(target, "old")
    with (
        failing("release.target-not-free", InputError, what=like("release.holds-strange-files")),
        staging(target) as stage,
    ):
        (stage.folder / "release.csv").write_text("new")
        (target / "thesis.doc").write_text("mine")
        stage.publish()
    assert content(target) == {**whole("old"), "thesis.doc": "mine"}
    assert list(tmp_path.iterdir()) == [target]


def test_what_is_published_can_be_replaced_later(tmp_path: Path) -> None:
    with failing("release.strange-files", InputError):
        publish(tmp_path / "out", "new", ("release.csv", "notes.txt"))
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_file_a_link_and_the_root(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name, kind in [("file", "file"), ("link", "link"), ("dangling", "link")]:
        with failing(f"release.target-is-a-{kind}", InputError):
            publish(tmp_path / name, "new")
    with failing("release.target-not-writable", InputError, why=like("release.path-has-a-file")):
        publish(tmp_path / "file" / "out", "new")
    with failing("release.target-not-replaceable", InputError):
        publish(Path("/"), "new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "file", "folder", "link"]


def test_a_link_among_the_parents_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    publish(tmp_path / "link" / "out", "new")
    assert content(tmp_path / "folder" / "out") == whole("new")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("how", ["exchange", "two steps"])
@pytest.mark.parametrize("earlier", ["nothing", "release"])
def test_check_19_killed_anywhere_leaves_the_old_or_the_new(tmp_path: Path, when: str, how: str, earlier: str) -> None:
    killed = 0
    for n in range(1, 100):
        parent = tmp_path / str(n)
        target = parent / "out"
        parent.mkdir()
        if earlier == "release":
            publish(target, "old")
        if child(target, "new", n, when, how) == 0:
            break
        killed += 1
        # In two steps there is an instant with no target: the next start puts the old one back.
        if how == "two steps":
            clean_leftovers(parent)
        if earlier == "release" or target.exists():
            assert content(target) in (whole("old"), whole("new"))
        publish(target, "next")
        assert content(target) == whole("next")
        assert list(parent.iterdir()) == [target]
    assert killed >= 11


def test_check_19_leftovers_go_and_work_in_progress_stays(tmp_path: Path) -> None:
    left = tmp_path / f".out.antifaz-partial-{os.getpid()}-0123456789abcdef"
    similar = tmp_path / ".out.antifaz-partial-notes"
    for folder in (left, similar):
        folder.mkdir()
        (folder / "release.csv").write_text("half")
    with staging(tmp_path / "out") as stage:
        (stage.folder / "release.csv").write_text("half")
        publish(tmp_path / "other", "new")
        clean_leftovers(tmp_path)
        assert (stage.folder / "release.csv").exists()
        assert not left.exists()
    assert similar.exists()


def test_check_31_cleaning_follows_no_links(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.doc").write_text("mine")
    (tmp_path / ".out.antifaz-partial-1-0123456789abcdef").symlink_to(tmp_path / "folder")
    clean_leftovers(tmp_path)
    assert (tmp_path / "folder" / "thesis.doc").exists()


def test_check_26_many_at_once_on_one_target_never_mix(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish(target, "0")
    loop = CHILD.replace("with atomic", "for _ in range(20):\n  with atomic").replace("\n    ", "\n      ")
    writers = [
        subprocess.Popen([sys.executable, "-c", loop, str(target), str(w), "0", "never", "exchange"])
        for w in range(1, 5)
    ]
    looks = 0
    while any(writer.poll() is None for writer in writers):
        folder = os.open(target, os.O_RDONLY)  # must always be there
        try:
            seen = {Path(f"/proc/self/fd/{folder}", name).read_text() for name in FILES}
            assert len(seen) == 1, "files of two releases in one folder"
            looks += 1
        except FileNotFoundError:
            pass  # this one was replaced, and is being removed, while it was read
        finally:
            os.close(folder)
    assert [writer.returncode for writer in writers] == [0] * 4
    assert looks
    assert content(target) in [whole(str(w)) for w in range(1, 5)]
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("function", ["fsync", "fchmod", "rename"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_check_20_disk_errors_while_publishing_are_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, number: int
) -> None:
    target = tmp_path / "out"
    publish(target, "old")

    def broken(*args: object, **kwargs: object) -> None:
        raise OSError(number, "secret words")

    with pytest.raises(InputError) as caught, staging(target) as stage:
        (stage.folder / "release.csv").write_text("new")
        monkeypatch.setattr(os, function, broken)
        stage.publish()
    monkeypatch.undo()
    words = {errno.ENOSPC: "the disk is full", errno.EIO: "the disk reported an error"}[number]
    assert str(caught.value) == f"'{target}' could not be written: {words}."
    assert caught.value.exit_code == 2
    assert content(target) == whole("old")
    assert list(tmp_path.iterdir()) == [target]


def test_in_two_steps_the_old_comes_back_when_the_second_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    publish(target, "old")
    rename = os.rename

    def broken(source: Path, to: Path) -> None:
        if to == target and "partial" in source.name and not target.exists():
            raise OSError(errno.EIO, "broken")
        rename(source, to)

    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    monkeypatch.setattr(os, "rename", broken)
    with failing("release.target-not-writable", InputError, why=like("release.disk-error")):
        publish(target, "new")
    assert content(target) == whole("old")
    assert list(tmp_path.iterdir()) == [target]


def test_errors_that_are_not_of_the_release_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), staging(tmp_path / "out"):
        (tmp_path / "source.csv").read_text()
    with (
        failing("release.target-not-writable", InputError, why="no such file or directory"),
        staging(tmp_path / "out") as stage,
    ):
        (stage.folder / "missing" / "release.csv").write_text("new")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, text=True
    )
    if mounted.returncode:
        assert os.environ.get("CI") != "true", f"a disk must be mountable here: {mounted.stderr}"
        pytest.skip("only root may mount a small disk to fill")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_check_20_a_full_disk_keeps_the_old_release(small_disk: Path) -> None:
    target = small_disk / "out"
    publish(target, "old")
    with failing("release.target-not-writable", InputError, why=like("release.disk-full")), staging(target) as stage:
        (stage.folder / "release.csv").write_bytes(bytes(2_000_000))
        stage.publish()
    assert content(target) == whole("old")
    assert list(small_disk.iterdir()) == [target]
