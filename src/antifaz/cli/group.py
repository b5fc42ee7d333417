"""A group of commands. It imports nothing but click, so that `antifaz --help` answers at once."""

from __future__ import annotations

import click


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
        if args and args[0] not in known and not args[0].startswith("-"):
            from antifaz.core.errors import hint

            ctx.fail(f"There is no command {args[0]!r}{hint(args[0], known)}.")
        return super().resolve_command(ctx, args)
