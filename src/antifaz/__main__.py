"""`python -m antifaz`: the command, where its script is not on the PATH."""

from antifaz.cli.main import main

main()
