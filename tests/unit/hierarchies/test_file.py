"""Files: reading what others write, writing what we read, and saying where a file is wrong."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.hierarchies import File, Hierarchy, from_file, read_file, write_table, write_tree
from failing import Like, failing, like, near

ARX = Path(__file__).parents[3].parent / "shared" / "data" / "adult-arx"

ODD = st.text(st.sampled_from(list("ab;,:|\t \"'\r\n\\é\u0301\ufeff\u2028\x00*")), max_size=8)
TEXT = st.one_of(ODD, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
LABEL = TEXT.map(canonical).filter(lambda label: label is not None)


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Any hierarchy: leaves, and at each level each label under some label of the next."""
    level = draw(st.lists(LABEL, min_size=1, max_size=8, unique=True))
    rows = [[leaf] for leaf in level]
    for height in range(draw(st.integers(0, 3))):
        above = draw(st.lists(LABEL, min_size=1, max_size=max(1, 4 - height), unique=True))
        parent = {label: draw(st.sampled_from(above)) for label in dict.fromkeys(level)}
        level = [parent[label] for label in level]
        rows = [[*row, label] for row, label in zip(rows, level, strict=True)]
    return Hierarchy.from_rows(rows, suppression=True)


def put(folder: Path, text: str | bytes, name: str = "h.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@settings(max_examples=150, deadline=None)
@given(made=hierarchies(), delimiter=st.sampled_from([";", ",", "\t", "|", ":"]))
def test_tables_come_back_exactly(made: Hierarchy, delimiter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("table") / "h.csv"
    write_table(made, path, delimiter)
    assert read_file(path).paths() == made.paths()
    assert read_file(path, delimiter=delimiter).levels == made.levels
    assert list(path.parent.iterdir()) == [path]


@settings(max_examples=150, deadline=None)
@given(made=hierarchies())
def test_trees_come_back_exactly(made: Hierarchy, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tree") / "h.json"
    write_tree(made, path)
    back = read_file(path)
    assert sorted(back.paths()) == sorted(made.paths())
    # Siblings are together in a tree, so once written the order stays too.
    write_tree(back, path)
    assert read_file(path).levels == back.levels


def test_a_tree_keeps_the_order_of_leaves_that_are_together(tmp_path: Path) -> None:
    made = Hierarchy.from_rows([("b", "x", "*"), ("a", "x", "*"), ("c", "w", "*")])
    write_tree(made, tmp_path / "h.json")
    assert read_file(tmp_path / "h.json").levels == made.levels


@pytest.mark.parametrize("separator", [";", ",", "\t", "|", ":"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    rows = [("Trinadad&Tobago", "Holand-Netherlands", "*"), ("<=50K", "a b", "*")]
    path = put(tmp_path, "".join(separator.join(row) + "\n" for row in rows))
    assert read_file(path).paths() == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("20;[20, 30);*\n31;[30, 40);*\n", [("20", "[20, 30)", "*"), ("31", "[30, 40)", "*")]),
        ("20:[20, 30):*\n31:[30, 40):*\n", [("20", "[20, 30)", "*"), ("31", "[30, 40)", "*")]),
        ("10:30,morning,*\n18:00,evening,*\n", [("10:30", "morning", "*"), ("18:00", "evening", "*")]),
        ('"a;b";x\r\n"c ""d""";x\r\n', [("a;b", "x"), ('c "d"', "x")]),
        ('0;":\t:";*\n', [("0", ": :", "*")]),
        ('5" pipe;x\n7" pipe;x\n', [('5" pipe', "x"), ('7" pipe', "x")]),
        ('"a,1";x\nb;x\n', [("a,1", "x"), ("b", "x")]),
        ("\ufeffa;x\n\nb;x", [("a", "x"), ("b", "x")]),
        ("a;x\rb;x\r", [("a", "x"), ("b", "x")]),
        ('"two\nlines";x\nb;x\n', [("two lines", "x"), ("b", "x")]),
        ("only\n", [("only",)]),
    ],
)
def test_tables_of_many_hands(tmp_path: Path, text: str, rows: list[tuple[str, ...]]) -> None:
    assert read_file(put(tmp_path, text)).paths() == rows


def test_encodings_headers_and_kinds(tmp_path: Path) -> None:
    path = put(tmp_path, "año;año\nñ;x\nó;x\n".encode("latin-1"))
    builder = from_file(path, encoding="latin-1", header=True, delimiter=";")
    assert builder.build([], DataType.TEXT).paths() == [("ñ", "x"), ("ó", "x")]
    with pytest.raises(HierarchyError, match=r"h.csv: line 1 is not UTF-8; say which 'encoding'"):
        read_file(path)
    wide = put(tmp_path, "a;x\nb;x\n".encode("utf-16"), "wide.csv")
    assert from_file(wide, encoding="utf-16").build([], DataType.TEXT).leaves == ("a", "b")
    numbers = put(tmp_path, "01;*\n2.50;*\n", "n.csv")
    assert from_file(numbers).build([], DataType.DECIMAL).leaves == ("1", "2.5")
    assert from_file(numbers).build([], DataType.TEXT).leaves == ("01", "2.50")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", like("hierarchy.file-without-values")),
        ("a;x;*\nb;x\nc;x;*\n", like("hierarchy.row-of-other-length", what="line 2", row=2, name="line 1", width=3)),
        ("a;x;*\n\nb;x\n", like("hierarchy.row-of-other-length", what="line 3", row=2)),
        ("a;x\nb;y\n", like("hierarchy.no-single-root", levels=2)),
        ("a\nb\n", like("hierarchy.no-delimiter-found")),
        ('a;x\n"b;x\n', like("hierarchy.line-not-readable", line=2, reason="unexpected end of data")),
        ('a;x\n"b"c;x\n', like("hierarchy.line-not-readable", line=2, reason="';' expected after '\"'")),
        ("a;x\nb;x\na;x\n", like("hierarchy.row-repeats-value", what="line 3", name="line 1")),
        ("a;;x\nb;;x\n", like("hierarchy.row-has-empty-label", what="line 1", level=1)),
        ("town;all\na;*\nb;*\n", like("hierarchy.line-has-other-root", lines=1)),
    ],
)
def test_bad_tables_name_the_file_and_the_line(tmp_path: Path, text: str, said: str | Like) -> None:
    with failing(said, HierarchyError) as caught:
        read_file(put(tmp_path, text))
    assert caught.value.message.values["file"] == "h.csv"


def test_suppression_joins_what_a_table_leaves_apart(tmp_path: Path) -> None:
    made = from_file(put(tmp_path, "a;x\nb;y\nc;y\n"), suppression=True).build([], DataType.TEXT)
    assert made.levels == (("a", "b", "c"), ("x", "y"), ("*",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"value": "a", 7}', like("hierarchy.not-json", line=1, column=16)),
        ("[1]", like("hierarchy.node-not-an-object", place="The root")),
        ('{"value": "a", "value": "b"}', "hierarchy.node-has-key-twice"),
        ('{"value": "a", "children": [' * 5000 + '{"value": "b"}' + "]}" * 5000, "hierarchy.json-nested-too-deeply"),
        (
            '{"value": "a", "children": [{"value": 1, "children": [{"value": 2}]}, {"value": 3}]}',
            "hierarchy.leaves-at-different-depths",
        ),
    ],
)
def test_bad_json(tmp_path: Path, text: str, said: str | Like) -> None:
    with failing(said, HierarchyError) as caught:
        read_file(put(tmp_path, text, "h.json"))
    assert caught.value.message.values["file"] == "h.json"


