"""Messages: what the program says to people, as a code with values; the words are in catalogues, per language.

`languages/<language>/messages/*.json` maps a code to a template, a format string of Python: `{name!r}` quotes,
`{rows:,}` and `{share:.1%}` write numbers as the language does, `{rows:record|records}` chooses a word by a number,
`{error:lower}` begins a message inside with a small letter and `{place:upper}` with a capital.
Lists are joined with commas, or with what `{names: or }` says. A value may be a message itself, and is then told in
the same language.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from string import Formatter
from typing import Any, TypeVar

from antifaz.core.language import Numbers, texts

#: The code of a text that has none: what plug-ins and other programs say.
TEXT = "text"
_Document = TypeVar("_Document")


class Message(str):
    """A code with values. It is the English text, so that it can stand wherever a text can; `text` has the others."""

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, /, **values: Any) -> "Message":
        """Put the English text together.

        A code that no catalogue has, without values but with a space in it, is no code: it is taken as the text.
        """
        if not values and " " in code and code not in texts("messages", "en"):
            code, values = TEXT, {"text": code}
        plain = {name: _plain(value) for name, value in values.items()}
        made = super().__new__(cls, _render(code, plain, "en"))
        made.code, made.values = code, plain
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep code and values where a message goes to another process."""
        return Message.from_dict, ({"code": self.code, "values": dict(self.values)},)

    def text(self, language: str) -> str:
        """Return the text in a language."""
        return _render(self.code, self.values, language)

    def as_dict(self) -> dict[str, Any]:
        """Return code, values and the English text as data that JSON can hold."""
        return {"code": self.code, "values": {k: as_data(v) for k, v in self.values.items()}, "text": str(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Message":
        """Return the message that `as_dict` described; the text is put together anew."""
        return cls(data["code"], **{name: from_data(value) for name, value in data["values"].items()})


def with_changed_texts(message: str, change: Callable[[str], str]) -> str:
    """Return a text with a change made, such as another name for a file; of a message, in the texts of its values."""
    if isinstance(message, Message):
        return Message(message.code, **{name: _changed(value, change) for name, value in message.values.items()})
    changed = change(message)
    return message if changed == message else changed  # it may show itself in its own way


def text_in(language: str, message: str) -> str:
    """Return a text in a language where it is a message, else as it is."""
    return message.text(language) if isinstance(message, Message) else message


def in_language(language: str, document: _Document) -> _Document:
    """Return a document of mappings and lists with the text in a language where a message is."""
    translated: Any = document
    if isinstance(document, Mapping):
        translated = {key: in_language(language, part) for key, part in document.items()}
    elif isinstance(document, list):
        translated = [in_language(language, part) for part in document]
    elif isinstance(document, Message):
        translated = document.text(language)
    return translated  # type: ignore[no-any-return]


def messages_in(document: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the messages of a document as data: its warnings, its notes, and the others, wherever they are.

    JSON keeps their English texts only; with this beside them, `restored` finds the messages again.
    """
    groups: dict[str, list[Any]] = {key: list(document.get(key, ())) for key in ("warnings", "notes")}
    rest = {key: value for key, value in document.items() if key not in ("messages", "tables", *groups)}
    groups["others"] = list({str(message): message for message in _walk(rest)}.values())
    return {key: [one.as_dict() for one in group if isinstance(one, Message)] for key, group in groups.items()}


def restored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document that was read from JSON with messages where their texts are, as its `messages` says."""
    groups = document.get("messages")
    listed = [data for group in groups.values() for data in group] if isinstance(groups, Mapping) else []
    known = {data["text"]: Message.from_dict(data) for data in listed}
    return {key: value if key == "messages" else _put_back(value, known) for key, value in document.items()}


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_changed(part, change) for part in value]
    return with_changed_texts(value, change) if isinstance(value, str) else value


def _walk(value: Any) -> Iterator[Message]:
    if isinstance(value, Message):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _walk(part)


def _put_back(value: Any, known: Mapping[str, Message]) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Message) else known.get(value, value)
    if isinstance(value, Mapping):
        return restored(value) if "messages" in value else {key: _put_back(part, known) for key, part in value.items()}
    return [_put_back(part, known) for part in value] if isinstance(value, list) else value


class _Shown(str):
    """Something that JSON does not know, as text; quoted, it is what Python shows of it."""

    __slots__ = ("quoted",)
    quoted: str

    def __repr__(self) -> str:
        return self.quoted


def _plain(value: Any) -> Any:
    """Return a value as data: a message, a text, a number or a list of these."""
    message = getattr(value, "message", None)
    if isinstance(message, Message):  # an error
        return message
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    number = getattr(value, "item", None)
    if number is not None and not getattr(value, "shape", ()):  # NumPy's
        return number()
    shown = _Shown(value)
    shown.quoted = repr(value)
    return shown


def as_data(value: Any) -> Any:
    """Return a message, or a list of them, as data that JSON can hold; what is no message stays."""
    if isinstance(value, Message):
        return value.as_dict()
    return [as_data(part) for part in value] if isinstance(value, list) else value


def from_data(value: Any) -> Any:
    """Return what `as_data` was given."""
    if isinstance(value, list):
        return [from_data(part) for part in value]
    return Message.from_dict(value) if isinstance(value, dict) and value.keys() >= {"code", "values"} else value


def _render(code: str, values: Mapping[str, Any], language: str) -> str:
    template = texts("messages", language).get(code) or texts("messages", "en").get(code)
    if template is None:
        # Nothing may be lost where a catalogue lacks words; the tests find such codes.
        return " ".join((code, *(f"{name}={value!r}" for name, value in values.items())))
    return _formatter(language).vformat(template, (), values)


class _InLanguage(Formatter):
    """Fills in a template as a language writes it."""

    def __init__(self, language: str) -> None:
        self._numbers = Numbers(language)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "r" and isinstance(value, list):
            return ", ".join(map(repr, value))
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, str):
            text = text_in(self._numbers.language, value)
            if spec in ("lower", "upper"):
                return (text[:1].lower() if spec == "lower" else text[:1].upper()) + text[1:]
            return format(text, spec)
        if isinstance(value, list):
            return (spec or ", ").join(self.format_field(part, "") for part in value)
        if "|" in spec:
            one, other = spec.split("|")
            return one if value == 1 else other
        if isinstance(value, float) or (spec and isinstance(value, int)):
            return self._numbers.localized(format(value, spec))
        return format(value, spec)


_formatter = cache(_InLanguage)
