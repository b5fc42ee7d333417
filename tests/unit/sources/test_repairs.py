"""A collection of odd files: each is refused with its place and the repairs that help, and read with them."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from antifaz.core.errors import AntifazError, DataError, ParameterError
from antifaz.core.messages import Message
from antifaz.sources.file_format import ReadOptions
from antifaz.sources.reading import read
from antifaz.sources.repairs import REPAIRS, check_repairs, is_total, mended_names
from failing import failing, like, near

Rows = list[list[str | None]]


@dataclass(frozen=True)
class Odd:
    """An odd file: its text, the repairs that it needs with how often, and what is then read of it."""

    text: str
    repairs: dict[str, int]
    names: list[str]
    rows: Rows


AB = ["a", "b", "c"]
TWO_THREE = ["2", "3"]
FOUR_ON: list[str | None] = ["4", "5", "6"]
ONE_TWO: Rows = [["1", "2", "3"], ["4", "5", "6"]]
ODD = {
    "an index without a name": Odd(
        ",a,b\n0,1,2\n1,3,4\n", {"unnamed-column": 1}, ["column_1", "a", "b"], [["0", "1", "2"], ["1", "3", "4"]]
    ),
    "an index beside one column": Odd(
        ",a\n1,2\n2,5\n3,7\n", {"unnamed-column": 1}, ["column_1", "a"], [["1", "2"], ["2", "5"], ["3", "7"]]
    ),
    "a delimiter at every end": Odd("a,b,\n1,2,\n", {"unnamed-column": 1}, ["a", "b", "column_3"], [["1", "2", None]]),
    "row names as R writes them": Odd(
        '"a" "b"\n"1" 5 6\n"2" 7 8\n', {"unnamed-column": 1}, ["column_1", "a", "b"], [["1", "5", "6"], ["2", "7", "8"]]
    ),
    "a name that is taken already": Odd(
        "column_2,,b\n1,2,3\n", {"unnamed-column": 1}, ["column_2", "column_2_2", "b"], [["1", "2", "3"]]
    ),
    "names there twice": Odd("a,A,a\n1,2,3\n", {"duplicate-names": 2}, ["a", "A 2", "a 3"], [["1", "2", "3"]]),
    "title lines": Odd("Survey\nof 2020, in parts\n\na,b,c\n1,2,3\n4,5,6\n", {"title-lines": 3}, AB, ONE_TWO),
    "title lines padded by a spreadsheet": Odd("Survey,,\n,,\na,b,c\n1,2,3\n4,5,6\n", {"title-lines": 2}, AB, ONE_TWO),
    "a line that tells the separator": Odd("sep=;\na;b;c\n1;2;3\n4;5;6\n", {"sep-line": 1}, AB, ONE_TWO),
    "the same, quoted, with CRLF": Odd('"sep=;"\r\na;b;c\r\n1;2;3\r\n4;5;6\r\n', {"sep-line": 1}, AB, ONE_TWO),
    "blank lines": Odd("a,b,c\n\n1,2,3\n \n,,,,\n4,5,6\n", {"blank-lines": 3}, AB, ONE_TWO),
    "a blank line on top": Odd("\na,b,c\n1,2,3\n4,5,6\n", {"title-lines": 1}, AB, ONE_TWO),
    "a short row": Odd("a,b,c\n1,2\n4,5,6\n", {"short-rows": 1}, AB, [["1", "2", None], ["4", "5", "6"]]),
    "short rows and CR alone": Odd(
        "a,b,c\r1\r4,5,6\r7,8", {"short-rows": 2}, AB, [["1", None, None], ["4", "5", "6"], ["7", "8", None]]
    ),
    "a long row with nothing more": Odd("a,b,c\n1,2,3,,\n4,5,6\n", {"long-rows": 1}, AB, ONE_TWO),
    "a long row with more": Odd("a,b,c\n1,2,3,4\n1,2,3\n4,5,6\n", {"long-rows": 1}, AB, ONE_TWO),
    "a row within quotes": Odd('a,b,c\n"1,""2"",3"\n4,5,6\n', {"quoted-rows": 1}, AB, ONE_TWO),
    "a quote left open": Odd('a,b,c\n"1,2,3\n4,5,"6"\n', {"open-quote": 1}, AB, [['"1', *TWO_THREE], FOUR_ON]),
    "a quote open to the end": Odd(
        'a,b,c\n1,2,3\n4,"5,6\n', {"open-quote": 1}, AB, [["1", *TWO_THREE], ["4", '"5', "6"]]
    ),
    "text behind a quote": Odd('a,b,c\n"1" x,2,3\n4,5,6\n', {"open-quote": 1}, AB, [['"1" x', *TWO_THREE], FOUR_ON]),
    "groups above names": Odd(
        "Person,,Visit\nage,sex,cost\n31,m,2\n42,f,3\n",
        {"second-header": 1},
        ["Person age", "Person sex", "Visit cost"],
        [["31", "m", "2"], ["42", "f", "3"]],
    ),
    "groups there twice, and no number": Odd(
        "a,a,b,b\nx,y,x,z\nq,r,s,t\nu,v,w,x\n".replace("x,y,x,z", "x,y,v,z"),
        {"second-header": 1},
        ["a x", "a y", "b v", "b z"],
        [["q", "r", "s", "t"], ["u", "v", "w", "x"]],
    ),
    "titles, groups and a short row, with CRLF": Odd(
        'Survey;;\r\nPerson;;Visit\r\nage;sex;"cost; €"\r\n31;m;2\r\n42;f\r\n50;f;3\r\n',
        {"title-lines": 1, "second-header": 1, "short-rows": 1},
        ["Person age", "Person sex", "Visit cost; €"],
        [["31", "m", "2"], ["42", "f", None], ["50", "f", "3"]],
    ),
    "a totals line that is short": Odd("a,b,c\n1,2,3\n4,5,6\nTotal,7\n", {"totals-line": 1}, AB, ONE_TWO),
    "another table below": Odd("a,b,c\n1,2,3\n4,5,6\n\nx,y\n1,2\n", {"several-tables": 2}, AB, ONE_TWO),
    "a source below": Odd("a,b,c\n1,2,3\n4,5,6\n\nSource: register\n", {"several-tables": 1}, AB, ONE_TWO),
    "several faults at once": Odd(
        "sep=;\nSurvey;;\n;b;b\n\n1;2\n4;5;6;\nSumme;7\n",
        {
            "sep-line": 1,
            "title-lines": 1,
            "unnamed-column": 1,
            "duplicate-names": 1,
            "blank-lines": 1,
            "short-rows": 2,
            "long-rows": 1,
        },
        ["column_1", "b", "b 2"],
        [["1", "2", None], ["4", "5", "6"], ["Summe", "7", None]],
    ),
}


def write(folder: Path, text: str, name: str = "odd.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def taken(path: Path, **options: Any) -> tuple[list[str], Rows, dict[str, int]]:
    reader = read(path, ReadOptions(**options))
    rows = [list(row.values()) for table in reader.tables for row in table.to_pylist()]
    return reader.schema.names, rows, {repair.name: repair.count for repair in reader.repairs}


def offers(path: Path, **options: Any) -> dict[str, int]:
    """The repairs that a refused file is offered, with how often each would be made."""
    with pytest.raises(DataError) as caught:
        taken(path, **options)
    assert caught.value.code == "file.repairable", caught.value
    listed = caught.value.message.values["repairs"]
    for offer in listed:
        assert f"--repair {offer.values['name']} " in str(caught.value)
    return {offer.values["name"]: offer.values["what"].values["count"] for offer in listed}


def options_of(odd: Odd) -> dict[str, Any]:
    return {"delimiter": " "} if odd.text.startswith('"a" ') else {}


@pytest.mark.parametrize("what", ODD)
def test_every_odd_file_is_offered_the_repairs_with_which_it_is_read(tmp_path: Path, what: str) -> None:
    odd = ODD[what]
    path = write(tmp_path, odd.text)
    assert offers(path, **options_of(odd)) == odd.repairs
    assert taken(path, repair=frozenset(odd.repairs), **options_of(odd)) == (odd.names, odd.rows, odd.repairs)


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
def test_a_file_read_in_pieces_is_repaired_alike(tmp_path: Path, what: str, chunk: int) -> None:
    odd = ODD[what]
    path = write(tmp_path, odd.text)
    read_so = taken(path, repair=frozenset(odd.repairs), chunk=chunk, **options_of(odd))
    assert read_so == (odd.names, odd.rows, odd.repairs)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("what", ["title lines", "titles, groups and a short row, with CRLF", "several faults at once"])
def test_an_odd_file_in_another_encoding_is_offered_the_same(tmp_path: Path, what: str, encoding: str) -> None:
    odd = ODD[what]
    path = tmp_path / "odd.csv"
    path.write_bytes(odd.text.replace("Survey", "Año").encode(encoding))
    assert offers(path) == odd.repairs
    assert taken(path, repair=frozenset(odd.repairs)) == (odd.names, odd.rows, odd.repairs)
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.write(path, "odd.csv")
    assert offers(tmp_path / "odd.zip") == odd.repairs
    assert taken(tmp_path / "odd.zip", repair=frozenset(odd.repairs)) == (odd.names, odd.rows, odd.repairs)


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("an index without a name", ()),
        ("names there twice", ()),
        ("blank lines", ("several-tables",)),
        ("a short row", ()),
        ("a long row with more", ()),
        ("a row within quotes", ("short-rows",)),
        ("a quote left open", ()),
        ("a totals line that is short", ("short-rows",)),
        ("groups above names", ("unnamed-column",)),
    ],
)
def test_a_repair_that_was_not_named_is_not_made(tmp_path: Path, what: str, instead: tuple[str, ...]) -> None:
    odd = ODD[what]
    with pytest.raises(DataError):
        taken(write(tmp_path, odd.text), repair=frozenset(REPAIRS) - odd.repairs.keys() - {*instead})


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a,b\n1,2\n\n3,4\n5,\0\n", 3, 1),
        ("a,b\n1\n2,\0\n", 2, 1),
        ("a,b\n1,2\n\0,4\n", 3, 1),
    ],
)
def test_what_no_repair_helps_is_refused_with_its_place(tmp_path: Path, text: str, line: int, column: int) -> None:
    with failing("csv.record-wrong", DataError, words=like_place(line, column)) as caught:
        taken(write(tmp_path, text))
    assert "--repair" not in str(caught.value)


def like_place(line: int, column: int) -> Any:
    class _Place:
        def __eq__(self, other: object) -> bool:
            return f"line {line}, column {column}" in str(other)

        __hash__ = None  # type: ignore[assignment]

    return _Place()


def test_after_a_repair_the_place_is_the_files_own(tmp_path: Path) -> None:
    path = write(tmp_path, "Survey\n\na,b\n1,2\n\n3,4,5\n")
    with failing("csv.record-wrong", words=like("csv.ragged-record", line=6, column=3)):
        taken(path, repair=frozenset({"title-lines", "blank-lines"}))


def test_a_whole_file_that_needs_nothing_is_read_as_without_repairs(tmp_path: Path) -> None:
    draw = random.Random(1)
    cells = ["", "x", '"q"', '"a,b"', '"a\nb"', '"say ""hi"""', "é", " 7", 'in"side']
    text = "a,b,c\n" + "".join(",".join(draw.choice(cells) for _ in AB) + "\n" for _ in range(500))
    # A record with nothing in it is a record, unless somebody wants blank lines left out.
    wanted = frozenset(REPAIRS) - {"blank-lines", "several-tables"}
    path = write(tmp_path, text)
    names, rows, done = taken(path, repair=wanted)
    assert (names, rows) == taken(path)[:2]
    assert set(done.values()) == {0}