def test_json_numbers_stay_as_spelled(tmp_path: Path) -> None:
    path = put(tmp_path, '\ufeff{"value": "any", "children": [{"value": 1.10}, {"value": 9007199254740993}]}', "h.JSON")
    assert read_file(path).leaves == ("1.10", "9007199254740993")


def test_files_that_can_not_be_read_or_written(tmp_path: Path) -> None:
    with failing("hierarchy.file-not-found", HierarchyError):
        from_file("nowhere.csv").resolved(tmp_path).build([], DataType.TEXT)
    with failing("hierarchy.file-not-readable", HierarchyError):
        read_file(tmp_path)
    made = Hierarchy.from_rows([("a", "*")])
    with failing("hierarchy.file-not-writable", HierarchyError):
        write_table(made, tmp_path / "nowhere" / "h.csv")
    with failing("hierarchy.file-not-writable", HierarchyError):
        (tmp_path / "folder").mkdir()
        write_tree(made, tmp_path / "folder")
    with failing("hierarchy.delimiter-not-one-character", ParameterError):
        write_table(made, tmp_path / "h.csv", ";;")
    with failing("hierarchy.label-with-lone-surrogate", HierarchyError):
        write_table(Hierarchy.from_rows([("\ud800", "*")]), tmp_path / "h.csv")
    with failing("hierarchy.too-many-levels-for-json", HierarchyError):
        write_tree(Hierarchy.from_rows([["a"] * 5000]), tmp_path / "h.json")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_paths_are_resolved_against_a_folder(tmp_path: Path) -> None:
    assert File("sex.csv").resolved(tmp_path).path == tmp_path / "sex.csv"
    assert File(tmp_path / "a.csv").resolved(Path("elsewhere")).path == tmp_path / "a.csv"
    assert File("sex.csv").resolved(Path("x")).path.is_absolute()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": ""}, like("declared.parameter-wrong", what="the path of a file")),
        ({"path": "a\0b"}, like("declared.parameter-wrong", what="the path of a file")),
        (
            {"path": "a", "delimiter": ";;"},
            like("declared.parameter-wrong", what="one character, not a quote or a line break"),
        ),
        (
            {"path": "a", "delimiter": '"'},
            like("declared.parameter-wrong", what="one character, not a quote or a line break"),
        ),
        (
            {"path": "a", "encoding": "utf-9"},
            like("declared.parameter-wrong", what="the name of a text encoding, such as utf-8 or latin-1"),
        ),
        (
            {"path": "a", "encoding": "rot13"},
            like("declared.parameter-wrong", what="the name of a text encoding, such as utf-8 or latin-1"),
        ),
        ({"path": "a", "headers": True}, like("declared.unknown-parameter", name="headers", hint=near("header"))),
        ({}, like("declared.parameter-needed", name="file", where="path")),
    ],
)
def test_bad_parameters(options: dict[str, Any], said: str | Like) -> None:
    with failing(said, ParameterError):
        File(**options)


