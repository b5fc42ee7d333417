"""Makes the people: block by block, column by column, every step a table look-up (see `draws` for why)."""

from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.core.arrays import Floats, Ints
from antifaz.datasets import people_tables as tables
from antifaz.datasets.draws import Draws, check, log_normal, weighted, weighted_rows
from antifaz.datasets.people_names import CULTURE_OF, CULTURES, TWO_FAMILIES, words
from antifaz.datasets.people_trees import EDUCATION, MARITAL_STATUS, OCCUPATION

#: The day on which people have the age they are said to have.
REFERENCE = date(2021, 1, 1)
#: The check letter of an id number is the one at the number modulo 23.
CHECK_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
MOST = 10**8

# Memory for the work is that of one block, and no Arrow array comes near two gigabytes of text.
_BLOCK = 1 << 20
_WORKS = len(tables.WORK[0])


def make_people(n: int, seed: int) -> pa.Table:
    """Return `n` people as a table in blocks."""
    check(n, seed, MOST)
    starts = range(0, n, _BLOCK) or range(1)
    return pa.concat_tables([_block(start, min(_BLOCK, n - start), seed) for start in starts])


def _block(start: int, n: int, seed: int) -> pa.Table:
    draws = Draws(seed, 1 + start // _BLOCK)
    ages = draws.pick(n, _age_table()).astype(np.int64) + tables.YOUNGEST
    band = np.searchsorted(np.asarray(tables.BAND_STARTS), ages, side="right").astype(np.int64) - 1
    sex = draws.pick_by(band, weighted_rows([(w, 1000 - w) for w in tables.WOMEN])).astype(np.int64)
    band_sex = band * 2 + sex
    education = draws.pick_by(band, weighted_rows(tables.EDUCATION)).astype(np.int64)
    occupation = _occupations(draws, band_sex, education)
    country = draws.pick(n, weighted(list(tables.BORN.values()))).astype(np.int64)
    postcodes, province_of, postcode_table = _postcodes()
    postcode = draws.pick(n, postcode_table)
    income = _incomes(draws, education, occupation, band, province_of[postcode])
    marital = draws.pick_by(band_sex, weighted_rows([row for pair in tables.MARITAL for row in pair]))
    diagnosis = draws.pick_by(band_sex, weighted_rows([row for pair in tables.SICK for row in pair]))
    return pa.table(
        {
            "id_number": _id_numbers(start, n, seed),
            "name": _names(draws, country, sex),
            "birth_date": pa.array(_birth_days(draws, ages)).cast(pa.date32()),
            "age": pa.array(ages),
            "sex": _labels(tables.SEXES, sex),
            "postcode": _labels(postcodes, postcode),
            "education": _labels(EDUCATION, education),
            "marital_status": _labels(MARITAL_STATUS, marital),
            "occupation": _labels(OCCUPATION, occupation),
            "country": _labels(tables.BORN, country),
            "income": pa.array(income),
            "diagnosis": _labels(tables.DIAGNOSES, diagnosis),
        }
    )


def _labels(labels: Any, codes: NDArray[Any]) -> pa.Array:
    return pa.array(list(labels), pa.string()).take(pa.array(codes))


@lru_cache(maxsize=1)
def _age_table() -> NDArray[np.int32]:
    weights = []
    for (low, here), (high, there) in zip(tables.PYRAMID, tables.PYRAMID[1:], strict=False):
        weights += [here + (there - here) * (age - low) // (high - low) for age in range(low, high)]
    return weighted([*weights, tables.PYRAMID[-1][1]])


def _birth_days(draws: Draws, ages: Ints) -> NDArray[np.int32]:
    """Return days since 1970 on which people of these ages can have been born."""
    epoch = date(1970, 1, 1)
    first, length = [], []
    for age in range(tables.OLDEST + 1):
        # Whoever is `age` on the reference day had the last birthday that day or in the year before it.
        turned = REFERENCE.replace(year=REFERENCE.year - age)
        too_old = REFERENCE.replace(year=REFERENCE.year - age - 1)
        first.append((too_old - epoch).days + 1)
        length.append((turned - too_old).days)
    days = np.asarray(first)[ages] + draws.below(len(ages), np.asarray(length)[ages])
    return days.astype(np.int32)


def _occupations(draws: Draws, band_sex: Ints, education: Ints) -> Ints:
    activity = draws.pick_by(band_sex, weighted_rows([row for pair in tables.ACTIVITY for row in pair]))
    work = draws.pick_by(education, weighted_rows(tables.WORK))
    # Student, unemployed, homemaker and retired follow the kinds of work in the list of occupations.
    return np.where(activity == 0, work, activity + (_WORKS - 1)).astype(np.int64)


def _incomes(draws: Draws, education: Ints, occupation: Ints, band: Ints, province: Ints) -> Ints:
    percents = np.asarray(tables.PAY)[occupation] * np.asarray(tables.AGE_PAY)[band]
    percents *= np.asarray(tables.PROVINCE_PAY)[province]
    typical: Floats = (np.asarray(tables.BASE_INCOME)[education] * percents).astype(np.float64)
    factors = draws.pick(len(band), log_normal(0.35))
    incomes: Ints = np.rint(typical * factors / 1_000_000.0).astype(np.int64)
    return incomes


@lru_cache(maxsize=1)
def _postcodes() -> tuple[list[str], Ints, NDArray[np.int32]]:
    """Return the postcodes, the province (from 0) of each, and their look-up table (sizes fall as 1/rank)."""
    codes: list[str] = []
    provinces: list[int] = []
    weights: list[int] = []
    for province, people in enumerate(tables.PROVINCES):
        parts = [1_000_000 // (rank + 3) for rank in range(max(4, people // 50))]
        for rank, part in enumerate(parts):
            codes.append(f"{province + 1:02d}{rank + 1:03d}")
            provinces.append(province)
            weights.append(people * 1_000_000 * part // sum(parts))
    return codes, np.asarray(provinces, dtype=np.int64), weighted(weights)


def _id_numbers(start: int, n: int, seed: int) -> pa.Array:
    """Return eight digits and their check letter, different for every row.

    The row's number goes through a small Feistel network over 10,000 x 10,000: a permutation, so no two rows meet.
    """
    keys = Draws(seed, 0)
    left, right = np.divmod(np.arange(start, start + n, dtype=np.int64), 10_000)
    for _ in range(4):
        left, right = right, (left + keys.below(10_000, 10_000)[right]) % 10_000
    number = left * 10_000 + right
    text = np.empty((n, 9), dtype=np.uint8)
    for place in range(8):
        text[:, place] = number // 10 ** (7 - place) % 10 + ord("0")
    text[:, 8] = np.frombuffer(CHECK_LETTERS.encode(), dtype=np.uint8)[number % 23]
    offsets = np.arange(0, 9 * n + 1, 9, dtype=np.int32)
    return pa.StringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(text))


def _names(draws: Draws, country: Ints, sex: Ints) -> pa.Array:
    n = len(country)
    cultures = list(CULTURES)
    usual = np.asarray([cultures.index(CULTURE_OF.get(name, "Spanish")) for name in tables.BORN])
    culture = usual[country]
    # Among those born in Spain one in six has a Catalan or Basque name, one in forty a name from further away.
    local = np.asarray(weighted([780, 165, 15, 10, 15, 5, 5, 5]))
    at_home = country == list(tables.BORN).index("Spain")
    culture = np.where(at_home, draws.pick(n, local), culture).astype(np.int64)

    given = [words(names) for culture_names in CULTURES.values() for names in culture_names[:2]]
    families = [words(culture_names[2]) for culture_names in CULTURES.values()]
    first = _pick_names(draws, culture * 2 + sex, given)
    family = _pick_names(draws, culture, families)
    second = _pick_names(draws, culture, families)
    doubles = np.isin(culture, [cultures.index(name) for name in TWO_FAMILIES])
    second = pc.if_else(pa.array(doubles), second, pa.scalar(None, pa.string()))
    return pc.binary_join_element_wise(first, family, second, " ", null_handling="skip")


def _pick_names(draws: Draws, group: Ints, pools: list[list[str]]) -> pa.Array:
    """Return for each group one name of its pool, the first ones being the most common."""
    size = len(pools[0])
    place = draws.pick(len(group), weighted([10_000 // (rank + 4) for rank in range(size)]))
    return _labels([name for pool in pools for name in pool], group * size + place)