def test_a_totals_line_of_the_right_width_is_only_spoken_of(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b,c\n1,2,3\nTotal,2,3\n")
    reader = read(path, ReadOptions())
    assert sum(table.num_rows for table in reader.tables) == 2
    assert "note.totals-line" in [getattr(note, "code", "") for note in reader.notes]
    assert taken(path, repair=frozenset({"totals-line"}))[1:] == ([["1", "2", "3"]], {"totals-line": 1})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("weight,town,born\nkg,,\n70,Vigo,1990-01-02\n80,Lugo,1991-01-02\n", ["weight kg", "town", "born"]),
        ("a\tb\n(years)\t%\n1\t2\n3\t4\n", ["a (years)", "b %"]),
    ],
)
def test_a_line_of_units_is_spoken_of_and_joined_if_asked(tmp_path: Path, text: str, names: list[str]) -> None:
    path = write(tmp_path, text)
    reader = read(path, ReadOptions())
    assert sum(table.num_rows for table in reader.tables) == 3
    assert [note.code for note in reader.notes if isinstance(note, Message)][1] == "note.second-header"
    for chunk in (1, 5, 1000):
        found, rows, done = taken(path, repair=frozenset({"second-header"}), chunk=chunk)
        assert (found, len(rows), done) == (names, 2, {"second-header": 1})
    with failing("csv.record-wrong", words=like("csv.ragged-record", line=5)):
        taken(write(tmp_path, text + "1\n"), repair=frozenset({"second-header"}))