@pytest.mark.skipif(not ARX.is_dir(), reason="the hierarchies of ARX are not here")
@pytest.mark.parametrize(
    ("name", "leaves", "height"),
    [
        ("age", 100, 4),
        ("education", 16, 3),
        ("marital-status", 7, 2),
        ("native-country", 41, 2),
        ("occupation", 14, 2),
        ("race", 5, 1),
        ("salary-class", 2, 1),
        ("sex", 2, 1),
        ("workclass", 8, 2),
    ],
)
def test_the_hierarchies_of_arx(name: str, leaves: int, height: int, tmp_path: Path) -> None:
    path = ARX / f"adult_hierarchy_{name}.csv"
    made = read_file(path)
    assert (len(made.leaves), made.height, made.levels[-1]) == (leaves, height, ("*",))
    assert made.paths() == [tuple(line.split(";")) for line in path.read_text().splitlines()]
    write_table(made, tmp_path / "h.csv")
    assert read_file(tmp_path / "h.csv").levels == made.levels


def test_check_23_a_device_is_no_hierarchy_and_an_encoding_is_one_of_text(tmp_path):
    with failing("hierarchy.file-is-device", HierarchyError):
        read_file(Path("/dev/zero"))
    (tmp_path / "a.csv").write_text("a;*\nb;*\n", encoding="utf-8")
    with failing("hierarchy.file-of-other-encoding", HierarchyError):
        read_file(tmp_path / "a.csv", encoding="hex")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}, {"header": True}])
def test_a_plain_table_is_read_as_its_rows_say(tmp_path: Path, end: str, options: dict[str, Any]) -> None:
    rows = [[f" {i:04d}", f"{i // 10:03d}*" + " " * (i % 2), "NA", "*"] for i in range(50, 0, -1)]
    lines = [";".join(row) for row in ([["a", "b", "c", "d"]] if "header" in options else []) + rows]
    path = put(tmp_path, "\ufeff" + end.join(lines) + end + end)
    made, expected = read_file(path, **options), Hierarchy.from_rows(rows)
    assert made.levels == expected.levels
    assert [up.tolist() for up in made.up] == [up.tolist() for up in expected.up]
