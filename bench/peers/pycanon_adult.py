"""Run by the peers' own Python: pycanon's k and l of Adult; prints the seconds of the two calls."""

import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from pycanon import anonymity

qis = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
data = pd.read_csv(Path(sys.argv[1]) / "adult.csv", sep=";", dtype=str)
began = perf_counter()
anonymity.k_anonymity(data, qis)
anonymity.l_diversity(data, qis, ["occupation"])
print(perf_counter() - began)
