"""Made-up data to try things on: nobody in it exists, nothing is downloaded, a seed gives the same bytes anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["people", "salaries", "students"]

# The makers are imported inside the functions, because `antifaz --help` must not pay for NumPy and Arrow.


def people(n: int = 30_000, seed: int = 0) -> pa.Table:
    """Make a census of `n` adults who do not exist, with the dependencies a real one has.

    Columns: id_number, name, birth_date, age (on 1 January 2021), sex, postcode (text: some begin with 0), education,
    marital_status, occupation, country (of birth), income (per year, whole euros), diagnosis. Education depends on
    age; occupation on education and age; income on education, occupation, age and region; marital status and
    diagnosis on age and sex; names on country and sex. `people_trees` holds hierarchies for the categories.

    Up to 100 million rows, because an id number has eight digits and no two people share one.
    """
    from antifaz.datasets.population import make_people

    return make_people(n, seed)


def students(n: int = 500, seed: int = 0) -> pa.Table:
    """Make `n` students' marks: id, participation, exam, practice (whole, 0 to 10), year and professor.

    Marks are normal with mean 6 and standard deviation 2, cut to 0 to 10; the year is one of 2018 to 2022 and the
    professor one of ten.
    """
    from antifaz.datasets.small_tables import make_students

    return make_students(n, seed)


def salaries(n: int = 148_651, seed: int = 0) -> pa.Table:
    """Make `n` ages and salaries with the shapes that perturbation is usually tried on.

    Salary has mean 74,759 and standard deviation 50,476 (part-time work near zero, a long tail above); age has mean
    29.7 and standard deviation 14.5. Neither is negative, and they are independent: each stands for a data set of its
    own.
    """
    from antifaz.datasets.small_tables import make_salaries

    return make_salaries(n, seed)
