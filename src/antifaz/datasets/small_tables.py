"""Make small tables: students' marks, ages with salaries, and two that are worked through by hand. Nobody exists."""

import numpy as np
import pyarrow as pa

from antifaz.core.arrays import Floats, Ints
from antifaz.datasets.draws import Draws, check, log_normal, normal

MOST = 10**8
_SIX = """\
fnac,sexo,cod_postal,dolencia
1986,M,53715,gripe
1996,F,53715,neumonía
1986,M,53703,bronquitis
1986,M,53703,fractura brazo
1996,F,53706,apendicitis
1986,F,53706,fractura pierna
"""
_NINETEEN = """\
residencia,sexo,campo,ingresos
Navalcarnero,M,ENFERMERIA,medio
Torrelaguna,F,ENFERMERIA,medio
Ampudia,M,MEDICINA,alto
Palenzuela,M,MECANICA,bajo
Navalcarnero,F,QUIMICA,bajo
Navalcarnero,F,BIOLOGIA,bajo
Palenzuela,M,ENFERMERIA,medio
Palenzuela,M,MEDICINA,alto
Gama,F,INFORMATICA,alto
Mogarraz,F,TELECOMUNICACIONES,alto
Palenzuela,M,ELECTRONICA,alto
Medina del Campo,M,BIOLOGIA,medio
Medina de Rioseco,F,ELECTRONICA,alto
Candelario,M,BIOLOGIA,bajo
Ampudia,M,BIOLOGIA,alto
Palenzuela,M,MEDICINA,medio
Medina del Campo,M,ENFERMERIA,medio
Medina de Rioseco,F,ENFERMERIA,alto
Gama,M,MEDICINA,alto
"""


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


def six_people() -> pa.Table:
    """Return six patients: year of birth, sex, postcode, complaint; all as text."""
    return _table(_SIX)


def nineteen_people() -> pa.Table:
    """Return nineteen graduates: where they live, sex, field, income; all as text."""
    return _table(_NINETEEN)


def _table(text: str) -> pa.Table:
    names, *rows = (line.split(",") for line in text.splitlines())
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
