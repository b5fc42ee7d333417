"""`import antifaz.polars` gives every polars frame `frame.antifaz`: see `FrameAccessor`."""

from typing import Any

import polars

from antifaz.projects.frame_accessor import FrameAccessor

_register: Any = polars.api.register_dataframe_namespace("antifaz")
_register(FrameAccessor)

__all__ = ["FrameAccessor"]
