"""The page's words: the same in every language, all used, none missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from antifaz.core.language import LANGUAGES, texts
from antifaz.projects.catalogue import catalogue
from antifaz.web.app import PAGE

KINDS = {
    "model": "models",
    "method": "methods",
    "operation": "operations",
    "perturbation": "perturbations",
    "hierarchy": "hierarchies",
    "quality": "qualities",
    "rule": "rules",
    "protection": "protections",
}
FOLDER = PAGE.parents[1] / "languages"
#: In English the declarations themselves say it, so it stands there only.
_DECLARED_IN_ENGLISH = re.compile(r"declared\..+\.(summary|help)")
_KEY = re.compile(r"[a-z]+(\.[\w*-]+)+")
_CALL = re.compile(r"\b(?P<name>tn?|has)\(")
_TEMPLATE = re.compile(r"`((?:[\w.-]|\$\{[^}`]*\})+)`")
_LITERAL = re.compile(r'"(?P<plain>[^"\\\n]*)"|`(?P<pattern>[^`]*)`')


@cache
def _words(language: str) -> dict[str, str]:
    counted = 0
    for path in [FOLDER / language / "declared.json", *(FOLDER / language / "page").iterdir()]:
        own = json.loads(path.read_text(encoding="utf-8"))
        counted += sum(path.name != "declared.json" or key.startswith("declared.") for key in own)
    known = dict(texts("page", language))
    assert len(known) == counted, f"said twice in {language}"
    return known


def _modules() -> Iterator[Path]:
    yield from (path for path in sorted(PAGE.rglob("*.js")) if "vendor" not in path.parts)


def _first_argument(text: str, start: int) -> str:
    """Return the text of a call's first argument, from behind its bracket."""
    depth, at = 0, start
    while at < len(text):
        here = text[at]
        if here in '"`':
            at = text.index(here, at + 1)
        elif here in "([{":
            depth += 1
        elif here in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif here == "," and depth == 0:
            break
        at += 1
    return text[start:at]


def _asked() -> Iterator[tuple[Path, str, str]]:
    """Give what the modules ask words for: the function, and a key or a pattern of keys."""
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        for call in _CALL.finditer(text):
            for literal in _LITERAL.finditer(_first_argument(text, call.end())):
                plain, pattern = literal["plain"], literal["pattern"]
                if plain is not None and _KEY.fullmatch(plain):
                    yield path, call["name"], plain
                elif pattern is not None and re.sub(r"\$\{[^}]*\}", "", pattern).strip("."):
                    yield path, call["name"], pattern


def _expression(pattern: str) -> re.Pattern[str]:
    """Turn a template into an expression in which each placeholder stands for one part of a key."""
    parts = re.split(r"\$\{[^}]*\}", pattern)
    return re.compile("[^.]+".join(re.escape(part) for part in parts))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_says_the_same_keys(language: str) -> None:
    english = set(_words("en"))
    own = {key for key in _words(language) if not _DECLARED_IN_ENGLISH.fullmatch(key)}
    assert own - english == set(), f"is said in {language} and not in English"
    assert english - own == set(), f"is to be said in {language} too"


