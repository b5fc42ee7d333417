"""What a spelling writes is read back plain, by the reader of files and by the one that counts again."""

import duckdb
import pyarrow as pa
import pytest

from antifaz.sources.read_back import plain_rows
from antifaz.sources.spellings import MOST, Spelling, spelling_notes
from antifaz.sources.written_forms import plain, plain_where_written

CELLS = {
    "decimal(comma)": ["24.868,29", "-1,5", "+3", "1.000.000", "12 %", "-5,10 €", "$7", "1,5e-05", " 4,0", "8'000,1"],
    "decimal(point)": ["24,868.29", "-1.5", "1 000", "EUR 3.20", "0.10"],
    "date(d/m/Y)": ["16/11/2016", "3/4/2016", "03-04-2017", "16.11.2018 9:05", "16/11/2019 09:05:03+01:00"],
    "date(m/d/Y)": ["11/16/2016", "4/3/2016"],
    "date(Y/m/d)": ["2016/11/16", "2016-1-2"],
    "date(Ymd)": ["20161116"],
    "date(d month Y)": ["16 de noviembre de 2016", "3 May 2016", "1er mars 2016"],
}


@pytest.mark.parametrize("form", CELLS)
def test_cells_are_written_as_they_came_and_read_back(form: str) -> None:
    came = pa.table({"c0": [*CELLS[form], None]})
    spelling = Spelling(form)
    (table,) = plain([came], {"c0": form}, {"c0": spelling})
    cells = table.column(0).combine_chunks()
    written = spelling.written(cells)
    assert written.to_pylist() == came.column(0).to_pylist()
    (again,) = plain_where_written([pa.table({"c0": written})], {"c0": form})
    assert again.column(0).to_pylist() == cells.to_pylist()
    with duckdb.connect() as db:
        db.register("given", pa.table({"c0": written, "at": range(len(written))}))
        rows = plain_rows(db, "given AS source(c0, c1)", 2, {0: form})
        assert [c for (c,) in db.sql(f"SELECT c0 FROM {rows} ORDER BY c1").fetchall()] == cells.to_pylist()


@pytest.mark.parametrize("form", CELLS)
def test_labels_stay_as_they_are(form: str) -> None:
    labels = pa.array(["[20.5, 30.5)", "2016-**", "*", "{a, b}", "'=1+1", None])
    if form.startswith("decimal"):
        assert Spelling(form).written(labels).to_pylist() == labels.to_pylist()
    (again,) = plain_where_written([pa.table({"c0": labels})], {"c0": form})
    assert again.column(0).to_pylist() == labels.to_pylist()


def test_too_many_spellings_are_said() -> None:
    spelling = Spelling("decimal(comma)")
    for i in range(MOST + 1):
        spelling.note(f"{i} €", str(i))
    assert not spelling.unusual
    assert [note.code for note in spelling_notes({"income": spelling})] == ["note.spelled-in-usual-form"]
