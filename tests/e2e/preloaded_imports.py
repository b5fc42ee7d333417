"""What commands and services need, imported before they are forked. Nothing here may start a thread or open a file."""

# ruff: noqa: F401
import gc

import numba.np.arraymath
import scipy.stats
from numba.core.registry import cpu_target

import antifaz.cli.main
import antifaz.cli.run
import antifaz.risk.attacks.run
import antifaz.web.server
from antifaz.service import fork_server

fork_server._import_all()
# What Numba does before the first kernel of a process runs, and the kernels that are compiled by now.
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
fork_server.load_kernels()
gc.collect()
gc.freeze()
