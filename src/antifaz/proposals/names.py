"""The words of a column's name, with those split that are written as one, and short forms made long."""

from functools import cache

from antifaz.proposals import themes
from antifaz.proposals.words import Vocabulary, split_glued, words_of

#: Themes that lead to the same role: a short form must not stand for words of two of them.
_KNOWN_TO_OTHERS = (
    themes.AGE | themes.SEX | themes.PLACE | themes.EDUCATION | themes.SCHOOL | themes.OCCUPATION | themes.FAMILY
    | themes.ETHNICITY | themes.APPEARANCE | themes.TIME | themes.VEHICLE | themes.HOUSING
)  # fmt: skip
_PRIVATE = themes.HEALTH | themes.MONEY | themes.BELIEF | themes.PERFORMANCE | themes.OPINION
_SIDES = (_KNOWN_TO_OTHERS, _PRIVATE)
_ALL: Vocabulary = frozenset().union(*(own for own in vars(themes).values() if isinstance(own, frozenset)))
_KNOWN = frozenset(entry[0] for entry in _ALL if len(entry) == 1)
_PARTS = frozenset(word for entry in _ALL for word in entry)
#: 'medu' and 'fage' are the education of the mother and the age of the father: m and f before these words.
_OF_PARENTS = frozenset(("age", "edu", "educ", "job", "race", "married", "hisp", "occupation", "income"))
#: Letters that a short form, or a word at the start of a longer one, has at least.
_SHORTEST = 4
#: The share of a word that its short form has at least.
_ENOUGH = 0.55


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name."""
    words: list[str] = []
    for word in words_of(name):
        if word[0] in "mf" and word[1:] in _OF_PARENTS:
            words += ["mother" if word[0] == "m" else "father", word[1:]]
        else:
            words += split_glued(word, _KNOWN)
    return tuple(map(_whole_word, words))


@cache
def _whole_word(word: str) -> str:
    """Return the word that a short form ('resid') stands for, or that a longer one ('schoolsup') begins with."""
    if word in _PARTS or len(word) < _SHORTEST:
        return word
    begun = [one for one in _KNOWN if one.startswith(word) and len(word) >= _ENOUGH * len(one)]
    starts = [one for one in _KNOWN if len(one) > _SHORTEST and word.startswith(one)]
    for candidates in (begun, starts):
        sides = {i for one in candidates for i, side in enumerate(_SIDES) if (one,) in side}
        if len(sides) == 1:
            fitting = (one for one in candidates if any((one,) in side for side in _SIDES))
            return min(fitting, key=lambda one: (-len(one), one))
    return word
