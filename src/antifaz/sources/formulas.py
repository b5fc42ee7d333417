"""Text that a spreadsheet would run as a formula when it opens a text file.

An engine puts an apostrophe before a cell that matches `FORMULA` and not `NUMBER`. The expressions are for RE2 (DuckDB)
and Python; Java's `\\s` and `$` match more, so Spark has them spelled out.
"""

import re
from collections.abc import Sequence

from antifaz.core.errors import SchemaError

#: What a spreadsheet would run; some take the wide forms of East Asia for the same signs.
FORMULA = r"^[\s\x00]*[=+\-@＝＋－＠]|^[\t\r\n]"
JAVA_FORMULA = r"^[\t\n\f\r \x00]*[=+\-@＝＋－＠]|^[\t\r\n]"
#: What begins with a sign and is harmless: numbers, also with a decimal comma, and a lone dash for "nothing".
NUMBER = r"^[+\-]?[0-9.,]*[0-9]([eE][+\-]?[0-9]+)?\s?%?$|^-+$"
JAVA_NUMBER = r"^[+\-]?[0-9.,]*[0-9]([eE][+\-]?[0-9]+)?[\t\n\f\r ]?%?\z|^-+\z"


def refuse_formulas(names: Sequence[str]) -> None:
    """Refuse the first column name that a spreadsheet would run: changing it would break whoever reads by it."""
    for name in names:
        if re.search(FORMULA, name) and not re.search(NUMBER, name):
            raise SchemaError("release.column-name-is-a-formula", name=name)
