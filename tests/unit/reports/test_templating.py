"""Templates of the report: words are there in all languages and all used, colours can be read, names stay text."""

from __future__ import annotations

import re
import string
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from jinja2 import nodes
from jinja2.runtime import Macro

import antifaz.reports
from antifaz.core.language import LANGUAGES
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.methods import METHODS
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.operation import operation_warnings
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.pipeline.apply_recoding import FrozenLevels
from antifaz.pipeline.plan import NOT_EVALUATED, unnamed_warnings
from antifaz.privacy import BUILTIN as MODELS
from antifaz.proposals.hipaa import IDENTIFIERS
from antifaz.proposals.presets import PRESETS
from antifaz.releases.criteria_evidence import Answer
from antifaz.releases.survey_evidence import LogLinearEvidence, SurveyRisk
from antifaz.reports.templating import Html, Templates, Typst, in_language, style
from antifaz.tabulation import PROTECTIONS, RULES

ENGLISH = in_language("en")
FOLDER = Path(str(files(antifaz.reports))) / "templates"
#: Messages whose keys are put together from a name; what names there are is checked below, or is a plain list.
FAMILIES = (
    "model.", "method.", "operation.", "role.", "type.", "step.", "hipaa.", "attack.", "utility.", "risk.",
    "count.", "reason.", "record.", "ask.", "became.", "compare.", "limits.", "criteria.", "attacks.", "assess.",
    "disclosure.", "kept.", "columns.", "predictions.", "perturbed.head.", "tables.head.", "joins.", "sign.",
    "measure.", "ledger.", "risks.", "verdict.weight.", "nearest.distance.", "nearest.ratio.", "preset.", "answer.",
    "clause.", "tabulated.rule.", "tabulated.how.", "survey.",
)  # fmt: skip


def places(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    words = in_language(language)
    assert set(words.messages) == set(ENGLISH.messages), f"to be said in languages/{language}"
    assert list(words.messages) == list(ENGLISH.messages)
    for key, text in words.messages.items():
        assert text.strip(), key
        assert set(places(text)) == set(places(ENGLISH.messages[key])), key
        # They stand on a page as they are.
        assert not re.search('[<>&"\n]', text), key


@pytest.mark.parametrize("language", ["es", "ca"])
def test_sentences_are_translated(language: str) -> None:
    words = in_language(language)
    same = [key for key, text in ENGLISH.messages.items() if words.messages[key] == text and len(text.split()) > 3]
    assert same == []


def source() -> str:
    folder = Path(str(files(antifaz.reports)))
    return "".join(path.read_text("utf-8") for path in (*folder.rglob("*.py"), *folder.rglob("*.j2")))


def test_no_message_is_unused_and_none_is_missing() -> None:
    code = source()
    used = set(re.findall(r"""\b[wt]\(\s*["']([\w.-]+)["']\s*(?:\)|,\s*\w+=)""", code))
    used |= set(
        re.findall(r"""\bself\(\s*["']([\w.-]+)["']""", Path(str(files("antifaz.core") / "language.py")).read_text())
    )
    used |= {key for pair in re.findall(r"""\b[wt]\("([\w.]+)" if .*? else "([\w.]+)\"""", code) for key in pair}
    assert sorted(used - set(ENGLISH.messages)) == [], "to be said in languages/*/reports"
    left = [key for key in ENGLISH.messages if key not in used and not key.startswith(FAMILIES)]
    assert left == []


def test_every_figure_of_a_survey_has_its_words_and_no_other() -> None:
    figures = {*SurveyRisk.model_fields, *LogLinearEvidence.model_fields} - {"records", "log_linear"}
    said = {key.split(".")[1] for key in ENGLISH.messages if key.startswith("survey.")}
    assert said == figures | {"heading", "intro", "caption", "households"}
    assert all(f"survey.{figure}.text" in ENGLISH for figure in figures)


def test_every_builtin_has_its_words() -> None:
    wanted = [f"model.{model.name}.{part}" for model in MODELS for part in ("title", "asks", "found", "leaves")]
    wanted += [f"method.{method.name}.{part}" for method in METHODS for part in ("title", "how")]
    wanted += [f"operation.{one.name}.{part}" for one in (*OPERATIONS, *PERTURBATIONS) for part in ("title", "text")]
    wanted += [f"tabulated.rule.{rule.name}" for rule in RULES]
    wanted += [f"tabulated.how.{protection.name}" for protection in PROTECTIONS]
    missing = [key for key in wanted if key not in ENGLISH]
    assert missing == [], "to be said in languages/*/declared.json"


def test_every_name_has_its_words() -> None:
    wanted = [*(f"preset.{name}" for name in PRESETS), *(f"answer.{answer}" for answer in get_args(Answer))]
    wanted += [f"{kind}.{role}" for role in set(Role) - {Role.DECIDE} for kind in ("role", "became")]
    wanted += [*(f"type.{kind}" for kind in DataType), *(f"hipaa.{key}" for key in IDENTIFIERS)]
    missing = [key for key in wanted if key not in ENGLISH]
    assert missing == [], "to be said in languages/*/reports"
    assert len(IDENTIFIERS) == 18


def test_no_word_is_left_of_what_is_gone() -> None:
    known = {
        "model": {m.name for m in MODELS} | {"kind", "unnamed", "as_declared", "some_attribute", "some_number"},
        "method": {m.name for m in METHODS} | {"masking", "in_rounds", FrozenLevels.name},
        "operation": {o.name for o in (*OPERATIONS, *PERTURBATIONS)},
    }
    for family, names in known.items():
        told = {key.split(".")[1] for key in ENGLISH.messages if key.startswith(f"{family}.")}
        assert told <= names


def test_a_model_names_its_own_parameters() -> None:
    for model in MODELS:
        asked = set(places(ENGLISH.messages[f"model.{model.name}.asks"]))
        assert asked <= set(model.model_fields), model.name


@pytest.mark.parametrize("language", ["es", "ca"])
def test_warnings_are_translated(language: str) -> None:
    from antifaz.core.schema import Column, Schema

    schema = Schema((Column(name="age", type=DataType.INTEGER), Column(name="town", type=DataType.TEXT)))
    warnings = [*unnamed_warnings(schema, {}), NOT_EVALUATED]
    warnings += operation_warnings({"age": [OPERATIONS.make("pseudonymize", {"key": "env:KEY"})]})
    for warning in warnings:
        assert Html(language).translated(warning) not in (None, str(warning)), warning


#: What is written in each colour, and on what.
PAIRS = [
    ("ink", "page"), ("ink", "card"), ("soft", "page"), ("soft", "card"), ("after", "page"), ("after", "card"),
    ("good", "card"), ("bad", "card"), ("warn", "card"), ("ink", "good-wash"), ("ink", "bad-wash"),
    ("ink", "warn-wash"), ("good", "good-wash"), ("bad", "bad-wash"), ("warn", "warn-wash"), ("before", "card"),
]  # fmt: skip


def palettes() -> dict[str, dict[str, str]]:
    found = [
        dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root \{(.*?)\}", style("style.css"), re.S)
    ]
    return dict(zip(("light", "dark", "print"), found, strict=True))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ["light", "dark", "print"])
