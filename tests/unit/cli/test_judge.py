"""antifaz assess."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from antifaz.cli.judge import assess

BEFORE = "age;sex;illness\n" + "".join(f"{20 + i % 20};{'fm'[i % 2]};{('flu', 'cold')[i % 3 > 0]}\n" for i in range(60))
AFTER = "age;sex;illness\n" + "".join(
    f"[{20 + i % 20 // 10 * 10}, {30 + i % 20 // 10 * 10});*;{('flu', 'cold')[i % 3 > 0]}\n" for i in range(60)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "before.csv").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "after.csv").write_text(AFTER, encoding="utf-8")
    return tmp_path


def _run(folder: Path, *options: str) -> Result:
    files = [str(folder / "before.csv"), str(folder / "after.csv")]
    return CliRunner().invoke(assess, [*files, "--seed", "1", "--attacks", "5", *options])


def test_tables_for_people(folder: Path) -> None:
    done = _run(folder, "--qi", "age,sex", "--sensitive", "illness", "--html", str(folder / "page.html"))
    assert done.exit_code == 0, done.output
    for words in ("singled out", "prosecutor, highest", "linkage", "GCP", "information kept", "illness by logistic"):
        assert words in done.output
    assert (folder / "page.html").is_file()


def test_json_for_programs(folder: Path) -> None:
    done = _run(folder, "--qi", "age,sex", "--sensitive", "illness", "--json", "--delimiter", ";")
    found = json.loads(done.stdout)
    assert found["rows"] == {"original": 60, "released": 60, "suppressed": 0}
    # Thirty records in each of two classes; sex is gone, and a decade of two is left.
    assert found["risk"]["prosecutor"] == pytest.approx(1 / 30)
    assert found["utility"]["columns"]["sex"]["gcp"] == 1
    assert found["utility"]["columns"]["age"]["gcp"] == pytest.approx(9 / 19)


def test_people_are_counted_where_a_key_says_whose_row_it_is(folder: Path) -> None:
    """Two people have all rows, thirty each."""
    for name in ("before.csv", "after.csv"):
        header, *lines = (folder / name).read_text(encoding="utf-8").splitlines()
        keyed = [f"{line};P{i % 2}" for i, line in enumerate(lines)]
        (folder / name).write_text("\n".join([f"{header};who", *keyed]) + "\n", encoding="utf-8")
    asked = ("--qi", "age,sex", "--person", "who", "--k", "3")
    found = json.loads(_run(folder, *asked, "--json", "--delimiter", ";").stdout)
    assert found["people"] == {"key": ["who"], "original": 2, "released": 2}
    assert found["risk"]["singled_out_after"] == 2 and found["risk"]["prosecutor"] == 0.5
    assert "2 people, released: 2" in _run(folder, *asked).output
    assert _run(folder, "--qi", "age,who", "--person", "who").exit_code == 2


def test_a_column_has_one_role(folder: Path) -> None:
    done = _run(folder, "--qi", "age,sex", "--sensitive", "sex")
    assert done.exit_code == 2
    assert "one role" in done.output


@pytest.mark.parametrize("options", [("--qi", "age,,sex"), (), ("--qi", "age", "--hierarchy", "age")])
def test_bad_options(folder: Path, options: tuple[str, ...]) -> None:
    assert _run(folder, *options).exit_code == 2


def test_a_hierarchy_says_what_words_cover(folder: Path) -> None:
    (folder / "sex.csv").write_text("f;any\nm;any\n", encoding="utf-8")
    (folder / "after.csv").write_text(AFTER.replace(";*;", ";any;"), encoding="utf-8")
    done = _run(folder, "--qi", "age,sex", "--hierarchy", f"sex={folder / 'sex.csv'}", "--json")
    found = json.loads(done.stdout)
    assert found["warnings"] == []
    assert found["utility"]["columns"]["sex"]["level"] == 1


def test_an_attacker_of_ones_own_is_reported_beside_the_others(folder: Path) -> None:
    (folder / "who.yaml").write_text(
        "attackers:\n- {name: a colleague, knows: [age], of: 40, exactly: {age: 1}, goal: sensitive attribute}\n"
        "- {name: a firm, knows: age}\n",
        encoding="utf-8",
    )
    options = ("--qi", "age,sex", "--sensitive", "illness", "--attacker", str(folder / "who.yaml"))
    found = json.loads(_run(folder, *options, "--json").stdout)
    names = [attack["name"] for attack in found["attacks"]]
    assert names[-2:] == ["inference of illness: a colleague", "linkage: a firm"]
    assert {"linkage", "linkage, knowing roughly"} < set(names)
    assert [attack["number"] for attack in found["attacks"][-2:]] == [40, 60]
    assert "colleague" in _run(folder, *options).output  # perhaps in two lines


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: x\nknows:\n- agee\n", "who.yaml:3:3: attacker 'x': there is no column 'agee' in both tables"),
        ("name: x\nknow: age\n", "who.yaml:2:1: there is no key 'know' here (did you mean 'knows'?)."),
    ],
)
def test_a_wrong_attacker_is_shown_by_line_and_column(folder: Path, text: str, says: str) -> None:
    (folder / "who.yaml").write_text(text, encoding="utf-8")
    done = _run(folder, "--qi", "age,sex", "--attacker", str(folder / "who.yaml"))
    assert done.exit_code != 0
    assert says in str(done.exception)


def test_attackers_without_attacks_are_refused(folder: Path) -> None:
    (folder / "who.yaml").write_text("{name: x, knows: age}", encoding="utf-8")
    done = _run(folder, "--qi", "age", "--attacker", str(folder / "who.yaml"), "--attacks", "0")
    assert "attacks should be at least 1" in str(done.exception)


def test_numbers_are_compared_row_by_row(folder: Path) -> None:
    moved = [("age;sex;illness", BEFORE.split("\n")[0])]
    moved += [(line, f"{int(line[:2]) + i % 4};{line[3:]}") for i, line in enumerate(BEFORE.splitlines()[1:])]
    (folder / "after.csv").write_text("\n".join(after for _, after in moved) + "\n", encoding="utf-8")
    done = _run(folder, "--qi", "age,sex", "--html", str(folder / "page.html"), "--language", "ca")
    assert done.exit_code == 0, done.output
    for words in ("in the same order", "IL1s", "within 0.2 sd", "linked to their own original", "sorted errors", "▁"):
        assert words in done.output
    assert "GCP, without age" in done.output
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Els nombres, fila a fila" in page and page.count("<svg") >= 2
    found = json.loads(_run(folder, "--qi", "age,sex", "--json").output)["perturbation"]
    assert found["columns"]["age"]["changed"] == 0.75
    assert json.loads(_run(folder, "--qi", "age,sex", "--json", "--any-order").output)["perturbation"].keys() == {
        "paired_by",
        "note",
    }