def test_spanish_and_catalan_say_the_same_of_declarations() -> None:
    assert _words("es").keys() == _words("ca").keys()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_placeholders_are_the_same(language: str) -> None:
    own = _words(language)
    for key, said in _words("en").items():
        assert set(re.findall(r"\{(\w+)\}", said)) == set(re.findall(r"\{(\w+)\}", own[key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_are_empty(language: str) -> None:
    assert [key for key, said in _words(language).items() if not said.strip()] == []


def test_every_key_that_is_asked_for_exists() -> None:
    known, missing = _words("en"), []
    for path, function, key in _asked():
        if function == "has" or _DECLARED_IN_ENGLISH.fullmatch(key):
            continue
        wanted = [f"{key}.one", f"{key}.other"] if function == "tn" else [key]
        for one in wanted:
            expression = _expression(one)
            if not any(expression.fullmatch(other) for other in known):
                missing.append(f"{path.relative_to(PAGE)}: {one}")
    assert missing == []


def test_no_key_is_left_unused() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in _modules())
    literals = set(re.findall(r'"([a-z][\w.*-]+)"', text))
    templates = {found for found in _TEMPLATE.findall(text) if re.search(r"[a-z]\.\$|\}\.[a-z]", found)}
    expressions = [_expression(template) for template in templates]
    expressions.append(re.compile(r"declared\..+"))  # asked for by the names of what is declared: tested below
    # Asked for by the codes of what is wrong with a file.
    expressions += [re.compile(re.escape(f"look.fault.{code}")) for code in texts("messages", "en")]
    unused = [
        key
        for key in _words("en")
        if key not in literals
        and re.sub(r"\.(one|other)$", "", key) not in literals
        and not any(expression.fullmatch(key) for expression in expressions)
    ]
    assert unused == [], "is asked for nowhere in web/page"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_declared_has_words(kind: str, language: str) -> None:
    words = _words(language)
    missing: list[str] = []
    for declared in catalogue()[KINDS[kind]]:
        missing += _missing(kind, declared, words, summary=language != "en")
    assert missing == [], f"to be said in languages/{language}/declared.json"


def _missing(kind: str, declared: dict[str, Any], words: dict[str, str], *, summary: bool) -> Iterator[str]:
    name = declared["name"]
    wanted = [f"declared.{kind}.{name}"] + ([f"declared.{kind}.{name}.summary"] if summary else [])
    yield from (key for key in wanted if key not in words)
    for parameter, schema in declared["parameters"].get("properties", {}).items():
        ends = ["", ".help"] if summary else [""]
        for end in ends:
            if (
                not {f"declared.parameter.{parameter}{end}", f"declared.parameter.{name}.{parameter}{end}"}
                & words.keys()
            ):
                yield f"declared.parameter.{parameter}{end}"
        for choice in _choices(schema):
            if isinstance(choice, str) and f"declared.choice.{parameter}.{choice}" not in words:
                yield f"declared.choice.{parameter}.{choice}"


def _choices(schema: dict[str, Any]) -> list[Any]:
    found: list[Any] = list(schema.get("enum", ()))
    for part in schema.get("anyOf", ()):
        found += part.get("enum", ())
    return found


def test_no_words_are_kept_for_what_is_not_declared() -> None:
    known = catalogue()
    names = {f"declared.{kind}.{one['name']}" for kind, many in KINDS.items() for one in known[many]}
    names |= {f"declared.role.{one['name']}" for one in known["roles"]}
    said = {key for key in _words("en") if not key.startswith(("declared.parameter.", "declared.choice."))}
    assert {key for key in said if key.startswith("declared.")} - names == set()


def test_the_page_reads_no_english_back() -> None:
    """What the server says is shown as it comes; what it means is read from codes and values."""
    for path in _modules():
        # Names of attacks are not sentences: evidence knows them by 'inference of COLUMN'.
        text = path.read_text(encoding="utf-8").replace("/^inference of (.+)$/", "")
        assert not re.findall(r"/[^/\n]*[a-z]{3,} [a-z]{2,} [^/\n]*/[a-z]*\.(?:exec|test)\(", text), path.name


def test_terms_that_help_names_are_in_the_glossary() -> None:
    named = set()
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'\b(?:term|help)="([a-z-]+)"', text))
    assert named
    assert {f"term.{name}" for name in named} - _words("en").keys() == set()


def test_every_term_is_explained() -> None:
    words = _words("en")
    terms = [key for key in words if re.fullmatch(r"term\.[^.]+", key)]
    assert len(terms) >= 40
    assert [key for key in terms if f"{key}.text" not in words] == []


def test_every_step_has_its_module_and_its_words() -> None:
    listed = re.findall(
        r'^  \{ name: "([a-z-]+)"', (PAGE / "components" / "steps.js").read_text(encoding="utf-8"), re.M
    )
    assert len(listed) >= 9
    assert sorted(listed) == sorted(path.stem for path in (PAGE / "steps").glob("*.js"))
    wanted = {f"{step}.{part}" for step in listed for part in ("name", "title", "asked", "why")}
    assert sorted(wanted - _words("en").keys()) == [], "to be said in languages/*/page/page.json"
