"""Completing in a real shell: what is installed is loaded by it, and answers as its Tab key would ask."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from antifaz.cli.main import COMMANDS, cli

BIN = Path(sys.executable).parent
#: Where each shell looks, below the home folder.
PLACES = {
    "bash": ".local/share/bash-completion/completions/antifaz",
    "zsh": ".zfunc/_antifaz",
    "fish": ".config/fish/completions/antifaz.fish",
}


def installed(shell: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(home))
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    said = CliRunner().invoke(cli, ["completion", shell, "--install", "--json"])
    assert said.exit_code == 0, said.output
    path = Path(json.loads(said.stdout)["file"])
    assert path.relative_to(home).as_posix() == PLACES[shell]
    return path


def shell_says(shell: str, code: str, folder: Path) -> list[str]:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell} here")
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    done = subprocess.run(
        [found, "-c", code], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


def bash_completes(script: Path, folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last word; `default` is its own completion of paths."""
    quoted = " ".join(f"'{word}'" for word in words)
    return shell_says(
        "bash",
        f"""
        source '{script}'
        complete -p antifaz >/dev/null || exit 3
        compopt() {{ [[ $2 == default ]] && offered=default; }}
        COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}
        _antifaz_completion antifaz
        printf '%s\\n' "${{COMPREPLY[@]}}" $offered
        """,
        folder,
    )


def test_bash_completes_commands_options_choices_and_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = installed("bash", tmp_path, monkeypatch)
    assert bash_completes(script, tmp_path, "antifaz", "") == list(COMMANDS)
    assert bash_completes(script, tmp_path, "antifaz", "ver") == ["verify"]
    assert bash_completes(script, tmp_path, "antifaz", "verify", "release.csv", "--bl") == ["--blanks"]
    assert bash_completes(script, tmp_path, "antifaz", "verify", "--blanks", "m") == ["match"]
    assert bash_completes(script, tmp_path, "antifaz", "ledger", "l") == ["list"]
    assert bash_completes(script, tmp_path, "antifaz", "verify", "rel") == ["default"]
    assert bash_completes(script, tmp_path, "antifaz", "nothing-like-it", "") == list(COMMANDS)  # and no error


def test_zsh_takes_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = installed("zsh", tmp_path, monkeypatch)
    assert script.read_text(encoding="utf-8").startswith("#compdef antifaz\n")
    code = f"fpath+=({script.parent}); autoload -Uz compinit && compinit -D; print ${{_comps[antifaz]}}"
    assert shell_says("zsh", code, tmp_path) == ["_antifaz"]


def test_fish_completes_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = installed("fish", tmp_path, monkeypatch)
    offered = shell_says("fish", f"source '{script}'; complete -C 'antifaz ver'", tmp_path)
    assert offered[0] == "verify"


def test_it_is_printed_for_one_session_and_installing_again_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = installed("bash", tmp_path, monkeypatch)
    path.write_text("old", encoding="utf-8")
    said = CliRunner().invoke(cli, ["completion", "bash", "--install"])
    assert str(path) in said.stdout and ".bashrc" in said.stdout
    assert path.read_text(encoding="utf-8") == CliRunner().invoke(cli, ["completion", "bash"]).stdout
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".local"]  # no start-up file is touched


def test_where_it_can_not_be_written_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".zfunc").write_text("", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    said = CliRunner().invoke(cli, ["completion", "zsh", "--install"])
    assert said.exit_code == 1 and ".zfunc" in str(said.exception)
    assert CliRunner().invoke(cli, ["completion", "tcsh"]).exit_code == 2
