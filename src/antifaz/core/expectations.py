"""What would have been right where a parameter is wrong: pydantic's kinds of errors as messages with codes."""

import re
from collections.abc import Mapping
from typing import Any

from antifaz.core.messages import Message

#: By what the name of a kind begins with.
_CODES = {
    "int_": "expected.whole-number",
    "float_": "expected.number",
    "decimal_": "expected.number",
    "finite_number": "expected.finite-number",
    "bool_": "expected.true-or-false",
    "string_type": "expected.a-text",
    "list_type": "expected.a-list",
    "tuple_type": "expected.a-list",
    "dict_type": "expected.mapping",
    "model_": "expected.mapping",
}
#: By kind: the code, and what pydantic calls the bound.
_BOUNDS = {
    "greater_than": ("expected.greater-than", "gt"),
    "greater_than_equal": ("expected.greater-than-or-equal-to", "ge"),
    "less_than": ("expected.less-than", "lt"),
    "less_than_equal": ("expected.less-than-or-equal-to", "le"),
    "too_short": ("expected.at-least-so-many", "min_length"),
    "too_long": ("expected.at-most-so-many", "max_length"),
    "string_too_short": ("expected.at-least-so-long", "min_length"),
    "string_too_long": ("expected.at-most-so-long", "max_length"),
}


def expected(problem: Mapping[str, Any]) -> str:
    """Return what pydantic would have taken instead; a kind that is not known here keeps pydantic's own words.

    A validator of ours raises a `ValueError` of a message.
    """
    kind, given = problem["type"], problem.get("ctx", {})
    code = next((code for start, code in _CODES.items() if kind.startswith(start)), None)
    if code is not None:
        return Message(code)
    if kind == "value_error":
        reason = given["error"].args[0]
        return reason if isinstance(reason, Message) else str(reason)
    if kind in ("literal_error", "enum"):
        *others, last = re.split(", | or ", given["expected"])
        return Message("expected.one-of", others=others, last=last) if others else str(last)
    if kind in _BOUNDS:
        code, name = _BOUNDS[kind]
        bound = float(given[name])
        if name == "min_length" and bound == 1:
            return Message("expected.not-empty")
        return Message(code, bound=int(bound) if bound.is_integer() else bound)
    return str(problem["msg"]).removeprefix("Input should be ")
