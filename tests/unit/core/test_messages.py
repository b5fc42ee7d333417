"""Codes and words belong together: every code has words in every language, and no word is left over."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from string import Formatter

import numpy as np
import pytest

import antifaz
from antifaz.core.errors import AntifazError, DataError, HierarchyError, hint
from antifaz.core.language import LANGUAGES, texts
from antifaz.core.messages import Message, text_in, with_changed_texts

SOURCE = Path(antifaz.__file__).parent
ENGLISH = texts("messages", "en")
#: Codes that are put together from parts.
PREFIXES = ("unit.", "pattern.", "reason.method-", "hierarchy.", "expected.", "repair.")
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+")


def _error_names() -> set[str]:
    found, waiting = {"AntifazError"}, [AntifazError]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        found |= {kind.__name__ for kind in subclasses}
        waiting += subclasses
    return found | {"NotFound", "Busy", "Gone", "NotAllowed", "TooLarge", "InternalFault"}


def _calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call that makes a message of a code that stands there, with where it is."""
    names = _error_names() | {"Message"}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = called == "place" and ast.unparse(getattr(node.func, "value", node)) == "error"
            first = node.args[0]
            if (called in names or place) and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node, first.value


def _places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_every_code_has_words_and_every_place_a_value() -> None:
    wrong = []
    for where, call, code in _calls():
        if code not in ENGLISH:
            wrong.append(f"{where}: no words for {code!r}")
        elif all(keyword.arg for keyword in call.keywords):
            given = {str(keyword.arg) for keyword in call.keywords}
            called = getattr(call.func, "id", getattr(call.func, "attr", ""))
            given -= {"values"} if called == "HierarchyError" else set()
            given |= {"error"} if called == "place" else set()
            if given != _places(ENGLISH[code]):
                wrong.append(f"{where}: {code!r} has {sorted(given)} for {sorted(_places(ENGLISH[code]))}")
    assert not wrong, "\n".join(wrong)


def test_every_word_has_a_code() -> None:
    used = {
        node.value
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value)
    }
    left = [code for code in ENGLISH if code not in used and code != "text" and not code.startswith(PREFIXES)]
    assert not left


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["messages", "reports"])
def test_every_language_has_every_text_with_the_same_places(language: str, kind: str) -> None:
    english, own = texts(kind, "en"), texts(kind, language)
    assert not own.keys() - english.keys()
    assert not {code for code, text in own.items() if _places(text) != _places(english[code])}
    assert own.keys() == english.keys()


def test_no_code_is_in_two_files() -> None:
    for language in LANGUAGES:
        files = sorted((SOURCE / "languages" / language / "messages").glob("*.json"))
        codes = [code for path in files for code in json.loads(path.read_text("utf-8"))]
        assert len(codes) == len(set(codes))


def test_a_message_is_its_english_text() -> None:
    message = Message("reason.rare-values", count=1234, share=0.01, other="Other")
    assert message == "1234 of its values are rare (less than 1% of the records each): these become 'Other'."
    assert json.loads(json.dumps({"said": message})) == {"said": str(message)}
    assert type(str(message)) is str
    assert text_in("es", "as it is") == "as it is"
    assert text_in("es", message) == message.text("es")


def test_messages_in_messages_are_told_in_the_same_language() -> None:
    message = Message("reason.dates", units=[Message("unit.month"), Message("unit.year")])
    assert message == "Its values are dates: known by month, then by year, level by level."
    assert "mes" in message.text("es")
    assert "year" not in message.text("es")


def test_messages_go_through_other_processes_and_json() -> None:
    message = Message("reason.dates", units=[Message("unit.month"), Message("unit.year")])
    for copy in (pickle.loads(pickle.dumps(message)), deepcopy(message), Message.from_dict(message.as_dict())):
        assert copy == message
        assert (copy.code, copy.values) == (message.code, message.values)
    error = pickle.loads(pickle.dumps(HierarchyError("hierarchy.misses-values", values=["x"], column="a", count=1)))
    assert (error.code, error.values, str(error)) == (
        "hierarchy.misses-values",
        ("x",),
        "The hierarchy of 'a' misses 1 value(s) of the data.",
    )


def test_a_sentence_of_a_plug_in_is_its_own_text() -> None:
    error = DataError("The {moon} is not made of cheese.")
    assert (error.code, str(error)) == ("text", "The {moon} is not made of cheese.")
    assert error.message.text("es") == str(error)


def test_an_error_may_stand_in_another_message() -> None:
    error = DataError("file.empty", file="a.csv")
    outer = DataError("hierarchy.in-file", file="b.csv", error=error)
    assert str(outer) == "b.csv: a.csv is empty: not even a header."
    assert outer.message.values["error"].code == "file.empty"


def test_values_are_plain_data() -> None:
    message = Message("dataset.n-out-of-bounds", most=np.int64(1000), n=Path("x"))
    assert message == "n should be between 0 and 1,000 (got x)."
    assert json.dumps(message.as_dict()["values"]) == '{"most": 1000, "n": "x"}'
    quoted = Message("parameter.k-below-1", what="suda", k={"a": 1})
    assert quoted == "suda: k should be a whole number of at least 1 (got {'a': 1})."


def test_hints() -> None:
    assert hint("ag", ["age", "sex"]) == " (did you mean 'age'?)"
    assert hint("zz", ["age", "sex"]) == " (known: age, sex)"
    assert hint("zz", []) == ""
    assert "…" in hint("zz", [f"{i:02}" for i in range(20)])


def test_another_name_for_a_file_keeps_the_code() -> None:
    error = DataError("hierarchy.in-file", file="x1.csv", error=Message("file.not-found", file=Path("/tmp/x1.csv")))
    renamed = with_changed_texts(error.message, lambda text: text.replace("/tmp/x1.csv", "a.csv").replace("x1", "a"))
    assert isinstance(renamed, Message) and renamed.code == "hierarchy.in-file"
    assert "x1" not in renamed and "x1" not in renamed.text("ca") and renamed.startswith("a.csv: ")
    assert with_changed_texts("of a plug-in: x1", lambda text: text.replace("x1", "a")) == "of a plug-in: a"
