"""`import antifaz.pandas` gives every pandas frame `frame.antifaz`: see `FrameAccessor`."""

from typing import Any

import pandas

from antifaz.projects.frame_accessor import FrameAccessor

_register: Any = pandas.api.extensions.register_dataframe_accessor("antifaz")
_register(FrameAccessor)

__all__ = ["FrameAccessor"]
