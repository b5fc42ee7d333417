"""How the columns of `people` depend on each other: weights, made up to look like a Southern European country.

Age bands: 16-19, 20-29, 30-39, 40-49, 50-59, 60-69, 70-79, 80 and over.
"""

BAND_STARTS = (16, 20, 30, 40, 50, 60, 70, 80)
YOUNGEST, OLDEST = 16, 99

#: Thousands of people per year of age at the corners; ages between lie on the straight line.
PYRAMID = ((16, 480), (25, 500), (35, 620), (44, 800), (55, 720), (65, 560), (75, 430), (85, 220), (99, 8))

SEXES = ("female", "male")
#: Women per thousand, by age band.
WOMEN = (485, 488, 500, 497, 503, 517, 547, 630)

#: Columns as in EDUCATION of `people_trees`; rows by age band.
EDUCATION = (
    (3, 40, 560, 340, 50, 5, 2, 0, 0),
    (4, 30, 200, 290, 130, 130, 150, 64, 2),
    (6, 35, 190, 170, 120, 160, 170, 135, 14),
    (8, 50, 210, 170, 120, 170, 150, 105, 17),
    (12, 90, 270, 170, 120, 120, 130, 72, 16),
    (30, 200, 270, 160, 90, 70, 115, 52, 13),
    (90, 370, 230, 110, 60, 35, 72, 26, 7),
    (190, 470, 160, 70, 35, 18, 42, 12, 3),
)

#: Columns as in MARITAL_STATUS; rows by age band, women then men.
MARITAL = (
    ((985, 8, 5, 1, 1, 0), (995, 3, 2, 0, 0, 0)),
    ((810, 120, 55, 7, 8, 0), (890, 70, 34, 3, 3, 0)),
    ((390, 470, 80, 20, 37, 3), (500, 400, 70, 12, 17, 1)),
    ((220, 570, 55, 35, 105, 15), (270, 570, 50, 25, 80, 5)),
    ((140, 600, 35, 40, 140, 45), (160, 650, 35, 30, 110, 15)),
    ((90, 610, 20, 35, 115, 130), (100, 715, 20, 28, 97, 40)),
    ((70, 520, 8, 18, 64, 320), (70, 770, 8, 18, 54, 80)),
    ((75, 250, 3, 7, 25, 640), (55, 680, 3, 9, 23, 230)),
)

