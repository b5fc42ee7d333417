"""What a command may need, imported before it is forked. Nothing here may start a thread or open a file."""

# ruff: noqa: F401
import numba.np.arraymath
import pandas
import scipy.stats
from numba.core.registry import cpu_target

import antifaz.cli.main
import antifaz.cli.run
import antifaz.engines.local.data
import antifaz.projects.actions
import antifaz.reports.report
import antifaz.risk.attacks.run

# What Numba does before the first kernel of a process runs.
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
