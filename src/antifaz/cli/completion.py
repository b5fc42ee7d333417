"""`antifaz completion`: what a shell needs to complete commands, options and paths."""

import os
from pathlib import Path
from typing import Any

import click

from antifaz.cli import terminal

_SHELLS = ("bash", "zsh", "fish")
_EPILOG = """\b
Examples:
  antifaz completion bash --install     for every new shell
  eval "$(antifaz completion bash)"     for this one
  antifaz completion fish | source      the same in fish
"""


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.option(
    "--install", is_flag=True, help="Write it where the shell looks for it; its start-up file stays as it is."
)
@terminal.json_option
def completion(shell: str, install: bool, as_json: bool) -> None:
    """Complete commands, options and paths with the Tab key, in bash 4.4 or newer, zsh or fish.

    Prints a script for the shell, or installs it in your home folder. Completing asks antifaz itself, which reads no
    data for it.
    """
    script = _script(shell)
    path = _place(shell) if install else None
    if path is not None:
        from antifaz.core.files import write_text

        write_text(path, script)
    if as_json:
        terminal.print_json({"shell": shell, "script": script, "file": None if path is None else str(path)})
    elif path is None:
        click.echo(script, nl=False)
    else:
        click.echo(f"Written to {path}; open a new shell. {_advice(shell, path)}")


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    from antifaz.cli.main import cli

    kind: Any = get_completion_class(shell)
    return str(kind(cli, {}, "antifaz", "_ANTIFAZ_COMPLETE").source())


def _place(shell: str) -> Path:
    """Return the file of the user in which a shell looks for what completes a command."""
    if shell == "bash":
        return _folder("XDG_DATA_HOME", ".local/share") / "bash-completion" / "completions" / "antifaz"
    if shell == "fish":
        return _folder("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "antifaz.fish"
    return Path.home() / ".zfunc" / "_antifaz"


def _folder(variable: str, usual: str) -> Path:
    folder = Path(os.environ.get(variable, ""))
    return folder if folder.is_absolute() else Path.home() / usual


def _advice(shell: str, path: Path) -> str:
    if shell == "bash":
        return f"Without the package bash-completion, add this line to ~/.bashrc: source '{path}'"
    if shell == "zsh":
        return "Unless they are there, add these lines to ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit && compinit"
    return "Nothing else is needed."