@pytest.mark.parametrize(
    "text",
    [
        "age,name\nNA,Ana\n31,Luis\n42,Eva\n",
        "age,name\n,Ana\n31,Luis\n42,Eva\n",
        "age,name\n30,Ana\n31,Luis\n42,Eva\n",
        "name,town\nAna,Vigo\nLuis,Lugo\nEva,Vigo\n",
        ",town\nAna,Vigo\nLuis,Lugo\nEva,Vigo\n",
        "2019,2020\na,b\n1,2\n3,4\n",
    ],
)
def test_a_first_record_is_no_second_header(tmp_path: Path, text: str) -> None:
    with suppress(DataError):
        reader = read(write(tmp_path, text), ReadOptions())
        assert [note.code for note in reader.notes] == ["note.csv-with-header"] or "2019" in text
        list(reader.tables)
    assert taken(write(tmp_path, text), repair=frozenset({"second-header", "unnamed-column"}))[2]["second-header"] == 0


def test_lines_left_out_are_counted(tmp_path: Path) -> None:
    reader = read(write(tmp_path, "a,b\n1,2\n1,2,3\n1,2,\n"), ReadOptions(repair=frozenset({"long-rows"})))
    assert sum(table.num_rows for table in reader.tables) == 2
    (done,) = reader.repairs
    assert (done.count, done.left_out, done.line) == (2, 1, 3)
    assert [note.code for note in reader.notes] == ["note.csv-with-header", "note.repaired"]


