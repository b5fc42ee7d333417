"""Made-up values and shifted dates: shapes kept, nobody left as they were, and only the secret tells."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.kernels.keyed_hash import siphash
from failing import failing, like
from unit.methods.operations.test_frame_functions import PEOPLE

KEY = bytes(range(64))


def _made(values, **options):
    options = options or {"key": KEY}
    return az.mask.substitute(pa.table({"x": pa.array(values, pa.string())}), "x", made=True, **options)[
        "x"
    ].to_pylist()


def test_siphash_is_the_one_of_the_paper():
    # Appendix A of the paper, and the first of the vectors that its authors published.
    key, data, state = np.frombuffer(bytes(range(16)), np.uint64), np.arange(16, dtype=np.uint8), np.empty(4, np.uint64)
    assert siphash(data, 0, 15, key, state) == 0xA129CA6149BE45E5
    assert siphash(data, 0, 0, key, state) == 0x726FDB47DD0E0E31


@pytest.mark.parametrize("alphabet", ["0123456789", "abcdefghijklmnopqrstuvwxyz"])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_all_values_of_a_shape_become_all_values_of_that_shape_and_none_stays(alphabet, length):
    everything = [a + "-" for a in alphabet]
    for _ in range(length - 1):
        everything = [a + rest for a in alphabet for rest in everything]
    made = _made(everything)
    assert sorted(made) == sorted(everything)
    assert not any(old == new for old, new in zip(everything, made, strict=True))


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), unique=True))
def test_shapes_and_differences_are_kept_whatever_the_script(values):
    made = _made(values)
    assert len(set(made)) == len(values)
    for old, new in zip(values, made, strict=True):
        assert len(old) == len(new)
        for before, after in zip(old, new, strict=True):
            assert before.isdecimal() == after.isdecimal()
            assert before.isupper() == after.isupper()
            assert before.isalpha() == after.isalpha() or after == before


def test_the_same_value_becomes_the_same_in_every_table_with_the_same_key():
    one, other = _made(["Ana Pérez", "12345678Z", None]), _made(["77-x", "12345678Z"])
    assert one[1] == other[1] != "12345678Z"
    assert re.fullmatch(r"[A-Z][a-z]{2} [A-Z]\w[a-z]{3}", one[0])
    assert one[2] is None
    assert _made(["12345678Z"], key=KEY[::-1]) != [one[1]]


def test_without_a_key_values_follow_from_the_seed_and_the_data_or_are_drawn():
    values = ["12345678Z", "87654321X"]
    assert _made(values, seed=1) == _made(values[::-1], seed=1)[::-1]
    assert _made(values, seed=1) != _made(values, seed=2)
    assert _made(values, seed=1)[0] != _made([*values, "00000000A"], seed=1)[0]  # a guessed seed is not enough
    assert _made(values, seed=1, joins="p")[0] == _made([*values, "0"], seed=1, joins="p")[0]
    assert _made(values, seed=None) != _made(values, seed=None)


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


def test_a_table_substitutes_and_says_how_many_it_does_not_name():
    made = az.mask.substitute(PEOPLE, "name", table={"Ana": "Eva", "Björn": "Olaf"})
    assert _column(made, "name") == ["Eva", "Olaf", None, "Eva"]
    assert _column(az.mask.substitute(PEOPLE, "name", table={"Ana": "E"}, others="missing"), "name")[1] is None
    with failing("substitute.table-misses-values", az.DataError, left=1, column="name") as refused:
        az.mask.substitute(PEOPLE, "name", table={"Ana": "Eva"})
    assert "Björn" not in str(refused.value)


def test_numbers_substituted_by_numbers_stay_numbers():
    made = az.mask.substitute(PEOPLE, "age", table={"34": 30, "95": 90, "61": 60})
    assert made.column("age").type == pa.int16()
    assert _column(made, "age") == [30, 90, 60, None]


def test_a_table_may_be_a_file(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("old,new\nAna,Eva\nBjörn,\n", encoding="utf-8")
    assert _column(az.mask.substitute(PEOPLE, "name", table=str(path)), "name") == ["Eva", None, None, "Eva"]
    path.write_text("old,new\nAna,Eva\nAna,Ida\n", encoding="utf-8")
    with failing(
        "substitute.row-wrong", az.ParameterError, line=3, file="names.csv", count=like("substitute.value-twice")
    ):
        az.mask.substitute(PEOPLE, "name", table=str(path))
