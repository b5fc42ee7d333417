"""Seeds, generators, and the order of released rows."""

from __future__ import annotations

import pytest

from antifaz.core.errors import ParameterError
from antifaz.core.randomness import check_seed, fresh_seed, generator, hidden, shuffle_key
from failing import failing


def test_one_seed_one_sequence() -> None:
    assert generator(7).integers(0, 1000, 20).tolist() == generator(7).integers(0, 1000, 20).tolist()
    assert generator(7).integers(0, 1000, 20).tolist() != generator(8).integers(0, 1000, 20).tolist()
    assert len({fresh_seed() for _ in range(20)}) == 20


def test_the_order_of_rows_depends_on_the_seed_and_on_the_data() -> None:
    assert shuffle_key(1, b"a") == shuffle_key(1, b"a")
    assert len({shuffle_key(seed, data) for seed in (1, 2, -1, 2**63 - 1) for data in (b"a", b"b")}) == 8
    assert all(0 <= shuffle_key(seed, b"x") < 2**63 for seed in range(100))


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1, None])
def test_a_seed_is_a_whole_number_of_63_bits_or_none(seed: int | None) -> None:
    check_seed("sample", seed)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", True])
def test_anything_else_is_refused(seed: object) -> None:
    with failing("parameter.seed-not-a-whole-number", ParameterError, who="sample", seed=seed):
        check_seed("sample", seed)


def test_what_is_hidden_is_drawn_apart_for_each_thing() -> None:
    drawn = {(seed, what): hidden(seed, what).integers(0, 2**60) for seed in (1, 2) for what in ("margin", "ties")}
    assert len(set(drawn.values())) == 4
    assert drawn[1, "margin"] == hidden(1, "margin").integers(0, 2**60)
    assert drawn[1, "margin"] != generator(1).integers(0, 2**60)
