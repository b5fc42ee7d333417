"""The entry point. Each command's module is imported only when it is called, so that `--help` is quick."""

import atexit
import gc
import os
import signal
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

#: Command → what it does.
COMMANDS = {
    "demo": "Anonymize made-up people into out/demo: see what you get.",
    "inspect": "Look at a data file: columns, types, proposed roles, whom they single out.",
    "init": "Write a project file for a data file, with proposals to edit.",
    "import-table": "Copy a data file into a new table of a database.",
    "import": "Write a project file from a JSON project of Anonylitics.",
    "run": "Run a project file: decide, apply, verify, release.",
    "apply": "Recode rows that come later as earlier ones were, and release them.",
    "tabulate": "Release a table of counts or sums that gives no small cell away.",
    "script": "Write a project file as a Python script that makes the same release.",
    "hand-out": "Hand out what a run made: register who gets it, or be refused by the ledger.",
    "project": "Keep projects by name, run them again, and look back at every run.",
    "candidates": "List every generalization that satisfies a project's models, best first (Incognito).",
    "frontier": "Show what each k costs, and recommend one.",
    "redactions": "Show what is redacted in the texts of a project, and what is left, to be read.",
    "verify": "Check any table, whoever made it, from its rows alone.",
    "assess": "Judge any release from two tables: utility, risk, and what attackers find.",
    "ledger": "See what was released of whom, and check a new release with the earlier ones.",
    "key": "Make a key for encryption and pseudonyms.",
    "serve": "Open the page that does all of this, and the same as REST.",
    "schema": "Print the JSON Schema of project files.",
    "completion": "Complete commands, options and paths in bash, zsh or fish.",
    "warm-up": "Compile what large tables need, once, so that runs don't have to wait for it.",
}

#: The modules of `antifaz.cli`, and the click commands in them.
_MODULES = {
    "prepare": ("inspect", "init", "import-table", "import", "key", "schema", "script", "warm-up"),
    "run": ("demo", "run", "apply"),
    "search": ("candidates", "frontier", "redactions"),
    "tabulate": ("tabulate",),
    "judge": ("verify", "assess"),
    "project": ("project",),
    "ledger": ("ledger", "hand-out"),
    "serve": ("serve",),
    "completion": ("completion",),
}
EPILOG = """\b
Start here:
  antifaz demo                              try it on made-up people
  antifaz inspect people.csv                look at your data
  antifaz init people.csv -o project.yaml   write a project file; edit it
  antifaz run project.yaml                  release it, verified: a draft
  antifaz hand-out out/people --to "Ana"    register who gets it

Results go to stdout, progress and messages to stderr; every command takes --json.
ANTIFAZ_LANGUAGE=es or ca prints errors in Spanish or Catalan.
Exit codes: 0 done and verified; 1 the privacy asked for can't be reached or a check failed; 2 bad input.
"""


class HintingGroup(click.Group):
    """A group that lists its commands in the order of a first use, and names the nearest where there is no such one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of a first use."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            from antifaz.core.errors import hint

            ctx.fail(f"There is no command {args[0]!r}{hint(args[0], known)}.")
        return super().resolve_command(ctx, args)


class LazyGroup(HintingGroup):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of a first use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return a command."""
        if name not in COMMANDS:
            return None
        module = next(module for module, names in _MODULES.items() if name in names)
        # Python keeps the word `import` for itself.
        own = "import_" if name == "import" else name.replace("-", "_")
        command: click.Command = getattr(import_module(f"antifaz.cli.{module}"), own)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Complete the name of a command without importing any."""
        names = [CompletionItem(name, help=what) for name, what in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from antifaz import __version__

        click.echo(f"antifaz {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli() -> None:
    """Share data about people without giving the people away."""


def collect_garbage_seldom() -> None:
    """Set the garbage collector for a process that imports much and ends soon.

    To look through all of it, and again before the process ends, takes a tenth of a small run each.
    """
    gc.set_threshold(200_000, 20, 20)
    atexit.register(gc.disable)


def main() -> None:
    """Run the command line; bad input ends in one sentence and exit code 2, never in a traceback."""
    collect_garbage_seldom()
    if sys.stdin is not None and sys.stdin.isatty():
        from antifaz.core.passwords import ASK

        ASK.set(lambda what: str(click.prompt(what, hide_input=True, err=True)))
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # not in every version of click
            error.show()
        else:
            click.echo(f"Error: {_usage(error)}", err=True)
        code = 2
    except click.Abort:
        code = _stopped()
    except Exception as error:
        code = _explain(error)
    sys.exit(code if isinstance(code, int) else 0)


def _interrupt(number: int, frame: object) -> None:
    """Stop as Ctrl-C does, which removes what was begun."""
    signal.signal(number, signal.SIG_IGN)  # once is enough: what cleans up must not be stopped
    raise KeyboardInterrupt


def _usage(error: click.ClickException) -> str:
    """Say in one line what is wrong with a command, and where its options are explained."""
    context = getattr(error, "ctx", None)
    sentence = error.format_message().rstrip(".")
    return f"{sentence}; see '{context.command_path} --help'." if context else f"{sentence}."


def _stopped() -> int:
    click.echo("Stopped; nothing was written.", err=True)
    return 130


def _explain(error: Exception) -> int:
    """Say in one sentence what went wrong and return the exit code."""
    from antifaz.core.errors import AntifazError, HierarchyError
    from antifaz.core.language import preferred

    if isinstance(error, BrokenPipeError):
        # Whoever read our output has had enough; writing more at exit would only complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, RuntimeError) and "interrupted" in str(error).lower():
        return _stopped()  # Ctrl-C in the middle of a statement of the database
    if not isinstance(error, AntifazError):
        if os.environ.get("ANTIFAZ_DEBUG"):
            raise error
        # An error of somebody else's may quote the data, so its own words are not shown.
        click.echo(
            f"Error: antifaz stopped on an internal {type(error).__name__}; nothing was released. "
            "Set ANTIFAZ_DEBUG=1 to see where (the trace may show data), and please report it.",
            err=True,
        )
        return 2
    # Never the locale's: what is printed depends on what was asked for only.
    language = preferred(os.environ.get("ANTIFAZ_LANGUAGE"))
    click.echo(f"Error: {error.message.text(language)}", err=True)
    if isinstance(error, HierarchyError) and error.values:
        shown = ", ".join(repr(value) for value in error.values[:10])
        click.echo(f"  values: {shown}{', …' if len(error.values) > 10 else ''}", err=True)
    return error.exit_code
