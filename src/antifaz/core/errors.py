"""Every error antifaz raises, in one tree.

```
AntifazError
├── InputError              what was given is not right (exit code 2)
│   ├── DataError           a file or table that can't be read exactly
│   ├── SchemaError         a column, role or type that does not fit the data
│   ├── HierarchyError      a hierarchy that is broken or does not cover the data
│   ├── ParameterError      a parameter of a method, model or builder out of its bounds
│   ├── ProjectError        a project file that can't be understood
│   └── MissingExtra        an optional package that this work needs is not installed
├── PrivacyNotReached       the privacy asked for can't be had (exit code 1)
│   └── LedgerRefused       earlier releases of the same people break it (exit code 1)
└── CheckFailed             the gate refused what was about to be released (exit code 1)
```

An error is raised with a code and values, `DataError("file.not-found", path=path)`; the words are in the catalogues
(`core.messages`). A message is one sentence: what is wrong, where, and what would be right. It may name columns, keys,
lines and levels; it never quotes a cell of the data, because messages end up in logs. (`HierarchyError` names values
that a hierarchy misses only through `values`, which faces show on the person's own terminal and never log.)
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from antifaz.core.language import LANGUAGES
from antifaz.core.messages import Message


class AntifazError(Exception):
    """The root of all errors that antifaz raises on purpose. A plug-in may raise them with a plain sentence, too."""

    exit_code = 2

    def __init__(self, code: str, /, **values: Any) -> None:
        """Make the message from its code and values, or take one that is made."""
        super().__init__(code if isinstance(code, Message) else Message(code, **values))

    @property
    def message(self) -> Message:
        """What is wrong, as a code with values; `str` of the error is its English text."""
        first = self.args[0] if self.args else ""
        return first if isinstance(first, Message) else Message("text", text=first)

    @property
    def code(self) -> str:
        """The code of the message."""
        return self.message.code

    def place(self, code: str, /, **values: Any) -> None:
        """Say the same within another message, whose template has a place for this `{error}`."""
        self.args = (Message(code, error=self.message, **values),)


class InputError(AntifazError):
    """What was given is not right; nothing was written."""


class DataError(InputError):
    """A file or table that can't be read exactly as it is."""


class SchemaError(InputError):
    """A column, role or type that does not fit the data."""


class HierarchyError(InputError):
    """A hierarchy that is broken, or that does not cover the data; `values` holds the values concerned."""

    def __init__(self, code: str, /, values: Sequence[str] = (), **named: Any) -> None:
        """Keep the message free of values, and the values apart from it."""
        super().__init__(code, **named)
        self.values = tuple(values)


class ParameterError(InputError):
    """A parameter that is unknown, of the wrong type or out of its bounds."""


class ProjectError(InputError):
    """A project file that can't be understood."""


class MissingExtra(InputError):
    """An optional package that this work needs is not installed."""


class PrivacyNotReached(AntifazError):
    """The privacy asked for can't be had from this data; the message says the nearest that can."""

    exit_code = 1


class LedgerRefused(PrivacyNotReached):
    """Together with earlier releases of the same people the new one breaks k; nothing was released."""


class CheckFailed(AntifazError):
    """The gate counted the written rows again and refused them; nothing was released."""

    exit_code = 1


def silence(error: BaseException) -> None:
    """Take the words out of somebody else's error: they may quote a cell, Python keeps them, and tools log them."""
    error.args = ()
    if isinstance(error, UnicodeDecodeError):
        error.object = b""
    elif isinstance(error, UnicodeEncodeError | UnicodeTranslateError):
        error.object = ""


def hint(name: str, known: Iterable[str]) -> Message:
    """Return ' (did you mean 'x'?)' for the known name nearest to `name`, or the known names when none is near."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return Message("hint.did-you-mean", name=near[0])
    if not names:
        return Message("hint.nothing-known")
    # Where the first line of a file is data, a whole text may pass for the name of a column.
    brief = [name if len(name) <= 60 else f"{name[:20]}…" for name in names[:12]]
    return Message("hint.known", names=brief + (["…"] if len(names) > 12 else []))


def checked_language(language: str) -> str:
    """Return a language that there are words in; raise for others."""
    if language in LANGUAGES:
        return language
    raise ParameterError("language.unknown", languages=LANGUAGES, hint=hint(str(language), LANGUAGES))