def test_an_unknown_repair_is_refused_with_the_nearest() -> None:
    with failing("repair.unknown", ParameterError, name="short-row", hint=near("short-rows")):
        check_repairs(["short-row"])
    assert check_repairs("short-rows") == {"short-rows"}


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        (["Total", "12"], True),
        ([None, "TOTAL:", "1.5"], True),
        (["Insgesamt", "", "7"], True),
        (["Total recall", "12"], False),
        (["Total", None], False),
        ([], False),
    ],
)
def test_a_total_is_known_by_its_first_word(cells: Sequence[str | None], total: bool) -> None:
    assert is_total(cells) is total


def test_names_stay_different_whatever_is_there() -> None:
    names, done = mended_names(["a", "", "a", "a 2", "column_2"], ["unnamed-column", "duplicate-names"])
    assert names == ["a", "column_2_2", "a 3", "a 2", "column_2"]
    assert len({name.casefold() for name in names}) == 5
    assert [repair.count for repair in done] == [1, 1]


def test_no_message_quotes_a_cell(tmp_path: Path) -> None:
    secret = "Ada Lovelace"
    path = write(tmp_path, f"a,b\n{secret}\n{secret},2,3\n\n{secret},\0\n{secret},2\n")
    for repair in ((), ("short-rows",), ("short-rows", "long-rows", "blank-lines")):
        with pytest.raises(AntifazError) as caught:
            taken(path, repair=frozenset(repair))
        assert "Lovelace" not in str(caught.value)
