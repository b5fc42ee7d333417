"""The work folder: private, swept of what the dead left, and gone at the end."""

import subprocess
import sys

from antifaz.core.errors import InputError
from antifaz.service.work_folder import WorkFolder
from failing import failing

HOLD = """
import sys
from pathlib import Path
from antifaz.service.work_folder import WorkFolder
folder = WorkFolder(Path(sys.argv[1]))
(folder.private / "left").write_text("x")
print(folder.private, flush=True)
sys.stdin.read()
"""


def test_it_is_private_and_goes_at_the_end(tmp_path):
    with WorkFolder(tmp_path / "deep" / "work") as folder:
        assert folder.root.stat().st_mode & 0o777 == 0o700
        assert folder.private.stat().st_mode & 0o777 == 0o700
        (folder.private / "file").write_text("x")
    assert not folder.private.exists()
    assert folder.root.exists()


def test_what_a_killed_service_left_is_removed_and_what_a_living_one_has_is_not(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / "work")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        place = other.stdout.readline().strip()
        with WorkFolder(tmp_path / "work") as folder:
            assert folder.swept == 0
            assert (tmp_path / "work" / "servers").joinpath(place).exists()
        other.kill()
        other.wait()
        with WorkFolder(tmp_path / "work") as folder:
            assert folder.swept == 1
            assert [path.name for path in folder.private.parent.iterdir()] == [folder.private.name]


def test_a_place_that_can_not_be_one_is_said_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("x")
    with failing("service.work-folder-not-usable", InputError):
        WorkFolder(tmp_path / "file")
