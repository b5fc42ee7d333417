"""How the command line ends: in words and exit codes, never in a trace that may quote data."""

from __future__ import annotations

import io
import sys

import click
import pytest

from antifaz.cli import main as entry
from antifaz.cli.main import COMMANDS, cli, main
from antifaz.core.errors import CheckFailed, DataError, HierarchyError, PrivacyNotReached


def _ending(monkeypatch, capsys, error):
    """Let a command raise something; return the exit code and what was said."""

    def failing(*_args, **_options):
        raise error

    monkeypatch.setattr(cli, "main", failing)
    monkeypatch.delenv("ANTIFAZ_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (DataError("The file is odd."), 2, "Error: The file is odd.\n"),
        (PrivacyNotReached("No."), 1, "Error: No.\n"),
        (CheckFailed("Refused."), 1, "Error: Refused.\n"),
        (HierarchyError("Misses 2.", ["a", "b"]), 2, "Error: Misses 2.\n  values: 'a', 'b'\n"),
        (click.Abort(), 130, "Stopped; nothing was written.\n"),
        (RuntimeError("Query interrupted"), 130, "Stopped; nothing was written.\n"),
        (click.UsageError("Say more."), 2, "Error: Say more.\n"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_errors_end_in_one_sentence_and_a_code(monkeypatch, capsys, error, code, said):
    assert _ending(monkeypatch, capsys, error) == (code, said)


def test_only_ten_values_are_shown(monkeypatch, capsys):
    _, said = _ending(monkeypatch, capsys, HierarchyError("Many.", [str(i) for i in range(50)]))
    assert said.endswith("'9', …\n")


def test_check_34_an_error_of_somebody_else_is_not_quoted(monkeypatch, capsys):
    code, said = _ending(monkeypatch, capsys, ValueError("CANARY"))
    assert code == 2
    assert "CANARY" not in said
    assert "internal ValueError" in said


def test_a_developer_can_see_it(monkeypatch):
    def failing(*_args, **_options):
        raise ValueError("inside")

    monkeypatch.setattr(cli, "main", failing)
    monkeypatch.setenv("ANTIFAZ_DEBUG", "1")
    with pytest.raises(ValueError, match="inside"):
        main()


def test_every_command_has_a_module_and_its_help():
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        commands = command.commands.values() if isinstance(command, click.Group) else [command]
        for one in commands:
            assert any(option.name == "as_json" for option in one.params) or name == "serve"
    assert cli.get_command(context, "nothing") is None


def test_output_that_nobody_reads_is_no_error(monkeypatch):
    monkeypatch.setattr(entry.os, "dup2", lambda *_: None)
    monkeypatch.setattr(sys, "stdout", type("Out", (io.StringIO,), {"fileno": lambda self: 1})())
    assert entry._explain(BrokenPipeError()) == 0
