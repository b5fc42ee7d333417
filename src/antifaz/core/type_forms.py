"""How values of each type are written: what is found from all values of a column, and what a told type must allow.

A column is an integer, a decimal number, a date, a date with time or a truth value only if *every* value that is not
missing is written that way, blanks (spaces and tabs) around it aside:

- integer: `0` or digits without a leading zero, at most 18, perhaps a minus. (`007` and `+5` are text; five-digit
  codes without leading zeros can't be told from integers and count as such: say `types={"zip": "text"}`.)
- decimal: digits with a point, no exponent, no leading zeros.
- date: `YYYY-MM-DD` of a day that exists, of the years 1 to 9999; datetime: that, a blank or T,
  `HH:MM[:SS[.fraction]]`, perhaps Z or an offset.
- boolean: true and false, spelled one way throughout.

A type that is given is checked against `ACCEPTED_FORMS`, which allow what the rest of the program can read: a plus,
leading zeros, an exponent, and a time behind what is given as a date.
"""

from antifaz.core.types import DataType

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = "(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?|24:00(:00([.]0{1,9})?)?)"
_ZONE = "(Z|[+-][0-9]{2}(:?[0-9]{2})?)?"
#: How a value of each type is written, narrower types first, in what all dialects read alike: no backslashes, no
#: special groups. A truth value must be spelled one way throughout.
FORMS = {
    DataType.INTEGER: ("-?(0|[1-9][0-9]{0,17})",),
    DataType.DECIMAL: ("-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?",),
    DataType.DATE: (_DAY,),
    DataType.DATETIME: (f"{_DAY}[T ]{_CLOCK}{_ZONE}",),
    DataType.BOOLEAN: ("true|false", "True|False", "TRUE|FALSE"),
}
#: What a type that is given must at least allow.
ACCEPTED_FORMS = {
    DataType.INTEGER: "[+-]?[0-9]+([.]0*)?",
    DataType.DECIMAL: "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?",
    DataType.DATE: f"{_DAY}([T ]{_CLOCK}{_ZONE})?",
    DataType.DATETIME: f"{_DAY}([T ]{_CLOCK}{_ZONE})?",
    DataType.BOOLEAN: "([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])",
}
