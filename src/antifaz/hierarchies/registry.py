"""All hierarchy builders by name."""

from __future__ import annotations

from antifaz.core.registry import Registry
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.dates import Dates
from antifaz.hierarchies.file import File
from antifaz.hierarchies.flat import Flat
from antifaz.hierarchies.groups import Groups
from antifaz.hierarchies.information_gain import InformationGain
from antifaz.hierarchies.intervals import Intervals
from antifaz.hierarchies.masking import Masking
from antifaz.hierarchies.table import Table
from antifaz.hierarchies.tree import Tree

#: The builders that come with antifaz.
BUILTIN: tuple[type[HierarchyBuilder], ...] = (
    File, Table, Tree, Groups, Intervals, InformationGain, Masking, Dates, Flat,
)  # fmt: skip

#: The same, and those of plug-ins.
BUILDERS: Registry[HierarchyBuilder] = Registry("hierarchy", BUILTIN, group="antifaz.hierarchies")
