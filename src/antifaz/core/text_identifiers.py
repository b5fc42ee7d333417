"""Find in a text what names people: by patterns, and by the values that the same row has elsewhere.

What is found is replaced by a mark that says its kind: `[email]`, `[person]`. What nobody listed is not found: another
person's rare name, a nickname, a typing error, a job that only one has. A text is never safe after this.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from antifaz.core.given_names import FREQUENT_NAMES
from antifaz.core.identifying_numbers import CHECKED_BY, NATIONAL, REGIONS, is_phone, is_right
from antifaz.core.profile import FORMS, PATTERNS

#: What patterns find.
Kind = Literal["email", "url", "handle", "device", "date", "iban", "card", "national-id", "phone", "number", "name"]
#: The kind of what the same row says elsewhere.
OWN = "person"
_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|ene|abr|ago|dic|gen|mar[çc]|mai?g|set|des"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre"
    r"|gener|febrer|juny|juliol|agost|setembre|octubre|novembre|desembre)\b\.?"
)
_OF = r"(?:\s*[-/]\s*|\s+(?:of\s+|de\s+|d['’]\s*|del\s+)?)"
_YEAR = r"(?:1[89]|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = re.compile(
    rf"""(?<![\w])(?:
        {_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?:[T\s]\d\d:\d\d(?::\d\d)?)?
      | {_DAY}([-/.])(?:0?[1-9]|1[0-2])\2(?:{_YEAR}|\d\d)
      | (?:0?[1-9]|1[0-2])([-/.]){_DAY}\3(?:{_YEAR}|\d\d)
      | {_DAY}(?:st|nd|rd|th|º)?{_OF}{_MONTHS}(?:,?{_OF}{_YEAR})?
      | {_MONTHS}\s+{_DAY}(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?
      | {_MONTHS}{_OF}{_YEAR}
    )(?![\w])""",
    re.VERBOSE | re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"(?:https?://|www\.)\S*[^\s.,;:!?)\]]", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w@.])@\w{3,}")
_DEVICE = re.compile(
    "|".join(
        rf"(?<![\w:.-])(?:{PATTERNS[name].rsplit('|', name == 'ip')[0]})(?![\w:-])" for name in ("uuid", "mac", "ip")
    )
)
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?!\w)")
#: Digits in groups; whether they are the number of a card, a phone or a person is told by its check.
_GROUPS = r"\d(?:[ ().-]{0,2}\d){6,18}"
_GROUPED = re.compile(rf"(?<![\w.,])(?:\+|\(\+?(?=\d{{1,4}}\)))?{_GROUPS}(?!\w)")
#: The same with letters in front or behind, and a word of letters and digits, as some states' numbers are.
_LETTERED = re.compile(
    rf"(?<!\w)(?:[A-Za-z]{{0,2}}[.-]?{_GROUPS}(?:[ -]?[A-Z]|-?[a-z])|[A-Za-z]{{1,2}}[.-]?{_GROUPS})(?!\w)"
)
_CODE = re.compile(r"(?<!\w)(?=\w*\d\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{8,20}(?!\w)")
#: So many digits, in one run or joined by hyphens, are somebody's or something's number.
_NUMBER = re.compile(r"(?<![\d.,])(?:[A-Za-z]{1,4}[-_]?)?\d(?:-?\d){5,}(?:-?[A-Za-z0-9]\b)?(?!\d)")
_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_CAPITAL = rf"(?:{_UPPER}\.(?=\s)|{_UPPER}[^\W\d_]*(?:[-'’][^\W\d_]+)*)"
_PARTICLE = r"(?:(?:de|del|la|los|i|y|e|van|von|der|den|da|dos|di)\s+){0,2}"
_NAMES = re.compile(rf"(?<!\w){_CAPITAL}(?:\s+{_PARTICLE}{_CAPITAL}){{0,4}}")
_TITLED = re.compile(
    r"(?<!\w)(?:dr|dra|doctor|doctora|sr|sra|srta|señor|señora|senyor|senyora|mr|mrs|ms|miss|prof|don|doña|herr|frau|mme)"
    rf"\.?\s+(?-i:({_CAPITAL}(?:\s+{_PARTICLE}{_CAPITAL}){{0,3}}))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
#: Before and behind what is a part of a longer number; and how far apart the words of one value may stand.
_BEFORE, _BEHIND, _GAP = re.compile(r"\d[.,/-]"), re.compile(r"[.,/-]\d"), 3
#: A number of so many digits is nobody's part by chance.
_LONG = 4
#: Words of names and places that any text has.
_LITTLE = frozenset(
    "and dels del der des dos els las les los mas per san sant santa the und van von con una para por".split()  # noqa: SIM905
)


class Span(NamedTuple):
    """A part of a text that names somebody."""

    start: int
    end: int
    kind: str


def _matches(form: re.Pattern[str], kind: str) -> Callable[[str], Iterator[Span]]:
    return lambda text: (Span(*match.span(), kind) for match in form.finditer(text))


def _ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        # What follows an account may look like more of it.
        ends = [match.start() + at.end() for at in re.finditer(r"[A-Za-z0-9](?![A-Za-z0-9])", match[0])]
        end = next(
            (e for e in reversed(ends) if is_right("iban", text[match.start() : e].replace("-", " ").upper())), 0
        )
        if end:
            yield Span(match.start(), end, "iban")


def _cards(text: str) -> Iterator[Span]:
    for match in _GROUPED.finditer(text):
        if is_right("luhn", match[0]):
            yield Span(*match.span(), "card")


def _phones(text: str) -> Iterator[Span]:
    for match in _GROUPED.finditer(text):
        # Nearly any few digits are a phone number somewhere.
        long = match[0][0] in "+(" or sum(map(str.isdigit, match[0])) >= 9
        if long and any(is_phone(match[0], region) for region in (None, *REGIONS)):
            yield Span(*match.span(), "phone")


def _nationals(text: str) -> Iterator[Span]:
    for form in (_LETTERED, _CODE):
        yield from (Span(*match.span(), "national-id") for match in form.finditer(text) if _is_national(match[0]))
    for match in _GROUPED.finditer(text):
        # Among so many states nearly any digits are right somewhere: their form must tell, too.
        shaped = any(FORMS[kind].fullmatch(match[0]) for kind in ("ssn", "rut"))
        if not match[0].isdigit() and _is_national(match[0]):
            yield Span(*match.span(), "national-id" if shaped else "number")


def _is_national(text: str) -> bool:
    squeezed = re.sub(r"[ ().-]", "", text).upper()
    known = [module for kind in ("dni", "rut", "ssn") for module in CHECKED_BY[kind]]
    return any(is_right(module, form) for form in (text.upper(), squeezed) for module in (*known, *NATIONAL))


def _names(text: str) -> Iterator[Span]:
    for match in _TITLED.finditer(text):
        yield Span(*match.span(1), "name")
    for match in _NAMES.finditer(text):
        for word in _WORD.finditer(match[0]):
            if _folded(word[0])[0] in FREQUENT_NAMES:
                yield Span(match.start() + word.start(), match.end() - match[0].endswith("."), "name")
                break


#: What is looked for by patterns, in the order in which the kinds name what several of them find.
FINDERS: dict[Kind, Callable[[str], Iterator[Span]]] = {
    "email": _matches(_EMAIL, "email"),
    "url": _matches(_URL, "url"),
    "handle": _matches(_HANDLE, "handle"),
    "device": _matches(_DEVICE, "device"),
    "date": _matches(_DATE, "date"),
    "iban": _ibans,
    "card": _cards,
    "national-id": _nationals,
    "phone": _phones,
    "number": _matches(_NUMBER, "number"),
    "name": _names,
}


def redact(text: str, kinds: Sequence[str], own: Iterable[str | None] = ()) -> str:
    """Return a text with marks in place of what names somebody; `own` are the values of the same row."""
    return _marked(text, find_identifiers(text, kinds, own))


def find_identifiers(text: str, kinds: Sequence[str], own: Iterable[str | None] = ()) -> list[Span]:
    """Return the parts of a text that name somebody, in their order and apart from each other."""
    spans = [*_own_values(text, own), *(span for kind in FINDERS if kind in kinds for span in FINDERS[kind](text))]
    rank = {kind: place for place, kind in enumerate((OWN, *FINDERS))}
    apart: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, rank[span.kind])):
        if apart and span.start < apart[-1].end:
            last = apart[-1]
            longest = max(last, span, key=lambda one: (one.end - one.start, -rank[one.kind]))
            apart[-1] = Span(last.start, max(last.end, span.end), longest.kind)
        elif apart and OWN == span.kind == apart[-1].kind and text[apart[-1].end : span.start] in (" ", "-"):
            apart[-1] = Span(apart[-1].start, span.end, OWN)  # how many words a name has is nobody's business
        else:
            apart.append(span)
    return apart


def count_marks(texts: Iterable[str | None]) -> dict[str, int]:
    """Count the marks of each kind in texts; kinds that do not occur are left out."""
    counts = dict.fromkeys((OWN, *FINDERS), 0)
    for text in texts:
        for match in _MARK.finditer(text or ""):
            counts[match[1]] += 1
    return {kind: number for kind, number in counts.items() if number}


_MARK = re.compile(rf"\[({'|'.join((OWN, *FINDERS))})\]")


def _marked(text: str, spans: Sequence[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], f"[{span.kind}]"]
        at = span.end
    return "".join([*parts, text[at:]])


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in lower case without accents and invisible characters, and the place of each of its letters."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters, places = [], []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKD", character).casefold():
            if unicodedata.category(letter) not in ("Mn", "Cf"):
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _own_values(text: str, own: Iterable[str | None]) -> Iterator[Span]:
    """Find values of the same row: whole, however they are divided; and each longer word of names by itself."""
    values = [_WORD.findall(_folded(value)[0]) for value in own if value]
    whole = {squeezed for parts in values if len(squeezed := "".join(parts)) > 1}
    words = {part for parts in values for part in parts if len(part) > 2 and not part.isdigit()} - _LITTLE
    if not whole:
        return
    folded, places = _folded(text)
    matches = list(_WORD.finditer(folded))
    for i, word in enumerate(matches):
        end = max(word.end() if word[0] in words else 0, _whole_until(matches, i, whole))
        # 45 is no age in 7.45, nor in a phone number.
        short = word[0].isdigit() and end - word.start() < _LONG
        if end and not (short and (_BEFORE.match(folded, max(word.start() - 2, 0)) or _BEHIND.match(folded, end))):
            yield Span(places[word.start()], places[end - 1] + 1, OWN)


def _whole_until(matches: Sequence[re.Match[str]], start: int, whole: set[str]) -> int:
    """Return where the longest value ends that begins with a word and goes on in those behind it; 0 where none does."""
    end, joined = 0, ""
    for i in range(start, len(matches)):
        if i > start and matches[i].start() - matches[i - 1].end() > _GAP:
            break
        joined += matches[i][0]
        if joined in whole:
            end = matches[i].end()
        if not any(value.startswith(joined) for value in whole):
            break
    return end
