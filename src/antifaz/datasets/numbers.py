"""Makes the two small tables of numbers: students' marks, and ages with salaries."""

import numpy as np
import pyarrow as pa

from antifaz.datasets.draws import Draws, Floats, Ints, check, log_normal, normal

MOST = 10**8


def make_students(n: int, seed: int) -> pa.Table:
    """Return `n` students with three marks, a year and a professor."""
    check(n, seed, MOST)
    draws = Draws(seed, 2)

    def marks() -> pa.Array:
        return pa.array(np.clip(np.rint(6.0 + 2.0 * draws.pick(n, normal())), 0, 10).astype(np.int64))

    columns = {
        "id": pa.array([f"S{number:07d}" for number in range(1, n + 1)], pa.string()),
        "participation": marks(),
        "exam": marks(),
        "practice": marks(),
        "year": pa.array(2018 + draws.below(n, 5)),
        "professor": pa.array([f"P{i:02d}" for i in range(10)]).take(pa.array(draws.below(n, 10))),
    }
    return pa.table(columns)


def make_salaries(n: int, seed: int) -> pa.Table:
    """Return `n` ages and salaries."""
    check(n, seed, MOST)
    draws = Draws(seed, 3)
    return pa.table({"age": pa.array(_ages(draws, n)), "salary": pa.array(_pay(draws, n))})


def _ages(draws: Draws, n: int) -> Ints:
    """Mostly adults around thirty, and one in eleven a child: mean 29.7, standard deviation 14.5."""
    grown = 13.6 + 15.25 * draws.pick(n, log_normal(0.68))
    child = draws.below(n, 15)
    ages = np.where(draws.below(n, 110) < 10, child, np.minimum(np.floor(grown), 80.0))
    return ages.astype(np.int64)


def _pay(draws: Draws, n: int) -> Floats:
    """Three in ten part-time, between nothing and a full wage; the others around 91,000 with a long tail; in cents."""
    full = 9_090_000.0 * draws.pick(n, log_normal(0.396))
    part = draws.below(n, 1 << 20).astype(np.float64) / (1 << 20)
    cents = np.where(draws.below(n, 100) < 30, 5_900_000.0 * part * part, full)
    return np.rint(cents) / 100.0
