"""Masking: operations on the cells of single columns. The functions are what `az.mask` offers.

They hide or change values; none of them says how well people are protected, which is what the privacy models do.
"""

from typing import Any

import numpy as np

from antifaz.core.keys import new_key as new_key
from antifaz.core.registry import Registry
from antifaz.methods.operations.apply import Sample as Sample
from antifaz.methods.operations.apply import apply_operations
from antifaz.methods.operations.encryption import Decrypt, Encrypt, Pseudonymize
from antifaz.methods.operations.frame_functions import frame_function, operations_of
from antifaz.methods.operations.operation import Operation as Operation
from antifaz.methods.operations.operation import OperationContext as OperationContext
from antifaz.methods.operations.redact import Redact
from antifaz.methods.operations.rounding import BottomCode, Round, TopCode
from antifaz.methods.operations.shift_dates import ShiftDates
from antifaz.methods.operations.substitute import Substitute
from antifaz.methods.operations.suppress import Mask, Suppress

masked = apply_operations
# All operations, each by its function. Some share their name with the module of their class; they come after the
# imports.
suppress = frame_function(Suppress)
substitute = frame_function(Substitute)
encrypt = frame_function(Encrypt)
decrypt = frame_function(Decrypt)
pseudonymize = frame_function(Pseudonymize)
mask = frame_function(Mask)
round = frame_function(Round)
top_code = frame_function(TopCode)
bottom_code = frame_function(BottomCode)
shift_dates = frame_function(ShiftDates)
redact = frame_function(Redact)

BUILTIN: tuple[type[Operation], ...] = operations_of(globals())
OPERATIONS: Registry[Operation] = Registry("operation", BUILTIN, group="antifaz.operations")


def sample(frame: Any, share: float | None = None, *, number: int | None = None, seed: int | None = None) -> Any:
    """Return a frame of the same kind with some of the rows, chosen at random; they keep their order.

    Args:
        frame: A pandas, polars or pyarrow table; it is not changed.
        share: What part of the rows is kept.
        number: Instead: how many rows are kept.
        seed: Makes the choice repeatable; a secure one is drawn when left out.
    """
    from antifaz.sources.frames import kind_of, take_rows, to_arrow, to_kind

    table = to_arrow(frame)
    drawn = Sample(share=share, number=number).bound(table.num_rows, seed)
    rows = np.sort(np.random.default_rng(drawn.key).choice(table.num_rows, drawn.number, replace=False, shuffle=False))
    return to_kind(take_rows(table, rows), kind_of(frame) or "pyarrow")