#: Columns as in OCCUPATION of `people_trees` up to "cleaner" (24 kinds of work); rows by education.
WORK = (
    (0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 30, 40, 40, 5, 60, 130, 10, 40, 70, 210, 150, 210),
    (1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 10, 8, 80, 70, 70, 15, 80, 140, 25, 50, 100, 90, 110, 141),
    (3, 20, 0, 3, 0, 0, 0, 0, 0, 3, 50, 30, 150, 70, 80, 35, 70, 100, 45, 60, 100, 40, 91, 50),
    (15, 35, 3, 25, 0, 0, 0, 10, 0, 25, 190, 80, 160, 50, 70, 30, 50, 50, 40, 40, 60, 12, 40, 15),
    (8, 25, 3, 20, 0, 0, 10, 10, 0, 25, 170, 60, 110, 55, 45, 70, 110, 40, 100, 90, 40, 10, 35, 4),
    (25, 40, 45, 120, 5, 0, 25, 25, 2, 80, 190, 50, 70, 35, 25, 30, 50, 20, 80, 60, 20, 5, 20, 3),
    (60, 40, 130, 110, 20, 15, 150, 190, 50, 90, 80, 20, 25, 5, 8, 3, 10, 3, 5, 4, 5, 2, 4, 1),
    (100, 20, 150, 130, 60, 110, 40, 150, 110, 70, 35, 8, 8, 2, 3, 1, 3, 1, 2, 1, 1, 1, 1, 0),
    (90, 5, 80, 45, 440, 150, 5, 140, 30, 10, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)  # fmt: skip

#: Per thousand, by age band, women then men: works, student, unemployed, homemaker, retired.
ACTIVITY = (
    ((90, 850, 55, 5, 0), (120, 815, 64, 1, 0)),
    ((590, 240, 135, 35, 0), (640, 205, 150, 5, 0)),
    ((755, 20, 130, 95, 0), (865, 12, 118, 5, 0)),
    ((760, 6, 124, 110, 0), (885, 4, 106, 5, 0)),
    ((670, 3, 127, 175, 25), (815, 2, 123, 5, 55)),
    ((270, 2, 48, 250, 430), (330, 1, 49, 3, 617)),
    ((9, 1, 0, 240, 750), (14, 1, 0, 2, 983)),
    ((1, 0, 0, 220, 779), (2, 0, 0, 1, 997)),
)

#: Weights of the countries of birth; every one is a leaf of COUNTRY in `people_trees`.
BORN = {
    "Spain": 8230, "Italy": 75, "Portugal": 60, "France": 85, "Germany": 75, "Netherlands": 18, "United Kingdom": 110,
    "Romania": 210, "Bulgaria": 40, "Poland": 22, "Ukraine": 40, "Russia": 28, "Argentina": 95, "Bolivia": 60,
    "Brazil": 60, "Colombia": 185, "Ecuador": 130, "Peru": 95, "Venezuela": 150, "Cuba": 55, "Dominican Republic": 60,
    "Honduras": 45, "Mexico": 25, "United States": 18, "Algeria": 25, "Morocco": 260, "Nigeria": 16, "Senegal": 25,
    "China": 60, "Philippines": 18, "Bangladesh": 10, "India": 22, "Pakistan": 33,
}  # fmt: skip

#: Typical yearly income by education, as in EDUCATION.
BASE_INCOME = (11_500, 13_500, 16_500, 20_000, 21_500, 25_500, 29_500, 34_500, 41_000)

#: What an occupation earns against others of the same education, in percent; as in OCCUPATION of `people_trees`.
PAY = (
    175, 110, 120, 125, 100, 150, 105, 100, 130, 110, 95, 85, 85, 85, 78, 75, 82, 95, 108, 100, 98, 78, 95, 72,
    22, 42, 35, 72,
)  # fmt: skip

#: What an age band earns against others, in percent.
AGE_PAY = (55, 75, 95, 108, 115, 112, 100, 92)

#: People in thousands per province; the place in the list is the first two digits of the postcode, from 01.
PROVINCES = (
    333, 386, 1880, 731, 158, 669, 1173, 5714, 356, 392, 1245, 587, 495, 776, 1120, 196, 786, 921, 265, 726, 524, 224,
    627, 452, 439, 319, 327, 6751, 1695, 661, 306, 1011, 159, 1128, 945, 322, 1048, 584, 153, 1947, 88, 822, 134, 709,
    2589, 519, 1154, 168, 972, 84, 84,
)  # fmt: skip
#: Income in a province against the country, in percent, in the same order.
PROVINCE_PAY = tuple(118 if p in (1, 8, 20, 28, 31, 48) else 86 if p in (4, 6, 10, 11, 14, 18, 21, 23) else 99
                     for p in range(1, len(PROVINCES) + 1))  # fmt: skip

DIAGNOSES = (
    "hypertension", "type 2 diabetes", "asthma", "depression", "anxiety", "migraine", "back pain", "arthritis",
    "heart disease", "COPD", "breast cancer", "prostate cancer", "dementia",
)  # fmt: skip
#: Columns as in DIAGNOSES; rows by age band, women then men.
SICK = (
    ((2, 4, 230, 130, 270, 230, 110, 10, 6, 1, 0, 0, 0), (4, 5, 330, 90, 190, 120, 200, 12, 10, 1, 0, 0, 0)),
    ((10, 8, 170, 150, 260, 240, 140, 15, 6, 2, 3, 0, 0), (22, 12, 250, 110, 200, 110, 260, 15, 12, 3, 0, 0, 0)),
    ((45, 25, 120, 170, 210, 210, 180, 30, 10, 6, 20, 0, 0), (90, 40, 170, 120, 160, 100, 270, 25, 25, 10, 1, 0, 0)),
    ((120, 60, 90, 170, 150, 150, 180, 80, 20, 15, 45, 0, 1), (190, 100, 100, 110, 110, 70, 230, 50, 55, 30, 1, 6, 1)),
    ((210, 100, 70, 150, 110, 90, 150, 150, 35, 30, 60, 0, 4), (270, 160, 60, 90, 70, 40, 160, 80, 110, 70, 1, 28, 4)),
    ((280, 140, 50, 110, 80, 45, 120, 210, 60, 45, 55, 0, 15),
     (290, 190, 35, 60, 50, 20, 110, 100, 170, 110, 1, 70, 14)),
    ((290, 150, 35, 90, 60, 20, 90, 240, 95, 50, 45, 0, 60), (270, 180, 25, 50, 35, 10, 75, 110, 200, 140, 1, 95, 50)),
    ((250, 120, 20, 70, 40, 8, 60, 220, 140, 50, 35, 0, 190), (230, 130, 15, 45, 25, 5, 50, 100, 230, 140, 1, 90, 140)),
)  # fmt: skip
