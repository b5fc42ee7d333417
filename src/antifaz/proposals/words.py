"""The words of column names, and which entries of a vocabulary they say.

Words are lower case, without accents. An underscore joins words that must follow each other. Only whole words count:
'manage' does not say 'age', and 'valid' does not say 'id'.
"""

import re

from antifaz.core.values import without_accents

#: Entries: words, or words that follow each other.
Vocabulary = frozenset[tuple[str, ...]]


def vocabulary(text: str) -> Vocabulary:
    """Return the entries of a text: words, or words that an underscore joins."""
    return frozenset(tuple(entry.split("_")) for entry in text.split())


#: Words that say nothing.
_LITTLE = vocabulary("a of the de del da do d des du la le les el los l der die das y i et e und c")

#: Short words that names are glued with, at an end or between.
_SHORT = frozenset(("id", "nr"))
_JOINING = ("of", "de")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "·": None})


def plain(text: str) -> str:
    """Return a text in lower case, without accents."""
    return without_accents(text.translate(_LETTERS).casefold())


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column's name: split at marks, digits and camelCase, lower case, without accents."""
    return tuple(word.casefold() for word in _WORD.findall(without_accents(name.translate(_LETTERS))))


def split_glued(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """Split what people write as one word, 'patientid' or 'dateofbirth', into known words; else return it whole.

    All of it must be known words of three letters or more, or one of the short ones that names are glued with.
    """
    if word in known or len(word) < 5:
        return (word,)
    for cut in range(len(word) - 2, 1, -1):
        front, back = word[:cut], word[cut:]
        if front not in known or (cut < 3 and front not in _SHORT):
            continue
        if back in _SHORT or (len(back) > 2 and back in known):
            return front, back
        if back in _JOINING:
            return (front,)
        rest = split_glued(next((back[len(one) :] for one in _JOINING if back.startswith(one)), back), known)
        if len(rest) > 1 or (rest[0] != back and rest[0] in known):
            return front, *rest
    return (word,)


def find_entry(words: tuple[str, ...], entries: Vocabulary) -> str | None:
    """Return the first entry of the vocabulary that the words contain, longer entries first."""
    for length in (3, 2, 1):
        for start in range(len(words) - length + 1):
            if words[start : start + length] in entries:
                return " ".join(words[start : start + length])
    return None


def without(words: tuple[str, ...], entries: Vocabulary) -> tuple[str, ...]:
    """Return the words that say something and are not in the vocabulary."""
    return tuple(word for word in words if (word,) not in _LITTLE | entries)