def test_text_stands_out(name: str) -> None:
    palette = palettes()[name]
    for front, back in PAIRS:
        high, low = sorted((luminance(palette[front]), luminance(palette[back])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (front, back)


#: Templates that give both HTML and Typst's source.
NEUTRAL = sorted(
    path.relative_to(FOLDER).as_posix()
    for path in FOLDER.rglob("*.j2")
    if path.name not in ("html.j2", "typst.j2", "page.html.j2", "page.typ.j2", "lattice.j2", "frontier.j2")
    and path.parent.name != "inline"
)


@pytest.mark.parametrize("template", NEUTRAL)
def test_templates_of_both_formats_write_nothing_by_themselves(template: str) -> None:
    # Text between tags would be markup of one format; joining by ~ and writing constants would escape it for HTML.
    tree = Html("en").parse((FOLDER / template).read_text("utf-8"))
    assert not "".join(data.data for data in tree.find_all(nodes.TemplateData)).strip()
    assert not list(tree.find_all(nodes.Concat))
    written = [node for output in tree.find_all(nodes.Output) for node in output.nodes]
    assert not [node for node in written if isinstance(node, nodes.Const)]


@pytest.mark.parametrize("kind", [Html, Typst])
def test_both_formats_have_the_same_blocks(kind: type[Templates]) -> None:
    blocks = {name for name, made in kind("en").globals.items() if isinstance(made, Macro)}
    assert {*blocks, "scrolled"} == {name for name, made in Html("en").globals.items() if isinstance(made, Macro)}


def test_data_has_no_methods() -> None:
    template = Html("en").from_string(
        "{{ data.items }}|{{ data.count.more }}|{{ text.upper }}|{{ data['keys'] }}|{{ data.k }}"
    )
    assert template.render(data={"k": "<b>"}, text="x") == "||||&lt;b&gt;"


def test_names_are_strings_of_typst() -> None:
    assert Typst("en").from_string("{{ text }}").render(text='#panic("x") \\ "]') == r'#"#panic(\"x\") \\ \"]"'
